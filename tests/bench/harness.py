"""What ralph costs beside the model: whole runs with scripted replies, beside one bare call of an SDK, and beside rlms.

    python tests/bench/harness.py [--rounds 5] [--rows ROW ...] [--megabytes 1] [--subqueries 32] [--steps 4] [--loop]

Every row is a process of its own that talks to a service on this machine; each reply takes 50 ms. The rows take turns,
so that what else the machine does falls on all of them alike; the first round only warms the caches. The work: look at
the beginning of a text, search it, ask the sub-queries (one batch, or with --loop one by one), answer with a quote,
which ralph has judged. rlms comes from the registry and lives in an environment of its own in the cache folder.

CPU is that of the process and of all that it started; memory is the most that they had resident together.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from sizes import NEEDLE, QUESTION, make_text

CACHE = Path("~/.cache/ralph-bench").expanduser()
RLMS = "rlms==0.1.3"
SAMPLE_S = 0.02
WORKER, SUBQUERY = "gpt-6.1-sol", "gpt-6-luna"

BARE = {
    "anthropic": "import anthropic; print(anthropic.Anthropic(max_retries=0).messages.create(model='m', max_tokens=99, "
    "messages=[{'role': 'user', 'content': 'How are you?'}]).content[0].text)",
    "openai": "import openai; print(openai.OpenAI(max_retries=0).responses.create(model='m', input='How are you?')"
    ".output_text)",
}
RLMS_RUN = """
import sys
from rlm import RLM
kwargs = lambda model: {"model_name": model, "base_url": sys.argv[3], "api_key": "none"}
rlm = RLM("openai", kwargs(sys.argv[4]), other_backends=["openai"], other_backend_kwargs=[kwargs(sys.argv[5])])
print(rlm.completion(open(sys.argv[1]).read(), root_prompt=sys.argv[2]).response)
"""


@dataclass(frozen=True, slots=True)
class Figures:
    """What one process cost: seconds, seconds, seconds, megabytes, requests."""

    first: float
    wall: float
    cpu: float
    memory: float
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A command to be measured, with the row that it is set beside."""

    name: str
    beside: str
    command: list[str]
    environment: dict[str, str]
    script: list[Any]


# --- the work ---------------------------------------------------------------------------------------------------------


def snippets(subqueries: int, steps: int, *, loop: bool, batch: str) -> list[str]:
    """The code of all steps but the last one; `batch` asks all sub-queries at once."""
    part = f"[context[i * (len(context) // {subqueries}):][:2000] for i in range({subqueries})]"
    asked = f"parts = {part}\nout = []\n"
    asked += "for p in parts:\n    out.append(llm_query('What is said?', p))\n" if loop else f"out = {batch}\n"
    looks = [f"print(context[{500 * step}:{500 * step + 500}])" for step in range(steps - 3)]
    search = f"import re\nprint([context[m.start():m.end()] for m in re.finditer({NEEDLE[:40]!r} + '.*', context)])"
    return [*looks, search, asked + "print(len(out), out[0])"]


def ralph_script(options: argparse.Namespace) -> list[Any]:
    """What ralph's worker does."""
    batch = "llm_query_batch([('What is said?', p) for p in parts])"
    code = snippets(options.subqueries, options.steps, loop=options.loop, batch=batch)
    return [*({"code": item} for item in code), {"claims": [{"text": NEEDLE, "quotes": [NEEDLE]}]}]


def rlms_script(options: argparse.Namespace) -> list[Any]:
    """The same in the form that rlms reads."""
    code = snippets(options.subqueries, options.steps, loop=options.loop, batch="llm_query_batched(parts)")
    code = [item.replace("llm_query('What is said?', p)", "llm_query(p)") for item in code]
    final = f"answer['content'] = {NEEDLE!r}\nanswer['ready'] = True"
    return [f"I look.\n```repl\n{item}\n```" for item in (*code, final)]


def make_rows(options: argparse.Namespace, document: Path, port: int, out: Path) -> list[Row]:
    """The rows that were asked for, those of rlms only if it can be had."""
    address = f"http://127.0.0.1:{port}"
    keys: dict[str, dict[str, str]] = {"anthropic": {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": address}}
    keys["openai"] = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{address}/v1"}
    both = keys["anthropic"] | keys["openai"]
    rows: list[tuple[str, str, list[str], dict[str, str], list[Any]]] = []
    for vendor, code in BARE.items():
        rows.append(("call " + vendor, "call " + vendor, [sys.executable, "-c", code], keys[vendor], []))
    sdks = [sys.executable, "-c", BARE["openai"] + "; import anthropic; anthropic.Anthropic().messages"]
    rows.append(("both SDKs", "call anthropic", sdks, both, []))
    asked = [str(document), QUESTION]
    if "rlms" in options.rows and (python := rlms_python()):
        command = [str(python), "-c", RLMS_RUN, *asked, f"{address}/v1", WORKER, SUBQUERY]
        rows.append(("rlms", "call openai", command, keys["openai"], rlms_script(options)))
    ralph = [sys.executable, "-m", "ralph_cli", "qa", *asked, "--refresh", "--max-steps", str(options.steps + 2)]
    ralph += ["--max-subqueries", str(options.subqueries), "--out", str(out)]
    for sandbox in ("native", "pyodide"):
        for vendor, given in (("anthropic", keys["anthropic"]), ("openai", keys["openai"]), ("both", both)):
            given = given | ({"OPENAI_API": "responses"} if vendor != "anthropic" else {})
            beside = "call openai" if vendor == "openai" else "call anthropic"
            command = [*ralph, "--sandbox", sandbox]
            rows.append((f"{sandbox} {vendor}", beside, command, given, ralph_script(options)))
    made = [Row(name=n, beside=b, command=c, environment=e, script=s) for n, b, c, e, s in rows]
    return [row for row in made if row.name in options.rows]


def rlms_python() -> Path | None:
    """The interpreter of an environment with rlms, made if it is missing; None, with a line, if it cannot be."""
    home = CACHE / RLMS.replace("==", "-")
    python = home / "bin/python"
    if not (home / "made").is_file():
        steps = [[sys.executable, "-m", "venv", "--clear", home], [python, "-m", "pip", "install", "--quiet", RLMS]]
        for step in steps:
            if subprocess.run(step, capture_output=True, check=False).returncode:
                print(f"rlms is left out: {RLMS} could not be installed from the registry", file=sys.stderr)
                return None
        (home / "made").touch()
    return python


# --- measuring --------------------------------------------------------------------------------------------------------


class Service:
    """The scripted model service, a process of its own."""

    def __init__(self, wait_ms: int) -> None:
        path = Path(__file__).with_name("service.py")
        self._process = subprocess.Popen([sys.executable, path, str(wait_ms)], stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def call(self, path: str, body: object = None) -> Any:
        """The JSON that the service answers."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/{path}", json.dumps(body).encode(), method="PUT"
        )
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()


def resident_pages(pid: int) -> int:
    """Memory of a process and of all that it started, in pages."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        for thread in Path(f"/proc/{pid}/task").iterdir():
            pages += sum(resident_pages(int(child)) for child in (thread / "children").read_text().split())
    except OSError:
        return 0
    return pages


@contextmanager
def watch_memory(pid: int) -> Iterator[list[int]]:
    """The most pages seen, in a list of one."""
    most, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.wait(SAMPLE_S):
            most[0] = max(most[0], resident_pages(pid))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        ended.set()
        thread.join()


def measure(row: Row, service: Service, show: Path) -> Figures:
    """Run the command of a row once."""
    service.call("script", row.script)
    service.call("log")
    kept = {"RALPH_CACHE": str(CACHE / "ralph")} | {
        name: os.environ[name] for name in ("PATH", "HOME", "PYTHONPATH", "LANG") if name in os.environ
    }
    with show.open("w") as output:
        start = time.monotonic()
        child = subprocess.Popen(row.command, stdout=output, stderr=output, env=kept | row.environment, cwd=show.parent)
        with watch_memory(child.pid) as most:
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    requests = service.call("log")
    if child.returncode or not requests:
        raise SystemExit(f"{row.name} ended with {child.returncode}:\n{show.read_text()[-3000:]}")
    memory = most[0] * os.sysconf("SC_PAGE_SIZE") / 1e6
    return Figures(requests[0][0] - start, wall, usage.ru_utime + usage.ru_stime, memory, len(requests))


def render(rows: list[Row], seen: dict[str, list[Figures]]) -> Iterator[str]:
    """A Markdown table of medians, each with its ratio to the row that it is set beside."""
    yield "| | start to first request, s | whole run, s | CPU, s | peak memory, MB | requests |"
    yield "| --- | --: | --: | --: | --: | --: |"
    names = ("first", "wall", "cpu", "memory")
    medians = {name: [median(getattr(one, key) for one in figures) for key in names] for name, figures in seen.items()}
    for row in rows:
        cells = []
        for place, value in enumerate(medians[row.name]):
            ratio = value / medians[row.beside][place] if row.beside in medians else None
            shown = f"{value:.0f}" if names[place] == "memory" else f"{value:.2f}"
            cells.append(shown if ratio is None or row.beside == row.name else f"{shown} ({ratio:.2f} x)")
        cells.append(str(seen[row.name][-1].requests))
        yield f"| {row.name} | {' | '.join(cells)} |"


def main() -> None:
    """Measure and print."""
    names = ["call anthropic", "call openai", "both SDKs", "rlms"]
    names += [f"{sandbox} {vendor}" for sandbox in ("native", "pyodide") for vendor in ("anthropic", "openai", "both")]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", nargs="+", default=names, choices=names, metavar="ROW", help=", ".join(names))
    parser.add_argument("--megabytes", type=float, default=1)
    parser.add_argument("--subqueries", type=int, default=32)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--loop", action="store_true", help="sub-queries one by one, in a loop")
    parser.add_argument("--wait", type=int, default=50, help="milliseconds that a reply takes")
    options = parser.parse_args()
    random.seed(1)
    service = Service(options.wait)
    try:
        with tempfile.TemporaryDirectory() as folder:
            document = Path(folder, "made.txt")
            make_text(document, options.megabytes)
            rows = make_rows(options, document, service.port, Path(folder, "out"))
            seen: dict[str, list[Figures]] = {row.name: [] for row in rows}
            for number in range(options.rounds + 1):
                for row in rows:
                    figures = measure(row, service, Path(folder, "shown.txt"))
                    if number:
                        seen[row.name].append(figures)
    finally:
        service.close()
    print("\n".join(render(rows, seen)))


if __name__ == "__main__":
    main()
