"""The base of every model around a model: it has the name and the vendor of the model inside."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from threading import Thread

from ralph_cli.core import clock
from ralph_cli.core.model import Model, Reply, Request


@dataclass(slots=True)
class ModelWrapper:
    """A model around another one, which changes only `Model.complete`."""

    wrapped: Model

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self.wrapped.name

    @property
    def vendor(self) -> str:
        """The vendor of the model inside."""
        return self.wrapped.vendor


SENDING_S = 0.05  # seconds in which a request is on its way: work at the same time would only delay it


def preload(steps: Iterable[Callable[[], None]], after: float = 0.0) -> None:
    """Run the steps in order in a new thread, `after` that many seconds."""

    def work() -> None:
        clock.sleep(after)
        for step in steps:
            step()

    Thread(target=work, name="preload", daemon=True).start()


@dataclass(slots=True)
class BranchModel(ModelWrapper):
    """Marks requests as those of a child worker, unless they are of a child of that."""

    branch: str

    def complete(self, request: Request) -> Reply:
        """The wrapped model's reply."""
        return self.wrapped.complete(replace(request, branch=request.branch or self.branch))


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
