"""Loads a set: every file that a source refers to, in parallel, and the reasons for files that could not be read."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from ralph_cli.core.document import SKIPPED, Caution, Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import DEFAULT_LIMITS, LoadLimits
from ralph_cli.documents.process.forks import ParserForks
from ralph_cli.documents.sets.containers import ATTACHMENTS, MAX_DEPTH, is_archive, list_files
from ralph_cli.documents.sets.finding import (
    FoundFile,
    Skipped,
    find_files,
    is_set,
    leave_out_hidden,
    name_files,
    take_name,
)
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.documents.sniff import display_name
from ralph_cli.documents.source import DocumentSource

_LEFT_OUT_TOGETHER = 5


def load_source(source: DocumentSource, cache: Path | None = None, leave_out: Sequence[Path] = ()) -> DocumentSource:
    """Return the source with its document loaded: one file, or the set of folders, patterns and archives.

    An unreadable or duplicate file of a set is skipped with a caution; with `source.strict` it is an error.
    `leave_out` are folders whose files are always skipped. Raises DocumentError, also if no document is left.
    """
    if source.document is not None and (source.document.members or not source.others):
        return source
    if not source.others and not is_set(source.path):
        source = source.loaded(cache)
        if source.path == "-" or all(caution.code != ATTACHMENTS for caution in source.load().cautions):
            return source
        source = replace(source, document=None)  # its attachments are separate documents
    found = read_set(source, cache, leave_out)
    is_one = len(found.documents) == 1 and not found.skipped and not is_set(source.path)
    return replace(source, document=found.documents[0].document if is_one else found.join())


def load_each(source: DocumentSource, cache: Path | None = None) -> tuple[list[DocumentSource], tuple[Skipped, ...]]:
    """Return each document of the source, loaded on its own, and the skipped files. Raises DocumentError."""
    if source.document is not None or not (source.others or is_set(source.path)):
        return [source.loaded(cache)], ()
    found = read_set(source, cache)
    if not found.documents:
        found.join()
    sources = [
        replace(source, path=item.path, inner=item.inner, others=(), document=item.document) for item in found.documents
    ]
    return sources, found.skipped


@dataclass(frozen=True, slots=True)
class LoadedSet:
    """The documents of a set and the skipped files, each in the order of their names."""

    path: str
    documents: tuple[NamedDocument, ...]
    skipped: tuple[Skipped, ...]

    def join(self) -> Document:
        """Return the set as one document. Raises DocumentError if it is empty or has too much text."""
        if not self.documents:
            why = "; ".join(f"{item.name}: {item.message}" for item in self.skipped[:3]) or "there is no file"
            what = f"nothing in {self.path} could be read ({why})"
            raise DocumentError(what, code="no-document", hint="`ralph ls` tells of each file why")
        characters = sum(len(item.document.text) for item in self.documents)
        if characters > DEFAULT_LIMITS.characters:
            what = f"the {len(self.documents)} documents of {self.path} have {characters:,} characters together"
            limit = f"the limit is {DEFAULT_LIMITS.characters:,}"
            raise DocumentError(f"{what}; {limit}", code="too-big", hint="name fewer files")
        return join_documents(self.path, self.documents, tuple(self._cautions()))

    def _cautions(self) -> Iterator[Caution]:
        left_out = [item for item in self.skipped if item.code == "left-out"]
        for item in self.skipped:
            if item.code == "duplicate":  # its text is in the set, because its copy was read
                yield Caution("duplicate", f"{item.name} was not read: {item.message}")
            elif item.code != "left-out":
                yield Caution(SKIPPED, f"{item.name} was not read: {item.message}")
        if left_out:
            names = ", ".join(item.name for item in left_out[:_LEFT_OUT_TOGETHER])
            more = ", ..." * (len(left_out) > _LEFT_OUT_TOGETHER)
            yield Caution(SKIPPED, f"{len(left_out)} left out as hidden or not documents: {names}{more}")
        if any(item.hint for item in self.skipped):
            yield Caution("hints", "`ralph ls` says what can be done about a file that was not read")


def read_set(source: DocumentSource, cache: Path | None = None, leave_out: Sequence[Path] = ()) -> LoadedSet:
    """Return every document of a source, and the skipped files. Raises DocumentError as `load_source` does."""
    paths = (source.path, *(other.path for other in source.others))
    given = {other.path: other for other in source.others} | {source.path: source}
    files, skipped = find_files(paths, (*leave_out, *source.apart))
    work = _Work(source, given, cache)
    names: set[str] = set()
    # A folder and an archive inside an archive may have the same name, so that two files have the same name.
    loaded = [replace(item, name=take_name(item.name, names)) for item in work.load(files)]
    documents: list[NamedDocument] = []
    kept: dict[str, str] = {}
    for name, sha256 in ((it.name, it.document.sha256) for it in loaded if isinstance(it, NamedDocument)):
        kept[sha256] = min(kept.get(sha256, name), name, key=len)  # a copy has a longer name than its original
    for item in loaded:
        if isinstance(item, Skipped):
            skipped.append(item)
        elif item.name == (name := kept[item.document.sha256]):
            documents.append(item)
        else:
            skipped.append(Skipped(item.name, "duplicate", f"it is the same file as {name}"))
    if source.strict:
        for item in skipped:
            if item.code != "left-out":
                hint = f"{item.hint}, or leave out --strict-load" if item.hint else "leave out --strict-load"
                raise DocumentError(f"{item.name}: {item.message}", code="skipped", hint=hint)
    return LoadedSet(describe_paths(paths), tuple(documents), tuple(skipped))


def describe_paths(paths: Sequence[str]) -> str:
    """Return the user's name for a set: its only path, or the first one and the number of others."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


@dataclass(slots=True)
class _Work:
    """Loads files with as many threads as there are cores; each file is parsed in its own process."""

    source: DocumentSource
    given: dict[str, DocumentSource]
    cache: Path | None
    limits: LoadLimits = DEFAULT_LIMITS
    forks: ParserForks = field(default_factory=ParserForks)
    _done: int = 0
    _total: int = 0

    def load(self, files: Sequence[FoundFile]) -> list[NamedDocument | Skipped]:
        """Return the documents of the files, with an archive's files in its position, or why a file is skipped."""
        processes = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        with self.forks, ThreadPoolExecutor(max(processes, 1), "load") as pool:
            return list(self._load_all([_Waiting(file) for file in files], pool))

    def _load_all(self, files: Sequence["_Waiting"], pool: ThreadPoolExecutor) -> Iterator[NamedDocument | Skipped]:
        self._total += len(files)
        for found, inside in pool.map(self._load_one, files):
            self._done += 1
            if self.source.on_files is not None:
                self.source.on_files(self._done, self._total)
            if found is not None:
                yield found
            yield from self._load_all(inside, pool)

    def _load_one(self, waiting: "_Waiting") -> tuple[NamedDocument | Skipped | None, list["_Waiting"]]:
        """Return the document in a file, unless it is an archive, and the files in an archive or mail."""
        file, data = waiting.file, waiting.data
        given = self.given.get(file.path) if not file.inner else None
        if given is not None and given.document is not None:
            return NamedDocument(file.name, given.document, file.path), []
        if waiting.skipped is not None:
            return waiting.skipped, []
        source = replace(given or self.source, path=file.path, inner=file.inner, others=(), on_loading=None)
        try:
            data = source.read(self.limits) if data is None else data
            if is_archive(source.name, data):
                return None, self._list_files(file, data)
            document = source.load_bytes(data, self.cache, self.limits, self.forks.start)
            apart = tuple(caution for caution in document.cautions if caution.code != ATTACHMENTS)
            inside = self._list_files(file, data) if len(apart) < len(document.cautions) else []
            document = replace(document, cautions=apart if inside else document.cautions)
            return NamedDocument(file.name, document, file.path, file.inner), inside
        except DocumentError as error:
            own = f"{display_name(source.name)} "
            what = f"it {error.message.removeprefix(own)}" if error.message.startswith(own) else error.message
            return Skipped(file.name, error.code, what, error.hint), []

    def _list_files(self, file: FoundFile, data: bytes) -> list["_Waiting"]:
        name = "/".join((file.path, *file.inner))
        entries = list_files(data, name, self.limits, start=self.forks.start)
        inside = [FoundFile(f"{file.name}/{entry.name}", file.path, (*file.inner, entry.name)) for entry in entries]
        deep = f"it stands in files within files, deeper than {MAX_DEPTH}" if len(file.inner) >= MAX_DEPTH else ""
        waiting = []
        for named, entry in zip(name_files(inside), entries, strict=True):
            fault = entry.fault or deep
            skipped = leave_out_hidden(named) if is_archive(name, data) else None
            skipped = skipped or (Skipped(named.name, "damaged", fault) if fault else None)
            waiting.append(_Waiting(named, entry.data, skipped))
        return waiting


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A file to load: its bytes if they were unpacked, or why it is skipped."""

    file: FoundFile
    data: bytes | None = None
    skipped: Skipped | None = None
