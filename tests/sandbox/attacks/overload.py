# ruff: noqa: E501 - a row of a table is a line
"""Snippets that would use up time, memory, output, the stack, or the worker itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Overload:
    """`says`: words of which one must be in the error; empty: the snippet may also run through.

    `kept`: the worker and its variables survive it. `full`: ends as another case does, by the same wall, and costs a new worker: only `.ci/full` runs it.
    """

    name: str
    code: str
    says: tuple[str, ...] = ()
    full: bool = False
    kept: bool = False


TIME, MEMORY = ("time limit",), ("MemoryError", "memory limit", "the worker died", "time limit")

CASES = [
    Overload("endless loop", "while True: pass", TIME, full=True),
    Overload("a loop that catches all", "while True:\n    try:\n        while True: pass\n    except: pass", TIME),
    Overload("a regular expression that backtracks", "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')", TIME),
    Overload("a giant power", "x = 10 ** 10 ** 8\nx = x * x", (*TIME, *MEMORY), full=True),
    Overload("sleep", "import time\ntime.sleep(10 ** 6)", TIME, full=True),
    Overload("an endless repr", "class E:\n    def __repr__(self):\n        while True: pass\nE()", TIME, full=True),
    Overload("an endless message", "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E", TIME),
    Overload("an endless iterator as a batch", "llm_query_batch(('q', '') for _ in iter(int, 1))", ("at most 256",)),
    Overload("a list that does not fit", "x = [0] * 10 ** 10", ("MemoryError", "OverflowError")),
    Overload("bytes that do not fit", "x = bytes(10 ** 10)", ("MemoryError", "OverflowError")),
    Overload("a string that doubles", "s = 'ab' * 1000\nwhile True: s += s", MEMORY, full=True),
    Overload("many strings", "kept = []\nwhile True: kept.append('x' * 10 ** 6 + str(len(kept)))", MEMORY, full=True),
    Overload("memory, and never mind the error", "kept = []\nwhile True:\n    try: kept.append('x' * 10 ** 7 + str(len(kept)))\n"
             "    except MemoryError: pass", MEMORY),
    Overload("recursion", "def f(): return f()\nf()", ("RecursionError", "the worker died")),
    Overload("recursion without a limit", "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return f(n + 1)\nf(0)",
             ("RecursionError", *MEMORY)),
    Overload("recursion in repr", "a = []\nfor _ in range(200_000): a = [a]\nlen(repr(a))", ("RecursionError", *MEMORY), full=True),
    Overload("nested brackets", "eval('(' * 100_000 + ')' * 100_000)", ("SyntaxError", "MemoryError", "the worker died")),
    Overload("nested JSON", "import json\njson.loads('[' * 500_000)", ("RecursionError", *MEMORY), full=True),
    Overload("a hundred megabytes printed", "for _ in range(100): print('x' * 10 ** 6)"),
    Overload("ten million lines printed", "for _ in range(10 ** 7): print('y' * 50)", full=True),
    Overload("a hundred megabytes of value", "'v' * 10 ** 8"),
    Overload("a prompt of 300 megabytes", "llm_query('q' * 300_000_000)", ("at most 400,000", *MEMORY)),
    Overload("a batch of a million", "llm_query_batch(['q'] * 10 ** 6)", ("at most 256",)),
    Overload("a batch with one giant", "raise llm_query_batch(['q', 'r' * 500_000])[1]", ("item 1", )),
    Overload("exit", "import sys\nsys.exit(3)", ("SystemExit",)),
    Overload("exit at once", "import os\nos._exit(0)", ("the worker died", "PermissionError")),
    Overload("abort", "import os\nos.abort()", ("the worker died", "PermissionError")),
    Overload("five thousand threads", "import threading, time\n"
             "for _ in range(5000): threading.Thread(target=time.sleep, args=(100,)).start()", ("Error",)),
    Overload("a null pointer", "import ctypes\nctypes.string_at(0, 10 ** 9)"),
    Overload("close standard output", "import os\nfor n in range(3): os.close(n)", kept=True),
    Overload("who am I", "import os\nos.getuid()", kept=True),
    Overload("a signal to itself", "import signal\nsignal.raise_signal(9)", ("PermissionError",), kept=True),
    Overload("a signal by number", "import os\nos.kill(os.getpid(), 15)", ("PermissionError",), kept=True),
]  # fmt: skip
