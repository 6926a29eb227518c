"""How long it takes to find again what was shown of a long document, and how much of it is found.

python tests/bench/coverage.py [DOCUMENT]
"""

import random
import sys
import time
from pathlib import Path

from ralph_cli.core.coverage import count_covered
from ralph_cli.documents.source import DocumentSource
from ralph_cli.rlm.shown import ShownTextFinder

CHARACTERS, OUTPUT, ROUNDS, SEED = 1_000_000, 2_000, 400, 7
WORDS = ["rent", "tenant", "lease", "hall", "notice", "party", "year", "term", "option", "charge", "deposit", "index"]


def made(chance: random.Random) -> str:
    """A text of so many characters, in lines of words that differ."""
    lines, size = [], 0
    while size < CHARACTERS:
        line = " ".join(f"{chance.choice(WORDS)} {chance.randrange(10_000)}" for _ in range(8))
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


def main(path: str | None) -> None:
    """Print milliseconds for the index, for outputs of 2,000 characters, and for a sub-query of 100,000."""
    chance = random.Random(SEED)
    text = DocumentSource.of(path).load().text if path else made(chance)
    finder = ShownTextFinder(text)
    begun = time.perf_counter()
    finder.find_spans("nothing of it, and nothing else of it either")
    print(f"{len(text):,} characters; index {1000 * (time.perf_counter() - begun):.0f} ms, seed {SEED}")
    kinds = {
        "a slice": lambda at: text[at : at + OUTPUT],
        "lines with a prefix": lambda at: "\n".join(f"> {line}" for line in text[at : at + OUTPUT].split("\n")),
        "33 pieces of 60": lambda at: "\n".join(
            f"{n}: {text[k : k + 60]}" for n in range(33) for k in [chance.randrange(len(text) - 60)]
        ),
        "nothing of it": lambda at: "".join(chance.choices("abcdefgh ijklmnop", k=OUTPUT)),
    }
    for name, make in kinds.items():
        times, shares = [], []
        for _ in range(ROUNDS):
            at = chance.randrange(len(text) - OUTPUT)
            output = make(at)
            begun = time.perf_counter()
            spans = finder.find_spans(output)
            times.append(1000 * (time.perf_counter() - begun))
            shares.append(count_covered(spans, 0, len(text)) / OUTPUT)
        times.sort()
        mean, most = sum(times) / ROUNDS, times[int(ROUNDS * 0.99)]
        print(f"{name}: {mean:.2f} ms, 99 of 100 within {most:.2f} ms; found {sum(shares) / ROUNDS:.1%} of it")
    part = text[len(text) // 3 :][:100_000]
    for name, query in (("exact", part), ("spaces collapsed", " ".join(part.split()))):
        begun = time.perf_counter()
        finder.find_spans(query)
        print(f"sub-query of {len(query):,} characters, {name}: {1000 * (time.perf_counter() - begun):.1f} ms")


if __name__ == "__main__":
    main(str(Path(sys.argv[1])) if len(sys.argv) > 1 else None)
