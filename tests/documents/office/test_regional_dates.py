"""Dates that a spreadsheet program shows in the form of its user's country: marked, and quoted in any of these."""

import pytest
from office_files import X, cell, load, origins, row, sheet, words, xlsx

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.core.structure import HIDDEN_ORIGINS, REGIONAL, Span
from ralph_cli.documents.page_text import PageText
from ralph_cli.retrieval.quotes.index import QuoteIndex

CODES = ("[$-F800]dddd, mmmm dd, yyyy", "[$-f400]h:mm:ss AM/PM", "yyyy-mm-dd", "[$-409]d mmmm yyyy", "General")
IDENTITIES = (0, 14, 22, 31, 58, 34, 15, *range(200, 200 + len(CODES)))
STYLES = (
    f"<styleSheet xmlns='{X}'><numFmts>"
    + "".join(f"<numFmt numFmtId='{200 + at}' formatCode='{code}'/>" for at, code in enumerate(CODES))
    + f"</numFmts><cellXfs>{''.join(f'<xf numFmtId={one!r}/>' for one in map(str, IDENTITIES))}</cellXfs></styleSheet>"
)


def style(identity: int) -> int:
    return IDENTITIES.index(identity)


def objects(document: Document, text: str, quote: str) -> bool:
    """Whether the check of figures objects to a claim."""
    attempt = resolve_quotes(Draft((DraftClaim(text, (quote,)),)), document, QuoteIndex(document))
    assert not attempt.refused, attempt.refused
    return bool(NumbersCheck(document, "When was it signed?")(attempt).issues)


def leases(*days: int) -> Document:
    """Lessees with the days on which they signed, which are shown in the form of the reader's country."""
    rows = [
        row(
            at,
            words(f"A{at}", f"Lessee {chr(64 + at)}"),
            cell(f"B{at}", str(day), style=style(14)),
            cell(f"C{at}", f"{at}00"),
        )
        for at, day in enumerate(days, 1)
    ]
    return load("xlsx", xlsx({"P": sheet("".join(rows))}, styles=STYLES))


MARCH_4, MARCH_14, APRIL_3 = 46085, 46095, 46115


@pytest.mark.parametrize(
    ("identity", "value", "shown", "is_regional"),
    [
        (14, "46095", "2026-03-14", True),
        (22, "46095.5", "2026-03-14 12:00", True),
        (31, "46095", "2026-03-14", True),
        (58, "46095", "2026-03-14", True),
        (34, "0.5", "12:00:00", True),
        (200, "46095", "Saturday, March 14, 2026", True),
        (201, "0.5", "12:00:00 PM", True),
        (15, "46095", "14-Mar-26", False),
        (202, "46095", "2026-03-14", False),
        (203, "46095", "14 March 2026", False),
        (0, "46095", "46095", False),
        (14, "-1", "-1", False),
    ],
)
def test_what_a_program_shows_in_the_form_of_its_users_country_is_marked(
    identity: int, value: str, shown: str, is_regional: bool
) -> None:
    rows = row(1, words("A1", "Day"), cell("B1", value, style=style(identity)))
    document = load("xlsx", xlsx({"P": sheet(rows)}, styles=STYLES))
    assert document.text == f"Day  {shown}"
    assert origins(document) == ({shown: REGIONAL} if is_regional else {})
    said = QuoteIndex(document).describe_departures("", Span(0, len(document.text)), "exact")
    assert said == ((f'from a {REGIONAL}: "{shown}"',) if is_regional else ())


def test_what_is_hidden_stays_hidden() -> None:
    rows = row(1, cell("A1", "46095", style=style(14)), words("B1", "Day"), settings="hidden='1'")
    document = load("xlsx", xlsx({"P": sheet(rows)}, styles=STYLES))
    assert origins(document) == {"2026-03-14  Day": "hidden row"}
    merged = "<mergeCells><mergeCell ref='A1:B1'/></mergeCells>"
    rows = row(1, words("A1", "Day"), cell("B1", "46095", style=style(14)))
    document = load("xlsx", xlsx({"P": sheet(rows, behind=merged)}, styles=STYLES))
    assert origins(document) == {"2026-03-14": "hidden cell"}


def test_many_dates_make_nothing_else_count_as_hidden() -> None:
    page = PageText()
    for _ in range(20):
        page.mark(REGIONAL, page.add_line("2026-03-14"), page.length)
    page.mark("hidden row", page.add_line("closed"), page.length)
    assert len(page.settle_additions(21)) == 21
    assert [one.origin for one in page.settle_additions(20)] == ["hidden row"] and "hidden row" in HIDDEN_ORIGINS


FORMS = {
    MARCH_14: ("3/14/2026", "14/03/2026", "14.03.2026", "14-03-2026", "2026/3/14", "14 March 2026", "March 14, 2026"),
    MARCH_4: ("3/4/2026", "04/03/2026", "4.3.2026", "04-03-2026", "2026/03/04", "4 March 2026"),
}


@pytest.mark.parametrize(("day", "form"), [(day, form) for day, forms in FORMS.items() for form in forms])
def test_a_quote_and_a_claim_may_have_such_a_date_in_another_form(day: int, form: str) -> None:
    document = leases(MARCH_4, MARCH_14)
    own = "2026-03-14" if day == MARCH_14 else "2026-03-04"
    quote = f"Lessee {'AB'[day == MARCH_14]}  {own}  {1 + (day == MARCH_14)}00"
    given = quote.replace(own, form)
    index = QuoteIndex(document)
    match = index.find(given)
    assert match is not None and match.tier == "recut" and document.text[match.span.start : match.span.end] == quote
    assert f"-> {own}" in index.describe_departures(given, match.span, match.tier)[0]
    assert not objects(document, f"It was signed on {form}.", quote)
    assert not objects(document, f"It was signed on {form}.", given)


def test_another_day_is_another_day() -> None:
    document = leases(MARCH_14)
    index = QuoteIndex(document)
    for form in ("3/15/2026", "14.04.2026", "14 March 2025", "2026/03/15", "14-05-2026"):
        assert index.find(f"Lessee A  {form}  100") is None
        assert objects(document, f"It was signed on {form}.", "Lessee A  2026-03-14  100")


def test_of_two_days_that_a_date_may_name_neither_is_chosen() -> None:
    index = QuoteIndex(leases(MARCH_4, APRIL_3))
    assert index.find("3/4/2026") is None
    assert index.find("Lessee A  3/4/2026") is not None and index.find("4 March 2026") is not None


def test_elsewhere_a_date_is_quoted_as_it_stands() -> None:
    rows = row(1, words("A1", "Day"), cell("B1", str(MARCH_14), style=style(202)), cell("C1", "1", style=style(14)))
    index = QuoteIndex(load("xlsx", xlsx({"P": sheet(rows)}, styles=STYLES)))
    assert index.find("Day  2026-03-14  1900-01-01") is not None
    assert index.find("Day  2026-03-14  1/1/1900") is not None and index.find("Day  3/14/2026  1/1/1900") is None
