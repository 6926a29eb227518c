"""Workbooks in Excel's binary formats: values as they are stored, what is hidden, and what cannot be read."""

import io
import random
import struct
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from importlib import metadata
from pathlib import Path

import pytest
from binary_workbooks import ERRORS, Sheets, Value, xls, xlsb
from document_fixtures import load_document
from office_files import cautions, headers, load, origins, pack, parse
from outlook_files import compound_file

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.limits import LoadLimits

WRITERS: dict[str, Callable[..., bytes]] = {"xls": xls, "xlsb": xlsb}
KINDS = pytest.mark.parametrize("kind", WRITERS)

RENTS: dict[str, Value] = {
    "A1": "Year", "B1": "Rent", "A2": 2019, "B2": 48000, "A3": 2020, "B3": 51500.25, "A4": "Share", "B4": 0.125,
}  # fmt: skip


def failure(path: Path) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        load_document(path)
    return caught.value


def place(document: Document, quote: str) -> str:
    at = document.text.index(quote)
    return document.describe_span(Span(at, at + len(quote)))


def unpack(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@KINDS
def test_each_sheet_is_a_page_of_cells_with_names_under_their_headers(kind: str) -> None:
    document = load(kind, WRITERS[kind]({"Rents": RENTS, "Next": {"C7": "more\nwords"}}))
    assert document.text == "Year  Rent\n2019  48000\n2020  51500.25\nShare  0.125\fmore words"
    assert [page.label for page in document.pages] == ["Rents", "Next"]
    assert place(document, "51500.25") == "Rents!B3" and place(document, "more words") == "Next!C7"
    assert headers(document, "51500.25") == "Rent"
    merged = {"B1": "Half", "A2": "Item", "B2": "Plan", "C2": "Actual", "A3": "Rent", "B3": 12, "C3": 13}
    assert headers(load(kind, WRITERS[kind]({"P": merged}, merged=[(0, 1, 0, 2)])), "13") == "Half Actual"


@KINDS
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (date(2024, 3, 14), "2024-03-14"),
        (date(1900, 1, 15), "1900-01-15"),
        (datetime(2024, 3, 14, 12, 29, 59, 999999), "2024-03-14 12:30:00"),
        (time(7, 30), "07:30:00"),
        (timedelta(hours=48), "48:00:00"),
        (timedelta(hours=30.5), "30:30:00"),
        (True, "TRUE"),
        (False, "FALSE"),
        (-0.5, "-0.5"),
        (0, "0"),
        (2_958_465, "2958465"),
        (45_000_000, "45000000"),
        (1e21, "1E+21"),
        ("1,5", "1,5"),
        *((error, error) for error in ERRORS),
    ],
)
def test_a_value_is_shown_as_it_is_stored(kind: str, value: Value, shown: str) -> None:
    sheets = {"P": {"B2": "x", "C3": value}}
    assert load(kind, WRITERS[kind](sheets)).text == f"x\n{shown}"
    if value in ERRORS:
        assert load(kind, WRITERS[kind](sheets, formulas=("C3",))).text == f"x\n{shown}"
    code, *others = cautions(load(kind, WRITERS[kind](sheets)))
    assert (code, others) == ("stored-values", [])


@KINDS
def test_digits_that_the_general_format_rounds_stand_behind(kind: str) -> None:
    document = load(kind, WRITERS[kind]({"P": {"A1": 123456789012345}}))
    assert document.text.startswith("1.23457E+14\n") and place(document, "123456789012345") == "P!A1"
    assert list(origins(document).values()) == ["stored value"]


@KINDS
def test_hidden_sheets_rows_and_columns_are_marked(kind: str) -> None:
    sheets = {"P": {"A1": "seen", "B1": "aside", "A3": "below"}, "Q": {"A1": "closed"}}
    document = load(kind, WRITERS[kind](sheets, hidden_sheets=("Q",), hidden=("3", "B")))
    assert origins(document) == {
        "[hidden] aside": "hidden column",
        "below": "hidden row",
        "closed": "hidden sheet",
    }
    assert "the sheet Q" in cautions(document)["hidden-parts"]


@KINDS
def test_a_file_is_known_by_its_content_or_by_its_name(kind: str, tmp_path: Path) -> None:
    for name in ("a", "a.xlsx", f"a.{kind}"):
        (tmp_path / name).write_bytes(WRITERS[kind]({"P": RENTS}))
        assert load_document(tmp_path / name).kind == kind
    (tmp_path / "a.pdf").write_bytes(WRITERS[kind]({"P": RENTS}))
    assert failure(tmp_path / "a.pdf").code == "not-what-it-says"


def test_old_documents_that_hold_each_other_are_told_apart_by_their_names(tmp_path: Path) -> None:
    mixed = compound_file({"WordDocument": b"x" * 5000, "Workbook": b""})
    (tmp_path / "a.doc").write_bytes(mixed)
    assert "an old Word document" in failure(tmp_path / "a.doc").message
    (tmp_path / "a.xls").write_bytes(xls({"P": {"A1": "own"}}).replace(b"own", b"own") + mixed[512:])
    assert load_document(tmp_path / "a.xls").text == "own"
    (tmp_path / "b.xls").write_bytes(xls({"P": {"A1": "own"}}, stream="BOOK"))
    assert load_document(tmp_path / "b.xls").text == "own"


FILE_PASS = struct.pack("<HHHH", 0x2F, 2, 1, 0)
REFUSED: dict[str, tuple[str, bytes, str, str]] = {
    "encrypted": ("xls", xls({"P": RENTS}, before=FILE_PASS), "encrypted", "is protected by a password"),
    "no workbook": ("xls", compound_file({"Other": b"x" * 5000, "xBook": b""}), "damaged", "cannot be read"),
    "cut": ("xls", xls({"P": RENTS}, before=struct.pack("<HHB", 0x85, 1, 1)), "damaged", "cannot be read"),
    "empty": ("xls", xls({"P": {}}), "no-text", "has no text"),
    "panic": ("xlsb", xlsb({"P": RENTS}, targets={"r1": "elsewhere/sheet1.bin"}), "damaged", "is missing"),
    "no sheet": ("xlsb", xlsb({"P": RENTS}, targets={"r1": "../x/worksheets/sheet1.bin"}), "damaged", "is missing"),
    "no archive": ("xlsb", xlsb({"P": RENTS})[:-30], "damaged", "is damaged"),
    "no cells": ("xlsb", xlsb({"P": {}}), "no-text", "has no text"),
    "before 1995": ("xls", b"\x09\x00\x04\x00\x02\x00\x10\x00", "unsupported", "an Excel workbook of before 1995"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_told_in_a_line(case: str, tmp_path: Path) -> None:
    kind, data, code, said = REFUSED[case]
    (tmp_path / f"a.{kind}").write_bytes(data)
    error = failure(tmp_path / f"a.{kind}")
    assert error.code == code and said in error.message and error.hint
    assert "\n" not in str(error) and "Error" not in error.message


@pytest.mark.own_process
@pytest.mark.parametrize("shown", [True, False])
def test_a_panic_of_the_library_costs_a_sheet_or_is_told_in_a_line(shown: bool, tmp_path: Path) -> None:
    """A cell that refers to a shared string that is not there makes the library panic, which is no Exception."""
    sheets = {"P": {"A1": "seen"}, "Q": {"A1": "bad!"}} if shown else {"Q": {"A1": "bad!"}}
    parts = unpack(xlsb(sheets))
    own = struct.pack("<BBIII", 6, 20, 0, 0, 4)
    path = tmp_path / "a.xlsb"
    path.write_bytes(pack({name: part.replace(own + b"b", b"\7" + own[1:] + b"b") for name, part in parts.items()}))
    if shown:
        document = load_document(path)
        assert document.text == "seen\f" and document.unreadable_pages == (2,)
        assert "the sheet Q could not be read to its end" in cautions(document)["damaged"]
    else:
        error = failure(path)
        assert error.code == "damaged" and error.message.endswith("damaged: the sheet Q could not be read to its end")


def damage(data: bytes, chance: random.Random) -> bytes:
    """A copy with a few flipped bits, or cut off, or with bytes that are not there."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 3, 30))):
        out[chance.randrange(len(out))] ^= 1 << chance.randrange(8)
    start = chance.randrange(len(out))
    return bytes(chance.choice((out, out, out[:start], out[:start] + out[start + 7 :])))


def check_damage(kind: str, path: Path, rounds: int) -> None:
    """In a process of its own, for the library may end it."""
    sheets: Sheets = {"One": {"A1": "first", "B1": 0.25, "A2": "second", "B3": "#REF!"}, "Two": {"C1": "third"}}
    whole = WRITERS[kind](sheets, hidden=("2",), merged=[(2, 0, 2, 1)])
    chance, reached = random.Random(kind), Counter[str]()
    for _ in range(rounds):
        if kind == "xlsb":  # what unpacks it sees that bytes of the archive are not those that were packed
            parts = unpack(whole)
            part = chance.choice(sorted(parts))
            path.write_bytes(pack({**parts, part: damage(parts[part], chance)}))
        else:
            path.write_bytes(damage(whole, chance))
        try:
            reached["read"] += bool(load_document(path).pages)
        except DocumentError as error:
            reached["refused"] += 1
            assert error.code not in ("crashed", "timeout") and error.message.startswith(str(path)), error.message
    assert min(reached["read"], reached["refused"]) > rounds // 10, reached


@pytest.mark.own_process
@KINDS
def test_no_damage_ends_in_anything_but_words(kind: str, tmp_path: Path) -> None:
    check_damage(kind, tmp_path / f"a.{kind}", 16)


@pytest.mark.full
@pytest.mark.own_process
@KINDS
def test_no_damage_of_many_ends_in_anything_but_words(kind: str, tmp_path: Path) -> None:
    check_damage(kind, tmp_path / f"a.{kind}", 150)


def test_what_an_archive_unpacks_to_and_what_a_sheet_says_are_bounded() -> None:
    many = xlsb({"P": {f"A{row}": "word " * 200 for row in range(1, 200)}})
    with pytest.raises(DocumentError) as caught:
        parse("xlsb", many, LoadLimits(characters=20_000))
    assert caught.value.code == "too-big"
    with pytest.raises(DocumentError) as caught:
        parse("xls", xls({"P": {f"A{row}": "word " * 200 for row in range(1, 200)}}), LoadLimits(characters=20_000))
    assert caught.value.code == "too-big"


@KINDS
def test_without_the_library_a_line_says_how_to_install_it(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", find)
    (tmp_path / "a").write_bytes(WRITERS[kind]({"P": RENTS}))
    error = failure(tmp_path / "a")
    said = f"python-calamine, which reads files of the kind {kind}, is not installed"
    assert (error.code, error.message, error.hint) == ("unsupported", said, "pip install 'ralph-cli[office]'")
