"""Find the headings that certainly apply to a character, and the first lines of a page. Pure.

The guest's look-up functions use this module too: its source is sent into the sandbox.
"""

from collections.abc import Container, Sequence

# The start of a heading, the character up to which it certainly applies, and whether a number or outline proves it.
Reach = tuple[int, int, bool]


def certain_headings(reaches: Sequence[Reach], offset: int) -> list[int]:
    """Return the indices of the headings that certainly apply to the character at `offset`, the outermost first.

    A heading without a number counts only if it is the nearest above, because its extent is unknown.
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
    """Return the first lines of a page up to running text; they often name the statement or section.

    Lines that are `printed` next to it are left out. `beginning` ends where a table begins. Lines that also begin a
    page of `neighbours` are running heads and are left out.
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
