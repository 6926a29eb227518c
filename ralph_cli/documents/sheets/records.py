"""Reads facts from the records of a binary workbook that the library for its cells does not report.

The records of xls are described in MS-XLS, those of xlsb in MS-XLSB.
"""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import pack_into, unpack_from

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.office.package import Package
from ralph_cli.documents.sheets.page import Area

_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_FORMULA, _END, _FILE_PASS, _COLUMNS, _SHEET, _ERROR, _ROW = 0x06, 0x0A, 0x2F, 0x7D, 0x85, 0x205, 0x208
_B_ROW, _B_RK, _B_ERROR, _B_ERROR_RESULT, _B_COLUMNS, _B_SHEET, _B_MERGED = 0, 2, 3, 11, 60, 156, 176
_LAST_COLUMN, _LAST_DAY, _MOST_MERGED = 16_383, 2_958_465, 200_000


@dataclass(slots=True)
class SheetRecords:
    """Facts about one sheet; rows count from 1, columns from 0."""

    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)
    merged: list[Area] = field(default_factory=list)

    def add_error(self, place: tuple[int, ...], code: int) -> None:
        """Record a cell with an error; its row and column in `place` count from 0."""
        self.errors[place[0] + 1, place[1]] = _ERRORS.get(code, "#ERROR")

    def hide_columns(self, first: int, last: int) -> None:
        """Record the columns from `first` to `last` as hidden."""
        self.hidden_columns.update(range(first, min(last, _LAST_COLUMN) + 1))


def read_xls_records(data: bytes, name: str) -> list[SheetRecords]:
    """Return the facts about each sheet of an xls file. Raises DocumentError encrypted, and any error for damage."""
    import olefile

    with olefile.OleFileIO(io.BytesIO(data)) as container:
        book = container.openstream("Workbook" if container.exists("Workbook") else "Book").read()
    places: list[int] = []
    for kind, at in _iterate_xls(book, 0):
        if kind == _FILE_PASS:
            hint = "remove its password and save it again"
            raise DocumentError(f"{name} is protected by a password", code="encrypted", hint=hint)
        if kind == _SHEET:
            places += unpack_from("<I", book, at)
    return [_read_xls_sheet(book, at) for at in places]


def _iterate_xls(data: bytes, at: int) -> Iterator[tuple[int, int]]:
    """Yield the kind of each record in a part of the stream, and the offset of its content."""
    while at + 4 <= len(data):
        kind, size = unpack_from("<HH", data, at)
        if kind == _END:
            return
        yield kind, at + 4
        at += 4 + size


def _read_xls_sheet(book: bytes, start: int) -> SheetRecords:
    found = SheetRecords()
    for kind, at in _iterate_xls(book, start):
        if kind == _ROW and book[at + 12] & 0x20:
            found.hidden_rows.add(unpack_from("<H", book, at)[0] + 1)
        elif kind == _COLUMNS and book[at + 8] & 1:
            found.hide_columns(*unpack_from("<HH", book, at))
        elif kind == _ERROR and book[at + 7]:
            found.add_error(unpack_from("<HH", book, at), book[at + 6])
        elif kind == _FORMULA and book[at + 6] == 2 and book[at + 12 : at + 14] == b"\xff\xff":
            found.add_error(unpack_from("<HH", book, at), book[at + 8])
    return found


def read_xlsb_records(data: bytes, name: str, limits: LoadLimits) -> tuple[bytes, list[SheetRecords]]:
    """Return an xlsb file adapted to the library, and facts about each sheet; unpacking is limited.

    The library recognizes a whole number as a date only if it is stored in hundredths, and drops errors that are
    results of formulas. Raises DocumentError damaged, encrypted, too-big, unsupported, and any error if the file is
    damaged.
    """
    package = Package(data, name, limits, "xl/workbook.bin")
    main = package.main_part()
    relations, book = package.relations(main), package.read(main)
    sheets: dict[str, bytearray] = {}
    found = []
    for kind, _, at in _iterate_xlsb(book):
        end = at + 12 + 2 * unpack_from("<I", book, at + 8)[0] if kind == _B_SHEET else 0
        if relation := relations.get(book[at + 12 : end].decode("utf-16-le", "replace")):
            sheets[relation.target] = bytearray(package.read(relation.target))
            found.append(_read_xlsb_sheet(sheets[relation.target]))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(out, "w") as written:
        for part in given.namelist():
            if part.endswith((".bin", ".rels")):
                written.writestr(part, sheets.get(part) or package.read(part))
    return out.getvalue(), found


def _iterate_xlsb(data: bytes | bytearray) -> Iterator[tuple[int, int, int]]:
    """Yield the kind of each record of a part, its offset, and the offset of its content."""
    at = 0
    while at < len(data):
        begin, kind, at = at, data[at], at + 1
        if kind & 0x80:
            kind, at = kind & 0x7F | (data[at] & 0x7F) << 7, at + 1
        size = shift = 0
        while shift < 28:
            size |= (data[at] & 0x7F) << shift
            shift, at = shift + 7 if data[at] & 0x80 else 28, at + 1
        yield kind, begin, at
        at += size


def _read_xlsb_sheet(data: bytearray) -> SheetRecords:
    """Return the facts about a sheet; change its whole numbers to hundredths, and resulting errors to constants."""
    found = SheetRecords()
    row = 0
    for kind, begin, at in _iterate_xlsb(data):
        if kind == _B_ROW:
            row = unpack_from("<I", data, at)[0]
            if data[at + 11] & 0x10:
                found.hidden_rows.add(row + 1)
        elif kind == _B_RK:
            (value,) = unpack_from("<i", data, at + 8)
            if value & 3 == 2 and 0 < value >> 2 <= _LAST_DAY:
                pack_into("<i", data, at + 8, (value >> 2) * 100 << 2 | 3)
        elif kind in (_B_ERROR, _B_ERROR_RESULT):
            found.add_error((row, *unpack_from("<I", data, at)), data[at + 8])
            data[begin] = _B_ERROR
        elif kind == _B_COLUMNS and data[at + 16] & 1:
            found.hide_columns(*unpack_from("<II", data, at))
        elif kind == _B_MERGED and len(found.merged) < _MOST_MERGED:
            top, bottom, left, right = unpack_from("<4I", data, at)
            found.merged.append(Area(top + 1, left, bottom + 1, right))
    return found
