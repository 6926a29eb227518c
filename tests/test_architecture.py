"""The layers and the borders, asked of the code itself."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "ralph_cli").rglob("*.py")) + sorted((ROOT / "sandbox").rglob("*.py"))
GUEST = {
    *(
        f"sandbox/guest/{name}.py"
        for name in ("touched", "probes", "names", "reports", "stand_ins", "queries", "session")
    ),
    *(f"ralph_cli/rlm/lookup/{name}.py" for name in ("lines", "rows", "find", "parts")),
    "ralph_cli/providers/offline/rank.py",
}
CHILDREN = {f"sandbox/{name}.py" for name in ("worker", "native_worker", "deno/worker", "deno/launcher", "kernel")}
CHILDREN |= {f"ralph_cli/documents/process/{name}.py" for name in ("worker", "forks", "side_by_side")}  # of a parser


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


@cache
def named(path: Path) -> list[tuple[int, str]]:
    """The dotted names of a file, each with its line."""
    nodes = (node for node in ast.walk(parsed(path)) if isinstance(node, ast.Attribute | ast.Name))
    return [(node.lineno, dotted(node)) for node in nodes]


def sources(without: set[str] = frozenset()) -> Iterator[tuple[str, Path]]:  # type: ignore[assignment]
    for path in SOURCES:
        name = path.relative_to(ROOT).as_posix()
        if name not in without:
            yield name, path


def trees() -> Iterator[tuple[str, ast.Module]]:
    return ((name, parsed(path)) for name, path in sources())


def dotted(node: ast.AST) -> str:
    """`a.b.c` of an attribute or name, else an empty string."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            head = dotted(value)
            return f"{head}.{attr}" if head else ""
        case _:
            return ""


def uses(names: set[str], without: set[str]) -> list[str]:
    """Where one of the dotted names is used. Only a file that has its letters is looked at closely."""
    near = [(name, path) for name, path in sources(without) if any(used in text_of(path) for used in names)]
    return [f"{name}:{line} {used}" for name, path in near for line, used in named(path) if used in names]


def test_the_layers_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_import_cycle_not_even_a_deferred_one() -> None:
    graph = grimp.build_graph("ralph_cli", "sandbox", cache_dir=None)
    for module in graph.modules:
        # A package that holds the module is not a way back: importing a module imports its packages anyway.
        for target in graph.find_modules_directly_imported_by(module):
            back = graph.find_shortest_chain(importer=target, imported=module)
            assert back is None, f"{module} imports {target}, which comes back: {back}"


def test_the_environment_is_read_in_one_module_only() -> None:
    assert uses({"os.environ", "os.getenv", "os.environb"}, GUEST | CHILDREN | {"ralph_cli/environment.py"}) == []


def test_printing_is_for_commands_only() -> None:
    allowed = {name for name, _ in sources() if name.startswith("ralph_cli/commands/")}
    allowed.add("ralph_cli/rlm/host_lookup.py")  # into a text
    assert uses({"print", "typer.echo", "sys.stdout", "sys.stderr"}, GUEST | CHILDREN | allowed) == []


def test_only_the_app_exits() -> None:
    app = {"ralph_cli/commands/app.py", "ralph_cli/commands/terminal/interrupts.py", "ralph_cli/__main__.py"}
    assert uses({"sys.exit", "os._exit", "exit", "quit"}, GUEST | CHILDREN | app) == []


def test_clock_and_chance_live_in_core_clock() -> None:
    names = {"time.time", "time.monotonic", "time.sleep", "datetime.now", "random.random", "uuid.uuid4"}
    names |= {"secrets.token_hex", "secrets.randbelow"}
    packages = {name for name, _ in sources() if name.startswith("sandbox/")}  # knows nobody, so it cannot ask core
    assert uses(names, packages | GUEST | {"ralph_cli/core/clock.py"}) == []


def test_every_module_opens_with_a_sentence() -> None:
    for name, tree in trees():
        doc = ast.get_docstring(tree)
        assert doc, f"{name} has no docstring"
        assert doc.splitlines()[0].rstrip().endswith((".", ":")), f"{name}: {doc.splitlines()[0]!r}"


def test_public_functions_and_classes_say_what_they_are() -> None:
    silent = [
        f"{name}:{node.lineno} {node.name}"
        for name, tree in trees()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and "overload" not in map(ast.unparse, node.decorator_list)
        and ast.get_docstring(node) is None
    ]
    assert silent == []


def test_no_utils() -> None:
    for name, _ in sources():
        assert not any(word in name for word in ("util", "helper", "manager", "handler", "common", "misc")), name


@pytest.mark.parametrize("module", ["ralph_cli", "ralph_cli.commands.app"])
def test_importing_loads_no_vendor_sdk_and_says_nothing(module: str) -> None:
    heavy = {"anthropic", "openai", "pydantic", "rich", "httpx2"}
    code = f"import sys, {module}; print(sorted(set(sys.modules) & {heavy}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_no_file_names_a_machine_or_a_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.fail("this test reads the files that git knows")
    wrong = []
    hosts = ("registry." + "npmjs", "pypi" + ".org", "files.python" + "hosted")
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in (".pdf", ".png") or not path.is_file():
            continue
        text = path.read_text("utf-8", "replace")
        wrong += [f"{name}: {host}" for host in hosts if host in text]
    assert wrong == []


def test_no_folder_holds_more_than_twelve_modules() -> None:
    folders: dict[Path, int] = {}
    for top in ("ralph_cli", "sandbox", "tests"):
        for path in (ROOT / top).rglob("*.py"):
            folders[path.parent] = folders.get(path.parent, 0) + (path.name not in ("__init__.py", "conftest.py"))
    full = {folder.relative_to(ROOT).as_posix(): count for folder, count in folders.items() if count > 12}
    assert full == {} and len(folders) > 40
    top_level = {path.stem for path in (ROOT / "ralph_cli").glob("*.py")} - {"__init__", "__main__"}
    assert len(top_level) <= 4
