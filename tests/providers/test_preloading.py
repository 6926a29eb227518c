"""What takes long is done while a reply is waited for: once, and never before the request is on its way."""

from threading import Event
from typing import Any

import pytest

from ralph_cli.core.model import Reply, Request, UserTurn
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.providers.wrapper import PreloadingModel
from ralph_cli.wiring.reading import work_ahead

ASKED = Request("worker", "system", (UserTurn("hello"),))


def test_it_is_done_during_the_first_reply_and_not_again() -> None:
    done, times = Event(), list[str]()

    def answer(request: Request) -> Reply:
        times.append("asked")
        assert done.wait(10)
        return text_reply("hi")

    def work() -> None:
        times.append("worked")
        done.set()

    model = PreloadingModel(ScriptedModel(answer), (work,))
    assert not times
    model.complete(ASKED)
    model.complete(ASKED)
    assert times == ["asked", "worked", "asked"]


@pytest.mark.parametrize(("vendor", "waits"), [("openai", True), ("offline", False), ("scripted", False)])
def test_nothing_is_done_beside_a_model_that_answers_at_once(vendor: str, waits: bool) -> None:
    class Named:
        model: Any = type("Model", (), {"vendor": vendor, "name": vendor})()

    class Reader:
        explorer: Any = Named()

    reader: Any = Reader()
    work_ahead(reader, [lambda: None])
    assert isinstance(reader.explorer.model, PreloadingModel) == waits
