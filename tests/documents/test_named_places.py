"""Where a passage stands, in the words of its format and, in a set, with its document."""

import pytest

from ralph_cli.core.document import Document, Member
from ralph_cli.core.structure import Heading, NamedPlace, Page, Span
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import ParsedDocument, assemble
from ralph_cli.documents.structure.complete import complete


def sheet_of_cells() -> ParsedDocument:
    text = "Cost  1,577\fRent  12"
    places = zip((0, 6, 12, 18), ("Plan!A1", "Plan!B1", "Balance!A1", "Balance!B1"), strict=True)
    pages = (Page(1, "Plan", 0, 11), Page(2, "Balance", 12, 20))
    return ParsedDocument(text, pages, places=tuple(NamedPlace(*place) for place in places))


def test_a_format_names_its_own_places() -> None:
    parsed = ParsedDocument.from_json(sheet_of_cells().to_json(), DEFAULT_LIMITS)
    assert parsed == sheet_of_cells()
    document = assemble(parsed, path="plan.xlsx", kind="xlsx", sha256="0" * 64, fingerprint="")
    at = document.text.index
    assert document.describe_span(Span(at("1,577"), at("1,577") + 5)) == "Plan!B1"
    assert document.describe_span(Span(at("Rent"), at("12") + 2)) == "Balance!A1 to B1"
    assert document.describe_span(Span(0, at("Rent") + 4)) == "Plan!A1 to Balance!A1"


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ((NamedPlace(4, "B1"), NamedPlace(2, "A1")), "out of order"),
        ((NamedPlace(99, "A1"),), "outside of the text"),
        ((NamedPlace(0, "A\n1"),), "one line"),
        ((NamedPlace(0, "A" * 121),), "one line"),
    ],
)
def test_places_that_no_correct_parser_gives_are_refused(places: tuple[NamedPlace, ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        plain_document(["words"], places=places).validate(DEFAULT_LIMITS)


def test_slides_and_pages_are_called_what_they_are() -> None:
    pages = (Page(1, "1", 0, 5), Page(2, "ii", 6, 10))
    for kind, place in (("pptx", "slide 2 (ii)"), ("pdf", "p. 2 (printed ii)"), ("text", "p. 2 (printed ii)")):
        document = Document("d", "d", kind, "", "", "first\fnext", pages)
        assert document.describe_span(Span(6, 10)) == place


def test_a_place_in_a_set_names_the_document_and_counts_from_its_beginning() -> None:
    parts = ("one\ntwo", "first\fnext", "Term\nTen years")
    text, pages, members, start = "\f".join(parts), [], [], 0
    for name, kind, part in zip(("a.txt", "b.pdf", "c.html"), ("text", "pdf", "html"), parts, strict=True):
        first = len(pages) + 1
        for number, page in enumerate(part.split("\f"), 1):
            pages.append(Page(len(pages) + 1, str(number), start, start + len(page)))
            start += len(page) + 1
        begin = pages[first - 1].start
        places = {"start": begin, "end": begin + len(part), "first_page": first, "pages": len(pages) - first + 1}
        members.append(Member(name=name, path=name, kind=kind, sha256="", fingerprint="", **places))
    headings = (Heading("two", 4, 1), Heading("Term", text.index("Term"), 1))
    document = Document("s", "set", "set", "", "", text, tuple(pages), headings, members=tuple(members))

    def place(words: str) -> str:
        return document.describe_span(Span(text.index(words), text.index(words) + len(words)))

    assert place("two") == "a.txt, line 2, under “two”"
    assert place("first") == "b.pdf, p. 1"
    assert place("next") == "b.pdf, p. 2"
    assert place("Ten") == "c.html, paragraph 2, under “Term”"


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("thirty days", "clause 7.2, paragraph 3, under \u201c7. Payment\u201d"),
        ("by cheque", "clause 7.2(b), paragraph 5, under \u201c7. Payment\u201d"),
        ("Late sums", "clause 7.2, paragraph 6, under \u201c7. Payment\u201d"),
        ("Payment", "paragraph 2, under \u201c7. Payment\u201d"),
        ("signed", "paragraph 8, under \u201cSignatures\u201d"),
        ("Lease", "paragraph 1"),
    ],
)
def test_a_text_without_pages_names_the_clause_beside_the_paragraph(words: str, place: str) -> None:
    parts = [
        "Lease",
        "7. Payment",
        "7.2 Within thirty days",
        "(a) in cash or",
        "(b) by cheque.",
        "Late sums bear rent.",
    ]
    text = "\n\n".join([*parts, "Signatures", "It is signed."])
    headings = tuple(Heading(title, text.index(title), 1) for title in ("7. Payment", "Signatures"))
    plain = plain_document([text], headings=headings)
    document = assemble(complete(plain, "docx"), path="a.docx", kind="docx", sha256="0" * 64, fingerprint="")
    assert document.describe_span(Span(text.index(words), text.index(words) + 3)) == place
    paged = assemble(complete(plain, "pdf"), path="a.pdf", kind="pdf", sha256="0" * 64, fingerprint="")
    assert paged.describe_span(Span(text.index(words), text.index(words) + 3)) == "p. 1"
