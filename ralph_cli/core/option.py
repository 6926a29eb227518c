"""Describes a setting for people and for resumed runs; declared once, next to the setting's type and default."""

from dataclasses import dataclass
from enum import Enum, auto


class Group(Enum):
    """The headings under which `--help` shows the options, in this order."""

    MODELS = "Models"
    ANSWER = "Answer"
    CHECKS = "Checks"
    WORK = "Work"
    LIMITS = "Limits"
    OUTPUT = "Output"
    MACHINE = "Machine"


class OnResume(Enum):
    """Whose value of a setting counts when a run is resumed (see runs/resuming/record_fields)."""

    RECORDED = auto()
    """The value in the run's record."""
    LOWER = auto()
    """The lower of the two values: a record never raises a limit."""
    ACCEPTED = auto()
    """The current value, unless a person accepts the recorded one: for code to run and other files to read or write."""
    CURRENT = auto()
    """Always the current value: where keys and files go, and what a person sees."""


@dataclass(frozen=True, slots=True)
class Option:
    """A setting as people see it: on the command line, in the environment, in the docs and when resuming a run."""

    group: Group
    on_resume: OnResume
    environment: tuple[str, ...]
    """Environment variables for the setting; the first one set wins. Keys and addresses use the vendors' names."""
    old_environment: tuple[str, ...]
    """Former names of the variables, which still work with a warning."""
    default_words: str
    """A description of the default, if its value does not explain itself."""
    flag: str
    """The command-line flag, if it differs from the name with dashes."""
    metavar: str | None
    secret: bool
    """Whether the value must never be in ralph.toml, in a record, or on a screen."""

    def help_of(self, text: str, default: object) -> str:
        """Return the line of `--help`: the description's first sentence, the default, and a variable whose name is a
        vendor's.
        """
        words = "" if default is False else self.describe_default(default)
        variables = [name for name in self.environment[:1] if not name.startswith("RALPH_")]
        notes = "; ".join((*variables, *([f"default {words}"] if words else ())))
        return text.split(". ")[0].rstrip(".") + (f" ({notes})." if notes else ".")

    def describe_default(self, value: object) -> str:
        """Return the default in words; empty if there is no default."""
        if self.default_words or value is None or value == ():
            return self.default_words
        if isinstance(value, bool):
            return "true" if value else "false"  # as in ralph.toml
        return f"{value:g}" if isinstance(value, float) else str(value)
