"""Words that are figures, such as "doubled" or "two-thirds", need the same in the quotes, or numbers that make it."""

import pytest
from figure_cases import COSTS, REVENUE, told


@pytest.mark.parametrize(
    ("quote", "claim", "holds"),
    [
        ("Sales went from $5 million to $10 million.", "Sales doubled.", True),
        ("Sales went from $5 million to $10 million.", "Sales tripled.", False),
        ("Sales went from $5 million to $10 million.", "Sales were twice those of the year before.", True),
        ("Sales went from $5 million to $12 million.", "Sales more than doubled.", True),
        ("Sales went from $5 million to $10 million.", "Sales more than doubled.", False),
        ("Sales went from $5 million to $9 million.", "Sales nearly doubled.", True),
        ("Sales went from $5 million to $11 million.", "Sales nearly doubled.", False),
        ("Sales were up 100%.", "Sales doubled.", True),
        ("Sales were up 50%.", "Sales doubled.", False),
        ("Sales grew twofold.", "Sales doubled.", True),
        ("Sales doubled.", "It was a doubling of sales.", True),
        ("Sales doubled.", "Sales rose ninefold.", False),
        ("Sales were cut to $5 million from $10 million.", "Sales halved.", True),
        ("Sales were cut to $8 million from $10 million.", "Sales halved.", False),
        ("Sales have grown.", "Sales will double.", False),
        (
            "It grew at double-digit rates on triple net leases.",
            "Double-digit growth on triple net leases.",
            True,
        ),
        ("50% of the plants are leased.", "Half of the plants are leased.", True),
        ("50% of the plants are leased.", "More than half of the plants are leased.", False),
        ("61% of the plants are leased.", "More than half of the plants are leased.", True),
        ("12% of the plants are leased.", "Less than half of the plants are leased.", True),
        ("40% of the plants are leased.", "Half of the plants are leased.", False),
        ("One-half of the plants is leased.", "Half the plants are leased.", True),
        ("66.7% of the votes", "Two-thirds of the votes.", True),
        ("66⅔% of the votes", "Two thirds of the votes.", True),
        ("60% of the votes", "Two-thirds of the votes.", False),
        ("A third of the votes", "One-third of the votes.", True),
        ("75% of the votes", "Three quarters of the votes.", True),
        ("25% of the votes", "A quarter of the votes.", True),
        ("25% of the votes", "A fifth of the votes.", False),
        ("It was one-third owned.", "It was one-third owned.", True),
        (
            "On the one hand, it leases plants.",
            "In the first half it leased none.",
            False,
        ),
        ("Of the plants, one is leased.", "It has another, on the other half of it.", True),
        ("A third party and a third lender sued.", "A third party and a third lender sued.", True),
        ("It pays each half-year.", "It pays half-yearly, each half year.", True),
        ("It was paid in the last three quarters of 2022.", "It was paid in three quarters of 2022.", True),
        ("It was paid in the last three quarters of 2022.", "It was paid in two quarters of 2022.", False),
    ],
)
def test_multiples_and_shares_in_words(quote: str, claim: str, holds: bool) -> None:
    assert (told(claim, (quote,)) == []) is holds


def test_a_calculation_may_make_a_multiple() -> None:
    claim = "Costs were about three-fifths of revenue."
    assert told(claim, (REVENUE, COSTS), ("2,911.4 / 4,812.6 = 60.5%",)) == []
    assert told(claim, (REVENUE, COSTS))


def test_a_multiple_of_the_question_may_be_denied() -> None:
    assert told("Revenue did not double.", (REVENUE,), question="Did revenue double?") == []
    assert told("Revenue doubled.", (REVENUE,), question="Did revenue double?")
