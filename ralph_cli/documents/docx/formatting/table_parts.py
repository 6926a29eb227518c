"""The parts of a table that a style of tables formats apart, such as its first row or every other row."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.office.xml_tree import attribute

_CONDITIONS = {"firstRow": 0x20, "lastRow": 0x40, "firstCol": 0x80, "lastCol": 0x100}
_NO_ROW_BANDS, _NO_COLUMN_BANDS = 0x200, 0x400
_BITS = {"firstRow": 0x20, "lastRow": 0x40, "firstColumn": 0x80, "lastColumn": 0x100}
_BITS |= {"noHBand": _NO_ROW_BANDS, "noVBand": _NO_COLUMN_BANDS}
_ROW_BANDS, _COLUMN_BANDS = ("band1Horz", "band2Horz"), ("band1Vert", "band2Vert")
_CORNERS = {
    "neCell": ("firstRow", "lastCol"), "nwCell": ("firstRow", "firstCol"),
    "seCell": ("lastRow", "lastCol"), "swCell": ("lastRow", "firstCol"),
}  # fmt: skip

ORDER = (*_COLUMN_BANDS, *_ROW_BANDS, *_CONDITIONS, *_CORNERS)
"""All parts by their names in a style; the later ones win (ECMA-376, 17.7.6)."""


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a cell stands in its table: its row and column, and how many of them there are.

    `look` says by bits which parts the table lets its style format (w:tblLook, ECMA-376, 17.4.55), None if the table
    does not say.
    """

    row: int
    rows: int
    column: int
    columns: int
    look: int | None = None

    def parts(self, row_band: int, column_band: int) -> Iterator[str]:
        """The parts of the table that the cell is in, as far as the table lets them be formatted."""
        look = sum(_CONDITIONS.values()) if self.look is None else self.look
        ends = (self.row == 0, self.row == self.rows - 1, self.column == 0, self.column == self.columns - 1)
        inside = {name for (name, bit), at_end in zip(_CONDITIONS.items(), ends, strict=True) if at_end and look & bit}
        if not look & _NO_ROW_BANDS and not inside & {"firstRow", "lastRow"}:
            yield _ROW_BANDS[(self.row - bool(look & _CONDITIONS["firstRow"])) // row_band % 2]
        if not look & _NO_COLUMN_BANDS and not inside & {"firstCol", "lastCol"}:
            yield _COLUMN_BANDS[(self.column - bool(look & _CONDITIONS["firstCol"])) // column_band % 2]
        yield from inside
        yield from (corner for corner, sides in _CORNERS.items() if inside.issuperset(sides))


def read_look(element: Element | None) -> int | None:
    """Which parts of a table its style may format, as bits of w:tblLook; None if it does not say."""
    if element is None:
        return None
    try:
        return int(attribute(element), 16)
    except ValueError:
        return sum(bit for name, bit in _BITS.items() if attribute(element, name) in ("1", "true", "on"))
