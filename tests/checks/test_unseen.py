"""A quote of a part that nobody has looked at comes back once; words that were shown in any form do not."""

import pytest
from fakes import document

from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.checks.unseen import UnseenQuotes
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.retrieval.quotes.index import QuoteIndex

FILLER = "Nothing that matters is said in this line.\n" * 200
LEASE = document(
    f"The term is five years.\n{FILLER}\f{FILLER}Rent  48,000  47,000\nThe term is five years.", kind="pdf"
)
LONG = document(LEASE.text.replace("\f", "\n"))
RENT = "Rent  48,000  47,000"


@pytest.mark.parametrize("about", [LEASE, LONG])
@pytest.mark.parametrize(
    ("quote", "printed", "is_told"),
    [
        (RENT, "", True),
        (RENT, "Rent of the hall: 47,000", True),
        (RENT, "['Rent | 48,000 | 47,000\\\\n']", False),
        ("The term is five years", "", False),  # it stands on the page that was shown, too
    ],
)
def test_a_quote_of_a_part_that_was_not_looked_at_is_told_once(about, quote, printed, is_told):
    review = UnseenQuotes(about, lambda: ((0, 40),), lambda: ["page 1", printed])
    attempt = resolve_quotes(Draft((DraftClaim("It is so.", (quote,)),)), about, QuoteIndex(about), ((0, 40),))
    found = review.issues(attempt)
    assert bool(found) == is_told and not review.issues(attempt)
    if found:
        place = "p. 2" if about is LEASE else "line 403"
        assert f"a quote of claim 1: {place}, offset {about.text.index(RENT)}" in found[0].material


def test_what_was_given_to_a_subquery_or_stands_near_what_was_printed_was_looked_at():
    at = LEASE.text.index(RENT)
    attempt = resolve_quotes(Draft((DraftClaim("It is so.", (RENT,)),)), LEASE, QuoteIndex(LEASE))
    assert not UnseenQuotes(LEASE, lambda: ((at - 900, at - 800),), list).issues(attempt)
