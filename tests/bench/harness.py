"""What ralph costs beside the model: whole runs with scripted replies, beside one bare call of an SDK, and beside rlms.

    python tests/bench/harness.py [--rounds 5] [--rows ROW ...] [--megabytes 1] [--subqueries 32] [--steps 4] [--loop]
    python tests/bench/harness.py --growth [--rounds 3] [--rows ROW ...]

Every row is a process of its own that talks to a service on this machine; each reply takes 50 ms. The rows take turns,
so that what else the machine does falls on all of them alike; the first round only warms the caches. The work: look at
the beginning of a text, search it, ask the sub-queries (one batch, or with --loop one by one), answer with a quote,
which ralph has judged. rlms comes from the registry and lives in an environment of its own in the cache folder.

CPU is that of the process and of all that it started. Memory is the most that they had resident together: RSS, in which
what two of them share counts twice, and PSS, in which it counts once.

With --growth a row (native openai, if none is named) does more and more of each: a longer text, a PDF of more pages,
which is read anew each time, more sub-queries, more steps. What one more costs is told beside each, from the row above.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from sizes import NEEDLE, QUESTION, make_pdf, make_text

CACHE = Path("~/.cache/ralph-bench").expanduser()
RLMS = "rlms==0.1.3"
SAMPLE_S = 0.02
PAGE = os.sysconf("SC_PAGE_SIZE")
WORKER, SUBQUERY = "gpt-6.1-sol", "gpt-6-luna"
GROWTH: dict[str, tuple[float, ...]] = {
    "MB of text": (0.1, 1, 10, 50),
    "pages of a PDF": (10, 160, 3000),
    "sub-queries": (1, 8, 32, 128),
    "steps": (5, 20, 80),
}
"""What grows, and how far; all else is as in the other table."""

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
    """What one process cost: seconds, seconds, seconds, megabytes of RSS and of PSS, requests."""

    first: float
    wall: float
    cpu: float
    memory: float
    share: float
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


def resident_pages(pid: int, above: tuple[int, int] = (0, 0)) -> dict[int, int]:
    """Memory of a process and of all that it started, in pages, by process.

    One that was just forked still has the memory of the one `above` it, whose size and resident pages are its own, too.
    """
    try:
        size, resident = map(int, Path(f"/proc/{pid}/statm").read_text().split()[:2])
        if all(abs(own - its) <= its // 50 for own, its in zip((size, resident), above, strict=True)):
            return {}
        pages = {pid: resident}
        for thread in Path(f"/proc/{pid}/task").iterdir():
            for child in (thread / "children").read_text().split():
                pages |= resident_pages(int(child), (size, resident))
    except OSError:
        return {}
    return pages


def proportional_pages(pid: int) -> float:
    """Memory of a process in pages, of what it shares with others its share."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 / PAGE for line in lines if line.startswith("Pss:")), 0)


@contextmanager
def watch_memory(pid: int) -> Iterator[list[float]]:
    """The most pages seen, resident and proportional, in a list of two."""
    most, ended = [0.0, 0.0], threading.Event()

    def watch() -> None:
        while not ended.wait(SAMPLE_S):
            pages = resident_pages(pid)
            if sum(pages.values()) > most[0]:
                most[:] = sum(pages.values()), max(most[1], sum(map(proportional_pages, pages)))

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
    memory, share = (pages * PAGE / 1e6 for pages in most)
    return Figures(requests[0][0] - start, wall, usage.ru_utime + usage.ru_stime, memory, share, len(requests))


def render(rows: list[Row], seen: dict[str, list[Figures]]) -> Iterator[str]:
    """A Markdown table of medians, each with its ratio to the row that it is set beside."""
    yield "| | start to first request, s | whole run, s | CPU, s | peak RSS, MB | peak PSS, MB | requests |"
    yield "| --- | --: | --: | --: | --: | --: | --: |"
    names = ("first", "wall", "cpu", "memory", "share")
    medians = {name: [median(getattr(one, key) for one in figures) for key in names] for name, figures in seen.items()}
    for row in rows:
        cells = []
        for place, value in enumerate(medians[row.name]):
            ratio = value / medians[row.beside][place] if row.beside in medians else None
            shown = f"{value:.0f}" if names[place] in ("memory", "share") else f"{value:.2f}"
            cells.append(shown if ratio is None or row.beside == row.name else f"{shown} ({ratio:.2f} x)")
        cells.append(str(seen[row.name][-1].requests))
        yield f"| {row.name} | {' | '.join(cells)} |"


def render_growth(seen: dict[tuple[str, str, float], list[Figures]]) -> Iterator[str]:
    """A Markdown table of medians; beside each what one more costs, told from the row above it."""
    yield "| row | what grows | | whole run, s | CPU, s | one more, ms | peak RSS, MB | peak PSS, MB | one more, MB |"
    yield "| --- | --- | --: | --: | --: | --: | --: | --: | --: |"
    above: tuple[str, str, float] | None = None
    for key, figures in seen.items():
        row, what, number = key
        names = ("wall", "cpu", "memory", "share")
        wall, cpu, memory, share = (median(getattr(one, name) for one in figures) for name in names)
        more = ["", ""]
        if above is not None and above[:2] == key[:2]:
            last = [median(getattr(one, name) for one in seen[above]) for name in ("cpu", "share")]
            each = [(value - before) / (number - above[2]) for value, before in zip((cpu, share), last, strict=True)]
            more = [f"{1000 * each[0]:.1f}", f"{each[1]:.2f}"]
        yield (
            f"| {row} | {what} | {number:,g} | {wall:.2f} | {cpu:.2f} | {more[0]} "
            f"| {memory:.0f} | {share:.0f} | {more[1]} |"
        )
        above = key


Case = tuple[Row, Callable[[], None]]
"""A row, and what is done before it is measured."""


def compare(cases: list[Case], service: Service, folder: Path, rounds: int) -> list[list[Figures]]:
    """The figures of each case, which take turns; the first round only warms the caches."""
    seen: list[list[Figures]] = [[] for _ in cases]
    for number in range(rounds + 1):
        for (row, prepare), figures in zip(cases, seen, strict=True):
            prepare()
            found = measure(row, service, folder / "shown.txt")
            if number:
                figures.append(found)
    return seen


def growing_cases(
    options: argparse.Namespace, service: Service, folder: Path
) -> Iterator[tuple[tuple[str, str, float], Case]]:
    """What each row does more and more of, by row, thing and number."""
    for what, numbers in GROWTH.items():
        for number in numbers:
            changed = {"sub-queries": {"subqueries": int(number)}, "steps": {"steps": int(number)}}.get(what, {})
            document = folder / (f"{what}-{number}.{'pdf' if 'PDF' in what else 'txt'}".replace(" ", "-"))
            if "PDF" in what:
                make_pdf(document, int(number))
            else:
                make_text(document, number if "text" in what else options.megabytes)
            chosen = argparse.Namespace(**(vars(options) | changed))
            for row in make_rows(chosen, document, service.port, folder / "out"):
                yield (row.name, what, number), (row, forget_texts if "PDF" in what else lambda: None)


def forget_texts() -> None:
    """Have documents read anew."""
    shutil.rmtree(CACHE / "ralph" / "texts", ignore_errors=True)


def main() -> None:
    """Measure and print."""
    names = ["call anthropic", "call openai", "both SDKs", "rlms"]
    names += [f"{sandbox} {vendor}" for sandbox in ("native", "pyodide") for vendor in ("anthropic", "openai", "both")]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", nargs="+", choices=names, metavar="ROW", help=", ".join(names))
    parser.add_argument("--megabytes", type=float, default=1)
    parser.add_argument("--subqueries", type=int, default=32)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--loop", action="store_true", help="sub-queries one by one, in a loop")
    parser.add_argument("--wait", type=int, default=50, help="milliseconds that a reply takes")
    parser.add_argument("--growth", action="store_true", help="one row with more and more of each thing")
    options = parser.parse_args()
    options.rows = options.rows or (["native openai"] if options.growth else names)
    random.seed(1)
    service = Service(options.wait)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if options.growth:
                growing = dict(growing_cases(options, service, folder))
                found = compare(list(growing.values()), service, folder, options.rounds)
                table = render_growth(dict(zip(growing, found, strict=True)))
            else:
                make_text(folder / "made.txt", options.megabytes)
                rows = make_rows(options, folder / "made.txt", service.port, folder / "out")
                found = compare([(row, lambda: None) for row in rows], service, folder, options.rounds)
                table = render(rows, {row.name: figures for row, figures in zip(rows, found, strict=True)})
    finally:
        service.close()
    print("\n".join(table))


if __name__ == "__main__":
    main()
