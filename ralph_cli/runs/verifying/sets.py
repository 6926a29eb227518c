"""Looks up the quotes of a run over a set in another set: each in the document with the name of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ralph_cli.core.document import Document, Member, describe_pages
from ralph_cli.core.results.verification import QuoteStanding, Standing
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import Span
from ralph_cli.documents.sets.joining import take_member
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.runs.verifying.context import DocumentContext
from ralph_cli.runs.verifying.versions import locate_quote, standing_at


def locate_in_set(
    quotes: Sequence[Quote], recorded: Sequence[Mapping[str, Any]], current: Document, original: Document | None
) -> tuple[QuoteStanding, ...]:
    """The standing of each quote in the document that now has the name of its own.

    `recorded` is the run's record of its documents, `original` the run's own set, if it is available.
    """
    files = {member.name: _File(current, member) for member in current.members}
    before = {member.name: _File(original, member) for member in original.members} if original else {}
    return tuple(_locate(quote, recorded, files, before) for quote in quotes)


@dataclass(eq=False)
class _File:
    """One document of a set, by itself."""

    whole: Document
    member: Member

    @cached_property
    def context(self) -> DocumentContext:
        return DocumentContext(take_member(self.whole, self.member))

    @cached_property
    def index(self) -> QuoteIndex:
        return QuoteIndex(self.context.document)


def _locate(
    quote: Quote, recorded: Sequence[Mapping[str, Any]], files: Mapping[str, _File], before: Mapping[str, _File]
) -> QuoteStanding:
    record = next((entry for entry in recorded if _holds(entry, quote)), None)
    name = str(record.get("name")) if record else ""
    file = files.get(name)
    if record is None or file is None:
        why = f"{name} is not in the set any more" if name else "the record does not say from which document it is"
        return QuoteStanding(quote, Standing.GONE, notes=(why,))
    own = _take_quote(quote, record)
    if record.get("fingerprint") == file.member.fingerprint:
        found = _compare_words(own, file.context)
    else:
        known = before.get(name)
        found = locate_quote(own, file.context, file.index, known.context if known else None)
    if not found.text:
        return replace(found, quote=quote)
    start, end = found.start + file.member.start, found.end + file.member.start
    where = f"{name}, {found.where or describe_pages(found.page, found.page, found.label)}"
    page = found.page + file.member.first_page - 1
    return replace(found, quote=quote, start=start, end=end, page=page, where=where)


def _compare_words(quote: Quote, context: DocumentContext) -> QuoteStanding:
    """Checks whether the words are at their place in an unchanged file."""
    length = len(context.document.text)
    if not 0 <= quote.start < quote.end <= length:
        return QuoteStanding(quote, Standing.WRONG, notes=("its place is not in its document",))
    here = standing_at(quote, Standing.HOLDS, context, Span(quote.start, quote.end))
    if here.text != quote.text or here.page != quote.page:
        return replace(here, standing=Standing.WRONG, notes=("the document has other words at its place",))
    return replace(here, tier=quote.match)


def _holds(entry: Mapping[str, Any], quote: Quote) -> bool:
    return bool(entry["start"] <= quote.start < entry["start"] + entry["characters"])


def _take_quote(quote: Quote, entry: Mapping[str, Any]) -> Quote:
    """The quote with its place in its own document."""
    begin, end, pages = entry["start"], entry["start"] + entry["characters"], entry["first_page"] - 1
    inside = tuple((low - begin, high - begin) for low, high in quote.places if begin <= low and high <= end)
    last = quote.last_page - pages if quote.last_page else 0
    moved = replace(quote, start=quote.start - begin, end=quote.end - begin, page=quote.page - pages, last_page=last)
    return replace(moved, places=inside, occurrences=max(len(inside), 1))
