"""Tables whose cells are drawn as boxes: a grid of rulings, with one cell in each room between them."""

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import chain, groupby, pairwise, product
from operator import attrgetter, itemgetter
from typing import NamedTuple

from ralph_cli.documents.pdf.geometry.fragments import Fragment, read_fragments
from ralph_cli.documents.pdf.geometry.rows import Row, build_rows
from ralph_cli.documents.pdf.geometry.tables import CURRENCY, is_sign
from ralph_cli.documents.pdf.geometry.word import IDEOGRAPHS, Ruling, Rulings, Word
from ralph_cli.documents.structure.grids import GridCell, GridRow, find_header

# Points: rulings nearer than this to each other are one side of a box, and shorter ones are none.
_NEAR = 3.0

_MOST_PAIRS, _MOST_ROOMS = 200_000, 20_000
# How far a word may reach over the side of its box, in heights of type, and the share of words that reach further.
_OVERHANG, _MOST_CROSSED = 0.5, 0.02

# Pieces of a line that are further apart, in heights of type, are not of one cell, but for the mark of an item.
_GAP, _LONGEST_MARK = 1.0, 3

# Lines of two boxes that are nearer, in heights of type, are of one row; points beside the text of a box.
_LEVEL, _PADDING = 0.3, 4.0

# Heights of type by which lines of names above rows are apart, from each other and from the rows, at most.
_NAMES_APART = 1.5

_FEW_ROWS, _FEW_LINES, _PAIR, _LEAST_SIDES, _MANY = 4, 2, 2, 3, 4
# Points that labels may stand higher or lower than the figures of their rows.
_UNEVEN = 2

# Heights of type by which a label is set in, and the part of the room beside one by which it may be off the middle.
_LEAST_INDENT, _OFF_MIDDLE = 0.5, 0.1


class BoxCell(NamedTuple):
    """The lines of a box: its rows from the `first` to the `last`, and its columns from `left` to `right`."""

    first: int
    last: int
    left: int
    right: int
    lines: Sequence[Row] = ()

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(piece.text for line in self.lines for piece in line)


class BoxRow(NamedTuple):
    """A row as it is written: its cells from left to right, and the columns before the last of them that are `empty`.

    `indent` is how far its label is set in. The row so many rows before it, if any, heads its `group`.
    """

    cells: Sequence[BoxCell]
    empty: Sequence[int] = ()
    indent: float = 0.0
    group: int = 0


class BoxedTable(NamedTuple):
    """A table of boxes: the sides of its columns from left to right, in points, and its rows.

    The first `header_rows` name columns, the first `labels` columns are labels. `pieces` are all that stand in it.
    """

    sides: Sequence[float]
    rows: Sequence[BoxRow]
    header_rows: int
    labels: int
    pieces: Sequence[Fragment]


class _Grid(NamedTuple):
    """Boxes, and where columns and rows of them end: from left to right, and, negative, from top to bottom. `is_open`:
    no rulings part the columns."""

    columns: list[float]
    rows: list[float]
    boxes: dict[tuple[int, int], BoxCell]
    is_open: bool = False

    @property
    def is_band(self) -> bool:
        """Whether only the names of columns and all rows are parted from each other."""
        return self.is_open and len(self.rows) == _LEAST_SIDES

    def holds(self, word: Word) -> bool:
        """Whether a word stands in it."""
        return (
            self.columns[0] < word.right
            and word.left < self.columns[-1]
            and self.rows[0] < -word.baseline < self.rows[-1]
        )

    def width(self, box: BoxCell) -> float:
        """The room for the text of a box."""
        return self.columns[box.right + 1] - self.columns[box.left] - _PADDING


def find_boxed_tables(
    rulings: Rulings, words: Sequence[Word], source: str, is_bold: Callable[[int], bool]
) -> list[BoxedTable]:
    """The tables that rulings draw around these words of `source`, none of them inside of another; characters of names
    of columns may be in bold."""
    grids = [*filter(None, (_find_boxes(*it) for it in _find_connected(rulings))), *_find_bands(rulings, words, source)]
    free = [it for it in words if not any(grid.holds(it) for grid in grids)]
    found = [table for grid in grids for table in _fill(grid, words, free, source, is_bold)]
    taken = Counter(id(word) for table in found for word in _words(table))
    return [table for table in found if all(taken[id(word)] == 1 for word in _words(table))]


def _words(table: BoxedTable) -> Iterator[Word]:
    return chain.from_iterable(piece.words for piece in table.pieces)


def read_around(tables: Sequence[BoxedTable], words: list[Word], source: str) -> list[Fragment]:
    """The pieces of text in the order of the file, those of the tables among them."""
    inside = {id(word) for table in tables for word in _words(table)}
    around = read_fragments([word for word in words if id(word) not in inside] if inside else words, source)
    if not inside:
        return around
    pieces = sorted([*around, *chain.from_iterable(it.pieces for it in tables)], key=lambda it: it.words[0].start)
    for order, piece in enumerate(pieces):
        piece.order = order
    return pieces


def place_tables(
    tables: Sequence[BoxedTable], blocks: Sequence[list[Row]]
) -> Iterator[tuple[BoxedTable | None, list[Row]]]:
    """The blocks without what stands in tables, in parts, and before which of these each table stands: where it begins
    in the block that has most of it."""
    owners = {id(piece): number for number, table in enumerate(tables) for piece in table.pieces}
    own = [[[owners[id(it)] for it in row if id(it) in owners] for row in block] for block in blocks]
    counts = Counter((number, at) for at, rows in enumerate(own) for number in chain.from_iterable(rows))
    homes = dict(number_at for number_at, _ in reversed(counts.most_common()))
    for at, block in enumerate(blocks):
        part: list[Row] = []
        for row, numbers in zip(block, own[at], strict=True):
            for number in dict.fromkeys(it for it in numbers if homes.get(it) == at):
                yield from [(None, part)] if part else []
                yield tables[number], []
                part, homes[number] = [], -1
            if rest := [it for it in row if id(it) not in owners]:
                part.append(rest)
        if part:
            yield None, part


def separate(cell: BoxCell, number: int) -> str:
    """What stands before a line of a cell: nothing before the first and inside of words without spaces, and the end of
    a line where its first word would have had room in the one above, as in a list."""
    if not number or IDEOGRAPHS.match(cell.lines[number - 1][-1].text[-1:] + cell.lines[number][0].text[:1]):
        return ""
    first = cell.lines[number][0].text.split()[0]
    if len(first) == 1 and not first.isalnum():
        return "\n"  # the mark of an item
    width = max(line[-1].right - line[0].left for line in cell.lines)
    pair = cell._replace(lines=cell.lines[number - 1 : number + 1])
    return " " if len(cell.lines) <= _FEW_LINES or _is_wrapped(pair, width) else "\n"


def _find_connected(rulings: Rulings) -> Iterator[tuple[list[Ruling], list[Ruling]]]:
    """Rulings across and down that touch each other."""
    across = [it for it in rulings.across if it.right - it.left > _NEAR]
    waiting = [it for it in rulings.down if it.right - it.left > _NEAR]
    if len(across) * len(waiting) > _MOST_PAIRS:
        return
    while waiting:
        down, reached = [waiting.pop()], set[Ruling]()
        for it in down:
            new = {one for one in across if _touches(it, one)} - reached
            reached |= new
            touched = [it for it in waiting if any(_touches(it, one) for one in new)]
            down += touched
            waiting = [it for it in waiting if it not in touched]
        if len(reached) > 1:
            yield [*reached], down


def _touches(down: Ruling, across: Ruling) -> bool:
    is_level = down.left - _NEAR <= across.foot <= down.right + _NEAR
    return is_level and across.left - _NEAR <= down.foot <= across.right + _NEAR


def _find_boxes(across: Sequence[Ruling], down: Sequence[Ruling]) -> _Grid | None:
    """The boxes that these rulings draw, None if they draw anything else; the outer sides may be open."""
    columns = _join_near([*(it.foot for it in down), min(it.left for it in across), max(it.right for it in across)])
    rows = _join_near([*(-it.foot for it in across), *(-it.right for it in down), *(-it.left for it in down)])
    height, width = len(rows) - 1, len(columns) - 1
    if min(height, width) < 2 or height * width > _MOST_ROOMS:
        return None
    upright = [it._replace(left=-it.right, right=-it.left) for it in down]
    beside = {(row, column) for column, row in _find_walls(upright, columns, rows)}.union(
        (at, 0) for at in range(height)
    )
    below = _find_walls([it._replace(foot=-it.foot) for it in across], rows, columns).union(
        (0, at) for at in range(width)
    )
    boxes = _draw_boxes(beside, below, height, width)
    return _Grid(columns, rows, boxes) if boxes else None


def _draw_boxes(
    beside: Set[tuple[int, int]], below: Set[tuple[int, int]], height: int, width: int
) -> dict[tuple[int, int], BoxCell]:
    """The box that each room is in, by its row and column, where walls stand to the left of some rooms and above some;
    none if they draw anything but boxes."""
    boxes: dict[tuple[int, int], BoxCell] = {}
    for row, column in product(range(height), range(width)):
        if (row, column) not in boxes:
            right = next((at for at in range(column, width - 1) if (row, at + 1) in beside), width - 1)
            last = next((at for at in range(row, height - 1) if (at + 1, column) in below), height - 1)
            inside = [*product(range(row, last + 1), range(column, right + 1))]
            if any(((it in beside) != (it[1] == column)) or ((it in below) != (it[0] == row)) for it in inside):
                return {}
            boxes.update(dict.fromkeys(inside, BoxCell(row, last, column, right)))
    return boxes


def _find_bands(rulings: Rulings, words: Sequence[Word], source: str) -> Iterator[_Grid]:
    """Boxes that only rulings across draw, all as long as each other."""
    levels = sorted(
        (it for it in (*rulings.across, *rulings.grounds) if it.right - it.left > _NEAR), key=itemgetter(0, 1)
    )
    for _, group in groupby(levels, lambda it: (round(it.left / _NEAR), round(it.right / _NEAR))):
        sides = [*group]
        rows = _join_near([-it.foot for it in sides])
        if len(rows) >= _LEAST_SIDES and not any(_touches(it, one) for it in rulings.down for one in sides):
            within = [it for it in words if sides[0].left <= (it.left + it.right) / 2 <= sides[0].right]
            are_few = sum(it in rulings.across for it in sides) < _FEW_ROWS
            yield from _part_bands(rows, sides[0], within, source, are_few)


def _part_bands(rows: list[float], side: Ruling, within: Sequence[Word], source: str, are_few: bool) -> Iterator[_Grid]:
    """Bands between rulings as boxes, with gaps between their columns in which nothing stands but what stands alone.

    Signs of currencies have their own columns in such tables, so there are none; between few rulings there are no
    figures, either.
    """
    lines = build_rows(read_fragments([it for it in within if rows[0] < -it.baseline < rows[-1]], source))
    if any(CURRENCY.match(it.text) or (are_few and it.is_figure) for line in lines for it in line):
        return
    beside = [word for line in lines if len(line) > 1 for piece in line for word in piece.words]
    columns = _part_columns(beside, side.left)
    names = _find_names(within, -rows[0])
    for places in (_part_columns([*names, *beside], side.left), columns):
        over = [(bisect_right(places, it.left), bisect_left(places, it.right)) for it in names]
        if len(set(over)) == len(places) == len(columns) and all(first == last for first, last in over):
            columns, rows = places, [-max(it.baseline + it.height for it in names), *rows]
            break
    if len(columns) > 1:
        yield _Grid([*columns, side.right], rows, dict(_draw_bands(rows, columns, lines)), True)


def _draw_bands(
    rows: Sequence[float], columns: Sequence[float], lines: Sequence[Row]
) -> Iterator[tuple[tuple[int, int], BoxCell]]:
    """The box that each room between rulings across is in: one where no more than a piece stands over columns."""
    for row, (top, foot) in enumerate(pairwise(rows)):
        own = [line for line in lines if top < -line[0].baseline < foot]
        last = len(columns) - 1
        is_over_all = len(own) == len(own[0]) == 1 and own[0][0].right > columns[1] if own else False
        for at in range(last + 1):
            yield (row, at), BoxCell(row, row, 0, last) if is_over_all else BoxCell(row, row, at, at)


def _find_names(words: Sequence[Word], foot: float) -> list[Word]:
    """The words of the lines right above a height."""
    found: list[Word] = []
    for word in sorted((it for it in words if it.baseline > foot), key=attrgetter("baseline")):
        if word.baseline - foot > _NAMES_APART * word.height:
            break
        found, foot = [*found, word], word.baseline
    return found


def _part_columns(words: Sequence[Word], left: float) -> list[float]:
    """Where columns begin that gaps part in which none of the words stands; the first one at the left."""
    columns, end = [left], math.inf
    for word in sorted(words, key=attrgetter("left")):
        if word.left > end + _GAP * word.height:
            columns.append(word.left - _NEAR)
        end = max(end, word.right) if end < math.inf else word.right
    return columns


def _join_near(places: Sequence[float]) -> list[float]:
    """These places in order, without those that are near to one before."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > _NEAR:
            found.append(place)
    return found


def _find_walls(rulings: Sequence[Ruling], places: Sequence[float], rooms: Sequence[float]) -> set[tuple[int, int]]:
    """The place of each ruling, by number, with each of the rooms along it, of which it closes more than half."""
    found: set[tuple[int, int]] = set()
    for it in rulings:
        first, end = max(bisect_right(rooms, it.left) - 1, 0), bisect_left(rooms, it.right)
        over = (room for room in range(first, min(end, len(rooms) - 1)) if it.covers(*rooms[room : room + 2]) > 0.5)
        found.update((bisect_right(places, it.foot) - 1, room) for room in over)
    return found


def _fill(
    grid: _Grid, words: Sequence[Word], free: Sequence[Word], source: str, is_bold: Callable[[int], bool]
) -> list[BoxedTable]:
    """The tables of these boxes with the words in them; none if a box holds more than a cell, or it is no table.

    Words that are `free` stand in the boxes of no grid.
    """
    grid = _part_boxes(grid, words, source)
    filled, crossed = _place_words(grid, words)
    if _is_part(grid, filled, free, source):
        return []
    counts = Counter(box.first for box in filled)
    full = sum(count > 1 for count in counts.values())
    if not full or (full == 1 and len(counts) <= _FEW_ROWS) or crossed > _MOST_CROSSED * sum(map(len, filled.values())):
        return []
    boxes = [
        box._replace(lines=build_rows(read_fragments(filled[box], source)))
        for at, box in grid.boxes.items()
        if box in filled and at == (box.first, box.left)
    ]
    lines = [line for box in boxes for line in box.lines]
    if any(it.is_right_to_left for line in lines for it in line) or _has_pieces_apart(lines):
        return []
    return [_make_table(*part, is_bold, grid.is_band) for part in _part_stacked(_split_rows(grid, boxes), grid.columns)]


def _place_words(grid: _Grid, words: Sequence[Word]) -> tuple[dict[BoxCell, list[Word]], int]:
    """The words in each box, and how many reach over its sides."""
    filled: defaultdict[BoxCell, list[Word]] = defaultdict(list)
    crossed = 0
    for word in words:
        row = bisect_right(grid.rows, -word.baseline - _LEVEL * word.height) - 1
        column = bisect_right(grid.columns, (word.left + word.right) / 2) - 1
        if box := grid.boxes.get((row, column)):
            filled[box].append(word)
            room = grid.columns[box.left] - word.left, word.right - grid.columns[box.right + 1]
            crossed += max(room) > _OVERHANG * word.height
    return filled, crossed


def _part_boxes(grid: _Grid, words: Sequence[Word], source: str) -> _Grid:
    """The boxes, those of each column in parts where the words of several have the same gaps."""
    sides = list(grid.columns)
    for at, (left, right) in enumerate(pairwise(grid.columns)):
        own = {box for (_, column), box in grid.boxes.items() if column == at and box.left == box.right}
        feet = [(grid.rows[box.first], grid.rows[box.last + 1]) for box in own]
        inside = [
            it for it in words if left < it.left and it.right < right and any(a < -it.baseline < b for a, b in feet)
        ]
        lines = [*filter(lambda line: len(line) > 1, build_rows(read_fragments(inside, source)))]
        apart = [line for line in lines if _has_pieces_apart([line])]
        if len(apart) > 1:
            sides += _part_columns(inside, left)[1:]
    if len(sides) == len(grid.columns):
        return grid
    sides.sort()
    boxes: dict[tuple[int, int], BoxCell] = {}
    for (row, column), box in grid.boxes.items():
        first, end = sides.index(grid.columns[column]), sides.index(grid.columns[column + 1])
        whole = sides.index(grid.columns[box.left]), sides.index(grid.columns[box.right + 1]) - 1
        for at in range(first, end):
            left, right = (at, at) if box.left == box.right else whole
            boxes[row, at] = box._replace(left=left, right=right)
    return grid._replace(columns=sides, boxes=boxes)


def _is_part(grid: _Grid, filled: Mapping[BoxCell, Sequence[Word]], words: Sequence[Word], source: str) -> bool:
    """Whether the boxes are only some columns of a table: beside most of their lines others stand at the same height,
    or about there if the boxes have no labels."""
    own = {round(it.baseline) for it in chain.from_iterable(filled.values())}
    outside = (it.baseline for it in words if it.right < grid.columns[0] or grid.columns[-1] < it.left)
    labels = (it for box, inside in filled.items() if box.left == 0 < box.first for it in inside)
    reach = 0 if any(source[it.start].isalpha() for it in labels) else _UNEVEN
    near = {round(it) + off for it in outside for off in range(-reach, reach + 1)}
    return 2 * len(own & near) > len(own)


def _has_pieces_apart(lines: Sequence[Row]) -> bool:
    """Whether the lines of a box have pieces that are not of one cell."""
    pairs = (
        (left, right)
        for line in lines
        for left, right in pairwise(line)
        if not (is_sign(left) or is_sign(right) or (left is line[0] and len(left.text) <= _LONGEST_MARK))
    )
    return any(right.left - left.right > _GAP * max(left.height, right.height) for left, right in pairs)


def _split_rows(grid: _Grid, boxes: Sequence[BoxCell]) -> list[BoxCell]:
    """The boxes, where rulings part groups of rows those of each row; none if it is not certain which row is which."""
    levels = _read_levels(grid, boxes)
    begins = [0]
    for found in levels:
        begins.append(begins[-1] + max(len(found), 1))
    cells: list[BoxCell] = []
    for box in boxes if levels else ():
        found = levels[box.first] if box.first == box.last else []
        parts = [(line, _level_of(line, found)) for line in box.lines]
        is_over_all = len(parts) == 1 and parts[0][1] in (-1, len(found) // 2 if len(found) > _FEW_LINES else -1)
        if not found or is_over_all:
            cells.append(box._replace(first=begins[box.first], last=begins[box.last + 1] - 1))
        elif any(at < 0 for _, at in parts) or len({at for _, at in parts}) < len(parts):
            return []
        else:
            at = begins[box.first]
            cells += [box._replace(first=at + level, last=at + level, lines=[line]) for line, level in parts]
    starts = sorted({cell.first for cell in cells})
    numbered = (it._replace(first=starts.index(it.first), last=bisect_right(starts, it.last) - 1) for it in cells)
    return sorted(numbered, key=lambda it: (it.first, it.left))


def _read_levels(grid: _Grid, boxes: Sequence[BoxCell]) -> list[list[float]]:
    """For each row of boxes the baselines of the rows that it holds, none where it is one; nothing if this is not
    certain."""
    levels: list[list[float]] = []
    rows = [[box for box in boxes if box.first == box.last == row] for row in range(len(grid.rows) - 1)]
    is_first = sum(map(_are_level, rows)) < 2
    for row, own in enumerate(rows):
        holds_rows = (_are_level(own) and not is_first) or _holds_rows(grid, own, is_first)
        beside = own if not (holds_rows or is_first) else []
        short = [box for box in own if not _is_wrapped(box, grid.width(box))] if grid.is_open and not holds_rows else []
        if len(short) > 1 or any(map(_has_amounts, [*beside, *(it for it in boxes if it.first == row < it.last)])):
            return []
        levels.append(_find_levels(own) if holds_rows else [])
        is_first &= len(own) < 2
    return levels


def _are_level(boxes: Sequence[BoxCell]) -> bool:
    """Whether many boxes beside each other have as many lines at the same heights."""
    counts = {len(box.lines) for box in boxes}
    return len(boxes) >= _MANY and counts == {len(_find_levels(boxes))}


def _holds_rows(grid: _Grid, boxes: Sequence[BoxCell], is_first: bool) -> bool:
    """Whether boxes beside each other hold rows: amounts stand above each other beside as many lines of a label, in
    two boxes, or beside words that end where more would fit; or such words do in three, and not in the first ones.
    """
    broken = [box for box in boxes if len(box.lines) > 1]
    amounts = [box for box in broken if _has_amounts(box)]
    short = [box for box in broken if box not in amounts and not _is_wrapped(box, grid.width(box))]
    if amounts and broken[0] is boxes[0]:
        return len(_find_levels([boxes[0], *amounts])) == len(boxes[0].lines)
    if amounts or not broken:
        return len(amounts) + len(short) > 1 and not is_first
    is_full = len(broken) == len(boxes) and not is_first
    are_level = all(len(_find_levels([broken[0], box])) == len(box.lines) for box in broken)
    return are_level and (len(broken) > 2 or grid.is_band) and len(short) > 1 and (is_full or len(broken[0].lines) > 2)


def _find_levels(boxes: Sequence[BoxCell]) -> list[float]:
    """The baselines of rows in boxes beside each other, from top to bottom."""
    found: list[float] = []
    for line in sorted(
        chain.from_iterable(box.lines for box in boxes if len(box.lines) > 1), key=_baseline, reverse=True
    ):
        if not found or found[-1] - _baseline(line) > _LEVEL * line[0].height:
            found.append(_baseline(line))
    return found


def _baseline(line: Row) -> float:
    return line[0].baseline


def _level_of(line: Row, levels: Sequence[float]) -> int:
    """The row, by number, that a line is in; -1 if it is in none."""
    return next((at for at, it in enumerate(levels) if abs(it - _baseline(line)) <= _LEVEL * line[0].height), -1)


def _has_amounts(box: BoxCell) -> bool:
    """Whether a box has several lines, each of amounts."""
    return len(box.lines) > 1 and all(map(_is_amount, box.lines))


def _is_amount(line: Row) -> bool:
    """Whether a line is an amount, a day, or several of them, and no words."""
    text = "".join(piece.text for piece in line)
    return any(map(str.isdigit, text)) and not any(map(str.isalpha, text))


def _is_wrapped(box: BoxCell, width: float) -> bool:
    """Whether each line of a box ends where the first word of the next one has no room."""
    return all(
        above[-1].right - above[0].left + below[0].words[0].right - below[0].words[0].left > width
        for above, below in pairwise(box.lines)
    )


def _part_stacked(cells: Sequence[BoxCell], sides: Sequence[float]) -> Iterator[tuple[list[float], list[BoxCell]]]:
    """Tables that stand right above each other: where behind a box over all columns the others have other sides. Each
    with the sides of its columns, and its cells."""
    parts: list[tuple[set[int], list[BoxCell]]] = []
    for _, group in groupby(cells, attrgetter("first")):
        row = [*group]
        is_title = row[0].right - row[0].left == len(sides) - 2
        if not parts or is_title:
            parts.append((set(), []))
        parts[-1][1].extend(row)
        parts[-1][0].update(*((it.left, it.right + 1) for it in row if not is_title))
    joined: list[tuple[set[int], list[BoxCell]]] = []
    for own, part in parts:
        if joined and (not own or joined[-1][0] in (own, set())):
            joined[-1] = own | joined[-1][0], [*joined[-1][1], *part]
        else:
            joined.append((own, part))
    for own, part in joined:
        places = sorted(own | {0, len(sides) - 1})
        ends = ((bisect_right(places, it.left) - 1, bisect_left(places, it.right + 1) - 1) for it in part)
        yield (
            [sides[at] for at in places],
            [it._replace(left=left, right=right) for it, (left, right) in zip(part, ends, strict=True)],
        )


def _make_table(
    sides: Sequence[float], cells: Sequence[BoxCell], is_bold: Callable[[int], bool], is_named: bool
) -> BoxedTable:
    """The table of these cells, in the order of their rows; `is_named`: the first row names columns for certain.

    A label beside several rows stands in a row of its own above them.
    """
    begin, end = cells[0].first, max(cell.last for cell in cells) + 1
    beside = [[it for it in cells if it.first <= row <= it.last] for row in range(begin, end)]
    head, labels = _find_header(beside, len(sides) - 1, is_bold, is_named)
    indents = _find_indents(sides, cells)
    rows: list[BoxRow] = []
    groups: list[tuple[BoxCell, int]] = []

    def add(own: Sequence[BoxCell], empty: Sequence[int] = ()) -> None:
        indent = indents.get((groups[0][0] if groups else own[0]).first, 0.0)
        rows.append(BoxRow(own, empty, indent, len(rows) - groups[-1][1] if groups else 0))

    for row, reaching in enumerate(beside, begin):
        is_below = row - begin >= head
        while groups and groups[-1][0].last < row:
            groups.pop()
        own = [it for it in reaching if it.first == row]
        while heading := _find_heading(own, groups[-1][0].right if groups else -1, labels) if is_below else []:
            add(heading)
            groups.append((heading[-1], len(rows) - 1))
            own = own[len(heading) :]
        add(own, _find_empty(reaching, own[-1].left) if is_below else [])
    pieces = [piece for cell in cells for line in cell.lines for piece in line]
    return BoxedTable(sides, rows, head, labels, pieces)


def _find_empty(cells: Sequence[BoxCell], end: int) -> list[int]:
    """The columns before one that none of the cells reaches over."""
    covered = {at for it in cells for at in range(it.left, it.right + 1)}
    return [at for at in range(end) if at not in covered]


def _find_header(
    rows: Sequence[Sequence[BoxCell]], width: int, is_bold: Callable[[int], bool], is_named: bool
) -> tuple[int, int]:
    """How many rows name columns, and how many columns are labels, where all cells that reach into a row are given."""
    marked = [all(is_bold(it.lines[0][0].words[0].start) for it in cells) for cells in rows]
    grid = [
        GridRow(
            0,
            0,
            [GridCell(it.text, 0, 0, it.left, it.right) for it in sorted(cells, key=attrgetter("left"))],
            is_header=is_marked and not all(marked),
        )
        for cells, is_marked in zip(rows, marked, strict=True)
    ]
    head, labels = find_header(grid, width)
    is_certain = is_named or any(marked) or width > _PAIR or any(it.is_figure for row in grid for it in row.cells)
    return head if is_certain else 0, labels  # labels with what they say have no names


def _find_heading(cells: Sequence[BoxCell], last: int, labels: int) -> list[BoxCell]:
    """The cells that are labels of several rows, as many of one as of the other, right behind those up to a column."""
    found: list[BoxCell] = []
    for cell in cells[:-1]:
        is_beside = (
            cell.first < cell.last == (found or [cell])[0].last and cell.left == last + 1 and cell.right < labels
        )
        if not is_beside:
            break
        found, last = [*found, cell], cell.right
    return found


def _find_indents(sides: Sequence[float], cells: Sequence[BoxCell]) -> dict[int, float]:
    """How far the labels of rows in the first column are set in, in half heights of type; none if they stand in the
    middle of it."""
    found: dict[int, tuple[float, bool]] = {}
    for cell in cells:
        if cell.left == 0:
            before = cell.lines[0][0].left - sides[0]
            behind = sides[cell.right + 1] - max(line[-1].right for line in cell.lines)
            is_centred = abs(before - behind) < _OFF_MIDDLE * (before + behind)
            found[cell.first] = before / cell.lines[0][0].height / _LEAST_INDENT, is_centred
    least = min((indent for indent, _ in found.values()), default=0.0)
    set_in = [is_centred for indent, is_centred in found.values() if indent > least + 1]
    return {} if 2 * sum(set_in) > len(set_in) else {row: indent for row, (indent, _) in found.items()}
