"""What is compiled late, data classes and patterns, is the standard library's in all that can be seen of it."""

import copy
import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from ralph_cli.core.deferred import dataclasses as deferred
from ralph_cli.core.deferred import re as late

if TYPE_CHECKING:
    DECORATORS = (dataclass, dataclass)
else:
    DECORATORS = (dataclass, deferred.dataclass)


def make(decorate: Any) -> list[Any]:
    """One of each shape that a data class may have."""

    @decorate(frozen=True, slots=True)
    class Value:
        """A value."""

        name: str
        count: int = 3
        parts: tuple[str, ...] = field(default_factory=tuple)
        note: str = field(default="", compare=False, repr=False)

    @decorate(slots=True)
    class Changing:
        """It may be changed."""

        name: str
        seen: list[int] = field(default_factory=list)
        total: int = field(default=0, init=False)
        words: list[str] = field(default_factory=list, init=False)

        def __post_init__(self) -> None:
            self.total = len(self.name)

    @decorate(kw_only=True, frozen=True)
    class Named:
        """Its fields are named."""

        name: str
        size: int = 1

    @decorate
    class Mixed:
        """Some of its fields are named."""

        name: str
        _: dataclasses.KW_ONLY
        inner: Any = None

    @decorate(eq=False)
    class Single:
        """It is nobody else."""

        name: str

    @decorate(frozen=True)
    class Child(Named):
        """It inherits."""

        more: str = ""

    @decorate(frozen=True, slots=True)
    class One:
        """One field."""

        name: str

    @decorate(slots=True)
    class Empty:
        """No field."""

    return [Value, Changing, Named, Mixed, Single, Child, One, Empty]


def seen(action: Callable[[], object]) -> object:
    """What comes of it, or how it fails, without addresses and the names of functions."""
    try:
        return action()
    except (TypeError, AttributeError) as error:
        return type(error), str(error).rpartition(".")[2] if type(error) is TypeError else ""


def looks(made: Any) -> list[object]:
    """All that can be seen of one of these classes."""
    names = [item.name for item in dataclasses.fields(made)]
    known = {"name": "a"} if "name" in names else {}
    first, same = made(**known), made(**known)
    other = made(name="b") if known else made()
    copies = [copy.copy(first), copy.deepcopy(first), dataclasses.replace(first)]
    return [
        str(inspect.signature(made)),
        made.__match_args__,
        [(item.name, item.kw_only, item.init, item.compare) for item in dataclasses.fields(made)],
        "at 0x" in repr(first) or repr(first).rpartition("<locals>.")[2],
        dataclasses.asdict(first),
        (first == same, first == other, first != same, first == "a"),
        seen(lambda: hash(first) == hash(same)),
        [item == first for item in copies],
        [dataclasses.asdict(item) for item in copies],
        seen(lambda: made("a", "b", "c", "d", "e", "f")),
        seen(lambda: made(unknown=1)),
        seen(lambda: setattr(first, "name", "c")),
        seen(lambda: delattr(first, "name")),
        hasattr(first, "__dict__"),
    ]


@pytest.mark.parametrize("number", range(len(make(dataclass))))
def test_what_is_seen_of_a_class_is_what_the_standard_library_makes(number: int) -> None:
    assert looks(make(deferred.dataclass)[number]) == looks(make(dataclass)[number])


@deferred.dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    inner: "Point | None" = None


def test_a_frozen_value_goes_through_pickle_and_is_refused_changes() -> None:
    point = Point(1, Point(2))
    assert pickle.loads(pickle.dumps(point)) == point and len({point, Point(1, Point(2))}) == 1
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2  # type: ignore[misc]
    match point:
        case Point(1, Point(inner)):
            assert inner == 2


def test_a_class_of_the_standard_library_may_inherit_from_it() -> None:
    @dataclass(frozen=True)
    class Named(Point):
        name: str = ""

    assert Named(1, name="a") == Named(1, None, "a") != Named(2)
    with pytest.raises(FrozenInstanceError):
        Named(1).name = "b"  # type: ignore[misc]


def test_nothing_is_compiled_before_the_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    real = deferred._compile_init

    def note(cls: Any, *, frozen: bool) -> Any:
        compiled.append(cls.__name__)
        return real(cls, frozen=frozen)

    monkeypatch.setattr(deferred, "_compile_init", note)
    made = make(deferred.dataclass)[0]
    assert compiled == []
    assert made("a") == made(name="a")
    assert compiled == ["Value"]


def test_a_pattern_is_compiled_when_it_is_first_used_and_is_one_of_the_standard_library_then() -> None:
    words, broken = late.compile(r"(?P<first>\w+) (\d+)", late.ASCII), late.compile("(")
    plain = re.compile(r"(?P<first>\w+) (\d+)", re.ASCII)
    assert (words.pattern, repr(words)) == (plain.pattern, repr(plain)) and "search" not in vars(words)
    text = "page 3, page 14"
    found = words.search(text)
    assert found is not None and found["first"] == "page" and "search" in vars(words)
    for name in ("search", "match", "fullmatch", "finditer", "findall", "split"):
        mine, theirs = getattr(words, name)(text, 2), getattr(plain, name)(text, 2)
        assert (
            list(map(str, mine or ())) == list(map(str, theirs or ()))
            if name == "finditer"
            else str(mine) == str(theirs)
        )
    assert (words.sub("x", text), words.subn("x", text)) == (plain.sub("x", text), plain.subn("x", text))
    assert (words.flags, words.groups, words.groupindex) == (plain.flags, plain.groups, plain.groupindex)
    with pytest.raises(AttributeError):
        words.unknown  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(re.error):
        broken.search("a")
