"""Finds the numbered parts that a question names, such as "clause 5" or "section 3.2". Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Clause, Span
from ralph_cli.documents.structure.clauses import MOST_CHARACTERS, above, named_clauses

_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class NamedPart:
    """A part with its number and its spans in the document; several spans make the name ambiguous."""

    name: str
    places: tuple[Span, ...]


def find_named_parts(document: Document, question: str) -> tuple[NamedPart, ...]:
    """Return the parts that a question names and the document has, in the order of their numbers.

    In a set, each document is searched separately; if the question names a file, only that file is searched. A line
    of a table of contents counts only if the part itself is missing.
    """
    keys = sorted(key for key in named_clauses(question) if not key.endswith("("))
    if not keys or len(document.text) > MOST_CHARACTERS:
        return ()
    named = [member for member in document.members if _has_name(question, member.name)] or document.members
    bounds = [(member.start, member.end) for member in named] or [(0, len(document.text))]
    found: dict[str, NamedPart] = {}
    for key in keys:
        known, places = _find_places(document, bounds, key)
        long = [place for place in places if "\n" in document.text[place.start : place.end].strip()]
        if places:
            found[known] = NamedPart(known if " " in known else f"part {known}", tuple(long or places))
    return tuple(found.values())


def _find_places(document: Document, bounds: Sequence[tuple[int, int]], key: str) -> tuple[str, list[Span]]:
    """Return the spans of a part within these bounds. An unknown letter stands for the part that contains it."""
    known, places = key, list[Span]()
    for known in (key, *(it for it in above(key) if "(" in key)):
        places = [
            place
            for start, end in bounds
            for place in _places(document.text, document.clauses_in(start, end), known, end)
        ]
        if places or "(" not in known:
            break
    return known, places


def describe_ambiguous(document: Document, parts: Sequence[NamedPart]) -> str:
    """Return a note on named parts that occur several times, with their locations; "" if no part does."""
    told = []
    for part in parts:
        if len(part.places) > 1:
            named = [document.describe_span(Span(place.start, place.start + 1)) for place in part.places[:_MOST_TOLD]]
            more = f" and {len(part.places) - _MOST_TOLD:,} more" if len(part.places) > _MOST_TOLD else ""
            told.append(f"{part.name} is there {len(part.places):,} times: {'; '.join(named)}{more}")
    return f"the question does not say which one is meant: {'. '.join(told)}" if told else ""


def _has_name(question: str, name: str) -> bool:
    """Whether a question contains the words of a file's name, without its suffix, in order."""
    stem = re.findall(r"[^\W_]+", PurePath(name).stem)
    words = r"[\W_]+".join(map(re.escape, stem))
    return any(map(str.isalpha, "".join(stem))) and re.search(rf"(?i)(?<!\w){words}(?!\w)", question) is not None


def _places(text: str, clauses: Sequence[Clause], key: str, end: int) -> Iterator[Span]:
    """Yield the spans of the parts with this number, each up to the next part outside it.

    A lettered part ends with its paragraph.
    """
    for at, clause in enumerate(clauses):
        if clause.key == key:
            last = clause
            behind = end
            for other in clauses[at + 1 :]:
                if not other.key.startswith((f"{key}.", f"{key}(")):
                    behind = other.start
                    break
                last = other
            paragraph_end = text.find("\n\n", last.start, behind) if "(" in key else -1
            yield Span(clause.start, paragraph_end if paragraph_end >= 0 else behind)
