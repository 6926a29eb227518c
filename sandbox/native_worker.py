"""The process of the native engine: loads modules for snippets, locks itself down, then serves the host."""

from __future__ import annotations

import gc
import json
import os
import struct
import sys
import types
from typing import Any

from sandbox import kernel, syscalls
from sandbox.guest.session import Guest

HEADER = struct.Struct("!IQ")
CHUNK = 1 << 20
REMOVED_MODULES = ("ctypes", "_ctypes", "resource", "sandbox", "ssl")  # of this worker, not for snippets
ERROR_BYTES = 1 << 16  # what the worker may write to its standard error, a file
# After the lock-down no file can be opened, so a snippet can import only these modules.
PRELOADED = """
    abc array ast base64 binascii bisect calendar cmath cmd collections collections.abc colorsys contextlib copy
    copyreg csv dataclasses datetime _strptime decimal difflib encodings.ascii encodings.cp1252 encodings.idna
    encodings.latin_1 encodings.utf_16 encodings.utf_8_sig enum fnmatch fractions functools gc graphlib hashlib heapq
    hmac html html.entities html.parser io ipaddress itertools json keyword linecache locale math mimetypes
    numbers operator pathlib pickle pprint random re reprlib secrets shlex statistics string stringprep struct
    symtable textwrap time timeit token tokenize traceback types typing unicodedata urllib.parse uuid warnings weakref
    xml.etree.ElementTree zlib bz2 lzma gzip zipfile configparser threading queue inspect asyncio logging sqlite3
    tomllib tempfile signal
"""


def serve(source: dict[str, Any]) -> None:
    """Preload, lock down, then answer the host until it closes the pipe; `source` is the host's first message."""
    extra_modules: list[str] = source["extra_modules"]
    for name in [*PRELOADED.split(), *extra_modules]:
        try:
            __import__(name)
        except ImportError:
            pass  # not in every build of Python
    pipe = _Pipe()
    session = Guest(pipe.call, json.dumps(source["options"]))
    walls = _lock_down(source["parent"], source["memory"], extra_modules)
    pipe.send({"op": "ready", "walls": walls})
    if not walls["seccomp"]:
        return
    while True:
        message, blob = pipe.receive()
        pipe.nonce = message["nonce"]
        if message["op"] == "load":
            pipe.send({"op": "loaded", "error": _load(session, blob, message["pages"])})
        elif message["op"] == "define":
            pipe.send({"op": "defined", "error": session.define(message["code"], json.dumps(message["offered"]))})
        elif not _run(session, pipe, message):
            return


def _run(session: Guest, pipe: _Pipe, message: dict[str, Any]) -> bool:
    """Run a snippet and send its result. Return False if the runner itself failed, which ends this worker."""
    try:
        fields = json.loads(session.run(message["code"], json.dumps(message["watched"]), json.dumps(message["now"])))
    except BaseException as error:  # noqa: BLE001 - the host gets the name of any exception
        pipe.send({"op": "fatal", "error": type(error).__name__})
        return False
    pipe.send({"op": "done", **fields})
    return True


def _load(session: Guest, piece: bytearray, pages: str) -> str | None:
    try:
        session.load(piece, pages)
    except MemoryError:
        return "MemoryError"
    return None


class _Pipe:
    """Messages over standard input and output; each has the nonce of the host's last request."""

    def __init__(self) -> None:
        self.nonce = ""
        # Bound now, because a snippet can replace them in their modules.
        self._read, self._write, self._exit, self._dumps, self._loads = (
            os.read, os.write, os._exit, json.dumps, json.loads)  # fmt: skip

    def send(self, meta: dict[str, Any], blob: bytes = b"") -> None:
        text = self._dumps({**meta, "nonce": self.nonce}).encode("ascii")
        for part in (HEADER.pack(len(text), len(blob)) + text, blob):
            view = memoryview(part)
            while view:
                view = view[self._write(1, view[:CHUNK]) :]

    def receive(self) -> tuple[dict[str, Any], bytearray]:
        text_size, blob_size = HEADER.unpack(self._read_exactly(HEADER.size))
        return self._loads(self._read_exactly(text_size)), self._read_exactly(blob_size)

    def call(self, meta: str, blob: bytes) -> str:
        """Send one call of the guest and wait for the host's answer."""
        asked = self._loads(meta)
        self.send({"op": "call", "sizes": asked["sizes"], "whom": asked.get("whom", "query")}, blob)
        return self._dumps(self.receive()[0])

    def _read_exactly(self, size: int) -> bytearray:
        data = bytearray(size)
        view, at = memoryview(data), 0
        while at < size:
            chunk = self._read(0, min(size - at, CHUNK))
            if not chunk:
                self._exit(0)
            view[at : at + len(chunk)] = chunk
            at += len(chunk)
        return data


def _lock_down(parent: int, memory: int, extra_modules: list[str]) -> dict[str, bool | int]:
    _erase_paths()
    kernel.return_freed_memory(above=1 << 20)  # as a long slice of the document takes
    limits = {"as": memory, "core": 0, "fsize": ERROR_BYTES, "nofile": 16, "nproc": 0, "memlock": 0}
    walls = kernel.isolate_process(parent, syscalls.native_program, limits)
    tools = set(REMOVED_MODULES) - set(extra_modules)
    for name in [name for name in sys.modules if name.split(".")[0] in tools]:
        del sys.modules[name]
    return walls


def _erase_paths() -> None:
    """Remove every path of this machine: paths name its user, and no snippet needs them."""
    sys.argv, sys.orig_argv, sys.path = [""], [], []
    sys.path_importer_cache.clear()
    sys.meta_path[:] = [finder for finder in sys.meta_path if "Path" not in getattr(finder, "__name__", "Path")]
    for name in (
        "executable", "_base_executable", "prefix", "base_prefix", "exec_prefix", "base_exec_prefix", "_stdlib_dir",
        "pycache_prefix",
    ):  # fmt: skip
        setattr(sys, name, "")
    for module in [module for module in sys.modules.values() if isinstance(module, types.ModuleType)]:
        table = vars(module)
        for name in ("__file__", "__cached__"):
            table.pop(name, None)
        table.update({name: None for name in ("__spec__", "__loader__") if name in table})
        if "__path__" in table:
            table["__path__"] = []
    rename = getattr(__import__("_imp"), "_fix_co_filename", None)
    for function in gc.get_objects():
        if rename is not None and isinstance(function, types.FunctionType):
            rename(function.__code__, "<library>")
