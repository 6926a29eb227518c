"""Words in a picture as lines of type, however the page was laid on the glass."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from reached import reached, reaches

from ralph_cli.documents.ocr.reader import PictureWord, parse_tsv, place_words
from ralph_cli.documents.pdf.layout import write_words

_HEIGHT, _SCALE = 2200, 0.36
angles = st.sampled_from([quarter / 4 for quarter in range(-16, 17)])
_ABOVE = {"Hill": 20, "nose": 14, "Pepper": 20, "1,577": 20, "(33)": 22, "-": 8}
_BELOW = {"Pepper": 6, "1,577": 4, "(33)": 5, "-": -6}
"""Pixels that the letters of these words reach above and below the line."""


def turned(text: str, x: float, y: float, degrees: float) -> PictureWord:
    """The word at a place of the page, turned with it around its upper left corner."""
    sine, cosine = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    across, down = x * cosine - y * sine, x * sine + y * cosine
    top, foot = round(down - _ABOVE[text]), round(down + _BELOW.get(text, 0))
    return PictureWord(text, 90, round(across), top, round(across) + 12 * len(text), foot)


@reaches(sunk=0.25)
@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from(sorted(_ABOVE)), min_size=3, max_size=3), min_size=6, max_size=12), angles)
def test_rows_are_those_of_the_level_page(rows, degrees):
    lines = []
    for number, row in enumerate(rows):
        words = [("Hill" if at % 2 else "nose", 200 + 60 * at) for at in range(6)]
        words += zip(row, (700, 1000, 1300), strict=True)
        lines.append([turned(text, x, 300 + 40 * number, degrees) for text, x in words])
    reached("sunk", abs(math.sin(math.radians(degrees))) * 1100 > 40)  # by more than a line from left to right
    source, words = place_words(lines, _HEIGHT, _SCALE)
    assert [source[word.start : word.end] for word in words] == [word.text for line in lines for word in line]
    text = write_words(words, source, "visual").text
    assert [line.split() for line in text.split("\n")] == [[word.text for word in line] for line in lines]


def test_lines_that_are_drawn_around_cells_are_no_words():
    head = "level\tpage\tblock\tpar\tline\tword\tleft\ttop\twidth\theight\tconf\ttext\n"
    row = "5\t1\t1\t1\t{}\t1\t10\t10\t50\t20\t{}\t{}\n"
    printed = (
        head + row.format(1, "96.5", "|") + row.format(1, 30, "_|") + row.format(1, 96, "—") + row.format(2, -1, "5")
    )
    assert [[(word.text, word.confidence) for word in line] for line in parse_tsv(printed)] == [[("—", 96)], [("5", 0)]]
