"""Exports a run: its journal, view, document and origin in one file that can be verified anywhere, years later."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli.config import SECRETS, Settings, load_settings
from ralph_cli.core.errors import DocumentError, JournalError, UserError
from ralph_cli.core.events import AnyEvent, CallStarted, RunStarted
from ralph_cli.core.model import Json
from ralph_cli.core.version import __version__
from ralph_cli.journal.bundle import IDENTITY, ORIGIN, VIEW, canonical_json, document_members, pack
from ralph_cli.journal.consistency import EVENT
from ralph_cli.journal.redact import Redactor, create_redactor
from ralph_cli.journal.rows import refuse_if_running
from ralph_cli.journal.store import read_rows
from ralph_cli.reports.sections.documents import list_documents
from ralph_cli.runs.history import as_object, find_run, find_start, run_from_events
from ralph_cli.runs.opening import is_recorded_set, read_recorded


@dataclass(frozen=True, slots=True)
class ExportedBundle:
    """A bundle that was written: its path, number of events, size, seal, and notices for the user."""

    path: Path
    events: int
    bytes: int
    seal: str
    notices: tuple[str, ...] = ()


def export(
    run: str | Path | None = None,
    path: Path | None = None,
    *,
    settings: Settings | None = None,
    with_document: bool = False,
) -> ExportedBundle:
    """Write the bundle of a run (a name, a run's folder, or None for the newest) to the new file `path`.

    The default path is the run's name with ".zip" in the working folder. The document is included only `with_document`.
    Raises JournalError if the run is still going on or cannot be read, DocumentError if its document cannot be read,
    and UserError if there is another file at `path`.
    """
    settings = settings or load_settings()
    folder = run if isinstance(run, Path) else find_run(settings.out, run)
    data, bundle = pack_run(folder, settings, with_document=with_document)
    bundle = replace(bundle, path=path or bundle.path)
    _write_new(bundle.path, data)
    return bundle


def pack_run(folder: Path, settings: Settings, *, with_document: bool = False) -> tuple[bytes, ExportedBundle]:
    """The bundle of the run in `folder`, and its description."""
    refuse_if_running(folder)
    rows = tuple(read_rows(folder))
    started = find_start(tuple(row.event for row in rows), str(folder))
    clean = _cleaner(settings, folder, started)
    plain = [(row.at, clean.redact_event(EVENT.dump_python(row.event, mode="json"))) for row in rows]
    # The view is made of the cleaned events, so that a reader can make it again.
    events = tuple(EVENT.validate_python(event) for _, event in plain)
    cleaned = run_from_events(events, "")
    first = cleaned.started
    members = {VIEW: as_object(cleaned), IDENTITY: first.document, ORIGIN: _origin(first, events)}
    documents = _read_documents(started) if with_document else {}
    data, seal = pack(first.run, plain, members, documents)
    parts = [canonical_json(value).decode("utf-8") for value in (*(event for _, event in plain), *members.values())]
    if any(map(clean.has_key, parts)):
        raise JournalError("the record of the run holds a key, so it is not exported", code="key-in-record")
    notices = []
    if left := next((number for number, (_, event) in enumerate(plain, 1) if clean.has_folder(str(event))), None):
        where = f"a folder of this machine is named in the result itself (event {left})"
        notices.append(f"{where}; results are kept to the letter")
    if not documents and first.document and first.mode in ("qa", "task"):
        notices.append(
            "who verifies it needs the document, too, and names it with --document; --with-document packs it in"
        )
    return data, ExportedBundle(Path(f"{folder.name}.zip"), len(rows), len(data), seal, tuple(notices))


def _cleaner(settings: Settings, folder: Path, started: RunStarted) -> Redactor:
    places = {folder.resolve().parent, folder.absolute().parent, Path.cwd(), Path.home(), settings.cache_folder}
    path = Path(str(started.document.get("path", "")))
    if path.is_absolute():
        places |= {path.parent, path.resolve().parent}
    keys = [secret.get_secret_value() for name in SECRETS if (secret := getattr(settings, name)) is not None]
    keys += [held for profile in settings.providers.values() for held in profile.held]
    return create_redactor(map(str, places), keys)


def _origin(started: RunStarted, events: tuple[AnyEvent, ...]) -> Json:
    """The origin of a run: versions, models, the reader of the document, and digests of prompts and requests."""
    settings = started.settings
    calls: list[Json] = [
        {"number": event.number, "agent": event.agent, "model": event.model, "sha256": event.digest}
        for event in events
        if isinstance(event, CallStarted)
    ]
    return {
        "ralph": settings.get("version"),
        "python": settings.get("python"),
        "models": settings.get("models"),
        "reader": started.document.get("reader"),
        "prompts": settings.get("prompts"),
        "requests": calls,
        "exported_by": __version__,
    }


def _read_documents(started: RunStarted) -> dict[str, bytes]:
    """The bytes of the document or documents, if their files are unchanged."""
    of_set = is_recorded_set(started.document)
    records = list_documents(started.document) if of_set else [started.document]
    try:
        return document_members([read_recorded(record) for record in records], of_set=of_set)
    except DocumentError as error:
        hint = "leave out --with-document; `ralph verify` takes the document with --document"
        raise DocumentError(error.message, code=error.code, hint=hint) from None


def _write_new(path: Path, data: bytes) -> None:
    """Write a new file, readable by its owner only; a file with the same bytes is accepted."""
    try:
        if path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data:
            return
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except FileExistsError:
        hint = "choose another name with -o, or move it away"
        raise UserError(f"{path} exists already", code="bad-output", hint=hint) from None
    except OSError as error:
        hint = "-o takes the name of a file in a folder that is there"
        raise UserError(f"{path} cannot be written: {error.strerror}", code="bad-output", hint=hint) from error
