"""Names that a package has from its own modules are imported when they are first used.

A vendor's SDK makes thousands of classes, one a module, so that its packages can offer each under a short name; a
request needs few of them. Most of those packages do nothing else, and consist of lines such as `from .x import y`.
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
    """From now on defer the re-exports of these packages. A name that ends with a dot means the packages in it.

    A package that defines functions or classes is imported as usual. This holds for the whole process, so call it only
    in a program of your own. Errors of an import, such as a missing library, are raised when the name is looked up.
    """
    sys.meta_path.insert(0, _Finder(packages))


class _Finder:
    """Finds what the usual one finds, and has packages of source code loaded by `_Loader`."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._packages, self._beginnings = packages, tuple(name for name in packages if name.endswith("."))

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """The spec of a module in one of the packages, None for any other."""
        if name not in self._packages and not f"{name}.".startswith(self._beginnings):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec and spec.submodule_search_locations and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs an `__init__` in which what is imported from its own modules stands for itself until it is looked up."""

    def exec_module(self, module: ModuleType) -> None:
        """Run it; as usual where a function looks its names up, for which nothing can stand, or where that fails."""
        code, begun = self.get_code(module.__name__), {**vars(module)}
        if code is not None and not any(isinstance(constant, CodeType) for constant in code.co_consts):
            names = _Names(module)
            own = {"__import__": names.import_, "locals": lambda: {**names.later, **vars(module)}}
            vars(module).update(__getattr__=names.find, __builtins__={**vars(builtins), **own})
            try:
                exec(code, vars(module), names)
            except Exception:  # noqa: BLE001 - if it is its own, it comes again
                vars(module).clear()
                vars(module).update(begun)
            else:
                vars(module).update(__builtins__=builtins, __dir__=names.list)
                return
        super().exec_module(module)


class _Later:
    """Stands for a module of the package: what is taken from it is where it will be found."""

    __all__ = ()

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> "_Place":
        return _Place((self._module, name))


class _Place(tuple[str, str]):
    """A module and a name in it; what is set on it will be set on what is found there."""


class _Names(dict[str, Any]):
    """The names that the code of a package sees and sets, which are those of the module."""

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
        """All names."""
        whole = (name for module in self._whole for name in _offered(import_module(module)))
        return sorted({*vars(self._module), *self.later, *whole})

    def find(self, name: str) -> Any:
        """The value of a name that the module does not have yet. Raises AttributeError."""
        package = self._module.__name__
        if name == "__all__":
            return [name for name in self.list() if name[0] != "_"]
        place = self.later.get(name)
        if place is None and not name.startswith("__"):
            if PathFinder.find_spec(f"{package}.{name}", self._module.__path__):
                return import_module(f"{package}.{name}")  # as what stands for itself would have left it
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
        """What an import statement of the package gets."""
        if level != 1 or not name or not wanted:
            return __import__(name, scope, local, wanted or (), level)
        where = f"{self._module.__name__}.{name}"
        self._whole += [where] if "*" in wanted else []
        return _Later(where)


def _offered(module: ModuleType) -> list[str]:
    """The names that `from module import *` imports."""
    return getattr(module, "__all__", None) or [name for name in vars(module) if name[0] != "_"]
