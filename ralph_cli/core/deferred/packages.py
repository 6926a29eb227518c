"""Defers the imports by which a package re-exports names of its own modules, until each name is used.

A vendor's SDK creates thousands of classes, one per module, and its packages offer each under a short name. A request
needs few of them. Most of these packages consist only of lines such as `from .x import y`.
"""

import builtins
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any


def defer_reexports(*packages: str) -> None:
    """Defer the re-exports of these packages from now on. A name that ends with a dot means all packages inside it.

    A package that defines functions or classes is imported as usual. This affects the whole process, so call it only in
    your own program. Errors of an import, such as a missing library, are raised when the name is used.
    """
    sys.meta_path.insert(0, _Finder(packages))


class _Finder:
    """Finds modules as the standard finder does, but loads packages of source code with `_Loader`."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages, self._beginnings = packages, tuple(name for name in packages if name.endswith("."))

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Return the spec of a module in one of the packages; None for any other module."""
        if name not in self._packages and not f"{name}.".startswith(self._beginnings):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.submodule_search_locations and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs a package's `__init__` with placeholders for the names that it imports from its own modules."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module. It runs as usual if it defines functions or classes, or if running with placeholders
        fails.
        """
        code, begun = self.get_code(module.__name__), {**vars(module)}
        if code is not None and not any(isinstance(constant, CodeType) for constant in code.co_consts):
            names = _Names(module)
            own = {"__import__": names.import_, "locals": lambda: {**names.later, **vars(module)}}
            vars(module).update(__getattr__=names.find, __builtins__={**vars(builtins), **own})
            try:
                exec(code, vars(module), names)
            except Exception:  # noqa: BLE001 - an error of the package itself occurs again below
                vars(module).clear()
                vars(module).update(begun)
            else:
                vars(module).update(__builtins__=builtins, __dir__=names.list)
                return
        super().exec_module(module)


class _Later:
    """A placeholder for a module of the package; its attributes are the `_Place` where a name will be found."""

    __all__ = ()

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> "_Place":
        return _Place((self._module, name))


class _Place(tuple[str, str]):
    """A module and a name in it. Attributes set on it are later set on the value found there."""


class _Names(dict[str, Any]):
    """The names that a package's code reads and sets; they are the names of the module."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self.later, self._whole = module, dict[str, _Place](), list[str]()

    def __setitem__(self, name: str, value: object) -> None:
        if isinstance(value, _Place):
            self.later[name] = value
            vars(self._module).pop(name, None)
        else:
            self.later.pop(name, None)
            setattr(self._module, name, value)

    def __missing__(self, name: str) -> Any:
        return self.find(name) if name in self.later else vars(self._module)[name]

    def list(self) -> "list[str]":
        """Return all names, sorted."""
        whole = (name for module in self._whole for name in _offered(import_module(module)))
        return sorted({*vars(self._module), *self.later, *whole})

    def find(self, name: str) -> Any:
        """Return the value of a name that the module does not have yet. Raises AttributeError if there is no
        such name.
        """
        package = self._module.__name__
        if name == "__all__":
            return [name for name in self.list() if name[0] != "_"]
        place = self.later.get(name)
        if place is None and not name.startswith("__"):
            if PathFinder.find_spec(f"{package}.{name}", self._module.__path__):
                return import_module(f"{package}.{name}")  # as an undeferred import would have left it
            whole = (module for module in self._whole if name in _offered(import_module(module)))
            place = next((_Place((module, name)) for module in whole), None)
        if place is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(place[0]), place[1])
        for attribute, given in vars(place).items():
            with suppress(AttributeError, TypeError):
                setattr(value, attribute, given)
        setattr(self._module, name, value)
        return value

    def import_(
        self,
        name: str,
        scope: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        wanted: Sequence[str] | None = (),
        level: int = 0,
    ) -> Any:
        """Return what an import statement of the package receives."""
        if level != 1 or not name or not wanted:
            return __import__(name, scope, local, wanted or (), level)
        where = f"{self._module.__name__}.{name}"
        self._whole += [where] if "*" in wanted else []
        return _Later(where)


def _offered(module: ModuleType) -> list[str]:
    """Return the names that `from module import *` imports."""
    return getattr(module, "__all__", None) or [name for name in vars(module) if name[0] != "_"]
