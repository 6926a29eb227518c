"""Words of English that say the same wherever they stand: negations, limits, numbers, months, little words. Pure."""

import re
from collections.abc import Iterable


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first; a space in one matches any white space.

    Words with the same first letter stand together, so that a long list costs little where none of them begins.
    """
    rests: dict[str, list[str]] = {}
    for word in sorted(set(words), key=lambda word: (-len(word), word)):
        rests.setdefault(word[0], []).append(re.escape(word[1:]).replace(r"\ ", r"\s+"))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(own)})" for first, own in sorted(rests.items()))
