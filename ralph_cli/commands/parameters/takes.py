"""Adds the options of settings to commands, and groups options and commands under headings in `--help`."""

from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

# Builds a command of typer.
Build = Callable[[], Any]

HELP_FLAGS = {"help_option_names": ["-h", "--help"]}

# Types that typer parses. All others reach the settings as text, so that their errors repeat what was typed.
CHECKED_BY_TYPER = (bool, Path)

# Settings of every command that asks a model.
BOUNDS = ("max_time", "max_cost", "max_calls", "max_tokens", "prices")

# Settings of every command in which a worker reads a document.
RUN = (
    "model", "subquery_model", "strategy", "max_steps", "output_chars", "max_subqueries", "max_depth", "max_children",
    "max_parallel",
    "max_rate", "max_call_time", *BOUNDS,
    "max_failures", "out", "sandbox", "require_walls", "ocr", "ocr_language", "otel", "otel_texts",
)  # fmt: skip

# Further settings of every command whose results are judged.
JUDGED = (
    "judge_model", "context_chars", "strict", "verify_with_model", "verifier_model", "skip_last_verification",
    "min_coverage", "max_lost", "score_threshold", "quote_chars", "allow_hidden_text", "retry", "max_iterations",
    "language", "judge_looks",
)  # fmt: skip

# The settings given on the command line.
Given = dict[str, Any]


def takes(*names: str, **helps: str) -> Callable[[Callable[..., int]], Build]:
    """Add the options of these settings to a command, which gets the values that were given as its argument `given`.

    A keyword names a setting and gives it a help text of this command's own. The decorated function becomes one that
    builds the command, for `Late`: loading the settings would slow down `ralph --help`.
    """

    def decorate(command: Callable[..., int]) -> Build:
        def collect(**values: Any) -> int:
            settings = {name: values.pop(name) for name in {*names, *helps}}
            given = {name: value for name, value in settings.items() if value is not None}
            return command(given, **values)

        def build() -> Any:
            _, *own = signature(command).parameters.values()
            collect.__signature__ = Signature([*own, *_parameters(names, helps)])  # type: ignore[attr-defined]
            app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=HELP_FLAGS)
            app.command(command.__name__, cls=Grouped, help=command.__doc__)(collect)
            return get_command(app)

        build.__doc__ = command.__doc__
        return build

    return decorate


class Late(TyperCommand):
    """A command that its callback builds when it is used."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """Return the context of the built command."""
        assert self.callback is not None
        return self.callback().make_context(*args, **extra)


class Interrupted(Exception):
    """Raised when a command is interrupted; `notes` say what is kept of its run."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__(*notes)
        self.notes = notes


class CommandGroups(TyperGroup):
    """A group of commands whose help shows them under headings, in the order in which they were added."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command. Raises Interrupted instead of KeyboardInterrupt, of which typer keeps only an exit code."""
        try:
            return super().invoke(ctx)
        except BaseException as error:
            # A library that called us may have raised another error from it.
            if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
                raise Interrupted(getattr(error, "__notes__", [])) from error
            raise

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None:
                heading = getattr(command, "rich_help_panel", None) or "Commands"
                sections.setdefault(str(heading), []).append((name, command.get_short_help_str(200)))
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


class Grouped(TyperCommand):
    """A command whose help shows its options in groups, in plain text."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group: first the command's own options, then those of settings as declared."""
        from ralph_cli.core.option import Group

        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        sections |= {group.value: [] for group in Group}
        for parameter in self.get_params(ctx):
            default = "Options" if parameter.param_type_name == "option" else "Arguments"
            record = parameter.get_help_record(ctx)
            if record is not None:
                sections[getattr(parameter, "rich_help_panel", None) or default].append(record)
        for heading, records in sections.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


def _parameters(names: tuple[str, ...], helps: Mapping[str, str]) -> Iterator[Parameter]:
    """Yield the parameters of these settings, in the order in which they are declared."""
    from ralph_cli.config import OPTIONS, Settings, describe_settings

    if unknown := {*names, *helps} - set(OPTIONS):
        raise ValueError(f"no such settings: {sorted(unknown)}")
    texts = describe_settings()
    for name, option in OPTIONS.items():
        if name not in names and name not in helps:
            continue
        field = Settings.model_fields[name]
        kinds = (field.annotation, *get_args(field.annotation))
        flag = option.flag or f"--{name.replace('_', '-')}"
        declared = typer.Option(
            None,
            f"{flag}/{flag.replace('--', '--no-', 1)}" if field.default is True else flag,
            help=helps.get(name) or option.help_of(texts[name], field.default),
            metavar=option.metavar or next((f"<{kind.__name__}>" for kind in (int, float) if kind in kinds), None),
            rich_help_panel=option.group.value,
        )
        kind: Any = next((kind for kind in kinds if kind in CHECKED_BY_TYPER), str)
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=declared, annotation=kind | None)
