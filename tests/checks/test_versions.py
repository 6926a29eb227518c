"""Quotes in a new version of their document: still there, moved, changed or gone, and what differs."""

import pytest
from fakes import document

from ralph_cli.checks.quotes import pin
from ralph_cli.checks.versions import stands
from ralph_cli.core.document import Document, Heading
from ralph_cli.core.run import Draft, DraftClaim, Quote
from ralph_cli.core.verification import QuoteStanding, Standing
from ralph_cli.documents.locate import QuoteIndex

OLD = (
    "1. The Supplier shall not suspend the Services while a dispute is open.\n\n"
    "2. The Customer shall pay each invoice within thirty days of receiving it.\n"
    "\f3. Liability is limited to $4,000,000 in each year.\n\n"
    "4. Notices are given in writing. Notices are given in writing.\n"
)


def quote_of(said: str, text: str = OLD) -> Quote:
    about = document(text)
    (quote,) = pin(Draft((DraftClaim("", (said,)),)), about, QuoteIndex(about)).quotes
    return quote


def compared(said: str, new: str, *, before: str | None = None, old: str = OLD) -> QuoteStanding:
    about = document(new)
    return stands(quote_of(said, old), about, QuoteIndex(about), document(before) if before else None)


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
    assert found.notes == ("its sentence reads otherwise (then -> now): Liability -> Except for fraud, liability",)
    assert compared(said, new).notes == ()  # without the old text there is nothing to compare with


def test_a_negation_before_a_quote_is_noted_even_without_the_old_text() -> None:
    found = compared(
        "given in writing", OLD.replace("Notices are given in writing", "Notices are not given in writing")
    )
    assert any("not" in note for note in found.notes)


def test_another_number_of_places_is_noted_and_the_same_one_is_meant() -> None:
    quote = quote_of("Notices are given in writing")
    assert quote.occurrences == 2
    about = document("Preface.\n" + OLD)
    found = stands(quote, about, QuoteIndex(about))
    assert about.text[found.start : found.end] == quote.text and found.start == quote.start + 9 and not found.notes
    fewer = compared("Notices are given in writing", OLD.replace(" Notices are given in writing.", "", 1))
    assert fewer.notes[0] == "stood in 2 places, now in 1"


def test_without_pages_the_heading_tells_that_a_quote_was_moved() -> None:
    old, new = "# Charges\nFees are due.\n# Other\nNothing.\n", "# Charges\nNothing.\n# Other\nFees are due.\n"

    def headed(text: str) -> Document:
        plain = document(text)
        headings = (Heading("Charges", 0, 1), Heading("Other", text.index("# Other"), 1))
        return Document(
            *(getattr(plain, n) for n in ("id", "path", "kind", "sha256", "fingerprint", "text", "pages")), headings
        )

    found = stands(quote_of("Fees are due.", old), headed(new), QuoteIndex(headed(new)), headed(old))
    assert (found.standing, found.section) == (Standing.HOLDS, "Other")
    assert found.notes[0] == 'stood under "Charges"'


def test_a_quote_over_a_page_end_is_found_though_the_page_number_between_is_another() -> None:
    page = "Head of the report\nOpening words of page {0} stand here.\n{1}\n{0}\n"
    old = "\f".join(page.format(n, "the sentence goes" if n == 3 else "filler and filler") for n in range(1, 7))
    old = old.replace("Opening words of page 4", "on over the page end of 4")
    new = "\f".join(part.replace(f"\n{n}\n", f"\n{n + 10}\n") for n, part in enumerate(old.split("\f"), 1))
    said = "the sentence goes on over the page end of 4"
    found = compared(said, new, old=old)
    assert found.standing is Standing.HOLDS, (found, quote_of(said, old))
