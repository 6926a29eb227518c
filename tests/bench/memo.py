"""Are planted faults of a memo found, and how long does `ralph check` take, as a whole process?

    python tests/bench/memo.py DOCUMENT... [--memos N] [--seed S]

For each document N memos are made, each with twenty true quotations and twenty faults of different kinds (see
`tests/support/planted.py`), and checked. Prints faults missed, faults invented, and the wall and processor time of the
command with an empty cache of texts and with a filled one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from planted import Planted, planted

from ralph_cli.documents.source import DocumentSource


def checked(memo: Path, document: str, cache: str) -> tuple[dict[str, object], float, float]:
    """What `ralph check --json` said, and the wall and processor seconds it took, children included."""
    environment = {**os.environ, "RALPH_CACHE_DIR": cache}
    before, begun = os.times(), time.perf_counter()
    # The generator quotes whatever the text layer has, and filings have lines in it that nobody sees.
    command = [sys.executable, "-m", "ralph_cli", "check", str(memo), "--doc", document, "--allow-hidden-text"]
    command += ["--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    wall, after = time.perf_counter() - begun, os.times()
    if done.returncode not in (0, 2):
        raise SystemExit(done.stderr)
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), wall, spent


def faults(told: dict[str, object], made: Planted) -> set[int]:
    """The lines of the memo's items that were found wrong."""
    quotations = [*told["quotations"], *told["terms"]]  # type: ignore[misc]
    lines = [one["line"] for one in quotations if not one["holds"]]
    lines += [one["line"] for one in told["pages_past_the_end"]]  # type: ignore[attr-defined]
    return {max(at for at in made.kinds if at <= line) for line in lines}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="+")
    parser.add_argument("--memos", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for name in options.documents:
        document = DocumentSource.of(name).load()
        planted_faults = found = invented = 0
        cold, warm = [], []
        for seed in range(options.seed, options.seed + options.memos):
            made = planted(document, seed)
            with tempfile.TemporaryDirectory() as folder:
                memo = Path(folder, "memo.md")
                memo.write_text(made.memo, "utf-8")
                cold.append(checked(memo, name, folder)[1:])
                told, *times = checked(memo, name, folder)
                warm.append(tuple(times))
            wrong = faults(told, made)
            planted_faults += len(made.false)
            found += len(wrong & made.false)
            invented += len(wrong - made.false)
            for line in sorted(wrong ^ made.false):
                print(f"  seed {seed}: {'invented' if line in wrong else 'missed'}: {made.kinds[line]} (line {line})")
        times = ", ".join(
            f"{label} {median(one[0] for one in runs):.2f} s (worst {max(one[0] for one in runs):.2f}, "
            f"processor {median(one[1] for one in runs):.2f})"
            for label, runs in (("cold", cold), ("warm", warm))
        )
        print(f"{Path(name).name}: {len(document.pages)} pages, {len(document.text):,} characters")
        print(f"  {found} of {planted_faults} faults found, {invented} invented; {times}")


if __name__ == "__main__":
    main()
