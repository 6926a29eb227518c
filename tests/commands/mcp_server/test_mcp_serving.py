"""`ralph mcp` as a program: over its standard input and output, over HTTP with a token, and with a client of others."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fakes import REAL_CACHE
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_clients import LEASE, QUESTION, SECRET, text_of

from ralph_cli.commands.app import run
from ralph_cli.commands.mcp.http import TokenGate

ROOT = Path(__file__).parents[3]
BODY = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
INSPECTOR = "2.12.0"
"""Version of the client that the protocol's authors wrote for Node.js."""


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "ralph_cli", "mcp", "--sandbox", "native", *arguments]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "RALPH_CACHE_DIR": str(REAL_CACHE), **more}


@contextmanager
def serving(deal: Path) -> Iterator[tuple[str, str]]:
    """The address of a server over HTTP, and its token."""
    with subprocess.Popen(
        command("--allow", str(deal), "--http", "--port", "0"),
        cwd=deal.parent,
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None
        try:
            said = ""
            while "Bearer" not in said:
                line = server.stderr.readline()
                assert line, said
                said += line
            found = re.search(r"listening at (http://127\.0\.0\.1:\d+/mcp)\n.*Bearer ([0-9a-f]{48})\n", said)
            assert found, said
            yield found[1], found[2]
        finally:
            server.send_signal(signal.SIGINT)
            rest = server.stderr.read()
            assert server.wait(20) == 130 and "Traceback" not in rest, rest


def test_a_client_over_standard_input_and_output(deal: Path) -> None:
    async def use() -> None:
        first, *arguments = command("--allow", str(deal))
        program = StdioServerParameters(command=first, args=arguments, env=environment(), cwd=deal.parent)
        async with Client(program) as client:
            assert client.server_info is not None and client.server_info.name == "ralph"
            assert str(deal) in (client.instructions or "")
            page = await client.call_tool("read_page", {"document": "lease.txt"})
            assert page.structured_content["text"] == LEASE
            answer = await client.call_tool("ask", QUESTION)
            assert answer.structured_content["ok"] is None  # no key: passages, which no model has read
            evidence = await client.read_resource(answer.content[1].uri)  # type: ignore[union-attr]
            assert json.loads(evidence.contents[0].text)["quote"]["text"] in LEASE
            outside = await client.call_tool("read_page", {"document": "../secret.txt"})
            assert outside.is_error and SECRET not in text_of(outside)

    asyncio.run(use())


def test_no_other_way_to_ask_gets_past_the_token() -> None:
    async def ask() -> list[Any]:
        reached: list[Any] = []

        async def app(scope: Any, receive: Any, send: Any) -> None:
            reached.append(scope["type"])

        async def send(message: Any) -> None:
            reached.append(message.get("status", "body"))

        async def receive() -> Any:
            return {"type": "websocket.connect"}

        await TokenGate(app, "token")({"type": "websocket", "headers": [], "path": "/mcp"}, receive, send)
        return reached

    assert asyncio.run(ask()) == [401, "body"]


def test_over_http_a_token_is_needed_and_no_foreign_page_gets_in(deal: Path) -> None:
    with serving(deal) as (url, token), httpx2.Client() as client:
        port = url.split(":")[2].split("/")[0]
        right = {"Authorization": f"Bearer {token}"}

        def status(**headers: str) -> int:
            shown = {name.replace("_", "-"): value for name, value in headers.items()}
            return client.post(url, json=BODY, headers={**HEADERS, **shown}).status_code

        assert status() == status(Authorization="Bearer x") == status(Authorization=f"Bearer {token[:-1]}") == 401
        assert status(Authorization=f"Basic {token}") == status(Authorization=token) == 401
        assert client.get(url).status_code == client.get(f"http://127.0.0.1:{port}/").status_code == 401
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1:{port}.evil.example", "127.0.0.1:1"):
            assert status(**right, Host=host) == 421, host
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"https://127.0.0.1:{port}"):
            assert status(**right, Origin=origin) == 403, origin
        assert status(**right, Host=f"localhost:{port}", Origin=f"http://127.0.0.1:{port}") not in (401, 403, 421)

        async def use(mode: str) -> None:
            async with (
                httpx2.AsyncClient(headers=right, timeout=60) as http,
                Client(streamable_http_client(url, http_client=http), mode=mode) as connected,
            ):
                page = await connected.call_tool("read_page", {"document": "lease.txt"})
                assert page.structured_content["text"] == LEASE

        for mode in ("auto", "legacy"):
            asyncio.run(use(mode))


def test_a_server_is_told_to_end_while_it_waits_for_input(deal: Path) -> None:
    with subprocess.Popen(
        command("--allow", str(deal)),
        env=environment(),
        cwd=deal.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stderr is not None and server.stdin is not None
        assert server.stderr.readline() == f"ralph: clients may read {deal}\n"
        server.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\nno JSON\n')
        server.stdin.flush()
        assert server.stdout is not None and json.loads(server.stdout.readline())
        server.send_signal(signal.SIGTERM)
        assert server.wait(20) == 143


def test_without_a_folder_or_with_a_host_that_is_every_address_it_says_so(
    deal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["mcp"]) == 1
    hint = "[no-folder] - ralph mcp --allow FOLDER"
    assert capsys.readouterr().err == f"ralph: no folder is allowed {hint}\n"
    allowed = ["mcp", "--allow", str(deal), "--out", str(tmp_path / "out")]
    for host in ("0.0.0.0", "::"):
        assert run([*allowed, "--http", "--host", host]) == 1
        assert "is every address of this machine" in capsys.readouterr().err
    assert run([*allowed, "--http", "--host", "192.0.2.1"]) == 1
    assert "nothing can listen at 192.0.2.1:8571" in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(
    deal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ralph_cli.commands.mcp.command.find_spec", lambda name: None if name == "uvicorn" else name)
    assert run(["mcp", "--allow", str(deal)]) == 1
    error = "ralph mcp needs packages that are not installed: uvicorn [no-extra] - pip install 'ralph-cli[mcp]'"
    assert capsys.readouterr().err == f"ralph: {error}\n"


def test_no_other_command_loads_the_protocol() -> None:
    code = (
        "import sys; from ralph_cli.commands.app import run; run(['mcp', '--help'])\n"
        "from ralph_cli import Settings, ask\n"
        "print(sorted({'mcp', 'starlette', 'uvicorn', 'anyio', 'opentelemetry'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert done.stderr == "[]\n" and "--allow" in done.stdout


def require_inspector() -> list[str]:
    """The command of the inspector; npm fetches it where that was asked for, else the test is skipped."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("needs Node.js")
    name = "@modelcontextprotocol/inspector"
    folder = REAL_CACHE / "foreign-servers" / f"mcp-inspector-{INSPECTOR}"
    if not folder.is_dir():
        if not os.environ.get("FETCH_SERVERS"):
            pytest.skip(f"needs npm's {name} {INSPECTOR}: FETCH_SERVERS=1 fetches it with its dependencies (110 MB)")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as place:
            fetched = Path(place) / "fetched"
            fetched.mkdir()
            fetch = [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(fetched)]
            done = subprocess.run([*fetch, f"{name}@{INSPECTOR}"], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            fetched.rename(folder)
    return [node, str(folder / "node_modules" / name / "clients" / "launcher" / "build" / "index.js"), "--cli"]


@pytest.mark.full
def test_a_client_that_others_wrote_asks_and_reads_the_evidence(deal: Path, tmp_path: Path, samples: Path) -> None:
    inspector = require_inspector()
    (deal / "report.pdf").write_bytes((samples / "report.pdf").read_bytes())
    home = {"HOME": str(tmp_path / "home")}

    with serving(deal) as (url, token):
        begin = [*inspector, url, "--transport", "http", "--header", f"Authorization: Bearer {token}", "--method"]

        def inspect(*words: str) -> tuple[int, dict[str, object]]:
            done = subprocess.run(
                [*begin, *words], capture_output=True, text=True, env=environment(**home), check=False
            )
            return done.returncode, json.loads(done.stdout)

        code, listed = inspect("tools/list", "--strict")
        assert code == 0 and len(listed["tools"]) == 8  # type: ignore[arg-type]
        arguments = ['documents=["report.pdf"]', "question=May net leverage ever exceed 3.50 times?"]
        code, answer = inspect("tools/call", "--tool-name", "ask", "--tool-arg", *arguments)
        assert code == 0
        link = answer["content"][1]  # type: ignore[index]
        assert link["type"] == "resource_link" and "3.50 times" in link["description"]
        code, evidence = inspect("resources/read", "--uri", link["uri"])
        words, picture = evidence["contents"]  # type: ignore[misc]
        assert code == 0 and json.loads(words["text"])["quote"]["page"] == 13
        assert picture["mimeType"] == "image/png" and picture["blob"].startswith("iVBOR")
        code, outside = inspect("tools/call", "--tool-name", "read_page", "--tool-arg", "document=../secret.txt")
        assert code != 0 and outside["isError"] is True and SECRET not in json.dumps(outside)
