# ruff: noqa: E501 - a row of a table is a line
"""Attempts to make the host believe what did not happen, or to break its reading."""

from __future__ import annotations

from dataclasses import dataclass

FRAMES = """
import json, os, struct
def frame(meta, blob=b''):
    text = json.dumps(meta).encode()
    return struct.pack('!IQ', len(text), len(blob)) + text + blob
def nonce():
    import gc
    for o in gc.get_objects():
        if type(o).__name__ == '_Pipe':
            return o.nonce
"""


@dataclass(frozen=True, slots=True)
class Forgery:
    """Snippets run one after the other; FORGED must not be in the last result.

    `raw`: writes to the worker's own pipe, which only the native engine lets it find. `lost`: the host must have ended
    the worker.
    """

    name: str
    steps: tuple[str, ...]
    raw: bool = False
    lost: bool = False


def _raw(name: str, code: str) -> Forgery:
    return Forgery(name, (FRAMES + code,), raw=True, lost=True)


CASES = [
    Forgery("llm_query through globals", ("globals()['llm_query'] = lambda *a: 'FORGED'", "print(llm_query('q'))")),
    Forgery("context through globals", ("globals()['context'] = 'FORGED'", "print(context)")),
    Forgery("pages changed in place", ("pages.clear()\npages.append('FORGED')", "print(pages)")),
    Forgery("builtins changed", ("import builtins\nbuiltins.len = lambda x: 'FORGED'\nbuiltins.new = 'FORGED'",
                                 "print(len('a'), 'new' in dir(__builtins__))")),
    Forgery("print shadowed", ("def print(*a):\n    import sys\n    sys.stdout.write('FORGED')", "print('true')")),
    Forgery("json.dumps replaced", ("import json\njson.dumps = lambda *a, **k: '{\"stdout\": \"FORGED\", \"total\": 6}'",
                                    "print('true')")),
    Forgery("a look-up function shadowed", ("lookup = lambda: 'FORGED'", "print(lookup())")),
    Forgery("what a look-up function uses replaced", ("lookup.__globals__['helper'] = lambda: 'FORGED'", "print(lookup())")),
    Forgery("slices of the document replaced", ("type(context).__getitem__ = lambda *a: 'FORGED'", "print(context[:3])")),
    Forgery("the way to the host replaced", ("llm_query.__self__._host_call = lambda *a: 'FORGED'", "print(llm_query('q'))")),
    Forgery("the parser replaced", ("import ast, symtable\nast.parse = symtable.symtable = lambda *a: 'FORGED'", "print('true')")),
    Forgery("tracebacks replaced", ("import traceback, linecache\ntraceback.TracebackException.format = lambda *a: ['FORGED']\nlinecache.cache = None",
                                    "print('true')\n1 / 0")),
    Forgery("standard input replaced", ("import io, json\nio.StringIO = json.loads = None", "print('true')")),
    Forgery("modules thrown away", ("import sys\nsys.modules.clear()", "import json, re\nprint(json.dumps(re.findall('a', 'a')))")),
    Forgery("a trace function left behind", ("import sys\ndef spy(*a): raise ValueError('FORGED')\nsys.settrace(spy)", "print('true')")),
    Forgery("stdout kept from before", ("import sys\nold = sys.stdout", "old.write('FORGED')\nprint('true')")),
    Forgery("an exception whose text fails", ("class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",)),
    Forgery("an exception of no kind", ("class X(BaseException): pass\nraise X('z')",)),
    Forgery("a value whose repr raises", ("class E:\n    def __repr__(self): raise KeyboardInterrupt\nE()",)),
    Forgery("a repr that is no str", ("class E:\n    def __repr__(self): return 5\nE()",)),
    Forgery("a str that lies about its length", ("class S(str):\n    def __len__(self): return 10 ** 9\nprint(S('x'))\nS('y')",)),
    Forgery("half characters printed", ("print('\\ud800\\0 \\udfff')\n'\\ud83d'",)),
    Forgery("half characters asked", ("llm_query('\\ud800', '\\0')",)),
    Forgery("arguments of other types", ("llm_query({'a': 1}, None)",)),
    Forgery("a subclass of str asked", ("class S(str):\n    def encode(self, *a): return b'FORGED' * 10 ** 6\nllm_query(S('q'))",)),
    Forgery("sizes that do not fit", ("c = llm_query.__self__._host_call\nc('{\"sizes\": [5, 10]}', b'abc')",), lost=True),
    Forgery("negative sizes", ("c = llm_query.__self__._host_call\nc('{\"sizes\": [-3, 6]}', b'abc')",), lost=True),
    Forgery("sizes that are no numbers", ("c = llm_query.__self__._host_call\nc('{\"sizes\": [true, \"a\"]}', b'ab')",), lost=True),
    Forgery("an odd count of parts", ("c = llm_query.__self__._host_call\nc('{\"sizes\": [1, 1, 1]}', b'abc')",), lost=True),
    Forgery("more parts than a batch", ("c = llm_query.__self__._host_call\nc('{\"sizes\": [' + '0,' * 9999 + '0]}', b'')",), lost=True),
    Forgery("text that is not UTF-8", ("c = llm_query.__self__._host_call\nc('{\"sizes\": [2, 0]}', b'\\xff\\xfe')",), lost=True),
    Forgery("a result of one's own making", (
        "import gc\nfor o in gc.get_objects():\n    if type(o).__name__ == 'Guest':\n"
        "        type(o).run = lambda self, code: '{\"stdout\": 5, \"total\": \"FORGED\", \"value\": [], \"error\": {}}'",
        "1")),
    _raw("a result without the nonce", "os.write(1, frame({'op': 'done', 'stdout': 'FORGED', 'total': 6}))"),
    _raw("a result with a guessed nonce", "os.write(1, frame({'op': 'done', 'nonce': '0' * 32, 'stdout': 'FORGED', 'total': 6}))"),
    _raw("an unknown message", "os.write(1, frame({'op': 'read_file', 'nonce': nonce(), 'path': '/etc/passwd'}))"),
    _raw("a result that lies about its size", "os.write(1, frame({'op': 'done', 'nonce': nonce(), 'stdout': 'FORGED', 'total': 1}))\nwhile True: pass"),
    _raw("a result of wrong types", "os.write(1, frame({'op': 'done', 'nonce': nonce(), 'stdout': ['FORGED'], 'total': 6}))\nwhile True: pass"),
    _raw("garbage", "os.write(1, b'\\xff' * 64)"),
    _raw("a giant header", "os.write(1, struct.pack('!IQ', 2 ** 32 - 1, 2 ** 63))"),
    _raw("nested JSON", "b = b'[' * 500_000\nos.write(1, struct.pack('!IQ', len(b), 0) + b)"),
    _raw("a number of a million digits", "b = b'{\"op\": ' + b'9' * 10 ** 6 + b'}'\nos.write(1, struct.pack('!IQ', len(b), 0) + b)"),
    _raw("not an object", "os.write(1, frame([1, 2]))"),
    _raw("half a message", "os.write(1, struct.pack('!IQ', 100, 0) + b'{')\nwhile True: pass"),
    _raw("the host's answer stolen", "os.write(1, frame({'op': 'call', 'nonce': nonce(), 'sizes': [1, 0]}, b'q'))\nwhile True: pass"),
]  # fmt: skip
