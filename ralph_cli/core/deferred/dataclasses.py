"""`dataclass` as in the standard library, whose `__init__` is compiled when it is first looked up.

To compile the methods of a class takes half a millisecond; a program imports hundreds of classes, and uses few.
"""

import dataclasses
import reprlib
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True, **options):
        """The class with the methods of a data class; `slots` and `kw_only` are taken, too."""
        if cls is None:
            return lambda cls: dataclass(cls, frozen=frozen, eq=eq, repr=repr, **options)
        if frozen and any(map(dataclasses.is_dataclass, cls.__mro__[1:])):
            # The standard library wants all of them to be frozen, and to have made them so.
            return dataclasses.dataclass(cls, frozen=True, eq=eq, repr=repr, **options)
        own = set(vars(cls))
        cls = dataclasses.dataclass(cls, init=False, eq=False, repr=False, **options)
        methods = {"__init__": _Init(cls, frozen=frozen)}
        names = [field.name for field in dataclasses.fields(cls)]
        if repr:
            methods["__repr__"] = _make_repr([field.name for field in dataclasses.fields(cls) if field.repr])
        if eq:
            values = _make_reader([field.name for field in dataclasses.fields(cls) if field.compare])
            methods |= _make_comparison(values, frozen=frozen)
        if frozen:
            methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
            if options.get("slots"):
                methods |= {"__getstate__": _make_reader(names), "__setstate__": _set_state}
        for name, method in methods.items():
            if name not in own:
                setattr(cls, name, method)
        made = cls.__dataclass_params__
        made.init, made.eq, made.repr, made.frozen = True, eq, repr, frozen  # what a class that inherits from it asks
        return cls


class _Missing:
    """The default of a field that has a factory, named as the standard library's."""

    def __repr__(self) -> str:
        return "<factory>"


_MISSING = _Missing()


class _Init:
    """Stands for the `__init__` of a class until somebody looks it up."""

    def __init__(self, cls: type, *, frozen: bool) -> None:
        self._class = cls
        self._frozen = frozen

    def __get__(self, instance: object, owner: type) -> Any:
        method = _compile_init(self._class, frozen=self._frozen)
        self._class.__init__ = method  # type: ignore[misc]
        return method.__get__(instance, owner)


def _compile_init(cls: Any, *, frozen: bool) -> Any:
    """The method that takes a value for each field, or its default."""
    scope: dict[str, Any] = {"set_field": object.__setattr__, "missing": _MISSING}
    placed, named, lines = ["self"], list[str](), list[str]()
    annotations: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        name, default, value = field.name, "", field.name
        if field.default_factory is not dataclasses.MISSING:
            scope[f"new_{name}"] = field.default_factory
            default = "=missing"
            value = f"new_{name}() if {name} is missing else {name}" if field.init else f"new_{name}()"
        elif field.default is not dataclasses.MISSING:
            scope[f"default_{name}"] = field.default
            default = f"=default_{name}"
            value = name if field.init else f"default_{name}"
        elif not field.init:
            continue
        if field.init:
            (named if field.kw_only else placed).append(name + default)
            annotations[name] = field.type
        lines.append(f"set_field(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    lines += ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    parameters = ", ".join([*placed, *(["*", *named] if named else [])])
    exec(f"def __init__({parameters}):\n " + "\n ".join(lines or ["pass"]), scope)
    method = scope["__init__"]
    method.__qualname__ = f"{cls.__qualname__}.__init__"
    method.__module__ = cls.__module__
    method.__annotations__ = {**annotations, "return": None}
    return method


def _make_reader(names: list[str]) -> Any:
    """A function from an object to the values of these fields."""
    if len(names) > 1:
        read = attrgetter(*names)
        return lambda self: read(self)  # a function, so that it can be a method
    return lambda self: tuple(getattr(self, name) for name in names)


def _make_comparison(values: Any, *, frozen: bool) -> dict[str, Any]:
    def equal(self: object, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def make_hash(self: object) -> int:
        return hash(values(self))

    return {"__eq__": equal, "__hash__": make_hash if frozen else None}


def _make_repr(names: list[str]) -> Any:
    def shown(self: object) -> str:
        return f"{self.__class__.__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return reprlib.recursive_repr()(shown)


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _set_state(self: Any, state: tuple[object, ...]) -> None:
    """What was pickled or copied: `__setattr__` would refuse it."""
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
