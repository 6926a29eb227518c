"""SDKs are imported beside what must be waited for anyway, a document or a reply: each takes a second or two."""

from collections.abc import Callable, Iterable
from threading import Thread

from ralph_cli.core import clock
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.model import Reply, Request
from ralph_cli.providers.wrapper import ModelWrapper

SENDING_S = 0.05
"""Seconds in which a request is on its way: an import at the same time would only delay it."""


def preload(imports: Iterable[Callable[[], None]], after: float = 0.0) -> None:
    """Import what some models need, in order, `after` so many seconds, on a thread of its own."""

    def work() -> None:
        clock.sleep(after)
        for load in imports:
            load()

    Thread(target=work, name="preload", daemon=True).start()


@dataclass(slots=True)
class PreloadingModel(ModelWrapper):
    """Imports what `others` need while its first reply is waited for."""

    others: tuple[Callable[[], None], ...] = ()

    def complete(self, request: Request) -> Reply:
        """The reply of the model inside."""
        others, self.others = self.others, ()
        if others:
            preload(others, after=SENDING_S)
        return self.wrapped.complete(request)
