"""The ink of characters in an RTF file: their size, their colour, and the ground behind them.

The ground may be a drawing, which has a size and a fill, and which text may flow around.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ralph_cli.documents.office.backdrops import is_backdrop
from ralph_cli.documents.office.xml_tree import number
from ralph_cli.documents.sight import CLIPPED, NOTHING, WHITE, Colours, is_flat

# Half-points: the size if the file sets none.
_USUAL_SIZE = 24

_SHADE = re.compile(r"(ch|(?:raw)?cl|tr|)(?:(cbpat|shading|shdng)|bg(?:dk)?(?:hori?z?|vert|[fb]diag|d?cross))(?:raw)?")

_OWNERS = {"ch": "characters", "": "paragraph", "tr": "row"}

_MEASURES = frozenset({"shpleft", "shptop", "shpright", "shpbottom", "shpwr"})
# Modes in which text flows around a shape (\shpwr): above and below, around, or tightly around it.
_KEEPING_AWAY = (1, 2, 4)

_LETTERS, _PICTURES = {"gtextUNICODE"}, {"pib", "pibName"}
_LONGEST = 20


@lru_cache(maxsize=1_024)
def read_shade(word: str) -> tuple[str, str]:
    """Return the owner of the shade that a word sets, and what it sets: "cbpat" is the colour, "" a pattern of lines.

    Return two empty strings if the word sets no shade.
    """
    match = _SHADE.fullmatch(word)
    return (_OWNERS.get(match[1], "cell"), match[2] or "") if match else ("", "")


@dataclass(frozen=True, slots=True)
class Shade:
    """The shade behind an object: the number of its colour, None if the file sets none.

    `is_pattern` means that it contains lines or dots of another colour; `is_sure`, that every program shows it.
    """

    back: int | None = None
    is_pattern: bool = False
    is_sure: bool = True

    def changed(self, word: str, number: int | None) -> "Shade":
        """Return the shade after a word that changes it."""
        what = read_shade(word)[1]
        if what == "cbpat":
            return replace(self, back=number or 0)
        return replace(self, is_pattern=bool(number) if what else True)


@dataclass(frozen=True, slots=True)
class Ink:
    """The size and colour of characters, and the shades behind them alone; `colour` is None if the file sets none."""

    size: int = _USUAL_SIZE
    colour: int | None = None
    highlight: int | None = None
    back: int | None = None
    shade: Shade = field(default_factory=Shade)

    def changed(self, word: str, number: int | None) -> "Ink":
        """Return the ink after a word of the file."""
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
        r"""The shades behind the characters alone, uppermost last. Word ignores \cb, other programs do not."""
        return [Shade(self.back, is_sure=False), self.shade, Shade(self.highlight)]


class Palette:
    """The colours of a file by their numbers; None is the automatic colour."""

    def __init__(self) -> None:
        self._colours: list[int | None] = []
        self._levels: dict[str, int] = {}

    def take_word(self, word: str, number: int | None) -> None:
        """Set a component of the current colour."""
        if word in ("red", "green", "blue"):
            self._levels[word] = min(max(number or 0, 0), 255)

    def end_colours(self, count: int) -> None:
        """End `count` colours."""
        for _ in range(count):
            levels = [self._levels.get(name, 0) for name in ("red", "green", "blue")]
            self._colours.append(levels[0] << 16 | levels[1] << 8 | levels[2] if self._levels else None)
            self._levels.clear()

    def colour(self, number: int | None) -> int | None:
        """Return a colour by its number. Programs differ on whether 0 may be other than the automatic colour."""
        return self._colours[number] if number is not None and 0 <= number < len(self._colours) else None

    def ground(self, paper: Colours, layers: Iterable[Shade]) -> Colours:
        """Return the possible colours behind text on `paper` with these layers, uppermost last."""
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
    """A drawing under construction: the numbers of its words, its settings, and whether a drawing in it is filled."""

    numbers: dict[str, int] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    name: str = ""
    has_filled: bool = False

    def take_word(self, word: str, value: int) -> None:
        """Store a word with its number; of the parts of an old drawing, keep the largest size and the darkest level."""
        if word in _MEASURES:
            self.numbers.setdefault(word, value)
        elif word in ("dpxsize", "dpysize", "dpfillpat"):
            self.numbers[word] = max(value, self.numbers.get(word, 0))
        elif word.startswith(("dpfillfg", "dpfillbg")):
            self.numbers["level"] = min(value, self.numbers.get("level", 255))

    def take_text(self, part: str, text: str) -> None:
        """Store the name of a setting ("sn"), or its value ("sv")."""
        if part == "sn":
            self.name = text[:_LONGEST]
            self.settings.setdefault(self.name, "")
        elif part == "sv":
            self.settings[self.name] = text[:_LONGEST]

    def fill(self) -> Colours:
        """Return its fill, no colour if it is not filled; letters drawn as a shape have no fill."""
        names, told = self.settings.keys(), self.numbers.get
        if self.has_filled or names & _PICTURES or (told("dpfillpat") and told("level", 0) < 255):
            return None
        if names & _LETTERS or self.settings.get("fFilled") == "0":
            return NOTHING
        if self.settings.get("fillType", "0") != "0":
            return None
        colour = number(self.settings.get("fillColor", ""), WHITE)  # the bytes are blue, green, red
        return frozenset({(colour & 255) << 16 | colour & 0xFF00 | colour >> 16 & 255})

    def ground(self) -> Colours:
        """Return the ground behind the text in it; None if unknown."""
        return self.fill() or None if "fillColor" in self.settings else None

    @property
    def flag(self) -> str:
        """Why nothing in it is seen: it has no size; "" if that is not so."""
        is_kept = "shpright" in self.numbers and self.settings.get("fFitShapeToText") != "1"
        return CLIPPED if is_kept and is_flat(*self._size()) else ""

    def is_backdrop(self, size: tuple[float, float]) -> bool:
        """Whether text may cover it and it has at least this size."""
        return self.numbers.get("shpwr") not in _KEEPING_AWAY and is_backdrop(self.fill(), self._size(), size)

    def _size(self) -> tuple[float, float]:
        """Return width and height in points."""
        told = self.numbers.get
        width = max(told("shpright", 0) - told("shpleft", 0), told("dpxsize", 0))
        return width / 20, max(told("shpbottom", 0) - told("shptop", 0), told("dpysize", 0)) / 20
