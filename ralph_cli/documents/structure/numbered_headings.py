"""Numbered headings that continue each other, such as 4 after 3, whatever their style. Pure.

A single line that begins with a number may be anything. Several lines that count on, with text between them, are the
headings of parts. So "16 Bank loans" is a heading after "15 Equity". A table row, a list item and an entry of a table
of contents are not.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ralph_cli.documents.structure.lines import CELLS_APART, heading_level, is_row, run_in_heading
from ralph_cli.text.lexicon import STOP_WORDS

# Headings of a run at least, and of these such as are written as headings are.
FEWEST, LEAST_WRITTEN_AS_ONE = 3, 2

_LONGEST, _MOST_WORDS = 110, 14
_MOST_LEFT_OUT = 3
_NUMBERED = re.compile(r"\s*(?P<number>[1-9]\d?(?:\.\d{1,2}){0,2})(?P<stop>[.)]?)\s+(?P<title>[^\W\d_].*\S|[^\W\d_])")
_GOES_ON = re.compile(r"[.;!?]\s+\S|\.{3}")


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line that begins with a number, in a run of headings: line `at`, of level 1 for "4" and 2 for "4.1".

    Text may follow the heading on the same line.
    """

    at: int
    heading: str
    number: tuple[int, ...]
    style: str
    is_written_as_heading: bool
    has_text: bool = False

    @property
    def level(self) -> int:
        return len(self.number)


def find_runs(lines: Sequence[str], taken: Container[int] = ()) -> list[list[NumberedLine]]:
    """Return the runs of numbered headings among the non-empty lines of a text, without the `taken` lines."""
    runs: list[list[NumberedLine]] = []
    found = (_read(lines, at) for at in range(len(lines)) if at not in taken)
    for line in filter(None, found):
        for run in reversed(runs):
            if _goes_on(run[-1], line):
                run.append(line)
                break
        else:
            if line.number[-1] == 1 or line.is_written_as_heading:
                runs.append([line])
    return [run for run in runs if _is_sure(run)]


def _read(lines: Sequence[str], at: int) -> NumberedLine | None:
    line = lines[at].strip()
    match = _NUMBERED.fullmatch(line)
    if match is None or not match["title"][0].isupper():
        return None
    number, style = tuple(map(int, match["number"].split("."))), match["stop"]
    if run_in := run_in_heading(line):
        return NumberedLine(at, run_in, number, style, is_written_as_heading=True, has_text=True)
    behind = lines[at + 1].lstrip() if at + 1 < len(lines) else ""
    is_written = heading_level(line) == 1
    if not behind or behind[0].islower() or not (is_written or _may_be_title(match["title"], line)):
        return None  # the sentence goes on, or no text stands below
    return NumberedLine(at, line, number, style, is_written)


def _may_be_title(title: str, line: str) -> bool:
    """Whether the text after a number is short, does not end a sentence, and is not a table row."""
    words = re.findall(r"[^\W\d_]{2,}", title)
    if not 0 < len(words) <= _MOST_WORDS or len(line) > _LONGEST or words[-1].casefold() in STOP_WORDS:
        return False
    is_row_or_sentence = CELLS_APART.search(title) or is_row(title) or _GOES_ON.search(title)
    return title[-1] not in ".,;:" and not is_row_or_sentence


def _goes_on(last: NumberedLine, line: NumberedLine) -> bool:
    """Whether a number is the next at its level. A line written as a heading may skip a few numbers."""
    if last.number[:-1] != line.number[:-1] or last.style != line.style:
        return False
    return 0 < line.number[-1] - last.number[-1] <= (_MOST_LEFT_OUT if line.is_written_as_heading else 1)


def _is_sure(run: Sequence[NumberedLine]) -> bool:
    """Whether a run is long enough, has enough lines written as headings, and has text between most of its lines."""
    apart = sum(line.has_text or other.at - line.at > 1 for line, other in pairwise(run))
    written = sum(line.is_written_as_heading for line in run)
    return len(run) >= FEWEST and written >= LEAST_WRITTEN_AS_ONE and 2 * apart > len(run) - 1
