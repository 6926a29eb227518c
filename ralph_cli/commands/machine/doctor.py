"""`ralph doctor`: tries what ralph needs on this machine."""

import platform
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ralph_cli.commands.machine.services import Line, ask_services, check_services

if TYPE_CHECKING:
    from ralph_cli.config import Settings


def doctor(
    runtime: Annotated[
        Path | None, typer.Option(help="Install the sandbox's runtime from this npm package file (.tgz).")
    ] = None,
    fetch: Annotated[bool, typer.Option("--fetch", help="Only fetch the sandbox's runtime, if it is missing.")] = False,
    live: Annotated[bool, typer.Option("--live", help="Make one small call to each configured service.")] = False,
    model: Annotated[
        list[str] | None, typer.Option(help="With --live, also ask this model (vendor:model). May be given again.")
    ] = None,
) -> int:
    """Check engines, sandbox isolation, keys, versions and the cache; fetch the sandbox's runtime if it is missing."""
    from ralph_cli import config
    from ralph_cli.core.errors import EngineError, UserError
    from ralph_cli.reports.safe_text import one_line
    from sandbox import SandboxUnavailable

    settings = config.load_settings()
    if model and not live:
        raise UserError("--model needs --live", code="usage", hint="ralph doctor --live --model NAME")
    try:
        if runtime is not None:
            from sandbox.deno.runtime import install_runtime

            typer.echo(f"installed in {install_runtime(runtime, settings.cache_folder)}", err=True)
        if fetch:
            return _fetch(settings)
    except SandboxUnavailable as error:
        raise EngineError(str(error.args[0]), code="no-runtime", hint=error.hint) from error
    well = True
    services = chain(check_services(settings), ask_services(settings, tuple(model or ())) if live else ())
    checks = chain(_check_versions(), services, _check_folders(settings), _check_engines(settings))
    for good, what, seen in checks:
        mark = {True: "ok  ", False: "BAD ", None: "-   "}[good]
        typer.echo(f"{mark} {one_line(what)}: {one_line(seen)}")
        well = well and good is not False
    typer.echo("Everything is working." if well else "Something is wrong: see the lines marked BAD.")
    return 0 if well else 1


def _fetch(settings: "Settings") -> int:
    from ralph_cli.environment import fetch_environment
    from sandbox.deno.runtime import ensure_runtime, find_deno

    folder = ensure_runtime(settings.cache_folder, deno=find_deno(), env=fetch_environment(), on_wait=_print_wait)
    typer.echo(f"the runtime is in {folder}")
    return 0


def _check_versions() -> Iterator[Line]:
    from importlib.metadata import PackageNotFoundError, version

    from ralph_cli import __version__

    yield True, "ralph", f"{__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    found = []
    for name in ("anthropic", "openai", "pypdfium2", "deno", "genai-prices"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} missing")
    yield not any("missing" in item for item in found), "packages", ", ".join(found)


def _check_folders(settings: "Settings") -> Iterator[Line]:
    import tempfile

    for what, folder in (("cache", settings.cache_folder), ("runs", settings.out)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"x")
            yield True, what, f"{folder} can be written"
        except OSError as error:
            yield False, what, f"{folder}: {error.strerror or error}"


def _check_engines(settings: "Settings") -> Iterator[Line]:
    """Try both engines. Only a fault of the engine that runs would use counts."""
    from ralph_cli.environment import fetch_environment
    from ralph_cli.rlm.bridge import lookup_functions
    from sandbox.selfcheck import check

    used = "pyodide" if settings.sandbox == "auto" else settings.sandbox
    engines = ("pyodide", "native") if sys.platform == "linux" else ("pyodide",)
    for engine in engines:
        wrong = False if engine == used else None
        missing = wrong if settings.require_walls else None
        found = check(
            engine,
            cache=settings.cache_folder,
            fetch_env=fetch_environment(),
            on_wait=_print_wait,
            ahead=lookup_functions(),
        )
        for item in found:
            good = {True: True, False: wrong, None: missing}[item.ok]
            yield good, f"sandbox {engine} {item.name}", item.detail


def _print_wait(what: str) -> None:
    typer.echo(f"{what} ...", err=True)
