"""Going on with a run that was cut off: what was paid for is taken from its journal, the rest is asked anew."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ralph_cli import api
from ralph_cli.checks.verifier import Verifier
from ralph_cli.config import SECRETS, Settings, explained, load
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ConfigError, RalphError
from ralph_cli.core.events import AnyEvent, RunHalted, RunStarted, Sink
from ralph_cli.core.model import Model
from ralph_cli.core.run import StopType
from ralph_cli.journal.store import FILE, read_events, refuse_if_at_work
from ralph_cli.opening import opened
from ralph_cli.providers.replaying import Recording
from ralph_cli.records import find_run, recorded
from ralph_cli.reports.visible import show_command
from ralph_cli.running import Earlier, Finished
from sandbox import Sandbox

DONE = (StopType.COMPLETION, StopType.ABSENT)


def resume(
    run: str | Path | None = None,
    *,
    settings: Settings | None = None,
    changes: Mapping[str, Any] | None = None,
    document: Document | None = None,
    models: Mapping[str, Model] | None = None,
    verifier: Verifier | None = None,
    engine: Callable[[], Sandbox] | None = None,
    sink: Sink | None = None,
    password: str | None = None,
) -> Finished:
    """Go on with a question or task run that was killed, interrupted, or stopped by a bound; None is the newest one.

    The new run has a folder of its own and begins at the beginning, but every request that the earlier run has a reply
    to is answered from its journal, at the price of then; only what is new is sent. `changes` replaces recorded
    settings (`max_time`, `max_iterations`, ...). Keys come from `settings`, by default from the environment; no
    `password` is ever recorded. A task finds memory and schema as the earlier run found them, and notes nothing twice.
    A run that had a `verifier` of the caller's needs one again: it is asked anew, also of what it has seen.
    Raises ConfigError when there is nothing to go on with, and DocumentError when the document is gone or has changed.
    """
    settings = settings or load()
    folder = run if isinstance(run, Path) else find_run(settings.out, run)
    refuse_if_at_work(folder)
    events = recorded(folder).events
    started = _resumable(events, folder)
    _require_verifier(started, verifier)
    chosen = _settings(started, settings, changes or {})
    kin = dict(_kin(folder, started.seed))
    earlier = Earlier(Recording(events, *kin.values()), started.seed, (folder, *kin))
    given = document or _document(started, chosen, password)
    encoding = started.document.get("encoding")
    if started.mode == "task":
        return api.run_task(
            given,
            started.question,
            settings=chosen,
            models=models,
            verifier=verifier,
            engine=engine,
            sink=sink,
            encoding=encoding,
            earlier=earlier,
        )
    assert given is not None
    return api.ask(
        given,
        started.question,
        settings=chosen,
        models=models,
        verifier=verifier,
        engine=engine,
        sink=sink,
        encoding=encoding,
        earlier=earlier,
    )


def _kin(folder: Path, seed: str) -> Iterator[tuple[Path, tuple[AnyEvent, ...]]]:
    """The other runs that went on with the same run, or with which it went on: they share a seed."""
    for other in sorted(folder.resolve().parent.glob(f"*/{FILE}")):
        if not seed or other.parent == folder.resolve():
            continue
        with suppress(RalphError):
            first = next(read_events(other.parent), None)
            if isinstance(first, RunStarted) and first.seed == seed:
                yield other.parent, tuple(read_events(other.parent))


def _resumable(events: tuple[AnyEvent, ...], folder: Path) -> RunStarted:
    started = next(event for event in events if isinstance(event, RunStarted))
    last = events[-1]
    if isinstance(last, RunHalted) and last.halt.type in DONE:
        what = f"{folder.name} has ended: {last.halt.detail}"
        raise ConfigError(what, code="nothing-to-resume", hint=show_command(folder.parent, folder.name))
    if started.mode not in ("qa", "task"):
        hint = "ralph goal ... --continue" if started.mode == "goal" else f"run `ralph {started.mode}` again"
        raise ConfigError(f"a {started.mode} run cannot be resumed this way", code="not-resumable", hint=hint)
    return started


def _require_verifier(started: RunStarted, verifier: Verifier | None) -> None:
    """Without the verifier that it had, a run could be accepted that was refused before."""
    had = started.settings.get("verifier")
    if had and verifier is None:
        what = f"that run had a verifier of its own ({had}), so it is not resumed without one"
        raise ConfigError(what, code="no-verifier", hint="give it in Python: resume(run, verifier=...)")


def _settings(started: RunStarted, now: Settings, changes: Mapping[str, Any]) -> Settings:
    """The settings of then, with the keys and folders of now, and what is to change."""
    then = {name: value for name, value in started.settings.items() if name in Settings.model_fields}
    models = started.settings.get("models", {})
    named = {
        "model": models.get("worker"),
        "judge_model": models.get("judge"),
        "subquery_model": models.get("subquery"),
    }
    here = {name: getattr(now, name) for name in (*SECRETS, "out", "cache")}
    try:
        return Settings.model_validate({**then, **named, **here, **changes})
    except ValidationError as error:
        raise explained(error, dict.fromkeys(then, "that run") | dict.fromkeys(changes, "what is to change")) from None


def _document(started: RunStarted, settings: Settings, password: str | None) -> Document | None:
    """The document of that run, read as then; None for a task without one."""
    if not started.document and started.mode == "task":
        return None
    path = str(started.document.get("path", ""))
    if path == "-":
        what = "the document of that run came from standard input, so it cannot be read again"
        raise ConfigError(what, code="not-resumable", hint="give the document to `resume` in Python, or ask again")
    document = opened(path, settings, password, started.document.get("encoding"))
    if document.sha256 != started.document.get("sha256"):
        what = f"{path} is not the document of that run any more"
        raise ConfigError(
            what, code="document-changed", hint="ask again: what was found does not hold for another text"
        )
    if document.fingerprint != started.document.get("fingerprint", document.fingerprint):
        what = f"{path} is read otherwise than in that run: by another reader, with another encoding or password"
        raise ConfigError(what, code="document-changed", hint="ask again, with the options of that run")
    return document
