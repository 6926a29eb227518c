"""Describes a failed snippet to the model: the snippet's own frames, and advice on common mistakes."""

from __future__ import annotations

import linecache
import sys
import traceback

ERROR_CHARS = 8192
MAX_SOURCES = 64  # snippets whose lines a traceback can still show
NO_FILES = "there are no files here: the document's text is in `context`, its pages are in `pages`"
NO_MODULE = "this module is not in the sandbox"
NOT_STANDARD = "there is nothing here but Python's standard library, and nothing can be installed"
NO_THREADS = "there are no threads here: `llm_query_batch` asks many questions at once"
NO_OUTSIDE = "nothing outside can be reached from here: no network, no files, no programs"
NOT_AWAITED = "`llm_query` and `llm_query_batch` wait by themselves: call them without `await`"


class Refused(Exception):
    """A snippet that was not run; its message is the whole error."""


class Sources:
    """The lines of the latest snippets, for tracebacks."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, code: str) -> str:
        """Keep a further snippet; return the name of its file."""
        self.count += 1
        linecache.cache[self.name] = (len(code), None, code.splitlines(keepends=True), self.name)
        linecache.cache.pop(_file_name(self.count - MAX_SOURCES), None)
        return self.name

    @property
    def name(self) -> str:
        """The name of the latest snippet's file."""
        return _file_name(self.count)


def _file_name(number: int) -> str:
    return f"<snippet {number}>"


def describe(error: BaseException, name: str) -> str:
    """Return the traceback without the frames of this runner and of the library, with the lines of snippet `name`."""
    if isinstance(error, Refused):
        return str(error)
    try:
        if isinstance(error, ModuleNotFoundError) and error.name:
            error.msg = f"No module named {error.name!r}"  # no advice to install it
        report = traceback.TracebackException.from_exception(error)
        _trim(report, name, set())
        text = "".join(report.format()).strip()
        advice = _advise(error)
        text += f" ({advice})" if advice else ""
    except BaseException:  # noqa: BLE001 - an exception whose own methods fail, or no memory is left
        text = type(error).__name__
    text = text.replace(f'"{name}"', '"<snippet>"')
    return text if len(text) <= ERROR_CHARS else f"{text[: ERROR_CHARS // 2]}\n...\n{text[-ERROR_CHARS // 2 :]}"


def _advise(error: BaseException) -> str:
    """Advise what to do instead of something that is common elsewhere but impossible here."""
    match error:
        case ModuleNotFoundError(name=str(name)):
            return NO_MODULE if name.split(".")[0] in sys.stdlib_module_names else NOT_STANDARD
        case TimeoutError():
            return ""
        case OSError(filename=None):
            return NO_OUTSIDE
        case OSError():
            return NO_FILES
        case RuntimeError() if "start new thread" in str(error):
            return NO_THREADS
        case TypeError() if "await" in str(error):
            return NOT_AWAITED
    return ""


def _trim(report: traceback.TracebackException, name: str, seen: set[int]) -> None:
    if id(report) in seen:
        return
    seen.add(id(report))
    frames = []
    for frame in report.stack:
        if frame.filename.startswith("<snippet"):
            where = "<snippet>" if frame.filename == name else "<earlier snippet>"
            frames.append(traceback.FrameSummary(where, frame.lineno, frame.name, lookup_line=False, line=frame.line))
    report.stack = traceback.StackSummary.from_list(frames)
    for linked in (report.__cause__, report.__context__, *(getattr(report, "exceptions", None) or ())):
        if linked is not None:
            _trim(linked, name, seen)
