"""What a worker's look-up functions print: `find`, `section`, `table`, `term`."""

import re
from dataclasses import replace

import pytest
from fakes import FakeSandbox, document
from tables import make_table

from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.modes.opening import render_headings
from ralph_cli.rlm.bridge import DocumentSandbox
from ralph_cli.rlm.lookup.find import _compiled
from ralph_cli.rlm.shown import ShownTextFinder

OUTPUT_CAP = 6_000
REPORT = "\f".join(
    (
        "ACME TOOLS ANNUAL REPORT\nTable of Contents\nItem 1. Business 2\nItem 2. Properties 3",
        "ACME TOOLS ANNUAL REPORT\nItem 1. Business\nWe make tools, and we sell them to those who need some.\n"
        "Competition and Markets\nThere are many makers of tools, and our market is small.",
        "ACME TOOLS ANNUAL REPORT\nConsolidated Balance Sheets\n(in millions)\nDecember 31,  2022  2021\nAssets\n"
        "Cash and cash equivalents  420  398\nInventories, stated at the lower of cost and what they can be sold for:\n"
        "Raw materials  120  118\nFinished tools  310  277\nTotal assets  850  793\n3",
        "ACME TOOLS ANNUAL REPORT\nNote 7 \u2013 Inventories\nInventories are counted each year.\n"
        "2.1 Counting. It is done in December. \u201cFinished Tools\u201d means tools that are ready for sale.\n"
        "Item 2. Properties\nWe own one hall.",
    )
)


def ask(code: str, text: str = REPORT) -> str:
    return DocumentSandbox(FakeSandbox, document(text)).run(code, lambda items: []).stdout


def test_a_section_is_printed_from_its_heading_to_the_next_of_its_level() -> None:
    shown = ask("section('properties')")
    assert shown.startswith("section 'Item 2. Properties', page 4") and shown.endswith("We own one hall.\n")
    assert "Competition and Markets\nThere are many" in ask("section('Item 1')") and "hall" not in ask(
        "section('Item 1')"
    )
    assert "Total assets  850  793" in ask("section('Balance Sheets')")
    assert ask("section('7')").startswith("section 'Note 7 \u2013 Inventories', page 4")
    assert "It is done in December." in ask("section('2.1')")
    assert "no heading has the words 'pensions'" in ask("section('pensions')")


def test_a_heading_right_below_a_heading_is_of_its_part() -> None:
    report = (
        "Report of the Auditor\nTo the Owners and the Board\nWe looked at the books.\n\nHalls\nThere is one hall.\n"
    )
    shown = ask("section('Report of the Auditor')", report)
    assert "We looked at the books." in shown and "one hall" not in shown.partition("it ends here")[0]


CLAUSES = """\
17 Provisions and Other Charges
They are set up for claims.

18 Litigation
The group is sued.

4.1 The rent is due monthly.

4.2 The tenant pays for water:

1. in March;

2. in May.

4.3 The landlord insures the hall.
"""


def test_a_numbered_section_ends_where_the_next_number_begins() -> None:
    shown = ask("section('17')", CLAUSES)
    assert "set up for claims" in shown and "sued" not in shown
    shown = ask("section('4.2')", CLAUSES)
    assert "in May." in shown and "insures" not in shown.split("it ends here")[0]
    assert shown.endswith("it ends here, before page 1 [begins: 4.3 The landlord insures the hall.]\n")


def test_a_name_that_several_documents_have_searches_them_all_and_says_so() -> None:
    texts = {"mail 1.txt": "The rent is 12.", "mail 2.txt": "The rent is 14.", "deed.txt": "Rent is due."}
    about = join_documents("deal", [NamedDocument(name, document(text), name) for name, text in texts.items()])

    def told(code: str) -> str:
        return DocumentSandbox(FakeSandbox, about).run(code, lambda items: []).stdout

    shown = told("find('rent', doc='mail')")
    assert shown.startswith("'mail' names 2 documents: mail 1.txt, mail 2.txt\n2 hits in 2 places")
    assert "is 12" in shown and "is 14" in shown and "due" not in shown
    assert told("find('rent', doc=3)").startswith("1 hit in 1 place") and "due" in told("find('rent', doc='deed')")
    assert told("find('rent', doc='plan')").startswith("'plan' names no document: mail 1.txt")
    assert told("show('mail', 1)") == "'mail' names 2 documents: mail 1.txt, mail 2.txt\n"


def test_a_long_section_goes_on_over_pages_and_says_how() -> None:
    text = "1. Rules\n" + "\f".join(
        "\n".join(f"Rule {page}.{n} is kept by all." for n in range(90)) for page in range(9)
    )
    first = ask("section('Rules')", text)
    more = re.search(r"section\('Rules', start=\d+\)", first)
    assert more is not None and "page 2, offset" in first and len(first) < OUTPUT_CAP
    last = re.findall(r"Rule (\d\.\d+) is", first)[-1]
    after = re.findall(r"Rule (\d\.\d+) is", ask(more[0], text))[0]
    whole = re.findall(r"Rule (\d\.\d+) is", text)
    assert whole.index(after) <= whole.index(last) + 1


def test_a_table_comes_with_what_names_its_columns() -> None:
    shown = ask("table(3)")
    assert "(in millions)" in shown and "December 31,  2022  2021" in shown and "Finished tools  310  277" in shown
    assert "no table on page 2" in ask("table(2)")
    assert "no table with 'pensions' on page 3" in ask("table(3, 'pensions')")


def test_a_table_loses_no_line_between_its_rows() -> None:
    sales = (
        "Sales made to those who are no members of the club (with those made on credit in March and May: 2022, 5; 2021,"
    )
    text = (
        "Sales were good.\n(in millions)  2022  2021\nNorth\nHats  12  11\nCaps  9  8\nAll  21  19\n"
        f"{sales}\n7), less what was given back: 2022, 2; 2021, 1  57,384  53,581\nOther  4  3\n"
        "It rained. " + "Of the second table this is said. " * 5 + "\nCosts of the club\nRent  5  6\nPay  7  8"
    )
    shown = ask("table(1)", text)
    assert "2022  2021\nNorth\nHats  12  11\n" in shown and f"All  21  19\n{sales}\n7), less" in shown
    assert re.search(r"Other  4  3\n\(1 line left out: at\(\d+\) prints them\)\npage 1, offset \d+\n", shown)
    assert "Costs of the club\nRent  5  6\nPay  7  8\n" in shown


def test_a_short_name_is_found_as_a_word_before_it_is_found_in_others() -> None:
    others = "\n\n\n\n".join(f"All consultants met {n} times." for n in range(9))
    shown = ask("find('Ulta', before=0, after=0)\nmore()", f"{others}\n\n\nUlta sells.\n{others}")
    assert "'Ulta' 1 (18 more inside other words)\n--- place 0, page 1" in shown and "(17 more places, on" in shown
    assert shown.index("Ulta sells") < shown.index("consultants") and "--- place 1," in shown
    assert "'Ulta' 0 (9 more inside other words)\n--- place 0" in ask("find('Ulta')", others)
    assert "more inside" not in ask("find('ulta')", others)


def test_of_several_alternatives_the_rare_one_is_shown() -> None:
    text = "\n\n".join(f"In year {n} it rained." for n in range(30)) + "\n\nWe have 12 stores."
    shown = ask("find('year|stores', before=0, after=0)", text)
    assert "place 1, page 1" in shown and "We have 12 stores." in shown.split("--- place 2,")[0]
    numbers = [int(number) for number in re.findall(r"In year (\d+) ", shown)]
    assert numbers == sorted(numbers) and len(numbers) == 30


def test_places_of_one_page_in_another_order_are_all_printed() -> None:
    text = "\n".join(("Rent  1  2", "Pay  5  6", "Rent  1  2  3", "Total  3  4  7"))
    shown = ask("find('rent', rows=True, before=0, after=0)", text)
    assert shown.count("--- place") == 2


def test_the_header_of_a_row_is_found_above_labels_that_are_long() -> None:
    shown = ask("find('finished tools', before=0, after=0)")
    assert "(above: December 31,  2022  2021)" in shown and "(above: (in millions))" in shown


def test_a_later_row_of_a_table_refers_to_the_header_that_was_printed() -> None:
    text = "Figures\n(in millions)  2022  2021\n" + "\n".join(f"Row {n} of tools  {n},000  {n},100" for n in range(9))
    shown = ask("find('row [27]', before=0, after=0)", text)
    assert shown.count("(above: (in millions)  2022  2021)") == 1 and "(above: as at place 0)" in shown


def test_a_term_is_shown_where_it_is_defined() -> None:
    assert "'finished tools' is defined at 1 place\n--- page 4" in ask("term('finished tools')")
    assert "nowhere set apart; it stands at 1 place" in ask("term('one hall')")
    assert "stands nowhere in the text" in ask("term('pension')")


def test_every_place_has_at_least_its_page() -> None:
    text = "\f".join(
        f"Page {n} speaks of rent.\n" * (n % 7 > 0) + f"And of other things, at length, on page {n}. " * 5
        for n in range(1, 90)
    )
    shown = ask("find('speaks of rent')", text)
    told = {int(number) for number in re.findall(r"place \d+, page (\d+)", shown)}
    for first, last in re.findall(r"(\d+)(?:-(\d+))?[,:]", shown.split("more places, on pages ")[1]):
        told |= {*range(int(first), int(last or first) + 1)}
    assert told == {n for n in range(1, 90) if n % 7} and len(shown) < OUTPUT_CAP


def test_what_is_scarce_the_last_places_lack() -> None:
    around = "\n".join(f"And of other things, at length, on line {n} of the page. " * 2 for n in range(12))
    shown = ask("find('speaks of rent', show=9, before=3, after=8)", "\f".join([f"It speaks of rent.\n{around}"] * 9))
    parts = re.split("(?m)^--- place", shown)[1:]
    assert [part.count("And of other") for part in parts][:2] == [16, 16] and len(parts) == 9
    assert "left out for room" in shown and not re.search(r"at place [01]\b", shown) and len(shown) < OUTPUT_CAP


def test_of_many_places_the_whole_sentence_comes_before_the_lines_around_any() -> None:
    filler = "\n".join("Of other things much is said on each of the pages of it." for _ in range(4))
    text = "\f".join(
        f"{filler}\nFor what is let the rent that is due\nin year {n} is {n}00 dollars.\n{filler}" for n in range(17)
    )
    shown = ask("find('rent', show=17, before=2, after=3)", text)
    assert all(f"the rent that is due\nin year {n} is {n}00 dollars." in shown for n in range(17))
    assert len(shown) < OUTPUT_CAP and re.search(r"left out for room: [^:]* at place [1-9]", shown)
    assert shown.split("--- place 1,")[0].count("Of other things") == 4 and shown.count("--- place") == 17


def test_places_whose_lines_touch_are_one_and_no_line_is_printed_twice() -> None:
    lines = [f"{n}: {'rent' if n in (3, 5, 8, 20) else 'other'} of the hall" for n in range(30)]
    shown = ask("find('rent', before=1, after=1)", "\n".join(lines))
    assert shown.startswith("4 hits in 2 places (hits near one another are one place)")
    assert re.findall(r"--- place (\d+),", shown) == ["0", "1"]
    assert [line for line in shown.splitlines() if " of the hall" in line] == [*lines[2:10], *lines[19:22]]
    many = [f"{n}: the rent of hall {n} is due" for n in range(200)]
    shown = ask("find('rent')", "\n".join(many))
    printed = [line for line in shown.splitlines() if line in many]
    assert len(printed) == len(set(printed)) > 70
    listed = ask("find('rent', show=0)", "\n".join(many))
    assert re.search(r"^place 2, page 1 \(\d+ lines with hits\), offset \d+: \d+: the rent", listed, re.MULTILINE)
    long = f"{'Of the hall. ' * 60}The rent is due. {'And of the yard. ' * 60}"
    (place,) = (line for line in ask("find('rent', show=0)", long).splitlines() if line.startswith("place 0"))
    assert "The rent is due. And of the yard." in place


def test_the_lines_around_a_place_go_on_over_the_page() -> None:
    shown = ask(f"at({REPORT.index('Competition')}, before=200, after=300)")
    assert "page 2, offset" in shown and "Item 1. Business 2" in shown.split("page 2")[0]
    assert shown.split("page 3, offset")[1].split("\n")[1] == "ACME TOOLS ANNUAL REPORT"


def test_rows_of_tables_come_widest_first_and_lists_are_none() -> None:
    text = (
        "Rent 1 and 2\n- rent of 5 and 6 items\fRents\n2022  2021  2020\nRent  5  6  7\nOther  8  9  10\nRent due  1  2"
    )
    shown = ask("find('rent', rows=True, before=0, after=0)", text)
    assert shown.index("Rent  5  6  7") < shown.index("Rent due  1  2")


def test_each_alternative_is_counted_unless_they_stand_in_a_group() -> None:
    text = "rent and rents, a deposit (of rent), no levy"
    assert "'tax' 0" in ask(r"find(r'rents?\b|depo(s|z)it|tax')", text) and ": '" not in ask("find('(rent|tax)')", text)


def test_a_wrong_pattern_is_one_line_and_the_rest_runs() -> None:
    shown = ask("find('(rent')\nprint('and on')")
    assert shown == "find: '(rent' is no regular expression: missing ), unterminated subpattern at position 0\nand on\n"


LINES = (
    "Net sales rose 12.5% to $1,577.2 million in FY2022 (2021: $1,402.0 million).\n"
    'The \u00a7 4.2 "Change of Control" price is 101%.\n'
    "non-GAAP e-mail co-operate\nTotal  1,234  (56)  \u2014\n"
    "Stra\u00dfe, caf\u00e9, na\u00efve; A_1 B-2\nrent. Rent? RENT!\n"
)
PATTERNS = r"""
^net | sales$ | \bsales\b | million\)?\.$ | ^total\b | \A.. | rent\.? | [rR]ent[.?!] | r[eo]nt | [^a-z\s]+
[-\u2014] | [ -]GAAP | \d+ | \d{1,3}(?:,\d{3})* | \$\d[\d,.]* | \d+(?:\.\d+)?% | \(\d+\) | FY\d{4}
\d{4}(?=:) | (?<=\$)\d+ | (?<!\d)\d{2}(?!\d) | \d+? | sales|price | (?:net|total)\s+\w+ | (net) sales
(?P<what>net) sales | (\w)\1 | (?i:rent) | (?-i:RENT) | rent(?!\?) | co-?operate | e.mail | e[.-]mail
\bA_1\b | B-2 | \w+-\w+ | \S+@\S+ | stra(?:\u00df|ss)e | caf[e\u00e9] | na\w+ve | \u00a7 ?4 | \u00a7\s*\d
"change[^"]*" | change.{1,4}control | (?s:total.*?rent) | total +1 | total {2}1 | total[ ]{2}1 | \(?2021: ?
x* | a{2,} | million{1} | ,(?=\s) | ; ?A | \t | [^\S\n]{2,} | \bnet(?:\s\w+){2} | p.?r.?i.?c.?e
(?#a remark)rent | (?x)net \s sales | .+million | \w+\W+\w+$ | \.{1}\d
"""
PATTERN_LIST = [pattern for line in PATTERNS.split("\n") for pattern in line.split(" | ") if pattern]


@pytest.mark.parametrize("pattern", PATTERN_LIST)
def test_a_pattern_means_what_it_means_to_python(pattern: str) -> None:
    """In lines whose words are one space apart, a space that matches any white space is no difference."""
    text = LINES.replace("\n", " \n ")
    expected = [match.span() for match in re.compile(pattern, re.IGNORECASE | re.MULTILINE).finditer(text)]
    assert [match.span() for match in _compiled(pattern).finditer(text)] == expected


def test_so_many_patterns_are_compared() -> None:
    found = [pattern for pattern in PATTERN_LIST if _compiled(pattern).search(LINES.replace("\n", " \n "))]
    assert len(PATTERN_LIST) >= 60 and len(found) >= 55


def test_a_heading_in_spaced_letters_is_found_before_a_longer_one() -> None:
    text = (
        "Consolidated Balance Shee t\nCash  1  2\n\fConsolidated Balance Sheet That Are Subject to Netting\n"
        + "Text. " * 99
    )
    assert "section 'Consolidated Balance Shee t'" in ask("section('Consolidated Balance Sheets')", text)


def test_of_a_long_part_the_parts_that_were_not_printed_are_named() -> None:
    names = ("Competition and Markets", "Rents and Leases", "Staff and Pensions", "Claims and Courts")
    parts = [f"{name}\n" + f"Of {name.casefold()} this is said.\n" * 60 for name in names]
    shown = ask("section('Item 8')", "\f".join(("Item 8. Statements\nHere they are.", *parts, "Item 9. Others\nNone.")))
    told = re.search(r"start=\d+\)\)\nits parts in these, each a section: (.*)\n", shown)
    assert told is not None and told[1] == "5 Claims and Courts"


def test_of_a_long_part_the_rest_is_left_to_a_second_model() -> None:
    long, short = (ask("section('Item 7')", "Item 7. Analysis\n" + "We sold more tools.\n" * n) for n in (2_000, 400))
    assert re.search(r"start=\d+\); llm_query\(prompt, context\[\d+:40017\]\) has them read\)", long)
    assert "more characters: section('Item 7', start=" in short and "llm_query" not in short


def test_a_row_with_a_figure_under_its_number_is_no_heading() -> None:
    assert not document("Prepaids  435  654\nTotal  90  891\nOverview  19").headings


def test_a_part_is_listed_once_and_not_where_the_contents_name_it() -> None:
    contents = "Contents\nItem 1. Business\nItem 2. Properties\n"
    parts = "Item 1. Business\nWe say of it what we know.\n\fItem 2. Properties\nWe own one hall, and rent two more.\n"
    listed = render_headings(document(f"{contents}\f{parts}"), "n0")
    assert listed.count("Item 1. Business") == listed.count("Item 2. Properties") == 1
    assert "2 Item 1. Business\n3 Item 2. Properties\n" in listed


def test_many_numbered_parts_of_a_kind_are_told_in_one_line_and_all_when_asked_for() -> None:
    notes = [f"Note {n} \u2013 {chr(64 + n)}atters\nWhat is said of it." for n in range(1, 25)]
    text = "\f".join(("Overview of the Year\nIt was a good year.", *notes))
    listed = render_headings(document(text), "n0")
    assert "\n1 Overview of the Year\n2-25 Note 1 to Note 24 (24 parts)\n" in listed and "headings()" in listed
    shown = ask("headings()", text)
    assert shown.startswith("25 headings,") and "\n13 [begins: Note 12 \u2013 Latters]\n" in shown
    assert ask("headings('gatters')", text).splitlines()[1:] == ["8 [begins: Note 7 \u2013 Gatters]"]
    many = ask(
        "headings()\nheadings(start=60)",
        "\f".join(f"Note {n} \u2013 {chr(65 + n // 26)}{chr(97 + n % 26)}tters\nText." for n in range(1, 71)),
    )
    assert "(10 more, from page 61 on: headings('', start=60))" in many and many.count("[begins: ") == 70
    few = render_headings(document("\f".join(notes[:9])), "n0")
    assert "\n3 Note 3 \u2013 Catters\n" in few and "headings()" not in few


def test_headings_that_were_printed_were_not_read() -> None:
    text = "\f".join(f"{n}. Provisions On The Matter Of Repairs\nA landlord mends what is old." for n in range(1, 9))
    assert ShownTextFinder(text).find_spans(ask("headings()", text)) == ()


def test_what_a_function_can_do_is_told_when_asked_for() -> None:
    shown = ask("help(find)")
    assert shown.startswith("find(pattern: str, show: int = 6") and "With `doc` only those of several" in shown


def test_headings_are_known_by_how_they_are_written() -> None:
    found = {heading.text: heading.level for heading in document(REPORT).headings}
    assert found["Item 1. Business"] == found["Note 7 \u2013 Inventories"] == 1
    assert found["Consolidated Balance Sheets"] == found["Competition and Markets"] == 2
    assert "ACME TOOLS ANNUAL REPORT" not in found and not any("hall" in name or "Total" in name for name in found)


def test_a_part_is_found_by_the_first_line_of_its_page() -> None:
    text = "The report of the year.\fConsolidated balance sheet\nCash  12  11\nTotal  12  11"
    assert ask("section('Consolidated balance sheet')", text).startswith("section 'Consolidated balance sheet', page 2")


def test_what_is_missed_is_named_with_its_pattern_and_document_as_they_were_written() -> None:
    assert ask(r"find(r'\bpension\b')", "The rent is due.").startswith(r"0 hits in 0 places of '\bpension\b'")
    assert r"'\brent\b' 1" in ask(r"find(r'\brent\b|deposit')", "The rent is due.")


def test_a_page_of_a_document_is_shown_from_a_character_on() -> None:
    text = "The rent is due.\n" * 30
    assert ask("show(1, 170, 40)", text) == ask("show(1, start=170, chars=40)", text)
    named = [NamedDocument(name, document(text), name) for name in ("lease.txt", "deed.txt")]
    about = join_documents("deal", named)
    shown = DocumentSandbox(FakeSandbox, about).run("show('deed', 1, start=170, chars=40)", lambda items: []).stdout
    assert shown.startswith("page 2 (deed.txt), 510 characters, offset") and shown.count("rent") < 6
    assert "'sum'" in DocumentSandbox(FakeSandbox, about).run("table('deed', 1, words='sum')", lambda items: []).stdout


def test_the_unit_of_a_statement_is_printed_whole_and_what_goes_on_a_row_is_no_header() -> None:
    top = (
        "Income statement of the group\nfor the year from 1 January to 31 December, in EUR thousand\nNote  2024  2023\n"
    )
    text = "\f".join(("First page of the report.", f"{top}Revenue  1  148,612  139,204\nCosts  2  67,930  65,118\n"))
    shown = ask("find('Costs', rows=True, before=0)", text)
    assert "[page begins: Income statement of the group]" in shown  # what is printed above the row is not said twice
    prose = "which the group, in the year before, had not expected, as it was said to all of its members.\n"
    assert "page begins" not in ask("find('Costs')", f"First page.\f{prose}Note 1\n{top}Costs  2  67,930  65,118\n")
    assert "(above: for the year from 1 January to 31 December, in EUR thousand)" in shown
    rows = "Parties  Court  Amount  Status\nMorrin v. parent  Kassel  1,340,000  Expert named\n"
    rows += (
        "and others  Kassel  delivered in 2022  due in November 2025\nHarst v. parent  Kassel  286,000  9 May 2025\n"
    )
    assert "(above: and others" not in ask("find('Harst', rows=True, before=0)", rows)


def test_a_row_has_the_names_of_its_columns_as_its_format_tells_them() -> None:
    text = (
        "Plan\n\nItem  Spent\n" + "\n".join(f"Cost {n} of the hall  {n}00" for n in range(1, 30)) + "\nCost 15 again.\n"
    )
    end = text.index("Cost 15 again")
    rows = (line.split("  ") for line in text[text.index("Item") : end - 1].split("\n"))
    table = make_table(text, *rows, begin=text.index("Item"))
    about = replace(document(text, kind="docx"), tables=(table,))
    shown = DocumentSandbox(FakeSandbox, about).run("find('Cost 15', before=0, after=0)", lambda items: []).stdout
    assert shown.count("(above: Item  Spent)\nCost 15 of the hall") == 1 == shown.count("(above")
