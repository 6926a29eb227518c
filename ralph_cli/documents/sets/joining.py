"""Joins several documents into one text, and extracts each of them again."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from ralph_cli.core.document import Caution, Document, Member
from ralph_cli.core.structure import PAGE_BREAK, POSITIONED, Heading, Page, ScannedPage, Span, Table, move_positioned
from ralph_cli.documents.sniff import has_known_ending

SET_KIND = "set"

# The most cautions of a set's documents that are listed individually.
MAX_CAUTIONS = 200


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """A loaded document with its name in the set, its file, and its names within an archive there."""

    name: str
    document: Document
    path: str
    inner: tuple[str, ...] = ()


def join_documents(path: str, documents: Sequence[NamedDocument], cautions: Sequence[Caution] = ()) -> Document:
    """Return the set of these documents as one text, with page breaks also between the documents.

    `path` is the user's name for the set; `cautions` are about the set itself, in addition to those of each document.
    """
    members: list[Member] = []
    pages: list[Page] = []
    start = 0
    for item in documents:
        document, first = item.document, len(pages) + 1
        members.append(
            Member(
                name=item.name,
                path=item.path,
                inner=item.inner,
                kind=document.kind,
                sha256=document.sha256,
                fingerprint=document.fingerprint,
                start=start,
                end=start + len(document.text),
                first_page=first,
                pages=len(document.pages),
            )
        )
        for page in document.pages:
            pages.append(Page(len(pages) + 1, page.label, page.start + start, page.end + start))
        start += len(document.text) + len(PAGE_BREAK)
    parts = [(item.document, member.start) for item, member in zip(documents, members, strict=True)]
    moved = [move_positioned(document, by) for document, by in parts]
    joined: dict[str, Any] = {name: tuple(chain.from_iterable(it[name] for it in moved)) for name in POSITIONED}
    sha256 = _digest([(member.name, member.sha256) for member in members])
    return Document(
        id=sha256[:16],
        path=path,
        kind=SET_KIND,
        sha256=sha256,
        fingerprint=_digest([(member.name, member.fingerprint) for member in members]),
        text=PAGE_BREAK.join(item.document.text for item in documents),
        pages=tuple(pages),
        cautions=tuple(_bound_cautions([*cautions, *_member_cautions(documents, members)])),
        members=tuple(members),
        scans=tuple(
            ScannedPage(scan.number + member.first_page - 1, scan.start + member.start, scan.words)
            for item, member in zip(documents, members, strict=True)
            for scan in item.document.scans
        ),
        **joined,
    )


def take_member(document: Document, member: Member) -> Document:
    """Return one document of a set as it was loaded, with its own offsets and page numbers, but without cautions."""
    by, low, high = -member.start, member.start, member.end
    pages = document.pages[member.first_page - 1 : member.last_page]
    return Document(
        id=member.sha256[:16],
        path="/".join((member.path, *member.inner)),
        kind=member.kind,
        sha256=member.sha256,
        fingerprint=member.fingerprint,
        text=document.text[low:high],
        pages=tuple(Page(number, page.label, page.start + by, page.end + by) for number, page in enumerate(pages, 1)),
        scans=tuple(
            ScannedPage(scan.number - member.first_page + 1, scan.start + by, scan.words)
            for scan in document.scans
            if low <= scan.start < high
        ),
        **move_positioned(document, by, low, high),
    )


def take_part(document: Document, start: int, end: int) -> Document:
    """Return the text from `start` to `end` as a document with its own offsets; pages keep their numbers.

    Structure that extends beyond it is cut; tables and notes that do are left out. It has no cautions and scans.
    """
    size = end - start
    found = move_positioned(document, -start, start, end)
    for name in ("headings", "blocks", "quoted", "additions"):
        found[name] = tuple(_cut_end(it, size) for it in found[name])
    for name in ("tables", "notes"):
        found[name] = tuple(it for it in found[name] if it.end <= size)
    found["notes"] = tuple(note for note in found["notes"] if 0 <= note.cited < size)
    found["tables"] = tuple(_keep_statements(table, size) for table in found["tables"])
    around = [page for page in document.pages if page.start < end and (page.end > start or page is document.pages[-1])]
    members = [member for member in document.members if member.start < end and member.end > start]
    digest = _digest([(document.fingerprint, f"{start}-{end}")])
    return Document(
        id=digest[:16],
        path=document.path,
        kind=document.kind,
        sha256=document.sha256,
        fingerprint=digest,
        text=document.text[start:end],
        pages=tuple(
            page._replace(start=max(page.start - start, 0), end=min(page.end - start, size)) for page in around
        ),
        members=tuple(
            replace(member, start=max(member.start - start, 0), end=min(member.end - start, size)) for member in members
        ),
        language=document.language,
        called=document.called,
        **found,
    )


def _keep_statements(table: Table, size: int) -> Table:
    """Return the table without the statements that are outside the text of `size` characters."""
    return table._replace(statements=tuple(it for it in table.statements if it.start >= 0 and it.end <= size))


def _cut_end(it: Any, end: int) -> Any:
    """Return a span, a block or a heading cut at `end`."""
    if isinstance(it, Span):
        return Span(it.start, min(it.end, end))
    if isinstance(it, Heading):
        it = it._replace(sure_until=min(it.sure_until, end))
    return it._replace(end=min(it.end, end))


def split_spans(document: Document, spans: Sequence[Span]) -> Iterator[tuple[Member, list[int]]]:
    """Yield the documents of a set in which spans begin, each with the indices of its spans."""
    owners = [document.member_at(span.start) for span in spans]
    for member in document.members:
        indices = [index for index, owner in enumerate(owners) if owner is member]
        if indices:
            yield member, indices


def mask_names(text: str, document: Document) -> str:
    """Replace the names of a set's documents in a text by as many letters, because figures in names are not claims.

    A name without a document's suffix is kept: "rent of 52,000" may be one, and masking it would hide a false figure.
    """
    names = {
        name
        for member in document.members
        for name in (member.name, PurePosixPath(member.name).name)
        if has_known_ending(name)
    }
    if not names:
        return text
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{known})(?!\w)", lambda match: "x" * len(match[0]), text, flags=re.IGNORECASE)


def _member_cautions(documents: Sequence[NamedDocument], members: Sequence[Member]) -> Iterator[Caution]:
    for item, member in zip(documents, members, strict=True):
        for caution in item.document.cautions:
            pages = tuple(number + member.first_page - 1 for number in caution.pages)
            yield Caution(caution.code, f"{member.name}: {caution.message}", pages)


def _bound_cautions(cautions: list[Caution]) -> Iterator[Caution]:
    """Yield the cautions, with those beyond the limit as one that keeps all their pages."""
    yield from cautions[:MAX_CAUTIONS]
    left = cautions[MAX_CAUTIONS:]
    if left:
        pages = tuple(sorted({page for caution in left for page in caution.pages}))
        yield Caution("more-cautions", f"{len(left)} more cautions: `ralph ls` tells them by document", pages)


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()
