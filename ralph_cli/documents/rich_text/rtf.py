"""RTF documents: paragraphs and tables in order, then notes, comments, headers and footers.

Hidden text and tracked deletions are left out. Paragraph numbers are those that the program wrote to the file.
"""

from collections.abc import Collection, Hashable
from dataclasses import dataclass, field

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Note, Origin
from ralph_cli.documents import sight
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.backdrops import LINE_SIZE, PAGE_SIZE, Backdrops, is_backdrop
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.page_text import LINE, CharacterBudget, PageText, finish_document, one_line
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.rich_text.flow import Flow, why_cut
from ralph_cli.documents.rich_text.ink import Ink, Palette, Shade, Shape, read_shade
from ralph_cli.documents.rich_text.tokens import (
    CODE_PAGE_WORDS,
    DEEPEST,
    HEADS,
    SIGNS,
    SYMBOLS,
    Group,
    TokenReader,
    is_skipped,
    read_tokens,
)
from ralph_cli.text.raised import lower_figures, raise_figures

_ENDS = frozenset({"par", "sect", "cell", "nestcell"})
_BREAKS = frozenset({"page", "softpage", "pagebb"})
_UNREAD = {"pict": "pictures", "object": "embedded objects"}


@dataclass(slots=True)
class _State(Group):
    """The state of a group: its destination, and the look of its characters."""

    flow: Flow | None = None
    destination: str = ""
    """The word that began this group or an outer one whose text is not part of the document; "" within the text."""
    hidden: bool = False
    deleted: bool = False
    struck: bool = False
    raised: int = 0
    ink: Ink = field(default_factory=Ink)
    shade: Shade = field(default_factory=Shade)
    """The shade behind the paragraph."""
    lines: str = ""
    """Why the height of its lines makes the text unseen; "" if it does not."""
    shape: Shape | None = None
    part: str = ""
    """The part of a shape's setting that the text belongs to."""


def parse_rtf(data: bytes, *, name: str, limits: LoadLimits) -> ParsedDocument:
    """Return a document on one page, with headings, tables and notes; call it in a child process.

    Raises DocumentError damaged, too-big, no-text.
    """
    return _RtfReader(name, limits).read(data.decode("latin-1"))


class _RtfReader(TokenReader[_State]):
    """Reads the tokens of one file, in order. `doubtful` are the numbers of paragraphs that may cover drawings."""

    def __init__(self, name: str, limits: LoadLimits, doubtful: Collection[Hashable] = ()) -> None:
        self._name, self._limits = name, limits
        self._findings, self._page = Findings(), PageText()
        self._body = Flow(self._page)
        super().__init__(_State(flow=self._body))
        self._default_font = self._unread_bytes = 0
        self._palette, self._doubtful = Palette(), doubtful
        self._backdrops, self._paragraph = Backdrops(), -1
        self._is_everywhere = self._has_background = self._shows_background = False
        self._begin_paragraph()
        self._levels: dict[int, int] = {}
        """The heading level of each style, by the style's number."""
        self._notes: list[tuple[str, PageText]] = []
        self._marks = 0
        self._beside: list[tuple[Origin, str, PageText]] = []
        self._author = ""
        self._count = CharacterBudget(name, limits)

    def read(self, source: str) -> ParsedDocument:
        """Return the whole document; it is read twice if words on drawings might otherwise be left out."""
        for token in read_tokens(source):
            self._take(token)
            if token.kind == "close" and not self._stack:
                break
        self._flush_bytes()
        is_everywhere = self._is_everywhere or (self._has_background and self._shows_background)
        beside = range(self._paragraph + 1) if is_everywhere else self._backdrops.find_paragraphs()
        if beside and not self._doubtful and self._findings.hidden[sight.COLOUR]:
            return _RtfReader(self._name, self._limits, beside).read(source)
        if self._stack:
            what = "the file is cut off: it ends within a group, and what stood behind is not known"
            self._findings.doubts.append(what)
        self._body.end_paragraph()
        self._body.end_table()
        self._append_rest()
        if self._unread_bytes:
            what = f"{self._unread_bytes:,} characters could not be read in their encoding: they are shown as U+FFFD"
            self._findings.notices.append(Caution("replaced-bytes", what))
        hint = "pictures are not read; save it as PDF, and run OCR"
        return finish_document([self._page], self._findings, self._name, self._limits, empty_hint=hint)

    def _open_group(self) -> None:
        if len(self._stack) >= DEEPEST:
            hint = "if it is small, it may be malicious"
            raise DocumentError(f"{self._name} nests groups more than {DEEPEST:,} deep", code="too-big", hint=hint)
        super()._open_group()
        self._to_skip = 0

    def _close_group(self) -> None:
        inner = self._state
        super()._close_group()
        if inner.flow is not self._state.flow and inner.flow is not None and inner.flow is not self._body:
            inner.flow.end_paragraph()
            inner.flow.end_table()
        self._to_skip = 0
        if inner.shape is not None and inner.shape is not self._state.shape:
            self._end_shape(inner.shape, self._state)

    def _end_shape(self, shape: Shape, outer: _State) -> None:
        """Record which text may cover a shape."""
        if outer.shape is not None:
            outer.shape.has_filled |= is_backdrop(shape.fill(), (None, None))
        elif outer.destination == "background":
            self._has_background |= is_backdrop(shape.fill(), (None, None))
        elif outer.destination in HEADS:
            self._is_everywhere |= shape.is_backdrop(PAGE_SIZE)
        elif shape.is_backdrop(LINE_SIZE):
            self._backdrops.add_drawing()

    def _begin_paragraph(self) -> None:
        if self._state.shape is None and not self._state.destination:
            self._paragraph += 1
            self._backdrops.begin_paragraph(self._paragraph)

    def _take_word(self, word: str, number: int | None) -> None:
        state = self._state
        was_new, state.is_new = state.is_new, False
        if was_new and self._begin_destination(word, state):
            return
        if state.shape is not None and number is not None:
            state.shape.take_word(word, number)
        if state.flow is None:
            self._read_definition(word, number)
            return
        if word == "pard":
            state.shade, state.lines = Shade(), ""
        elif word in _BREAKS and number != 0 and not state.destination:
            self._backdrops.break_page(is_before=word == "pagebb")
        if self._take_character(word, number):
            return
        if word in SIGNS:
            self._write(SIGNS[word])
        elif word in ("chftn", "chatn"):
            self._mark_note(word)
        elif read_shade(word)[0] == "paragraph":
            state.shade = state.shade.changed(word, number)
        elif not state.flow.take_word(word, number, self._levels):
            self._take_look(word, number, state)
        elif word in _ENDS:
            self._begin_paragraph()

    def _begin_destination(self, word: str, state: _State) -> bool:
        """Apply a word at the start of a group if the group's text is not running text; return whether it is not."""
        if word in ("shpinst", "do") and (state.flow is not None or state.destination == "background"):
            state.shape = Shape()
        if is_skipped(word, state.starred):
            state.flow, state.destination = None, word
            if word in _UNREAD:
                self._findings.unread[_UNREAD[word]] += 1
        elif state.flow is None:
            return False
        elif word in HEADS:
            state.destination = word
            self._begin_beside(HEADS[word], HEADS[word])
        elif word == "footnote":
            mark = "".join(self._body.parts[-1:])[-1:] if not self._marks else str(self._marks)
            self._body.marked.append((len(self._notes), len(self._body.parts)))
            state.flow = Flow(PageText(), LINE)
            self._notes.append((mark, state.flow.page))
        elif word == "annotation":
            self._begin_beside("comment", f"comment by {self._author or 'an unnamed author'}")
        else:
            return False
        return True

    def _begin_beside(self, origin: Origin, label: str) -> None:
        self._state.flow = Flow(PageText(), LINE)
        self._beside.append((origin, label, self._state.flow.page))

    def _mark_note(self, word: str) -> None:
        if word == "chftn" and self._state.flow is self._body:
            self._marks += 1
            self._write(raise_figures(str(self._marks)))

    def _read_definition(self, word: str, number: int | None) -> None:
        """Apply a word in the tables of fonts, colours and styles, if the text depends on it."""
        destination = self._state.destination
        if destination == "fonttbl" and number is not None:
            if word == "f":
                self._state.font = number
            elif word == "fcharset":
                self._name_encoding(number)
            elif word == "cpg":
                self._fonts[self._state.font] = f"cp{number}"
        elif destination == "colortbl":
            self._palette.take_word(word, number)
        elif destination == "sp":
            self._state.part = word
        elif destination == "stylesheet" and number is not None:
            if word == "s":
                self._state.font = number  # the style that is being defined
            elif word == "outlinelevel" and 0 <= number < 9:
                self._levels[self._state.font] = number + 1

    def _take_look(self, word: str, number: int | None, state: _State) -> None:
        is_on = number != 0
        match word:
            case "plain":
                state.hidden = state.struck = state.deleted = False
                state.raised, state.font, state.ink = 0, self._default_font, Ink()
            case "v":
                state.hidden = is_on
            case "deleted":
                state.deleted = is_on
                self._findings.changed |= is_on
            case "strike" | "striked":
                state.struck = is_on
            case "super" | "up":
                state.raised = 1 if is_on else 0
            case "sub" | "dn":
                state.raised = -1 if is_on else 0
            case "nosupersub":
                state.raised = 0
            case "deff":
                state.font = self._default_font = number or 0
            case "mac" | "pc" | "pca":
                self._encoding = CODE_PAGE_WORDS[word]
            case "sl":
                state.lines = why_cut(number)
            case "viewbksp":
                self._shows_background = is_on
            case _:
                state.ink = state.ink.changed(word, number)

    def _take_symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._state.starred = True
            return
        self._state.is_new = False
        if symbol in "\r\n" and self._state.flow is not None:
            self._state.flow.end_paragraph()
            self._begin_paragraph()
        elif symbol in SYMBOLS:
            self._take_text(SYMBOLS[symbol])

    def _put(self, text: str) -> None:
        state = self._state
        if state.flow is not None:
            super()._put(text)
        elif state.destination == "atnauthor":
            self._author = one_line(text)[:80]
        elif state.destination == "colortbl":
            self._palette.end_colours(text.count(";"))
        elif state.destination == "stylesheet":
            self._name_style(text)
        elif state.shape is not None:
            state.shape.take_text(state.part, text)

    def _decode(self, data: str) -> str:
        text = super()._decode(data)
        self._unread_bytes += text.count("\ufffd") if self._state.flow is not None else 0
        return text

    def _name_style(self, text: str) -> None:
        """Set the level of a style that is called a heading, unless the file has set one."""
        name, _, level = text.strip().rstrip(";").lower().rpartition(" ")
        if name == "heading" and level in tuple("123456789"):
            self._levels.setdefault(self._state.font, int(level))

    def _write(self, text: str) -> None:
        state = self._state
        if state.flow is None or state.deleted or not text:
            return
        colour = self._palette.colour(state.ink.colour)
        ground = sight.WHITE_GROUND if colour is None else self._ground(state)
        flags = [sight.MARKED if state.hidden else "", state.lines, state.flow.flag]
        flags += [state.shape.flag] if state.shape else []
        text = self._findings.take(text, sight.seen(colour, ground, state.ink.size / 2, flags))
        if not text:
            return
        if state.raised:
            text = raise_figures(text) if state.raised > 0 else lower_figures(text)
        if state.struck:
            text = self._findings.strike(text)
        self._count(len(text))
        state.flow.parts.append(text)

    def _ground(self, state: _State) -> sight.Colours:
        """Return the possible colours behind the text."""
        beneath = state.flow.shades() if state.flow is not None else []
        if beneath is None or state.ink.colour == 0 or self._paragraph in self._doubtful:
            return None
        paper = state.shape.ground() if state.shape else sight.WHITE_GROUND
        return self._palette.ground(paper, [*beneath, state.shade, *state.ink.shades])

    def _append_rest(self) -> None:
        """Add notes, comments, headers and footers after the text."""
        page, body_end = self._page, self._page.length
        cited = dict(page.marks)
        for number, (mark, text) in enumerate(self._notes):
            if text:
                page.add_block(f"{mark} " if mark.isalnum() or mark in "*\u2020\u2021" else "")
                page.notes.append(Note(page.write(text), page.length, cited.get(number, body_end)))
        seen: set[tuple[str, str]] = set()
        for origin, label, text in self._beside:
            said = text.text()
            if any(map(str.isalnum, said)) and (label, said) not in seen:
                seen.add((label, said))
                page.add_from(origin, label, text)
                self._findings.comments += origin == "comment"
