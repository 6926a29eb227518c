"""Writes small workbooks in Excel's binary formats (xls, xlsb) for tests: the records that matter, nothing else.

Cells are given by name, as texts, numbers, booleans, dates (`date`, `time` and `timedelta`) or names of errors.
"""

import struct
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta

from office_files import pack
from outlook_files import compound_file

from ralph_cli.documents.office.dates import days_since
from ralph_cli.documents.sheets.formulas import parse_reference

Value = str | float | bool | date | time | timedelta
Sheets = Mapping[str, Mapping[str, Value]]

ERRORS = {"#NULL!": 0, "#DIV/0!": 7, "#VALUE!": 15, "#REF!": 23, "#NAME?": 29, "#NUM!": 36, "#N/A": 42}
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_FORMATS = (0, 14, 21, 46)
"""The number formats of the styles: general, date, time of day, duration."""


def _styled(value: float | date | time | timedelta) -> tuple[int, float]:
    """The style in which a value is kept, and its number."""
    if isinstance(value, date):
        return 1, days_since(value)
    if isinstance(value, time):
        return 2, (datetime.combine(date.min, value) - datetime.min) / timedelta(days=1)
    return (3, value / timedelta(days=1)) if isinstance(value, timedelta) else (0, value)


def _by_rows(cells: Mapping[str, Value]) -> list[tuple[int, list[tuple[int, Value]]]]:
    """The cells by row and column, from 0."""
    rows: dict[int, list[tuple[int, Value]]] = {}
    for name, value in cells.items():
        place = parse_reference(name)
        assert place is not None
        rows.setdefault(place[0] - 1, []).append((place[1], value))
    return [(row, sorted(rows[row], key=lambda cell: cell[0])) for row in sorted(rows)]


def _record(kind: int, content: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _letters(text: str) -> bytes:
    return b"\1" + text.encode("utf-16-le")


def _xls_cell(row: int, column: int, value: Value, *, is_formula: bool) -> bytes:
    if value in ERRORS:
        code = ERRORS[str(value)]
        place = struct.pack("<HHH", row, column, 0)
        if is_formula:
            return _record(0x06, place + struct.pack("<BxBxxxHHIH", 2, code, 0xFFFF, 0, 0, 0))
        return _record(0x205, place + bytes([code, 1]))
    if isinstance(value, bool):
        return _record(0x205, struct.pack("<HHHBB", row, column, 0, value, 0))
    if isinstance(value, str):
        return _record(0x204, struct.pack("<HHHH", row, column, 0, len(value)) + _letters(value))
    style, number = _styled(value)
    return _record(0x203, struct.pack("<HHHd", row, column, style, number))


def _xls_sheet(
    cells: Mapping[str, Value], formulas: Sequence[str], hidden: Sequence[str], merged: Sequence[Sequence[int]]
) -> bytes:
    written = _record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))
    for name in hidden:
        if not name.isdecimal():
            column = ord(name) - ord("A")
            written += _record(0x7D, struct.pack("<HHHHHH", column, column, 0, 0, 1, 0))
    for row, filled in _by_rows(cells):
        flags = 0x20 if str(row + 1) in hidden else 0
        written += _record(0x208, struct.pack("<HHHHHHHH", row, 0, 0, 0, 0, 0, 0x100 | flags, 0))
        for column, value in filled:
            is_formula = f"{chr(65 + column)}{row + 1}" in formulas
            written += _xls_cell(row, column, value, is_formula=is_formula)
    areas = b"".join(struct.pack("<HHHH", top, bottom, left, right) for top, left, bottom, right in merged)
    return written + _record(0xE5, struct.pack("<H", len(merged)) + areas) + _record(0x0A)


def xls(
    sheets: Sheets,
    *,
    hidden_sheets: Sequence[str] = (),
    hidden: Sequence[str] = (),
    formulas: Sequence[str] = (),
    merged: Sequence[Sequence[int]] = (),
    before: bytes = b"",
    stream: str = "Workbook",
) -> bytes:
    """A workbook of Excel 97 to 2003; `hidden` rows ("3") and columns ("B") are those of every sheet.

    `merged` areas are top, left, bottom and right, from 0; errors in the cells `formulas` are results; `before` are
    records that stand before all others.
    """
    head = _record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 0, 0, 0)) + before
    head += b"".join(_record(0xE0, struct.pack("<HH16x", 0, number)) for number in _FORMATS)
    parts = [_xls_sheet(cells, formulas, hidden, merged) for cells in sheets.values()]
    at = len(head) + sum(12 + 2 * len(name) for name in sheets) + 4
    for name, part in zip(sheets, parts, strict=True):
        head += _record(0x85, struct.pack("<IBBB", at, name in hidden_sheets, 0, len(name)) + _letters(name))
        at += len(part)
    return compound_file({stream: (head + _record(0x0A) + b"".join(parts)).ljust(4096, b"\0")})


def _long_record(kind: int, content: bytes = b"") -> bytes:
    """A record of xlsb, whose kind and size take as many bytes as they need."""
    size, sizes = len(content), b""
    while size > 0x7F:
        sizes, size = sizes + bytes([size & 0x7F | 0x80]), size >> 7
    kinds = bytes([kind & 0x7F | 0x80, kind >> 7]) if kind > 0x7F else bytes([kind])
    return kinds + sizes + bytes([size]) + content


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _xlsb_cell(column: int, value: Value, *, is_formula: bool) -> bytes:
    if value in ERRORS:
        behind = struct.pack("<HII", 0, 0, 0) if is_formula else b""
        return _long_record(11 if is_formula else 3, struct.pack("<IIB", column, 0, ERRORS[str(value)]) + behind)
    if isinstance(value, bool):
        return _long_record(4, struct.pack("<IIB", column, 0, value))
    if isinstance(value, str):
        return _long_record(6, struct.pack("<II", column, 0) + _wide(value))
    style, number = _styled(value)
    if abs(number) < 1 << 29 and number == int(number):  # as Excel keeps whole numbers
        return _long_record(2, struct.pack("<IIi", column, style, int(number) << 2 | 2))
    return _long_record(5, struct.pack("<IId", column, style, number))


def _xlsb_sheet(
    cells: Mapping[str, Value], formulas: Sequence[str], hidden: Sequence[str], merged: Sequence[Sequence[int]]
) -> bytes:
    written = _long_record(129) + _long_record(148, bytes(16)) + _long_record(390)
    for name in hidden:
        if not name.isdecimal():
            column = ord(name) - ord("A")
            written += _long_record(60, struct.pack("<IIIIH", column, column, 0, 0, 1))
    written += _long_record(391) + _long_record(145)
    for row, filled in _by_rows(cells):
        flags = 0x10 if str(row + 1) in hidden else 0
        written += _long_record(0, struct.pack("<IIHBBBI", row, 0, 0, 0, flags, 0, 0))
        for column, value in filled:
            written += _xlsb_cell(column, value, is_formula=f"{chr(65 + column)}{row + 1}" in formulas)
    written += _long_record(146)
    for top, left, bottom, right in merged:
        written += _long_record(176, struct.pack("<IIII", top, bottom, left, right))
    return written + _long_record(130)


def xlsb(
    sheets: Sheets,
    *,
    hidden_sheets: Sequence[str] = (),
    hidden: Sequence[str] = (),
    formulas: Sequence[str] = (),
    merged: Sequence[Sequence[int]] = (),
    targets: Mapping[str, str] | None = None,
) -> bytes:
    """A binary workbook of Excel 2007 and later; the rest as for `xls`. `targets` replace those of its relations."""
    book, parts, own = _long_record(131), dict[str, str | bytes](), dict[str, str]()
    for at, (name, cells) in enumerate(sheets.items(), 1):
        own[f"r{at}"] = f"worksheets/sheet{at}.bin"
        parts[f"xl/worksheets/sheet{at}.bin"] = _xlsb_sheet(cells, formulas, hidden, merged)
        book += _long_record(156, struct.pack("<II", name in hidden_sheets, at) + _wide(f"r{at}") + _wide(name))
    parts["xl/workbook.bin"] = book + _long_record(144) + _long_record(157, bytes(26)) + _long_record(132)
    styles = b"".join(_long_record(47, struct.pack("<HH12x", 0, number)) for number in _FORMATS)
    parts["xl/styles.bin"] = _long_record(617, struct.pack("<I", len(_FORMATS))) + styles + _long_record(618)
    related = "".join(
        f"<Relationship Id='{identity}' Type='worksheet' Target='{target}'/>"
        for identity, target in (own | dict(targets or {})).items()
    )
    parts["xl/_rels/workbook.bin.rels"] = f"<Relationships xmlns='{_RELATIONS}'>{related}</Relationships>"
    return pack(parts)
