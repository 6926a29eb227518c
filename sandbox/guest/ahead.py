"""Code of the host's that is compiled before a session begins, and kept in a snapshot: in WebAssembly it takes long."""

from __future__ import annotations

from types import CodeType
from typing import Any

_prepared: tuple[str, CodeType] | None = None


def prepare(code: str) -> None:
    """Compile code that the host will define, or begin with; run it in vain, so that its patterns are made, too."""
    global _prepared
    program = _compile(code)
    exec(program, {"__name__": "prelude"})
    _prepared = code, program


def execute(code: str, namespace: dict[str, Any]) -> None:
    """Run code of the host's; what was prepared of it is not compiled again."""
    if _prepared is not None and code.startswith(_prepared[0]):
        exec(_prepared[1], namespace)
        code = code[len(_prepared[0]) :]
    exec(_compile(code), namespace)


def _compile(code: str) -> CodeType:
    return compile(code, "<prelude>", "exec", dont_inherit=True)
