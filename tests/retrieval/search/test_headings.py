"""Which lines of a text are headings, and which only look like them."""

import pytest
from fakes import document

from ralph_cli.core.structure import Heading
from ralph_cli.documents.structure.headings import find_headings

SAID = "What is said of it stands here in full.\n"
NOTES = "".join(
    f"{number} {name}\n{SAID}"
    for number, name in enumerate(["Revenue", "Other operating income", "Staff", "Bank loans", "Pensions"], 1)
)


def headings(text: str, kind: str = "pdf") -> dict[str, int]:
    return {heading.text: heading.level for heading in document(text, kind=kind).headings}


def test_numbers_that_count_on_are_headings_whatever_they_are_written_like() -> None:
    assert headings(NOTES) == {
        "1 Revenue": 1, "2 Other operating income": 1, "3 Staff": 1, "4 Bank loans": 1, "5 Pensions": 1,
    }  # fmt: skip
    parts = "".join(f"1.{n} {name}\n{SAID}" for n, name in enumerate(["Basis", "Cut-off day", "Law"], 1))
    assert headings(f"1 Scope\n{SAID}{parts}") == {"1 Scope": 1, "1.1 Basis": 2, "1.2 Cut-off day": 2, "1.3 Law": 2}


@pytest.mark.parametrize(
    "lines",
    [
        "1. Asked for in June: the list.\n2. We await the minutes.\n9. Outstanding: the letter of the auditor.\n",
        "Folder  Document  Pages\n1.6 Amendment, ref. C-1  4 May 2021  60\n1.7 Extract, ref. C-2  1 May 2022  28\n",
        "40 Castle Quay, Bristol\n" + SAID,
        "Cover  Insurer  Limit EUR  Premium EUR\nEUR\nFire  Kurhess  120,000  2,600\n",
        "Yours,\nTobias Wehrle\nHead of Sales\n",
    ],
)
def test_items_rows_addresses_and_names_are_no_headings_beside_such_numbers(lines: str) -> None:
    found = headings(NOTES + lines)
    assert set(found) - {"EUR"} == set(headings(NOTES)) and found.get("EUR", 9) > 2


def test_an_abbreviation_is_no_number() -> None:
    assert headings(f"A. Definitions\n{SAID}U.S. Credit Facility\n{SAID}") == {
        "A. Definitions": 1, "U.S. Credit Facility": 2,
    }  # fmt: skip


def test_the_end_of_a_sentence_is_no_heading() -> None:
    said = "What is to be told of those who left is told in the part of this report that names it, see"
    assert headings(f"Item 5. Changes\n{said}\nItem 404(a) of Regulation S-K.\n{SAID}") == {"Item 5. Changes": 1}


def test_entries_of_a_table_of_contents_are_no_run() -> None:
    contents = "1 Revenue\n2 Other operating income\n3 Staff\n4 Bank loans\n5 Pensions\n"
    found = [heading.start for heading in document(contents + NOTES, kind="pdf").headings]
    assert len([start for start in found if start >= len(contents)]) == 5


def test_the_names_below_a_mail_are_no_headings() -> None:
    mail = document(f"Subject: The Hall\n{SAID}Tobias Wehrle\n{SAID}", kind="eml")
    own = (Heading("The Hall", 9, 1),)
    assert [it.text for it in find_headings(mail.text, mail.pages, own, "eml", (), ())] == ["The Hall"]
    assert len(find_headings(mail.text, mail.pages, own, "text", (), ())) == 3
