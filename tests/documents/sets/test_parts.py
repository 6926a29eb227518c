"""A part of a document is a document: nothing in it is outside of its text, wherever it is cut."""

from pathlib import Path

import pytest

from ralph_cli.core.document import Document
from ralph_cli.documents.sets.joining import take_part
from ralph_cli.documents.source import DocumentSource
from ralph_cli.rlm.bridge import lookup_facts

SAMPLE = Path(__file__).parents[3] / "samples" / "report.pdf"


@pytest.fixture(scope="module")
def report() -> Document:
    return DocumentSource.of(SAMPLE).load()


def test_nothing_in_a_part_is_outside_of_it(report: Document) -> None:
    cuts = {table.start for table in report.tables} | {it.end for table in report.tables for it in table.statements}
    cuts |= {block.start + 5 for block in report.blocks[::7]}
    reached = 0
    for start in sorted(cuts):
        for end in (start + 40, start + 3_000, len(report.text)):
            end = min(end, len(report.text))
            part = take_part(report, start, end)
            assert part.text == report.text[start:end] and part.pages
            spans = [*part.tables, *part.blocks, *part.headings, *part.notes, *part.additions, *part.quoted]
            spans += [it for table in part.tables for it in (*table.rows, *table.cells, *table.statements)]
            assert all(0 <= it.start <= it.end <= len(part.text) for it in spans)
            assert [page.number for page in part.pages] == [
                page.number for page in report.pages if page.start < end and page.end > start
            ]
            lookup_facts(part)  # what the functions of a worker know
            reached += any(it.start < start <= table.start for table in report.tables for it in table.statements)
    assert reached > 20, "parts whose tables are governed by words before them"
