"""Under which headers the figures of a row stand, where its text alone does not show it."""

from collections.abc import Sequence
from dataclasses import replace

from fakes import document
from tables import make_table

from ralph_cli.checks.judge.passages import render_passages
from ralph_cli.core.document import Document
from ralph_cli.core.run import Quote
from ralph_cli.retrieval.context import describe_sparse_rows

TEXT = "Item  2022  2023\nRent  400  450\nDividend  500\nTax  \u2423  70\nFees  20\n"


LINES = (
    ("Item", "2022", "2023"),
    ("Rent", "400", "450"),
    ("Dividend", "", "500"),
    ("Tax", "", "70"),
    ("Fees", "20"),
)


def with_table(*rows: Sequence[str]) -> Document:
    return replace(document(TEXT), tables=(make_table(TEXT, *rows),))


def test_a_row_whose_first_cell_is_empty_is_described() -> None:
    about = with_table(*LINES)
    assert describe_sparse_rows(about) == {TEXT.index("Dividend"): "500 stands under \u201c2023\u201d"}


def test_a_column_that_nothing_names_is_not_guessed() -> None:
    assert describe_sparse_rows(with_table(("Item", "2022"), *LINES[1:])) == {}


def test_the_judge_is_told_of_a_quoted_row_and_of_no_other() -> None:
    about = with_table(*LINES)

    def shown(words: str) -> str:
        start = TEXT.index(words)
        quote = Quote(1, words, start, start + len(words), 1, "1", "exact", 1, words)
        return render_passages(about, (quote,), "n")

    assert "(in the row 'Dividend 500': 500 stands under \u201c2023\u201d)" in shown("Dividend  500")
    assert "stands under" not in shown("Rent  400  450")
