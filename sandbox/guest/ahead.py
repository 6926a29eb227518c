"""Code of the host that is compiled before a session and kept in a snapshot, because that is slow in WebAssembly."""

from __future__ import annotations

from types import CodeType
from typing import Any

_prepared: tuple[str, CodeType] | None = None


def prepare(code: str) -> None:
    """Compile the beginning of the code that the host will define, and run it once to compile its patterns."""
    global _prepared
    program = _compile(code)
    exec(program, {"__name__": "prelude"})
    _prepared = code, program


def execute(code: str, namespace: dict[str, Any]) -> None:
    """Run code of the host without compiling the prepared part again."""
    if _prepared is not None and code.startswith(_prepared[0]):
        exec(_prepared[1], namespace)
        code = code[len(_prepared[0]) :]
    exec(_compile(code), namespace)


def _compile(code: str) -> CodeType:
    return compile(code, "<prelude>", "exec", dont_inherit=True)
