"""JSON, one value or a value a line (jsonl), as text in which each value has a place: "/items/3/name"."""

from collections.abc import Iterator
from pathlib import PurePath

from ralph_cli.core.document import Caution
from ralph_cli.core.structure import NamedPlace
from ralph_cli.documents.data.json_scan import JsonScan, break_lines, is_json, write_out_escapes
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import MOST_PLACES, ParsedDocument, bound_places, clean_place
from ralph_cli.documents.plain.reader import read_plain_text

_LINES_SUFFIXES = frozenset([".jsonl", ".ndjson"])
_LONGEST_LINE = 2_000
_MOST_NAMED = 5


def parse_json(data: bytes, *, name: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """JSON as it is, but for the escapes of letters in its strings, which are written out; for a child process.

    A text with lines that are too long to be read gets a line for each value. What is no JSON is kept as it is, and a
    caution says from where on. Raises DocumentError as `read_plain_text` does.
    """
    text, cautions = read_plain_text(data, name=name, encoding=encoding, limits=limits)
    text = text.replace("\f", " ")
    by_line = PurePath(name).suffix.lower() in _LINES_SUFFIXES or _is_value_per_line(text)
    deepest = _deepest_place(text, by_line)
    layout = _JsonLayout(deepest)
    if by_line:
        layout.read_lines(text)
    else:
        layout.read_value(text)
    places, unnamed = bound_places(layout.places)
    found = [*cautions, *layout.cautions()]
    if unnamed or deepest is not None:
        found.append(Caution("places-dropped", f"so many values that places are those of whole records{unnamed}"))
    return plain_document([layout.text], found, places=places)


class _JsonLayout:
    """The text as it is shown, and the places in it."""

    def __init__(self, deepest: int | None) -> None:
        """Members below the depth `deepest` have no places of their own."""
        self.text = ""
        self.places: list[NamedPlace] = []
        self._deepest = deepest
        self._damage = ""
        self._repeated: list[str] = []

    def read_value(self, text: str) -> None:
        """Lay out one value."""
        self.text = write_out_escapes(text)
        if any(len(line) > _LONGEST_LINE for line in self.text.split("\n")) and is_json(self.text):
            self.text = break_lines(self.text)
        scan = self._scan(self.text, 0, "")
        if scan.damage is not None:
            line = self.text.count("\n", 0, scan.damage) + 1
            column = scan.damage - self.text.rfind("\n", 0, scan.damage)
            what = "nested too deeply" if scan.too_deep else "no valid JSON"
            self._damage = f"{what} from line {line:,}, column {column:,}"
            self.places.append(NamedPlace(scan.damage, f"line {line} or behind it, where it is {what}"))

    def read_lines(self, text: str) -> None:
        """Lay out a value a line."""
        shown: list[str] = []
        at = broken = 0
        for number, line in enumerate(text.split("\n"), 1):
            written = write_out_escapes(line)
            if len(written) > _LONGEST_LINE and is_json(written):
                written = break_lines(written)
            if written.strip():
                self._add_place(at, f"line {number}")
                count = len(self.places)
                if self._scan(written, at, f"line {number}, ").damage is not None:
                    broken += 1
                    self._damage = self._damage or f"no valid JSON in line {number:,}"
                    del self.places[count:]
            shown.append(written)
            at += len(written) + 1
        self._damage += f" and {broken - 1:,} more" if broken > 1 else ""
        self.text = "\n".join(shown)

    def cautions(self) -> Iterator[Caution]:
        """What is wrong with the text as JSON."""
        if self._damage:
            yield Caution("incomplete", f"{self._damage}: the file may be cut off or damaged")
        if self._repeated:
            named = ", ".join(clean_place(pointer) for pointer in self._repeated[:_MOST_NAMED])
            more = len(self._repeated) - _MOST_NAMED
            what = f"names that stand twice in one object, of which programs read only one: {named}"
            yield Caution("repeated-names", f"{what} and {more:,} more" if more > 0 else what)

    def _scan(self, text: str, start: int, before: str) -> JsonScan:
        scan = JsonScan(text, self._deepest)
        for at, pointer in scan.members():
            self._add_place(start + at, f"{before}{pointer}")
        self._repeated += scan.repeated
        return scan

    def _add_place(self, at: int, name: str) -> None:
        if len(self.places) <= MOST_PLACES:
            self.places.append(NamedPlace(at, clean_place(name)))


def _deepest_place(text: str, by_line: bool) -> int | None:
    """Down to which depth members have places: all, or in a text of very many values its records only."""
    if sum(map(text.count, ",[{")) <= MOST_PLACES:
        return None
    return 0 if by_line else 1 if text.lstrip(" \t\n")[:1] == "[" else 2


def _is_value_per_line(text: str) -> bool:
    """Whether the first line is a whole value, and something stands behind it."""
    first, _, rest = text.lstrip("\n").partition("\n")
    return bool(rest.strip()) and first.strip()[:1] in ("{", "[") and is_json(first)
