"""Quotes looked up without a model."""

from pathlib import Path

import pytest
from test_ask import MEMO

from ralph_cli.config import Settings
from ralph_cli.core.errors import DocumentError
from ralph_cli.runs.lookup import check_quotes


def test_each_quote_is_found_or_refused_with_the_closest_text(tmp_path: Path) -> None:
    settings = Settings(cache=tmp_path)
    good, folded, wrong = check_quotes(
        MEMO,
        [
            "a base rent of $48,000 a year",
            "six months\u2019 notice after the fifth year",
            "a base rent of $46,000 a year",
        ],
        settings=settings,
    )
    assert good.quote is not None and good.quote.page == 1 and good.issue is None
    assert folded.quote is not None and folded.quote.page == 2 and folded.quote.match == "folded"
    assert wrong.quote is None and wrong.issue is not None and "$48,000" in wrong.issue.material


def test_a_document_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DocumentError):
        check_quotes(tmp_path / "none.pdf", ["x"], settings=Settings(cache=tmp_path))
