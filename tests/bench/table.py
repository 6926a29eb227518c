"""How fast a table is filled by models that take their time: on one machine, and by 1, 2 and 4 workers.

python tests/bench/table.py [--documents 100] [--questions 20] [--seconds 0.2] [--jobs 4] [--workers 0 1 2 4]

Two models are asked for each cell, a worker and a judge, each of which takes so many seconds. Of each way it says cells
a second, the CPU of our own processes for each cell (workers, submitter, not the database), the most memory that one of
them had, and the size of table and store. 0 workers are one machine without a database. The best that can be had is
(workers x jobs) / (2 x seconds) cells a second. Needs PostgreSQL and the extra [cluster].
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "cluster")]

from contracts import write_contracts  # noqa: E402
from postgres import Postgres  # noqa: E402


def start(*arguments: object) -> "subprocess.Popen[bytes]":
    """Start one of the programs of the tests."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    program = ROOT / "tests" / "cluster" / "contracts.py"
    return subprocess.Popen([sys.executable, str(program), *map(str, arguments)], env=environment)


def cpu_and_memory(process: int) -> tuple[float, int]:
    """Seconds of CPU of a living process, and the most MiB that it had. Linux only."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{process}/status").read_text()
    # A process that has just ended has no memory any more.
    peak = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), peak >> 10


def size_of(folder: Path) -> float:
    """Megabytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure(workers: int, given: argparse.Namespace, server: Postgres) -> None:
    """Fill a table in one way, and print a line of it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        documents = write_contracts(folder / "contracts", given.documents)
        store, table, log = folder / "store", folder / "table", folder / "log"
        at_work = [
            start(
                "worker",
                server.url,
                store,
                f"w{workers}-{number}",
                folder / f"w{number}",
                log,
                given.seconds,
                given.jobs,
            )
            for number in range(workers)
        ]
        time.sleep(10 if workers else 0)  # they begin: a second or two on a machine that has nothing else to do
        before = sum(cpu_and_memory(process.pid)[0] for process in at_work)
        begun = time.monotonic()
        if workers:
            main = start("submit", server.url, store, table, documents, given.questions)
        else:
            main = start("alone", table, documents, given.seconds, given.jobs, given.questions)
        cpu, memory = 0.0, 0
        while main.poll() is None:
            seen = [cpu_and_memory(process.pid) for process in (main, *at_work)]
            cpu, memory = sum(item[0] for item in seen) - before, max(item[1] for item in seen)
            time.sleep(0.05)
        seconds, cells = time.monotonic() - begun, given.documents * given.questions
        for process in at_work:
            process.kill()
            process.wait()
        print(
            f"{workers} workers: {cells} cells in {seconds:.1f} s, {cells / seconds:.1f} a second, "
            f"{1000 * cpu / cells:.0f} ms of CPU a cell, {memory} MiB at most, "
            f"table {size_of(table):.1f} MB, store {size_of(store) if workers else 0:.1f} MB",
            flush=True,
        )


def main() -> None:
    """Measure all ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2, 4])
    given = parser.parse_args()
    server = Postgres().start()
    try:
        for workers in given.workers:
            measure(workers, given, server)
    finally:
        server.close()


if __name__ == "__main__":
    main()
