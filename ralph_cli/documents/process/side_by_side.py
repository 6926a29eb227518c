"""Reads pages in parallel, in processes forked from the parser; in one process for few pages or without fork."""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn, TypeVar

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.process.child import EXIT_MEMORY

_Page = TypeVar("_Page")
_Read = Callable[[Sequence[int]], Iterator[tuple[int, _Page]]]


@dataclass(frozen=True, slots=True)
class _Fault:
    """A DocumentError in transit between processes."""

    message: str
    code: str
    hint: str = ""


# With fewer pages, another process costs more than it saves.
FEW_PAGES = 24

MAX_PROCESSES = 4


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def usable_processes() -> int:
    """Return the number of processes to read with: one per usable core, up to four; one if it cannot fork."""
    if sys.platform != "linux":  # elsewhere a fork may hang in the system's libraries
        return 1
    return min(count_cores(), MAX_PROCESSES)


def read_side_by_side(
    read: _Read[_Page], total: int, processes: int, on_progress: Callable[[int, int], None]
) -> list[_Page]:
    """Return the results of `read` for the pages 0 to `total` - 1, in order, up to the first missing one.

    `read` gets indices in ascending order and yields (index, page) for each. It runs in several `processes` at once,
    each with every n-th page, so a page must not depend on others. `on_progress(done, total)` is called after each
    page. Errors of `read` are raised here. If a process ends abnormally, this process ends in the same way, so that
    its parent notices.
    """
    found: dict[int, _Page] = {}
    if processes < 2 or total < FEW_PAGES:
        for index, page in read(range(total)):
            found[index] = page
            on_progress(len(found), total)
    else:
        for index, page in _gather(read, total, processes):
            found[index] = page
            on_progress(len(found), total)
    whole = next((index for index in range(total) if index not in found), total)
    return [found[index] for index in range(whole)]


def _gather(read: _Read[_Page], total: int, processes: int) -> Iterator[tuple[int, _Page]]:
    context = multiprocessing.get_context("fork")
    running: dict[Connection, Any] = {}
    for first in range(processes):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_serve, args=(read, range(first, total, processes), sender), daemon=True)
        process.start()
        sender.close()  # otherwise the end of the process would go unnoticed
        running[receiver] = process
    while running:
        for ready in wait(list(running)):
            assert isinstance(ready, Connection)
            try:
                message = ready.recv()
            except EOFError:
                process = running.pop(ready)
                process.join()
                if process.exitcode:
                    _end_like(process.exitcode)
            else:
                if isinstance(message, _Fault):
                    raise DocumentError(message.message, code=message.code, hint=message.hint)
                yield message


def _serve(read: _Read[_Page], indices: range, sender: Connection) -> None:
    try:
        for item in read(indices):
            sender.send(item)
    except BrokenPipeError:
        os._exit(1)  # nobody is waiting any more
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except DocumentError as error:
        sender.send(_Fault(error.message, error.code, error.hint))
    except Exception as error:  # noqa: BLE001 - the boundary of the process; the parser must hear of it in words
        sender.send(_Fault(f"a page could not be read: {type(error).__name__}: {error}"[:500], "crashed"))


def _end_like(status: int) -> NoReturn:
    """End this process like another: by the same signal, or with the same exit status."""
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status if status > 0 else 1)
