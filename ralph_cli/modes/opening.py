"""Introduce a document to a worker: its beginning and its headings."""

import re
from collections import Counter
from collections.abc import Sequence

from ralph_cli.checks.judge.introduction import list_documents
from ralph_cli.checks.judge.passages import describe_document
from ralph_cli.core.document import Document
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.structure import Heading
from ralph_cli.documents.structure.lines import is_numbered

MAX_HEADINGS = 12
MAX_HEADING_CHARS = 48
# The characters of a text that is shown whole as its beginning.
SHORT_CHARS = 600

# The numbered headings of a kind that may share one line.
LEAST_RUN = 4

_WORD_AND_NUMBER = re.compile(r"[^\W\d_]{3,}\s+(?:\d{1,3}[A-Z]?|[IVXLC]+)\b")

_WORDS = re.compile(r"\w+")


def render_beginning(document: Document, nonce: str) -> str:
    """Return the beginning of the document, framed as data; for a set its documents, with their pages in the whole."""
    if document.members:
        return list_documents(document, nonce)
    is_short = len(document.text) <= SHORT_CHARS
    return frame_data(document.text if is_short else document.derive(describe_document), nonce)


def render_headings(document: Document, nonce: str) -> str:
    """Return the pages on which parts of the document begin, framed as data; empty without headings, and for a set.

    If there are too many, numbered headings of a kind ("Note 1" to "Note 24") share a line and come first. The headings
    of pages that are nearly all table follow, then the upper and numbered headings. `headings` prints all.
    """
    what, lines = document.derive(_choose_headings)
    return f"{what}:\n{frame_data(lines, nonce)}\n" if lines else ""


def _choose_headings(document: Document) -> tuple[str, str]:
    """Return the title and the lines of a document's headings."""
    found = () if document.members else document.headings
    if not found:
        return "", ""
    titles = _table_titles(document, found)
    parts = _longest_parts(document, found)
    runs = _numbered_runs([heading for heading in parts if heading.level == 1])
    told = {run[0].start: run for run in runs} if len(parts) > MAX_HEADINGS else {}
    inside = {heading.start for run in told.values() for heading in run[1:]}
    left = [heading for heading in parts if heading.start not in inside]
    beginning, first_end = (
        document.derive(describe_document),
        document.pages[0].end,
    )  # what it says is not repeated
    in_beginning = {it.start for it in left if it.start < first_end and " ".join(it.text.split()) in beginning}

    def rank(it: Heading) -> tuple[int, ...]:
        return it.start in in_beginning, it.start not in told, it not in titles, it.level, not is_numbered(it.text)

    ranked = sorted(left, key=rank)
    lines: list[str] = []
    for heading in sorted(ranked[:MAX_HEADINGS], key=lambda heading: heading.start):
        name, page = heading.text[:MAX_HEADING_CHARS], document.page_at(heading.start).number
        if run := told.get(heading.start):
            last = document.page_at(run[-1].start).number
            ends = " to ".join(dict.fromkeys((_label(heading), _label(run[-1]))))
            lines.append(f"{f'{page}-{last} ' * document.paged}{ends} ({len(run)} parts)")
        else:
            lines.append(f"{f'{page} ' * document.paged}{name}")
    hidden = len(found) - len(lines)
    where = f"{'Some of' if hidden > 0 else 'All'} {len(found)} headings{', each with its page' * document.paged}"
    more = "; headings() prints all" if hidden > 0 else ""
    return f"{where}{more}", "\n".join(lines)


def _numbered_runs(headings: Sequence[Heading]) -> list[list[Heading]]:
    """Return the headings that consist of the same word and a number, for words with several such headings."""
    runs: dict[str, list[Heading]] = {}
    for heading in headings:
        if label := _label(heading):
            runs.setdefault(label.split()[0].casefold(), []).append(heading)
    return [sorted(run, key=lambda heading: heading.start) for run in runs.values() if len(run) >= LEAST_RUN]


def _label(heading: Heading) -> str:
    """Return the word and number that begin a heading: "Note 7"; empty if it has none."""
    match = _WORD_AND_NUMBER.match(heading.text)
    return " ".join(match[0].split()) if match else ""


def _longest_parts(document: Document, headings: Sequence[Heading]) -> list[Heading]:
    """Return, of headings with the same words, the one with most text below: the others are contents or running
    heads.
    """
    ends = [heading.start for heading in headings[1:]] + [len(document.text)]
    longest: dict[str, tuple[int, Heading]] = {}
    for heading, end in zip(headings, ends, strict=True):
        key = " ".join(_WORDS.findall(heading.text.casefold()))
        longest[key] = max(longest.get(key, (0, heading)), (end - heading.start, heading), key=lambda part: part[0])
    return [heading for _, heading in longest.values()]


def _table_titles(document: Document, headings: Sequence[Heading]) -> list[Heading]:
    """Return, for each page that is nearly all table, the least repeated heading above its first row, or the last of
    several.

    A heading of several words comes before a single word, which may be the upper part of a column's name.
    """
    found = []
    repeated = Counter(heading.text for heading in headings)
    for page in document.pages:
        lines = sum(1 for line in document.text[page.start : page.end].split("\n") if line.strip())
        tables = [table for table in document.tables if page.start <= table.start < page.end]
        if 2 * sum(len(table.rows) for table in tables) > lines:
            above = [heading for heading in headings if page.start <= heading.start <= tables[0].start]
            found += sorted(above, key=lambda it: (" " in it.text, -repeated[it.text], it.start))[-1:]
    return found
