"""Tables in plain text and JSON: the text as it is, with rows and pointers as places."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import column_names

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span
from ralph_cli.documents.data import csv_reader, json_reader
from ralph_cli.documents.data.csv_reader import find_delimiter, parse_csv, read_records
from ralph_cli.documents.data.json_reader import JsonScan, parse_json
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.context import describe_sparse_rows


def read(name: str, text: str) -> Document:
    return DocumentSource(name).load_bytes(text.encode())


def place(document: Document, words: str) -> str:
    at = document.text.index(words)
    return document.describe_span(Span(at, at + len(words)))


def under(document: Document, words: str) -> str:
    """The header that words stand under."""
    (table,) = document.tables
    cell = next(cell for cell in table.cells if document.text[cell.start : cell.end] == words)
    return " ".join(document.column_path(table, cell.column))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_the_text_of_a_table_stays_and_rows_and_columns_are_known(delimiter: str, suffix: str) -> None:
    rows = ('Item,2023,2024,"Note, ""short"""', '"Rent, all",400,"1,577",a', '"two\nlines",,12,b', "", "Tax,7,8,")
    text = "\r\n".join(rows).replace(",", delimiter)
    document = read(f"a.{suffix}", text)
    assert document.kind == "csv" and document.text == text.replace("\r\n", "\n") and document.cautions == ()
    figure = f"1{delimiter}577"
    assert (place(document, figure), under(document, figure)) == ("row 2", "2024")
    assert (place(document, "12"), under(document, "12")) == ("row 3", "2024")
    assert (place(document, "8"), under(document, "8")) == ("row 5", "2024")
    assert place(document, document.text) == "row 1 to row 5"
    assert column_names(document)[3].startswith("Note")
    assert describe_sparse_rows(document) == {}, "a delimiter shows an empty cell"


@pytest.mark.parametrize(
    ("text", "delimiter", "header"),
    [
        ("Item;2023;2024\nRent;1,5;2,5\nTax;2,5;3,5\n", ";", "2024"),  # decimal commas
        ("sep=|\na,b|c\nx,1|2\n", "|", "c"),
        ("Costs of the year\n\nItem,2023\nRent,5\nTax,4\n", ",", "2023"),
        ("x,1,2\ny,3,4\nz,5,6\n", ",", None),  # no row names the columns
        ("a,a\n1,2\n3,4\n", ",", None),
        ("Only one column\n1\n2\n", "", None),
        ("It was, as he said, late.\nNobody came.\nWe left.\n", "", None),
    ],
)
def test_what_parts_the_cells_and_what_heads_them(text: str, delimiter: str, header: str | None) -> None:
    assert find_delimiter(text, ".csv") == delimiter
    document = read("a.csv", text)
    names = [column_names(document, number)[-1] for number in range(len(document.tables))]
    assert names == ([header] if header else [])
    assert document.text == text and bool(document.places) == bool(delimiter)
    if not delimiter:
        assert place(document, text.split("\n")[1]) == "line 2"


@given(
    st.lists(
        st.lists(st.text('ab",;\n 1', max_size=6).map(lambda cell: cell.strip(" ")), min_size=2, max_size=4),
        min_size=1,
        max_size=6,
    )
)
def test_cells_are_those_that_pythons_writer_has_written(rows: list[list[str]]) -> None:
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in rows]
    text = "\n".join(",".join(row) for row in quoted)
    found = [[text[start:end].replace('""', '"') for start, end in record.cells] for record in read_records(text, ",")]
    assert found == rows


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", 'item,2023\nrent,5\n"fees, all",4\ntax,3', ""),
        ("a.csv", 'item,2023\nrent,5\n"fees, all\n', "in line 3 do not match"),
        ("a.csv", 'item,2023\nrent,5\n"fees" all,4\ntax,3', "in line 3 do not match"),
        ("a.CSV", "item;2023;2022\nrent;5;4\nfees;4;3\ntax;3;2\nloans;9", "line 5 has 2 cells where others have 3"),
        ("a.csv", "item,2023,2022\nrent,5,4\nfees,4,3\ntax,3,2\nloa", "line 5 has 1 cell where others have 3"),
        ("a.csv", "Costs\n\nitem,2023\nrent,5\nfees,4\ntax,3\nin euros\n", ""),
        ("a.csv", "item,2023\nrent,5\nfees,4,9\ntax,3\ndebt,3,1\n", ""),
        ("a.tsv", "item\t2023\nrent\t5\nfees\t4\ntax\t3\tx\n", "line 4 has 3 cells where others have 2"),
        ("a.json", '{"rent": 100}\n', ""),
        ("a.JSON", '{"rent": 100,\n "due": "ea', "no valid JSON from line 2, column 9"),
        ("a.json", '{"rent": 100} {"rent": 2}', "no valid JSON from line 1, column 15"),
        ("a.json", "{'rent': 100}", "no valid JSON from line 1, column 2"),
        ("a.jsonl", '{"a": 1}\n{"a": \n{"a": 3}\n[1\n', "no valid JSON in line 2 and 1 more"),
        ("a.json", "[NaN,\n1" + "0" * 5_000 + ",\n-0.5e-7]", ""),
        ("a.json", '{"rent": 1, "\\u0072ent": 2}', "twice in one object, of which programs read only one: /rent"),
        ("a.txt", 'item,2023\nrent,5\n"fees, all\n', ""),
        ("a.txt", '{"rent": 100,', ""),
    ],
)
def test_what_is_not_what_its_name_says_is_kept_and_told(name: str, text: str, told: str) -> None:
    document = read(name, text)
    assert document.text.replace("r", "") == text.replace("\\u0072", "r").replace("r", "")
    assert [told in caution.message for caution in document.cautions] == [True] * bool(told), document.cautions


def test_a_table_of_very_many_cells_says_from_where_on_it_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reader, "_MOST_CELLS", 20)
    monkeypatch.setattr(csv_reader, "MOST_PLACES", 30)
    text = "Item,2023,2024\n" + "".join(f"x,{n},{n}\n" for n in range(40))
    parsed = parse_csv(text.encode(), name="a.csv", encoding=None, limits=DEFAULT_LIMITS)
    assert len(parsed.tables[0].cells) <= 20
    assert [caution.message for caution in parsed.cautions] == [
        "of the rows from 7 on it is not kept under which headers their cells stand"
    ]


def test_each_value_of_json_has_its_pointer() -> None:
    document = read("a.json", json.dumps({"items": [{"name": "Ada", "a/b~": [1, {}, "x"]}, []], "": None}, indent=1))
    names = [found.name for found in document.places]
    assert names == [
        "/items",
        "/items/0",
        "/items/0/name",
        "/items/0/a~1b~0",
        "/items/0/a~1b~0/0",
        "/items/0/a~1b~0/1",
        "/items/0/a~1b~0/2",
        "/items/1",
        "/",
    ]
    assert place(document, '"Ada"') == place(document, '"name": "Ada"') == "/items/0/name"


def test_strings_read_as_they_are_meant_and_stay_json() -> None:
    value = {"note": 'Café \u20ac "net" a\\b\nnext\tcell / 10\u00a0000 \U0001d11e \x07', "lone": "\ud800"}
    document = read("a.json", json.dumps(value).replace("/", "\\/"))
    assert 'Café € \\"net\\" a\\\\b\nnext\tcell / 10\u00a0000 \U0001d11e \\u0007' in document.text
    assert json.loads(document.text, strict=False) == value


def test_one_endless_line_gets_a_line_for_each_value() -> None:
    value = [{"name": f"n, {n}", "fee": n} for n in range(200)]
    text = json.dumps(value, separators=(",", ":"))
    document = read("a.json", text)
    assert document.text.replace(",\n", ",") == text and json.loads(document.text) == value
    assert max(map(len, document.text.split("\n"))) < 40
    assert place(document, '"fee":150') == "/150/fee"


def test_a_value_a_line() -> None:
    for name in ("a.jsonl", "a.json"):
        document = read(name, '{"fee": 1}\n\n{"fee": [2, 3]}\n')
        assert [found.name for found in document.places] == [
            "line 1",
            "line 1, /fee",
            "line 3",
            "line 3, /fee",
            "line 3, /fee/0",
            "line 3, /fee/1",
        ]


def test_json_without_end_in_depth_or_number_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = read("a.json", '{"a":' * 5_000 + "1")
    assert "from line 1, column 25,002" in deep.cautions[0].message
    assert all(len(found.name) <= 120 for found in deep.places) and "\u2026" in deep.places[-2].name
    monkeypatch.setattr(json_reader, "MOST_PLACES", 100)
    many = json.dumps([{"name": n, "fee": [n, n]} for n in range(90)])
    parsed = parse_json(many.encode(), name="a.json", encoding=None, limits=DEFAULT_LIMITS)
    assert [found.name for found in parsed.places] == [f"/{n}" for n in range(90)]
    assert "places are those of whole records" in parsed.cautions[0].message


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(_JSON, st.sampled_from([None, 1]), st.data())
def test_a_pointer_points_to_the_value_behind_it_and_damage_is_found(
    value: object, indent: int | None, data: st.DataObject
) -> None:
    text = json.dumps(value, indent=indent)
    scan = JsonScan(text)
    for start, pointer in scan.members():
        found = value
        for step in pointer.split("/")[1:]:
            assert isinstance(found, list | dict)
            found = found[int(step)] if isinstance(found, list) else found[step.replace("~1", "/").replace("~0", "~")]
        decoder = json.JSONDecoder()
        if text[start] == '"' and (colon := decoder.raw_decode(text, start)[1]) < len(text) and text[colon] == ":":
            start = colon + 1 + (text[colon + 1] == " ")
        assert decoder.raw_decode(text, start)[0] == found
    assert scan.damage is None
    cut = data.draw(st.integers(0, len(text)))
    broken = text[:cut] + data.draw(st.sampled_from('\x00]}{,:x"1')) + text[cut + 1 :]
    scan = JsonScan(broken)
    list(scan.members())
    try:
        json.loads(broken, strict=False)
    except ValueError:
        assert scan.damage is not None
    else:
        assert scan.damage is None
