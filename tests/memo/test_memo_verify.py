"""Each verdict on a quotation, with a memo in which it is given and one in which it is not."""

from dataclasses import replace
from pathlib import Path

import pytest
from fakes import document
from planted import planted

from ralph_cli.core.document import Document
from ralph_cli.core.results.memo import Finding, MemoCheck
from ralph_cli.core.structure import Page
from ralph_cli.documents.source import DocumentSource
from ralph_cli.memo.checking.check import check_quotations
from ralph_cli.memo.reading.read import read_memo

SAMPLES = Path(__file__).parents[2] / "samples"
FIRST = (
    "6.3 The Customer shall pay each undisputed invoice within thirty days of\nreceiving it. "
    "The Supplier shall not suspend the Services.\n"
    "6.4 In clause 5, \u201cthirty days\u201d is replaced by \u201cforty days\u201d.\n"
    "Revenue was $1,577.5 million, or 12.4%, in fiscal 2018.\n"
)
SECOND = (
    "9.1 Neither party is liable for loss of profit, loss of goodwill or any indirect loss.\n"
    "Fees      (4,800)   5,200\n"
    "9.2 Neither party may transfer this Agreement without the other\u2019s consent.\n"
)
THIRD = (
    "Appendix. The Customer may end the Services at any time on sixty days' notice in writing.\n"
    + "Filler words. " * 400
)


def source() -> Document:
    """Three pages, printed iv, 1 and 2."""
    made = document("\f".join((FIRST, SECOND, THIRD)), kind="pdf", path="contract.pdf")
    labels = ("iv", "1", "2")
    pages = tuple(Page(p.number, label, p.start, p.end) for p, label in zip(made.pages, labels, strict=True))
    return replace(made, pages=pages)


def checked(memo: str, *others: Document, strict: bool = False, kind: str = "markdown") -> MemoCheck:
    return check_quotations(read_memo(document(memo, kind=kind)), "memo.md", (source(), *others), strict=strict)


def only(memo: str, *others: Document) -> Finding:
    (finding,) = checked(memo, *others).findings
    return finding


@pytest.mark.parametrize(
    ("memo", "outcome"),
    [
        ('"The Supplier shall not suspend the Services."', "exact"),
        ('"within thirty days of receiving it"', "folded"),
        ('"The Supplier shall not suspend the Services,"', "exact"),
        ("\u201cIn clause 5, \u2018thirty days\u2019 is replaced by \u2018forty days\u2019.\u201d", "folded"),
        ('"Fees (4,800) 5,200"', "folded"),
        ('"Revenue was 1,577.5 million, or 12.4%"', "recut"),
        ('"Revenue was **$1,577.5** million"', "exact"),
        ('"[t]he Supplier shall not suspend the Services"', "exact"),
        ('"the Supplier shall not suspend the Services"', "recut"),
        ('"[The client] shall pay each undisputed invoice"', "elided"),
        ('"The Customer shall pay each [and every] undisputed invoice"', "elided"),
        ('"The Customer shall pay [sic] each undisputed invoice"', "exact"),
        ('"The Customer shall pay ... within thirty days"', "elided"),
        ('"within thirty days of receiving it. . . . [i]n clause 5"', "elided"),
        ('"\u2026 pay each undisputed invoice \u2026"', "elided"),
        ("> The Customer shall pay each\n> undisputed invoice within thirty days", "exact"),
    ],
)
def test_what_holds(memo: str, outcome: str) -> None:
    finding = only(memo)
    assert finding.outcome == outcome and finding.holds and finding.quote is not None
    assert checked(memo).ok


@pytest.mark.parametrize(
    ("memo", "outcome"),
    [
        ('"within forty days of receiving it from the Supplier"', "altered"),
        ('"The Supplier shall suspend the Services."', "altered"),
        ('"Revenue was $1,577.5 billion"', "altered"),
        ('"Revenue was $1,575.5 million, or 12.4%"', "altered"),
        ('"Fees -4,800 -5,200"', "altered"),
        ('"THE SUPPLIER SHALL NOT SUSPEND"', "not-found"),
        ('"The Customer waives every right of set-off and retention"', "not-found"),
        ('"$9,214 million"', "not-found"),  # of which a million is all that is there
        ('"The Supplier shall not suspend ... The Customer shall pay each"', "altered"),
        ('"The Customer shall pay ... The Supplier shall not suspend"', "altered"),
        ('"of receiving it ... The Customer may end the Services at any time ... Filler words"', "altered"),
        ('"loss of goodwill ... Filler words. Appendix"', "altered"),
        pytest.param(
            '"{}"'.format(" ... ".join(["Filler words. Filler"] * 20)),
            "elided",
            id="twenty parts",
            marks=pytest.mark.full,  # takes seconds, since each part is in many places
        ),
        pytest.param('"{}"'.format(" ... ".join(["Filler words. Filler"] * 30)), "altered", id="too many parts"),
        ('"The Customer shall [not] pay any undisputed invoice"', "altered"),
        ('"The Customer shall pay [sic] undisputed invoice"', "altered"),
        ("It says \u201cwithin thirty days of receiving it and no more", "unclosed"),
    ],
)
def test_what_does_not(memo: str, outcome: str) -> None:
    found = checked(memo)
    assert found.findings[0].outcome == outcome
    assert found.ok is (outcome == "elided")


def test_what_is_altered_comes_with_the_closest_text() -> None:
    finding = only('"within sixty days of receiving it"')
    assert finding.nearest is not None and finding.nearest.differing == ("sixty -> thirty",)
    assert finding.nearest.page == 1 and finding.nearest.label == "iv" and finding.document == 0
    part = only('"The Supplier shall not suspend ... the Platform and the Works"')
    assert any("the Platform and the Works" in note for note in part.notes)


def test_an_ellipsis_names_what_it_leaves_out_and_brackets_what_they_put_in() -> None:
    finding = only('"The Customer shall pay ... invoice within [the said] thirty days"')
    assert finding.notes == ('omitted: "each undisputed"', "inserted by the memo: [the said]")
    assert finding.quote is not None and finding.quote.text.startswith("The Customer shall pay each undisputed")


COVENANT = (
    "We were in compliance with all applicable covenants. The ratio of debt to earnings was not higher than 3.9 times. "
    "We do not have off-balance-sheet arrangements. It pays the fee within two days, except on a Sunday, to the bank. "
    "Sales were $40 million, up from $30 million. The Supplier insures the goods. No rent is due. He pays.\n"
)


@pytest.mark.parametrize(
    ("memo", "differing"),
    [
        ("not higher than [3.5] times", "[3.5] -> 3.9"),
        ("not higher than [the agreed] times", "[the agreed] -> 3.9"),
        ("We were [not] in compliance with all", "[not] -> (nothing)"),
        ("We [failed to be] in compliance with all", "[failed to be] -> were"),
        ("[Only in part were] in compliance with all applicable covenants", "[Only in part were] -> (nothing)"),
        ("in compliance with all applicable covenants [except one]", "[except one] -> (nothing)"),
        ("do[es] have off-balance-sheet arrangements", "do[es] -> do not"),
        ("[It has to] have off-balance-sheet arrangements", "[It has to] -> do not"),
        ("We do [...] have off-balance-sheet", "[...] -> not"),
        ("pays the fee within two days [...] to the bank", "[...] -> except"),
        ("pays the fee within [some] days", "[some] -> two"),
        ("Sales were [...] $30 million", "[...] -> $40 million"),
        ("Sales were $40 million [...] The Supplier insures the goods", "[...] -> $30 million"),
        ("with all [in]applicable covenants", "[in]applicable -> applicable"),
        ("We were [...] in [non]compliance with", "[non]compliance -> compliance"),
        ("We were in compliance [with the] debt to earnings", "-> with all applicable covenants. The ratio of"),
        ("We were [in line] off-balance-sheet arrangements", "[in line] -> "),
        ("The Supplier [sells] the goods", ""),
        ("The Supplier en[sures] the goods", "en[sures] -> insures"),
    ],
)
def test_brackets_and_ellipses_must_not_turn_the_meaning(memo: str, differing: str) -> None:
    contract = document(COVENANT, kind="pdf")
    found = check_quotations(read_memo(document(f"It says \u201c{memo}\u201d.")), "m", (contract,))
    (finding,) = found.findings
    if not differing:
        assert finding.holds
        return
    assert finding.outcome == "altered" and not found.ok and finding.document == 0
    assert finding.nearest is not None and differing in " ".join(finding.nearest.differing)


@pytest.mark.parametrize(
    "memo",
    [
        "[w]e were in compliance with all",
        "We were in compliance [sic] with all applicable covenants [emphasis added]",
        "[The Company] were in compliance with all applicable covenants",
        "It pay[s] the fee within two days",
        "[The Customer] pays the fee within two days",
        "We were in compliance[1] with all applicable covenants.[2]",
        "The Supplier insure[d] the goods",
        "We were in [...] all applicable covenants",
        "The Supplier insures the goods. [...] He pays",
        "We were in compliance with all applicable covenants. [...] The Supplier insures the goods.",
        "pays the fee within two days, except [...] to the bank",
        "[The bank] pays[, as it says,] the fee within two days",
    ],
)
def test_innocent_brackets_and_ellipses_hold(memo: str) -> None:
    contract = document(COVENANT, kind="pdf")
    (finding,) = check_quotations(read_memo(document(f"It says \u201c{memo}\u201d.")), "m", (contract,)).findings
    assert finding.holds


def test_parts_that_stand_far_apart_are_told_with_their_pages() -> None:
    late = document("First words of it all. " + "x " * 4_000 + "\fLast words of it all.", kind="pdf")
    (finding,) = check_quotations(
        read_memo(document('"First words of it ... Last words of it"')), "m", (late,)
    ).findings
    assert finding.outcome == "altered" and "p. 1, p. 2" in finding.notes[0]


LEAVE = document(
    "Of the sums owed, but not often, some are paid. "
    "The price is the lesser of cost and market value. The books are kept, in all material respects, by the bank. "
    "The books of it, as amended, lie in Ulm. The auditor, in whose view all is well, signed it. "
    "The Supplier may, solely at its own discretion and save in cases of fraud, end the Services. The tenant may "
    "sublet the hall, with the landlord's prior consent, to a charity. The Supplier shall, promptly after notice, "
    "repair the goods. We insure substantially all of our goods. Cash is held in trust to the extent required by "
    "law, and in banks. Staff rose from 900 to 1,100 in the year. The Company, a Delaware corporation, operates "
    "warehouses. The fee is due on demand (as defined in Section 5.2), payable in euro. The Board, at its meeting "
    "of 4 May 2021, approved the plan. The rent is paid in full. It was 4,800 a month. The Supplier shall not "
    "suspend the Services. The insurer pays the tenant\u2019s legal costs up to a total of $25,000 a year. We settle "
    "all claims admitted to be just, and go on. All of the goods, stored in Ulm, are sold. No person who holds shares "
    "may vote.",
    kind="pdf",
)
"""What its omissions drop is in no list of words that limit."""


@pytest.mark.parametrize(
    ("memo", "dropped"),
    [
        ("The Supplier may ... end the Services", "solely at its own discretion and save in cases of fraud"),
        ("The tenant may sublet the hall ... to a charity", "with the landlord's prior consent"),
        ("The tenant may sublet the hall ... The Supplier shall, promptly", "with the landlord's prior consent"),
        ("The Supplier shall ... repair the goods", "promptly after notice"),
        ("We insure ... our goods", "substantially all of"),
        ("Cash is held in trust ... and in banks", "to the extent required by law"),
        ("Cash is held in trust ...", "to the extent required by law"),
        ("Staff rose ... in the year", "900"),
        ("The price is ... cost and market value", "the lesser of"),
        ("The books are kept ... by the bank", "in all material respects"),
        ("\u2026 suspend the Services", "not"),
        ("The insurer pays the tenant\u2019s legal costs ....", "up to a total of $25,000 a year"),
        ("We settle all claims ... and go on", "admitted to be just"),
        ("No person \u2026 may vote", "who holds shares"),
    ],
)
def test_an_omission_that_drops_a_figure_a_negation_or_a_limit_is_altered(memo: str, dropped: str) -> None:
    (finding,) = check_quotations(read_memo(document(f"It says \u201c{memo}\u201d.")), "m", (LEAVE,)).findings
    assert finding.outcome == "altered" and finding.nearest is not None
    assert finding.nearest.differing == (f"[...] -> {dropped}",)


@pytest.mark.parametrize(
    ("memo", "omitted"),
    [
        ("The Company ... operates warehouses", ", a Delaware corporation,"),
        ("The books of it ... lie in Ulm", ", as amended,"),
        ("The auditor ... signed it", ", in whose view all is well,"),
        ("The fee is due on demand ... payable in euro", "(as defined in Section 5.2),"),
        ("The Board ... approved the plan", ", at its meeting of 4 May 2021,"),
        ("The rent is paid in full. [...] The Supplier shall not suspend", "It was 4,800 a month."),
        ("Of the sums owed \u2026", ", but not often, some are paid."),
        ("\u2026 operates warehouses.", "The Company, a Delaware corporation,"),
        ("All of the goods ... are sold", ", stored in Ulm,"),
        ("The insurer pays ...", "the tenant\u2019s legal costs up to a total of $25,000 a year."),
    ],
)
def test_an_omission_of_less_weight_is_elided_never_exact_and_its_words_are_shown(memo: str, omitted: str) -> None:
    (finding,) = check_quotations(read_memo(document(f"It says \u201c{memo}\u201d.")), "m", (LEAVE,)).findings
    assert finding.outcome == "elided" and finding.holds and finding.quote is not None
    assert finding.quote.match == "elided" and f'omitted: "{omitted}"' in finding.notes


def test_of_words_with_gaps_the_place_on_the_page_that_is_named_is_looked_at_first() -> None:
    lease = document("He pays rent in cash to us.\fHe pays rent, unless it snows, to us.", kind="pdf")
    for page, outcome in ((1, "elided"), (2, "altered")):
        memo = read_memo(document(f'It says "He pays rent ... to us" (p. {page}).'))
        assert check_quotations(memo, "m", (lease,)).findings[0].outcome == outcome


def test_a_quotation_that_begins_behind_a_negation_or_cuts_its_sentence_says_so() -> None:
    assert 'begins behind "not"' in only('They may "suspend the Services" (p. 1).').notes
    assert (
        only("\u201cNeither party is liable for loss of profit.\u201d").notes[0].startswith('the sentence continues: "')
    )


@pytest.mark.parametrize(
    ("page", "outcome", "matched"),
    [
        ("p. 1", "exact", "number"),
        ("p. iv", "exact", "label"),
        ("pp. 1-2", "exact", "number"),
        ("p. 2", "wrong-page", None),
        ("p. 40", "wrong-page", None),
    ],
)
def test_pages_by_number_and_by_label(page: str, outcome: str, matched: str | None) -> None:
    finding = only(f'"The Supplier shall not suspend the Services" ({page})')
    assert (finding.outcome, finding.matched) == (outcome, matched)
    assert finding.pages == ((1, "iv"),)


def test_a_place_on_the_page_that_is_named_is_preferred() -> None:
    finding = only('"Neither party" (p. 2)')
    assert finding.outcome == "exact" and finding.quote is not None and finding.quote.page == 2
    assert only('"The Customer" (p. 3)').quote.page == 3  # type: ignore[union-attr]
    assert only('"The Customer" (p. 2)').matched == "label"


def test_terms_do_not_decide_unless_strict() -> None:
    memo = '"The Supplier shall not suspend the Services" of the "Customer" by the "Vendor" and "SERVICES"'
    found = checked(memo)
    assert found.ok and [one.outcome for one in found.terms] == ["exact", "not-found", "folded"]
    assert not checked(memo, strict=True).ok
    assert checked('the "Customer"', strict=True).ok and not checked('the "Customer"').ok


def test_nothing_to_check_is_no() -> None:
    assert not checked("No quotation here.").ok and checked("No quotation here.").checked == 0


def test_page_references_past_the_end_are_wrong() -> None:
    memo = '"The Supplier shall not suspend the Services." See page 40, page 2 and p. iv.'
    found = checked(memo)
    assert [one.text for one in found.beyond] == ["page 40"] and not found.ok


def test_a_document_without_pages_leaves_references_unchecked() -> None:
    plain = document(FIRST, kind="markdown")
    memo = read_memo(document('"The Supplier shall not suspend the Services" (p. 12). See page 40.', kind="markdown"))
    found = check_quotations(memo, "memo.md", (plain,))
    assert found.ok and found.unpaged == 1 and found.beyond == () and found.findings[0].matched is None
    assert not check_quotations(memo, "memo.md", (plain,), strict=True).ok


def test_of_several_documents_the_one_that_holds_it_is_named() -> None:
    other = document(
        "The lease ends on 31 March 2031. The Supplier shall not suspend the Services.", kind="pdf", path="b.pdf"
    )
    finding = only('"The lease ends on 31 March 2031"', other)
    assert finding.document == 1 and finding.also == ()
    both = only('"The Supplier shall not suspend the Services"', other)
    assert both.document == 0 and both.also == (1,)
    assert only('"The lease ended on 31 March 2031" (p. 1)', other).document == 1


def test_a_documents_own_markdown_is_looked_through() -> None:
    contract = document('- "**Business Day**" means a *day* other than a Sunday.\n| Rent | 4,800 |', kind="markdown")
    memo = read_memo(
        document('\u201c\u2018Business Day\u2019 means a day other than a Sunday\u201d and "Rent 4,800 each"')
    )
    good, bad = check_quotations(memo, "memo.md", (contract,)).findings
    assert good.outcome == "folded" and good.notes == () and not bad.holds


def test_a_plural_possessive_is_read_in_the_way_that_the_document_has() -> None:
    contract = document("The rights of the parties end. It ends all the parties\u2019 rights under it.")
    long = read_memo(document("It \u2018ends all the parties\u2019 rights under it\u2019."))
    assert check_quotations(long, "m", (contract,)).findings[0].quotation.words.endswith("under it")
    short = read_memo(document("\u2018The rights of the parties\u2019 and what the parties\u2019 end."))
    assert check_quotations(short, "m", (contract,)).findings[0].quotation.words == "The rights of the parties"


def test_a_quotation_that_is_put_together_is_taken_apart() -> None:
    splice = only('"The Customer shall pay each undisputed invoice at any time on sixty days\' notice"')
    first = '"The Customer shall pay each undisputed invoice", p. 1 (printed iv)'
    second = '"at any time on sixty days\' notice", p. 3 (printed 2)'
    assert splice.outcome == "altered" and splice.notes == (f"put together from {first}; and {second}",)
    cut = only('"Neither party is liable for any indirect loss."')
    assert cut.outcome == "altered" and cut.notes == (
        'omits without an ellipsis: "loss of profit, loss of goodwill or"',
    )


DIVIDED = document(
    "The agree-\nment covers long-\nterm leases. The revenue\u00b9 of the segment rose.\u00b2 "
    "The hall has 40 m\u00b2 of floor. The information is confidential. A deposit of 10\u2076 units is due.",
    kind="pdf",
)


@pytest.mark.parametrize(
    ("memo", "outcome"),
    [
        ("The agreement covers long-term leases", "folded"),
        ("The agreement cov-\ners long-\nterm leases", "folded"),
        ("The informa-\ntion is confi-\ndential", "exact"),
        ("The informa\u00adtion is confidential", "exact"),
        ("The revenue of the segment rose. The hall", "folded"),
        ("The revenue\u00b9 of the segment rose", "exact"),
        ("The information\u2077 is confidential", "exact"),
        ("The hall has 40 m of floor", "altered"),
        ("A deposit of 10 units is due", "altered"),
    ],
)
def test_hyphens_at_line_ends_and_the_marks_of_footnotes_are_typesetting_on_both_sides(memo: str, outcome: str) -> None:
    (finding,) = check_quotations(read_memo(document(f"It says \u201c{memo}\u201d.")), "m", (DIVIDED,)).findings
    assert finding.outcome == outcome


def test_a_footnotes_mark_that_is_left_out_is_named() -> None:
    memo = read_memo(document("It says \u201cThe revenue of the segment rose\u201d."))
    assert check_quotations(memo, "m", (DIVIDED,)).findings[0].notes == ("leaves out the mark of a footnote: \u00b9",)


def test_figures_in_the_memos_own_words_are_counted_and_looked_for_on_the_page_that_is_named() -> None:
    memo = (
        "# 3. Results of 2018\n\nOn 5 May 2018 it had revenue of $1,577.5 million (p. 1), up 12.5%, under Section 4.2 "
        'of its 10-K here. Two things follow: "The Supplier shall not suspend the Services" and thirty days. '
        "The fee is 5,200 (p. 3).\n"
    )
    found = checked(memo)
    told = [(figure.text, figure.occurs) for figure in found.figures]
    assert told == [("$1,577.5 million", True), ("12.5%", False), ("thirty", True), ("5,200", False)]
    assert found.ok and not checked(memo, strict=True).ok
    assert [figure.text for figure in found.absent_figures] == ["12.5%", "5,200"]


def test_the_number_at_the_foot_of_a_page_counts_where_the_file_has_no_labels() -> None:
    words = ("The first lease ends in May", "The second lease ends in June", "The third lease ends in July")
    report = document("\f".join(f"{line}.\n{number}" for number, line in enumerate(words, 21)), kind="pdf")
    (right, wrong) = checked(f'"{words[1]}" (p. 22). "{words[2]}" (p. 22).', report).findings
    assert (right.outcome, right.matched, right.pages) == ("exact", "label", ((2, "22"),))
    assert (wrong.outcome, wrong.pages) == ("wrong-page", ((3, "23"),))


def test_figures_of_a_memo_are_those_of_documents_in_another_language() -> None:
    report = document("Der Umsatz des Konzerns stieg um 8,4 % auf 1.284,6 Mio. EUR, und das ist viel.")
    for memo, occur in (
        ("Der Umsatz ist um 8,4 % auf 1.284,6 Mio. EUR gestiegen.", (True, True)),
        ("Der Umsatz ist um 8,5 % auf 1.284,9 Mio. EUR gestiegen.", (False, False)),
        ("Revenue rose by 8.4% to EUR 1,284.6 million.", (True, True)),
    ):
        found = check_quotations(read_memo(document(memo)), "memo.md", (report,))
        assert tuple(figure.occurs for figure in found.figures) == occur, found.figures
        assert all(figure.text in memo for figure in found.figures)


def test_letters_of_another_alphabet_are_named() -> None:
    assert only('"The Suppli\u0435r shall not suspend"').notes == (
        "Suppli\u0435r contains a letter of another alphabet: Cyrillic small letter ie",
    )


@pytest.mark.parametrize("seed", range(6))
def test_of_twenty_planted_faults_all_are_found_and_none_is_invented(report: Document, seed: int) -> None:
    made = planted(report, seed)
    found = check_quotations(read_memo(document(made.memo, kind="markdown")), "memo.md", (report,))
    assert len(made.false) == 20 and len(made.kinds) == 40

    def item(line: int) -> int:
        return max(at for at in made.kinds if at <= line)

    faults = {item(one.quotation.line) for one in (*found.findings, *found.terms) if not one.holds}
    faults |= {item(one.line) for one in found.beyond}
    assert {made.kinds[line] for line in made.false - faults} == set()
    assert {made.kinds[line] for line in faults - made.false} == set()
    assert {item(one.quotation.line) for one in found.findings} | faults == set(made.kinds)


@pytest.fixture(scope="module")
def report() -> Document:
    """The sample report of 38 pages."""
    return DocumentSource.of(SAMPLES / "report.pdf").load()
