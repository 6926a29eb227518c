"""Find quotes in the passages of a document: whole sentences and whole table rows.

The source of this module runs as guest code in the sandbox, after that of `rank`. It prints nothing itself.
"""

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Any, NamedTuple

from ralph_cli.providers.offline.rank import PASSAGE_CHARS, TOKEN, Page, TermIndex, query_terms, rank
from ralph_cli.providers.offline.words import STOP, stem
from ralph_cli.text.sentences import sentence_ends

Place = tuple[int, int]  # start and end of a span in the text

LINE_MARK = "@@offline "  # beginning of every machine-readable line. One JSON object follows.

MAX_CHARS = 1850  # characters of all lines that a search prints

MAX_SPANS = 16  # spans that a search prints

LENGTH_SOFTENING = 8  # the higher, the less the length of a span counts

MIN_WORDS_COUNTED = 12  # shorter spans count as having so many words

FRAGMENT_FACTOR = 0.3  # worth of a heading, or a sentence without an end

FILLER_SHARE = 1e-6  # worth of a sentence without any term of the question

REPEATED_PAGE_FACTOR = 0.4  # worth of each further span of a page

PASSAGE_POWER = 2.0  # weight of the passage's score in the worth of a span

SPAN_POWER = 0.4  # weight of the span's own score

_LINE = re.compile(r"[^\n\f]*[^\s][^\n\f]*")
_ITEM_MARK = re.compile(r"\s*(?:[\u2022\u25aa\u25cf\u00b7\u25e6*\u2013\u2014-]\s+)*")
_ENDED = re.compile(r"[.!?:][\"'\u201d\u2019)\]]*\s*$")


class Piece(NamedTuple):
    """A table row, a heading or a sentence: text[start:end]."""

    start: int
    end: int
    is_row: bool = False


def table_at(tables: Sequence[Any], place: int) -> Any:
    """The table that has a row at a place, in the sandbox's form; None if there is none."""
    at = bisect_right(tables, place, key=itemgetter(0)) - 1
    return tables[at] if at >= 0 and tables[at][2] <= place < tables[at][1] else None


def mask_numbers(line: str) -> str:
    """A line with "#" for its numbers, so that running headers of different pages are equal. Sentences stay."""
    flat = " ".join(line.split())
    return flat if flat.endswith(".") else re.sub(r"\d+|\b[ivxlc]+\b", "#", flat)


def running_lines(text: str, pages: Sequence[Page]) -> set[str]:
    """The headers and footers: lines among the first or last two of a page, on a fifth of all pages."""
    lines = [text[start:end].strip().splitlines() for _, _, start, end in pages]
    seen = Counter(line for page in lines if len(page) > 5 for line in {*map(mask_numbers, page[:2] + page[-2:])})
    return {line for line, count in seen.items() if count >= max(5, len(pages) / 5)}


def find_pieces(text: str, start: int, end: int, tables: Sequence[Any], running: set[str]) -> list[Piece]:
    """The rows, headings and sentences of text[start:end], in order, without running lines and half sentences."""
    pieces: list[Piece] = []
    for kind, lines in groupby(_classify_lines(text, start, end, tables, running), key=itemgetter(0)):
        places = [place for _, place in lines]
        if kind == "text":
            pieces += _sentences(text, places[0][0], places[-1][1])
        elif kind != "running":
            pieces += [Piece(*_trim(text, *place), kind == "row") for place in places]
    if pieces and not pieces[0].is_row and text[pieces[0].start].islower():
        pieces = pieces[1:]
    is_half = not _ENDED.search(text, start, end) and _goes_on(text, end)
    return pieces[:-1] if is_half and pieces and not pieces[-1].is_row else pieces


def _classify_lines(
    text: str, start: int, end: int, tables: Sequence[Any], running: set[str]
) -> Iterator[tuple[str, Place]]:
    """Each line with its kind. A heading is a short line without an end, between a sentence's end and a new one."""
    may_be_heading = True
    for match in _LINE.finditer(text, start, end):
        is_ended = _ENDED.search(match[0])
        kind = "text"
        if mask_numbers(match[0]) in running:
            kind = "running"
        elif table_at(tables, match.start()):
            kind = "row"
        elif may_be_heading and len(match[0]) < 60 and not is_ended and not _goes_on(text, match.end()):
            kind = "heading"
        may_be_heading = kind != "text" or bool(is_ended)
        yield kind, match.span()


def _goes_on(text: str, place: int) -> bool:
    """Whether a sentence goes on behind a place."""
    return text[place : place + 80].lstrip()[:1].islower()


def _sentences(text: str, start: int, end: int) -> Iterator[Piece]:
    for stop, following in (*sentence_ends(text, start, end), (end, end)):
        place = _trim(text, start, stop)
        if place[1] > place[0]:
            yield Piece(*place)
        start = following


def _trim(text: str, start: int, end: int) -> Place:
    """The place without space at its ends, and without the mark of a list item."""
    mark = _ITEM_MARK.match(text, start, end)
    start = mark.end() if mark else start
    return start, max(start, start + len(text[start:end].rstrip()))


def score_piece(text: str, piece: Piece, index: TermIndex) -> float:
    """The worth of a piece as a quote, at most about 1: the weight of its terms over the square root of its length."""
    span, held = text[piece.start : piece.end], index.held(piece.start, piece.end)
    words = len(TOKEN.findall(span))
    if words < 3 or "...." in span or (piece.is_row and not any(map(str.isdigit, span))):
        return 0.0
    is_whole = piece.is_row or _ENDED.search(span)
    if not held:
        return FILLER_SHARE if is_whole and not piece.is_row else 0.0
    most: float = sum(value for key, value in index.weights.items() if "+" not in key and index.places[key])
    share = sum(held.values()) / most * (LENGTH_SOFTENING + math.sqrt(MIN_WORDS_COUNTED))
    share /= LENGTH_SOFTENING + math.sqrt(max(words, MIN_WORDS_COUNTED))
    return share * (1.0 if is_whole else FRAGMENT_FACTOR)


def search(
    question: str,
    text: str,
    pages: Sequence[Page],
    tables: Sequence[Any],
    *,
    length: Place,
    passages: int,
    known: Sequence[Place] = (),
    parts: Sequence[Place] = (),
) -> list[str]:
    """Lines to print: one head line, then the best spans that fit in `MAX_CHARS` characters, best first.

    `tables` are in the sandbox's form, `known` are spans that were shown before. The spans of `parts`, which the
    question names, come first, from each part in turn, whatever words they hold.
    """
    ranking, terms = rank(question, text, pages), query_terms(question)
    running = running_lines(text, pages)

    def score_spans(start: int, end: int, page: Place) -> dict[Place, float]:
        around = max(page[0], start - PASSAGE_CHARS), min(page[1], end + PASSAGE_CHARS)
        pieces = find_pieces(text, *around, tables, running)
        inside = [piece for piece in pieces if piece.end > start and piece.start < end]
        scores = {piece[:2]: score_piece(text, piece, ranking.field) for piece in inside}
        return {span: score for span, score in scores.items() if score}

    def fits(span: Place) -> bool:
        return length[0] <= span[1] - span[0] <= length[1]

    of_parts = [[*filter(fits, _best_first(score_spans(*part, part)))] for part in parts]
    in_turn = [span for turn in zip_longest(*of_parts) for span in turn if span]
    best = [] if in_turn else ranking.passages[:passages]
    found = [score_spans(start, end, ranking.field.page_at(start)) for _, start, end in best]
    worth = {span: 1.0 - at / 100 for at, span in enumerate(in_turn)} or _worth_in_passages(best, found)
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
        table = table_at(tables, start)
        header = (table[3][0][0], table[3][-1][1]) if table and table[3] else (0, 0)
        rows.append(row | ({"header": text[slice(*header)]} if fits(header) else {}))
    return _lines_that_fit(rows)


def _best_first(scores: Mapping[Place, float]) -> list[Place]:
    return sorted(scores, key=lambda span: -scores[span])


def _worth_in_passages(
    passages: Sequence[tuple[float, int, int]], found: Sequence[Mapping[Place, float]]
) -> dict[Place, float]:
    """The worth of each span, from its score and that of its passage. The passage counts for more."""
    most = max((score for scores in found for score in scores.values()), default=1.0)
    worth: dict[Place, float] = {}
    for (passage, _, _), scores in zip(passages, found, strict=True):
        for span, score in scores.items():
            value = (passage / passages[0][0]) ** PASSAGE_POWER * (score / most) ** SPAN_POWER
            worth[span] = max(worth.get(span, 0.0), value)
    return worth


def _lines_that_fit(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rows as marked lines of JSON, without those that have no room in `MAX_CHARS`."""
    lines, used = [], 0
    for row in rows:
        line = LINE_MARK + json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        if used + len(line) < MAX_CHARS:
            lines.append(line)
            used += len(line) + 1
    return lines


def choose_spans(text: str, pages: Sequence[Page], worth: Mapping[Place, float]) -> list[tuple[float, int, Place]]:
    """Score, page and span, best first, without spans that overlap or repeat another one.

    Each further span of a page counts less than its score, so that pages take turns.
    """
    remaining: dict[Place, int] = {}
    said: set[str] = set()
    for start, end in sorted(worth, key=lambda span: (-worth[span], span)):
        words = " ".join(TOKEN.findall(text[start:end].lower()))
        if words not in said and not any(start < b and a < end for a, b in remaining):
            said.add(words)
            remaining[start, end] = next((it[0] for it in reversed(pages) if it[2] <= start), 1)
    out: list[tuple[float, int, Place]] = []
    of_page: Counter[int] = Counter()
    while remaining and len(out) < MAX_SPANS:
        best = max(remaining, key=lambda it: (worth[it] * REPEATED_PAGE_FACTOR ** of_page[remaining[it]], -it[0]))
        page = remaining.pop(best)
        out.append((worth[best], page, best))
        of_page[page] += 1
    return out


def find_spans(question: str, text: str) -> list[dict[str, Any]]:
    """The best spans of a text for a question: `start`, `end`, `score`, `text`."""
    lines = search(question, text, (), (), length=(20, 300), passages=6)[1:]
    rows = (json.loads(line.removeprefix(LINE_MARK)) for line in lines)
    return [{key: row[key] for key in ("start", "end", "score", "text")} for row in rows]


def frequent_words(text: str, count: int = 10) -> str:
    """The `count` most frequent informative words of `text`, one form of each, as a question about all of it."""
    forms: dict[str, Counter[str]] = {}
    for word in re.findall(r"[^\W\d_]{4,}", text.lower()):
        if word not in STOP:
            forms.setdefault(stem(word), Counter())[word] += 1
    ranked = sorted(forms.values(), key=lambda seen: -seen.total())
    return " ".join(seen.most_common(1)[0][0] for seen in ranked[:count])
