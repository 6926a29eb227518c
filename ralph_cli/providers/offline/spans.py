"""Finds quotes in the passages of a document: whole sentences, and whole rows of its tables.

The source of this module runs as guest code in the sandbox, after that of `rank`; it prints nothing itself.
"""

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from operator import itemgetter
from typing import Any, NamedTuple

from ralph_cli.providers.offline.rank import HEAD_CHARS, PASSAGE_CHARS, TOKEN, Page, TermIndex, query_terms, rank
from ralph_cli.providers.offline.words import STOP, stem
from ralph_cli.text.lexicon import find_qualifier
from ralph_cli.text.sentences import CLAUSES, sentence_ends

# The beginning of every machine-readable line; one JSON object follows.
LINE_MARK = "@@offline "

# The most characters of all lines of a search, and the most spans.
MAX_CHARS, MAX_SPANS = 1850, 16

# A row's share of what heads it; softening and floor of a span's length; what cut sentences and fillers keep.
NEARBY_SHARE, LENGTH_SOFTENING, MIN_WORDS_COUNTED, FRAGMENT_FACTOR, FILLER_SHARE = 0.8, 8, 12, 0.3, 1e-6
# The factor of each further span of a page. And the powers of the scores of a passage and of a span in it: which
# passage it is tells more.
REPEATED_PAGE_FACTOR, PASSAGE_POWER, SPAN_POWER = 0.4, 2.0, 0.4
FIGURE = re.compile(r"\d[\d,.]*\d")
_LINE = re.compile(r"[^\n\f]*[^\s][^\n\f]*")
_ITEM_MARK = re.compile(r"\s*(?:[\u2022\u25aa\u25cf\u00b7\u25e6*\u2013\u2014-]\s+)*")
# Words beside each other, as in a running header, never in prose; two spaces after a sentence are a habit.
_GAP = re.compile(r"[^\s.!?]  +\S|[.!?]  +[^\sA-Z\"'\u201c]")

_ENDED = re.compile(r"[.!?:][\"'\u201d\u2019)\]]*\s*$")


class Piece(NamedTuple):
    """A row of a table, or a sentence: text[start:end]. `table` is the row's table, as the sandbox has it."""

    start: int
    end: int
    table: Any = None


def table_at(tables: Sequence[Any], place: int) -> Any:
    """Return the table with a row at an offset, as the sandbox has it; None if there is none."""
    at = bisect_right(tables, place, key=itemgetter(0)) - 1
    return tables[at] if at >= 0 and tables[at][2] <= place < tables[at][1] else None


def header_span(tables: Sequence[Any], place: int) -> tuple[int, int]:
    """Return the lines that govern the row at an offset; empty if there are none."""
    table = table_at(tables, place)
    return (table[3][0][0], table[3][-1][1]) if table and table[3] else (place, place)


def mask_numbers(line: str) -> str:
    """Return a line with its numbers replaced, so that page numbers do not make running headers and footers differ.

    A sentence keeps its numbers, because two sentences may differ in nothing else.
    """
    flat = " ".join(line.split())
    return flat if flat.endswith(".") else re.sub(r"\d+|\b[ivxlc]+\b", "#", flat)


def running_lines(text: str, pages: Sequence[Page]) -> set[str]:
    """Return the headers and footers: first or last two lines of a page that occur there on at least a fifth of all
    pages.
    """
    lines = [text[start:end].strip().splitlines() for _, _, start, end in pages]
    seen = Counter(line for page in lines if len(page) > 5 for line in {*map(mask_numbers, page[:2] + page[-2:])})
    return {line for line, count in seen.items() if count >= max(5, len(pages) / 5)}


def find_pieces(text: str, start: int, end: int, tables: Sequence[Any], running: set[str]) -> list[Piece]:
    """Return the rows and sentences of a page, in order, without running lines and incomplete sentences."""
    pieces: list[Piece] = []
    opened, stop, begins = -1, start, True
    for match in _LINE.finditer(text, start, end):
        is_running = mask_numbers(match[0]) in running
        table = None if is_running else table_at(tables, match.start())
        goes_on = text[match.end() : match.end() + 80].lstrip()[:1].islower()
        is_short = len(match[0]) < 60 or _GAP.search(match[0])
        is_heading = begins and is_short and not (is_running or goes_on or _ENDED.search(match[0]))
        if opened >= 0 and (table or is_running or is_heading):
            pieces += _sentences(text, opened, stop)
            opened = -1
        if is_heading or table:
            pieces.append(Piece(*_trim(text, *match.span()), table))
        elif not is_running and opened < 0:
            opened = match.start()
        begins, stop = opened < 0 or bool(_ENDED.search(match[0])), match.end()
    if opened >= 0:
        pieces += _sentences(text, opened, stop)
    return _without_halves(text, start, end, pieces)


def _without_halves(text: str, start: int, end: int, pieces: list[Piece]) -> list[Piece]:
    """Return the pieces of text[start:end] without a sentence that begins before it or ends after it."""
    if pieces and not pieces[0].table and text[pieces[0].start].islower():
        pieces = pieces[1:]
    is_half = not _ENDED.search(text, start, end) and text[end : end + 80].lstrip()[:1].islower()
    return pieces[:-1] if is_half and pieces and not pieces[-1].table else pieces


def _sentences(text: str, start: int, end: int) -> Iterator[Piece]:
    for stop, following in (*sentence_ends(text, start, end), (end, end)):
        place = _trim(text, start, stop)
        if place[1] > place[0]:
            yield Piece(*place)
        start = following


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    mark = _ITEM_MARK.match(text, start, end)
    start = mark.end() if mark else start
    return start, max(start, start + len(text[start:end].rstrip()))


def shorten(text: str, piece: Piece, length: tuple[int, int]) -> list[Piece]:
    """Return the piece. A sentence that is too long is split into parts that fit, unless the rest may change their
    meaning.
    """
    parts, start = [], piece.start
    if piece.table or piece.end - start <= length[1]:
        return [piece]
    for stop, following in (*sentence_ends(text, start, piece.end, CLAUSES), (piece.end, piece.end)):
        rest = text[piece.start : start] + text[stop : piece.end]
        if length[0] <= stop - start <= length[1] and not find_qualifier(rest):
            parts.append(Piece(start, stop))
        start = following
    return parts or [piece]


def score_piece(text: str, piece: Piece, index: TermIndex, head: tuple[int, int]) -> float:
    """Return the value of a piece as a quote, at most about 1; almost 0 if it has no word of the question.

    The value is the weight (IDF) of its terms over the square root of its length. A row also gets most of the weight of
    the page's first lines (`head`) and of its table's title and header, because a row does not name its table.
    """
    span, held = text[piece.start : piece.end], index.held(piece.start, piece.end)
    words = len(TOKEN.findall(span))
    if words < 3 or "...." in span or (piece.table and not FIGURE.search(span)):
        return 0.0
    if not held:
        return FILLER_SHARE if _ENDED.search(span) else 0.0
    score: float = sum(held.values())
    if piece.table:
        near = index.held(*head) | index.held(piece.table[0], piece.table[2])
        score += NEARBY_SHARE * sum(value for key, value in near.items() if key not in held)
    most = sum(value for key, value in index.weights.items() if "+" not in key and index.places[key])
    share = score / most * (LENGTH_SOFTENING + math.sqrt(MIN_WORDS_COUNTED))
    share /= LENGTH_SOFTENING + math.sqrt(max(words, MIN_WORDS_COUNTED))
    return share * (1.0 if piece.table or _ENDED.search(span) else FRAGMENT_FACTOR)


def search(
    question: str,
    text: str,
    pages: Sequence[Page],
    tables: Sequence[Any],
    *,
    length: tuple[int, int],
    passages: int,
    known: Sequence[tuple[int, int]] = (),
    parts: Sequence[tuple[int, int]] = (),
) -> list[str]:
    """Return the lines to print: one head line, then the best spans that fit in `MAX_CHARS` characters, best first.

    `tables` are those of the document as its sandbox has them; `known` are spans that were shown before. The question
    names the `parts`: their spans are taken in turn, whatever words they contain. If no such span fits, the whole
    document is searched.
    """
    running, ranking, terms = running_lines(text, pages), rank(question, text, pages), query_terms(question)
    low, high = length

    def score_spans(start: int, end: int, page: tuple[int, int]) -> dict[tuple[int, int], float]:
        around = max(page[0], start - PASSAGE_CHARS), min(page[1], end + PASSAGE_CHARS)
        head = page[0], min(page[0] + HEAD_CHARS, page[1])
        scores = {}
        for piece in find_pieces(text, *around, tables, running):
            if piece.end > start and piece.start < end:
                for part in shorten(text, piece, length):
                    scores[part.start, part.end] = score_piece(text, part, ranking.field, head)
        return {span: score for span, score in scores.items() if score}

    def fits(span: tuple[int, int]) -> bool:
        return low <= span[1] - span[0] <= high

    of_parts = [sorted(score_spans(start, end, (start, end)).items(), key=lambda it: -it[1]) for start, end in parts]
    in_turn = [span for span in _in_turns(of_parts) if fits(span)]
    worth = {span: 1.0 - at / 100 for at, span in enumerate(in_turn)}
    best = [] if in_turn else ranking.passages[:passages]
    found = [score_spans(start, end, ranking.field.page_at(start)) for _, start, end in best]
    worth |= _worth_in_passages(best, found)
    unfit = sorted(end - start for start, end in worth if not fits((start, end)))
    head = {
        "coverage": 1.0 if in_turn else round(ranking.coverage, 3),
        "needed": round(ranking.needed, 3),
        "terms": list(terms.values())[:12],
        "missing": [word for key, word in terms.items() if not ranking.field.places[key]][:8],
        "passages": len(best or in_turn),
        "unfit": [] if any(map(fits, worth)) else unfit[:1] + unfit[-1:],
    }
    fitting = {span: value for span, value in worth.items() if fits(span) and span not in known}
    rows: list[dict[str, Any]] = [head]
    for value, page, (start, end) in choose_spans(text, pages, fitting):
        row = {"page": page, "start": start, "end": end, "score": round(value, 3), "text": text[start:end]}
        top, stop = header_span(tables, start)
        rows.append(row | ({"header": text[top:stop]} if fits((top, stop)) else {}))
    return _lines_that_fit(rows)


def _in_turns(groups: Sequence[Sequence[tuple[tuple[int, int], float]]]) -> list[tuple[int, int]]:
    """Return the first span of each group, then the second of each, and so on."""
    return [scored[0] for turn in zip_longest(*groups) for scored in turn if scored]


def _worth_in_passages(
    passages: Sequence[tuple[float, int, int]], found: Sequence[Mapping[tuple[int, int], float]]
) -> dict[tuple[int, int], float]:
    """Return the worth of each span, from its score and that of its passage. The passage counts more."""
    most = max((score for scores in found for score in scores.values()), default=1.0)
    worth: dict[tuple[int, int], float] = {}
    for (passage, _, _), scores in zip(passages, found, strict=True):
        for span, score in scores.items():
            value = (passage / passages[0][0]) ** PASSAGE_POWER * (score / most) ** SPAN_POWER
            worth[span] = max(worth.get(span, 0.0), value)
    return worth


def _lines_that_fit(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the rows as marked lines of JSON, without those that do not fit in `MAX_CHARS`."""
    lines, used = [], 0
    for row in rows:
        line = LINE_MARK + json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        if used + len(line) < MAX_CHARS:
            lines.append(line)
            used += len(line) + 1
    return lines


def choose_spans(
    text: str, pages: Sequence[Page], worth: Mapping[tuple[int, int], float]
) -> list[tuple[float, int, tuple[int, int]]]:
    """Return score, page and span, best first, without overlaps or repetitions.

    Each further span of a page counts less than its score, so that pages take turns.
    """
    remaining: dict[tuple[int, int], int] = {}
    said: set[str] = set()
    for start, end in sorted(worth, key=lambda span: (-worth[span], span)):
        words = " ".join(TOKEN.findall(text[start:end].lower()))
        if words not in said and not any(start < b and a < end for a, b in remaining):
            said.add(words)
            remaining[start, end] = next((it[0] for it in reversed(pages) if it[2] <= start), 1)
    out: list[tuple[float, int, tuple[int, int]]] = []
    of_page: Counter[int] = Counter()
    while remaining and len(out) < MAX_SPANS:
        best = max(remaining, key=lambda it: (worth[it] * REPEATED_PAGE_FACTOR ** of_page[remaining[it]], -it[0]))
        page = remaining.pop(best)
        out.append((worth[best], page, best))
        of_page[page] += 1
    return out


def find_spans(question: str, text: str) -> list[dict[str, Any]]:
    """Return the best spans of a text for a question: `start`, `end`, `score`, `text`."""
    lines = search(question, text, (), (), length=(20, 300), passages=6)[1:]
    rows = (json.loads(line.removeprefix(LINE_MARK)) for line in lines)
    return [{key: row[key] for key in ("start", "end", "score", "text")} for row in rows]


def frequent_words(text: str, count: int = 10) -> str:
    """Return the `count` most frequent informative words of `text`, one form of each, as a question about all of it."""
    forms: dict[str, Counter[str]] = {}
    for word in re.findall(r"[^\W\d_]{4,}", text.lower()):
        if word not in STOP:
            forms.setdefault(stem(word), Counter())[word] += 1
    ranked = sorted(forms.values(), key=lambda seen: -seen.total())
    return " ".join(seen.most_common(1)[0][0] for seen in ranked[:count])
