"""What gives a command the options of the settings that it takes, and its help the headings over them."""

import difflib
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from ralph_cli.core.errors import UserError

Build = Callable[[], Any]
"""Builds a click command."""

HELP_FLAGS = {"help_option_names": ["-h", "--help"]}

CHECKED_BY_TYPER = (bool, Path)
"""What else a setting is, is given as a text, which the settings parse: they say what is wrong, as it was typed."""

BOUNDS = ("max_time", "max_cost", "max_calls", "max_tokens", "prices")
"""What every command takes that asks a model."""

RUN = (
    "model", "subquery_model", "strategy", "max_steps", "output_chars", "max_subqueries", "max_depth", "max_children",
    "max_parallel",
    "max_rate", "max_call_time", *BOUNDS,
    "max_failures", "out", "sandbox", "require_walls", "ocr", "ocr_language", "otel", "otel_texts",
)  # fmt: skip
"""What every command takes that lets a worker read a document."""

JUDGED = (
    "judge_model", "context_chars", "strict", "verify_with_model", "verifier_model", "skip_last_verification",
    "min_coverage", "max_lost", "score_threshold", "quote_chars", "allow_hidden_text", "retry", "max_iterations",
    "language", "judge_looks",
)  # fmt: skip
"""What every command takes, too, whose results are judged."""

Given = dict[str, Any]
"""The settings that a person gave on the command line."""


def takes(*names: str, **helps: str) -> Callable[[Callable[..., int]], Build]:
    """Give a command the options of these settings; those that a person gave are its first argument, `given`.

    A keyword is a setting whose help is the command's own, also of one that is named before. What is decorated becomes
    the function that builds the command, for `Late`: to load the settings takes longer than `ralph --help` may.
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
    """A command that is built when it is used, by its callback."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        """The context of the command that is built."""
        assert self.callback is not None
        return self.callback().make_context(*args, **extra)


class Interrupted(Exception):
    """A command was interrupted. `notes` say what is kept of its run."""

    def __init__(self, notes: list[str]) -> None:
        super().__init__(*notes)
        self.notes = notes


class CommandGroups(TyperGroup):
    """A group whose help shows its commands under headings, in the order in which they were added."""

    def invoke(self, ctx: Any) -> Any:
        """The command's result. Raises Interrupted: of a KeyboardInterrupt the library would leave only a number."""
        try:
            return super().invoke(ctx)
        except BaseException as error:
            # A library that calls us back may make another error of it.
            if isinstance(error, KeyboardInterrupt) or isinstance(error.__cause__, KeyboardInterrupt):
                raise Interrupted(getattr(error, "__notes__", [])) from error
            raise

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names; UserError that says which may be meant."""
        name = args[0]
        if name.startswith("-") or self.get_command(ctx, name) is not None:
            return super().resolve_command(ctx, args)
        hint = self._meant_by(ctx, name) or f"`{ctx.command_path} --help` shows the commands"
        raise UserError(f"there is no command {name}", code="usage", hint=hint)

    def _meant_by(self, ctx: Any, name: str) -> str:
        groups = {title: item.commands for title, item in self.commands.items() if isinstance(item, TyperGroup)}
        words = [f"{group} {name}" for group, commands in groups.items() if name in commands]
        words += [f"--{name}" for option in self.get_params(ctx) if f"--{name}" in option.opts]
        if "qa" in self.commands and (" " in name or Path(name).is_file()):
            words.append("qa DOCUMENT QUESTION")
        words += difflib.get_close_matches(name, self.list_commands(ctx), n=1)
        return f"did you mean `{ctx.command_path} {words[0]}`?" if words else ""

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
    """A command whose help shows the options in groups, as rich help would, in plain text."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for each group: the command's own first, then those of settings as they are declared."""
        from ralph_cli.core.option import Group

        self._describe_settings(ctx)
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

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """What a shell proposes behind `incomplete`."""
        self._describe_settings(ctx)
        return super().shell_complete(ctx, incomplete)

    def _describe_settings(self, ctx: Any) -> None:
        """Give the options of settings their help, which takes long to read and which no command needs."""
        from ralph_cli.config import OPTIONS, Settings, describe_settings

        parameters: list[Any] = self.get_params(ctx)
        for parameter in parameters:
            option = OPTIONS.get(parameter.name)
            if option is not None and parameter.help is None:
                text, default = describe_settings()[parameter.name], Settings.model_fields[parameter.name].default
                parameter.help = option.help_of(text, default)


def _parameters(names: tuple[str, ...], helps: Mapping[str, str]) -> Iterator[Parameter]:
    """The parameters of these settings, in the order in which they are declared."""
    from ralph_cli.config import OPTIONS, Settings

    if unknown := {*names, *helps} - set(OPTIONS):
        raise ValueError(f"no such settings: {sorted(unknown)}")
    for name, option in OPTIONS.items():
        if name not in names and name not in helps:
            continue
        field = Settings.model_fields[name]
        kinds = (field.annotation, *get_args(field.annotation))
        flag = option.flag or f"--{name.replace('_', '-')}"
        declared = typer.Option(
            None,
            f"{flag}/{flag.replace('--', '--no-', 1)}" if field.default is True else flag,
            help=helps.get(name),
            metavar=option.metavar or next((f"<{kind.__name__}>" for kind in (int, float) if kind in kinds), None),
            rich_help_panel=option.group.value,
        )
        kind: Any = next((kind for kind in kinds if kind in CHECKED_BY_TYPER), str)
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=declared, annotation=kind | None)
