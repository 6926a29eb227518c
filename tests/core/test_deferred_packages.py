"""Packages whose names are imported when they are looked up are, to all who use them, the packages that they were."""

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ralph_cli.core.deferred.packages import defer_reexports

SOURCES = {
    "__init__.py": "from ._one import One as One, Two\nfrom .stars import *\nfrom .inner import types, same\n"
    "from ._renamed import Real as Shown\n__all__ = ['One', 'Two', 'Shown']\nName = Two\n__here = locals()\n"
    "for __name in __all__:\n    __here[__name].__module__ = 'offering'\n",
    "_one.py": "class One: pass\nclass Two: pass\n",
    "_renamed.py": "class Real: pass\n",
    "again/__init__.py": "name = 1\nfrom .part import name\n",
    "again/part.py": "name = 2\n",
    "alone.py": "class Alone: pass\n",
    "lacking.py": "import a_library_that_nobody_has\n",
    "same.py": "value = 'the module'\n",
    "stars/__init__.py": "from ._far import Starred, _Hidden\n",
    "stars/_far.py": "class Starred: pass\nclass _Hidden: pass\n",
    "inner/__init__.py": "from ._deep import Deep as same\nfrom . import types\n",
    "inner/_deep.py": "class Deep: pass\n",
    "inner/types.py": "value = 1\n",
    "making/__init__.py": "from .part import Part\ndef make(): return Part()\n",
    "making/part.py": "class Part: pass\n",
    "using/__init__.py": "from .part import Part\nUNION = {'parts': [Part]}\nKIND = locals()['Part'].KIND\n",
    "using/part.py": "class Part: KIND = 'used'\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package `offering`, whose names are imported late."""
    for name, text in SOURCES.items():
        path = tmp_path / "offering" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", sys.meta_path[:])
    defer_reexports("offering.")
    yield "offering"
    for name in [name for name in sys.modules if name.partition(".")[0] == "offering"]:
        del sys.modules[name]


def test_a_module_is_imported_when_a_name_of_it_is_looked_up(package: str) -> None:
    offering = importlib.import_module(package)
    assert "offering._renamed" not in sys.modules
    assert "offering.stars._far" not in sys.modules
    from_module = importlib.import_module("offering._renamed").Real
    assert offering.Shown is from_module
    assert offering.Starred is sys.modules["offering.stars._far"].Starred
    assert offering.Name is offering.Two, "what the package itself looks up is there at once"
    assert offering.alone.Alone.__name__ == "Alone", "a module of it is there as soon as somebody asks for it"
    assert offering.same.__name__ == "Deep", "a name that it has given wins over the module of that name"


def test_what_a_package_sets_on_a_name_that_is_not_there_yet_is_set_when_it_is(package: str) -> None:
    offering = importlib.import_module(package)
    assert [getattr(offering, name).__module__ for name in offering.__all__] == ["offering"] * 3


def test_what_is_offered_is_listed_and_what_is_not_is_refused(package: str) -> None:
    offering, stars = importlib.import_module(package), importlib.import_module("offering.stars")
    assert {"One", "Shown", "Starred", "Name", "__name__"} <= set(dir(offering))
    assert "_Hidden" not in dir(offering)
    assert stars.__all__ == ["Starred"]
    with pytest.raises(AttributeError, match="module 'offering' has no attribute 'Nothing'"):
        _ = offering.Nothing
    with pytest.raises(AttributeError):
        _ = offering._Hidden
    with pytest.raises(ModuleNotFoundError, match="a_library_that_nobody_has"):
        _ = offering.lacking


def test_a_package_that_does_more_than_offer_names_is_imported_as_usual(package: str) -> None:
    making, using = importlib.import_module("offering.making"), importlib.import_module("offering.using")
    assert isinstance(making.make(), making.Part)
    assert not hasattr(making, "__getattr__")
    assert using.UNION["parts"] == [using.Part]
    assert using.KIND == "used"
    assert importlib.import_module("offering.again").name == 2


def test_only_the_packages_that_were_named_are_imported_so(package: str) -> None:
    sys.meta_path[0] = type(sys.meta_path[0])(("offering",))  # type: ignore[call-arg]
    offering = importlib.import_module(package)
    assert "offering._renamed" not in sys.modules
    assert "offering.stars._far" in sys.modules or offering.Starred
    assert not hasattr(offering.stars, "__getattr__")


SAME = """
import sys, types
from importlib import import_module
from pkgutil import walk_packages
from ralph_cli.commands.app import SDK_PACKAGES
from ralph_cli.core.deferred.packages import defer_reexports
defer_reexports(*SDK_PACKAGES)
late = 0
for sdk in map(import_module, ("anthropic", "openai")):
    packages = [found.name for found in walk_packages(sdk.__path__, sdk.__name__ + ".", lambda name: None)
                if found.ispkg and (found.name + ".").startswith(SDK_PACKAGES[1:])]
    for package in map(import_module, [sdk.__name__, *packages]):
        if "__getattr__" not in vars(package) or "_Names" not in repr(package.__getattr__):
            continue
        late += 1
        usual = types.ModuleType(package.__name__)
        usual.__path__, usual.__package__ = package.__path__, package.__name__
        exec(package.__loader__.get_code(package.__name__), vars(usual))
        names = [name for name in vars(usual) if not name.startswith("__")]
        assert set(names) <= set(dir(package)), (package, set(names) - set(dir(package)))
        for name in names:
            found = getattr(package, name)
            module = sys.modules.get(f"{package.__name__}.{name}")  # an import of it sets it, in either way
            assert found is getattr(usual, name) or found is module, (package, name)
assert late > 50, late
"""


@pytest.mark.full
def test_every_name_of_the_sdks_is_what_it_would_have_been() -> None:
    subprocess.run([sys.executable, "-c", SAME], check=True)


COUNT = """
import sys
from ralph_cli.commands import app
sys.argv = ["ralph", "ls", "--help"]
try:
    app.main()
except SystemExit:
    from openai import OpenAI
    OpenAI(api_key="none")
    raise SystemExit("openai.types.responses.response" in sys.modules or "openai.types.graders" in sys.modules)
"""


def test_the_command_line_imports_of_an_sdk_what_it_uses() -> None:
    subprocess.run([sys.executable, "-c", COUNT], check=True, stdout=subprocess.DEVNULL)


def test_a_program_that_imports_ralph_has_its_own_imports() -> None:
    code = "import sys\nbefore = sys.meta_path[:]\nimport ralph_cli.api\nsys.exit(before != sys.meta_path)"
    subprocess.run([sys.executable, "-c", code], check=True)
