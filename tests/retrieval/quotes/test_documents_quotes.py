"""Folding, boundaries, finding and suggesting."""

import re
import time
import unicodedata
from dataclasses import replace
from itertools import pairwise

import pytest
from fakes import document as fake_document
from hypothesis import assume, example, given
from hypothesis import strategies as st
from reached import reached, reaches

from ralph_cli.documents.structure.running_lines import running_line_spans, with_printed_numbers
from ralph_cli.retrieval.quotes.index import MAX_OCCURRENCES, QuoteIndex, differences
from ralph_cli.retrieval.quotes.search_text import widen_to_whole
from ralph_cli.text.boundary import is_inside_word, on_boundaries
from ralph_cli.text.fold import BLOCK, WHITE_SPACE, ZERO_WIDTH, fold, without_hyphens
from ralph_cli.text.raised import flatten_figures

TRICKY = (
    "aZé5,.'-% \t\n\f\xa0\u2007\u202f\u00ad\u200b\u200d\ufeff\u2060‘’“”′″–—−ﬁﬃﬆ\u0301\u0308\u0327²½€(µÅ\u3000\u2028日"
)
tricky = st.text(st.sampled_from(TRICKY), max_size=60)
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | tricky
WORDS = [
    "net",
    "sales",
    "(1,577)",
    "1,577",
    "$",
    "5.25%",
    "grew",
    "not",
    "un-",
    "co-operate",
    "−12",
    "’s",
    "ofﬁce",
    "Café",
    "2018",
    "A",
]
prose = st.lists(st.sampled_from(WORDS), min_size=3, max_size=40).flatmap(
    lambda words: st.lists(
        st.sampled_from([" ", "  ", "\n", "\f", "\xa0"]), min_size=len(words), max_size=len(words)
    ).map(lambda gaps: "".join(w + g for w, g in zip(words, gaps, strict=True)))
)


def digits(text):
    return [c for c in text if unicodedata.category(c).startswith("N")]


# Folding


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("a \n\t\f\xa0\u2007\u202fb", "a b"),
        ("a\u00adb\u200bc\u200dd\ufeffe\u2060f\u200cg", "abcdefg"),
        ("a \u200b b", "a b"),
        ("‘’‚‛ “”„‟ ′″", "'''' \"\"\"\" '\""),
        ("a‐b‑c‒d–e—f―g−h", "a-b-c-d-e-f-g-h"),
        ("ofﬁce ﬀ ﬂ ﬃ ﬄ ﬅ ﬆ", "office ff fl ffi ffl st st"),
        ("Cafe\u0301 n\u0303", "Café ñ"),
        ("soft\u00ad\nware", "software"),
        ("CO₂ 5 m² 1,577⁽¹⁾ note¹", "CO2 5 m2 1,577(1) note1"),
        ("1,577² 10⁶ 10⁻⁶ ²2022 ² or", "1,577² 10⁶ 10⁻⁶ ²2022 ² or"),
        ("Dividend  ␣  500", "Dividend 500"),
        ("10² ½ ① Ⅳ ５ … ™ Å", "10² ½ ① Ⅳ ５ … ™ Å"),
        ("(1,577.5) -3% $€£ not NOT", "(1,577.5) -3% $€£ not NOT"),
    ],
)
def test_folding(text, folded):
    assert fold(text).text == folded


def test_white_space_table_is_complete():
    every = {chr(c) for c in range(0x110000) if chr(c).isspace()}
    assert set(WHITE_SPACE) | {" "} == every


@given(anything)
@example("A\u0300\u00b2")
def test_folding_twice_changes_nothing_more(text):
    once = fold(text).text
    assert fold(once).text == once


@given(anything)
def test_folding_keeps_every_digit_and_word(text):
    folded = fold(text).text
    plain = flatten_figures(text)
    assert flatten_figures("".join(digits(folded))) == flatten_figures("".join(digits(text)))
    for kept in "%$€£()+.,<>=":
        counted = unicodedata.normalize("NFC", plain).count(kept)
        assert flatten_figures(folded).count(kept) == counted or "\u0338" in text
    assert digits(without_hyphens(fold(text)).text) == digits(folded)


@given(st.text(st.sampled_from("12²³₂⁽⁾⁻a .")))
def test_folding_joins_no_raised_figure_with_a_number(text):
    """Each number of the folded text was one, or was raised or lowered as a whole."""
    numbers = {number for run in re.findall(r"[12]+|[²³₂]+", text) for number in [flatten_figures(run)]}
    assert set(re.findall(r"\d+", re.sub("[²³₂]+", " ", fold(text).text))) <= numbers


@reaches(text=0.8, more=0.5)
@given(tricky, st.data())
def test_every_part_of_the_folded_text_leads_back_to_its_origin(text, data):
    folded = fold(text)
    assume(reached("text", folded.text))
    start = data.draw(st.integers(0, len(folded.text) - 1))
    end = data.draw(st.integers(start + 1, len(folded.text)))
    first, last = folded.original_span(start, end)
    assert 0 <= first < last <= len(text)
    assert text[first] not in ZERO_WIDTH or text[first] == "\u00ad"
    # Raised figures are read plainly behind a letter, which may be cut off here.
    assert flatten_figures(folded.text[start:end]) in flatten_figures(fold(text[first:last]).text)
    if reached("more", end < len(folded.text)):
        assert last <= folded.original_span(end, end + 1)[1]


@given(tricky)
def test_single_characters_lead_back_in_order(text):
    folded = fold(text)
    places = [folded.original_span(i, i + 1) for i in range(len(folded.text))]
    assert places == sorted(places)
    for character, (start, end) in zip(folded.text, places, strict=True):
        assert flatten_figures(character) in flatten_figures(fold(text[start:end]).text)


@pytest.mark.parametrize("gap", [" ", "\n", " \n\t ", "\n" * 700_000])
def test_a_long_text_is_folded_as_a_short_one_wherever_its_spaces_stand(gap):
    for length in (BLOCK - 2, BLOCK - 1, BLOCK, 2 * BLOCK - 1):
        before, after = "x" * length, "y" * (BLOCK + 1)
        folded = fold(f"{before}{gap}{after}  z")
        assert folded.text == f"{before} {after} z"
        start, end = length + len(gap), length + len(gap) + len(after)
        assert folded.original_span(length + 1, length + 1 + len(after)) == (start, end)
        assert folded.original_span(length + len(after) + 2, length + len(after) + 3) == (end + 2, end + 3)


def test_folding_is_fast():
    text = "Purchases of property — “plant” and equipment  (1,577)\n" * 20_000
    started = time.process_time()
    folded = fold(text)
    assert time.process_time() - started < 0.5  # about 0.03 when nothing else runs
    assert len(folded.text) == len(text) - 20_000


# Finding


def found(make_document, text, quote):
    document = make_document(*text.split("\f"))
    match = QuoteIndex(document).find(quote)
    return None if match is None else (document.text[match.span.start : match.span.end], match.tier)


@pytest.mark.parametrize(
    ("text", "quote", "slice_", "tier"),
    [
        ("Net sales  (1,577)", "Net sales  (1,577)", "Net sales  (1,577)", "exact"),
        ("Net sales  (1,577)", "Net sales (1,577)", "Net sales  (1,577)", "folded"),
        ("end of\npage\fnext page", "of page next", "of\npage\fnext", "folded"),
        ("the company’s “net”", 'company\'s "net"', "company’s “net”", "folded"),
        ("the ofﬁce", "office", "ofﬁce", "folded"),
        ("an exam-\nple here", "an example here", "an exam-\nple here", "folded"),
        ("long-\nterm debt", "long-term debt", "long-\nterm debt", "folded"),
        ("long-\nterm de-\f bt", "long-term debt", "long-\nterm de-\f bt", "folded"),
        ("long-\nterm debt", "long- term debt", "long-\nterm debt", "folded"),
        ("COVID-\n19 hit", "COVID-19 hit", "COVID-\n19 hit", "folded"),
        ("soft\u00ad\nware", "software", "soft\u00ad\nware", "folded"),
        ("a loss of −5 x", "loss of -5", "loss of −5", "folded"),
        ("x (1,577) y", "1,577", "(1,577)", "recut"),
        ("x -5% y", "5", "-5%", "recut"),
        ("x (1,577 y", "1,577", "1,577", "exact"),
        ("pays $ 5 m", "5", "$ 5", "recut"),
        ("2018-2019 y", "2019", "2018-2019", "recut"),
        ("a (see 5) y", "5", "5", "exact"),
        ("see p.5 now", "5", "5", "exact"),
        ("Revenue.....5", "5", "5", "exact"),
        ("ends in 5.", "ends in 5", "ends in 5", "exact"),
        ("revenue¹ grew", "revenue", "revenue", "exact"),
        ("营业收入增长", "收入", "收入", "exact"),
        ("plain words", "“plain words”", "plain words", "exact"),
        ("‘plain words’", '  "plain words"\n', "plain words", "exact"),
        ("he said “yes”", '"yes"', "“yes”", "folded"),
        ("x 1,577 y", "1,5\u200b77", "1,577", "recut"),
        ("x 1,5\u200b77 y", "1,577", "1,5\u200b77", "folded"),
        (
            "Purchases of plant  $ (1,577)  (12%)",
            "Purchases of plant 1577 12",
            "Purchases of plant  $ (1,577)  (12%)",
            "recut",
        ),
        (
            "Net income (loss), as restated: 5",
            "Net income loss as restated 5",
            "Net income (loss), as restated: 5",
            "recut",
        ),
        ("one Cash Flow s Statement x", "one Cash Flows Statement", "one Cash Flow s Statement", "recut"),
        ("Cafe\u0301 x", "Café", "Cafe\u0301", "folded"),
        ("A\xa0\xa0B", "A B", "A\xa0\xa0B", "folded"),
    ],
)
def test_found(make_document, text, quote, slice_, tier):
    assert found(make_document, text, quote) == (slice_, tier)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("x", ""),
        ("x", " \n"),
        ("x", '""'),
        ("x", "\u200b"),
        ("total 11,577 x", "1,577"),
        ("total 1,577.5 x", "1,577"),
        ("total 1,577 x", "577"),
        ("total 1,577 x", "1,"),
        ("a .5 b", "5"),
        ("a 5.5 b", "5."),
        ("1'577 x", "577"),
        ("1\u202f577 x", "577"),
        ("1\xa0577 x", "1"),
        ("5bn", "5"),
        ("10² x", "10"),
        ("10² x", "102"),
        ("12万元", "12"),
        ("it is unsold", "sold"),
        ("un\u200bsold", "sold"),
        ("un-\nsold", "sold"),
        ("non-\ncurrent assets", "current assets"),
        ("un-\nsold", "un"),
        ("un-\nsold", "un-"),
        ("soft\u00ad\nware", "soft"),
        ("soft\u00adware", "soft"),
        ("cafe\u0301 x", "cafe"),
        ("I can't go", "I can"),
        ("I can’t go", "I can"),
        ("long-term debt", "longterm debt"),
        ("re-sign it", "resign it"),
        ("COVID-\n19", "COVID19"),
        ("2017-\n2018", "20172018"),
        ("a loss of −5 x", "loss of 5"),
        ("(1,577) x", "-1,577"),
        ("Net Sales", "net sales"),
        ("ﬃ x", "fi"),
        ("1 577", "1577"),
        ("the whole amount is 15.77 of it", "the whole amount is 1577 of it"),
        ("the whole amount is .5 of it all", "the whole amount is 5 of it all"),
        ("the result of it was notable", "the result of it was no table"),
        ("the amount is about $5 in all", "the amount is about €5 in all"),
        ("the amount is +5 in all of it", "the amount is -5 in all of it"),
        ("the amount is 5% in all of it", "the amount is 5\u2030 in all of it"),
        ("the amount is >5 in all of it", "the amount is <5 in all of it"),
        ("in 2017, 2018 and the rest", "in 20172018 and the rest"),
        ("the parties re-sign this deed", "the parties resign this deed"),
        ("First part of it. Other. Second part of it", "First part of it. Second part of it"),
        ("हिन्दी भाषा का यह वाक्य है", "हनद भष क यह वकय ह"),
    ],
)
def test_not_found(make_document, text, quote):
    assert found(make_document, text, quote) is None


LOOKALIKES = {
    "e": "\u0435\uff45\u212f\U0001d41e", "o": "\u043e\u03bf\uff4f\u0585", "a": "\u0430\u03b1\uff41\u00e0",
    "s": "\u0455\uff53$", "1": "\uff11\u2460\u00b9l", "5": "\uff15\u0665\u2075", "0": "O\u041e\u0660\u2070",
}  # fmt: skip


def test_letters_and_figures_that_look_alike_are_others(make_document):
    about = QuoteIndex(make_document("Leases of more than 150 stores end in 2051, as of today."))
    true = "more than 150 stores end in 2051"
    assert about.find(true) is not None
    for letter, others in LOOKALIKES.items():
        for other in others:
            assert about.find(true.replace(letter, other, 1)) is None, other
            assert about.find(true.replace(letter, other)) is None, other


def test_all_occurrences_are_kept(make_document):
    document = make_document("net  sales grew", "net sales grew and net sales", "unnet sales")
    match = QuoteIndex(document).find("net sales")
    assert match.tier == "exact"
    assert match.span == match.occurrences[1]
    assert [document.page_at(span.start).number for span in match.occurrences] == [1, 2, 2]
    assert match.count == 3
    many = QuoteIndex(make_document("yes " * 3000)).find("yes")
    assert (len(many.occurrences), many.count) == (MAX_OCCURRENCES, 3000)


@reaches(whole=0.5)
@given(prose, st.data())
def test_every_slice_on_word_boundaries_is_found_exactly(make_document, text, data):
    starts = [i for i, c in enumerate(text) if not c.isspace() and not is_inside_word(text, i)]
    start = data.draw(st.sampled_from(starts))
    ends = [i for i in range(start + 1, len(text) + 1) if not text[i - 1].isspace() and not is_inside_word(text, i)]
    end = data.draw(st.sampled_from(ends))
    quote = text[start:end]
    assert on_boundaries(text, start, end)
    document = make_document(*text.split("\f"))
    index = QuoteIndex(document)
    match = index.find(quote)
    assume(reached("whole", widen_to_whole(text, start, end) == (start, end)))
    assert match.tier == "exact"
    assert document.text[match.span.start : match.span.end] == quote
    assert any(span.start < end and start < span.end for span in match.occurrences)
    spaced = index.find(" ".join(quote.split()))
    assert spaced is not None
    assert any(span.start < end and start < span.end for span in spaced.occurrences)
    for span in spaced.occurrences:
        assert fold(document.text[span.start : span.end]).text == fold(quote).text


@reaches(changed=0.8)
@given(st.lists(st.integers(1000, 999_999), min_size=5, max_size=30, unique=True), st.data())
def test_a_changed_digit_is_never_found(make_document, numbers, data):
    text = "\n".join(f"Row {i}  {n:,}  ({n // 7:,})" for i, n in enumerate(numbers))
    line = data.draw(st.sampled_from(text.split("\n")))
    at = data.draw(st.sampled_from([i for i, c in enumerate(line) if c.isdigit()]))
    new = data.draw(st.sampled_from([d for d in "0123456789" if d != line[at]]))
    changed = line[:at] + new + line[at + 1 :]
    assume(reached("changed", changed not in text))
    index = QuoteIndex(make_document(text))
    for quote in (changed, " ".join(changed.split()), line[:at] + line[at + 1 :], line[:at] + new + line[at:]):
        match = index.find(quote)
        assert match is None or quote in text
    assert index.find(line[:at] + "\u200b" + line[at:]) is not None


REFUSED = [
    ("not sold", "sold"),
    ("unsold", "sold"),
    ("un-\nsold", "sold"),
    ("5.25%", "52.5%"),
    ("$5", "€5"),
    ("LIBOR + 1.5%", "LIBOR - 1.5%"),
    ("+ 1.5%", "- 1.5%"),
    ("0.05 ± 0.01", "0.05 - 0.01"),
    ("be < 3.0", "be 3.0"),
    ("be 3.0", "be ≥ 3.0"),
    ("1,577", "15,77"),
    ("1.577", "1,577"),
    ("10²", "102"),
    ("½", "12"),
    ("re-sign", "resign"),
    ("Not", "not"),
    ("m", "м"),
]
MARKED = [
    ("5.25%", "5.25"),
    ("(1,577)", "1,577"),
    ("1,577", "(1,577)"),
    ("−12", "12"),
    ("12", "-12"),
    ("$5", "5"),
    ("1,577", "1577"),
    ("2017-2018", "2017 2018"),
]
gaps = st.sampled_from([" ", "\n", "  ", "\f"])


@given(prose, prose, st.sampled_from(REFUSED), gaps)
def test_moved_points_exchanged_signs_and_dropped_negations_are_never_found(make_document, before, after, swap, gap):
    true, false = swap
    text = f"{before}.{gap}alphabet{gap}{true}{gap}omega{gap}{after}"
    index = QuoteIndex(make_document(*text.split("\f")))
    assert index.find(f"alphabet {true} omega") is not None
    assert index.find(f"alphabet {false} omega") is None
    assert index.find(f"alphabet{gap}{false}{gap}omega") is None


@given(prose, prose, st.sampled_from(MARKED), gaps)
def test_what_only_a_sign_or_its_lack_tells_apart_is_re_cut_and_said(make_document, before, after, swap, gap):
    true, false = swap
    text = f"{before}.{gap}alphabet{gap}{true}{gap}omega{gap}{after}"
    document = make_document(*text.split("\f"))
    index = QuoteIndex(document)
    said = f"alphabet {false} omega"
    match = index.find(said)
    assert match is not None and match.tier == "recut"
    assert fold(document.text[match.span.start : match.span.end]).text == fold(f"alphabet {true} omega").text
    assert any("->" in note for note in index.describe_departures(said, match.span, match.tier))


def test_a_re_cut_quote_says_what_differs(make_document):
    document = make_document("Sales  (1,577)  of it", "The Supplier shall not\nbe liable for it.")
    index = QuoteIndex(document)
    match = index.find("1,577")
    assert index.describe_departures("1,577", match.span, match.tier) == ("1,577 -> (1,577)",)
    half = index.find("be liable for it")
    assert half.tier == "exact"
    assert index.describe_departures("be liable for it", half.span, half.tier) == ('begins behind "not"',)
    whole = index.find("The Supplier shall not be liable for it.")
    assert index.describe_departures("", whole.span, whole.tier) == ()
    tricked = index.find("The Supplier shall not be\u200b liable")
    assert tricked.tier == "recut"
    assert (
        index.describe_departures("shall\u200b", tricked.span, tricked.tier)[-1]
        == "the quote as given had invisible characters"
    )


def test_a_quote_over_a_pages_end_runs_past_running_heads_and_feet(make_document):
    sentence = (
        "The lender may call the whole loan when the ratio of the group{}falls below one point five in a quarter."
    )
    head, tail = sentence.split("{}")
    pages = [
        f"Velmoor plc  Annual report\nPage text number {word} here.\nMore.\n{n + 10}"
        for n, word in enumerate(["one", "two", "three", "four", "five"], 1)
    ]
    pages[1] = f"Velmoor plc  Annual report\nSomething else.\n{head}\n12"
    pages[2] = f"Velmoor plc  Annual report\n{tail}\nThe end.\n13"
    document = make_document(*pages)
    index = QuoteIndex(document)
    match = index.find(sentence.format(" "))
    assert match is not None and match.tier == "folded"
    text = document.text[match.span.start : match.span.end]
    assert text.startswith("The lender") and text.endswith("a quarter.")
    assert index.describe_departures("", match.span, match.tier) == (
        "over a page's end: 12 / Velmoor plc  Annual report",
    )
    typed = index.find(sentence.format(" ").replace("whole loan", "whole, loan"))
    assert typed is not None and typed.tier == "recut"


def test_a_place_over_a_pages_end_is_a_place_beside_others(make_document):
    sentence = "Units of the group lie one level below the segment."
    pages = [f"Velmoor plc  Annual report\nPage text number {n} here.\nMore.\n{n + 10}" for n in range(1, 6)]
    pages[1] = f"Velmoor plc  Annual report\n{sentence}\nUnits of the group\n12"
    pages[2] = "Velmoor plc  Annual report\nlie one level below the segment.\nThe end.\n13"
    document = make_document(*pages)
    match = QuoteIndex(document).find(sentence)
    assert match is not None and match.tier == "exact" and match.count == 2
    assert [document.page_at(span.end - 1).number for span in match.occurrences] == [2, 3]


@pytest.mark.parametrize("middle", ["Total 41", "Interest is due at once.", "Total 41\n12"])
def test_a_row_or_sentence_at_a_pages_end_is_not_run_past(make_document, middle):
    pages = [f"Head\nText of page {n * n}.\nTotal {n * 37}\n{n + 10}" for n in range(1, 6)]
    pages[1] = f"Head\nThe first half of a long sentence\n{middle}"
    pages[2] = "Head\nand its second half.\nTotal 99\n13"
    index = QuoteIndex(make_document(*pages))
    assert index.find("The first half of a long sentence and its second half.") is None


# Suggestions


def test_closest_names_what_differs_and_is_snapped_to_words(make_document):
    document = make_document("Net sales of the whole company grew to  11,577 million in fiscal 2018.", "Costs fell.")
    index = QuoteIndex(document)
    quote = "sales of the whole company grew to 11,578 million in fiscal"
    assert index.find(quote) is None
    [suggestion] = index.closest(quote)
    assert document.text[suggestion.span.start : suggestion.span.end] == quote.replace(" 11,578", "  11,577")
    assert suggestion.differing == ("11,578 -> 11,577",)
    assert 90 < suggestion.score < 100
    assert index.closest("An entirely invented sentence about nothing at all") == ()
    assert index.closest("") == index.closest(quote, 0) == ()


def test_several_suggestions_are_disjoint_and_sorted(make_document):
    text = "\n".join(f"Row number {i} of the table has the value {i * 37}" for i in range(50))
    found = QuoteIndex(make_document(text)).closest("Row number 77 of the table has the value 1", 5)
    assert len(found) == 5
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    spans = sorted((s.span.start, s.span.end) for s in found)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


@given(prose, anything)
def test_suggestions_are_real_places(make_document, text, quote):
    document = make_document(*text.split("\f"))
    for suggestion in QuoteIndex(document).closest(quote, 3):
        assert suggestion.score >= 75
        assert suggestion.span.end <= len(document.text)


def test_long_documents_are_searched_in_bounded_time(make_document):
    line = "Some words of filler text that say nothing of interest, number {:07d} of many lines.\n"
    text = "".join(line.format(i) for i in range(120_000))
    text = text[:9_000_000] + "\nThe impairment of goodwill amounted to 4,321 thousand euro.\n" + text[9_000_000:]
    index = QuoteIndex(make_document(text))
    index.closest("warm")
    started = time.process_time()
    [suggestion] = index.closest("The impairment of goodwill amounted to 4,231 thousand euros.")
    assert time.process_time() - started < 2
    assert text[suggestion.span.start : suggestion.span.end].startswith("The impairment")


def test_differences_are_capped():
    assert differences("a b", "a c d") == ("b -> c d",)
    assert differences("a b", "a") == ("b -> (nothing)",)
    assert len(differences(" ".join("ab" * 50), " ".join("ac" * 50))) == 12


def test_a_divided_word_at_a_pages_edge_is_no_running_line(make_document) -> None:
    pages = ("un-\nnet.\n", "alphabet\n", "un-\nsold\n", "omega\n", "un-\nnet\n")
    index = QuoteIndex(make_document(*pages))
    assert index.find("alphabet sold omega") is None and index.find("alphabet unsold omega") is not None


@pytest.mark.parametrize(
    ("feet", "labels"),
    [
        (("", "1", "2", "3", "4"), ["1", "1", "2", "3", "4"]),
        (("i", "A-1", "A-2", "A-3", "A-1"), ["1", "A-1", "A-2", "A-3", "5"]),
        (("- 7 -", "- 8 -", "", "- 10 -", "- 11 -"), ["7", "8", "9", "10", "11"]),
        (("Page 7 of 90", "Page 8 of 90", "Page 9 of 90", "", ""), ["7", "8", "9", "4", "5"]),
        (("2022 Form 10-K | 31", "2022 Form 10-K | 32", "2022 Form 10-K | 33", "", ""), ["31", "32", "33", "4", "5"]),
        (("41 Annual Report", "x", "43 Annual Report", "x", "45 Annual Report"), ["41", "42", "43", "44", "45"]),
        (("31", "48", "", "19", "2"), ["1", "2", "3", "4", "5"]),
        (("31 and 48", "32 and 49", "33 and 50", "", ""), ["1", "2", "3", "4", "5"]),
        (("Section 3 applies", "Section 4 applies", "Section 5 applies", "", ""), ["1", "2", "3", "4", "5"]),
        (("8.31", "8.32", "8.33", "", ""), ["1", "2", "3", "4", "5"]),
    ],
)
def test_the_number_printed_on_a_page_is_told_by_how_it_goes_up(feet: tuple[str, ...], labels: list[str]) -> None:
    pages = [f"Words of {word} that stand here.\nAnd more.\n{foot}" for word, foot in zip("abcde", feet, strict=True)]
    about = fake_document("\f".join(pages), kind="pdf")
    assert [page.label for page in with_printed_numbers(about).pages] == labels
    own = replace(about, pages=(about.pages[0]._replace(label="iv"), *about.pages[1:]))
    assert with_printed_numbers(own) is own


def test_short_pages_whose_head_and_foot_are_the_same_lines_are_searched_and_do_not_crash() -> None:
    page = "Head of the report\nWords of page {0} stand here.\n{1}\n{0}\n"
    text = "\f".join(page.format(n, "a sentence goes" if n == 3 else "and filler") for n in range(1, 7))
    about = fake_document(text.replace("Words of page 4", "on over the end of page 4"))
    ends = running_line_spans(about.text, about.pages)
    assert all(one.end <= other.start for one, other in pairwise(ends))
    found = QuoteIndex(about).find("a sentence goes on over the end of page 4")
    assert found is not None and about.page_at(found.span.start).number == 3
    assert QuoteIndex(about).find("nothing of the kind stands here") is None


@pytest.mark.parametrize(
    ("text", "quote", "tier", "shown"),
    [
        ("a loss of 1,577⁽¹⁾ in 2022", "1,577(1)", "folded", "1,577⁽¹⁾"),
        ("tons of CO₂ are let out", "CO2", "folded", "CO₂"),
        ("was $1,577² million in 2022", "$1,577 million", "folded", "$1,577² million"),
        ("it was $1,577² million", "it was $1,577", "folded", "it was $1,577²"),
        ("Revenue¹ grew by 5%² a year", "Revenue grew by 5% a year", "folded", "Revenue¹ grew by 5%² a year"),
        ("the debt outstanding ⁽¹⁾ ⁽³⁾ was 5", "debt outstanding was 5", "folded", "debt outstanding ⁽¹⁾ ⁽³⁾ was 5"),
        ("in the FACILITY ². After it", "in the FACILITY. After it", "folded", "in the FACILITY ². After it"),
        ("¹ Includes the leases", "Includes the leases", "exact", "Includes the leases"),
        ("Dividend  ␣  500  (16)", "Dividend 500 (16)", "folded", "Dividend  ␣  500  (16)"),
        ("Dividend  ␣  500", "Dividend  ␣  500", "exact", "Dividend  ␣  500"),
        ("of 10⁶ units sold", "10 units sold", None, ""),
        ("of 10⁶ units sold", "of 10", None, ""),
        ("of 10⁶ units sold", "106 units sold", None, ""),
        ("was $1,577² million", "was $1,5772 million", None, ""),
        ("an area of 5 m² is let", "an area of 5 m", None, ""),
        ("an area of 5 m² is let", "5 m is let", None, ""),
        ("tons of CO₂ are let out", "tons of CO are let out", None, ""),
        ("Revenue¹ grew by 5% a year", "Revenue² grew by 5% a year", None, ""),
    ],
)
def test_raised_figures_and_empty_cells_in_quotes(text, quote, tier, shown):
    match = QuoteIndex(fake_document(text)).find(quote)
    assert (match and match.tier) == tier
    assert match is None or text[match.span.start : match.span.end] == shown


def test_a_mark_that_a_quote_leaves_out_is_named():
    index = QuoteIndex(fake_document("was $1,577² million in 2022"))
    match = index.find("was $1,577 million")
    assert index.describe_departures("was $1,577 million", match.span, match.tier) == (
        "leaves out the mark of a footnote: ²",
    )
