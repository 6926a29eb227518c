"""Find verbatim spans in a passage: whole sentences, whole table rows, and clauses of sentences that are too long."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ralph_cli.providers.offline.rank import AMOUNT, FIGURE, TOKEN, query_terms, term_forms_pattern
from ralph_cli.providers.offline.words import STOP
from ralph_cli.text.languages.words import DAY_FOLLOWERS, FULL_STOPS

SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"'\u201d\u2019)\]]*\s+(?=[\"'\u201c\u2018(\[]*[^\W_a-z])"
    rf"(?!(?<=\d\.\s)(?:{DAY_FOLLOWERS}))|(?<=[{FULL_STOPS}])(?=[^\s\u300d\u300f\uff09)])"
)
ABBREVIATION = re.compile(
    r"(?i)(?:\b(?:no|nos|inc|corp|co|ltd|llc|vs|mr|mrs|ms|dr|st|jr|sr|art|sec|fig|approx|cf|al|bzw|ca|nr|abs|mio|mrd|tsd|inkl|ggf|vgl|usw|n\u00fam|p\u00e1g|ltda|e\.g|i\.e|[a-z])\.)$"
)
CLAUSE = re.compile(
    r"(?i);\s+|:\s+|\s[\u2013\u2014]\s|,\s+(?=(?:and|or|which|who|where|while|with|including|as|because|due|driven|primarily"
    r"|mainly|resulting|compared)\b)"
)
# A span must never be cut away from a word that turns, limits or conditions what it says.
MEANING_CHANGER = re.compile(
    r"(?i)\b(?:not|no|nor|never|none|neither|nothing|cannot|without|except\w*|exclu\w*|unless|however|but|although|though"
    r"|despite|rather|instead|only|until|if|provided|subject|whether|other than|offset\w*|less than|fail\w*"
    r"|den(?:y|ie\w*)|alleg\w*|would|could|may|might|should|former\w*|previously|almost|hardly|unlikely)\b|n['\u2019]t\b"
)
LABEL = re.compile(r"[^\W\d_]{2,}")
DATE = re.compile(
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}\b"
    r"|\b(?:19|20)\d\d\b|\b\d{1,2}(?=st\b|nd\b|rd\b|th\b)"
)
# The cells at the end of a line: figures, dashes for nothing, and their signs; two of them make the line a row.
FULL_DATE = re.compile(r"[A-Z][a-z]{2,8}\.? \d{1,2}, (?=(?:19|20)\d\d)")
CELL = r"(?:[$\u20ac\u00a3(+-]|[$\u20ac\u00a3] )*(?:\d(?:[\d,.]*\d)?|[\u2013\u2014-]|N/A)[)%]*(?: ?%)?\)?"
CELLS = re.compile(rf"(?:^|\s)({CELL}(?:\s+{CELL})*)\s*$")
SECTION = re.compile(r"\s*\d+(?:\.\d+)*\.?\s+[^\W\da-z_]")
LEADERS = "...."
# Cells beside each other are a running header, never a line of prose; two spaces after a sentence are a habit.
GAP = re.compile(r"[^\s.!?]  +\S|[.!?]  +[^\sA-Z\"'\u201c]")
ITEM_MARK = re.compile(r"[\s\u2022\u25aa\u25cf\u00b7]*[\u2022\u25aa\u25cf\u00b7]|\s*[-\u2013\u2014*\u25e6](?=\s)")
ITEM_NUMBER = re.compile(r"\s*\d{1,2}\.\s+")
NUMBERED_ITEM = re.compile(r"\s*\(?(?:\d{1,2}|[a-z])[.)]\s+(?=[^\W\da-z_])")

# A row's share of its surroundings' terms; softening and floor of a span's length; what amounts gain, and what cut
# sentences, headings and fillers keep.
NEARBY_SHARE, LENGTH_SOFTENING, MIN_WORDS_COUNTED = 0.8, 8, 12
AMOUNT_GAIN, FRAGMENT_FACTOR, HEADING_FACTOR, FILLER_SHARE = 1.3, 0.6, 0.4, 1e-6
MAX_SPANS, FEWEST_APART = 6, 3

Similarity = Callable[[str, list[str]], Sequence[float]] | None


@dataclass(frozen=True, slots=True)
class ScoredSpan:
    """One verbatim span text[start:end] of a passage, with its score."""

    start: int
    end: int
    score: float


def ends_in_cells(line: str) -> bool:
    """Whether a line looks like a row of a table: it ends in cells, and what stands before them is a label."""
    line = FULL_DATE.sub("date ", line)
    cells = CELLS.search(line)
    if not cells:
        return False
    label = line[: cells.start(1)]
    in_columns = label.endswith(("  ", "\t")) or len(re.findall(CELL, cells[1])) >= 2
    return in_columns and len(LABEL.findall(label)) <= 16


def sentences_and_rows(text: str, is_end: bool = False) -> list[tuple[int, int, bool]]:
    """Sentences and rows of `text` as (start, end, row), in order; parts of sentences at the edges are left out.

    If the text ends where a page or part does (`is_end`), its last line is whole, though it has no full stop, unless
    what stands before it has one.
    """
    lines = [(match.start(), match.end()) for match in re.finditer(r"[^\n\f]+", text)]
    out: list[tuple[int, int, bool]] = []
    prose: list[tuple[int, int]] = []
    for index, (start, end) in enumerate(lines):
        line = text[start:end]
        row = ends_in_cells(line)
        gap = index > 0 and text.count("\n", lines[index - 1][1], start) > 1
        if row and prose and not LABEL.search(line) and prose[-1][1] + 2 > start and not gap:
            start = prose.pop()[0]  # the label of the row stands on the line before
        item = ITEM_MARK.match(line) or NUMBERED_ITEM.match(line)
        if row or gap or item or (prose and _ends_in_heading(text, prose, line)):
            out += _sentences(text, prose, is_end)
            prose = []
        if row:
            out.append((start, end, True))
        else:
            prose.append((start, end))
    out += _sentences(text, prose, is_end)
    trimmed = [(*_trim(text, start, end), row) for start, end, row in out]
    return [(start, end, row) for start, end, row in trimmed if end > start]


def _ends_in_heading(text: str, block: Sequence[tuple[int, int]], following: str) -> bool:
    """Whether the block ends in a heading: a short or gapped line, nothing open, before one that begins anew."""
    line = text[slice(*block[-1])].rstrip()
    begins = len(block) == 1 or text[slice(*block[-2])].rstrip().endswith((".", "!", "?", ":"))
    return begins and (len(line) < 60 or bool(GAP.search(line))) and _begins_anew(line, following)


def _begins_anew(line: str, following: str) -> bool:
    """Whether nothing of a line is left open, and the one behind it begins as a sentence does."""
    words = TOKEN.findall(line.lower())
    open_ended = line.rstrip().endswith((",", "-", ";")) or (bool(words) and words[-1] in STOP)
    return not open_ended and (following.lstrip()[:1].isupper() or bool(SECTION.match(following)))


def _are_apart(lines: Sequence[str]) -> bool:
    """Whether each of several lines says something by itself: none ends with a stop, and each begins anew.

    Lines in capitals all begin with one, whatever they say; and no line is cut from one that may turn it.
    """
    if len(lines) < FEWEST_APART or any(line.isupper() or MEANING_CHANGER.search(line) for line in lines):
        return False
    has_stop = any(SENTENCE_END.search(line) or line.rstrip()[-1:] in ".!?:" for line in lines)
    return not has_stop and all(_begins_anew(line, after) for line, after in pairwise(lines))


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    mark = ITEM_MARK.match(text, start, end)
    start = mark.end() if mark else start
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _sentences(text: str, lines: Sequence[tuple[int, int]], is_end: bool) -> list[tuple[int, int, bool]]:
    """Sentences of a block of prose lines. One that begins or ends outside the passage is not a sentence."""
    if not lines:
        return []
    if _are_apart([text[start:end] for start, end in lines]):
        return [piece for line in lines for piece in _sentences(text, [line], is_end)]
    begin, stop = lines[0][0], lines[-1][1]
    number = ITEM_NUMBER.match(text, begin, stop)
    begin = number.end() if number else begin
    cuts = [begin]
    for match in SENTENCE_END.finditer(text, begin, stop):
        if not ABBREVIATION.search(text[max(begin, match.start() - 12) : match.start()]):
            cuts.append(match.end())
    spans = [(a, b, False) for a, b in pairwise([*cuts, stop])]
    first, last = text[spans[0][0] : spans[0][1]].lstrip(), text[spans[-1][0] : spans[-1][1]].rstrip()
    if not text[:begin].strip() and first[:1].islower():
        spans = spans[1:]
    is_whole = is_end and len(spans) == 1 and text[: lines[0][0]].rstrip()[-1:] not in tuple(".!?")
    if spans and not text[stop:].strip() and last[-1:] not in ".!?:;\"'\u201d)" and len(last) > 80 and not is_whole:
        spans = spans[:-1]
    return spans


def clauses(text: str, start: int, end: int, low: int, high: int) -> list[tuple[int, int]]:
    """Parts of a sentence that is too long: cut at clause ends, and only where nothing cut off turns the meaning."""
    marks = list(CLAUSE.finditer(text, start, end))
    begins = [start] + [match.end() for match in marks if text[match.start()] in ";:"]
    ends = [match.start() for match in marks] + [end]
    out = []
    for begin in begins:
        stop = max((stop for stop in ends if low <= stop - begin <= high), default=None)
        if stop and not MEANING_CHANGER.search(text, start, begin) and not MEANING_CHANGER.search(text, stop, end):
            out.append((begin, stop))
    return out


def _held_terms(text: str, terms: Mapping[str, float]) -> dict[str, float]:
    low = text.lower()
    return {key: value for key, value in terms.items() if re.search(term_forms_pattern(key), low)}


def extract_spans(
    question: str,
    text: str,
    terms: Mapping[str, float],
    length: tuple[int, int],
    head: str = "",
    similarity: Similarity = None,
    *,
    is_named: bool = False,
    is_end: bool = False,
) -> list[ScoredSpan]:
    """The best spans of `text` for the question, best first.

    A span scores the weight (IDF) of the terms it holds over the square root of its length; a table row also gets most
    of what the page's first lines (`head`) and the lines above it hold, because a row never says what table it is in.
    With `similarity` (question, spans -> cosine of each) half of the score is that, and a span may do without terms;
    so it may in a text that the question names (`is_named`). `is_end` is that of `sentences_and_rows`.
    """
    amount = bool(AMOUNT.search(question))
    most = sum(terms.values()) / (LENGTH_SOFTENING + math.sqrt(MIN_WORDS_COUNTED)) or 1.0
    found = []
    for start, end, row in _candidate_spans(text, length, is_end):
        span = text[start:end]
        held = _held_terms(span, terms)
        words = len(TOKEN.findall(span))
        figures = [figure for figure in FIGURE.findall(DATE.sub(" ", span)) if len(figure.strip(".,")) > 1]
        if not (held or similarity or is_named) or words < 3 or (row and not figures) or LEADERS in span:
            continue
        score = sum(held.values())
        if row:
            near = _held_terms(head + "\n" + text[max(0, start - 600) : start], terms)
            score += NEARBY_SHARE * sum(value for key, value in near.items() if key not in held)
        score /= most * (LENGTH_SOFTENING + math.sqrt(max(words, MIN_WORDS_COUNTED)))
        gain = AMOUNT_GAIN if amount and figures else 1.0
        cut = 1.0 if row or span[-1] in '.!?"\u201d)' else FRAGMENT_FACTOR
        # Words without an end and hardly a sentence's worth of them are a heading: where to look, not what is said.
        cut *= HEADING_FACTOR if cut < 1.0 and words < 7 else 1.0
        found.append((start, end, score, gain, cut))
    if similarity and found:
        alike = similarity(question, [" ".join(text[start:end].split()) for start, end, *_ in found])
        pairs = zip(found, alike, strict=True)
        found = [(a, b, (score + max(like, 0.0)) / 2, gain, cut) for (a, b, score, gain, cut), like in pairs]
    spans = [ScoredSpan(start, end, round(score * gain * cut, 4)) for start, end, score, gain, cut in found]
    best = sorted(spans, key=lambda item: (-item.score, item.start))[:MAX_SPANS]
    return best + _filler_sentences(text, best, length)


def _filler_sentences(text: str, best: Sequence[ScoredSpan], length: tuple[int, int]) -> list[ScoredSpan]:
    """The two sentences nearest to the best span, worth next to nothing: they fill up an answer that must have more."""
    if not best:
        return []
    taken = {(span.start, span.end) for span in best}
    whole = [(a, b) for a, b, row in _candidate_spans(text, length) if not row and text[b - 1] in ".!?"]
    free = sorted(set(whole) - taken, key=lambda place: (abs(place[0] - best[0].start), place))
    return [ScoredSpan(a, b, FILLER_SHARE * best[0].score) for a, b in free[:2]]


def _candidate_spans(text: str, length: tuple[int, int], is_end: bool = False) -> Iterator[tuple[int, int, bool]]:
    """Spans within the length: pieces as they are, clauses of sentences that are too long, no part of a row."""
    low, high = length
    for start, end, row in sentences_and_rows(text, is_end):
        if low <= end - start <= high:
            yield start, end, row
        elif end - start > high and not row:
            yield from ((a, b, False) for a, b in clauses(text, start, end, low, high))


def answer_subquery(prompt: str, text: str, similarity: Similarity = None) -> str:
    """The best spans of `text` for `prompt`, as JSON; the OPTIONS line of the search carries weights and lengths."""
    question, mark, tail = prompt.rpartition("\n\nOPTIONS ")
    question = question if mark else prompt
    terms = {term.key: term.weight for term in query_terms(question)}
    length, head, is_end = (20, 300), "", False
    try:
        options = json.loads(tail) if mark else {}
        terms = {str(key): float(value) for key, value in options.get("terms", terms).items()}
        head, is_end = str(options.get("head", "")), options.get("end") is True
        length = (int(options["length"][0]), int(options["length"][1])) if "length" in options else length
    except (ValueError, TypeError, AttributeError, LookupError):
        pass  # a prompt that is not ours is answered with what its words say
    spans = extract_spans(question, text, terms, length, head, similarity, is_end=is_end)
    rows = [{"start": s.start, "end": s.end, "score": s.score, "text": text[s.start : s.end]} for s in spans]
    return json.dumps(rows, ensure_ascii=False)
