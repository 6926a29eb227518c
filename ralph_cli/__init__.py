"""ralph: answers about long documents in which every claim is pinned to verbatim quotes.

The names below are the public Python API; they are loaded when first used, so that importing ralph costs nothing.
"""

from importlib import import_module

__version__ = "0.1.0"

_PUBLIC = {"ask": "ralph_cli.api", "Finished": "ralph_cli.api", "Settings": "ralph_cli.config"}

__all__ = ["Finished", "Settings", "__version__", "ask"]


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
