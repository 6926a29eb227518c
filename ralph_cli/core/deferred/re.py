"""`re` as in the standard library, but what `compile` gives is compiled when it is first used.

To compile a pattern takes a sixth of a millisecond or more. A program imports hundreds, and searches with few of them.
So a mistake in a pattern is told late, too: what others have written is compiled with the standard library's.
"""

import re as library
from re import *  # noqa: F403 - it is the same but for one name
from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    OFFERED = (
        "search",
        "match",
        "fullmatch",
        "finditer",
        "findall",
        "sub",
        "subn",
        "split",
        "flags",
        "groups",
        "groupindex",
    )

    class compile:
        """Stands for a compiled pattern, and becomes it, name for name, when it is first used."""

        def __init__(self, pattern, flags=0):
            self.pattern = pattern
            self._given = flags

        def __getattr__(self, name):
            compiled = library.compile(self.pattern, self._given)
            vars(self).update((offered, getattr(compiled, offered)) for offered in OFFERED)
            return getattr(compiled, name)

        def __repr__(self):
            return repr(library.compile(self.pattern, self._given))
