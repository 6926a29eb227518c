"""ralph: answers about long documents in which every claim is pinned to verbatim quotes.

The names in the stub beside this file are the public Python API. They are loaded when first used, so that importing
ralph costs nothing.
"""

from importlib import import_module

with open(f"{__file__}i", encoding="utf-8") as _stub:
    # Each line there is "from MODULE import NAME as NAME".
    _PUBLIC = {
        line.split()[3]: line.split()[1].removeprefix("ralph_cli.") for line in _stub if line.startswith("from ")
    }

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
