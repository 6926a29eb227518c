"""What a memo quotes, and which page it gives for it, in the styles that people and models write."""

from dataclasses import replace

import pytest
from fakes import document

from ralph_cli.core.structure import Note, Span
from ralph_cli.memo.reading.read import read_memo


def read(text: str, kind: str = "markdown") -> list[tuple[str, str, str]]:
    """Form, words and page of each quotation."""
    found = read_memo(document(text, kind=kind)).quotations
    return [
        (one.form if one.closed else "unclosed", one.words, one.reference.text if one.reference else "")
        for one in found
    ]


LONG = "The Customer shall pay each undisputed invoice"


@pytest.mark.parametrize(
    ("text", "page"),
    [
        (f"\u201c{LONG}\u201d (p. 12).", "p. 12"),
        (f"\u201c{LONG}\u201d [p 12]", "p 12"),
        (f"\u201c{LONG}.\u201d Page 12.", "Page 12"),
        (f"\u201c{LONG}\u201d (Agreement, clause 6.3, pp. 12-13)", "pp. 12-13"),
        (f"**\u201c{LONG}\u201d** \u2014 p. iv", "p. iv"),
        (f'"{LONG}," at 12.', "12"),
        (f'"{LONG}" (at F-12)', "F-12"),
        (f'"{LONG}." Id. at 12.', "Id. at 12"),
        (f'"{LONG}" (Ex. A at 12)', "12"),
        (f"On page 12 the agreement says: \u201c{LONG}\u201d.", "page 12"),
        (f"p. 12: '{LONG}'", "p. 12"),
        (f"\u201c{LONG}\u201d, as stated on page 12.", "page 12"),
        (f"\u201c{LONG}\u201d. The annex begins on page 40.", ""),
        (f"The annex begins on page 40. It says \u201c{LONG}\u201d.", ""),
        (f"\u201c{LONG}\u201d", ""),
        (f"\u201c{LONG}\u201d[^1] is it.\n\n[^1]: Agreement, p. 12.", "p. 12"),
        (f"On page 12:\n\n- \u201c{LONG}\u201d", "page 12"),
        (f"\u201c{LONG}.\u201d See p. 12.", "p. 12"),
        (f"\u201c{LONG}\u201d. See p. 12. The annex is longer.", "p. 12"),
        (f"\u201c{LONG}.\u201d Source: Annual Report 2023, p. 12", "p. 12"),
        (f"\u201c{LONG}.\u201d 10-K, p. 12.", "p. 12"),
        (f"\u201c{LONG}\u201d, Ex. 4 at 12.", "12"),
        (f"\u201c{LONG}.\u201d See Ex. 4, at 12.", "12"),
        (f"\u201c{LONG}\u201d (p. 12f.)", "p. 12f."),
        (f"\u201c{LONG}\u201d, pp. 12 ff.", "pp. 12 ff."),
        (f"\u201c{LONG}\u201d[1] is it.\n\n[1] 10-K, p. 12.", "p. 12"),
        (f"\u201c{LONG}\u201d[2]\n\n[1] 10-K, p. 40.\n[2] 10-K,\n   p. 12.", "p. 12"),
        (f"\u201c{LONG}.\u201d\u00b9\n\n\u00b9 10-K, p. 12.", "p. 12"),
        (f'"{LONG}"\u00b2 is it.\n\n1. p. 3\n2. 10-K, p. 12.', "p. 12"),
        (f"\u201c{LONG}\u201d1 is it.\n\n10-K, p. 12.\u21a9\ufe0e", "p. 12"),
        (f"- p. 12\n  - \u201c{LONG}\u201d\n- p. 40", "p. 12"),
        (f"- \u201c{LONG}\u201d\n  - p. 12", "p. 12"),
        (f"## Page 12\n\n\u201c{LONG}\u201d", "Page 12"),
        (f"It says \u201c{LONG}\u201d.\n\n(p. 12)", "p. 12"),
        (f"It says \u201c{LONG}\u201d.\n\n\u2014 Annual Report 2023, p. 12", "p. 12"),
        (f"\u201c{LONG}\u201d. See the annex on p. 40.", ""),
        (f"\u201c{LONG}\u201d. Also p. 40.", ""),
        (f"\u201c{LONG}\u201d. See p. 40 for more.", ""),
        (f"\u201c{LONG}\u201d. Revenue grew at 12.", ""),
        (f"\u201c{LONG}\u201d\n\n## Page 40\n\nOther things.", ""),
        (f"\u201c{LONG}\u201d is it.\n\nSee page 40.", ""),
        (f"See page 40.\n\n\u201c{LONG}\u201d", ""),
    ],
)
def test_the_page_that_belongs_to_a_quotation(text: str, page: str) -> None:
    assert [(words.rstrip(".,"), found) for _, words, found in read(text)] == [(LONG, page)]


def test_each_of_several_quotations_has_its_own_page() -> None:
    text = '"the first four words" (p. 1), "the second four words" (p. 2) and "the third four words".'
    assert [page for *_, page in read(text)] == ["p. 1", "p. 2", ""]


def test_quotations_that_are_joined_share_a_page() -> None:
    assert [page for *_, page in read('"the first four words" and "the second four words" (p. 2)')] == ["p. 2", "p. 2"]
    assert [page for *_, page in read('On page 3, "the first four words" and "the second four words".')] == [
        "page 3"
    ] * 2


NOTES = (
    "\n\n[^1]: 10-K, p. 12; schedule, p. 14, under \u201cLegal and Other Claims\u201d."
    "\n[^2]: It adds \u201cfour more words here\u201d on p. 30.\n"
)
"""Two footnotes of a memo: one with two pages and a heading, one that quotes."""


def test_all_pages_of_a_footnote_are_those_of_what_cites_it() -> None:
    (quotation, heading, inside) = read_memo(
        document(f"\u201c{LONG}\u201d[^1] is it.[^2]{NOTES}", kind="markdown")
    ).quotations
    assert quotation.reference is not None and quotation.reference.ranges == (("12", "12"), ("14", "14"))
    # A heading says under what the words stand, and may itself stand on an earlier page.
    assert (heading.words, heading.reference) == ("Legal and Other Claims", None)
    assert inside.reference is not None and inside.reference.text == "p. 30"


@pytest.mark.parametrize(
    ("text", "page"),
    [(f"\u201c{LONG}\u201d, and nobody minds.[^2]", "p. 30"), (f"\u201c{LONG}\u201d. And nobody minds.[^2]", "")],
)
def test_a_footnote_at_the_end_of_a_sentence_is_that_of_a_quotation_in_it(text: str, page: str) -> None:
    assert read(text + NOTES)[0][1:] == (LONG, page)


def test_what_a_footnote_quotes_takes_no_page_of_the_next_one() -> None:
    notes = "[^1]: Annex, \u201cfour more words here\u201d.\n[^2]: 10-K, p. 30."
    found = read(f"\u201c{LONG}\u201d[^2] is it, and so on.[^1]\n\n{notes}")
    assert [page for *_, page in found] == ["p. 30", ""]
    listed = "1. Annex, \u201cfour more words here\u201d.\n\n2. 10-K, p. 30."
    assert [page for *_, page in read(f"\u201c{LONG}\u201d\u00b2 is it.\u00b9\n\n{listed}")] == ["p. 30", ""]


def test_a_figure_takes_the_pages_of_the_footnote_of_its_sentence() -> None:
    memo = (
        f"Sales were $5 million in Asia and $7 million elsewhere.[^1] Costs were $3 million. Staff: 70,000.[^2]{NOTES}"
    )
    figures = read_memo(document(memo, kind="markdown")).figures
    assert [(figure.text, figure.reference and figure.reference.text) for figure in figures] == [
        ("$5 million", "p. 12, p. 14"),
        ("$7 million", "p. 12, p. 14"),
        ("$3 million", None),
        ("70,000", "p. 30"),
    ]


def test_block_quotations_with_their_attribution() -> None:
    text = (
        "It says:\n\n> The Customer shall pay\n> each invoice.\n>\n> It shall do so in time.\n> \u2014 It, p. 12\n\nSo."
    )
    assert read(text) == [
        ("block", "The Customer shall pay each invoice.", "p. 12"),
        ("block", "It shall do so in time.", "p. 12"),
    ]
    assert read("On page 3:\n\n> The Customer shall pay each invoice.\n") == [
        ("block", "The Customer shall pay each invoice.", "page 3")
    ]
    assert read("> The Customer shall pay each invoice. (p. 4)") == [
        ("block", "The Customer shall pay each invoice.", "p. 4")
    ]
    assert read("> The Customer shall pay each invoice.\n\n(p. 4)") == [
        ("block", "The Customer shall pay each invoice.", "p. 4")
    ]


def test_blocks_of_their_own_share_no_page() -> None:
    first, second = "> The Customer shall pay each invoice.", "> The Supplier shall not suspend it. (p. 3)"
    assert [page for *_, page in read(f"{first}\n\n{second}")] == ["", "p. 3"]
    assert [page for *_, page in read(f"See also page 200.\n\n{first}")] == [""]
    footer = "One block of words.\n\n\u2014 Report, p. 9\n\nAfter."
    html = replace(document(footer, kind="html"), quoted=(Span(0, 36),))
    assert [(one.words, one.reference and one.reference.text) for one in read_memo(html).quotations] == [
        ("One block of words.", "p. 9")
    ]
    text = "One block of words.\n\nAnd more of it.\n\n(p. 3)"
    html = replace(document(text, kind="html"), quoted=(Span(0, 36),))
    assert [one.reference and one.reference.text for one in read_memo(html).quotations] == ["p. 3", "p. 3"]


def test_a_block_that_is_mostly_marked_gives_what_is_between_the_marks() -> None:
    text = "> **Clause 6.3:** \u201cThe Customer shall pay each\n> undisputed invoice\u201d (p. 12)"
    assert read(text) == [("marks", "The Customer shall pay each undisputed invoice", "p. 12")]
    definition = '> "Business Day" means a day other than a Saturday, a Sunday or a public holiday'
    assert read(definition) == [("block", definition[2:], "")]
    assert read("> [!NOTE]\n> Some words that are quoted.") == [("block", "Some words that are quoted.", "")]


def test_markdown_is_taken_off() -> None:
    assert read('"The **Customer** _shall_ pay [each](http://x) invoice\\*[^2]"') == [
        ("marks", "The Customer shall pay each invoice*", "")
    ]
    assert read('"a snake_case_name stays as it is"')[0][1] == "a snake_case_name stays as it is"


def test_terms_are_apart_unless_they_have_a_page_or_an_amount() -> None:
    text = 'the "Customer" pays "$4,800" for the "Platform" (p. 3) as "99.7%" or "a b c" and "a b c d"'
    assert [form for form, *_ in read(text)] == ["term", "marks", "marks", "marks", "term", "marks"]
    assert read('the "\u4e09\u5341\u65e5\u4ee5\u5185\u4ed8\u6b3e\u901a\u77e5" rule')[0][0] == "marks"


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ('The company said it "was not compliant" and "breached its covenants".', ["marks", "marks"]),
        ('It says that the Group "is insolvent".', ["marks"]),
        ('According to the report, debts were "not repaid".', ["marks"]),
        ('Clause 3 provides: "no refund".', ["marks"]),
        ('Debts were "not repaid," the report says.', ["marks"]),
        ('Debts were "not repaid", it said.', ["marks"]),
        ('It says that the "Base Rate" applies.', ["term"]),
        ('It says that a (so-called "Base Rate") applies.', ["term"]),
        ('It says "no".', ["term"]),
        ('This is what it says. We call it a day, "so to speak".', ["term"]),
        ('The "Deal Team" said so.', ["term"]),
        ('It was "not compliant".', ["term"]),
    ],
)
def test_a_phrase_behind_a_verb_of_saying_is_a_quotation_however_short(text: str, forms: list[str]) -> None:
    assert [form for form, *_ in read(text)] == forms


def test_tables_give_cells_and_their_page_column() -> None:
    head = "| Point | Quote | Page |\n|---|---|---|\n"
    text = head + '| Pay "on | "The Customer shall pay" | 12 |\n| x | "The Supplier shall not" | iv |'
    found = read(text)
    assert ("marks", "The Customer shall pay", "12") in found and ("marks", "The Supplier shall not", "iv") in found
    assert [form for form, *_ in found] == ["unclosed", "marks", "marks"]


@pytest.mark.parametrize("kind", ["docx", "html"])
def test_tables_of_word_and_web_pages_give_their_page_column(kind: str) -> None:
    text = (
        "Point  Quote  Page\nPay  \u201cThe Customer shall pay\u201d  12\n\u201cThe Supplier shall not\u201d  iv\n\n"
        "Fees  4,800\nRent  \u201cThe rent is due then\u201d  5,200"
    )
    assert read(text, kind) == [
        ("marks", "The Customer shall pay", "12"),
        ("marks", "The Supplier shall not", "iv"),
        ("marks", "The rent is due then", ""),
    ]


def test_programs_are_no_quotations_but_fenced_words_are_read() -> None:
    assert read('```python\nprint("one two three four")\n```') == []
    assert [words for _, words, _ in read('```\n"one two three four"\n```\n\n"five six seven eight"')] == [
        "one two three four",
        "five six seven eight",
    ]


@pytest.mark.parametrize("kind", ["text", "pdf", "docx", "html", "markdown"])
def test_a_quotation_may_run_over_a_lines_end_in_every_format(kind: str) -> None:
    text = f"A first line\nsays \u201c{LONG[:22]}\n{LONG[23:]}\u201d\n(p. 12). On it goes.\n\nMore."
    assert read(text, kind) == [("marks", LONG, "p. 12")]
    if kind == "pdf":
        assert read(text.replace(f"{LONG[:22]}\n", f"{LONG[:22]}\f"), kind) == [("marks", LONG, "p. 12")]


@pytest.mark.parametrize("kind", ["text", "pdf", "html"])
def test_a_line_that_begins_with_its_page_or_a_bullet_is_apart_from_the_one_before(kind: str) -> None:
    text = "p. 3: \u201cthe first four words\u201d\np. 44: \u201cthe second four words\u201d"
    assert [page for *_, page in read(text, kind)] == ["p. 3", "p. 44"]
    assert [form for form, *_ in read("- It says \u201cwithin thirty\n- and days\u201d", kind)] == ["unclosed"]


def test_a_quotation_that_never_closes_is_told() -> None:
    assert read("It says \u201cwithin thirty days.\n\nAnd more.")[0][0] == "unclosed"
    several = "\u201cThe first paragraph of them.\n\n\u201cThe second paragraph of them.\u201d (p. 3)"
    assert [form for form, *_ in read(several)] == ["marks", "marks"]


def test_quotations_that_the_format_marks() -> None:
    text = "They say in line words here (p. 2).\n\nA block of words here.\n\nAfter."
    base = document(text, kind="html")
    start = text.index("A block")
    html = replace(base, quoted=(Span(9, 27), Span(start, start + 22)))
    assert [(one.form, one.words, one.reference and one.reference.text) for one in read_memo(html).quotations] == [
        ("marks", "in line words here", "p. 2"),
        ("block", "A block of words here.", None),
    ]


def test_a_footnote_of_a_word_document_gives_the_page() -> None:
    text = f"It says \u201c{LONG}\u201d. And on.\n\nAgreement, p. 12."
    at = text.index("\u201d") + 1
    note = Note(text.index("Agreement,"), len(text), at)
    word = replace(document(text, kind="docx"), notes=(note,))
    (one,) = read_memo(word).quotations
    assert one.reference is not None and one.reference.text == "p. 12" and read_memo(word).references == ()


def test_references_without_a_quotation_are_kept_and_those_inside_one_are_not() -> None:
    memo = read_memo(document('See page 40.\n\n"as set out on page 7 of it" is so.', kind="markdown"))
    assert [(one.text, one.line) for one in memo.references] == [("page 40", 1)]


def test_the_numbers_of_the_memos_own_pages_are_no_references() -> None:
    memo = read_memo(document("See p. 7.\nPage 1\fMore.\nPage 2 of 3\f\nPage 2\nEnd.", kind="pdf"))
    assert [(one.text, one.place) for one in memo.references] == [("p. 7", "p. 1, line 1"), ("Page 2", "p. 3, line 2")]


@pytest.mark.parametrize(
    ("kind", "place"),
    [("markdown", "line 3"), ("docx", "paragraph 2"), ("html", "paragraph 2"), ("pdf", "p. 1, line 3")],
)
def test_the_place_is_one_that_a_reader_can_find(kind: str, place: str) -> None:
    (one,) = read_memo(document("A title\n\nIt says \u201cwithin thirty days of it\u201d.", kind=kind)).quotations
    assert one.place == place and one.line == 3
    (other,) = read_memo(document("x\f\n\nIt says \u201cwithin thirty days of it\u201d.", kind="pdf")).quotations
    assert other.place == "p. 2, line 3"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (f"Intro. He must pay: \u201c{LONG}\u201d (p. 12). More.", f"He must pay: \u201c{LONG}\u201d (p. 12)."),
        (f"- **Payment:** \u201c{LONG}.\u201d (p. 12)\n- Next", f"Payment: \u201c{LONG}.\u201d (p. 12)"),
    ],
)
def test_the_sentence_that_carries_it(text: str, sentence: str) -> None:
    assert read_memo(document(text, kind="markdown")).quotations[0].sentence == sentence


@pytest.mark.parametrize("first", [f"One: \u201c{LONG}\u201d (p. 49).", f"One: \u201c{LONG}.\u201d (p. 49)"])
@pytest.mark.parametrize(
    "second",
    [
        f"The other: \u201c{LONG}\u201d (p. 3).",
        f"\u201c{LONG}\u201d is the other (p. 3).",
        f"$5 and \u201c{LONG}\u201d (p. 3).",
        f"\u00dcber alles \u201c{LONG}\u201d (p. 3).",
    ],
)
def test_sentences_with_a_page_each_are_not_joined(first: str, second: str) -> None:
    found = read_memo(document(f"{first} {second}", kind="markdown")).quotations
    assert [one.sentence for one in found] == [first, second]


def test_many_marks_that_never_close_are_each_told() -> None:
    assert len(read("\u201cx " * 2_000)) == 2_000
