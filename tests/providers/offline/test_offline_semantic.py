"""Likeness of meaning: it moves spans, never invents them, and unknown weights are refused."""

from pathlib import Path

import pytest

from ralph_cli.core.errors import ConfigError
from ralph_cli.core.model import ModelTurn, Request, ToolCall, ToolTurn, UserTurn
from ralph_cli.providers.offline import semantic
from ralph_cli.providers.offline.model import OfflineModel
from ralph_cli.providers.offline.spans import search

TEXT = "The ferry is old and slow. The engine of the ferry is a new motor. The ferry carries many cars each day.\n"


def embed(texts: list[str]) -> list[list[float]]:
    """Knows one thing: an engine is a motor."""
    return [[1.0, 0.0] if "motor" in text or "machine" in text else [0.0, 1.0] for text in texts]


def quotes(model: OfflineModel, question: str) -> list[str]:
    inputs = {"question": question, "quote_chars": [20, 300]}
    printed = "\n".join(search(question, TEXT, (), (), length=(20, 300), passages=4))
    turns = (UserTurn(""), ModelTurn("", (ToolCall("1", "act", {"code": ""}),)), ToolTurn((("1", printed, False),)))
    arguments = model.complete(Request("worker", "", turns, inputs=inputs)).calls[0].arguments
    return [quote for claim in (arguments or {})["claims"] for quote in claim["quotes"]]


def test_the_name_says_which_one_answers() -> None:
    assert (OfflineModel().name, OfflineModel(embed).name) == ("offline:extractive", "offline:semantic")


def test_what_is_found_is_ranked_by_its_meaning() -> None:
    question = "Which machine has the old ferry that carries cars?"
    assert not quotes(OfflineModel(), question)[0].startswith("The engine")
    found = quotes(OfflineModel(embed), question)
    assert found[0].startswith("The engine") and all(quote in TEXT for quote in found)


def test_a_missing_extra_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "WEIGHTS", ("no_such_package_here", "model.onnx", "0" * 64))
    assert not semantic.is_available()
    with pytest.raises(ConfigError) as caught:
        semantic.load_embedding()
    assert caught.value.code == "semantic-missing" and "semantic" in caught.value.hint


@pytest.mark.parametrize(("content", "code"), [(b"other weights", "semantic-hash"), (None, "semantic-missing")])
def test_weights_that_are_not_the_known_ones_are_refused(
    content: bytes | None, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "carried_weights_for_test"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('a package of data is never imported')")
    if content is not None:
        (package / "model.onnx").write_bytes(content)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(semantic, "WEIGHTS", (package.name, "model.onnx", "0" * 64))
    monkeypatch.setattr(semantic, "is_available", lambda: True)
    with pytest.raises(ConfigError) as caught:
        semantic.load_embedding()
    assert caught.value.code == code


@pytest.mark.skipif(not semantic.is_available(), reason="the extra ralph-cli[semantic] is not installed")
def test_the_carried_model_knows_that_an_engine_is_a_motor() -> None:
    model = semantic.load_embedding()
    near, far = semantic.make_similarity(model)("engine", ["motor", "poem"])
    assert near > far
    question = "Which machine has the old ferry that carries cars?"
    assert quotes(OfflineModel(model), question) == quotes(OfflineModel(model), question)
