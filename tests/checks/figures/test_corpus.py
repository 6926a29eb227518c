"""The corpus of figures: every claim, and every output of a task, stands or is refused as `corpus.toml` says.

A claim of a group is checked in the group's document, or else in one of the tables that it quotes and the other words
that it quotes; `more` is added to the document. An output is compared with its quotes alone, as Markdown unless `kind`
says otherwise; words `beside` are quoted, too. `holds` is the verdict: nothing is said of a claim that holds, or one
that is `open` is left to the judge as a doubt. Of one that does not hold there may be said what the refusal `names`,
and how many `issues` there are. `why` is for the reader.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from fakes import document

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.output.grounding import GroundingSources
from ralph_cli.checks.output.shape import pieces
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.retrieval.quotes.index import QuoteIndex

CORPUS = tomllib.loads(Path(__file__).with_name("corpus.toml").read_text("utf-8"))
DOCUMENTS: dict[str, str] = CORPUS["documents"]
CASES = [
    pytest.param({"document": group.get("document"), "question": group.get("question", "What does it say?"), **case},
                 id=f"{group['name']}-{number}")
    for group in CORPUS["groups"]
    for number, case in enumerate(group["cases"], 1)
]  # fmt: skip


def text_of(case: dict[str, Any]) -> str:
    """The document that a claim is made on; form feeds part its pages."""
    if case["document"]:
        return f"{DOCUMENTS[case['document']]}\n{case.get('more', '')}"
    tables = DOCUMENTS["income"], DOCUMENTS["segments"]
    return "\f".join((*tables, "\n\n".join(quote for quote in case["quotes"] if quote not in "".join(tables))))


def answers_to_claim(case: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What is said of a claim: the issues, and the doubts."""
    about = document(text_of(case), kind="pdf")
    draft = Draft((DraftClaim(case["claim"], tuple(case["quotes"]), tuple(case.get("calculations", ()))),))
    attempt = resolve_quotes(draft, about, QuoteIndex(about))
    assert not attempt.refused, attempt.refused
    found = NumbersCheck(about, case["question"])(attempt)
    return [issue.line for issue in found.issues], [doubt.message for doubt in found.doubts]


def issues_of_output(case: dict[str, Any]) -> list[str]:
    ground = GroundingSources(case["quotes"], contexts=(case["beside"],) if "beside" in case else ())
    return [miss.message for miss in ground.find_unsupported(pieces(case["output"], case.get("kind", "md")))]


@pytest.mark.parametrize("case", CASES)
def test_figures_stand_or_are_refused_as_the_corpus_says(case: dict[str, Any]) -> None:
    issues, doubts = answers_to_claim(case) if "claim" in case else (issues_of_output(case), [])
    assert ([*issues, *doubts] == []) is (case["holds"] and not case.get("open")), (issues, doubts)
    assert not (case.get("open") and issues), issues
    assert len(issues) == case.get("issues", len(issues)), issues
    issues += doubts
    assert all(any(name in issue for issue in issues) for name in case.get("names", ())), issues


def test_no_case_is_told_twice_and_every_field_is_known() -> None:
    known = {"claim", "output", "quotes", "calculations", "holds", "question", "names", "issues", "more", "kind",
             "beside", "why", "open"}  # fmt: skip
    verdict = {"holds", "names", "issues", "why", "open"}
    told = []
    for group in CORPUS["groups"]:
        for case in group["cases"]:
            assert set(case) <= known and ("claim" in case) != ("output" in case) and case["quotes"], case
            asked = {key: value for key, value in case.items() if key not in verdict}
            told.append(repr((group.get("document"), sorted(asked.items()))))
    assert len(told) == len(set(told))
