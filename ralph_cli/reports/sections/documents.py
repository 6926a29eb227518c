"""Finds the documents of a recorded set: which one contains a place, and how much of each was read."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ralph_cli.core.coverage import CoverageMap, format_ranges, uncovered_spans
from ralph_cli.core.document import PAGE_NOUNS
from ralph_cli.core.run import Passage, Quote

Record = Mapping[str, Any]


def list_documents(record: Record) -> list[Record]:
    """The record of each document of a set, in order; empty for a single document."""
    return list(record.get("documents", ()))


def document_at(record: Record, offset: int) -> Record | None:
    """The record of the document in a set that contains the character at `offset`; None without a set."""
    entries = list_documents(record)
    at = bisect_right(entries, offset, key=lambda entry: entry["start"]) - 1
    return entries[max(at, 0)] if entries else None


def place_values(item: Quote | Passage, record: Record, *, paged: bool) -> dict[str, Any]:
    """The place of a quote or passage as plain values: `document` in a set, that document's `page` and `label`, and
    `place` in words.
    """
    last = (getattr(item, "last_page", 0) or item.page) if paged else None
    page, label = (item.page, item.label) if paged else (None, None)
    entry = document_at(record, item.start)
    if entry is None:
        return {"page": page, "label": label, "last_page": last, "place": item.place}
    before = entry["first_page"] - 1
    own = {"page": item.page - before, "label": item.label, "last_page": (last or item.page) - before}
    return {"document": str(entry.get("name", "")), **own, "place": item.place}


def shares_read(record: Record, coverage: CoverageMap | None) -> Iterator[tuple[Record, float]]:
    """Each document of a set with the share of it that a model was shown."""
    if coverage is None:
        return
    end = max((_end(entry) for entry in list_documents(record)), default=0)
    shown = uncovered_spans(coverage.unread, end)
    for entry in list_documents(record):
        start, size = entry["start"], max(entry["characters"], 1)
        read = sum(max(min(high, start + size) - max(low, start), 0) for low, high in shown)
        yield entry, read / size


def describe_pages(numbers: Sequence[int], most: int, record: Record) -> str:
    """Page numbers with their noun; in a set by document, as it counts them: "a.pdf p. 3-4, b.txt"."""
    if not list_documents(record):
        return f"page{'' if len(numbers) == 1 else 's'} {format_ranges(numbers, most)}"
    told = []
    for entry in list_documents(record):
        first, pages = entry["first_page"], entry["pages"]
        own = [number - first + 1 for number in numbers if first <= number < first + pages]
        if own:
            noun = PAGE_NOUNS.get(str(entry.get("kind")), "page")
            where = f"{'p.' if noun == 'page' else noun} {format_ranges(own, most)}"
            told.append(f"{entry.get('name')} {where}" if pages > 1 else str(entry.get("name")))
    return ", ".join(told[:most]) + (f" and {len(told) - most} more documents" if len(told) > most else "")


def _end(entry: Record) -> int:
    return int(entry["start"] + entry["characters"])
