"""Fourteen tricks in eight formats: the same trick is told in the same words, and words beside it stay."""

from collections.abc import Callable
from pathlib import Path

import pytest
from document_fixtures import load_document
from office_files import cautions, origins
from tricks import BAIT, FORMATS, SHOWN

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span
from ralph_cli.documents import sight
from ralph_cli.retrieval.quotes.visibility import VisibilityChecker

TABLE = """
    trick                 docx  html  xlsx    pptx   odt   ods     rtf   pdf   the reason in words
    white on white        out   out   cell    out    out   cell    out   told  in the colour of its background
    nearly white on white out   out   cell    out    out   cell    out   told  in the colour of its background
    dark on a dark fill   out   out   cell    out    out   cell    out   told  in the colour of its background
    colour of the cell    out   out   cell    out    out   cell    out   told  in the colour of its background
    inherited colour      out   out   cell    out    out   cell    -     told  in the colour of its background
    one point             out   out   cell    out    out   cell    out   told  too small to read
    half a point          out   out   cell    out    out   cell    out   told  too small to read
    marked as hidden      out   out   row     text   out   row     out   layer marked as hidden
    transparent           out   out   -       out    out   -       -     told  transparent
    nearly transparent    out   out   -       out    out   -       -     told  transparent
    off the page          out   out   -       text   out   -       out   told  off the page
    covered               -     -     cell    text   -     cell    -     told  covered or clipped away
    box of no size        out   out   column  -      out   -       out   told  covered or clipped away
    deleted               gone  struck struck struck gone  struck  gone  -     struck out, or a tracked deletion
"""
"""What becomes of the words: left `out` and counted, `gone` with a notice, `struck` with a mark, in a hidden `cell`,
`row`, `column` or `text` that is marked, `told` at the quote, or told to be on a `layer`. "-": the format has no such
thing, or only a layout of the page could tell."""

CELLS = [
    (line[4:26].strip(), kind, became, " ".join(words))
    for line in TABLE.splitlines()[2:-1]
    for *became_all, words in [[*line[26:].split()[:8], line[26:].split()[8:]]]
    for kind, became in zip(FORMATS, became_all, strict=True)
]


def told_at_quote(document: Document, words: str) -> str:
    at = document.text.index(words)
    span = Span(at, at + len(words))
    return VisibilityChecker(document, lambda code, message: None)([span])[span]


@pytest.mark.parametrize(("trick", "kind", "became", "why"), CELLS, ids=lambda value: value.replace(" ", "_"))
def test_a_trick_is_told_in_the_same_words_in_every_format(
    file: Callable[[str, bytes], Path], trick: str, kind: str, became: str, why: str
) -> None:
    made = FORMATS[kind][trick]
    assert (made is None) is (became == "-")
    if made is None:
        return
    document = load_document(file(f"a.{kind}", made))
    said, text = cautions(document), document.text.replace("\u0336", "")
    assert SHOWN in document.text and told_at_quote(document, SHOWN) == ""
    match became:
        case "out" | "gone":
            assert BAIT not in text
            counted = said["hidden-text"] if became == "out" else said["tracked-changes"]
            assert became == "gone" or counted == f"hidden text omitted: 8 characters (8 {why})"
        case "struck":
            assert f"[struck out: {BAIT}]" in text and "8 characters are struck out" in said["struck-out"]
        case "told" | "layer":
            assert told_at_quote(document, BAIT) == (sight.LAYER if became == "layer" else why)
        case _:
            (marked,) = [origin for words, origin in origins(document).items() if BAIT in words]
            assert marked == f"hidden {became}"
            is_told = became in ("cell", "text")
            assert f"(1 {why})" in said["hidden-parts"] if is_told else f"hidden {became}s" in said["hidden-parts"]


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ((0x000000, sight.WHITE_GROUND), ""),
        ((None, sight.WHITE_GROUND), ""),
        ((0xF0F0F0, sight.WHITE_GROUND), sight.COLOUR),
        ((0xEFEFEF, sight.WHITE_GROUND), ""),
        ((0xFFFFEF, sight.WHITE_GROUND), ""),  # one channel is enough
        ((0xFFFFFF, frozenset({0xFFFFFF, 0x000080})), ""),
        ((0xFFFFFF, None), sight.DOUBTFUL),
        ((0x000080, None), ""),
        ((0x000000, sight.WHITE_GROUND, 1.0), sight.TINY),
        ((0x000000, sight.WHITE_GROUND, 1.1), ""),
        ((0x000000, None, 12.0, (), 0.06), sight.TRANSPARENT),
        ((0x000000, None, 12.0, (), 0.07), ""),
        ((0x808080, sight.WHITE_GROUND, 12.0, (), 0.1), sight.COLOUR),
        ((0x000000, None, 0.0, ("", sight.OFF_PAGE, sight.MARKED), 0.0), sight.OFF_PAGE),
    ],
)
def test_the_rule(arguments: tuple[int | None, sight.Colours], answer: str) -> None:
    assert sight.seen(*arguments) == answer
