"""A table as a DataFrame: values of accepted answers, and all cells; one clear line without pandas."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from sample_table import sample_table

from ralph_cli.core.errors import ConfigError
from ralph_cli.core.results.table import CellState


class Frame:
    """What pandas is given."""

    def __init__(self, rows: list[dict[str, Any]], index: Any = None, columns: Any = None) -> None:
        self.rows, self.index, self.columns = rows, index, columns


@pytest.fixture
def pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=Frame))


@pytest.mark.usefixtures("pandas")
def test_a_document_is_a_row_of_accepted_values(capsys: pytest.CaptureFixture[str]) -> None:
    table = sample_table(rows=3)
    frame = table.to_pandas()
    assert frame.index == [row.name for row in table.rows] and frame.columns == [item.id for item in table.questions]
    first = frame.rows[0]
    assert (first["days"], first["fee"], first["end"], first["renewal"]) == (1045, 5_100_000, "2027-05-31", True)
    assert first["share"] is None  # an answer of which code could make no value
    for cell in table:
        if not cell.state.is_accepted or cell.state is CellState.ABSENT:
            assert frame.rows[frame.index.index(cell.row)][cell.question] is None, cell


@pytest.mark.usefixtures("pandas")
def test_a_cell_is_a_row_with_its_state_and_proof() -> None:
    table = sample_table()
    frame = table.to_pandas(cells=True)
    assert len(frame.rows) == len(table) and all(list(row) == frame.columns for row in frame.rows)
    for cell, row in zip(table, frame.rows, strict=True):
        assert (row["document"], row["question"], row["state"]) == (cell.row, cell.question, cell.state.value)
        assert row["quotes"] == [quote.text for quote in cell.quotes] and row["accepted"] is cell.state.is_accepted
        assert row["accepted"] or row["value"] is None


def test_without_pandas_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigError, match="to_pandas needs pandas, which is not installed") as refusal:
        sample_table().to_pandas()
    assert refusal.value.hint == "pip install pandas"
