"""Search a document for quotes: rank passages, ask a sub-query for spans of each, choose, and say it in lines.

The source of this module runs as guest code in the sandbox, behind that of `rank`; it prints nothing itself.
"""

import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence

from ralph_cli.providers.offline.rank import AMOUNT, FIGURE, HEAD_CHARS, TOKEN, Page, page_windows, query_terms, rank
from ralph_cli.providers.offline.words import STOP, stem

AskSubqueries = Callable[[list[tuple[str, str]]], Sequence[object]]
LINE_MARK = "@@offline "
"""Begins every machine-readable line: one JSON object follows."""
ANY_LENGTH, MAX_CHARS = (1, 10_000), 1850
# Variety: passages of one page, factor of each further span of it, spans without a figure before they get that factor
# too (when an amount is asked for), loss by passage rank.
PASSAGES_OF_PAGE, REPEATED_PAGE_FACTOR, FREE_WITHOUT_FIGURE, RANK_LOSS = 2, 0.4, 4, 0.03


def search(
    question: str,
    context: str,
    pages: Sequence[Page],
    ask: AskSubqueries,
    *,
    length: tuple[int, int],
    passages: int,
    known_spans: Sequence[Sequence[int]],
) -> list[str]:
    """Lines to print: one head line, then the best spans that fit in `MAX_CHARS` characters, best first."""
    ranking = rank(question, context, pages)
    best = _spread_passages(ranking.passages, page_windows(context, pages), passages)
    weights = {key: round(value, 2) for key, value in ranking.weights.items()}
    wide = [widen_to_sentences(context, start, end) for _, start, end in best]

    def ask_for_spans(asked_length: tuple[int, int]) -> Sequence[object]:
        items = [
            (_build_prompt(question, weights, asked_length, _page_head(context, pages, a)), context[a:b])
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
    for order, ((score, _, _), (a, _), answer) in enumerate(zip(best, wide, answers, strict=True)):
        base = math.sqrt(score / best[0][0]) / (1 + RANK_LOSS * order)
        for start, end, value in _parse_spans(answer):
            place = (a + start, a + end)
            spans[place] = max(spans.get(place, 0.0), value * base)
    hidden = {(int(a), int(b)) for a, b in known_spans}
    running = running_lines(context, pages)
    ranked = [
        (place, value)
        for place, value in sorted(spans.items(), key=lambda item: (-item[1], item[0]))
        if place not in hidden and mask_numbers(context[slice(*place)]) not in running
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
        line = LINE_MARK + json.dumps(row, ensure_ascii=False, separators=(",", ":"))
        if used + len(line) < MAX_CHARS:
            lines.append(line)
            used += len(line) + 1
    return lines


def frequent_words(text: str, count: int = 10) -> str:
    """The `count` most frequent informative words of `text`, one form of each, as a question about all of it."""
    forms: dict[str, Counter[str]] = {}
    for word in re.findall(r"[^\W\d_]{4,}", text.lower()):
        if word not in STOP:
            forms.setdefault(stem(word), Counter())[word] += 1
    ranked = sorted(forms.values(), key=lambda seen: -seen.total())
    return " ".join(seen.most_common(1)[0][0] for seen in ranked[:count])


def mask_numbers(line: str) -> str:
    """A line with its numbers made equal, so that page numbers do not tell running headers and footers apart."""
    return re.sub(r"\d+|\b[ivxlc]+\b", "#", " ".join(line.split()))


def running_lines(text: str, pages: Sequence[Page]) -> set[str]:
    """The headers and footers: first or last two lines of a page that stand there on a fifth of all pages."""
    seen: Counter[str] = Counter()
    for _, _, start, end in pages:
        lines = text[start:end].strip().splitlines()
        if len(lines) > 5:  # a page of a few lines has no headers, it is all text
            seen.update({mask_numbers(line) for line in lines[:2] + lines[-2:]})
    return {line for line, count in seen.items() if count >= max(5, len(pages) / 5)}


def _build_prompt(question: str, terms: dict[str, float], length: tuple[int, int], head: str) -> str:
    """The question as it is; what only the engine of this package reads stands behind it."""
    return f"{question}\n\nOPTIONS " + json.dumps({"terms": terms, "length": length, "head": head}, ensure_ascii=False)


def _page_head(text: str, pages: Sequence[Page], place: int) -> str:
    """The first lines of the page that holds `place`, unless the document has no pages."""
    if len(pages) < 2:
        return ""
    _, _, start, end = _page_at(pages, place)
    return " ".join(text[start : min(start + HEAD_CHARS, end)].split())


def _page_at(pages: Sequence[Page], place: int) -> Page:
    return pages[max(bisect_right(pages, place, key=lambda page: page[2]) - 1, 0)]


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


def widen_to_sentences(text: str, start: int, end: int, reach: int = 400) -> tuple[int, int]:
    """Grow a passage to the sentence ends around it, so that no sentence is seen in halves; never across a page."""
    low = max(text.rfind("\f", 0, start) + 1, start - reach)
    stop = text.find("\f", end)
    high = min(stop if stop >= 0 else len(text), end + reach)
    before = [match.end() + low for match in re.finditer(r"[.!?:]['\"\u201d)]?\s|\n\s*\n", text[low:start])]
    after = re.search(r"[.!?]['\"\u201d)]?(?=\s)|\n\s*\n", text[max(end - 2, start) : high])
    return (before[-1] if before else low), (max(end - 2, start) + after.end() if after else end)


def choose_spans(
    text: str, pages: Sequence[Page], spans: Sequence[tuple[tuple[int, int], float]], *, amount: bool, count: int = 16
) -> list[tuple[float, int, int, int]]:
    """(score, page, start, end), best first.

    No near-duplicates (equal figures and most words); each further span of a page counts less than its score, so that
    pages take turns; so do spans without a figure, after the first few, if an amount is asked for.
    """
    remaining: list[tuple[float, int, int, int, bool]] = []
    shown: list[tuple[set[str], set[str]]] = []
    for (start, end), score in spans:
        words, amounts = set(TOKEN.findall(text[start:end].lower())), set(FIGURE.findall(text[start:end]))
        if any(amounts == theirs and len(words & other) > 0.7 * len(words | other) for other, theirs in shown):
            continue
        shown.append((words, amounts))
        page = _page_at(pages, start)[0] if pages else 1
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
