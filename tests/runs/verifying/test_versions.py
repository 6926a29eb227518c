"""Quotes in a new version of their document: still there, moved, changed or gone, and what differs."""

import pytest
from fakes import document

from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.results.verification import QuoteStanding, Standing
from ralph_cli.core.run import Draft, DraftClaim, Quote
from ralph_cli.core.structure import Heading
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.runs.verifying.context import DocumentContext
from ralph_cli.runs.verifying.versions import locate_quote

OLD = (
    "1. The Supplier shall not suspend the Services while a dispute is open.\n\n"
    "2. The Customer shall pay each invoice within thirty days of receiving it.\n"
    "\f3. Liability is limited to $4,000,000 in each year.\n\n"
    "4. Notices are given in writing. Notices are given in writing.\n"
)


def quote_of(said: str, text: str = OLD) -> Quote:
    about = document(text)
    (quote,) = resolve_quotes(Draft((DraftClaim("", (said,)),)), about, QuoteIndex(about)).quotes
    return quote


def compared(said: str, new: str, *, before: str | None = None, old: str = OLD) -> QuoteStanding:
    about = document(new)
    then = DocumentContext(document(before)) if before else None
    return locate_quote(quote_of(said, old), DocumentContext(about), QuoteIndex(about), then)


def test_an_unchanged_quote_holds_where_it_was() -> None:
    found = compared("pay each invoice within thirty days", OLD + "5. More.\n")
    assert (found.standing, found.page, found.tier, found.notes) == (Standing.HOLDS, 1, "exact", ())
    assert found.there and found.text == "pay each invoice within thirty days"


def test_a_quote_on_another_page_has_moved() -> None:
    found = compared("Liability is limited to $4,000,000", "A new first page.\n\f" + OLD)
    assert (found.standing, found.quote.page, found.page) == (Standing.MOVED, 2, 3) and found.there


def test_line_breaks_and_typography_are_no_change() -> None:
    found = compared("within thirty days of receiving it", OLD.replace("thirty days of", "thirty\ndays of"))
    assert (found.standing, found.tier) == (Standing.HOLDS, "folded")


@pytest.mark.parametrize(
    ("said", "old", "new", "text", "differing"),
    [
        (
            "The Supplier shall not suspend the Services",
            "shall not suspend",
            "may suspend",
            "The Supplier may suspend the Services",
            ("shall not -> may",),
        ),
        (
            "Liability is limited to $4,000,000 in each year",
            "$4,000,000",
            "$2,000,000",
            "Liability is limited to $2,000,000 in each year",
            ("$4,000,000 -> $2,000,000",),
        ),
        (
            "The Customer shall pay each invoice within thirty days of receiving it.",
            "thirty days of receiving it",
            "thirty days of the end of the month in which it comes",
            "The Customer shall pay each invoice within thirty days of the end of the month in which it comes.",
            ("receiving it. -> the end of the month in which it comes.",),
        ),
        (
            "The Customer shall pay each invoice within thirty days",
            "The Customer",
            "Except in August, the Customer",
            "the Customer shall pay each invoice within thirty days",
            ("The -> the",),
        ),
    ],
)
def test_a_changed_quote_comes_with_the_closest_true_text_and_what_differs(
    said: str, old: str, new: str, text: str, differing: tuple[str, ...]
) -> None:
    found = compared(said, OLD.replace(old, new))
    assert (found.standing, found.text, found.differing) == (Standing.CHANGED, text, differing) and not found.there


def test_a_change_of_sign_or_bracket_alone_is_a_change() -> None:
    old = "Net income for the first half year was (1,577) in thousands.\n"
    found = compared("Net income for the first half year was (1,577)", old.replace("(1,577)", "1,577"), old=old)
    assert found.standing is Standing.CHANGED and found.differing == ("(1,577) -> 1,577",)


def test_words_taken_from_another_sentence_are_not_a_change_but_a_loss() -> None:
    for new in (
        "Something else altogether stands here, about other matters.\n",
        OLD.replace("2. The Customer shall pay", ""),
    ):
        found = compared("The Customer shall pay each invoice within thirty days of receiving it.", new)
        assert found.standing is (Standing.GONE if "Something" in new else Standing.CHANGED)
    assert compared("The Supplier shall not suspend", OLD[75:]).standing is Standing.GONE


def test_a_sentence_that_was_changed_around_a_quote_is_noted() -> None:
    new = OLD.replace("3. Liability", "3. Except for fraud, liability").replace("Liability", "Liability")
    said = "limited to $4,000,000 in each year"
    found = compared(said, new, before=OLD)
    assert found.standing is Standing.HOLDS
    assert found.around == ("its sentence reads otherwise (then -> now): Liability -> Except for fraud, liability",)
    assert compared(said, new).around == ()  # without the old text there is nothing to compare with


def test_a_negation_before_a_quote_is_noted_even_without_the_old_text() -> None:
    found = compared(
        "given in writing", OLD.replace("Notices are given in writing", "Notices are not given in writing")
    )
    assert any("not" in note for note in found.around)


def test_another_number_of_places_is_noted_and_the_same_one_is_meant() -> None:
    quote = quote_of("Notices are given in writing")
    assert quote.occurrences == 2
    about = document("Preface.\n" + OLD)
    found = locate_quote(quote, DocumentContext(about), QuoteIndex(about))
    assert about.text[found.start : found.end] == quote.text and found.start == quote.start + 9 and not found.notes
    fewer = compared("Notices are given in writing", OLD.replace(" Notices are given in writing.", "", 1))
    assert fewer.notes[0] == "was in 2 places, now in 1"


def test_without_pages_the_heading_tells_that_a_quote_was_moved() -> None:
    old, new = "# Charges\nFees are due.\n# Other\nNothing.\n", "# Charges\nNothing.\n# Other\nFees are due.\n"

    def headed(text: str) -> Document:
        plain = document(text)
        first = text.split("\n")[0].removeprefix("# ")
        headings = (Heading(first, 0, 1), Heading("Other", text.index("# Other"), 1))
        return Document(
            *(getattr(plain, n) for n in ("id", "path", "kind", "sha256", "fingerprint", "text", "pages")), headings
        )

    def standing(new: str) -> QuoteStanding:
        about = headed(new)
        quote = quote_of("Fees are due.", old)
        return locate_quote(quote, DocumentContext(about), QuoteIndex(about), DocumentContext(headed(old)))

    found = standing(new)
    assert (found.standing, found.section, found.there) == (Standing.MOVED, "Other", True)
    assert found.around[0] == 'was under "Charges", is under "Other"'
    renumbered = standing(old.replace("# Charges", "# 7. Charges"))
    assert (renumbered.standing, renumbered.around) == (Standing.HOLDS, ())
    renamed = standing(old.replace("# Charges", "# Waived charges"))
    assert renamed.standing is Standing.HOLDS and 'is under "Waived charges"' in renamed.around[0]


def test_a_quote_over_a_page_end_is_found_though_the_page_number_between_is_another() -> None:
    page = "Head of the report\nOpening words of page {0} stand here.\n{1}\n{0}\n"
    old = "\f".join(page.format(n, "the sentence goes" if n == 3 else "filler and filler") for n in range(1, 7))
    old = old.replace("Opening words of page 4", "on over the page end of 4")
    new = "\f".join(part.replace(f"\n{n}\n", f"\n{n + 10}\n") for n, part in enumerate(old.split("\f"), 1))
    said = "the sentence goes on over the page end of 4"
    found = compared(said, new, old=old)
    assert found.standing is Standing.HOLDS, (found, quote_of(said, old))


TABLE = (
    "Consolidated results\n(in millions)\nYear ended December 31,  2023  2022\n"
    "Product revenue  700  600\nTotal revenue  930  737\nThe auditors gave no opinion on this page.\n"
)


@pytest.mark.parametrize(
    ("old", "new"),
    [("(in millions)", "(in thousands)"), ("2023  2022", "2022  2023"), ("Year ended", "Nine months ended")],
)
def test_a_row_whose_table_is_headed_otherwise_is_there_but_says_something_else(old: str, new: str) -> None:
    found = compared("Total revenue  930  737", TABLE.replace(old, new), before=TABLE, old=TABLE)
    assert found.standing is Standing.HOLDS and len(found.around) == 1
    then, now = found.around[0].removeprefix("the lines that head its table were changed (then -> now): ").split(" -> ")
    assert " ".join(old.split()) in then and " ".join(new.split()) in now
    same = compared("Total revenue  930  737", "A new line.\n" + TABLE, before=TABLE, old=TABLE)
    assert same.around == ()


def test_without_the_old_text_the_lines_that_head_a_table_now_are_shown() -> None:
    found = compared("Total revenue  930  737", TABLE.replace("millions", "thousands"), old=TABLE)
    assert not found.around and "(in thousands) / Year ended December 31, 2023 2022" in found.notes[0]


PIPES = "| Item | Fee | Cap |\n|---|---|---|\n| Hosting | 21,500 | 40,000 |\n| Support | 9,000 | 12,000 |\n"


def test_the_names_of_columns_without_years_head_a_table_too() -> None:
    found = compared("| Support | 9,000 | 12,000 |", PIPES.replace("Fee | Cap", "Cap | Fee"), before=PIPES, old=PIPES)
    assert "| Item | Fee | Cap |" in found.around[0] and "| Item | Cap | Fee |" in found.around[0]
    cells = "Item  Fee  Cap\nHosting  21,500  40,000\nSupport  9,000  12,000\n"
    found = compared("Support  9,000  12,000", cells.replace("Fee  Cap", "Cap  Fee"), before=cells, old=cells)
    assert found.around == (
        'the lines that head its table were changed (then -> now): "Item Fee Cap" -> "Item Cap Fee"',
    )
    other = compared("Support  9,000  12,000", cells.replace("Hosting", "Storage"), before=cells, old=cells)
    assert other.around == ()


CLAUSES = (
    "Preface to all.\n\nThe fee is 5 % of revenue. It is due monthly.\n\nEither party may end it on notice.\n"
    "\nThe law is that of Norway.\n"
)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("It is due", "This ends in 2025. It is due", "the text behind its sentence reads otherwise"),
        ("The fee", "Until 2025 this applies. The fee", "the text before its sentence reads otherwise"),
        ("of revenue.", "of revenue, until 2025.", "its sentence reads otherwise"),
        ("The fee is", "In 2024 the fee is", "its sentence reads otherwise"),
        ("It is due monthly.", "It is never due.", "the text behind its sentence reads otherwise"),
    ],
)
def test_words_put_beside_a_quote_in_its_sentence_or_paragraph_are_named(old: str, new: str, told: str) -> None:
    said = "fee is 5 % of revenue"
    found = compared(said, CLAUSES.replace(old, new), before=CLAUSES, old=CLAUSES)
    assert found.there and len(found.around) == 1 and found.around[0].startswith(told), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Preface to all.", "Preface to some."),
        ("\n\nThe fee", "\n\nA new clause stands here.\n\nThe fee"),
        ("Either party", "No party"),
        ("revenue. It is", "revenue.\nIt  is"),
        ("of Norway.", "of Norway. A schedule was added."),
    ],
)
def test_what_is_changed_elsewhere_or_set_otherwise_is_no_change_around_a_quote(old: str, new: str) -> None:
    for said in ("fee is 5 % of revenue", "The fee is 5 % of revenue.", "due monthly."):
        assert compared(said, CLAUSES.replace(old, new), before=CLAUSES, old=CLAUSES).around == ()


def test_pages_that_break_elsewhere_are_no_change_around_a_quote() -> None:
    said = "the limit of sentence {0} is {0}00 euros"
    sentences = [f"In the case at hand, {said.format(n)}, as was agreed with all of them." for n in range(10, 70)]

    def pages(size: int) -> str:
        sheets = (sentences[at : at + size] for at in range(0, len(sentences), size))
        return "\f".join(f"Terms of the house\n{chr(10).join(s)}\nPage {n}" for n, s in enumerate(sheets, 1))

    for number in range(10, 70):
        found = compared(said.format(number), pages(7), before=pages(10), old=pages(10))
        assert found.there and found.around == (), found


def test_a_sentence_below_a_table_is_no_part_of_it() -> None:
    old = TABLE.replace("The auditors gave", "The 2 auditors gave")
    for said in ("2 auditors gave no opinion", "The 2 auditors gave no opinion on this page."):
        assert compared(said, old.replace("2023  2022", "2022  2023"), before=old, old=old).around == ()
