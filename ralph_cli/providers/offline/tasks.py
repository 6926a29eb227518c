"""The offline engine in task mode: it gathers passages, writes them down as they are, and compares."""

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ralph_cli.core.model import Json
from ralph_cli.providers.offline.rank import query_terms

TASK_WORDS = re.compile(
    r"\b(?:summar\w*|overview|abstract|digest|gist|outline|brief(?:ing)?|highlights?|essence|main|key|points?|important"
    r"|describe|review|whole|entire|document|text|paragraphs?|bullets?|sentences?|words?|page|short|write)\b",
    re.IGNORECASE,
)
"""Words of tasks about a whole document, which need not occur in it."""

TARGET_ITEMS, MAX_ITEMS = 8, 16
"""Items of a brief that the engine looks for, and that it hands in at most."""

NOTE_ITEMS = 3
_LIST_MARK = re.compile(r"^\s*(?:[-*+>\u2022]\s+|#{1,6}\s+|\(?\d{1,3}[.)]\s+)*")
_BULLET = re.compile(r"^(?:[-*+#\u2022]+\s+)+")
_PAGE = re.compile(r"\s*\(p\. \d+\)\s*$")


def topic_words(task: str) -> str:
    """What a task asks about, without the words that only say what kind of work it is; may be empty."""
    words = " ".join(TASK_WORDS.sub(" ", task).split())
    return words if query_terms(words) else ""


def write_output(inputs: Mapping[str, Any]) -> Json:
    """The quotes as they are, in the document's order, in the asked format; and the first of them as a note."""
    paged = bool(inputs.get("paged"))
    quotes = sorted(inputs.get("quotes", []), key=lambda quote: int(quote.get("start", 0)))
    rows = [(_BULLET.sub("", " ".join(str(quote["text"]).split())), int(quote["page"])) for quote in quotes]
    if not rows:
        rows = [(line, 0) for line in _memory_lines(str(inputs.get("memory", "")))]
        paged = False
    bullets = [f"- {text}" + (f" (p. {page})" if paged else "") for text, page in rows]
    kind = inputs.get("format")
    if kind == "json":
        output = json.dumps([_row(text, page, paged) for text, page in rows], ensure_ascii=False, indent=1)
    elif kind == "csv":
        output = _to_csv(rows, paged)
    else:
        output = "\n".join(bullets)
    return {"output": output, "memory_update": "Passages quoted:\n" + "\n".join(bullets[:NOTE_ITEMS])}


def _row(text: str, page: int, paged: bool) -> Json:
    return {"quote": text, "page": page} if paged else {"quote": text}


def _to_csv(rows: Sequence[tuple[str, int]], paged: bool) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["quote", "page"] if paged else ["quote"])
    writer.writerows([text, page] if paged else [text] for text, page in rows)
    return out.getvalue()


def _memory_lines(memory: str) -> list[str]:
    lines = [_PAGE.sub("", _LIST_MARK.sub("", line)).strip() for line in memory.splitlines()]
    heads = re.compile(r"Iter \d+ - |Passages quoted:|\[trimmed|\[cut\]")
    return list(dict.fromkeys(line for line in lines if line and not heads.match(line)))


def judge_output(inputs: Mapping[str, Any], fold: Callable[[str], str]) -> Json:
    """Whether every line or value of the output is word for word in a quote; it never says that the task is done."""
    sources = [fold(str(quote.get("text", ""))) for quote in inputs.get("quotes", [])]
    sources += [fold(line) for line in _memory_lines(str(inputs.get("memory", "")))] if not sources else []
    unquoted_places = [
        place for place, text in _output_pieces(inputs) if text and not any(fold(text) in source for source in sources)
    ]
    issues = [
        f"{place} does not repeat a quote word for word, and no model checked its meaning"
        for place in unquoted_places[:8]
    ]
    return {"verbatim": not issues, "issues": issues}


def _output_pieces(inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the output says, piece by piece, with places; page numbers and the marks of lists are no words."""
    output, kind = str(inputs.get("output", "")), inputs.get("format")
    try:
        if kind == "json":
            return [(f"the value at {path}", text) for path, text in _leaves(json.loads(output), "$")]
        if kind == "csv":
            rows = list(csv.DictReader(io.StringIO(output)))
            return [
                (f"row {number}, column {name!r}", str(cell))
                for number, row in enumerate(rows, 1)
                for name, cell in row.items()
                if name != "page"
            ]
    except ValueError:
        pass
    lines = enumerate(output.splitlines(), 1)
    return [(f"line {number}", _PAGE.sub("", _LIST_MARK.sub("", line)).strip()) for number, line in lines]


def _leaves(value: object, path: str) -> list[tuple[str, str]]:
    match value:
        case dict():
            return [leaf for name, item in value.items() if name != "page" for leaf in _leaves(item, f"{path}.{name}")]
        case list():
            return [leaf for number, item in enumerate(value) for leaf in _leaves(item, f"{path}[{number}]")]
        case None:
            return []
        case _:
            return [(path, str(value))]
