"""Drawings of an RTF file that its text may lie upon: pictures and filled shapes from which text does not keep away."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import field, replace

from ralph_cli.core.deferred import re
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.office.backdrops import LINE_SIZE, PAGE_SIZE, find_beside
from ralph_cli.documents.office.sight import WHITE
from ralph_cli.documents.office.xml_tree import number
from ralph_cli.documents.rich_text.tokens import DEEPEST, Token, read_tokens
from ralph_cli.documents.rich_text.words import HEADS, is_skipped

_DRAWING = re.compile(r"\\(?:shpinst|do)(?![a-z])")
_ENDS = frozenset({"par", "sect", "cell", "nestcell"})
_BREAKS = frozenset({"page", "softpage", "pagebb"})
_MEASURES = frozenset({"shpleft", "shptop", "shpright", "shpbottom", "shpwr"})
_IN_SHAPES = frozenset({"sp", "shptxt"})
_TWIP = 635
"""914,400ths of an inch in a twentieth of a point."""

_KEEPING_AWAY = (1, 2, 4)
"""How text keeps away from a shape (\\shpwr): it stands above and below, around, or close around it."""

_LETTERS, _PICTURES = {"gtextUNICODE"}, {"pib", "pibName"}
_SETTINGS = {"fFilled", "fillColor", "fillType", *_LETTERS, *_PICTURES}
_LONGEST = 20


@dataclass(slots=True)
class _Shape:
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

    def is_filled(self) -> bool:
        """Whether it is a picture, or has another colour than white inside; letters drawn as a shape have none."""
        names = self.settings.keys()
        if self.has_filled or names & _PICTURES:
            return True
        if self.numbers.get("dpfillpat", 0) and self.numbers.get("level", 0) < 255:
            return True
        if names & _LETTERS or self.settings.get("fFilled") == "0":
            return False
        colour = number(self.settings.get("fillColor", str(WHITE)))
        return colour != WHITE or self.settings.get("fillType", "0") != "0"

    def is_backdrop(self, size: tuple[int, int]) -> bool:
        """Whether text may lie upon it, and it is at least this large."""
        told = self.numbers.get
        width = max(told("shpright", 0) - told("shpleft", 0), told("dpxsize", 0)) * _TWIP
        height = max(told("shpbottom", 0) - told("shptop", 0), told("dpysize", 0)) * _TWIP
        is_large = width >= size[0] and height >= size[1]
        return is_large and told("shpwr") not in _KEEPING_AWAY and self.is_filled()


@dataclass(slots=True)
class _Group:
    """What holds in a group: "" for running text, "head", "background" or "skipped", and the shape that it is in."""

    place: str = ""
    shape: _Shape | None = None
    setting: str = ""
    """Whether it is the name ("sn") or the value ("sv") of a shape's setting."""
    is_new: bool = True
    starred: bool = False


class Backdrops:
    """Where in a file text may lie upon a drawing; `near` is asked of the number of a token."""

    def __init__(self, source: str) -> None:
        self._starts, self._first, self._last = array("q", [0]), array("q", [0]), array("q", [0])
        """Of each paragraph the number of its first token, and its first and last page."""
        self._drawings: list[tuple[int, int]] = []
        self._is_everywhere = self._has_background = self._shows_background = False
        self._group, self._outer = _Group(), list[_Group]()
        if _DRAWING.search(source):
            self._read(read_tokens(source))
        self._beside = find_beside(self._drawings, self._first, self._last)

    def near(self, at: int) -> bool:
        """Whether the text at a token may lie upon a drawing."""
        is_on_ground = self._is_everywhere or (self._has_background and self._shows_background)
        return is_on_ground or bisect_right(self._starts, at) - 1 in self._beside

    def _read(self, tokens: Iterable[Token]) -> None:
        for at, token in enumerate(tokens):
            group = self._group
            if token.kind == "open":
                self._outer.append(group)
                self._group = replace(group, is_new=True, starred=False)
            elif token.kind == "close":
                self._close(group)
            elif token.kind == "symbol" and token.text == "*":
                group.starred = True
            else:
                self._take(token, at, group)
                group.is_new = False
            if len(self._outer) > DEEPEST or (token.kind == "close" and not self._outer):
                return

    def _close(self, inner: _Group) -> None:
        if not self._outer:
            return
        self._group = outer = self._outer.pop()
        shape = inner.shape
        if shape is None or shape is outer.shape:
            return
        if outer.shape is not None:
            outer.shape.has_filled |= shape.is_filled()
        elif inner.place == "background":
            self._has_background |= shape.is_filled()
        elif inner.place == "head":
            self._is_everywhere |= shape.is_backdrop(PAGE_SIZE)
        elif shape.is_backdrop(LINE_SIZE):
            self._drawings.append((len(self._starts) - 1, self._last[-1]))

    def _take(self, token: Token, at: int, group: _Group) -> None:
        if token.kind == "word" and group.is_new:
            self._begin(token.text, group)
        if group.shape is not None and group.place != "skipped":
            self._take_in_shape(token, group.shape, group.setting)
        elif group.place:
            return
        elif (token.kind == "word" and token.text in _ENDS) or (token.kind == "symbol" and token.text in "\r\n"):
            self._starts.append(at + 1)
            self._first.append(self._last[-1])
            self._last.append(self._last[-1])
        elif token.text in _BREAKS and token.kind == "word" and token.number != 0:
            self._break_page(token.text)
        elif token.text == "viewbksp" and token.kind == "word":
            self._shows_background = bool(token.number)

    def _break_page(self, word: str) -> None:
        self._last[-1] += 1
        has_drawing = bool(self._drawings) and self._drawings[-1][0] == len(self._starts) - 1
        if word == "pagebb" and not has_drawing:  # all of the paragraph is on the new page
            self._first[-1] = self._last[-1]

    def _begin(self, word: str, group: _Group) -> None:
        """What a word at the beginning of a group says of the group."""
        if group.place == "skipped":
            return
        if word in ("shpinst", "do"):
            group.shape = _Shape()
        elif word in ("sn", "sv") and group.shape is not None:
            self._begin_setting(word, group, group.shape)
        elif word in HEADS:
            group.place = "head"
        elif word == "background":
            group.place = word
        elif word == "shprslt" or (is_skipped(word, group.starred) and not (group.shape and word in _IN_SHAPES)):
            group.place = "skipped"

    def _begin_setting(self, word: str, group: _Group, shape: _Shape) -> None:
        group.setting = word
        if word == "sn":
            shape.name = ""
        elif shape.name in _SETTINGS:
            shape.settings[shape.name] = ""

    def _take_in_shape(self, token: Token, shape: _Shape, setting: str) -> None:
        if token.kind == "word" and token.number is not None:
            shape.take_word(token.text, token.number)
        elif token.kind == "text" and setting == "sn":
            shape.name = f"{shape.name}{token.text}"[:_LONGEST]
        elif token.kind == "text" and setting == "sv" and shape.name in shape.settings:
            shape.settings[shape.name] = f"{shape.settings[shape.name]}{token.text}"[:_LONGEST]
