"""What every model around a model is: it goes by the name and the vendor of the model inside."""

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.core.model import Model


@dataclass(slots=True)
class ModelWrapper:
    """A model that stands for another one; its `Model.complete` is what makes the difference."""

    wrapped: Model

    @property
    def name(self) -> str:
        """The name of the model inside."""
        return self.wrapped.name

    @property
    def vendor(self) -> str:
        """The vendor of the model inside."""
        return self.wrapped.vendor
