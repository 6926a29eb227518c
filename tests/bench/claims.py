"""What the check of figures catches of claims that are true, or false in one thing, beside a control rule; and a judge.

    python tests/bench/claims.py FOLDER [FOLDER ...] [--judge-model vendor:model]

A folder has true.json and false.json, lists of {"document", "question", "kind", "text", "quotes", "calculations"},
and the documents in documents/. The control objects to a claim with a number that is neither in its quotes, at its
precision and at any power of a thousand, nor the result of a calculation whose numbers are there. With a judge every
claim goes to it as well, ten at a time, whatever the check says. Keys and addresses come from the environment.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.judge.claims import Judge
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.config import load_settings
from ralph_cli.core import clock
from ralph_cli.core.document import Document
from ralph_cli.core.model import Model
from ralph_cli.core.run import Draft, DraftClaim, Verdict
from ralph_cli.documents.source import DocumentSource
from ralph_cli.providers.registry import connect
from ralph_cli.retrieval.quotes.index import QuoteIndex

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_SMALL, AT_ONCE = 24, 10
VALUES = ("figure", "unit", "scale", "currency", "percent", "date", "year", "calculation")
"""Beginnings of the kinds of faults that need no reading."""


def control_objects(claim: dict[str, object]) -> bool:
    """Whether a number of the claim is nowhere in its quotes and calculations."""
    quotes, calculations = claim["quotes"], claim.get("calculations") or []
    assert isinstance(quotes, list) and isinstance(calculations, list)
    quoted = [_value(found) for quote in quotes for found in _NUMBER.findall(quote)]
    results: list[float] = []
    for calculation in calculations:
        sides = [[*map(_value, _NUMBER.findall(side))] for side in str(calculation).split("=")]
        if all(_is_among(value, 0, [*quoted, *results, 1, 100]) for value in sides[0]):
            results += [value for side in sides[1:] for value in side]
    found = _NUMBER.findall(str(claim["text"]))
    return any(
        not _is_among(_value(number), len(number.partition(".")[2]), [*quoted, *results])
        for number in found
        if not ("." not in number and _value(number) <= _SMALL)
    )


def _value(number: str) -> float:
    return float(number.replace(",", ""))


def _is_among(value: float, decimals: int, known: list[float]) -> bool:
    """Whether a known number, at some power of a thousand, rounds to the value."""
    half = 0.5 * 10.0**-decimals + 1e-9
    return any(abs(one * 1000.0**power - value) <= half for one in known for power in (-3, -2, -1, 0, 1, 2, 3))


def check_objects(claim: dict[str, object], document: Document, index: QuoteIndex) -> bool | None:
    """Whether the check objects to the claim; None where a quote is not in the document."""
    attempt = resolve_quotes(Draft((attempt_draft(claim),)), document, index)
    if attempt.refused or not attempt.quotes:
        return None
    return bool(NumbersCheck(document, str(claim["question"]))(attempt).issues)


def attempt_draft(claim: dict[str, object]) -> DraftClaim:
    """The claim as a worker hands it in."""
    quotes, calculations = claim["quotes"], claim.get("calculations") or []
    assert isinstance(quotes, list) and isinstance(calculations, list)
    return DraftClaim(str(claim["text"]), tuple(quotes), tuple(calculations))


def judge_claims(model: Model, claims: list[dict[str, object]], document: Document, index: QuoteIndex) -> list[bool]:
    """Which of some claims on one document a judge finds supported."""
    drafts = tuple(attempt_draft(claim) for claim in claims)
    attempt, question = resolve_quotes(Draft(drafts), document, index), str(claims[0]["question"])
    judged = Judge(model, document, question, lambda: clock.token(8))(
        attempt, (NumbersCheck(document, question)(attempt),)
    )
    if judged.broken:
        sys.exit(f"the judge could not be asked: {judged.broken}")
    return [ruling.verdict is Verdict.SUPPORTED for ruling in judged.rulings]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--judge-model")
    wanted = parser.parse_args()
    judge = wanted.judge_model
    model = connect(judge, load_settings().endpoint(judge.split(":")[0])) if judge else None
    for folder in wanted.folders:
        seen: Counter[tuple[str, str, str]] = Counter()
        by_document = defaultdict(list)
        for name in ("true", "false"):
            for claim in json.loads((folder / f"{name}.json").read_text("utf-8")):
                is_value = str(claim["kind"]).startswith(VALUES)
                what = "true" if name == "true" else "wrong value" if is_value else "wrong otherwise"
                by_document[claim["document"]].append((what, claim))
        for path, listed in by_document.items():
            document = DocumentSource.of(str(folder / "documents" / path)).load()
            index = QuoteIndex(document)
            found = []
            for what, claim in listed:
                objects = check_objects(claim, document, index)
                if objects is None:
                    print(f"quote not found: {claim['text']}")
                    continue
                found.append((what, claim))
                seen[what, "check", "objects" if objects else "silent"] += 1
                seen[what, "control", "objects" if control_objects(claim) else "silent"] += 1
                if objects == (what == "true") and what != "wrong otherwise":
                    print(f"{what:12} {'objected to' if objects else 'silent'}: {claim['text']}")
            for at in range(0, len(found) if model else 0, AT_ONCE):
                some = found[at : at + AT_ONCE]
                assert model is not None
                for (what, _), good in zip(
                    some, judge_claims(model, [it for _, it in some], document, index), strict=True
                ):
                    seen[what, "judge", "supports" if good else "refuses"] += 1
        print(folder)
        for (what, by, how), count in sorted(seen.items()):
            print(f"  {what:15} {by:8} {how:10} {count:4}")


if __name__ == "__main__":
    main()
