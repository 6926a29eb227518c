"""Patterns in which a space matches any white space. Pure.

The guest's look-up functions use it, too: its source is sent into the sandbox, so it imports the standard library only.
"""

import re

_ESCAPED_CLASSED_OR_SPACE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]| +(?P<quantifier>(?=[*+?{]))?")
_VERBOSE = re.compile(r"\(\?[aiLmsu]*x[aiLmsux]*(?:-[ims]+)?[:)]")


def widen_spaces(pattern: str) -> str:
    """Return a regular expression in which a space matches any white space, because a search for words ignores line
    ends.

    A space before a quantifier keeps the quantifier (" ?" is one space or none). A space in a class stays one of its
    characters. A verbose pattern, whose spaces have no meaning, is not changed.
    """
    if _VERBOSE.search(pattern):
        return pattern
    return _ESCAPED_CLASSED_OR_SPACE.sub(_widen, pattern)


def _widen(match: "re.Match[str]") -> str:
    found = match[0]
    if found[0] == " ":
        return r"\s+" if match["quantifier"] is None else r"\s" * len(found)
    return found.replace(" ", r"\s") if found[0] == "[" else found
