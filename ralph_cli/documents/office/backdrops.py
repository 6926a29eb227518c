"""Drawings that text may lie upon: which are large enough, and which paragraphs are near them."""

from collections.abc import Iterable, Sequence

LINE_SIZE = (457_200, 137_160)
"""Width and height, in 914,400ths of an inch, of what a few words have room on."""

PAGE_SIZE = (2_743_200, 2_743_200)
"""Width and height of what may be behind the text of a page when it belongs to the page's header: three inches."""

_REACH = 40
"""Paragraphs before and behind a drawing that may stand on its page, if breaks between pages do not say it better."""


def find_beside(drawings: Iterable[tuple[int, int]], first: Sequence[int], last: Sequence[int]) -> set[int]:
    """The numbers of the paragraphs that stand beside a drawing on the same page.

    A drawing is the number of its paragraph and that of its page; `first` and `last` are the pages of each paragraph.
    """
    return {
        near
        for at, page in dict.fromkeys(drawings)
        for near in range(max(at - _REACH, 0), min(at + _REACH, len(first)))
        if first[near] <= page <= last[near]
    }
