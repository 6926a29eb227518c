"""The judge of a memo: which sentences it is asked about, and what its silence means."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from fakes import document

from ralph_cli import Settings, check_memo
from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.core.model import Reply
from ralph_cli.core.results.memo import MemoCheck
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.reports.memo.json import memo_object
from ralph_cli.reports.memo.terminal import memo_text

LEASE = document("The lease ends on 31 March 2031. Rent is due monthly in advance.", path="lease.txt")
MEMO = (
    'The tenant must leave because "the lease ends on 31 March 2031" soon. '
    'Payment is late, for "Rent is due monthly in advance".\n\n"The lease ends on 31 March 2031"\n\n'
    'And the tenant says that "the lease ends on 31 April 2031" as well.'
)


def verdicts(*said: str) -> Reply:
    return text_reply(
        json.dumps({"verdicts": [{"id": n, "verdict": v, "reason": "so"} for n, v in enumerate(said, 1)]})
    )


def judged(
    script: Sequence[Reply | ProviderError], tmp_path: Path, memo: str = MEMO
) -> tuple[MemoCheck, ScriptedModel]:
    model = ScriptedModel(script)
    given = document(memo, kind="markdown", path="memo.md")
    return check_memo(given, [LEASE], judge=True, settings=Settings(cache=tmp_path), models={"judge": model}), model


def test_each_sentence_whose_quotations_hold_is_judged(tmp_path: Path) -> None:
    done, model = judged([verdicts("supported", "not")], tmp_path)
    assert done.support is not None and [item.holds for item in done.support] == [True, False]
    assert [item.sentence.split(" ", 1)[0] for item in done.support] == ["The", "Payment"]
    assert len(model.requests) == 1
    asked = model.requests[0].inputs["claims"]
    assert [one["quotes"][0]["text"] for one in asked] == [
        "The lease ends on 31 March 2031",
        "Rent is due monthly in advance",
    ]
    assert not done.ok


def test_all_supported_is_ok_and_one_that_is_not_is_not(tmp_path: Path) -> None:
    memo = 'The tenant must leave because "The lease ends on 31 March 2031" soon.'
    assert judged([verdicts("supported")], tmp_path, memo)[0].ok
    for verdict in ("partly", "not", "contradicted"):
        assert not judged([verdicts(verdict)], tmp_path, memo)[0].ok


def test_a_sentence_that_is_half_proved_is_asked_about_again_and_the_report_says_who_disagrees(tmp_path: Path) -> None:
    memo = 'The tenant must leave because "The lease ends on 31 March 2031" soon.'
    done, model = judged([verdicts("partly"), verdicts("supported"), verdicts("supported")], tmp_path, memo)
    assert done.ok and len(model.requests) == 3
    lost, _ = judged([verdicts("partly"), verdicts("supported"), verdicts("not")], tmp_path, memo)
    assert not lost.ok and "the judges do not agree" in memo_text(lost)
    assert [vote["verdict"] for vote in memo_object(lost)["support"][0]["votes"]] == ["partly", "supported", "not"]


def test_the_panel_of_the_settings_is_asked_too(tmp_path: Path) -> None:
    (tmp_path / "second.json").write_text(json.dumps([{"text": verdicts("not").text}]))
    given = document('The tenant must leave because "The lease ends on 31 March 2031" soon.', path="memo.md")
    settings = Settings(cache=tmp_path, panel=(f"scripted:{tmp_path / 'second.json'}",))
    done = check_memo(
        given, [LEASE], judge=True, settings=settings, models={"judge": ScriptedModel([verdicts("partly")])}
    )
    assert done.support is not None and done.support[0].ruling is not None
    assert [vote.verdict for vote in done.support[0].ruling.votes] == ["partly", "not"] and not done.ok


def test_a_judge_that_fails_is_never_a_yes(tmp_path: Path) -> None:
    memo = 'The tenant must leave because "The lease ends on 31 March 2031" soon.'
    broken, _ = judged([ProviderError("down", code="down")], tmp_path, memo)
    assert broken.support is not None and broken.support[0].ruling is None and broken.support[0].why == "down [down]"
    assert not broken.ok
    assert not judged([text_reply("nonsense")] * 5, tmp_path, memo)[0].ok


def test_without_judge_no_model_is_asked_and_with_it_there_must_be_one(tmp_path: Path) -> None:
    given = document(MEMO, kind="markdown", path="memo.md")
    assert check_memo(given, [LEASE], settings=Settings(cache=tmp_path)).support is None
    with pytest.raises(ConfigError, match="needs a model"):
        check_memo(given, [LEASE], judge=True, settings=Settings(cache=tmp_path))
    with pytest.raises(ConfigError, match="no document"):
        check_memo(given, [], settings=Settings(cache=tmp_path))
    with pytest.raises(ConfigError, match="standard input"):
        check_memo("-", ["-"], settings=Settings(cache=tmp_path))


def test_many_sentences_are_asked_about_in_turns(tmp_path: Path) -> None:
    memo = "\n\n".join(f'Point {n} of the list is that "Rent is due monthly in advance".' for n in range(45))
    done, model = judged([verdicts(*["supported"] * n) for n in (20, 20, 5)], tmp_path, memo)
    assert len(model.requests) == 3 and done.support is not None and len(done.support) == 45 and done.ok
    assert [item.findings for item in done.support] == [(n,) for n in range(45)]
