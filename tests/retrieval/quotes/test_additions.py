"""What is not of the running text, such as a form's values, is said of the quotes and lines that have it."""

from dataclasses import replace

import pytest
from fakes import FakeSandbox, document

from ralph_cli.checks.judge.passages import render_passages
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.core.structure import Addition, Span
from ralph_cli.retrieval.quotes.additions import describe_additions, describe_lines_with_additions
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.rlm.bridge import DocumentSandbox

TEXT = "The tenant is  Jane Doe  of  Delft\nThe rent is 500\n\n[comment by X] Ask\nfor 600.\nSigned  J. Doe  \u2714"
WHERE = (("Jane Doe", "form field"), ("Delft", "form field"), ("[comment by X] Ask\nfor 600.", "comment"))


def filled() -> Document:
    places = [(TEXT.index(words), words, origin) for words, origin in (*WHERE, ("J. Doe", "signature"))]
    additions = tuple(Addition(at, at + len(words), origin) for at, words, origin in places)
    return replace(document(TEXT), additions=(*additions, Addition(len(TEXT) - 1, len(TEXT), "form field")))


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        ("The tenant is", ()),
        ("The rent is 500", ()),
        ("Jane Doe", ("from a form field",)),
        ("tenant is  Jane", ('from a form field: "Jane"',)),
        ("is  Jane Doe  of  Delft", ('from a form field: "Jane Doe", "Delft"',)),
        ("Ask\nfor 600", ("from a comment",)),
        ("500\n\n[comment by X] Ask", ('from a comment: "[comment by X] Ask"',)),
        ("for 600.\nSigned  J. Doe", ('from a comment: "for 600."', 'from a signature: "J. Doe"')),
        ("\u2714", ()),
    ],
)
def test_a_quote_says_which_of_its_words_are_from_elsewhere(words: str, notes: tuple[str, ...]) -> None:
    at = TEXT.index(words)
    assert describe_additions(filled(), Span(at, at + len(words))) == notes


def test_reader_judge_and_worker_are_told() -> None:
    about = filled()
    quotes = ("The rent is 500", "The tenant is Jane Doe")
    attempt = resolve_quotes(Draft((DraftClaim("Jane Doe pays 500.", quotes),)), about, QuoteIndex(about))
    assert [quote.difference for quote in attempt.quotes] == [(), ('from a form field: "Jane Doe"',)]
    shown = render_passages(about, attempt.quotes, "n")
    assert '(quote 2 is from a form field: "Jane Doe")' in shown and "(quote 1 is" not in shown
    bench = DocumentSandbox(FakeSandbox, about)
    assert "(from a form field:" in bench.run("find('tenant', after=0)", lambda items: []).stdout
    assert "(from a" not in bench.run("find('rent', after=0, before=0)", lambda items: []).stdout


def test_each_line_that_has_some_is_described() -> None:
    found = describe_lines_with_additions(filled())
    starts = [TEXT.index(words) for words in ("The tenant", "[comment", "for 600", "Signed")]
    assert list(found) == starts
    assert found[starts[0]] == 'from a form field: "Jane Doe", "Delft"' and found[starts[2]] == "from a comment"


def test_of_many_words_the_first_are_named() -> None:
    text = "in " + " x ".join("abcde")
    additions = tuple(Addition(at, at + 1, "stamp") for at in range(3, len(text), 4))
    about = replace(document(text), additions=additions)
    assert describe_additions(about, Span(0, len(text))) == ('from a stamp: "a", "b", "c" and 2 more',)
