"""What people read about a setting, and what a record may do to it: declared once, beside its type and default."""

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
    """Whose value counts when a run is resumed (see runs/resuming/record_fields)."""

    RECORDED = auto()
    """That of the run."""
    LOWER = auto()
    """The lower of both: a record never raises a bound."""
    ACCEPTED = auto()
    """That of now, unless a person accepts the run's: what is executed, and which other files are read and written."""
    CURRENT = auto()
    """Always that of now: where keys and files go, what a person sees."""


@dataclass(frozen=True, slots=True)
class Option:
    """A setting as people meet it: on the command line, in the environment, in the docs, in a run that is resumed."""

    group: Group
    on_resume: OnResume
    environment: tuple[str, ...]
    """Variables that set it, the first one set wins; those of the vendors for keys and addresses."""
    old_environment: tuple[str, ...]
    """Names that such a variable had before, still read, with a warning."""
    default_words: str
    """Words for a default that its value does not tell."""
    flag: str
    """Where it is not the name with dashes."""
    metavar: str | None
    secret: bool
    """Never in ralph.toml, in a record, or on a screen."""

    def help_of(self, text: str, default: object) -> str:
        """The line of `--help`: the first sentence of what it is, its default, and a variable whose name others have
        chosen.
        """
        words = "" if default is False else self.describe_default(default)
        variables = [name for name in self.environment[:1] if not name.startswith("RALPH_")]
        notes = "; ".join((*variables, *([f"default {words}"] if words else ())))
        return text.split(". ")[0].rstrip(".") + (f" ({notes})." if notes else ".")

    def describe_default(self, value: object) -> str:
        """The default in words; empty for none."""
        if self.default_words or value is None or value == ():
            return self.default_words
        if isinstance(value, bool):
            return "true" if value else "false"  # as in ralph.toml
        return f"{value:g}" if isinstance(value, float) else str(value)
