"""A program that answers as tesseract does, from what a test says that each picture shows."""

import sys
from pathlib import Path
from typing import NamedTuple

_PROGRAM = """#!{python} -I
import sys, time
from pathlib import Path
here = Path({folder!r})
if "--version" in sys.argv:
    print("tesseract {version}")
elif "--list-langs" in sys.argv:
    print('List of available languages in "' + str(here) + '/" (2):\\neng\\nosd')
else:
    data = sys.stdin.buffer.read()
    width, height = data.split(b" ", 3)[1:3]
    with open(here / "asked", "a") as asked:
        asked.write(" ".join(sys.argv[1:]) + "\\n")
    answer = here / f"{{int(width)}}.tsv"
    text = answer.read_bytes() if answer.exists() else b""
    if text == b"slow":
        time.sleep(60)
    sys.stdout.buffer.write(text)
    sys.exit(text == b"")
"""
_HEAD = "level page block par line word left top width height conf text".replace(" ", "\t") + "\n"
LETTER = 11
"""Pixels that a letter is wide in the pictures of a test."""


class Shown(NamedTuple):
    """A word in a picture, as high as a capital; its place is that of its lower left corner, in pixels from above."""

    text: str
    left: int
    foot: int
    confidence: float = 95.0


def as_tsv(*lines: list[Shown]) -> str:
    """Lines of words as tesseract prints them."""
    rows = []
    for number, line in enumerate(lines, 1):
        rows.append(f"4\t1\t1\t1\t{number}\t0\t0\t0\t0\t0\t-1\t\n")
        for place, (text, left, foot, confidence) in enumerate(line, 1):
            box = f"{left}\t{foot - 20}\t{LETTER * len(text)}\t20"
            rows.append(f"5\t1\t1\t1\t{number}\t{place}\t{box}\t{confidence}\t{text}\n")
    return _HEAD + "".join(rows)


class FakeTesseract:
    """The program in a folder; what a picture of a certain width shows is told with `shows`.

    On a picture of which nothing is told it fails, and on one that shows "slow" it takes a minute.
    """

    def __init__(self, folder: Path, version: str = "5.9.1") -> None:
        self.folder, self.program = folder, folder / "tesseract"
        folder.mkdir(exist_ok=True)
        (folder / "eng.traineddata").write_bytes(b"letters")
        self.program.write_text(_PROGRAM.format(python=sys.executable, folder=str(folder), version=version))
        self.program.chmod(0o755)

    def shows(self, width: int, tsv: str) -> None:
        """What is read on each picture of this width."""
        (self.folder / f"{width}.tsv").write_text(tsv, "utf-8")

    @property
    def asked(self) -> list[str]:
        """The command lines with which pictures were given to it."""
        path = self.folder / "asked"
        return path.read_text().splitlines() if path.exists() else []
