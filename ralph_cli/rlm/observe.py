"""What the worker is shown of a snippet's result: bounded, framed as data. Pure."""

import re
from collections.abc import Iterable

from ralph_cli.core.document import Document
from ralph_cli.core.run import Issue
from sandbox import Result

_PAGE = re.compile(r"^(?:--- )?(?:place \d+, )?page (\d+)(?:,| \()", re.MULTILINE)

CAP = 2_000
"""Characters of output shown for one step."""


def cut(text: str, cap: int = CAP) -> str:
    """`text` within `cap` characters: head and tail are kept, the cut is named."""
    if len(text) <= cap:
        return text
    head = cap * 3 // 4
    tail = cap - head
    return f"{text[:head]}\n[... {len(text) - cap:,} characters cut: print less at a time ...]\n{text[-tail:]}"


def observation(result: Result, cap: int = CAP) -> str:
    """What a snippet printed, the value of its last expression and its error, in that order, within `cap`."""
    parts = [result.stdout.rstrip("\n")] if result.stdout.strip() else []
    if result.value is not None:
        parts.append(result.value)
    text = "\n".join(parts)
    # The error comes whole and last: it is short, and it is what the next snippet depends on.
    error = cut(result.error, cap // 2) if result.error else ""
    shown = cut(text, cap - len(error)) if text else ""
    if result.stdout_total > len(result.stdout):
        shown += f"\n[{result.stdout_total:,} characters were printed]"
    return "\n".join(part for part in (shown, error) if part) or "(no output)"


def framed(text: str, nonce: str) -> str:
    """`text` between marks that the document's author cannot know, so that data is never read as instructions."""
    return f"<data-{nonce}>\n{text}\n</data-{nonce}>"


def told(issues: Iterable[Issue | str], nonce: str) -> str:
    """Reasons as a list for the worker: our words as they are, words of the document and of other models framed."""
    lines = []
    for issue in issues:
        if isinstance(issue, str):
            lines.append(f"- {issue}")
        else:
            lines.append(f"- {issue.message}" + (f":\n{framed(issue.material, nonce)}" if issue.material else ""))
    return "\n".join(dict.fromkeys(lines))


def pages_shown(output: str, document: Document) -> tuple[int, ...]:
    """Pages whose text stands in `output`: those that our own functions name, and those of lines found just once."""
    last = document.pages[-1].number
    found = {int(number) for number in _PAGE.findall(output) if 0 < int(number) <= last}
    for line in output.splitlines()[:80]:
        piece = line.strip()[:120]
        place = document.text.find(piece) if len(piece) >= 20 else -1
        if place >= 0 and document.text.find(piece, place + 1) < 0:
            found.add(document.page_at(place).number)
    return tuple(sorted(found))
