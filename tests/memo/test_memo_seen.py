"""Words that a reader of the pages cannot see are no source of a memo, either."""

from dataclasses import replace
from pathlib import Path

import pytest
from fakes import document
from hidden_pdfs import FIRST, SAID, Made

from ralph_cli.config import Settings
from ralph_cli.core.structure import Span
from ralph_cli.memo.checking.check import check_quotations, check_visibility
from ralph_cli.memo.reading.read import read_memo
from ralph_cli.runs.lookup import check_memo

WHITE = Made(f"BT 1 g /F1 12 Tf 72 600 Td ({SAID}) Tj ET\n")


@pytest.fixture
def filing(tmp_path: Path) -> Path:
    path = tmp_path / "filing.pdf"
    path.write_bytes(WHITE.pdf)
    (tmp_path / "memo.md").write_text(f'It says "{FIRST}" (p. 1) and "{SAID}" (p. 1).', encoding="utf-8")
    return path


def test_words_that_are_white_on_white_do_not_hold(filing: Path, settings: Settings) -> None:
    done = check_memo(filing.parent / "memo.md", [filing], settings=settings)
    seen, hidden = done.findings
    assert seen.holds and seen.quote is not None and seen.quote.hidden == ""
    assert hidden.outcome == "hidden" and not done.ok and hidden.quote is not None and hidden.quote.hidden
    assert "hidden from readers there" in hidden.notes[-1]


def test_hidden_words_may_be_allowed_and_are_marked(filing: Path, settings: Settings) -> None:
    allowed = settings.model_copy(update={"allow_hidden_text": True})
    done = check_memo(filing.parent / "memo.md", [filing], settings=allowed)
    assert done.ok and done.findings[1].quote is not None and done.findings[1].quote.hidden


def test_words_that_can_be_seen_elsewhere_hold_and_are_told() -> None:
    text = "The hall is cold in winter and warm in summer."
    about = document(f"{text}\f{text}", kind="pdf")
    done = check_quotations(read_memo(document(f'He wrote: "{text}"', kind="markdown")), "m.md", [about])
    first = Span(0, len(text))

    def unseen(spans):
        return {span: "white" if span == first else "" for span in spans}

    (finding,) = check_visibility(done, [unseen]).findings
    assert finding.holds and "it is visible elsewhere" in finding.notes[-1]
    (finding,) = check_visibility(done, [lambda spans: dict.fromkeys(spans, "white")]).findings
    assert finding.outcome == "hidden" and replace(finding, outcome="exact").holds


def test_a_term_that_nobody_can_see_does_not_hold() -> None:
    about = document("The Base Rate applies.", kind="pdf")
    done = check_quotations(read_memo(document('It applies the "Base Rate".', kind="markdown")), "m.md", [about])
    (term,) = check_visibility(done, [lambda spans: dict.fromkeys(spans, "white")]).terms
    assert term.outcome == "hidden" and not term.holds
