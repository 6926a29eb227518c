"""Guest code: `rlm_query` and `rlm_query_batched`, which hand parts of the document to other workers; `sections`."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from ralph_cli.rlm.lookup.lines import _text
from ralph_cli.rlm.lookup.parts import _parts, _parts_named

# The functions of this module that a snippet finds, if its worker may have children.
CHILDREN = ("rlm_query", "rlm_query_batched", "sections")

_Finding = dict[str, Any]


class Findings(list[_Finding]):
    """What another worker found. A finding has `text`, `quotes` (each with `words`, `start`, `page` and `place` in the
    document), and `not_found`, the words that it quoted and that the document does not have. `note` says what there is
    if nothing was found. print() shows all of it.
    """

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__(answer["findings"])
        self.note: str = answer["note"]

    def __repr__(self) -> str:
        lines = [f"nothing found: {self.note}"] if not self else []
        for finding in self:
            lines.append(f"- {finding['text']}")
            lines += [f"  {it['place']}, offset {it['start']}: {it['words']}" for it in finding["quotes"]]
            lines += [f"  not in the document: {words}" for words in finding["not_found"]]
        return "\n".join(lines)

    __str__ = __repr__


def rlm_query(question: str, part: Any) -> Findings:
    """Have another worker explore `part` of the document to answer a question about it; blocks. Raises QueryError if
    that fails.

    `part` is a piece of the text, or an entry of `sections` or of the lists of pages and documents. The worker sees
    nothing else.
    """
    answer = rlm_query_batched([(question, part)])[0]
    if not isinstance(answer, Findings):
        raise answer
    return answer


def rlm_query_batched(items: Iterable[tuple[str, Any]]) -> list[Any]:
    """Have many workers explore side by side: (question, part) pairs; one that fails is a QueryError in its place."""
    pairs = [(question, _describe_part(part)) for question, part in items]
    ask: Callable[[list[tuple[str, str]]], list[Any]] = globals()["_delegate"]
    answers = ask(pairs) if pairs else []
    return [Findings(json.loads(it)) if isinstance(it, str) else it for it in answers]


def sections(words: str = "") -> list[tuple[str, int, int]]:
    """The parts under headings with these words, all without: a list of (heading, start, end)."""
    return [(part[2], part[0], part[3]) for part in (_parts_named(words) if words else _parts())]


def _describe_part(part: Any) -> str:
    """What is to be explored, as the host reads it: a place in the document, or a text that is not in it."""
    if isinstance(part, str):
        start = _text().find(part) if part else -1
        return json.dumps({"text": part} if start < 0 else {"span": [start, start + len(part)]})
    if isinstance(part, (tuple, list)) and len(part) >= 2 and all(isinstance(end, int) for end in part[-2:]):
        return json.dumps({"span": list(part[-2:])})
    raise TypeError("`part` is a piece of `context`, or an entry of sections(), `pages` or `docs`")
