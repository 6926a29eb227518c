"""How data is put before a model: cut to a bound, between marks that its author cannot know. Pure."""

import hashlib
import itertools
import threading
from collections.abc import Iterable

from ralph_cli.core.run import Issue


class Nonces:
    """Nonces of one run: each is fresh within it, and all follow from a random seed that the journal keeps.

    A resumed run must send the very requests that were recorded, so chance may enter a run only once. Of a seed with a
    dash only the part before it counts: runs that share it have the same nonces, and begin their prompts alike.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed.partition("-")[0]
        self._count = itertools.count(1)
        self._lock = threading.Lock()

    def __call__(self) -> str:
        """The next nonce, 12 hex digits."""
        with self._lock:
            number = next(self._count)
        return hashlib.sha256(f"{self._seed}:{number}".encode()).hexdigest()[:12]


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

    Equal messages are written once, with the material of all of them.
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
