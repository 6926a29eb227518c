"""Whether characters of an RTF file are seen: their size, their colour, and what is behind them."""

from collections.abc import Iterable
from dataclasses import field, replace

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.hidden_reasons import COLOUR, TINY
from ralph_cli.documents.office.sight import WHITE, Colours, is_doubtful, is_lost, is_tiny

_USUAL_SIZE = 24
"""Half-points, where the file names no size."""

_PATTERNS = ("horiz", "hor", "vert", "fdiag", "bdiag", "cross", "dcross")


@dataclass(frozen=True, slots=True)
class Shade:
    """What is behind something: the number of its colour, None where the file names none.

    `is_pattern` says that lines or dots of another colour are in it; `is_sure`, that every program shows it.
    """

    back: int | None = None
    is_pattern: bool = False
    is_sure: bool = True

    def changed(self, word: str, number: int | None) -> "Shade":
        """What it is with a word of `SHADES`."""
        match SHADES[word][1]:
            case "back":
                return replace(self, back=number or 0)
            case "share":
                return replace(self, is_pattern=bool(number))
        return replace(self, is_pattern=True)


def _shade_words(owner: str, start: str, share: str, suffix: str = "") -> dict[str, tuple[str, str]]:
    """The words that say what is behind an `owner`, each with what it says."""
    lines = [f"{start}bg{dark}{name}" for dark in ("", "dk") for name in _PATTERNS]
    words = {f"{start}cbpat{suffix}": "back", f"{share}{suffix}": "share", **dict.fromkeys(lines, "pattern")}
    return {word: (owner, what) for word, what in words.items()}


SHADES = {
    **_shade_words("characters", "ch", "chshdng"),
    **_shade_words("paragraph", "", "shading"),
    **_shade_words("cell", "cl", "clshdng"),
    **_shade_words("cell", "cl", "clshdng", "raw"),
    **_shade_words("cell", "rawcl", "clshdngraw"),
    **_shade_words("row", "tr", "trshdng"),
}
"""The words of shades: of what they are the shade, and what they say of it."""


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
            case _ if SHADES.get(word, ("",))[0] == "characters":
                return replace(self, shade=self.shade.changed(word, number))
        return self

    @property
    def is_usual(self) -> bool:
        """Whether characters are seen whatever is behind them."""
        return self.colour is None and not is_tiny(self.size / 2)

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

    def look(self, ink: Ink, layers: list[Shade] | None) -> tuple[str, bool]:
        """Why characters are not seen, "" if they are, and whether that is not known; `layers` as in `_behind`."""
        if is_tiny(ink.size / 2):
            return TINY, False
        colour = self._colour(ink.colour)
        behind = None if layers is None or ink.colour == 0 else self._behind(layers)
        return (COLOUR, False) if is_lost(colour, behind) else ("", is_doubtful(colour, behind))

    def _behind(self, layers: Iterable[Shade]) -> Colours:
        """What may be behind text on paper with these layers over it, the uppermost last."""
        behind: Colours = frozenset({WHITE})
        for layer in layers:
            colour = self._colour(layer.back)
            if layer.is_pattern or (colour is not None and layer.back == 0):
                behind = None
            elif colour is not None:
                beneath = frozenset[int]() if layer.is_sure else behind
                behind = None if beneath is None else beneath | {colour}
        return behind

    def _colour(self, number: int | None) -> int | None:
        """A colour by its number. Programs differ in whether 0 may be another than their own choice."""
        return self._colours[number] if number is not None and 0 <= number < len(self._colours) else None
