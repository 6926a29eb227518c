"""Whether the figures of a memo's own words stand in the documents at all; what they are said of is not read."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from ralph_cli.core.deferred import re
from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import MemoFigure
from ralph_cli.core.structure import Page
from ralph_cli.memo.reading.page_references import page_match
from ralph_cli.text.languages.documents import read_in_english

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def look_up_figures(figures: Sequence[MemoFigure], documents: Sequence[Document]) -> tuple[MemoFigure, ...]:
    """The figures, each with whether it occurs: on the page that its sentence names, else anywhere."""
    if not figures:
        return ()
    pages = [(document, page, _numbers(document, page)) for document in documents for page in document.pages]

    def occurs(figure: MemoFigure) -> bool:
        reference = figure.reference
        if reference is not None and any(document.paged for document in documents):
            named = [(d, page, numbers) for d, page, numbers in pages if d.paged and page_match(reference, page)]
        else:
            named = pages
        if figure.number[:1].isdigit():
            return any(figure.number in numbers for _, _, numbers in named)
        words = " ".join(figure.number.casefold().split())
        return any(words in " ".join(d.text[p.start : p.end].casefold().split()) for d, p, _ in named)

    return tuple(replace(figure, occurs=occurs(figure)) for figure in figures)


def _numbers(document: Document, page: Page) -> frozenset[str]:
    """The numbers of a page, as English writes them and as they are written."""
    english = document.derive(read_in_english).document.text
    return frozenset(chain.from_iterable(_plain(text[page.start : page.end]) for text in (english, document.text)))


def _plain(text: str) -> Iterator[str]:
    """The numbers of a text without the commas between their digits."""
    return (match[0].replace(",", "") for match in _NUMBER.finditer(text))
