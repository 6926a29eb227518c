"""README.md and docs/ cannot lie: their commands are run, their tables compared with the code, their links followed."""

import contextlib
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from fakes import REAL_CACHE
from settings_table import settings_list, with_settings
from typer.core import TyperGroup
from typer.main import get_command

import ralph_cli
from ralph_cli.commands import app
from ralph_cli.commands.qa import exit_code
from ralph_cli.config import ENVIRONMENT_VARIABLES, OPTIONS, SECRETS, Settings, describe_settings
from ralph_cli.core.run import StopType
from ralph_cli.reports.csv import COLUMNS
from ralph_cli.wiring import models as wiring

ROOT = Path(__file__).parent.parent
FILES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in FILES}
README = PAGES["README.md"]
LOOK_UP = PAGES["docs/exit-codes-and-json.md"]

NONE: Mapping[str, str] = MappingProxyType({})

ONLY_PARSED = ("needs a key", "needs a network")
"""What stands above a block that is not run: nothing is paid for here, and nothing fetched."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its page, the comment above it, its language, its text."""

    page: str
    mark: str
    language: str
    text: str

    @property
    def output_mark(self) -> str:
        """What stands above the block that shows what the commands of this one print."""
        return f"{self.mark.removesuffix('-command')}-output"

    @property
    def commands(self) -> Iterator[tuple[str, int]]:
        """The command lines, each with the exit code that is said behind it."""
        for line in self.text.replace("\\\n", " ").splitlines():
            if self.language == "console" and not line.startswith("$ "):
                continue
            command, _, code = line.removeprefix("$ ").partition("  # exit code ")
            if command.strip():
                yield command.strip(), int(code or 0)


BLOCKS = [
    Block(page, mark, language, text)
    for page, content in PAGES.items()
    for mark, language, text in re.findall(r"(?:^<!-- (.+?) -->\n)?^```(\S*)\n(.*?)^```$", content, re.S | re.M)
]
COMMANDS = [block for block in BLOCKS if block.language in ("bash", "console")]
PYTHON = [block for block in BLOCKS if block.language == "python"]


def marked(page: str, mark: str) -> str:
    """The text of the block after `<!-- mark -->`."""
    (found,) = [block.text for block in BLOCKS if (block.page, block.mark) == (page, mark)]
    return found.rstrip("\n")


def section(page: str, heading: str) -> str:
    """What stands under a heading, up to the next one of its level."""
    level = heading.split()[0]
    return re.split(rf"^#{{1,{len(level)}}} ", page.split(f"\n{heading}\n")[1], maxsplit=1, flags=re.M)[0]


def code_words(text: str) -> set[str]:
    """The words of everything that is set as code in a line."""
    return {word for code in re.findall(r"`([^`\n]+)`", text) for word in re.findall(r"[\w-]+", code)}


def settled(text: str) -> str:
    """A text without what changes from run to run: names, times, the seal, the size of a file."""
    text = re.sub(r"\d{8}-\d{6,9}-qa-([0-9a-f]{8})-[0-9a-f]{6}", r"RUN-\1", text)
    text = re.sub(r"begun [\dTZ:.-]+:", "begun THEN:", re.sub(r"seal [0-9a-f]{64}", "seal SEAL", text))
    text = re.sub(r"\d+ events", "N events", re.sub(r"\b[\d.]+ s\b", "N s", text))
    return re.sub(r"events, [\d,]+ bytes", "events, SIZE bytes", text).strip()


class User:
    """A person without keys and settings, in a folder with the samples; the cache holds the sandbox's runtime."""

    def __init__(self, home: Path) -> None:
        self.folder, programs = home / "work", home / "bin"
        shutil.copytree(ROOT / "samples", self.folder / "samples", ignore=shutil.ignore_patterns("__pycache__"))
        for folder in (programs, home / ".cache"):
            folder.mkdir()
        (home / ".cache" / "ralph").symlink_to(REAL_CACHE.resolve())
        (programs / "ralph").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m ralph_cli "$@"\n')
        (programs / "ralph").chmod(0o755)
        self.environment = {"HOME": str(home), "PATH": f"{programs}:/usr/bin:/bin", "PYTHONPATH": str(ROOT)}

    def start(self, *argv: str, **more: str) -> tuple[int, str, str]:
        """A program in a process of its own: exit code, standard output, standard error."""
        env = {**self.environment, **more}
        done = subprocess.run(argv, cwd=self.folder, env=env, input="", capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def type(self, line: str) -> tuple[int, str, str]:
        """A command line: in this process, which spares its start, or by a shell if it needs one."""
        words, files, variables = split_line(line)
        if words is None:
            return self.start("bash", "-c", line, RALPH_SANDBOX="native")
        given = (self.folder / files["<"]).read_bytes() if "<" in files else b""
        code, out, err = call_doctor() if words == ["ralph", "doctor"] else call(words[1:], given, variables)
        if ">" in files:
            (self.folder / files[">"]).write_text(out, "utf-8")
        return code, out, err


def call(words: list[str], given: bytes = b"", variables: Mapping[str, str] = NONE) -> tuple[int, str, str]:
    """A command of ralph in this process, with this on standard input and in the environment."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = app.run(words)
    return code, out.getvalue(), err.getvalue()


@cache
def call_doctor() -> tuple[int, str, str]:
    """The machine is the same on every page, and tried once."""
    return call(["doctor"])


def split_line(line: str) -> tuple[list[str] | None, dict[str, str], dict[str, str]]:
    """A line's words, the files behind `<` and `>`, its variables; no words if it is not one command of ralph."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="<>|;&")
    lexer.commenters = ""
    words, files, variables = list(lexer), {}, {}
    while re.fullmatch(r"[A-Z_]+=.*", words[0]) and len(words) > 1:
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    for sign in "<>":
        if sign in words:
            at = words.index(sign)
            files[sign] = words[at + 1]
            del words[at : at + 2]
    alone = words[0] == "ralph" and not {"|", "||", ";", "&", "&&", ">>"} & {*words}
    return (words if alone else None), files, variables


def leaves(group: Any = None, name: str = "ralph") -> Iterator[tuple[str, Any]]:
    """Every command with its full name."""
    for part, command in (group or get_command(app.app)).commands.items():
        if isinstance(command, TyperGroup):
            yield from leaves(command, f"{name} {part}")
        else:
            yield f"{name} {part}", command


def parse(words: list[str]) -> None:
    """Have the command read its words, and do nothing; raises what a person would be told."""
    command, name, words = get_command(app.app), "ralph", words[1:]
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        name, command, words = words[0], command.commands[words[0]], words[1:]
    command.make_context(name, words)


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    """Somebody new, whose folder this process works in."""
    new = User(tmp_path)
    monkeypatch.chdir(new.folder)
    monkeypatch.setenv("HOME", new.environment["HOME"])
    monkeypatch.delenv("RALPH_CACHE_DIR")
    # Whatever a page says: one test has the process and the engine that users have, and `ralph doctor` tries both.
    open_engine = wiring.open_sandbox
    monkeypatch.setattr(wiring, "open_sandbox", lambda _, **options: open_engine("native", **options))
    return new


@pytest.mark.parametrize("page", [page for page in PAGES if any(block.page == page for block in COMMANDS)])
def test_the_commands_of_a_page_run_and_print_what_it_shows(page: str, user: User) -> None:
    """One after the other in one folder; those that need a key are understood."""
    for block in [block for block in COMMANDS if block.page == page]:
        printed = ""
        for command, expected in block.commands:
            if block.mark in ONLY_PARSED:
                if command.startswith("ralph "):
                    parse(shlex.split(command))
                continue
            code, out, err = user.type(command)
            assert code == expected, (command, code, err)
            assert "Traceback" not in err
            assert out.strip() or ">" in command or "--output" in command, command
            printed += out
        for shown in [other.text for other in BLOCKS if (other.page, other.mark) == (page, block.output_mark)]:
            assert settled(printed).endswith(settled(shown)), printed


def test_the_first_command_prints_what_the_readme_shows(user: User) -> None:
    """In the process and the engine that users have."""
    command = marked("README.md", "first-command").rsplit("&& ", 1)[1]
    code, out, err = user.start(sys.executable, "-m", "ralph_cli", *shlex.split(command)[1:])
    assert code == 0, err
    assert settled(out) == settled(marked("README.md", "first-output"))


def test_the_quickstart_installs_as_the_readme_does() -> None:
    first, *_ = marked("docs/quickstart.md", "install").splitlines()
    assert marked("README.md", "first-command").startswith(f"{first} && ")


def test_what_is_tested_is_what_is_installed() -> None:
    """The libraries of the tests hold those of the program, in the same versions and with the same hashes."""
    assert {*(ROOT / "constraints.txt").read_text().split()} <= {*(ROOT / "constraints-dev.txt").read_text().split()}


@pytest.mark.parametrize("page", sorted({block.page for block in PYTHON}))
def test_the_python_of_a_page_runs(page: str, user: User) -> None:
    for block in [block for block in PYTHON if block.page == page and block.mark not in ONLY_PARSED]:
        run_python(block.text)


def run_python(text: str) -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "<example>", "exec"), {"__name__": "__main__"})
    assert out.getvalue().strip(), text


def test_the_python_that_needs_a_key_names_what_there_is() -> None:
    for block in [block for block in PYTHON if block.mark in ONLY_PARSED]:
        compile(block.text, "<example>", "exec")
        for line in re.findall(r"^from ralph_cli import (.+)$", block.text, re.M):
            exec(f"from ralph_cli import {line}")


def test_the_loop_example_prints_its_result() -> None:
    done = [sys.executable, "-c", marked("docs/python.md", "python-loop")]
    found = subprocess.run(done, capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.stdout == "The capital of France is Paris. completion 2\n", found.stderr


def test_every_command_has_its_row_and_every_row_its_command() -> None:
    rows = section(PAGES["docs/index.md"], "## All commands")
    told = set(re.findall(r"^- `(ralph [a-z -]+?)(?: \[?[A-Z]+(?:\.\.\.)?\]?)*`: ", rows, re.M))
    assert told == {name for name, _ in leaves()}


def test_the_options_that_are_named_exist() -> None:
    known = {"--help", "--version", "--install-completion", "--show-completion"}
    for _, command in leaves():
        built = command.callback() if command.callback and not command.params else command
        for parameter in getattr(built, "params", ()) or ():
            known |= {*parameter.opts, *parameter.secondary_opts}
    for page, text in PAGES.items():
        if page in ("CONTRIBUTING.md", "docs/architecture.md", "docs/designs.md"):
            continue
        named = {
            flag for code in re.findall(r"`([^`\n]+)`", text) for flag in re.findall(r"(?<!\S)--[a-z][a-z-]+", code)
        }
        assert named <= known, page


def test_the_table_of_settings_is_made_from_the_settings() -> None:
    page = PAGES["docs/settings.md"]
    assert with_settings(page) == page, "run: python tests/support/settings_table.py"
    assert with_settings(page.replace("- `max_steps`", "- `max_stops`")) == page
    with pytest.raises(ValueError, match="no place"):
        with_settings("")


def test_every_setting_and_variable_is_listed_and_no_key() -> None:
    lines = [line for line in settings_list().splitlines() if line.startswith("- ")]
    assert sorted(name for line in lines for name in re.findall(r"^- `([a-z_]+)`", line)) == sorted(
        {*Settings.model_fields} - SECRETS
    )
    texts = describe_settings()
    assert len(lines) == len(texts)
    for name, text in texts.items():
        assert any(text.removesuffix("Never in `ralph.toml`.").strip() in line for line in lines), name
    shown = set(re.findall(r"`([A-Z][A-Z_]+)`", settings_list()))
    by_rule = {f"RALPH_{name.upper()}" for name in OPTIONS}
    assert shown == {name for names in ENVIRONMENT_VARIABLES.values() for name in names} - by_rule


def test_env_example_names_only_variables_that_are_read() -> None:
    known = {name for names in ENVIRONMENT_VARIABLES.values() for name in names}
    text = (ROOT / ".env.example").read_text("utf-8")
    assert set(re.findall(r"^#? ?([A-Z_]+)=", text, re.MULTILINE)) <= known


def test_the_table_of_exit_codes_is_the_code() -> None:
    codes = {int(code) for code in re.findall(r"^- \*\*(\d+)\*\*: ", section(LOOK_UP, "## Exit codes"), re.MULTILINE)}
    known = {app.ACCEPTED, app.ERROR, app.NOT_ACCEPTED, app.ABSENT, app.BUDGET, app.INTERRUPTED, app.BROKEN_PIPE}
    assert codes == known


def test_the_table_of_stops_has_each_with_its_exit_code() -> None:
    rows = re.findall(r"^- (`[^:]+`)(?: \((\d+)\))?: ", section(LOOK_UP, "### Why a run stops"), re.M)
    told = {name: code for names, code in rows for name in re.findall(r"`(\w+)`", names)}
    assert {*told} == {stop.value for stop in StopType}
    for name in {*told} - {"none", "tested"}:
        assert told[name] == str(exit_code(StopType(name))), name


def test_every_field_of_json_is_told(user: User) -> None:
    revenue = "Extract the table of revenue by segment as CSV"
    examples = {
        "## Questions and tasks": (
            ["qa", "samples/report.pdf", "When are invoices due?"],
            ["qa", "samples/report.pdf", "xyzzy"],
            ["task", "samples/contract.md", "Summarize the termination rights"],
        ),
        "## Goals": (["goal", "samples/report.pdf", revenue, "--verify", "test -s {output}"],),
        "## Verifications": (["verify"],),
        "## Memos": (["check", "samples/memo.md", "--doc", "samples/report.pdf"],),
        "## Judge tests": (["judge-test"],),
        "## Evaluations": (["eval", "samples/questions.jsonl", "--limit", "2"],),
        "## Tables": (["table", "samples/table.csv", "samples/contract.md"],),
        "## Lists of runs": (["trace", "list"],),
        "## Lists of documents": (["ls", "samples"],),
        "## Exports": (["trace", "export"],),
    }
    for heading, commands in examples.items():
        told = section(LOOK_UP, heading)
        for words in commands:
            _, out, err = call([*words, "--json"])
            assert out, err
            missing = {*keys_of(json.loads(out))} - code_words(told) - code_words(LOOK_UP.split("\n## Goals\n")[0])
            assert not missing, (words, missing)


def keys_of(value: Any) -> Iterator[str]:
    """The names of all fields, however deep."""
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_of(part)


def test_the_columns_of_the_csv_are_those_named() -> None:
    lines = LOOK_UP.split("<!-- csv-columns -->")[1].split("<!-- /csv-columns -->")[0].strip().splitlines()
    named = (name for line in lines for name in re.findall(r"`(\w+)`", line.split("`: ")[0] + "`"))
    assert tuple(named) == COLUMNS


def test_every_public_name_is_on_the_page_on_python() -> None:
    assert {*ralph_cli.__all__} <= code_words(PAGES["docs/python.md"])


def test_the_pages_are_short() -> None:
    assert len(README.split()) <= 1_200
    assert sum(len(text.split()) for text in PAGES.values()) <= 24_000


def test_every_page_is_in_a_table_of_contents() -> None:
    index = PAGES["docs/index.md"]
    told = [
        name
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", index, re.S)
        for name in re.findall(r"^[a-z-]+$", tree, re.M)
    ]
    assert sorted([*told, "index"]) == [Path(page).stem for page in PAGES if page.startswith("docs/")]


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md", "SECURITY.md"])
def test_every_link_leads_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for target in re.findall(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)):
        if re.match(r"https?://", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.is_file(), (page, target)
        headings = re.findall(r"^#+ (.+)$", file.read_text("utf-8"), re.M) if anchor else ()
        anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, (page, target)


def test_every_picture_is_there() -> None:
    for page, text in PAGES.items():
        for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", text):
            assert ((ROOT / page).parent / target).is_file(), (page, target)


def test_the_pages_become_a_site_without_a_warning(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html"]
    built = subprocess.run([*build, str(ROOT / "docs"), str(tmp_path)], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    site = "".join(path.read_text("utf-8") for path in tmp_path.glob("*.html"))
    assert not re.search(r"<(?:script|link|img|iframe)\b[^>]*https?:", site), "a page asks the network for something"
