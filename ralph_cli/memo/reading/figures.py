"""The figures that a text states as amounts: not its dates and years, and not the numbers by which things are named."""

import re
from collections.abc import Iterator

from ralph_cli.text.lexicon import REFERENCES, any_of
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities

_PARTS = (
    "annex appendix article attachment chapter clause column docket exhibit figure footnote form item line note"
    " paragraph part phase row rule schedule section step table tier volume page level"
)
_NAMED = re.compile(
    rf"(?i)(?:\b(?:{any_of((*REFERENCES, *_PARTS.split()))})s?\.?|\u00a7+)\s*(?:nos?\.?\s*)?"
    r"[(\[]?[A-Z]?[-.]?\d[\w.()-]*(?:\s*(?:,|-|\u2013|and|to|or)\s*\d[\w.()-]*)*"
)
"""Parts of a document by their numbers: Section 5.2, Notes 3 and 4."""

_LISTED = re.compile(
    r"(?m)^[ \t>]*[(\[]?\d{1,3}(?:\.\d{1,3})*[.)\]](?=\s)|^[ \t>]*\d{1,3}(?:\.\d{1,3})+(?=\s+[A-Z(]|\s*\Z)"
    r"|^[ \t>]*#{1,6}[ \t]+\d{1,3}(?:\.\d{1,3})*\b|\[\^?\d{1,3}\]"
)
"""The number of a list's item, of a heading or of a footnote."""


def names_a_time_or_part(text: str) -> bool:
    """Whether a text has a date, a year or the number of a part of a document."""
    return bool(_NAMED.search(text)) or any(not found.is_measured for found in read_quantities(text, "prose"))


def stated_figures(text: str) -> Iterator[Quantity]:
    """The figures of a text that say how much or how many; those in words from two."""
    named = [match.span() for pattern in (_NAMED, _LISTED) for match in pattern.finditer(text)]
    for found in read_quantities(text, "prose"):
        is_named = not found.is_measured or any(start <= found.start < end for start, end in named)
        is_one = found.value < 2 and not any(map(str.isdigit, found.text))  # which is a pronoun, too
        if not is_named and not is_one:
            yield found
