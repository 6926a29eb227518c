"""How characters of an RTF file are inked: their size, their colour, and what is behind them.

That may be a drawing: it has a size and a fill, and text may keep away from it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ralph_cli.documents.office.backdrops import is_backdrop
from ralph_cli.documents.office.xml_tree import number
from ralph_cli.documents.sight import CLIPPED, NOTHING, WHITE, Colours, is_flat

# Half-points, where the file names no size.
_USUAL_SIZE = 24

_SHADE = re.compile(r"(ch|(?:raw)?cl|tr|)(?:(cbpat|shading|shdng)|bg(?:dk)?(?:hori?z?|vert|[fb]diag|d?cross))(?:raw)?")

_OWNERS = {"ch": "characters", "": "paragraph", "tr": "row"}

_MEASURES = frozenset({"shpleft", "shptop", "shpright", "shpbottom", "shpwr"})
# How text keeps away from a shape (\shpwr): it stands above and below, around, or close around it.
_KEEPING_AWAY = (1, 2, 4)

_LETTERS, _PICTURES = {"gtextUNICODE"}, {"pib", "pibName"}
_LONGEST = 20


@lru_cache(maxsize=1_024)
def read_shade(word: str) -> tuple[str, str]:
    """Of what a word of the file says the shade, and what it says: "cbpat" its colour, "" that it is of lines.

    Nothing if it says no shade.
    """
    match = _SHADE.fullmatch(word)
    return (_OWNERS.get(match[1], "cell"), match[2] or "") if match else ("", "")


@dataclass(frozen=True, slots=True)
class Shade:
    """What is behind something: the number of its colour, None where the file names none.

    `is_pattern` says that lines or dots of another colour are in it; `is_sure`, that every program shows it.
    """

    back: int | None = None
    is_pattern: bool = False
    is_sure: bool = True

    def changed(self, word: str, number: int | None) -> "Shade":
        """What it is with a word that says something of it."""
        what = read_shade(word)[1]
        if what == "cbpat":
            return replace(self, back=number or 0)
        return replace(self, is_pattern=bool(number) if what else True)


@dataclass(frozen=True, slots=True)
class Ink:
    """Size and colour of characters, and what is behind them alone. `colour` is None where the file names none."""

    size: int = _USUAL_SIZE
    colour: int | None = None
    highlight: int | None = None
    back: int | None = None
    shade: Shade = field(default_factory=Shade)

    def changed(self, word: str, number: int | None) -> "Ink":
        """What it is with a word of the file."""
        match word:
            case "fs":
                return replace(self, size=number or _USUAL_SIZE)
            case "cf":
                return replace(self, colour=number or 0)
            case "highlight":
                return replace(self, highlight=number or 0)
            case "cb":
                return replace(self, back=number or 0)
            case _ if read_shade(word)[0] == "characters":
                return replace(self, shade=self.shade.changed(word, number))
        return self

    @property
    def shades(self) -> list[Shade]:
        """What is behind the characters alone, the uppermost last. Word knows no \\cb, other programs do."""
        return [Shade(self.back, is_sure=False), self.shade, Shade(self.highlight)]


class Palette:
    """The colours of a file by their numbers; None is the one that the program chooses."""

    def __init__(self) -> None:
        self._colours: list[int | None] = []
        self._levels: dict[str, int] = {}

    def take_word(self, word: str, number: int | None) -> None:
        """A level of the colour that is being told."""
        if word in ("red", "green", "blue"):
            self._levels[word] = min(max(number or 0, 0), 255)

    def end_colours(self, count: int) -> None:
        """So many colours end."""
        for _ in range(count):
            levels = [self._levels.get(name, 0) for name in ("red", "green", "blue")]
            self._colours.append(levels[0] << 16 | levels[1] << 8 | levels[2] if self._levels else None)
            self._levels.clear()

    def colour(self, number: int | None) -> int | None:
        """A colour by its number. Programs differ in whether 0 may be another than their own choice."""
        return self._colours[number] if number is not None and 0 <= number < len(self._colours) else None

    def ground(self, paper: Colours, layers: Iterable[Shade]) -> Colours:
        """What may be behind text on some paper with these layers over it, the uppermost last."""
        behind = paper
        for layer in layers:
            colour = self.colour(layer.back)
            if layer.is_pattern or (colour is not None and layer.back == 0):
                behind = None
            elif colour is not None:
                beneath = frozenset[int]() if layer.is_sure else behind
                behind = None if beneath is None else beneath | {colour}
        return behind


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
