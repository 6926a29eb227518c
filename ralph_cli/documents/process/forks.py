"""Parser processes for many small files, forked from one process that has imported the readers but reads no file.

Starting Python and importing a reader takes longer than reading a small file. Each file still has its own process
with its own limits, and a crash ends only that process.
"""

import gc
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import IO

from ralph_cli.documents.process.child import ParserProcess, start_parser, start_python

# With fewer files, the imports cost more than the forks save.
FEW_FILES = 8

_BOOTSTRAP = "from ralph_cli.documents.process.forks import serve; serve()"
_NUMBER = struct.Struct(">q")


class ParserForks:
    """Starts parser processes while it is open: the first `few` fresh, the others by forking where that is possible.

    The processes are children of the forking process, so only it can wait for them. It ends and reaps a child only on
    request, so a process id never refers to another process.
    """

    def __init__(self, few: int = FEW_FILES) -> None:
        self._fresh_left = few
        self._lock = threading.Lock()
        self._server: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def __enter__(self) -> "ParserForks":
        return self

    def _open(self) -> None:
        if sys.platform != "linux" or self._server is not None:  # elsewhere a fork may hang in the system's libraries
            return
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError:
            return
        with theirs:
            try:
                self._server = start_python(_BOOTSTRAP, theirs.fileno(), subprocess.DEVNULL)
            except OSError:
                ours.close()
                return
        self._control = ours

    def __exit__(self, *_: object) -> None:
        if self._control is not None and self._server is not None:
            self._control.close()  # the server then exits and ends its forks
            self._server.wait()
            self._control = None

    def start(self) -> ParserProcess:
        """Start a new parser process. Raises DocumentError "crashed" if it cannot be started."""
        with self._lock:
            self._fresh_left -= 1
            if self._fresh_left < 0:
                self._open()
        if self._control is None:
            return start_parser()
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        try:
            number = self._ask(b"fork", [theirs_in, theirs_out])
        except (OSError, struct.error):
            os.close(ours_in)
            os.close(ours_out)
            return start_parser()  # the system has ended the server
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        return _Fork(self, number, os.fdopen(ours_in, "wb"), os.fdopen(ours_out, "rb"))

    def reap(self, number: int) -> int:
        """End a process and return its status as subprocess does: a negative one is the signal that ended it."""
        try:
            return self._ask(_NUMBER.pack(number))
        except (OSError, struct.error):
            return -signal.SIGKILL  # the system ended it together with the server

    def _ask(self, message: bytes, pipes: list[int] | None = None) -> int:
        if self._control is None:
            raise OSError("closed")
        with self._lock:
            if pipes:
                socket.send_fds(self._control, [message], pipes)
            else:
                self._control.send(message)
            (value,) = _NUMBER.unpack(self._control.recv(64))
        return int(value)


@dataclass(slots=True)
class _Fork:
    """A parser process that was forked."""

    forks: ParserForks
    number: int
    stdin: IO[bytes]
    stdout: IO[bytes]

    def kill(self) -> None:
        """End the process and the processes that read pages for it."""
        _kill(self.number)

    def wait(self) -> int:
        """Return its status."""
        return self.forks.reap(self.number)


def serve() -> None:
    """Import the readers, then fork a parser for each message with pipes, and reap the process that a message names."""
    from ralph_cli.documents.process.worker import READERS

    control = socket.socket(fileno=os.dup(0))
    os.dup2(1, 0)
    for name in READERS:
        with suppress(ImportError):  # a request for it reports the error
            import_module(f"ralph_cli.documents.{name}")
    gc.freeze()
    children: set[int] = set()
    while True:
        message, pipes, _, _ = socket.recv_fds(control, 64, 2)
        if pipes:
            number = os.fork()
            if number == 0:
                _become_parser(control, pipes)
            children.add(number)
            for pipe in pipes:
                os.close(pipe)
            control.send(_NUMBER.pack(number))
        elif message:
            (number,) = _NUMBER.unpack(message)
            children.discard(number)
            control.send(_NUMBER.pack(_end(number)))
        else:
            for number in children:
                _end(number)
            os._exit(0)


def _become_parser(control: socket.socket, pipes: list[int]) -> None:
    from ralph_cli.documents.process.worker import main

    try:
        os.setsid()
        control.close()
        for pipe, standard in zip(pipes, (0, 1), strict=True):
            os.dup2(pipe, standard)
            os.close(pipe)
        main()
    finally:
        os._exit(1)


def _kill(number: int) -> None:
    for end in (os.killpg, os.kill):  # it may not lead its own group yet
        with suppress(ProcessLookupError):
            end(number, signal.SIGKILL)


def _end(number: int) -> int:
    _kill(number)
    _, status = os.waitpid(number, 0)
    return os.waitstatus_to_exitcode(status)
