"""Parts that a question names by number: where the document has them, and that there are several."""

import pytest
from fakes import document
from test_clauses import CONTRACT

from ralph_cli.core.document import Document
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.retrieval.search.named_parts import describe_ambiguous, find_named_parts

GERMAN = (
    "Mietvertrag\n\n1. Mietsache\nDie Halle.\n\n2. Miete\nDie Miete betr\u00e4gt 400.\n\nArtikel 3 Dauer\nZehn Jahre."
)


def begins(about: Document, question: str) -> list[list[str]]:
    return [
        [about.text[place.start : place.end].split("\n")[0] for place in part.places]
        for part in find_named_parts(about, question)
    ]


@pytest.mark.parametrize(
    ("text", "question", "found"),
    [
        (CONTRACT, "What does clause 2 say?", ["2. Rent"]),  # not the line of the contents
        (CONTRACT, "When is the rent of section 2.1 due?", ["2.1 The rent is due monthly. It covers:"]),
        (CONTRACT, "May one pay under clause 2.2(a)?", ["(a) in cash;"]),
        (CONTRACT, "What do clauses 2.1 and 9 say?", ["2.1 The rent is due monthly. It covers:"]),
        (CONTRACT, "What was the rent in May 2 and in Phase 2?", []),
        (CONTRACT, "What was due in 2031, of items 2031?", []),
        (GERMAN, "Was steht in Ziffer 2?", ["2. Miete"]),
        (GERMAN, "Was sagt Artikel 3?", ["Artikel 3 Dauer"]),
        (GERMAN, "Was sagt Artikel 3 Abs. 1 lit. b?", ["Artikel 3 Dauer"]),
    ],
)
def test_a_part_that_a_question_names_is_a_place_if_the_document_has_it(
    text: str, question: str, found: list[str]
) -> None:
    assert begins(document(text), question) == [[line] for line in found]


def test_a_part_ends_before_the_next_that_is_not_within_it() -> None:
    (part,) = find_named_parts(document(CONTRACT), "What does clause 2 say?")
    (place,) = part.places
    said = CONTRACT[place.start : place.end]
    assert "A late payment" in said and "4. Notices" not in said
    (part,) = find_named_parts(document(CONTRACT), "What does clause 2.2(c) say?")
    assert CONTRACT[part.places[0].start : part.places[0].end] == "c) in kind."


def test_a_part_that_is_there_several_times_is_told_and_not_chosen() -> None:
    texts = ["1. Term\nTen years.\n\n2. Rent\nIt is 400.\n", "1. Keys\nFive keys.\n\n2. Hours\nFrom 7 to 22.\n"]
    names = ("north_lease.txt", "south_lease.txt")
    leases = (NamedDocument(it, document(text, path=it), it) for it, text in zip(names, texts, strict=True))
    both = join_documents("set", list(leases))
    assert begins(both, "What does clause 2 say?") == [["2. Rent", "2. Hours"]]
    told = describe_ambiguous(both, find_named_parts(both, "What does clause 2 say?"))
    assert told.startswith("the question does not say which one is meant: part 2 is there 2 times: north_lease")
    assert "; south_lease.txt," in told
    assert begins(both, "What does clause 2 of the South Lease say?") == [["2. Hours"]]
    one = document(texts[0])
    assert describe_ambiguous(one, find_named_parts(one, "What does clause 2 say?")) == ""
