"""How tables, mails, contracts and other scripts write what a claim may say otherwise: shares, dates, scales, units."""

from dataclasses import replace

import pytest
from fakes import document
from tables import make_table
from test_answers import check

from ralph_cli.core.document import Document
from ralph_cli.documents.structure.clauses import clause_places, find_clauses

STOCK = "Site  Pallets  Let until  Loss\nHarbour  2019  2031-05-01  0.0938025\nMill  1987  2032-06-01  -0.0045\n"
HARBOUR, MILL = STOCK.split("\n")[1:3]
SALES = "Shop  2022  2023\nPier  410  455\n"
BANDS = "Rates (%)  2023  2022\nNet rate  0.45  0.61\nGrowth  0.938  0.5\n"
LEASE = (
    "3. Rent\n3.1 The rent is EUR 4,800 a month.\n3.2 It falls due within 10 days.\n4. Notice\n"
    "4.1 Either party may end the lease on 90 days' notice.\n"
)
MAIL = (
    "From: Ann\nDate: Tue, 4 Mar 2025 09:12:33 +0100\n\nThe repair costs EUR 12,400 and starts on 17 March.\n"
    "It was done in 2019, and in 2019 it held.\n"
)
CHINESE = "公司2024年营业收入为2,853万元，净利润为1.2亿元。"
JAPANESE = "売上高は3億4,500万円、営業利益は850万円でした。"
UNITS = "单位：万元\n项目  本年  上年\n营业收入  2,853  2,410\n"
PARTS = "Section 5. Fees\nIt costs $4.\nSection 6. Term\nIt runs for 6 years.\n"
TERM = "Section 6. Term\nIt runs for 6 years."
BOXES = "North,120,450,54"
CASH = "Cash increased $5 million to $8 million from $3 million as of May 31, 2022 and 2021, respectively."
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
DUE, NOTICE, REPAIR = LEASE.split("\n")[2], LEASE.split("\n")[4], MAIL.split("\n")[3]


def about(quote: str) -> Document:
    if quote == BOXES:
        return replace(document(BOXES), tables=(make_table(BOXES, *(line.split(",") for line in BOXES.split("\n"))),))
    for text in (STOCK, SALES, BANDS, UNITS, PARTS):
        if quote in text:
            return document(text, kind="pdf")
    if quote in LEASE:
        return replace(document(LEASE), places=tuple(clause_places(LEASE, find_clauses(LEASE))))
    return document(MAIL, kind="eml") if quote in MAIL else document(quote)


@pytest.mark.parametrize(
    ("said", "text", "quotes"),
    [
        ("open", "In 2024 the harbour held 2,019 pallets.", [HARBOUR]),
        ("open", "In 2024 the harbour is let until May 2031.", [HARBOUR]),
        ("objected", "The harbour is let until 3 May 2031.", [HARBOUR]),
        ("open", "In June 2032 the harbour lost 9.38%.", [HARBOUR, MILL]),
        ("", "In 2023 the pier sold 455.", ["Pier  410  455"]),
        ("objected", "In 2023 the pier sold 410.", ["Pier  410  455"]),
        ("", "The harbour lost 9.38%, or 938 basis points.", [HARBOUR]),
        ("objected", "The harbour lost 93.8%.", [HARBOUR]),
        ("open", "The harbour lost 0.0938%.", [HARBOUR]),
        ("", "The net rate is 0.45%.", ["Net rate  0.45  0.61"]),
        ("open", "The net rate is 45%.", ["Net rate  0.45  0.61"]),
        ("", "It grew by 93.8 basis points.", ["Growth  0.938  0.5"]),
        ("open", "The loss ratio was 9.38%.", ["The loss ratio was 0.0938025 in the year."]),
        ("", "On 4 March 2025 she wrote that it starts on 17 March 2025.", [REPAIR]),
        ("objected", "On 5 March 2025 she wrote.", [REPAIR]),
        ("open", "It starts on 17 March 2024.", [REPAIR]),
        ("", "Under clause 3.2 rent is due within 10 days, by clauses 3.1 and 3.2.", [DUE]),
        ("", "\u00a7 4 allows 90 days' notice, as do \u00a7\u00a7 3.2 and 4.1.", [NOTICE]),
        ("", "Unlike section 5, section 6 names 6 years.", [TERM]),
        ("", "By Section 4 and art. 4.1 there are 90 days.", [NOTICE]),
        ("open", "Under clause 4.1 rent is due within 10 days.", [DUE]),
        ("", "Unlike clause 4.1, clause 3.2 names 10 days.", [DUE]),
        ("", "By \u00a7 3 it is due in 5 days, under \u00a7 12.", ["3 Dues\nIt is due in 5 days, under \u00a7 12."]),
        ("", "Revenue was 28.53 million yuan in 2024.", [CHINESE]),
        ("", "Net profit was RMB 120 million.", [CHINESE]),
        ("objected", "Revenue was 285.3 million yuan.", [CHINESE]),
        ("objected", "Revenue was 2,853 yuan.", [CHINESE]),
        ("", "Sales were \u00a5345 million.", [JAPANESE]),
        ("objected", "Operating profit was 85 million yen.", [JAPANESE]),
        ("", "Revenue was 28.53 million yuan.", ["营业收入  2,853  2,410"]),
        ("", "It has 15,000 people.", ["员工人数为1.5万人。"]),
        ("", "It lost $5 million.", ["It made a loss of $5 million."]),
        ("", "Cash grew to $8 million from $3 million.", [CASH]),
        ("objected", "Cash fell to $3 million from $8 million.", [CASH]),
        ("", "The north has 120 boxes at a price of 450, and 54 are left.", [BOXES]),
        ("objected", "The north has 120,450 boxes.", [BOXES]),
    ],
)  # fmt: skip
def test_what_is_written_in_other_ways(said: str, text: str, quotes: list[str]) -> None:
    found = check(about(quotes[0]), text, quotes)
    assert ("objected" if found.issues else "open" if found.doubts else "") == said, (found.issues, found.doubts)


def test_a_share_of_one_may_be_reckoned_with_as_a_percentage() -> None:
    found = check(about(HARBOUR), "The loss was 2.62 points below 12%.", [HARBOUR, MILL], ["9.38% + 2.62% = 12%"])
    assert found.issues  # 2.62 stands nowhere
    found = check(about(HARBOUR), "They lost 9.83% together.", [HARBOUR, MILL], ["9.38% + 0.45% = 9.83%"])
    assert not found.issues


def answer_to(text: str, quote: str, about: Document) -> str:
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
        ("open", "The coil takes 350 inches.", "| Coil current | 350 mA |"),
        ("open", "The coil takes 350 rpm.", "| Coil current | 350 mA |"),
        ("", "The hull weighs 64.3 kt.", "the hull weighs 64,300 t"),
        ("", "The housing is 41.0 mm long.", "The housing measures 41.0 x 28.5 x 9.7 mm."),
        ("objected", "The housing is 41.0 cm long.", "The housing measures 41.0 x 28.5 x 9.7 mm."),
        ("objected", "The housing is 41.0 inches long.", "The housing measures 41.0 x 28.5 x 9.7 mm."),
    ],
)
def test_a_unit_that_is_written_otherwise_does_not_pass(said: str, text: str, quote: str) -> None:
    assert answer_to(text, quote, document(MOTOR)) == said


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("30 \u00b5mol/min", "30 \u00b5mol per minute"),
        ("8 L/h", "8 litres per hour"),
        ("12 VDC", "12 volts"),
        ("33 k\u03a9", "33 kilohms"),
        ("20 N\u00b7m", "20 newton metres"),
        ("120 mmHg", "120 millimetres of mercury"),
        ("12 TV stations", "12 television stations"),
        ("120 T cells", "120 lymphocytes"),
        ("37 C", "37 degrees Celsius"),
        ("6 x 50 mm screws", "6 screws"),
    ],
)
def test_a_unit_that_is_told_in_other_words_is_no_question(written: str, told: str) -> None:
    quote = f"The test found {written} in all"
    assert answer_to(f"The test found {told} in all.", quote, document(f"{quote} of them.")) == ""


def test_what_may_be_millimetres_or_millions_is_a_question() -> None:
    assert answer_to("Sales were 12 million.", "Sales were 12 mm", document("Sales were 12 mm that year.")) == "open"


def test_a_figure_in_the_name_of_a_column_counts_as_quoted() -> None:
    row, about = "| Days without pain | 11.3 | 8.2 | 4.9 |", document(TRIAL)
    assert answer_to("There were 11.3 days without pain on 40 mg.", row, about) == ""
    assert answer_to("There were 11.3 days without pain on 60 mg.", row, about) == "objected"
    assert answer_to("On 20 mg there were 11.3 days.", "| Days without pain | 11.3", about) == "objected"


def test_a_scale_is_a_question_where_the_table_states_several() -> None:
    row, about = "Parcels a day       7,418     7,105", document(PARCELS, kind="pdf")
    assert answer_to("It carried 7,418 thousand parcels in 2031.", row, about) == ""
    assert answer_to("It carried 7.4 million parcels in 2031.", row, about) == ""
    assert answer_to("It carried 7,418 million parcels in 2031.", row, about) == "open"
    assert answer_to("It carried 7,418 thousand crates in 2031.", row, about) == "open"
    (doubt,) = check(about, "It carried 7,418 million parcels in 2031.", [row]).doubts
    assert "(dollars in millions, parcel volume in thousands)" in doubt.message
