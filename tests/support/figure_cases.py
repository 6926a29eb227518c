"""Claims about made-up filings and contracts, each with what it quotes, for the tests of figures in claims."""

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.document import Document, Page
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.documents.quotes.index import QuoteIndex

INCOME = """Consolidated statements of income
(in millions, except per share data)
Years ended December 31,  2022  2021  2020
Net revenue  $  4,812.6  $  4,377.1  $  4,101.9
Cost of sales  (2,911.4)  (2,702.0)  (2,588.3)
Operating income  612.4  540.8  498.2
Interest expense  (48.9)  (51.3)  (55.0)
Effective tax rate  22.4 %  23.1 %  24.0 %
Net income  437.1  376.5  336.8
Diluted earnings per share  $  3.64  $  3.11  $  2.74
Dividends declared per share  0.74  0.70  0.66
Weighted average diluted shares  120.1  121.0  122.9
Employees  18,450  17,920  17,300
Capital expenditures  (182.3)  (165.9)  (150.2)
Restructuring charges  12.5  —  —
"""
SEGMENTS = """Segment results
(Dollars in thousands)
Three months ended June 30,  2023  2022
Packaging  $  210,450  $  198,300
Labels  88,120  91,045
Total segment sales  298,570  289,345
"""
REVENUE = "Net revenue  $  4,812.6  $  4,377.1  $  4,101.9"
COSTS = "Cost of sales  (2,911.4)  (2,702.0)  (2,588.3)"
OPERATING = "Operating income  612.4  540.8  498.2"
INTEREST = "Interest expense  (48.9)  (51.3)  (55.0)"
TAX = "Effective tax rate  22.4 %  23.1 %  24.0 %"
INCOME_ROW = "Net income  437.1  376.5  336.8"
EARNINGS = "Diluted earnings per share  $  3.64  $  3.11  $  2.74"
DIVIDENDS = "Dividends declared per share  0.74  0.70  0.66"
SHARES = "Weighted average diluted shares  120.1  121.0  122.9"
EMPLOYEES = "Employees  18,450  17,920  17,300"
CAPEX = "Capital expenditures  (182.3)  (165.9)  (150.2)"
CHARGES = "Restructuring charges  12.5  —  —"
PACKAGING = "Packaging  $  210,450  $  198,300"
LABELS = "Labels  88,120  91,045"


def told(
    claim: str, quotes: tuple[str, ...], calculations: tuple[str, ...] = (), question: str = "What does it say?"
) -> list[str]:
    """What the check of figures has against a claim, whose quotes are rows of the tables above or stand alone."""
    prose = [quote for quote in quotes if quote not in INCOME and quote not in SEGMENTS]
    pages, at = [], 0
    text = "\f".join((INCOME, SEGMENTS, "\n\n".join(prose)))
    for number, page in enumerate(text.split("\f"), 1):
        pages.append(Page(number, str(number), at, at + len(page)))
        at += len(page) + 1
    document = Document("d", "d.pdf", "pdf", "", "", text, tuple(pages))
    attempt = resolve_quotes(Draft((DraftClaim(claim, quotes, calculations),)), document, QuoteIndex(document))
    assert not attempt.refused, attempt.refused
    return [issue.line for issue in NumbersCheck(document, question)(attempt).issues]
