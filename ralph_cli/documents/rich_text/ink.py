"""How characters of an RTF file are inked: their size, their colour, and what is behind them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ralph_cli.documents.sight import Colours

_USUAL_SIZE = 24
"""Half-points, where the file names no size."""

_SHADE = re.compile(r"(ch|(?:raw)?cl|tr|)(?:(cbpat|shading|shdng)|bg(?:dk)?(?:hori?z?|vert|[fb]diag|d?cross))(?:raw)?")

_OWNERS = {"ch": "characters", "": "paragraph", "tr": "row"}


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
