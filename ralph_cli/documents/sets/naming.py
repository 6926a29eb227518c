"""Which of several documents a person or a model means by a name, a part of it, or a number. Pure."""

from collections.abc import Sequence


def match_names(wanted: str | int, names: Sequence[str]) -> list[int]:
    """The indices of the names that are meant: that of the number, from 1, or the very name, else all that have it in
    them, whatever their case.
    """
    number = int(wanted) if str(wanted).isdecimal() and len(str(wanted)) < 6 else 0
    exact = [at for at, name in enumerate(names) if name == wanted or at + 1 == number]
    return exact or [at for at, name in enumerate(names) if str(wanted).casefold() in name.casefold()]
