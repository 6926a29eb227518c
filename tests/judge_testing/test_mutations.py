"""Claims made false: each variant differs from the truth, does not follow from it, and is the same for a seed."""

import random
import re

import pytest
from fakes import document
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from ralph_cli.core.results.judge_test import FALSEHOOD_KINDS
from ralph_cli.judge_testing.mutate_figures import mutate_numbers, mutate_times
from ralph_cli.judge_testing.mutate_names import DocumentNames
from ralph_cli.judge_testing.mutate_wording import mutate_negations, mutate_scopes
from ralph_cli.judge_testing.mutations import DocumentFacts, TrueClaim, mutate
from ralph_cli.judge_testing.true_claims import true_claims
from ralph_cli.retrieval.quotes.index import QuoteIndex

LEASE = (
    "The Tenant shall pay the rent. The Landlord shall keep the roof in repair. The Tenant may leave in May. "
    "The Landlord may raise the rent. The Tenant must tell the Landlord. The Landlord must tell the Tenant. "
    "The Tenant is liable for fire. The Landlord is liable for the roof."
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The rent is due on the first day.", "The rent is not due on the first day."),
        ("The tenant shall not sublet the hall.", "The tenant shall sublet the hall."),
        ("The supplier may copy the records.", "The supplier must copy the records."),
        ("Net sales increased 5% in Canada.", "Net sales decreased 5% in Canada."),
        ("They had an increase of 5%.", "They had a decrease of 5%."),
        ("Users can stop the pump by radio.", "Users cannot stop the pump by radio."),
    ],
)
def test_a_negation_is_put_in_or_taken_out(text, found):
    assert found in set(mutate_negations(text))


@pytest.mark.parametrize(
    "text",
    [
        "Some of the parts are imported.",  # some are, and some are not
        "The plan that was adopted works.",
        "The results may not be limited to these.",
        "The firm did not record any loss.",
        "The court asks whether the tax will be due.",
    ],
)
def test_no_negation_where_it_would_leave_the_claim_true_or_unreadable(text):
    assert [made for made in mutate_negations(text) if "not" in made or "did" in made] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Revenue was $412 million in fiscal 2023.", "Revenue was $412 billion in fiscal 2023."),
        ("The term is four years.", "The term is five years."),
        ("Revenue was $412 million.", "Revenue was $312 million."),
    ],
)
def test_a_figure_is_changed(text, found):
    assert found in set(mutate_numbers(text))


@pytest.mark.parametrize(
    "text",
    [
        "The Tidemark 4 is a meter.",
        "Note 3 and section 4.2 explain it, as 3M says.",
        "It opened on 31 March 2023.",
        "The tenant may end it if it lasts 60 days.",
        "It took at least 60 days.",
        "The share may not exceed 60 percent.",
        "It lasted 60 days or more.",
        "The cost is between $16 million and $18 million.",
        "Shops open at 07:00.",
    ],
)
def test_what_is_no_quantity_of_the_claim_is_left_alone(text):
    assert list(mutate_numbers(text)) == []


def test_names_that_are_used_alike_change_places():
    names = DocumentNames(LEASE)
    assert "The Landlord shall pay the rent." in set(names.swap_names("The Tenant shall pay the rent."))
    both = set(names.swap_names("The Tenant must tell the Landlord."))
    assert both == {"The Landlord must tell the Tenant."}
    assert list(names.swap_names("The Tenant and the Landlord agree.")) == []


def test_a_name_and_what_it_is_defined_as_never_change_places():
    text = 'The lease is between Orrin (the "Tenant") and the State. ' + LEASE.replace("Landlord", "Lessor")
    text = text.replace("Lessor", "Society").replace("Orrin (", "the Society (")
    assert "The Society shall pay the rent." not in set(
        DocumentNames(text).swap_names("The Tenant shall pay the rent.")
    )


def test_a_country_is_another_one_but_not_in_a_name():
    made = set(DocumentNames("").swap_names("Sales in Canada rose."))
    assert "Sales in Mexico rose." in made and all("Canada" not in text for text in made)
    for text in ("The Bank of China is closed.", "Most sales are outside Canada.", "The Air Canada flight is late."):
        assert list(DocumentNames("").swap_names(text)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The landlord is not liable for loss, unless he caused it.", "The landlord is not liable for loss."),
        ("If the rent is late, the landlord shall charge interest.", "The landlord shall charge interest."),
        ("The fall was primarily due to lower prices.", "The fall was solely due to lower prices."),
        ("Most of the customers pay on time.", "All of the customers pay on time."),
        ("They sold all of the shares.", "They sold only some of the shares."),
        ("Our reports are usually late in the year.", "Our reports are always late in the year."),
    ],
)
def test_the_scope_is_widened(text, found):
    assert found in set(mutate_scopes(text))


@pytest.mark.parametrize(
    "text",
    [
        "Demand could fall, if prices rise.",  # it could: that is true of the rest as well
        "Nearly all of the suits are in court.",
        "Costs are recorded over the next several years.",
        "Our accounts follow generally accepted principles.",
        "The store in Ireland is new.",
    ],
)
def test_no_scope_where_it_would_leave_the_claim_true_or_unreadable(text):
    assert list(mutate_scopes(text)) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Revenue rose in fiscal 2023.", "Revenue rose in fiscal 2022."),
        ("In the first quarter we paid.", "In the third quarter we paid."),
        ("It ends before 1 May 2023.", "It ends after 1 May 2023."),
        ("We inspect each pump each year.", "We inspect each pump each month."),
    ],
)
def test_the_time_is_changed(text, found):
    assert found in set(mutate_times(text))


@pytest.mark.parametrize(
    "text",
    ["The plan was completed by June 30, 2022.", "It ends by the end of fiscal 2022.", "They served since 2022."],
)
def test_what_was_due_by_a_year_is_not_said_of_a_later_one(text):
    years = [int(year) for made in mutate_times(text) for year in re.findall(r"20\d\d", made)]
    assert years and max(years) < 2022


def test_a_span_is_never_made_a_longer_one():
    assert list(mutate_times("It was made between 2013 and 2016.")) == []


@pytest.mark.parametrize("text", ["Income before income taxes rose.", "It was 5%, after 4%."])
def test_before_and_after_that_are_no_times_are_left_alone(text):
    assert list(mutate_times(text)) == []


def test_what_stands_in_the_document_is_not_false():
    text = "Sales rose 5% in 2023. Sales rose 6% in 2023."
    claim = TrueClaim("Sales rose 5% in 2023.", ("Sales rose 5% in 2023",))
    facts = DocumentFacts(text)
    made = {mutate(claim, "number", facts, random.Random(seed)) for seed in range(80)}
    assert "Sales rose 6% in 2023." not in made and "Sales rose 7% in 2023." in made


def test_a_claim_made_of_a_row_says_no_more_than_the_row():
    text = "Key figures\n(in millions)  2023  2022\nNet sales  518  480\nCosts of goods  300  290\nTotal  5  5\n"
    memo = document(text)
    claims = [claim for claim in true_claims(memo, QuoteIndex(memo)) if claim.subject == "Net sales"]
    (claim,) = claims
    assert claim.text in (
        'The table shows 518 for "Net sales" in 2023.',
        'The table shows 480 for "Net sales" in 2022.',
    )
    made = {kind: mutate(claim, kind, DocumentFacts(text), random.Random(1)) for kind in FALSEHOOD_KINDS}
    assert made["entity"] in {claim.text.replace("Net sales", other) for other in ("Costs of goods", "Total")}
    assert "does not show" in str(made["negation"]) and " in 2022 and in 2023" in str(made["scope"])
    assert made["time"] not in (None, claim.text) and made["number"] not in (None, claim.text)


@pytest.mark.parametrize(
    "text",
    [
        "Forecast 2023  2024\nNet sales  518  480\n",  # what the columns are of is not sure
        "2023  2022\nNet sales  518  518\n",  # both years are true
        "2023  2022  2021\nNet sales  518  480\n",
        "2023  2022\nNet sales  518  480\n\nAnd of the rest:\n\n2023  2022\nNet sales  18  48\n",  # which one is meant?
    ],
)
def test_no_claim_is_made_of_a_row_that_may_be_misread(text):
    memo = document(text)
    assert true_claims(memo, QuoteIndex(memo)) == []


def test_only_whole_sentences_that_stand_for_themselves_are_claims():
    memo = document(
        "A heading\nThe hall of the old mill is cold in winter and warm in summer. "
        "It is rented out to guests from May until the end of October. "
        "Guests of the mill have paid 120 dollars a night since the year 2021.\n\n"
        "The mill was built in 1820 and has been rented out since.\n"
    )
    found = [claim.text for claim in true_claims(memo, QuoteIndex(memo))]
    assert found == [
        "Guests of the mill have paid 120 dollars a night since the year 2021.",
        "The mill was built in 1820 and has been rented out since.",
    ]


WORDS = (
    "The Tenant shall not pay all of $5 million or 12% in 2023 before March if more than four years are "
    "primarily due in Canada unless the Landlord may increase sales , . ( ) is was only some no"
)
words = st.sampled_from(WORDS.split())
sentences = st.lists(words, min_size=4, max_size=25).map(lambda found: " ".join(found) + ".")


@examples(max_examples=300, deadline=None)
@given(st.one_of(sentences, st.text(max_size=80)), st.sampled_from(FALSEHOOD_KINDS), st.integers(0, 9))
def test_a_variant_differs_from_the_claim_and_follows_from_the_seed(text, kind, seed):
    claim, facts = TrueClaim(text, ("quote",)), DocumentFacts(LEASE)
    made = mutate(claim, kind, facts, random.Random(seed))
    assert made == mutate(claim, kind, DocumentFacts(LEASE), random.Random(seed))
    assert made is None or " ".join(made.split()).casefold() != " ".join(text.split()).casefold()
