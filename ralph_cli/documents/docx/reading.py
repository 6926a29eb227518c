"""What all texts of one document share while they are read: styles, numbers, and what was left out or guessed."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from ralph_cli.core.document import Caution
from ralph_cli.documents.docx.formatting.look import RunLook, describe_look
from ralph_cli.documents.docx.formatting.styles import Ground, Styles, read_run_properties
from ralph_cli.documents.docx.numbering import Numbering, format_number
from ralph_cli.text.raised import raise_figures

_MOST_NAMES = 8
_LONGEST_EXAMPLE = 200
_NOTE_SIGNS = "*\u2020\u2021\u00a7"


@dataclass(slots=True)
class Findings:
    """Counts of what a reader should know of: characters by the reason why they are hidden, struck out, symbols."""

    hidden: Counter[str] = field(default_factory=Counter)
    changed: bool = False
    struck: int = 0
    doubtful: list[str] = field(default_factory=list)
    symbols: int = 0
    comments: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def hide(self, text: str, reason: str) -> None:
        """Some text is left out."""
        if count := len("".join(text.split())):
            self.hidden[reason] += count

    def miss(self, part: str) -> None:
        """A part that the document refers to is not there."""
        if part not in self.missing:
            self.missing.append(part)

    def cautions(self, unknown_numbers: int) -> tuple[Caution, ...]:
        """What was found, in words."""
        found = []
        if self.hidden:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(self.hidden.items()))
            total = sum(self.hidden.values())
            found.append(Caution("hidden-text", f"hidden text omitted: {total:,} characters ({reasons})"))
        if self.doubtful:
            words = " ".join(" ".join(self.doubtful).split())
            shown = words if len(words) <= _LONGEST_EXAMPLE else f"{words[:_LONGEST_EXAMPLE].rstrip()}..."
            what = (
                f"{len(words.replace(' ', '')):,} white characters stand where a picture, a shape or a pattern may be"
            )
            message = f"{what} behind them; whether they are seen is not known: \u201c{shown}\u201d"
            found.append(Caution("visibility-unknown", message))
        if self.changed:
            found.append(Caution("tracked-changes", "tracked changes: deletions are omitted, insertions are kept"))
        if self.struck:
            what = f"{self.struck:,} characters are struck out: they are marked, with a stroke on each character"
            found.append(Caution("struck-out", what))
        if self.comments:
            what = "1 comment is" if self.comments == 1 else f"{self.comments:,} comments are"
            where = "given at the end, marked: not the document's own words"
            found.append(Caution("comments", f"{what} {where}"))
        if self.symbols:
            found.append(Caution("symbols", f"{self.symbols:,} symbols of special fonts are shown as U+FFFD"))
        if unknown_numbers:
            what = (
                f"{unknown_numbers:,} numbers of paragraphs are given in decimals: the document writes them otherwise"
            )
            found.append(Caution("numbering", what))
        if self.unread:
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.unread.items()))
            found.append(Caution("unread-content", f"not read: {kinds}"))
        if self.missing:
            more = len(self.missing) - _MOST_NAMES
            names = ", ".join(name[:80] for name in self.missing[:_MOST_NAMES]) + (
                f" and {more} more" if more > 0 else ""
            )
            found.append(Caution("missing-part", f"the document refers to what is not in the file: {names}"))
        return (*found, *(Caution("damaged", doubt) for doubt in self.doubts))


@dataclass(slots=True)
class Reading:
    """What all texts of one document share while they are read."""

    styles: Styles
    numbering: Numbering
    findings: Findings
    write: Callable[[int], None]
    """Told how many characters were read; raises when they are too many."""
    note_formats: dict[str, str] = field(default_factory=dict)
    note_marks: dict[tuple[str, str], str] = field(default_factory=dict)
    _notes: dict[str, int] = field(default_factory=dict)
    _looks: dict[Any, RunLook] = field(default_factory=dict)

    def look(self, style: str, properties: Element | None, ground: Ground) -> RunLook:
        """How a run with these properties looks in a paragraph of this style."""
        direct = read_run_properties(properties)
        key = (style, ground, *direct.items())
        if key not in self._looks:
            self._looks[key] = describe_look(
                self.styles.run_properties(style, direct, dict(ground.run)), ground.colours
            )
        return self._looks[key]

    def mark_note(self, kind: str, identity: str) -> str:
        """The mark of the next note of a kind: a raised number, or a sign.

        A mark of letters is not written, for it would read as the end of the word before it.
        """
        self._notes[kind] = count = self._notes.get(kind, 0) + 1
        form = self.note_formats.get(kind) or ("decimal" if kind == "footnote" else "lowerRoman")
        if form == "chicago":
            mark = _NOTE_SIGNS[(count - 1) % 4] * ((count - 1) // 4 + 1)
        else:
            shown = format_number(count, form)
            mark = raise_figures(shown) if shown.isdecimal() else ""
        self.note_marks[kind, identity] = mark
        return mark
