"""What a model was shown of a document: pieces of it are found in output, whatever stands around them."""

import random

from fakes import FakeSandbox, document
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.coverage import count_covered
from ralph_cli.rlm.bridge import DocumentSandbox
from ralph_cli.rlm.observe import render_result
from ralph_cli.rlm.shown import ShownTextFinder

WORDS = ["rent", "tenant", "lease", "hall", "notice", "party", "year", "term", "option", "charge", "deposit", "index"]


def prose(seed: int, lines: int, prefix: str = "") -> str:
    """Lines of words that differ from each other."""
    chance = random.Random(seed)
    return "\n".join(
        f"{prefix}{n} " + " ".join(f"{chance.choice(WORDS)}{chance.randrange(1000)}" for _ in range(8))
        for n in range(lines)
    )


TEXT = "\f".join(prose(page, 30) for page in range(20))
DOC = document(TEXT)
BENCH = DocumentSandbox(FakeSandbox, DOC)


def printed(code: str) -> str:
    return render_result(BENCH.run(code, lambda items: []), 6_000)[0]


def pages_of(spans: tuple[tuple[int, int], ...]) -> set[int]:
    return {DOC.page_at(start).number for start, _ in spans}


@given(st.integers(0, len(TEXT) - 100), st.integers(60, 4_000))
def test_a_slice_is_found_to_the_character(start: int, size: int) -> None:
    piece = TEXT[start : start + size]
    assert ShownTextFinder(TEXT).find_spans(piece) == ((start, start + len(piece)),)


def test_what_show_and_at_print_is_found() -> None:
    spans = ShownTextFinder(TEXT).find_spans(printed("show(3, chars=500)"))
    page = DOC.pages[2]
    assert pages_of(spans) == {3} and count_covered(spans, page.start, page.start + 500) == 500
    offset = DOC.pages[7].start + 900
    spans = ShownTextFinder(TEXT).find_spans(printed(f"at({offset}, before=100, after=100)"))
    assert pages_of(spans) == {8} and count_covered(spans, offset - 90, offset + 90) == 180


def test_each_place_that_find_prints_is_found_on_its_page() -> None:
    word = TEXT[DOC.pages[4].start :].split()[3]
    output = printed(f"find({word!r}, show=2)")
    spans = ShownTextFinder(TEXT).find_spans(output)
    assert pages_of(spans) >= {5}
    line = TEXT.find("\n", DOC.pages[4].start)
    assert count_covered(spans, DOC.pages[4].start, line) == line - DOC.pages[4].start


def test_the_lines_that_find_lists_are_found_at_their_offset() -> None:
    text = "\n".join(f"Net income {n}  5,3{n}3  4,8{n}9\nother words {n} " + "x" * 90 for n in range(10, 90))
    bench = DocumentSandbox(FakeSandbox, document(text))
    output = bench.run("find('net income', before=0, after=0)", lambda items: []).stdout
    spans = ShownTextFinder(text).find_spans(output)
    row = text.index("Net income 17")
    assert "offset" in output and "Net income 17 5,3173 4,8179" in output
    assert count_covered(spans, row, text.index("\n", row)) == text.index("\n", row) - row


def test_only_what_is_left_of_a_cut_output_was_shown() -> None:
    spans = ShownTextFinder(TEXT).find_spans(printed("print(context[:9000])"))
    assert count_covered(spans, 0, 5_800) == 5_800
    assert count_covered(spans, 6_000, 9_000) == 0


def test_prefixes_escapes_and_lists_do_no_harm() -> None:
    page = DOC.pages[9]
    lines = TEXT[page.start : page.end].split("\n")
    for output in (
        "\n".join(f"p10 #{n}: {line}" for n, line in enumerate(lines)),
        repr(TEXT[page.start : page.end]),
        repr(lines),
    ):
        spans = ShownTextFinder(TEXT).find_spans(output)
        share = count_covered(spans, page.start, page.end) / (page.end - page.start)
        assert share > 0.95 and pages_of(spans) == {10}


HEADER = "Northgate Estates plc, annual report and accounts"
REPEATED = "\f".join(f"{HEADER}\n{prose(100 + page, 20)}" for page in range(12))


def test_a_line_that_stands_on_every_page_lights_up_none_of_them_or_its_own() -> None:
    shown = ShownTextFinder(REPEATED)
    assert shown.find_spans(f"found: {HEADER}\n") == ()
    starts = [at for at in range(len(REPEATED)) if REPEATED.startswith(HEADER, at)]
    spans = shown.find_spans(f"page 4, offset {starts[3]}\n{HEADER}\n")
    assert spans == ((starts[3], starts[3] + len(HEADER) + 1),)


def test_a_place_that_is_printed_but_not_there_is_not_believed() -> None:
    assert (
        ShownTextFinder(TEXT).find_spans("page 3, offset 40\nwords that nobody has written in this document, ever\n")
        == ()
    )
    assert ShownTextFinder(TEXT).find_spans("place 3, page 2, offset 99999999: some words of no document\n") == ()


def test_the_first_line_of_a_page_is_its_own_though_the_page_before_has_it_too() -> None:
    line, rest = "Year ended in the summer of 2021", prose(1, 5, "a ")
    text = f"{prose(2, 5)}\n{line}\n{prose(3, 5, 'b ')}\f{line}\n{rest}"
    top = text.index("\f") + 1
    shown = f"page 2, {len(text) - top} characters, offset {top}\n{text[top:]}\n"
    assert ShownTextFinder(text).find_spans(shown) == ((top, len(text)),)


def test_a_passage_that_stands_twice_counts_for_one_place_at_a_time() -> None:
    form = prose(7, 10)
    text = f"{form}\n{prose(8, 10)}\n{form}"
    shown = ShownTextFinder(text)
    first = shown.find_spans(form)
    second = shown.find_spans(form, known=first)
    assert first == ((0, len(form)),) and second == ((len(text) - len(form), len(text)),)


@given(st.text(max_size=200))
def test_other_words_show_nothing(words: str) -> None:
    assert ShownTextFinder(TEXT).find_spans(words) == ()


def test_texts_too_short_for_a_block_are_no_matter() -> None:
    assert ShownTextFinder("").find_spans("anything at all that is long enough") == ()
    assert ShownTextFinder("short").find_spans("") == ()


def test_what_is_printed_behind_a_place_does_not_move_it_to_another_that_goes_on_like_that() -> None:
    signed = "/s/ The auditors of this port\nHarbour Town, May 2031\n"
    text = f"{signed}1 boat\n{prose(5, 900)}\n{signed}"
    there = len(text) - len(signed)
    spans = ShownTextFinder(text).find_spans(f"--- place 1, page 1, offset {there}\n{signed}1 hit in 1 place\n")
    assert [start for start, _ in spans] == [there - 1]  # with the end of the line before


def test_a_few_words_that_a_far_page_has_too_are_not_read_there() -> None:
    words = "Notes to the statements of earnings for the years"
    near, far = f"It grew; see\n{words.replace(' ', '  ')}\nnow and then.\n", f"The end. See {words}."
    text = near + prose(1, 600) + far
    spans = ShownTextFinder(text).find_spans(f"--- place 0, page 1, offset 0\n{words}\nand {prose(1, 2)}")
    assert spans and all(end < len(text) - len(far) for _, end in spans)


def test_what_a_page_begins_with_does_not_take_the_place_of_the_words_below() -> None:
    words = "The tenant may sublet the hall to any person of good standing at any time."
    text = (
        f"A title of the first page\n{words}\n"
        + "\f".join(["filler of a page\n" * 90] * 3)
        + f"\fAnother title\n{words}\n"
    )
    at = text.rindex(words)
    top = f" [page begins: {text[:25]} / {words[:40]}]"
    spans = ShownTextFinder(text).find_spans(f"--- place 1, page 4, offset {at}{top}\n{words}\n")
    (span,) = spans
    assert abs(span[0] - at) < 3 and abs(span[1] - at - len(words)) < 3
