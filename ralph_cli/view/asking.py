"""Further questions that are asked on a page: each is a run of its own, in a thread of the server."""

import queue
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ralph_cli import api
from ralph_cli.config import Settings
from ralph_cli.core.errors import UserError
from ralph_cli.core.events import AnyEvent, RunStarted

# Questions that are answered at the same time.
MOST_AT_ONCE = 4

# `api.follow_up`, or what replaces it in a test.
FollowUp = Callable[..., object]


class Asker:
    """Asks a further question about a run, with the settings of the server."""

    def __init__(self, settings: Settings, follow_up: FollowUp = api.follow_up) -> None:
        self._settings, self._follow_up = settings, follow_up
        self._free = threading.BoundedSemaphore(MOST_AT_ONCE)

    def __call__(self, folder: Path, question: str) -> str:
        """Return the name of the new run once it has begun. Raises RalphError if it does not begin."""
        if not self._free.acquire(blocking=False):
            what = f"{MOST_AT_ONCE} questions are being answered"
            raise UserError(what, code="busy", hint="ask again when one of them is done")
        begun: queue.SimpleQueue[str | BaseException] = queue.SimpleQueue()
        # If the server ends, the run is recorded like a killed one and can be resumed.
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
        except BaseException as error:  # noqa: BLE001 - once a run has begun, its record has the error
            begun.put(error)
        finally:
            self._free.release()
