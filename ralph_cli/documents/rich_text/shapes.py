"""The drawings of an RTF file: their size, what they are filled with, and whether text keeps away from them."""

from dataclasses import dataclass, field

from ralph_cli.documents.office.backdrops import is_backdrop
from ralph_cli.documents.office.xml_tree import number
from ralph_cli.documents.sight import CLIPPED, NOTHING, WHITE, Colours, is_flat

_MEASURES = frozenset({"shpleft", "shptop", "shpright", "shpbottom", "shpwr"})
_KEEPING_AWAY = (1, 2, 4)
"""How text keeps away from a shape (\\shpwr): it stands above and below, around, or close around it."""

_LETTERS, _PICTURES = {"gtextUNICODE"}, {"pib", "pibName"}
_LONGEST = 20


@dataclass(slots=True)
class Shape:
    """A drawing while it is read: the numbers of its words, its settings, and whether one within it is filled."""

    numbers: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    name: str = ""
    has_filled: bool = False

    def take_word(self, word: str, value: int) -> None:
        """A word with its number; of the parts of an old drawing the largest and the darkest are kept."""
        if word in _MEASURES:
            self.numbers.setdefault(word, value)
        elif word in ("dpxsize", "dpysize", "dpfillpat"):
            self.numbers[word] = max(value, self.numbers.get(word, 0))
        elif word.startswith(("dpfillfg", "dpfillbg")):
            self.numbers["level"] = min(value, self.numbers.get("level", 255))

    def take_text(self, part: str, text: str) -> None:
        """The name of a setting ("sn"), or its value ("sv")."""
        if part == "sn":
            self.name = text[:_LONGEST]
            self.settings.setdefault(self.name, "")
        elif part == "sv":
            self.settings[self.name] = text[:_LONGEST]

    def fill(self) -> Colours:
        """What it is filled with, no colour if it is not; letters drawn as a shape have nothing behind."""
        names, told = self.settings.keys(), self.numbers.get
        if self.has_filled or names & _PICTURES or (told("dpfillpat") and told("level", 0) < 255):
            return None
        if names & _LETTERS or self.settings.get("fFilled") == "0":
            return NOTHING
        if self.settings.get("fillType", "0") != "0":
            return None
        colour = number(self.settings.get("fillColor", ""), WHITE)  # its bytes are blue, green and red
        return frozenset({(colour & 255) << 16 | colour & 0xFF00 | colour >> 16 & 255})

    def ground(self) -> Colours:
        """What is behind the text in it; None if that is not known."""
        return self.fill() or None if "fillColor" in self.settings else None

    @property
    def flag(self) -> str:
        """Why nothing in it is seen: it has no size; "" if nothing says so."""
        is_kept = "shpright" in self.numbers and self.settings.get("fFitShapeToText") != "1"
        return CLIPPED if is_kept and is_flat(*self._size()) else ""

    def is_backdrop(self, size: tuple[float, float]) -> bool:
        """Whether text may lie upon it, and it is at least this large."""
        return self.numbers.get("shpwr") not in _KEEPING_AWAY and is_backdrop(self.fill(), self._size(), size)

    def _size(self) -> tuple[float, float]:
        """Width and height in points."""
        told = self.numbers.get
        width = max(told("shpright", 0) - told("shpleft", 0), told("dpxsize", 0))
        return width / 20, max(told("shpbottom", 0) - told("shptop", 0), told("dpysize", 0)) / 20
