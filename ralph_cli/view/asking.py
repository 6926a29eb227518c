"""Further questions that are asked from a page: each is a run of its own, at work beside the pages that show it."""

import queue
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ralph_cli import api
from ralph_cli.config import Settings
from ralph_cli.core.errors import UserError
from ralph_cli.core.events import AnyEvent, RunStarted

MOST_AT_ONCE = 4
"""Questions that are under way together."""

FollowUp = Callable[..., object]
"""`api.follow_up`, or what a test has in its place."""


class Asker:
    """Asks a further question on a run, with the settings of whoever has started the server."""

    def __init__(self, settings: Settings, follow_up: FollowUp = api.follow_up) -> None:
        self._settings, self._follow_up = settings, follow_up
        self._free = threading.BoundedSemaphore(MOST_AT_ONCE)

    def __call__(self, folder: Path, question: str) -> str:
        """The name of the run, once it has begun. Raises RalphError when it does not."""
        if not self._free.acquire(blocking=False):
            what = f"{MOST_AT_ONCE} questions are under way"
            raise UserError(what, code="busy", hint="ask again when one of them has its answer")
        begun: queue.SimpleQueue[str | BaseException] = queue.SimpleQueue()
        # A run that the end of the server cuts off is kept, as one that is killed, and can be resumed.
        threading.Thread(target=partial(self._run, folder, question, begun), daemon=True).start()
        answer = begun.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _run(self, folder: Path, question: str, begun: "queue.SimpleQueue[str | BaseException]") -> None:
        def listen(event: AnyEvent) -> None:
            if isinstance(event, RunStarted):
                begun.put(event.run)

        try:
            self._follow_up(folder, question, settings=self._settings, sink=listen)
            begun.put(UserError("the run did not begin", code="no-run"))
        except BaseException as error:  # noqa: BLE001 - of one that has begun its record says how it ended
            begun.put(error)
        finally:
            self._free.release()
