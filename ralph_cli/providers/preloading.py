"""SDKs are imported beside what must be waited for anyway, a document or a reply: each takes a second or two."""

from collections.abc import Iterable
from threading import Thread

from ralph_cli.core import clock
from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.model import Reply, Request
from ralph_cli.providers.registry import load_sdk
from ralph_cli.providers.wrapper import ModelWrapper

SENDING_S = 0.05
"""Seconds in which a request is on its way: an import at the same time would only delay it."""


def preload(names: Iterable[str], after: float = 0.0) -> None:
    """Import what the models of these names need, in order, `after` so many seconds, on a thread of its own."""

    def work() -> None:
        clock.sleep(after)
        for name in dict.fromkeys(names):
            load_sdk(name)

    Thread(target=work, name="preload", daemon=True).start()


@dataclass(slots=True)
class PreloadingModel(ModelWrapper):
    """Imports what the models `others` need while its first reply is waited for."""

    others: tuple[str, ...] = ()

    def complete(self, request: Request) -> Reply:
        """The reply of the model inside."""
        others, self.others = self.others, ()
        if others:
            preload(others, after=SENDING_S)
        return self.wrapped.complete(request)
