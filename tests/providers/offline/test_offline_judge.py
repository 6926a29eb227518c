"""The offline judge compares; it never says that a quote supports a claim."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.core.model import Reply, Request, StopReason
from ralph_cli.providers.offline.model import OfflineModel, judge_claims


def verdict(text: str, *given_quotes: str) -> dict[str, Any]:
    claim = {"id": 7, "text": text, "quotes": [{"text": quote, "match": "exact"} for quote in given_quotes]}
    reply: Reply = OfflineModel().complete(Request("judge", "", (), inputs={"claims": [claim]}))
    assert reply.stop is StopReason.END
    found: dict[str, Any] = json.loads(reply.text)["verdicts"][0]
    assert found["id"] == 7 and found["reason"] and found["verdict"] in {"verbatim", "not"}
    return found


@pytest.mark.parametrize(
    ("text", "given_quotes", "expected", "reason"),
    [
        ("Total revenue 5,328 4,581", ("Total revenue  5,328  4,581",), "verbatim", ""),
        ("The crew\u2019s pay \u2013 all of it", ("The crew's\npay - all of it",), "verbatim", ""),
        ("one two", ("three four", "one  two"), "verbatim", ""),
        ("Total revenue 5,329 4,581", ("Total revenue  5,328  4,581",), "not", "5,329"),
        ("Loss of -5 points", ("Loss of 5 points",), "not", "-5"),
        ("Growth of 12%", ("Growth of 12",), "not", "12%"),
        ("Revenue rose", ("Total revenue rose",), "not", "word for word"),
        ("Total revenue rose", ("Total revenue fell",), "not", "word for word"),
        ("Total revenue rose", (), "not", "no quote"),
        ("Total revenue rose", ("",), "not", "no quote"),
        ("", ("Total revenue rose",), "not", "empty"),
    ],
)
def test_the_verdict_table(text: str, given_quotes: tuple[str, ...], expected: str, reason: str) -> None:
    found = verdict(text, *given_quotes)
    assert found["verdict"] == expected and reason in found["reason"]


@given(st.lists(st.tuples(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=3)), max_size=4))
def test_the_judge_never_says_supported(claims: list[tuple[str, list[str]]]) -> None:
    inputs = {
        "claims": [
            {"id": number, "text": text, "quotes": [{"text": quote, "match": "exact"} for quote in own]}
            for number, (text, own) in enumerate(claims)
        ]
    }
    verdicts = judge_claims(inputs)["verdicts"]
    assert [item["id"] for item in verdicts] == list(range(len(claims)))
    assert {item["verdict"] for item in verdicts} <= {"verbatim", "not"}
