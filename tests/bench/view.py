"""How `ralph view` bears a table of 10,000 cells and a folder of 2,000 runs, in a real browser.

python tests/bench/view.py [--documents 500] [--questions 20] [--runs 2000] [--keep FOLDER]

Says how long the server took to tell the first and the last row, when the page was opened first and again, the longest
task in the browser meanwhile, when scrolling, and when typing in the search, and the memory of both. Of a task it says
how long it took by the clock, and how much CPU: on a machine that has other work only the latter means anything. The
runs of one
document are made by scripted models; those of all others are the same with another document, by the journal's own
writer. Needs the extra [view], Playwright's Python package and Debian's chromium.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "cluster")]

from contracts import questions, scripted_models, write_contracts  # noqa: E402

from ralph_cli import api  # noqa: E402
from ralph_cli.config import Settings  # noqa: E402
from ralph_cli.core.events import RunStarted  # noqa: E402
from ralph_cli.core.results.table import TableRow  # noqa: E402
from ralph_cli.journal.store import JournalRow, read_rows, write_journal  # noqa: E402
from ralph_cli.runs.history import run_names  # noqa: E402
from ralph_cli.table.record import open_table  # noqa: E402

TRACED = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]

WATCH = """
window.longest = 0; window.first = 0; window.total = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    window.longest = Math.max(window.longest, entry.duration); window.total += entry.duration;
  }
}).observe({ type: "longtask", buffered: true });
"""

SCROLL = """async () => {
  const place = document.getElementById("grid") ?? document.scrollingElement;
  for (let step = 0; step < 120; step += 1) {
    place.scrollTop += place.scrollHeight / 120;
    if (step % 10 === 0) place.scrollLeft += 400;
    await new Promise((done) => requestAnimationFrame(done));
  }
}"""


def write_runs(folder: Path, documents: int, asked: int, runs: int) -> None:
    """A folder `out` with a table of so many documents and questions, and so many runs beside it."""
    settings = Settings(out=folder / "out", max_cost="none")
    given, table = questions(asked), folder / "out" / "table"
    first = write_contracts(folder / "first", 1)
    api.make_table(given, str(first), folder=table, settings=settings, models=scripted_models(), jobs=1)
    record = open_table(table)
    (row,) = record.rows
    own = record.runs_of(row.sha256)
    patterns = [list(read_rows(own / name)) for name in run_names(own)]
    rows = [row]
    for number, path in enumerate(sorted(write_contracts(folder / "contracts", documents).iterdir())[1:], 1):
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        rows.append(TableRow(name=path.name, path=str(path), sha256=sha256, kind=row.kind, pages=1, characters=1_000))
        target = record.runs_of(sha256)
        target.mkdir(parents=True)
        for place, pattern in enumerate(patterns):
            _copy(pattern, target / f"20260101-{number:04}-{place:02}", sha256, str(path))
    replace(record, rows=tuple(rows)).write()
    for number in range(runs):
        name = f"20260102-{number:05}"
        _copy(patterns[number % len(patterns)], folder / "out" / name, row.sha256, str(first / "c0000.txt"))


def _copy(pattern: list[JournalRow], folder: Path, sha256: str, path: str) -> None:
    def move(row: JournalRow) -> JournalRow:
        if not isinstance(row.event, RunStarted):
            return row
        document = {**row.event.document, "sha256": sha256, "path": path}
        return replace(row, event=replace(row.event, run=folder.name, document=document))

    write_journal(folder, map(move, pattern))


@contextmanager
def serving(out: Path) -> Iterator[tuple[str, int]]:
    """The address of `ralph view` on a folder, and its process."""
    command = [sys.executable, "-m", "ralph_cli", "view", str(out), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        try:
            assert server.stdout is not None
            yield server.stdout.readline().strip(), server.pid
        finally:
            server.kill()


def memory_of(process: int) -> int:
    """The most MiB that a process had. Linux only."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0) >> 10


def cpu_of(process: int) -> float:
    """Seconds of CPU of a process. Linux only."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def _wait_for(page: Any, condition: str, begun: float) -> float:
    """Seconds until something is true in the page, whose policy admits no code that is a text."""
    while not page.evaluate(f"!!({condition})"):
        page.wait_for_timeout(100)
    return time.monotonic() - begun


@contextmanager
def tracing(page: Any, what: str) -> Iterator[None]:
    """Print the longest task of the page's main thread meanwhile."""
    browser = page.context.browser
    page.evaluate("window.longest = 0")
    browser.start_tracing(page=page, categories=TRACED)
    yield
    events = json.loads(browser.stop_tracing())["traceEvents"]
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"].get("name") == "CrRendererMain"
    }
    tasks = [event for event in events if event["name"] == "RunTask" and (event["pid"], event["tid"]) in mains]
    by_cpu = max(event.get("tdur", 0) for event in tasks) / 1000
    longest = page.evaluate("window.longest")
    print(f"  {what}: longest task {longest:.0f} ms by the clock (0: none over 50), {by_cpu:.0f} ms of CPU", flush=True)


def measure(page: Any, address: str, server: int, is_first: str, is_whole: str) -> None:
    """Open a page twice, scroll and type in it; print what it took."""
    for what in ("opened first", "opened again"):
        before, begun = cpu_of(server), time.monotonic()
        page.goto(address)
        first, whole = (_wait_for(page, condition, begun) for condition in (is_first, is_whole))
        longest, total = page.evaluate("[window.longest, window.total]")
        print(
            f"  {what}: first rows {first:.2f} s, all {whole:.1f} s ({cpu_of(server) - before:.1f} s of CPU of the "
            f"server); longest task {longest:.0f} ms, long tasks in all {total:.0f} ms",
            flush=True,
        )
    page.wait_for_timeout(1500)
    with tracing(page, "scrolling"):
        page.evaluate(SCROLL)
        page.wait_for_timeout(500)
    page.focus("#search")
    with tracing(page, "typing"):
        for word in ("contract", "entry fee eur 7", "c0042"):
            page.keyboard.type(word, delay=60)
            for _ in word:
                page.keyboard.press("Backspace")
        page.wait_for_timeout(500)
    heap = page.evaluate("performance.memory.usedJSHeapSize") / 1e6
    nodes = page.evaluate("document.getElementsByTagName('*').length")
    print(f"  {nodes} elements, JavaScript heap {heap:.0f} MB, server {memory_of(server)} MiB at most", flush=True)


def main() -> None:
    """Measure both pages."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--only", choices=("table", "runs"), help="one of the two pages")
    parser.add_argument("--keep", type=Path, help="a folder that is filled once, and used again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = given.keep or Path(temporary)
        if not (folder / "made").exists():
            write_runs(folder, given.documents, given.questions, given.runs)
            (folder / "made").write_text(json.dumps(vars(given), default=str))
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        with serving(folder / "out") as (address, server):
            page = browser.new_page(viewport={"width": 1360, "height": 850})
            page.add_init_script(WATCH)
            if given.only != "runs":
                print(f"{given.documents} documents x {given.questions} questions")
                whole = f"document.getElementById('grid').dataset.filled == {given.documents}"
                measure(page, f"{address}tables/table", server, "document.querySelector('#rows [data-path]')", whole)
            if given.only != "table":
                print(f"{given.runs} runs")
                whole = f"document.getElementById('runs').dataset.filled == {given.runs}"
                measure(page, address, server, "document.querySelector('#runs li')", whole)
        browser.close()


if __name__ == "__main__":
    main()
