"""Units and scales that a claim writes otherwise than its quotes, and figures that stand in the name of a column."""

import pytest
from fakes import document
from test_answers import check

from ralph_cli.core.document import Document

MOTOR = """
| Motor | Value |
|---|---|
| Winding capacitance | 2,200 pF maximum |
| Coil current | 350 mA |

The housing measures 41.0 x 28.5 x 9.7 mm. The dose was 275 ng/mL in all 36 samples; the hull weighs 64,300 t.
"""
TRIAL = """
| Outcome | Sornatide 40 mg | Sornatide 20 mg | Placebo |
|---|---|---|---|
| Days without pain | 11.3 | 8.2 | 4.9 |
"""
PARCELS = """
Harbour Post (dollars in millions, parcel volume in thousands)
                    2031      2030
Revenue          $ 41,226  $ 39,870
Parcels a day       7,418     7,105
"""


def answer(text: str, quote: str, about: Document) -> str:
    found = check(about, text, [quote])
    return "objected" if found.issues else "open" if found.doubts else ""


@pytest.mark.parametrize(
    ("said", "text", "quote"),
    [
        ("", "The winding capacitance is 2,200 pF.", "2,200 pF maximum"),
        ("", "The winding capacitance is 2,200 picofarads.", "2,200 pF maximum"),
        ("", "The winding capacitance is 2,200.", "2,200 pF maximum"),
        *(("open", f"The winding capacitance is 2,200 {unit}.", "2,200 pF maximum") for unit in ("nF", "V", "kg", "t")),
        ("open", "The coil takes 350 µA.", "| Coil current | 350 mA |"),
        ("", "The dose was 275 ng/mL.", "The dose was 275 ng/mL"),
        ("open", "The dose was 275 µg/mL.", "The dose was 275 ng/mL"),
        ("open", "The dose was 275 ng/dL.", "The dose was 275 ng/mL"),
        ("open", "The dose was given to 275 patients.", "The dose was 275 ng/mL"),
        ("open", "The dose was 36 ng.", "in all 36 samples"),
        ("", "The hull weighs 64.3 kt.", "the hull weighs 64,300 t"),
        ("", "The housing is 41.0 mm long.", "The housing measures 41.0 x 28.5 x 9.7 mm."),
        ("objected", "The housing is 41.0 cm long.", "The housing measures 41.0 x 28.5 x 9.7 mm."),
        ("objected", "The housing is 41.0 inches long.", "The housing measures 41.0 x 28.5 x 9.7 mm."),
    ],
)
def test_a_unit_that_is_written_otherwise_does_not_pass(said: str, text: str, quote: str) -> None:
    assert answer(text, quote, document(MOTOR)) == said


def test_a_figure_in_the_name_of_a_column_counts_as_quoted() -> None:
    row, about = "| Days without pain | 11.3 | 8.2 | 4.9 |", document(TRIAL)
    assert answer("There were 11.3 days without pain on 40 mg.", row, about) == ""
    assert answer("There were 11.3 days without pain on 60 mg.", row, about) == "objected"


def test_a_scale_is_a_question_where_the_table_states_several() -> None:
    row, about = "Parcels a day       7,418     7,105", document(PARCELS, kind="pdf")
    for scale in ("thousand", "million"):
        assert answer(f"It carried 7,418 {scale} parcels in 2031.", row, about) == "open"
    (doubt,) = check(about, "It carried 7,418 million parcels in 2031.", [row]).doubts
    assert "(dollars in millions, parcel volume in thousands)" in doubt.message
