"""The offline engine in task mode: it gathers passages, writes them down as they are, and compares."""

import json
import re
from collections.abc import Mapping
from typing import Any

from ralph_cli.core.model import Json
from ralph_cli.providers.offline.rank import query_terms
from ralph_cli.providers.offline.tables import to_csv
from ralph_cli.text.verbatim import strip_marks, unquoted_parts

TASK_WORDS = re.compile(
    r"(?i)\b(?:summar\w*|overview|abstract|digest|gist|outline|brief(?:ing)?|highlights?|essence|main|key|points?|important"
    r"|describe|review|whole|entire|document|text|paragraphs?|bullets?|sentences?|words?|page|short|write)\b"
)
"""Words of tasks about a whole document, which need not occur in it."""

TARGET_ITEMS, MAX_ITEMS = 8, 16
"""Items of a brief that the engine looks for, and that it hands in at most."""

NOTE_ITEMS = 3
_BULLET = re.compile(r"^(?:[-*+#\u2022]+\s+)+")


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
    columns = ("quote", "page") if paged else ("quote",)
    table = [row[: len(columns)] for row in rows]
    output = "\n".join(bullets)
    if inputs.get("format") == "json":
        output = json.dumps([dict(zip(columns, row, strict=True)) for row in table], ensure_ascii=False, indent=1)
    elif inputs.get("format") == "csv":
        output = to_csv([columns, *table])
    return {"output": output, "memory_update": "Passages quoted:\n" + "\n".join(bullets[:NOTE_ITEMS])}


def _memory_lines(memory: str) -> list[str]:
    lines = [strip_marks(line) for line in memory.splitlines()]
    heads = re.compile(r"Iter \d+ - |Passages quoted:|\[trimmed|\[cut\]")
    return list(dict.fromkeys(line for line in lines if line and not heads.match(line)))


def judge_output(inputs: Mapping[str, Any]) -> Json:
    """Whether every line or value of the output is word for word in a quote; it never says that the task is done."""
    sources = [str(quote.get("text", "")) for quote in inputs.get("quotes", [])]
    sources = sources or _memory_lines(str(inputs.get("memory", "")))
    issues = unquoted_parts(str(inputs.get("output", "")), str(inputs.get("format", "")), sources)
    return {"verbatim": not issues, "issues": issues}
