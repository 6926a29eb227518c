"""Keep one sandbox for all questions to a document: it is started, and given the text, once."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Self

from ralph_cli.config import Settings
from ralph_cli.wiring.models import engine_opener
from sandbox import HostQuery, Protections, Result, Sandbox, refuse_to_delegate


@dataclass(slots=True)
class KeptEngine:
    """Open the sandbox of a run: the sandbox that an earlier run on the same document has left.

    Each run begins a new session in it, without earlier variables. `close` ends it.
    """

    _sandbox: "_KeptSandbox | None" = None
    _told: list[str] = field(default_factory=list)

    def open(self, settings: Settings, characters: int, notice: Callable[[str], None]) -> Callable[[], Sandbox]:
        """Like `wiring.models.engine_opener`; every run receives the notices of the first opening."""

        def open_kept() -> Sandbox:
            if self._sandbox is not None and self._sandbox.is_lent:
                return engine_opener(settings, characters)()  # for a child of the worker that has the kept one
            if self._sandbox is not None:
                for message in self._told:
                    notice(message)
                self._sandbox.is_lent = True
                return self._sandbox

            def tell(message: str) -> None:
                self._told.append(message)
                notice(message)

            self._sandbox = _KeptSandbox(engine_opener(settings, characters, tell)())
            return self._sandbox

        return open_kept

    def close(self) -> None:
        """End the sandbox, if there is one."""
        kept, self._sandbox = self._sandbox, None
        if kept is not None:
            kept.sandbox.close()


@dataclass(slots=True)
class _KeptSandbox:
    """A sandbox that outlives the run that closes it; see `sandbox.Sandbox`."""

    sandbox: Sandbox
    is_lent: bool = True
    _text: str | None = None
    _pages: Sequence[tuple[int, str, int, int]] = ()

    @property
    def name(self) -> str:
        return self.sandbox.name

    @property
    def walls(self) -> Protections:
        return self.sandbox.walls

    def start(self) -> None:
        self.sandbox.start()

    def load(self, context: str, pages: Sequence[tuple[int, str, int, int]]) -> None:
        if context is not self._text or pages != self._pages:
            self.sandbox.load(context, pages)
            self._text, self._pages = context, pages

    def define(self, code: str, offered: Sequence[str]) -> None:
        self.sandbox.define(code, offered)

    def run(
        self,
        code: str,
        query: HostQuery,
        *,
        seconds: float | None = None,
        watched: Collection[int] = (),
        now: float | None = None,
        delegate: HostQuery = refuse_to_delegate,
    ) -> Result:
        return self.sandbox.run(code, query, seconds=seconds, watched=watched, now=now, delegate=delegate)

    def close(self) -> None:
        """Keep the sandbox for the next run."""
        self.is_lent = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()
