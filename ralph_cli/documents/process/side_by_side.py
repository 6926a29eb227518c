"""Pages read side by side, by processes forked off the parser; in one process where there are few, or none can be."""

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
    """A DocumentError on its way from one process to another."""

    message: str
    code: str
    hint: str = ""


# Pages below which another process costs more than it saves.
FEW_PAGES = 24

MAX_PROCESSES = 4


def count_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def usable_processes() -> int:
    """How many processes may read at once: one a core that this process may use, up to four; one if it cannot fork."""
    if sys.platform != "linux":  # elsewhere a fork may hang in the system's libraries
        return 1
    return min(count_cores(), MAX_PROCESSES)


def read_side_by_side(
    read: _Read[_Page], total: int, processes: int, on_progress: Callable[[int, int], None]
) -> list[_Page]:
    """What `read` gives for the pages 0 to `total` - 1, in their order, up to the first that it does not give.

    `read` gets indices in ascending order and yields (index, page) for each; it runs in several `processes` at once,
    each with every so many-th page, so it must depend on no other page. `on_progress(done, total)` is called after each
    page. What `read` raises is raised here. If a process ends otherwise, this process ends in the same way, so that
    whoever watches it learns of it.
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
        sender.close()  # or the end of the process would not be seen
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
        os._exit(1)  # nobody waits any more
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except DocumentError as error:
        sender.send(_Fault(error.message, error.code, error.hint))
    except Exception as error:  # noqa: BLE001 - the boundary of the process; the parser must hear of it in words
        sender.send(_Fault(f"a page could not be read: {type(error).__name__}: {error}"[:500], "crashed"))


def _end_like(status: int) -> NoReturn:
    """End this process as another ended: by the same signal, or with the same exit status."""
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status if status > 0 else 1)
