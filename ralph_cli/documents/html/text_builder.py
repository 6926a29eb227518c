"""The text of a page under construction: pieces with the white space between them, and places that outlive changes."""

from bisect import bisect_left
from dataclasses import field
from itertools import accumulate

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.text.raised import LOWERED, RAISED, write_fraction

SPACE, CELL, LINE, PARAGRAPH = 1, 2, 3, 4
SEPARATORS = ("", " ", "  ", "\n", "\n\n")

_WHITE_SPACE = re.compile("[ \t\r\n\f]+")
_BREAKS = re.compile("[ \t\r\f]*\n[ \t\r\f]*")
_FRACTION = re.compile(rf"(?:([{RAISED}]+)[\u2044/])?([{LOWERED}]+)")
_RAISED_END = re.compile(rf"([{RAISED}]+)[\u2044/]\Z")


@dataclass(slots=True)
class TextBuilder:
    """Text as separators and pieces in turns, and the strongest separator asked for since the last piece.

    A place is the index of a piece, not an offset: a piece that is changed later moves no place. `offsets` turns places
    into offsets once the text is complete.
    """

    parts: list[str] = field(default_factory=list)
    pending: int = 0
    prefix: str = ""
    """What the next piece begins with, such as the number of a list's item."""

    @property
    def place(self) -> int:
        """The place of the next piece."""
        return len(self.parts) + 1

    def separate(self, strength: int) -> None:
        """Ask for white space before the next piece."""
        self.pending = max(self.pending, strength)

    def write(self, piece: str) -> None:
        """Add a piece verbatim, after the separator due."""
        self.parts += (SEPARATORS[self.pending] if self.parts else "", self.prefix + piece)
        self.pending, self.prefix = 0, ""

    def write_running_text(self, text: str) -> None:
        """Add running text: white space collapses, text of nothing but no-break spaces only separates."""
        body = _WHITE_SPACE.sub(" ", text)
        stripped = body.strip(" ")
        if not stripped.strip("\xa0 "):
            if body:
                self.separate(SPACE)
            return
        if body[0] == " ":
            self.separate(SPACE)
        self.write(stripped)
        if body[-1] == " ":
            self.separate(SPACE)

    def write_preformatted(self, text: str) -> None:
        """Add preformatted text with its line ends and spaces."""
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
        body = text.rstrip("\n")
        if body:
            self.write(body)
        if body != text:
            self.separate(LINE if len(text) == len(body) + 1 else PARAGRAPH)

    def write_lines(self, text: str) -> None:
        """Add running text in which line ends are kept."""
        for index, line in enumerate(_BREAKS.split(text)):
            if index:
                self.separate(LINE)
            self.write_running_text(line)

    def write_lowered(self, text: str) -> None:
        """Add lowered text; raised figures and a slash before it are the rest of a fraction."""
        above = _RAISED_END.search("".join(self.parts[-3:])) if not self.pending else None
        if above is None or not _FRACTION.fullmatch(text):
            self.write_running_text(text)
            return
        self._take_back(len(above[0]))
        fraction = write_fraction(above[1], text)
        if len(fraction) > 1 and "".join(self.parts[-6:])[-1:].isdigit():
            fraction = f" {fraction}"
        self.write(fraction)

    def text(self) -> str:
        """All that was written."""
        return "".join(self.parts)

    def offsets(self) -> list[int]:
        """For each place the offset at which its piece begins."""
        return [0, *accumulate(map(len, self.parts))]

    def _take_back(self, count: int) -> None:
        """Remove the last characters, which may stand in several pieces."""
        ends = list(accumulate(len(part) for part in reversed(self.parts[-3:])))
        last = bisect_left(ends, count)
        for index in range(1, last + 1):
            count -= len(self.parts[-index])
            self.parts[-index] = ""
        if count:
            self.parts[-last - 1] = self.parts[-last - 1][:-count]
