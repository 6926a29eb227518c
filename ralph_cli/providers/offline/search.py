"""Search a document for quotes: rank passages, ask a sub-query for spans of each, choose, and say it in lines.

The source of this module runs as guest code in the sandbox, behind that of `rank`; it prints nothing itself.
"""

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import accumulate, zip_longest
from typing import Any

from ralph_cli.providers.offline.pages import (
    Page,
    body_at,
    ends_with_page,
    find_page,
    header_span,
    page_head,
    page_windows,
    widen_to_header,
    widen_to_sentences,
)
from ralph_cli.providers.offline.rank import AMOUNT, FIGURE, TOKEN, query_terms, rank
from ralph_cli.providers.offline.spans import extract_spans
from ralph_cli.providers.offline.words import STOP, stem

AskSubqueries = Callable[[list[tuple[str, str]]], Sequence[object]]
LINE_MARK = "@@offline "
"""Begins every machine-readable line: one JSON object follows."""
ANY_LENGTH, MAX_CHARS = (1, 10_000), 1850
# Variety: passages of one page, factor of each further span of it, spans without a figure before they get that factor
# too (when an amount is asked for). Which page it is tells more than how well a span of it holds the words of the
# question: the powers of the passage's score and of the span's.
PASSAGES_OF_PAGE, REPEATED_PAGE_FACTOR, FREE_WITHOUT_FIGURE = 2, 0.4, 4
PASSAGE_POWER, SPAN_POWER = 2.0, 0.4


def search(
    question: str,
    context: str,
    pages: Sequence[Page],
    ask: AskSubqueries,
    *,
    length: tuple[int, int],
    passages: int,
    known_spans: Sequence[Sequence[int]],
    tables: Sequence[Any] = (),
) -> list[str]:
    """Lines to print: one head line, then the best spans that fit in `MAX_CHARS` characters, best first.

    `tables` are those of the document as its sandbox has them.
    """
    ranking = rank(question, context, pages)
    best = _spread_passages(ranking.passages, page_windows(context, pages), passages)
    weights = {key: round(value, 2) for key, value in ranking.weights.items()}
    bodies = ranking.bodies
    wide = [widen_to_sentences(context, start, end, body_at(bodies, start)) for _, start, end in best]

    def ask_for_spans(asked_length: tuple[int, int]) -> Sequence[object]:
        items = [
            (
                _build_prompt(
                    question, weights, asked_length, page_head(context, pages, a), ends_with_page(context, bodies, b)
                ),
                context[a:b],
            )
            for a, b in wide
        ]
        return ask(items) if items else []

    answers = ask_for_spans(length)
    failed = [str(answer) for answer in answers if isinstance(answer, BaseException)]
    spans: dict[tuple[int, int], float] = {}
    unfit: list[int] = []
    if wide and not failed and not any(map(_parse_spans, answers)):
        # Nothing of the asked length: whether there is something of another one decides what may be said of it.
        unfit = sorted(end - start for answer in ask_for_spans(ANY_LENGTH) for start, end, _ in _parse_spans(answer))
    parsed = list(map(_parse_spans, answers))
    most = max((value for found in parsed for _, _, value in found), default=1.0) or 1.0
    for (score, _, _), (a, _), found in zip(best, wide, parsed, strict=True):
        for start, end, value in found:
            place = widen_to_header(tables, a + start, a + end, length[1])
            worth = (score / best[0][0]) ** PASSAGE_POWER * (max(value, 0.0) / most) ** SPAN_POWER
            spans[place] = max(spans.get(place, 0.0), worth)
    hidden = {(int(a), int(b)) for a, b in known_spans}
    ranked = [
        (place, value)
        for place, value in sorted(spans.items(), key=lambda item: (-item[1], item[0]))
        if place not in hidden
    ]
    picked = choose_spans(context, pages, ranked, amount=bool(AMOUNT.search(question)))
    head = {
        "coverage": round(ranking.coverage, 3),
        "needed": round(ranking.needed, 3),
        "terms": [term.word for term in query_terms(question)][:12],
        "missing": ranking.missing[:8],
        "passages": len(best),
        "failed": len(failed),
        "unfit": [unfit[0], unfit[-1]] if unfit else [],
        "why": (failed or [""])[0][:120],
    }
    lines = [LINE_MARK + json.dumps(head, ensure_ascii=False)]
    used = len(lines[0]) + 1
    for score, page, start, end in picked:
        row = {"page": page, "start": start, "end": end, "score": round(score, 3), "text": context[start:end]}
        top, stop = header_span(tables, start)
        if length[0] <= stop - top <= length[1]:
            row["header"] = context[top:stop]
        line = LINE_MARK + json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        if used + len(line) < MAX_CHARS:
            lines.append(line)
            used += len(line) + 1
    return lines


def search_parts(
    question: str, context: str, pages: Sequence[Page], parts: Sequence[Sequence[int]], length: tuple[int, int]
) -> list[str]:
    """Lines as of `search` with spans of the parts that a question names, of each in turn; none if they have none."""
    asked = query_terms(question)
    terms = {term.key: term.weight for term in asked}
    found = [
        [
            (start + span.start, start + span.end)
            for span in extract_spans(question, context[start:end], terms, length, is_named=True, is_end=True)
        ]
        for start, end in parts
    ]
    in_turn = [span for turn in zip_longest(*found) for span in turn if span is not None]
    head = {"coverage": 1.0, "needed": 0.0, "terms": [term.word for term in asked][:12], "passages": len(parts)}
    rows = [
        {
            "page": find_page(pages, a)[0] if pages else 1,
            "start": a,
            "end": b,
            "score": 1.0 - at / 100,
            "text": context[a:b],
        }
        for at, (a, b) in enumerate(in_turn)
    ]
    lines = [LINE_MARK + json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in (head, *rows)]
    sizes = accumulate(len(line) + 1 for line in lines)
    return [line for line, size in zip(lines, sizes, strict=True) if size < MAX_CHARS] if rows else []


def frequent_words(text: str, count: int = 10) -> str:
    """The `count` most frequent informative words of `text`, one form of each, as a question about all of it."""
    forms: dict[str, Counter[str]] = {}
    for word in re.findall(r"[^\W\d_]{4,}", text.lower()):
        if word not in STOP:
            forms.setdefault(stem(word), Counter())[word] += 1
    ranked = sorted(forms.values(), key=lambda seen: -seen.total())
    return " ".join(seen.most_common(1)[0][0] for seen in ranked[:count])


def _build_prompt(question: str, terms: dict[str, float], length: tuple[int, int], head: str, is_end: bool) -> str:
    """The question as it is; what only the engine of this package reads stands behind it."""
    options = {"terms": terms, "length": length, "head": head, **({"end": True} if is_end else {})}
    return f"{question}\n\nOPTIONS {json.dumps(options, ensure_ascii=False)}"


def _spread_passages(
    ranked: Sequence[tuple[float, int, int]], wide: Sequence[tuple[int, int]], count: int
) -> list[tuple[float, int, int]]:
    """The best passages, few of one page, without those that mostly repeat one already taken."""
    of_page: Counter[int] = Counter()
    out: list[tuple[float, int, int]] = []
    for score, start, end in ranked:
        page = bisect_right(wide, start, key=lambda span: span[0])
        if len(out) == count:
            break
        if of_page[page] < PASSAGES_OF_PAGE and all(min(end, b) - max(start, a) < (end - start) / 2 for _, a, b in out):
            of_page[page] += 1
            out.append((score, start, end))
    return out


def _parse_spans(answer: object) -> list[tuple[int, int, float]]:
    """The spans of one sub-query's answer; whatever is not such a list is an empty one."""
    try:
        return [(int(s["start"]), int(s["end"]), float(s["score"])) for s in json.loads(str(answer))]
    except (ValueError, TypeError, KeyError):
        return []


def choose_spans(
    text: str, pages: Sequence[Page], spans: Sequence[tuple[tuple[int, int], float]], *, amount: bool, count: int = 16
) -> list[tuple[float, int, int, int]]:
    """(score, page, start, end), best first.

    None overlaps another, and there are no near-duplicates (equal figures and most words); each further span of a
    page counts less than its score, so that pages take turns; so do spans without a figure, after the first few, if
    an amount is asked for.
    """
    remaining: list[tuple[float, int, int, int, bool]] = []
    shown: list[tuple[set[str], set[str]]] = []
    taken: list[tuple[int, int]] = []
    for (start, end), score in spans:
        words, amounts = set(TOKEN.findall(text[start:end].lower())), set(FIGURE.findall(text[start:end]))
        if any(amounts == theirs and len(words & other) > 0.7 * len(words | other) for other, theirs in shown):
            continue
        if any(start < b and a < end for a, b in taken):
            continue
        taken.append((start, end))
        shown.append((words, amounts))
        page = find_page(pages, start)[0] if pages else 1
        remaining.append((score, page, start, end, not amounts))
    out: list[tuple[float, int, int, int]] = []
    of_page: Counter[int] = Counter()
    plain = 0
    while remaining and len(out) < count:
        full = max(0, plain + 1 - FREE_WITHOUT_FIGURE) if amount else 0
        best = max(
            remaining,
            key=lambda item: (item[0] * REPEATED_PAGE_FACTOR ** (of_page[item[1]] + full * item[4]), -item[2]),
        )
        remaining.remove(best)
        out.append(best[:4])
        of_page[best[1]] += 1
        plain += best[4]
    return out
