"""Notebooks: sources and outputs as a notebook shows them, with the cell as place."""

import json
from typing import Any

import pytest
from tables import names_at

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.data.notebook import show_terminal
from ralph_cli.documents.source import DocumentSource


def read(notebook: Any) -> Document:
    return DocumentSource("a.ipynb").load_bytes(json.dumps(notebook).encode())


def notebook(*cells: dict[str, Any]) -> Document:
    return read({"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}})


def code(source: Any, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": source, "outputs": outputs, "metadata": {}, "execution_count": 1}


def shown(**forms: Any) -> dict[str, Any]:
    data = {name.replace("__", "/"): form for name, form in forms.items()}
    return {"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": 1}


def place(document: Document, words: str) -> str:
    at = document.text.index(words)
    return document.describe_span(Span(at, at + len(words)))


def test_cells_and_outputs_stand_in_order_with_their_places() -> None:
    stream = {"output_type": "stream", "name": "stdout", "text": ["Rent is 400.\n", "Due \x1b[31mMonday\x1b[0m.\n"]}
    document = notebook(
        {"cell_type": "markdown", "source": ["# Rents\n", "Café `a_b` and\n", "\n", "## Due\n"], "metadata": {}},
        code('print("x")\n', stream, shown(text__plain=["1577"])),
        {"cell_type": "raw", "source": "As is.", "metadata": {}},
    )
    assert document.kind == "ipynb" and document.cautions == ()
    assert document.text == (
        '# Rents\nCafé `a_b` and\n\n## Due\n\nprint("x")\n\nRent is 400.\nDue Monday.\n\n1577\n\nAs is.'
    )
    assert [(heading.text, heading.level) for heading in document.headings] == [("Rents", 1), ("Due", 2)]
    assert document.text[document.headings[1].start :].startswith("## Due")
    assert [place(document, words) for words in ("Café", "print", "Monday", "1577", "As is")] == [
        "cell 1",
        "cell 2",
        "cell 2, output",
        "cell 2, output",
        "cell 3",
    ]


def test_a_table_of_html_is_a_table_and_what_it_hides_is_told() -> None:
    page = "<style scoped>.k{display:none}</style><table><thead><tr><th></th><th>Fee</th></tr></thead>"
    page += "<tr><th>0</th><td>1,577</td></tr></table><p class=k>No fee.</p>"
    document = notebook(code("frame", shown(text__plain="   Fee\n0  9", text__html=[page])))
    assert document.text == "frame\n\nFee\n0  1,577"
    cell = document.tables[0].cells[-1]
    assert document.text[cell.start : cell.end] == "1,577"
    assert names_at(document, cell.start) == "Fee"
    assert [caution.message for caution in document.cautions] == [
        "cell 1, output: hidden text omitted: 6 characters (6 marked as hidden)"
    ]


def test_pictures_and_programs_are_counted() -> None:
    document = notebook(
        {"cell_type": "markdown", "source": "See.", "attachments": {"a.png": {"image/png": "iVBO"}}, "metadata": {}},
        code("plot()", shown(image__png="iVBO", text__plain="<Figure size 640x480>")),
        code("show()", {"output_type": "display_data", "data": {"application/vnd.plotly.v1+json": {}}}),
    )
    assert document.text == "See.\n\nplot()\n\nshow()"
    assert [caution.message for caution in document.cautions] == [
        "pictures that were not read: 2",
        "outputs that only a program can show, such as widgets and plots, which were not read: 1",
    ]


def test_an_error_is_shown_as_a_terminal_does() -> None:
    trace = ["\x1b[0;31mValueError\x1b[0m", "rent is \x1b]8;;http://x\x07unknown\x1b]8;;\x07"]
    error = {"output_type": "error", "ename": "ValueError", "evalue": "x", "traceback": trace}
    assert notebook(code("f()", error)).text == "f()\n\nValueError\nrent is unknown"
    assert show_terminal("10%\r50%\r100%\ndone\r\n") == "100%\ndone\n"
    assert show_terminal("long line\rshort") == "shortline"


def test_a_notebook_of_the_old_format_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Rents"]},
        {
            "cell_type": "code",
            "input": ["f()"],
            "outputs": [
                {"output_type": "pyout", "text": ["400"]},
                {"output_type": "display_data", "png": "iVBO"},
                {"output_type": "pyerr", "traceback": ["\x1b[31mKeyError\x1b[0m"]},
            ],
        },
    ]
    document = read({"nbformat": 3, "worksheets": [{"cells": cells}]})
    assert document.text == "## Rents\n\nf()\n\n400\n\nKeyError"
    assert [heading.text for heading in document.headings] == ["Rents"]
    assert place(document, "KeyError") == "cell 2, output"


@pytest.mark.parametrize(
    ("data", "code", "said"),
    [
        (b'{"cells": [{"cell_type": "code"', "damaged", "no valid JSON from line 1, column 32"),
        (b'{"items": []}', "damaged", "has no cells"),
        (b"[1, 2]", "damaged", "has no cells"),
        (b'{"cells":' + b"[" * 100_000, "too-big", "too deeply nested"),
        (b'{"cells": [{"cell_type": "code", "source": "", "outputs": []}]}', "no-text", "has no text"),
    ],
)
def test_what_is_no_notebook_is_refused_in_words(data: bytes, code: str, said: str) -> None:
    with pytest.raises(DocumentError) as caught:
        DocumentSource("a.ipynb").load_bytes(data)
    assert caught.value.code == code and said in caught.value.message


def test_cells_with_something_else_in_them_and_names_given_twice_are_told() -> None:
    cells = '[{"cell_type": "markdown", "source": "Rent", "source": "Rent is 400."}, 7, {"source": {"a": 1}},'
    cells += '{"cell_type": "code", "source": "\\ud800 \\u0000", "outputs": [{"output_type": "odd"}, 5]}]'
    document = DocumentSource("a.ipynb").load_bytes(f'{{"cells": {cells}}}'.encode())
    assert document.text == "Rent is 400.\n\n\ufffd \ufffd"
    assert [caution.message for caution in document.cautions] == [
        "cells with something else than a notebook's text in them: 2, 3, 4",
        "names that stand twice in one object, of which the last counts: source",
    ]
