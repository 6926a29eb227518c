"""Ranking and spans: words are found in their forms, rows in their tables, and nothing is cut so that it misleads."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from fakes import document

from ralph_cli.documents.source import DocumentSource
from ralph_cli.providers.offline.rank import lower_same_length, query_terms, rank, split_passages, term_pattern
from ralph_cli.providers.offline.spans import search
from ralph_cli.providers.offline.words import stem
from ralph_cli.rlm.bridge import list_tables

SAMPLES = Path(__file__).parents[3] / "samples"
Pages = list[tuple[int, str, int, int]]


def laid_out(parts: list[str]) -> tuple[str, Pages]:
    pages, start = [], 0
    for number, part in enumerate(parts, 1):
        pages.append((number, str(number), start, start + len(part)))
        start += len(part) + 1
    return "\f".join(parts), pages


def found(question: str, parts: list[str], length: tuple[int, int] = (20, 200)) -> list[str]:
    """The texts that a search prints, best first."""
    return [row["text"] for row in searched(question, parts, length)]


def searched(question: str, parts: list[str], length: tuple[int, int]) -> list[dict[str, Any]]:
    text, pages = laid_out(parts)
    lines = search(question, text, pages, list_tables(document(text)), length=length, passages=14)
    return [json.loads(line.partition(" ")[2]) for line in lines[1:]]


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("acquisitions", ["acquisition"]),
        ("operating", ["operations", "operate", "operated"]),
        ("improving", ["improved", "improvement"]),
        ("liabilities", ["liability"]),
        ("reduction", ["reduced", "reduces"]),
        ("occurred", ["occur", "occurring"]),
        ("rate", ["rates", "rated"]),
        ("tax", ["taxes"]),
        ("carry", ["carries", "carried"]),
        ("studies", ["study", "studied"]),
        ("R&D", ["R&D"]),
    ],
)
def test_stems_find_the_forms_of_a_word(word: str, others: list[str]) -> None:
    for other in others:
        assert re.search(term_pattern(stem(word)), f"the {other} of".lower())
    assert not re.search(term_pattern(stem(word)), f"un{word} xx{word}".lower())


def test_words_of_the_question() -> None:
    terms = query_terms("What was net income (in USD) in FY18 and fiscal 2019? If unclear, explain the metric.")
    assert list(terms) == ["net", "incom", "usd", "2018", "2019", "unclear", "metric"]


def test_a_lower_cased_copy_keeps_every_offset() -> None:
    text = "\u0130\u0130\u0130 Ferry"
    assert len(lower_same_length(text)) == len(text) and lower_same_length(text).index("ferry") == text.index("Ferry")


def test_every_character_is_in_a_chunk() -> None:
    text = ("word " * 700 + "\n") * 3 + "\f" + "line\n" * 900 + "x" * 4000
    covered = {place for start, end in split_passages(text) for place in range(start, end)}
    assert all(place in covered or text[place].isspace() for place in range(len(text)))


def test_the_name_of_the_whole_document_weighs_less_than_other_names() -> None:
    parts = [
        "Harbour Line\nReport",
        "Harbour ferries",
        "Nordic Bank loan",
        "Harbour staff",
        "Harbour Nordic pier",
        "Harbour",
    ]
    weights = rank("Which loan did Harbour take from Nordic?", *laid_out(parts)).field.weights
    assert weights["harbour"] < weights["nordic"]
    assert (
        rank("Which loan did harbour take from Nordic?", *laid_out(parts)).field.weights["harbour"] > weights["harbour"]
    )


def test_a_row_is_told_apart_by_the_table_it_is_in() -> None:
    parts = [
        "Statement of costs\n(crowns)  2021  2020\nTotal  4,210  3,377\n",
        "Statement of income\n(crowns)  2021  2020\nTotal  9,114  8,002\n",
    ]
    assert found("What was the total in the statement of income?", parts, (10, 200))[0] == "Total  9,114  8,002"


def test_near_duplicates_are_shown_once() -> None:
    parts = [f"Page {n}\nThe licence of the fleet ends in March of next year.\n" for n in range(3)]
    assert len(found("When does the licence of the fleet end?", parts)) == 1


def test_figures_that_differ_are_no_duplicates() -> None:
    parts = [f"Page {n}\nThe licence of the fleet cost {n}00 crowns in that year.\n" for n in range(3, 6)]
    assert len(found("What did the licence of the fleet cost?", parts)) == 3


def test_half_a_sentence_at_the_edge_is_not_quoted() -> None:
    parts = [
        "The old town has a fleet that was sold",
        "and the fleet of the old town was sold. The whole fleet was sold again.",
    ]
    assert found("Was the fleet sold?", parts) == ["The whole fleet was sold again."]


LISTED = (
    "Operate eleven ferries between the mainland and all of the inhabited islands of the archipelago",
    "Retire the two oldest ferries by the end of the next financial year and sell them for scrap",
    "Order one electric ferry from the northern shipyard for delivery in the spring at a fixed price",
)


@pytest.mark.parametrize("marks", ["\u2022", "-"])
def test_items_of_a_list_without_full_stops_are_quoted(marks: str) -> None:
    page = "Plan\n" + "\n".join(f"{marks} {item}" for item in LISTED)
    assert found("Which electric ferry was ordered from the northern shipyard?", [page, "Crew"])[0] == LISTED[2]


def test_the_first_quotes_come_from_different_pages() -> None:
    parts = [
        "The ferry tax is paid by guests. The ferry tax is due at noon. The ferry tax rose in May. Ferry tax is a tax.",
        "A ferry tax was planned by the town.",
        "Other things stand here and nobody reads them.",
    ]
    assert parts[1] in found("What is the ferry tax?", parts)[:2]


def test_nothing_is_cut_off_behind_a_negation() -> None:
    text = (
        "The company does not confirm any of the following: The fleet was sold to the town; "
        "(b) the fleet was insured at its full value with three banks of the town and of the islands."
    )
    assert not any("fleet" in span for span in found("Was the fleet sold?", [text], (20, 100)))
    plain = text.replace("does not confirm any of", "confirms all of")
    assert "The fleet was sold to the town;" in found("Was the fleet sold?", [plain], (20, 100))


def test_a_line_of_the_contents_is_not_quoted() -> None:
    parts = ["Contents\nLicence of the fleet ........ 7\n", "The licence of the fleet ends in March.\n"]
    assert found("When does the licence of the fleet end?", parts) == [parts[1].strip()]


def test_a_running_header_is_no_part_of_the_sentence_below_it() -> None:
    page = (
        "Harbour Ferries, Inc.  10 Notes to the consolidated financial statements of the group\n"
        "The dredging had no effect on the revenue from freight in any of the years that are\nshown.\n"
    )
    assert found("What effect had the dredging?", [page])[0].startswith("The dredging had no effect")


def test_running_headers_and_footers_are_never_quoted() -> None:
    pages = [
        f"Harbour Ferries  {n} Review\nFreight in year {n} was carried as before.\n{'It was so.' * n}\n"
        f"\nAll was well.\n\nAnnual Report 2024  {n}\n"
        for n in range(1, 9)
    ]
    spans = found("What does the annual report of 2024 say of freight?", pages)
    assert spans and not any(span.startswith(("Annual Report", "Harbour Ferries")) for span in spans)


def test_a_running_line_never_stands_inside_of_what_is_quoted() -> None:
    between = ".\n" + "Nothing else is known.\n" * 5
    pages = [
        f"Harbour Ferries  {n} Review\nof year {n}{between}The loan of {n}7 crowns for the new pier is due\n\n{n}\n"
        for n in range(1, 9)
    ]
    spans = found("When is the loan for the new pier due?", pages)
    assert spans and not any("Review" in span or span.endswith("\n") or span[-1].isdigit() for span in spans)


def test_a_row_comes_with_the_lines_that_head_its_columns() -> None:
    rows = "".join(f"Pier {'abcdefghijklmnopqrst'[n]} dues  {n},217  {n},229\n" for n in range(1, 20))
    page = f"Statement of dues\n(crowns)  2021  2020\n{rows}Total harbour dues  9,114  8,002\n"
    short = "Statement of dues\n(crowns)  2021  2020\nTotal harbour dues  9,114  8,002\n"
    for table in (short, page):
        best, *_ = searched("What were total harbour dues?", [table], (10, 200))
        assert (best["text"], best["header"]) == ("Total harbour dues  9,114  8,002", "(crowns)  2021  2020")


FILLER = "So it was.\n" * 30
STATEMENTS = [
    "Harbour Ferries\nAnnual report\n",
    "Review\n" + FILLER + "The margin of the group improved, and the ratio of margins is a useful profile.\n",
    "Statements of Earnings\n" + FILLER + "Net sales  9,114  8,002\nCost of sales  4,210  3,377\n",
    "Statement of Financial Position\n" + FILLER + "Inventories  114  102\nTotal current liabilities  210  377\n",
    "Statements of Cash Flows\n" + FILLER + "Purchases of property, plant and equipment  (114)  (102)\n",
]


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("Did the margin of the group improve?", 1),
        ("Has the gross margin of the group improved?", 2),
        ("What does the income statement say of the margin of the group?", 2),
        ("Is the quick ratio of the group improving?", 3),
        ("Which part of the balance sheet improved?", 3),
        ("How large was capex in the group?", 4),
    ],
)
def test_a_measure_is_looked_for_in_the_statement_that_it_is_computed_from(question: str, page: int) -> None:
    text, pages = laid_out(STATEMENTS)
    _, start, _ = rank(question, text, pages).passages[0]
    assert pages[page][2] <= start < pages[page][3]


def test_the_lines_of_a_measure_do_not_make_a_document_hold_what_is_asked() -> None:
    lines = "Net sales  9,114  8,002\nCost of sales  4,210  3,377\nGross profit  4,904  4,625\n"
    found = rank("What was the gross margin of Zenobia Shipyards?", *laid_out(["Report\n", lines]))
    assert found.passages and found.coverage < found.needed


def test_a_heading_is_worth_less_than_what_it_heads() -> None:
    page = "7.1 The Kestle claim\nThe claim of Kestle against the group was reduced to 38 million in the second year.\n"
    assert found("What is the Kestle claim?", [page])[0].startswith("The claim of Kestle")


def enough(question: str, name: str) -> bool:
    """Whether something in a sample holds enough of the question to be quoted from."""
    document = DocumentSource.of(SAMPLES / name).load()
    found = rank(question, document.text, [(p.number, p.label, p.start, p.end) for p in document.pages])
    return bool(found.passages) and found.coverage >= found.needed


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How long do I have to pay an invoice?", "contract.md"),
        ("How long does confidentiality last?", "contract.md"),
        ("What figure is given for availability?", "contract.md"),
        ("What happens if I pay late?", "contract.md"),
        ("How large a penalty may be imposed on a business?", "notice.html"),
        ("How long do I have to report a fire?", "notice.html"),
        ("How long is the term?", "contract.md"),
    ],
)
def test_how_one_asks_needs_not_be_in_the_document(question: str, name: str) -> None:
    assert enough(question, name)


NOT_THERE = [
    ("Which software vendor made the helicopters?", "contract.md"),
    ("How much is the signing bonus?", "contract.md"),
    ("Which arbitration institution in Singapore hears disputes?", "contract.md"),
    ("How many vacation days do employees get?", "contract.md"),
    ("What is the minimum purchase quantity of steel?", "contract.md"),
    ("What is the tax on petrol?", "notice.html"),
    ("How many dogs may a household keep?", "notice.html"),
    ("What figure is given for the noise limit at night?", "notice.html"),
    ("How long is the parental leave?", "notice.html"),
    ("How large is the swimming pool?", "notice.html"),
]


def test_most_of_what_is_not_there_is_still_said_to_be_absent() -> None:
    assert sum(not enough(question, name) for question, name in NOT_THERE) >= 8
