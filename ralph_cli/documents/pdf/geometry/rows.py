"""Fragments at one height on the page, as the rows of a block."""

from itertools import pairwise

from ralph_cli.documents.pdf.geometry.fragments import Fragment

Row = list[Fragment]

# Baselines nearer than this share of the type size cannot be two lines of one column.
_ROW_SHARE = 0.7

_EQUAL, _NEAR = 0.05, 0.15


class _Line:
    """Fragments on one baseline, or on several that were joined; that of the widest counts."""

    def __init__(self, fragments: Row) -> None:
        self.fragments = fragments
        self.baseline = fragments[0].baseline
        self.height = min(fragment.height for fragment in fragments)
        self.width = sum(fragment.right - fragment.left for fragment in fragments)

    def join(self, below: "_Line") -> "_Line":
        """One line of both."""
        joined = _Line(self.fragments + below.fragments)
        joined.baseline = (self if self.width >= below.width else below).baseline
        return joined

    def meshes(self, below: "_Line") -> bool:
        """Whether the two are one line of type: nowhere above each other, or hardly apart."""
        if self.baseline - below.baseline < _NEAR * min(self.height, below.height):
            return True
        return not any(
            upper.right > lower.left + 0.5 and lower.right > upper.left + 0.5
            for upper in self.fragments
            for lower in below.fragments
        )


def build_rows(fragments: list[Fragment]) -> list[Row]:
    """Rows from top to bottom, each from left to right.

    Some tables set their figures a few points lower than the label, and marks of footnotes stand a little higher:
    lines that are nearer than two lines of type can be are joined, the closest first, if nothing overlaps.
    """
    lines = _level_lines(fragments)
    while True:
        near = [
            (distance, number)
            for number, (above, below) in enumerate(pairwise(lines))
            if (distance := above.baseline - below.baseline) < _ROW_SHARE * min(above.height, below.height)
        ]
        joined: dict[int, _Line] = {}
        for _, number in sorted(near):
            if joined.keys().isdisjoint((number - 1, number, number + 1)) and lines[number].meshes(lines[number + 1]):
                joined[number] = lines[number].join(lines[number + 1])
        if not joined:
            break
        lines = [joined.get(number, line) for number, line in enumerate(lines) if number - 1 not in joined]
    return [sorted(line.fragments, key=lambda fragment: fragment.left) for line in lines]


def _level_lines(fragments: list[Fragment]) -> list[_Line]:
    rows: list[Row] = []
    for fragment in sorted(fragments, key=lambda fragment: (-fragment.baseline, fragment.left)):
        first = rows[-1][0] if rows else None
        if first and first.baseline - fragment.baseline < _EQUAL * min(first.height, fragment.height):
            rows[-1].append(fragment)
        else:
            rows.append([fragment])
    return [_Line(row) for row in rows]


def stream_rows(fragments: list[Fragment]) -> list[Row]:
    """Rows in the order of the file: what goes on to the right on the line before, unless both are prose."""
    rows: list[Row] = []
    for fragment in sorted(fragments, key=lambda fragment: fragment.order):
        last = rows[-1][-1] if rows else None
        if (
            last is not None
            and abs(last.baseline - fragment.baseline) < 0.35 * min(last.height, fragment.height)
            and fragment.left > last.right - 1
            and not _are_cells(last, fragment)
        ):
            rows[-1].append(fragment)
        else:
            rows.append([fragment])
    return rows


def _are_cells(left: Fragment, right: Fragment) -> bool:
    """Whether two pieces of text beside each other belong to two columns."""
    is_apart = right.left - left.right > 0.8 * right.height and left.has_letters and right.has_letters
    return is_apart and (left.is_prose or right.is_prose)


def reading_order(row: Row) -> Row:
    """The fragments of a row as they are read: from the right in a row of a script that runs so.

    Figures and runs of words that run from left to right keep their own order in it.
    """
    weight = sum(
        len(fragment.text) if fragment.is_right_to_left else -len(fragment.text)
        for fragment in row
        if fragment.is_right_to_left or fragment.has_letters
    )
    if weight <= 0:
        return row
    ordered: Row = []
    run: Row = []
    for fragment in reversed(row):
        if fragment.has_letters and not fragment.is_right_to_left:
            run.insert(0, fragment)
            continue
        ordered += [*run, fragment]
        run = []
    return ordered + run


def distance(above: Row, below: Row) -> float:
    """How far the baseline of a row is above that of another one, in heights of type."""
    return (above[0].baseline - below[0].baseline) / max(above[0].height, below[0].height)
