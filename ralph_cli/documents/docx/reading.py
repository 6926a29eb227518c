"""The state shared by all texts of one document while they are read: styles, looks, numbers and findings."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from ralph_cli.documents.docx.numbering import Numbering, format_number
from ralph_cli.documents.docx.styles import Ground, Styles, read_run_properties
from ralph_cli.documents.office.findings import Findings
from ralph_cli.documents.sight import MARKED, seen
from ralph_cli.text.raised import raise_figures

_NOTE_SIGNS = "*\u2020\u2021\u00a7"
# Half-points: the default is ten points if no style sets a size.
_USUAL_SIZE = 20

# A run counts as raised or lowered if it is moved by at least a fifth of its size; less is only for looks.
_RAISED_SHARE = 5


@dataclass(frozen=True, slots=True)
class RunLook:
    """The look of a run. `why` is the answer of the rule of `sight`; `script` is 1 if raised, -1 if lowered.

    `moved` is the same for a run that is only shifted up or down: it counts as raised next to text that is not
    shifted.
    """

    why: str = ""
    script: int = 0
    moved: int = 0
    struck: bool = False
    font: str = ""


@dataclass(slots=True)
class Reading:
    """The state shared by all texts of one document while they are read."""

    styles: Styles
    numbering: Numbering
    findings: Findings
    write: Callable[[int], None]
    """Called with the number of characters read; raises DocumentError if there are too many."""
    note_formats: dict[str, str] = field(default_factory=dict)
    note_marks: dict[tuple[str, str], str] = field(default_factory=dict)
    _notes: dict[str, int] = field(default_factory=dict)
    _looks: dict[Any, RunLook] = field(default_factory=dict)

    def look(self, style: str, properties: Element | None, ground: Ground) -> RunLook:
        """Return the look of a run with these properties in a paragraph of this style."""
        direct = read_run_properties(properties)
        key = (style, ground, *direct.items())
        if key not in self._looks:
            self._looks[key] = _describe_look(self.styles.run_properties(style, direct, dict(ground.run)), ground)
        return self._looks[key]

    def mark_note(self, kind: str, identity: str) -> str:
        """Return the mark of the next note of this kind: a raised number or a sign.

        A mark of letters is not written, because it would look like the end of the word before it.
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


def _describe_look(properties: dict[str, Any], ground: Ground) -> RunLook:
    """Return the look of a run with these properties on a ground."""
    behind, size = ground.colours, properties.get("size")
    if properties.get("highlight") is not None:
        behind = frozenset({properties["highlight"]})
    elif properties.get("shading", frozenset()) != frozenset():
        behind = properties["shading"]
    flags = (MARKED if properties.get("vanish") else "", ground.flag)
    points = None if size is None else size / 2
    return RunLook(
        seen(properties.get("colour"), behind, points, flags, properties.get("opacity", 1.0)),
        {"superscript": 1, "subscript": -1}.get(properties.get("script", ""), 0),
        _moved(properties.get("position") or 0, size or _USUAL_SIZE),
        bool(properties.get("strike") or properties.get("dstrike")),
        properties.get("font", ""),
    )


def _moved(position: int, size: int) -> int:
    if abs(position) * _RAISED_SHARE < size:
        return 0
    return 1 if position > 0 else -1
