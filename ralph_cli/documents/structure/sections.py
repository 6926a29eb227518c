"""Which headings a character stands under for certain, and what its page begins with. Pure.

The guest's look-up functions use it, too: its source is sent into the sandbox.
"""

from collections.abc import Container, Sequence

# Where a heading begins, before which character it counts for certain, and whether a number or an outline says so.
Reach = tuple[int, int, bool]


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


# Characters of whole lines by which the top of a page is named.
_TOP_CHARS = 90

# Characters at the beginning of a page in which its title is looked for.
TOP_REACH = 300


def page_top(beginning: str, neighbours: Sequence[str], printed: Container[str]) -> str:
    """The first lines of a page, which often name the statement or section: up to running text, and without those that
    are `printed` beside it. `beginning` ends where a table begins.

    Lines with which the beginnings of its `neighbours` begin, too, are running heads.
    """
    beside = {line for other in neighbours for line in _first_lines(other)}
    words = ""
    for raw in (line for line in _first_lines(beginning) if line not in beside):
        line = " ".join(raw.split())
        if len(words) + len(line) > _TOP_CHARS or (line[0].islower() and not words):
            break
        words += "" if line in printed else f" / {line}" if words else line
    return words


def _first_lines(beginning: str) -> list[str]:
    lines = [line.strip() for line in beginning[:TOP_REACH].split("\n")]
    return [line for line in lines[:5] if line]
