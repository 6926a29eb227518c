"""What takes long is done beside what must be waited for anyway, a document or a reply: SDKs are imported so."""

from collections.abc import Callable, Iterable
from threading import Thread

from ralph_cli.core import clock
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.model import Reply, Request
from ralph_cli.providers.wrapper import ModelWrapper

SENDING_S = 0.05
"""Seconds in which a request is on its way: work at the same time would only delay it."""


def preload(steps: Iterable[Callable[[], None]], after: float = 0.0) -> None:
    """Do this, in order, `after` so many seconds, on a thread of its own."""

    def work() -> None:
        clock.sleep(after)
        for step in steps:
            step()

    Thread(target=work, name="preload", daemon=True).start()


@dataclass(slots=True)
class PreloadingModel(ModelWrapper):
    """Does what will be needed, such as the imports of other models, while its first reply is waited for."""

    needed: tuple[Callable[[], None], ...] = ()

    def complete(self, request: Request) -> Reply:
        """The reply of the model inside."""
        needed, self.needed = self.needed, ()
        if needed:
            preload(needed, after=SENDING_S)
        return self.wrapped.complete(request)
