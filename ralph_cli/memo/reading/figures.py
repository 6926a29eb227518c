"""The figures that a text states as amounts: not its dates and years, and not the numbers by which things are named."""

import re
from collections.abc import Iterator

from ralph_cli.text.lexicon import REFERENCES, any_of
from ralph_cli.text.quantities.dates import dates
from ralph_cli.text.quantities.figures import Figure, figures

_PARTS = (
    "annex appendix article attachment chapter clause column docket exhibit figure footnote form item line note"
    " paragraph part phase row rule schedule section step table tier volume page level"
)
_NAMED = re.compile(
    rf"(?i)(?:\b(?:{any_of((*REFERENCES, *_PARTS.split()))})s?\.?|\u00a7+)\s*(?:nos?\.?\s*)?"
    r"[(\[]?[A-Z]?[-.]?\d[\w.()-]*(?:\s*(?:,|-|\u2013|and|to|or)\s*\d[\w.()-]*)*"
    r"|\b\d{1,3}-[A-Z]{1,2}\b|\b[A-Z]{1,3}-?\d{1,4}\b(?!\s*%)"
)
"""A part of a document, or a form, by its number: Section 5.2, Notes 3 and 4, F-12, 10-K."""

_YEAR = re.compile(
    r"(?i)(?<![$\u20ac\u00a3\u00a5\d.,])(?:FY\s?|CY\s?)?\b(?:19|20)\d\d(?:\s?[-/\u2013]\s?\d{2,4})?\b(?![.,]?\d|\s?%)"
)
_LISTED = re.compile(
    r"(?m)^[ \t>]*[(\[]?\d{1,3}(?:\.\d{1,3})*[.)\]](?=\s)|^[ \t>]*\d{1,3}(?:\.\d{1,3})+(?=\s+[A-Z(]|\s*\Z)"
    r"|^[ \t>]*#{1,6}[ \t]+\d{1,3}(?:\.\d{1,3})*\b|\[\^?\d{1,3}\]"
)
"""The number of a list's item, of a heading or of a footnote."""


def names_a_time_or_part(text: str) -> bool:
    """Whether a text has a date, a year or the number of a part of a document."""
    return bool(_YEAR.search(text) or _NAMED.search(text) or dates(text))


def stated_figures(text: str) -> Iterator[Figure]:
    """The figures of a text that say how much or how many; those in words from two."""
    names = [match.span() for pattern in (_NAMED, _YEAR, _LISTED) for match in pattern.finditer(text)]
    names += [(date.start, date.end) for date in dates(text)]
    for figure in figures(text):
        named = figure.name or any(start <= figure.start < end for start, end in names)
        if not named and not (figure.spelled and figure.value < 2):  # "one" is a pronoun, too
            yield figure
