"""What all texts of one document share while they are read: styles, numbers, and what was left out or guessed."""

from collections.abc import Callable
from dataclasses import field
from typing import Any
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.docx.formatting.look import RunLook, describe_look
from ralph_cli.documents.docx.formatting.styles import Ground, Styles, read_run_properties
from ralph_cli.documents.docx.numbering import Numbering, format_number
from ralph_cli.documents.office.findings import Findings
from ralph_cli.text.raised import raise_figures

_NOTE_SIGNS = "*\u2020\u2021\u00a7"


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
            self._looks[key] = describe_look(self.styles.run_properties(style, direct, dict(ground.run)), ground)
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
