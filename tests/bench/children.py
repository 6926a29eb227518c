"""What child workers cost beside the model: so many side by side over one long text, with scripted replies.

    python tests/bench/children.py [--children 0 1 8 32] [--megabytes 3] [--sandbox pyodide]

Each count is a process of its own. The worker hands each of so many equal parts of the text to a child, which searches
it, prints what it found and hands in a quote; each reply takes 50 ms. CPU is that of ralph and of all sandboxes; memory
is the most that they had resident together, what two of them share counted once (PSS).
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from ralph_cli.api import ask
from ralph_cli.config import load_settings
from ralph_cli.core.model import Reply, Request, ToolTurn
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply

FILLER = "The parties have agreed on nothing else in this part of the lease.\n"
ASK = """
size = len(context) // {count}
found = rlm_query_batched([("What is the rent?", context[n * size : (n + 1) * size]) for n in range({count})])
print(sum(len(one) for one in found))
print([line for line in context[:{size}].splitlines() if "a rent of" in line])"""
LOOK = """print([line for line in context[:{size}].splitlines() if "a rent of" in line])"""


def make_text(count: int, characters: int) -> str:
    """A text of equal parts, each of which says once what rent is paid."""
    lines = characters // max(count, 1) // len(FILLER) // 2
    rent = "The tenant of unit {:03} pays a rent of ${:03},000 a year.\n"
    return "".join(FILLER * lines + rent.format(n, n) + FILLER * lines for n in range(max(count, 1)))


def run(count: int, characters: int, sandbox: str, folder: Path) -> None:
    """One run in this process; prints its seconds, CPU and calls."""
    source = folder / "lease.txt"
    source.write_text(make_text(count, characters))
    quote = "The tenant of unit 000 pays a rent of $000,000 a year."

    def worker(request: Request) -> Reply:
        time.sleep(0.05)
        if request.branch:
            if not isinstance(request.turns[-1], ToolTurn):
                return tool_reply({"code": "find('a rent of')"})
            printed = request.turns[-1].results[0][1]
            line = next(line for line in printed.splitlines() if "a rent of" in line)
            return tool_reply(
                {"claims": [{"text": "A rent is paid.", "quotes": [line[line.index("The tenant") :].strip()]}]}
            )
        if isinstance(request.turns[-1], ToolTurn):
            return tool_reply({"claims": [{"text": "A rent is paid.", "quotes": [quote]}]})
        size = characters // max(count, 1) + 1_000
        return tool_reply({"code": (ASK if count else LOOK).format(count=count, size=size)})

    verdict = {"verdicts": [{"id": 1, "verdict": "supported", "reason": "it says so"}]}
    judge = ScriptedModel(lambda request: text_reply(json.dumps(verdict)), vendor="b")
    models = {"worker": ScriptedModel(worker, vendor="a"), "judge": judge, "subquery": ScriptedModel([], vendor="a")}
    chosen = {"out": str(folder / "out"), "sandbox": sandbox, "strategy": "rlm", "max_calls": 1_000}
    begun = time.perf_counter()
    done = ask(source, "What rent is paid?", settings=load_settings(chosen), models=models)
    seconds = time.perf_counter() - begun
    assert done.ok, done.stop
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(json.dumps([seconds, sum(one.ru_utime + one.ru_stime for one in used), done.usage.calls]))


def resident(pid: int) -> int:
    """Megabytes of a process and of all below it, what they share counted once."""
    found = 0
    for task in [pid]:
        try:
            lines = Path(f"/proc/{task}/smaps_rollup").read_text().splitlines()
            found += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            below = Path(f"/proc/{task}/task").glob("*/children")
            found += 1024 * sum(resident(int(child)) for file in below for child in file.read_text().split())
        except OSError:
            continue
    return found // 1024


def measure(count: int, megabytes: float, sandbox: str) -> None:
    """Prints a row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        mine = [
            sys.executable,
            __file__,
            "--run",
            str(count),
            "--megabytes",
            str(megabytes),
            "--sandbox",
            sandbox,
            folder,
        ]
        process = subprocess.Popen(mine, stdout=subprocess.PIPE, text=True)
        most = 0

        def watch() -> None:
            nonlocal most
            while process.poll() is None:
                most = max(most, resident(process.pid))
                time.sleep(0.1)

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        out, _ = process.communicate()
        seconds, cpu, calls = json.loads(out.splitlines()[-1])
        print(f"{count:>8}  {seconds:>8.1f}  {cpu:>8.1f}  {most:>8,}  {calls:>6}", flush=True)


def main() -> None:
    """The table, or one run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--children", type=int, nargs="+", default=[0, 1, 8, 32])
    parser.add_argument("--megabytes", type=float, default=3)
    parser.add_argument("--sandbox", default="pyodide")
    parser.add_argument("--run", type=int)
    parser.add_argument("folder", nargs="?")
    given = parser.parse_args()
    if given.run is not None:
        run(given.run, int(given.megabytes * 1e6), given.sandbox, Path(given.folder))
        return
    print("children   seconds     CPU s  MB (PSS)   calls")
    for count in given.children:
        measure(count, given.megabytes, given.sandbox)


if __name__ == "__main__":
    main()
