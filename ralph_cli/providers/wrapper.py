"""The base of all model wrappers, which have the name and the vendor of the wrapped model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from threading import Thread

from ralph_cli.core import clock
from ralph_cli.core.model import Model, Reply, Request


@dataclass(slots=True)
class ModelWrapper:
    """A model that wraps another one and changes only `Model.complete`."""

    wrapped: Model

    @property
    def name(self) -> str:
        """The name of the wrapped model."""
        return self.wrapped.name

    @property
    def vendor(self) -> str:
        """The vendor of the wrapped model."""
        return self.wrapped.vendor


SENDING_S = 0.05  # seconds for sending a request; parallel work would only delay it


def preload(steps: Iterable[Callable[[], None]], after: float = 0.0) -> None:
    """Run the steps in order in a new thread, after a delay of `after` seconds."""

    def work() -> None:
        clock.sleep(after)
        for step in steps:
            step()

    Thread(target=work, name="preload", daemon=True).start()


@dataclass(slots=True)
class BranchModel(ModelWrapper):
    """Marks requests as those of a child worker, unless they already belong to one of its own children."""

    branch: str

    def complete(self, request: Request) -> Reply:
        """Return the wrapped model's reply."""
        return self.wrapped.complete(replace(request, branch=request.branch or self.branch))


@dataclass(slots=True)
class PreloadingModel(ModelWrapper):
    """Prepares what will be needed, such as the imports of other models, while it waits for its first reply."""

    needed: tuple[Callable[[], None], ...] = ()

    def complete(self, request: Request) -> Reply:
        """Return the wrapped model's reply."""
        needed, self.needed = self.needed, ()
        if needed:
            preload(needed, after=SENDING_S)
        return self.wrapped.complete(request)
