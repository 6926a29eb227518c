"""The passages that a judge is shown: the text around each quote, with the quoted words marked. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ralph_cli.core.document import Document
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.run import Quote
from ralph_cli.core.structure import PAGE_BREAK, Span, Table
from ralph_cli.documents.sets.joining import take_member
from ralph_cli.documents.structure.sections import TOP_REACH, page_top
from ralph_cli.retrieval.context import MIN_CONTEXT, context_span, describe_sparse_rows
from ralph_cli.retrieval.quotes.additions import describe_additions
from ralph_cli.retrieval.quotes.scanned import describe_unsure_words
from ralph_cli.text.raised import flatten_figures, footnote_marks
from ralph_cli.text.sentences import line_at, shorten_line

# The characters of a table from which rows far from a marked one are left out.
LONG_TABLE = 1_200

# The rows on each side of a marked one that stay.
ROWS_AROUND = 3

# The most characters of the lines that introduce a document.
TITLE_CHARS = 240

# The first headings of which the most frequent ones introduce a document.
MOST_HEADS = 20

# The characters of a document in which names are counted.
NAMED_CHARS = 1_000_000

# The characters of the first page that can introduce a document: a text without pages is a single one.
BEGINNING_CHARS = 40_000

MAX_NOTE_CHARS = 400
# The mark of a note that is printed in the size of the text: "postpaid(2)".
_ATTACHED = re.compile(r"(?<=[^\W\d_])\((?:\d{1,2}|[a-z])\)")

_IN_LABEL = re.compile(r"(?<=[^\W\d_] )\((?:\d{1,2}|[a-z])\)")
# The end of a note of several lines: an empty line, or the beginning of the next note.
_NOTE_END = re.compile(r"\n[ \t]*(?:\n|\(?(?:\d{1,2}|[a-z])\)[ \t]*\w)")

_DOUBLE_BRACKET = re.compile(r"\[(?=\[)|\](?=\])")

_WORD = re.compile(r"[^\W\d_]{2}")
_DATE = re.compile(r"\b(?:19|20)\d\d\b")
# The characters by which a judge's reason names a quote for readers who do not know its number.
NAMED_QUOTE = 40

_QUOTE_NUMBERS = re.compile(r"(?i)\bquotes? \d+(?:(?:,| and|, and| or|, or| to|-)? ?\d+)*\b")


@dataclass(frozen=True, slots=True)
class _Mark:
    """The place of a quote, with the text that is shown around it."""

    start: int
    end: int
    label: str
    window: Span


def safe_file_name(path: str) -> str:
    """Return the file's name without characters that could change the structure of a prompt."""
    return re.sub(r"[^\w.,+-]+", "_", Path(path).name)[-80:] or "-"


def break_marks(text: str) -> str:
    """Return words of a document without adjacent brackets, so that only code can mark quotes."""
    return _DOUBLE_BRACKET.sub(r"\g<0> ", text)


def describe_document(document: Document) -> str:
    """A line that introduces a document by its beginning: its first headings, who it is about, the first lines with a
    year.
    """
    page = document.pages[0]
    end = min(page.end, page.start + BEGINNING_CHARS)
    heads = {heading.start: heading.text for heading in document.headings if heading.start < end}
    at = page.start
    lines: dict[int, str] = {}
    for line in document.text[page.start : end].split("\n"):
        if len(line) < TITLE_CHARS // 2:
            lines[at] = line
        at += len(line) + 1
    dated = {at: line for at, line in lines.items() if _DATE.search(line)}
    dated = dict([(at, line) for at, line in dated.items() if not _is_row(document, at)][:2])
    first_heads = dict(list(heads.items())[:MOST_HEADS])
    named = _find_named(document, lines)
    chosen = {start: " ".join(line.split()) for start, line in sorted((first_heads | dated | named).items())}
    # What is named again and again, such as the issuer, says more than the words of a form.
    text = document.text[:NAMED_CHARS].casefold()
    wanted = {start: (start not in dated, -text.count(line.casefold())) for start, line in chosen.items()}
    kept: set[int] = set()
    left = TITLE_CHARS
    for start in (*[*chosen][:1], *[*heads][:1], *named, *sorted(chosen, key=lambda start: wanted[start])):
        left -= 0 if start in kept else len(chosen[start]) + 3
        if left < 0 and kept:
            break
        kept.add(start)
    told = " / ".join(dict.fromkeys(line for start, line in chosen.items() if start in kept))
    return (told or " ".join(document.text[: 2 * TITLE_CHARS].split()))[:TITLE_CHARS]


def _find_named(document: Document, lines: dict[int, str]) -> dict[int, str]:
    """The line of the first page, among `lines` by their offsets, that is most often alone on a line and also named in
    sentences: who the document is about. No sentence names a running head.
    """
    text = document.text[:NAMED_CHARS].casefold()
    alone = Counter(" ".join(line.split()) for line in re.split(r"[\n\f]", text))
    found: list[tuple[int, int, int]] = []
    for at, line in lines.items():
        words = " ".join(line.casefold().split())
        if alone[words] > 1 and _WORD.search(words):
            inside = text.count(words) - alone[words]
            found.append((min(alone[words], inside), inside, -at))
    best = max(found, default=(0, 0, 0))
    return {-best[2]: lines[-best[2]]} if best[0] else {}


def _is_row(document: Document, at: int) -> bool:
    """Whether a line is a row of a table and not its header."""
    table = document.table_at(at)
    return table is not None and table.row_at(at) >= table.header_rows


def render_passages(document: Document, quotes: Sequence[Quote], nonce: str, least: int = MIN_CONTEXT) -> str:
    """The paragraph or table around each quote, each once, the quoted words marked with the quote's id.

    At least `least` characters on each side are shown. A table comes with its header rows; a row of it also with the
    lines further up that name its columns, period and unit. Rows of a long table that are far from a mark are left out.
    Each passage has the headings above it. Other places of the same words are counted.
    """
    marks = [
        _Mark(it.start, it.end, f"{it.id}: ", context_span(document, Span(it.start, it.end), least=least))
        for it in quotes
    ]
    windows: list[Span] = []
    for window in sorted((mark.window for mark in marks), key=lambda window: window.start):
        if windows and window.start <= windows[-1].end:
            windows[-1] = Span(windows[-1].start, max(window.end, windows[-1].end))
        else:
            windows.append(window)
    told: set[str] = set()
    shown = [_render_window(document, window, marks, quotes, nonce, least, told) for window in windows]
    return "\n\n".join((*shown, *_elsewhere(document, quotes), *_scanned(quotes)))


def _render_window(
    document: Document,
    window: Span,
    marks: Sequence[_Mark],
    quotes: Sequence[Quote],
    nonce: str,
    least: int,
    told: set[str],
) -> str:
    """A passage in its frame; `told` are the notes shown with earlier passages. Adds its own to them."""
    inside = [mark for mark in marks if window.start <= mark.start and mark.end <= window.end]
    above = _section_line(document, min(mark.start for mark in inside), window.start)
    above += _header_lines(document, window.start, inside)
    above += "".join(f"(in the row {text[:60]!r}: {columns})\n" for text, columns in _sparse_rows(document, inside))
    above += "".join(f"({note})\n" for note in _notes_on_quotes(document, quotes, window))
    parts = _kept_parts(document, window, inside, least)
    first = min(mark.start for mark in inside)
    body, page = "", document.page_at(first)
    for number, part in enumerate(parts):
        begins = document.page_at(part.start)
        body += "\n[...]\n" if number else ""
        body += f"{_mark_page(document, part.start)}\n" if begins != page else ""
        body += _insert_marks(document, part, inside).strip("\n")
        page = document.page_at(part.end - 1)
    notes = [note for note in _notes(document, inside) if note not in body and note not in told]
    told.update(notes)
    above = page_line(document, [Span(mark.start, mark.end) for mark in inside], f"{above}{body}") + above
    shown = f"{break_marks(above)}{body}" + "".join(f"\n(note: {break_marks(note)})" for note in notes)
    where = f"{number_page(document, first)}:\n" if is_paged(document) else ""
    return f"{where}{frame_data(shown, nonce)}"


def name_quotes(said: str, quotes: Sequence[Quote]) -> str:
    """A judge's reason, with the first words of the quotes that it names by number."""
    words = {str(quote.id): f'"{shorten_line(quote.text, NAMED_QUOTE)}"' for quote in quotes}

    def name(match: re.Match[str]) -> str:
        return re.sub(r"\d+", lambda number: words.get(number[0], number[0]), match[0])

    return _QUOTE_NUMBERS.sub(name, said)


def render_marked(document: Document, span: Span, most: int) -> str:
    """A passage marked in its surroundings, with at most `most` characters on each side."""
    around = context_span(document, span, max_characters=most)
    parts = ((around.start, span.start), (span.start, span.end), (span.end, around.end))
    before, words, after = (_with_page_breaks(document, *part) for part in parts)
    return f"{before}[[{words}]]{after}"


def is_paged(document: Document) -> bool:
    """Whether page numbers locate a passage in a document or in a set."""
    return document.paged or bool(document.members)


def number_page(document: Document, offset: int) -> str:
    """Return the page of an offset for a judge: "Page 3", or "Document 2, page 3" in a set, without the
    author's words.
    """
    member, number = document.member_at(offset), document.own_number(document.page_at(offset))
    page = f"{document.noun_at(offset)} {number}"
    return f"Document {document.members.index(member) + 1}, {page}" if member else page.capitalize()


def _mark_page(document: Document, offset: int) -> str:
    """Return the marker for the beginning of an offset's page."""
    return f"[{document.noun_at(offset)} {document.own_number(document.page_at(offset))}]"


def introduce_documents(document: Document, offsets: Sequence[int], nonce: str) -> str:
    """The introduction of the document by its name and beginning; of a set, of the documents that contain these
    offsets.
    """
    if not document.members:
        begins = frame_data(break_marks(document.derive(describe_document)), nonce)
        return f"The document ({safe_file_name(document.called or document.path)}) begins:\n{begins}"
    shown = {document.member_at(offset) for offset in offsets}
    lines = [
        f"{number}. {member.name}: {describe_document(take_member(document, member))}"
        for number, member in enumerate(document.members, 1)
        if member in shown
    ]
    told = f"Of {len(document.members)} documents these are shown, by number and name, with how each begins. A passage "
    told += "speaks for its own document; documents may disagree:"
    return f"{told}\n{frame_data(break_marks(chr(10).join(lines)), nonce)}"


def _notes(document: Document, marks: Sequence[_Mark]) -> list[str]:
    """The notes at the foot of the page whose marks are in the lines of quotes, or in the header above them."""
    text = document.text
    found: dict[str, None] = {}
    for mark in marks:
        page = document.page_at(mark.start)
        low, high = line_at(text, mark.start, min(mark.end, page.end), page.start, page.end)
        below = flatten_figures(text[high : page.end])
        for sign in dict.fromkeys(_note_signs("\n".join((*_lines_above(document, mark), text[low:high])))):
            gap = "*" if sign.endswith(")") else "+"
            begins = re.compile(rf"^[ \t]*{re.escape(sign)}[ \t]{gap}(?=\S*[^\W\d])", re.MULTILINE)
            if match := begins.search(below):
                end = _NOTE_END.search(below, match.end())
                note = below[match.start() : end.start() if end else len(below)]
                found[" ".join(note.split())[:MAX_NOTE_CHARS]] = None
    return list(found)


def _note_signs(lines: str) -> Iterator[str]:
    """Yield the note marks in lines: raised, in brackets after a word, or after a space in a row's label."""
    yield from (flatten_figures(lines[start:end]) for start, end in footnote_marks(lines))
    for line in lines.split("\n"):
        label, *cells = re.split(r" {2,}|\t", line.strip(), maxsplit=1)
        yield from _ATTACHED.findall(line)
        yield from _IN_LABEL.findall(label) if cells else ()


def _elsewhere(document: Document, quotes: Sequence[Quote]) -> list[str]:
    """A line with the number of other places of the quotes that are not just headers."""
    several = [it for it in quotes if it.occurrences > 1 and not _is_header(document, it)]
    told = [f"{it.id} ({it.occurrences - 1})" for it in several]
    return [f"Elsewhere the same words stand again, of quotes (times): {', '.join(told)}."] if told else []


def _is_header(document: Document, quote: Quote) -> bool:
    """Whether a quote only names columns of a table, or states the unit of its figures."""
    table = document.table_at(quote.end - 1)
    if table is not None:
        return table.row_at(quote.end - 1) < table.header_rows
    block = document.block_at(quote.start)
    return block is not None and block.kind == "caption"


def _kept_parts(document: Document, window: Span, marks: Sequence[_Mark], least: int) -> list[Span]:
    """The parts of a window to show: all of it but the rows of a long table that are far from any mark, with the labels
    and headers above them. The headers of a marked row stay, and the label next above it."""
    if window.end - window.start <= LONG_TABLE:
        return [window]
    text = document.text
    found = re.finditer(r"(?<![^\n\f])[^\n\f]*", text[window.start : window.end])
    lines = [(window.start + line.start(), window.start + line.end()) for line in found]
    needed = _needed_lines(document, lines, marks)
    parts: list[Span] = []
    for number, (low, high) in enumerate(lines):
        is_near = min(max(mark.start - high, low - mark.end) for mark in marks) <= least
        is_blank = not text[low:high].strip()
        if number not in needed and not is_near and (is_blank or _table_of_line(document, low, high)):
            continue
        if parts and low == parts[-1].end + 1:
            parts[-1] = Span(parts[-1].start, high)
        elif high > low:
            parts.append(Span(low, high))
    return parts


def _table_of_line(document: Document, low: int, high: int) -> Table | None:
    """Return the table at the first character of a line that is not white space."""
    return document.table_at(high - len(document.text[low:high].lstrip()))


def _needed_lines(document: Document, lines: Sequence[tuple[int, int]], marks: Sequence[_Mark]) -> set[int]:
    """Return the numbers of the lines that are always shown: headers, marked lines, and the lines near them."""
    heads = [head for mark in marks for head in _spans_above(document, mark)]
    needed = {0}
    for number, (low, high) in enumerate(lines):
        table = _table_of_line(document, low, high)
        is_header = table is not None and table.row_at(high - 1) < table.header_rows
        if is_header or any(low < head.end and head.start < high for head in heads):
            needed.add(number)
        if any(low < mark.end and mark.start <= high for mark in marks):
            needed |= set(range(number - ROWS_AROUND, number + ROWS_AROUND + 1))
    return needed


def _sparse_rows(document: Document, marks: Sequence[_Mark]) -> list[tuple[str, str]]:
    """The marked rows whose text does not show the headers of their figures, each with a description of them."""
    found = []
    for line, columns in describe_sparse_rows(document).items():
        row = document.text[line : document.text.find("\n", line)]
        if any(mark.start < line + len(row) and line < mark.end for mark in marks):
            found.append((" ".join(row.split()), columns))
    return found


def _notes_on_quotes(document: Document, quotes: Sequence[Quote], window: Span) -> Iterator[str]:
    """Facts about the quotes in a window that their words do not show: their place in the format, words outside of the
    running text, and words that OCR is unsure of.
    """
    inside = [
        (quote, Span(quote.start, quote.end))
        for quote in quotes
        if window.start <= quote.start and quote.end <= window.end
    ]
    if named := [f"{quote.id} at {name}" for quote, span in inside if (name := document.name_place(span))]:
        yield f"quote {'; '.join(named)}"
    for quote, span in inside:
        yield from (f"quote {quote.id} is {note}" for note in describe_additions(document, span))
        if unsure := describe_unsure_words(document, span):
            yield f"quote {quote.id}: {unsure}"


def _scanned(quotes: Sequence[Quote]) -> list[str]:
    """Return a line with the quotes that were read by OCR."""
    ids = ", ".join(str(quote.id) for quote in quotes if quote.ocr is not None)
    return [f"Read by OCR, which may take a letter or digit for another: quotes {ids}."] if ids else []


def _section_line(document: Document, offset: int, before: int) -> str:
    """A line with the headings above a passage that are certain and not shown with it."""
    found = [heading for heading in document.sections_at(offset) if heading.start < before]
    names = [" ".join(heading.text.split())[:120] for heading in found]
    return f"(section: {' > '.join(names)})\n" if names else ""


def page_line(document: Document, marked: Sequence[Span], shown: str) -> str:
    """The beginning of the page of a marked row, such as the name of a statement, if it is not `shown`."""
    text, page = document.text, document.page_at(marked[0].start)
    is_row = any(document.table_at(at) for it in marked for at in (it.start, it.end - 1))
    if len(document.pages) < 2 or document.noun_at(page.start) != "page" or not is_row:
        return ""
    near = (it for it in document.pages[max(page.number - 2, 0) : page.number + 1] if it != page)
    beside = [text[it.start : min(it.start + TOP_REACH, it.end)] for it in near]
    tables = (table.start for table in document.tables if page.start <= table.start < page.end)
    begin = text[page.start : min(page.start + TOP_REACH, page.end, next(tables, page.end))]
    top = page_top(begin, beside, " ".join(shown.split()))
    return f"(page begins: {top})\n" if top else ""


def _header_lines(document: Document, low: int, marks: Sequence[_Mark]) -> str:
    """The header lines of marked table rows that are above the passage on the same page."""
    text = document.text
    found = {part: None for mark in marks for part in _lines_above(document, mark) if part not in text[low : mark.end]}
    return "".join(f"(above: {part})\n" for part in found)


def _lines_above(document: Document, mark: _Mark) -> list[str]:
    """The lines that apply to the rows of a mark: names of columns, groups, scale and units."""
    return [document.text[it.start : it.end].strip() for it in _spans_above(document, mark)]


def _spans_above(document: Document, mark: _Mark) -> list[Span]:
    found: dict[Span, None] = {}
    at = mark.start
    for line in document.text[mark.start : mark.end].split("\n"):
        found |= dict.fromkeys(document.lines_above(at + len(line) - len(line.lstrip())))
        at += len(line) + 1
    return list(found)


def _insert_marks(document: Document, part: Span, marks: Sequence[_Mark]) -> str:
    """A part of the text with the marks. Nested marks are inside each other; crossing marks have named ends."""
    crossing = {mark for mark in marks for other in marks if _crosses(mark, other) or _crosses(other, mark)}
    opened = [(mark.start, 1, -mark.end, f"[[{mark.label}") for mark in marks]
    closed = [(mark.end, 0, -mark.start, _closing_sign(mark) if mark in crossing else "]]") for mark in marks]
    parts, at = [], part.start
    for place, _, _, sign in sorted((*opened, *closed)):
        if part.start <= place <= part.end:
            parts += [_with_page_breaks(document, at, place), sign]
            at = place
    return "".join((*parts, _with_page_breaks(document, at, part.end)))


def _with_page_breaks(document: Document, start: int, end: int) -> str:
    """Return text[start:end] without its own marks, with a line at the beginning of each page."""
    first, *others = document.text[start:end].split(PAGE_BREAK)
    shown, at = break_marks(first), start + len(first) + 1
    for text in others:
        shown += f"\n{_mark_page(document, at)}\n{break_marks(text)}"
        at += len(text) + 1
    return shown


def _crosses(first: _Mark, second: _Mark) -> bool:
    return first.start < second.start < first.end < second.end


def _closing_sign(mark: _Mark) -> str:
    return f"]](end of {mark.label.rstrip(': ')})"
