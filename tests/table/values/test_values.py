"""The typed value of an answer: what is unmistakable is written one way; of what is not, nobody guesses the value."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from ralph_cli.core.results.table import TableQuestion, Value
from ralph_cli.table.values.reading import read_value

ANSWERS: list[dict[str, Any]] = tomllib.loads((Path(__file__).parent / "corpus.toml").read_text("utf-8"))["answer"]


def value_of(type: str, claim: str, unit: str = "", question: str = "", choices: tuple[str, ...] = ()) -> Value:
    asked = TableQuestion(id="q", question=question, type=type, unit=unit, choices=choices)  # type: ignore[arg-type]
    value = read_value(asked, [claim])
    assert value is not None
    assert bool(value.text) != bool(value.problem)
    return value


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer["claims"][0][:40])
def test_answers_in_words_have_the_value_that_a_person_reads(answer: dict[str, Any]) -> None:
    kind, unit, choices = answer["type"], answer.get("unit", ""), tuple(answer.get("choices", ()))
    value = read_value(TableQuestion(id="q", question="", type=kind, unit=unit, choices=choices), answer["claims"])
    assert value is not None
    assert (value.text, bool(value.problem)) == (answer.get("value", ""), "value" not in answer)


@pytest.mark.parametrize(
    ("type", "unit", "claim"),
    [
        ("number", "days", "Notice is given two or three days before."),
        ("number", "days", "The notice period is thirty (60) days."),
        ("number", "days", "The notice period is five business days."),
        ("number", "days", "The notice period is not 30 days."),
        ("number", "days", "The later of 30 days and receipt of the goods."),
        ("number", "days", "The period exceeds 45 days."),
        ("number", "weeks", "The period is 10 days."),
        ("number", "years", "It takes 1.5 to 2 years."),
        ("number", "employees", "There are 12 employee representatives."),
        ("number", "employees", "There are 1.284 employees."),
        ("number", "employees", "There are 1 284 employees."),
        ("number", "full-time employees", "There are 12,480 employees."),
        ("number", "tonnes", "It was 3.2 x 10^6 tonnes."),
        ("number", "m²", "The line has 500 m."),
        ("number", "%", "A third of the shares."),
        ("number", "%", "EURIBOR plus 2.5 percent."),
        ("number", "", "Revenue fell by 5%."),
        ("number", "%", "Profit dropped EUR 2.93, or 29%, to EUR 7.08."),
        ("number", "", "The limit is set in section 4."),
        ("number", "", "Half of the 12 directors are independent."),
        ("number", "", "The stock was split 7-for-1."),
        ("number", "", "9" * 30),
        ("number", "days", f"The period is 45 days{', as was agreed' * 200}."),
        ("money", "", "The cap is the greater of EUR 5 million and 100% of the fees."),
        ("money", "", "EUR 5 million or 10% of the fees."),
        ("money", "", "There was a net loss of EUR 5 million."),
        ("money", "", "The liability is not capped at EUR 5 million."),
        ("money", "", "The fee is EUR 5.100."),
        ("money", "", "It is 2.5 cents."),
        ("money", "CAD", "The fee is $5,100,000."),
        ("money", "USD million", "It was $1,577."),
        ("money", "€m", "It was EUR 1,577."),
        ("money", "bananas", "EUR 20"),
        ("date", "", "The lease ends 30 days after 31 May 2027."),
        ("date", "", "It ends after 31 May 2027."),
        ("date", "", "It ends on the thirty-first of May 2027."),
        ("date", "", "It ends within three months of 31 May 2027."),
        ("date", "", "It was signed on 31/05/97."),
        ("date", "", "It ends on 31 February 2027."),
        ("date", "", "It ends on 31 May."),
        ("date", "", "The three months ended June 30, 2020."),
        ("date", "", "It happens between 1 and 31 May 2027."),
        ("date", "", "The season of 2019/20."),
        ("yes/no", "", "No later than 30 days."),
        ("yes/no", "", "No. 5 applies."),
        ("yes/no", "", "Yes and no."),
    ],
)
def test_what_could_be_read_otherwise_has_no_value(type: str, unit: str, claim: str) -> None:
    assert value_of(type, claim, unit).problem


@pytest.mark.parametrize(
    ("type", "unit", "claim", "text", "number", "unit_of_value"),
    [
        ("number", "days", "The notice period is 30 (thirty) days.", "30 days", 30, "days"),
        ("number", "days", "Under the agreement the period is 45 days.", "45 days", 45, "days"),
        ("number", "days", "It does not renew, and the period is 45 days.", "45 days", 45, "days"),
        ("number", "days", "1", "1 day", 1, "days"),
        ("number", "days", "Not less than 45 days.", "at least 45 days", 45, "days"),
        ("number", "days", "It is 45 days maximum.", "at most 45 days", 45, "days"),
        ("number", "months", "One and a half years.", "18 months", 18, "months"),
        ("number", "million tonnes", "3,200,000 tonnes.", "3.2 million tonnes", 3.2, "million tonnes"),
        ("number", "tCO2e", "Emissions were 1,200 tCO2e.", "1,200 tCO2e", 1200, "tCO2e"),
        ("number", "", "The site has 640 MW.", "640 MW", 640, "MW"),
        ("number", "EUR", "It costs EUR 5.1 million.", "EUR 5.1 million", 5_100_000, "EUR"),
        ("money", "", "The fee is $5,100,000.", "$5.1 million", 5_100_000, "$"),
        ("money", "", "It costs USD 5.1 million ($5,100,000).", "USD 5.1 million", 5_100_000, "USD"),
        ("money", "", "The price is € 0.05/kWh.", "EUR 0.05 per kWh", 0.05, "EUR per kWh"),
        ("money", "USD", "Five million dollars.", "USD 5 million", 5_000_000, "USD"),
        ("money", "k€", "1.250,50 EUR a month.", "EUR 1,250.50 per month", 1250.5, "EUR per month"),
        ("money", "", "It pays EUR (5.1) million.", "-EUR 5.1 million", -5_100_000, "EUR"),
        ("money", "", "USD 42.00 per square foot.", "USD 42 per square foot", 42, "USD per square foot"),
    ],
)
def test_numbers_are_in_the_unit_that_is_wanted(
    type: str, unit: str, claim: str, text: str, number: float, unit_of_value: str
) -> None:
    value = value_of(type, claim, unit)
    assert (value.text, value.number, value.unit) == (text, number, unit_of_value)


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("It ends on or before 31-May-2027.", "2027-05-31"),
        ("It begins on or about 2027/05/31.", "about 2027-05-31"),
        ("The initial term of three years ends on 05-31-2027.", "2027-05-31"),
        ("It was in the fourth quarter of fiscal 2020.", "FY2020-Q4"),
        ("In mid-2027.", "2027"),
    ],
)
def test_dates_are_as_exact_as_the_answer(claim: str, text: str) -> None:
    assert value_of("date", claim).text == text


def test_a_bare_amount_is_not_taken_for_millions_or_units_where_millions_are_asked_for() -> None:
    question = "What was capital expenditure (in USD millions)?"
    assert value_of("money", "$1577.00", question=question).problem
    assert value_of("money", "It was $1,577 million.", question=question).text == "$1.577 billion"
    assert value_of("money", "It was $1,577,000,000.", question=question).text == "$1.577 billion"


def test_what_a_loss_is_asked_for_is_the_loss() -> None:
    claim = "There was a net loss of EUR 5 million."
    assert value_of("money", claim, question="How large was the loss?").text == "EUR 5 million"


def test_choices_are_named_and_not_denied() -> None:
    choices = ("English law", "law", "no", "A")
    assert value_of("choice", "It is English law.", choices=choices).text == "English law"
    assert value_of("choice", "A", choices=choices).text == "A"
    assert value_of("choice", "No, none.", choices=choices).text == "no"
    for claim in ("It is not English law.", "A party may leave.", "There is no limit."):
        assert value_of("choice", claim, choices=choices).problem


def test_claims_that_contradict_each_other_are_neither_yes_nor_no() -> None:
    value = read_value(TableQuestion(id="q", question="", type="yes/no"), ["Yes, it may.", "No, it may not."])
    assert value is not None and value.problem == "its claims say both yes and no"


def test_items_of_a_list_are_told_once_and_without_their_marks() -> None:
    value = read_value(TableQuestion(id="q", question="", type="list"), ["- An audit", "1. A report.", "a report"])
    assert value is not None and value.items == ("An audit", "A report.")
