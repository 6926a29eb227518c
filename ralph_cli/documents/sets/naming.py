"""Finds the documents that a user or a model means by a name, a part of it, or a number. Pure."""

from collections.abc import Sequence


def match_names(wanted: str | int, names: Sequence[str]) -> list[int]:
    """Return the indices of the matching names.

    A number (from 1) or an exact name matches itself. Otherwise all names that contain `wanted` match; case is
    ignored.
    """
    number = int(wanted) if str(wanted).isdecimal() and len(str(wanted)) < 6 else 0
    exact = [at for at, name in enumerate(names) if name == wanted or at + 1 == number]
    return exact or [at for at, name in enumerate(names) if str(wanted).casefold() in name.casefold()]
