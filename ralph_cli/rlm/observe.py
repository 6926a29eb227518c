"""Limits the output of a snippet that the worker is shown, and detects repeated steps."""

import re
from dataclasses import dataclass, field

from ralph_cli.core.document import Document
from ralph_cli.core.prompts.framing import truncate
from sandbox import Result

NOTHING_PRINTED = "(no output)"  # shown to the worker if a snippet printed nothing
NEARLY = 1.25  # factor by which output may exceed its cap before it is cut

# A line shows that its page was printed: the least characters of that line, and the most that are compared.
MIN_WORDS_CHARS, LINE_CHARS = 8, 120

_PAGE = re.compile(r"^(?:--- )?(?:place \d+, )?page (\d+)(?:,| \()(?:[^\n]{0,80}?offset \d+(?:: |$))?", re.MULTILINE)


def render_result(result: Result, cap: int) -> tuple[str, str]:
    """Return the printed output, the last expression's value and the error, within about `cap` characters.

    The second text is the part that was cut off, from the first line that did not fit.
    """
    parts = [result.stdout.rstrip("\n")] if result.stdout.strip() else []
    if result.value is not None:
        parts.append(result.value)
    # The error comes last, because the next snippet depends on it.
    error = truncate(result.error, cap // 2) if result.error else ""
    shown, rest = _cut_at_line("\n".join(parts), cap - len(error))
    if rest:
        shown += f"\n[{len(rest):,} characters were cut off here: rest() prints them]"
    if result.stdout_total > len(result.stdout):
        shown += f"\n[{result.stdout_total:,} characters were printed; {len(result.stdout):,} were kept]"
    return "\n".join(part for part in (shown, error) if part) or NOTHING_PRINTED, rest


def _cut_at_line(text: str, cap: int) -> tuple[str, str]:
    """Return the text within `cap` characters, and the part that was cut off.

    The cut is at the end of a line if a line ends in the latter half. A text that is only a little longer is not cut,
    because printing the rest would cost more.
    """
    if len(text) <= cap * NEARLY:
        return text, ""
    end = text.rfind("\n", cap // 2, cap)
    return (text[:end], text[end + 1 :]) if end >= 0 else (text[:cap], text[cap:])


def pages_shown(output: str, document: Document) -> tuple[int, ...]:
    """Return the numbers of the pages whose text is in `output`.

    A page counts if `output` names it and shows some of its words below the name. A page also counts if `output` has
    one of its lines that occurs only once in the document.
    """
    pages = {page.number: page for page in document.pages}
    found = set()
    names = list(_PAGE.finditer(output))
    for name, end in zip(names, [*(later.start() for later in names[1:]), len(output)], strict=False):
        page = pages.get(int(name[1]))
        if page and page.number not in found:
            text = " ".join(document.text[page.start : page.end].split())
            # Two spaces and a bracket separate a listed line from the notes that `find` adds.
            words = (line.split("  (")[0].split() for line in output[name.end() : end].splitlines())
            lines = (" ".join(line)[:LINE_CHARS] for line in words)
            if any(len(line) >= MIN_WORDS_CHARS and line in text for line in lines):
                found.add(page.number)
    for line in output.splitlines()[:80]:
        piece = line.strip()[:LINE_CHARS]
        place = document.text.find(piece) if len(piece) >= 20 else -1
        if place >= 0 and document.text.find(piece, place + 1) < 0:
            found.add(document.page_at(place).number)
    return tuple(sorted(found))


MAX_REPEATS = 3  # number of equal steps in a row that ends an iteration


@dataclass(slots=True)
class RepetitionDetector:
    """Counts equal steps in a row.

    Steps are equal if they have the same act and the same answer. Unusable replies are equal if their answers are
    equal.
    """

    _latest: object = None
    _count: int = 0
    _reason: str = field(default="")

    def add(self, step: object, reason: str) -> None:
        """Record a step; `reason` describes it for the notice about repetition."""
        self._count = self._count + 1 if step == self._latest else 1
        self._latest, self._reason = step, reason

    @property
    def verdict(self) -> str:
        """A description of the step that was repeated too often; empty if no step was."""
        return f"{MAX_REPEATS} times in a row {self._reason}" if self._count >= MAX_REPEATS else ""
