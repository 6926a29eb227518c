"""Which headings a character stands under for certain. Pure.

The guest's look-up functions use it, too: its source is sent into the sandbox, so it imports the standard library only.
"""

from collections.abc import Sequence

Reach = tuple[int, int, bool]
"""Where a heading begins, before which character it counts for certain, and whether a number or an outline says so."""


def certain_headings(reaches: Sequence[Reach], offset: int) -> list[int]:
    """Of headings in order, by number, those under which a character stands for certain, the outermost first.

    One without a number counts only as the nearest above: how far it reaches is not known.
    """
    above = [number for number, (start, _, _) in enumerate(reaches) if start <= offset]
    found = [number for number in above if reaches[number][2] and offset < reaches[number][1]]
    near = next((number for number in reversed(above) if reaches[number][1] > reaches[number][0]), None)
    if near is not None and not reaches[near][2] and offset < reaches[near][1]:
        found.append(near)
    return found
