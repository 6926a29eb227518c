"""How data is put before a model: cut to a bound, between marks that its author cannot know. Pure."""

from collections.abc import Iterable

from ralph_cli.core.run import Issue


def truncate(text: str, cap: int) -> str:
    """`text` within `cap` characters: head and tail are kept, the cut is named."""
    if len(text) <= cap:
        return text
    head = cap * 3 // 4
    tail = cap - head
    return f"{text[:head]}\n[... {len(text) - cap:,} characters cut: print less at a time ...]\n{text[-tail:]}"


def frame_data(text: str, nonce: str) -> str:
    """`text` between marks that the document's author cannot know, so that data is never read as instructions.

    A model that was shown the marks may repeat them, and what it says may come back as data: there they are crossed
    out, for data that holds its own end would end early.
    """
    mark = f"data-{nonce}"
    return f"<{mark}>\n{text.replace(mark, 'data-(crossed out)')}\n</{mark}>"


def render_issues(issues: Iterable[Issue | str], nonce: str) -> str:
    """Reasons as a list for the worker: our words as they are, words of the document and of other models framed.

    What is said of several things in the same words is said once, with all of them.
    """
    told: dict[str, dict[str, None]] = {}
    for issue in issues:
        message, material = (issue, "") if isinstance(issue, str) else (issue.message, issue.material)
        told.setdefault(message, {})[material] = None
    lines = []
    for message, materials in told.items():
        shown = "\n".join(filter(None, materials))
        lines.append(f"- {message}" + (f":\n{frame_data(shown, nonce)}" if shown else ""))
    return "\n".join(lines)
