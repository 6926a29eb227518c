"""What twenty questions to a document cost, on the wire of a service that caches prompts, against runs made apart."""

from pathlib import Path

import pytest
from contracts import questions, write_contracts
from fakes import FakeSandbox
from model_service import ModelService, service_settings

from ralph_cli.api import ask, make_table

MOST = 0.6
"""The share of the input, in tokens at full price, that a table may cost."""


@pytest.mark.full
@pytest.mark.parametrize("clauses", [60, 300], ids=["given-whole", "explored-by-code"])
def test_twenty_questions_cost_at_most_three_fifths_of_twenty_runs(tmp_path: Path, clauses: int) -> None:
    contract = write_contracts(tmp_path / "contracts", 1) / "c0000.txt"
    lines = (f"Clause {number} has it that the grain is kept dry in store {number}.\n" for number in range(clauses))
    contract.write_text(contract.read_text() + "\n".join(lines) * (clauses // 60))

    asked = questions(20)
    with ModelService() as of_table:
        table = make_table(
            asked,
            contract,
            folder=tmp_path / "table",
            settings=service_settings(of_table, tmp_path),
            engine=FakeSandbox,
        )
    calls, tokens = 0, 0.0
    for item in asked:
        # Apart: of what the run before it has sent, nothing is in the cache any more.
        with ModelService() as of_run:
            run = ask(contract, item.question, settings=service_settings(of_run, tmp_path), engine=FakeSandbox)
        assert run.ok
        calls, tokens = calls + len(of_run.calls), tokens + of_run.full_price_tokens
    assert all(cell.state == "answered" for cell in table) and len(of_table.calls) == calls
    ratio = of_table.full_price_tokens / tokens
    print(f"{contract.stat().st_size:,} characters: {of_table.full_price_tokens:,.0f} tokens at full price as a table, "
          f"{tokens:,.0f} as single runs: {ratio:.2f}")  # fmt: skip
    assert ratio <= MOST
