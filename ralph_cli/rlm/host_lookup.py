"""The worker's look-up functions, run on the host for a judge that looks things up.

As ralph's own code, they need no sandbox.
"""

import re
from functools import partial
from io import StringIO
from threading import Lock
from typing import Any

from ralph_cli.core.document import Document
from ralph_cli.core.run import Look
from ralph_cli.rlm.bridge import lookup_facts, lookup_functions

# Hints in the output that suggest calls only a worker can make.
_CALLS = re.compile(
    r"(?:: |; )(?:more|show|section|headings|at|llm_query)\([^\n]*?\)(?: prints them| has them read)?(?=\)?$)", re.M
)


class HostLookups:
    """Runs look-ups in one document and returns what the worker's functions print."""

    def __init__(self, document: Document) -> None:
        self._lock = Lock()
        self._output = StringIO()
        pages = [(page.number, page.label, page.start, page.end) for page in document.pages]
        # The functions read the document and `print` from their globals, as they do in a sandbox.
        self._functions: dict[str, Any] = {
            "context": document.text,
            "pages": pages,
            "print": partial(print, file=self._output),
        }
        exec(compile(lookup_functions(), "lookup", "exec"), self._functions)
        self._functions |= lookup_facts(document)
        self._is_set = bool(document.members)

    def __call__(self, look: Look, *, brief: bool = False) -> str:
        """Return what a look-up prints. If it cannot run, return the reason.

        If `brief`, a search for words prints one line per hit.
        """
        with self._lock:  # runs over one document share this object, and its functions print into one text
            return self._run(look, 0 if brief else 6)

    def _run(self, look: Look, shown: int) -> str:
        self._output.seek(0)
        self._output.truncate()
        among = {"doc": look.document} if look.document and self._is_set else {}
        number = look.what.strip().casefold().removeprefix("page").strip()
        if look.kind in ("page", "table") and not number.isdecimal():
            return f"{look.what!r} is no number of a page"
        match look.kind:
            case "find":
                # Little context around each hit leaves room for many hits.
                self._functions["find"](_as_pattern(look.what), show=shown, before=1, after=1, **among)
            case "section":
                self._functions["section"](look.what, **among)
            case "page":
                self._functions["show"](int(number), **among)
            case "table":
                self._functions["table"](int(number), **among)
        first, newline, rest = _CALLS.sub("", self._output.getvalue()).strip().partition("\n")
        return f"{_without_escapes(first) if look.kind == 'find' else first}{newline}{rest}"


def _as_pattern(words: str) -> str:
    """Return a regular expression that finds the words at the start of a word; | separates alternatives.

    A judge cannot send an expression of its own, because it might run forever and nothing here would stop it.
    """
    alternatives = [" ".join(map(_escape, each.split())) for each in words.split("|") if each.strip()]
    # In a script without spaces the start of a word is unknown.
    patterns = [rf"\b{it}" if it[0].isascii() and it[0].isalnum() else it for it in alternatives]
    return "|".join(patterns) or _escape(words)


def _escape(word: str) -> str:
    """Return an expression that finds the word with any kind of quotation marks and apostrophes."""
    return (
        re.escape(word.replace("\u2019", "'").replace("\u201c", '"').replace("\u201d", '"'))
        .replace("'", "['\u2019]")
        .replace('"', '["\u201c\u201d]')
    )


def _without_escapes(line: str) -> str:
    """Return the line that counts the hits, with the words as the judge wrote them."""
    return line.replace(r"\b", "").replace("['\u2019]", "'").replace('["\u201c\u201d]', '"').replace("\\", "")
