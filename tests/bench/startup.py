"""CPU seconds of short commands and of an offline question, as ratios to an empty program, in interleaved rounds.

    python tests/bench/startup.py [ROUNDS]

Byte code is warm from the second round on; the first is not counted.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

SAMPLES = Path(__file__).parents[2] / "samples"
RALPH = [sys.executable, "-m", "ralph_cli"]


def cpu_seconds(command: list[str]) -> float:
    """User and system seconds of a whole process and the children it waited for."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=kept)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 2, 3):
        raise SystemExit(f"{command} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as out:
        memo = Path(out, "memo.md")
        memo.write_text('The contract says "within thirty days".\n')
        contract = str(SAMPLES / "contract.md")
        question = ["qa", contract, "When are invoices due?", "--out", f"{out}/other", "--sandbox"]
        for _ in range(3):
            cpu_seconds([*RALPH, *question, "native", "--out", out])
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "import typer": [sys.executable, "-c", "import typer"],
            "import ralph_cli.api": [sys.executable, "-c", "import ralph_cli.api"],
            "ralph --help": [*RALPH, "--help"],
            "ralph trace list": [*RALPH, "trace", "list", "--out", out],
            "ralph qa --help": [*RALPH, "qa", "--help"],
            "ralph check": [*RALPH, "check", str(memo), "--doc", contract],
            "ralph qa, native": [*RALPH, *question, "native"],
            "ralph qa, pyodide": [*RALPH, *question, "pyodide"],
        }
        seen: dict[str, list[float]] = {name: [] for name in commands}
        for number in range(rounds + 1):
            for name, command in commands.items():
                took = cpu_seconds(command)
                if number:
                    seen[name].append(took)
    base = median(seen["python -c pass"])
    for name, values in seen.items():
        print(f"{name:20} {median(values):6.3f} s CPU   {median(values) / base:6.1f} x   (of {len(values)})")


if __name__ == "__main__":
    main()
