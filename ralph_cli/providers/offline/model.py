"""The model that needs no key and no network: it ranks passages by word statistics and quotes them word for word."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ralph_cli.core.coverage import asks_for_summary
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, StopReason, ToolCall, Usage
from ralph_cli.providers.offline.goals import choose_goal_act
from ralph_cli.providers.offline.history import Candidate, History, parse_search_output
from ralph_cli.providers.offline.rank import query_terms
from ralph_cli.providers.offline.semantic import Embed, make_similarity
from ralph_cli.providers.offline.snippet import DEFAULT_PASSAGES, build_snippet
from ralph_cli.providers.offline.spans import find_spans
from ralph_cli.providers.offline.tables import to_csv
from ralph_cli.text.verbatim import departure, strip_marks, unquoted_parts

TARGET_ITEMS = 8  # items of a brief that the engine searches for

MAX_ITEMS = 16  # items of a brief that the engine submits at most

NOTE_ITEMS = 3  # quotes that a task's note for later runs holds

MAX_QUOTES = 3  # passages in an answer, unless more are asked for

MAX_SEARCHES = 3

MIN_SCORE_SHARE = 0.35  # least share of the best score for a quote beyond the required number

MIN_BEST_SHARE = 0.05  # least share of the best score that at least one quote must reach


def write_output(inputs: Mapping[str, Any]) -> Json:
    """The quotes in the order of the document, in the requested format, and a note with the first of them."""
    paged = bool(inputs.get("paged"))
    quotes = sorted(inputs.get("quotes", []), key=lambda quote: int(quote.get("start", 0)))
    rows = [(" ".join(str(quote["text"]).split()).lstrip("-*+#\u2022 "), int(quote["page"])) for quote in quotes]
    if not rows:
        rows = [(line, 0) for line in _memory_lines(str(inputs.get("memory", "")))]
        paged = False
    bullets = [f"- {text}" + (f" (p. {page})" if paged else "") for text, page in rows]
    columns = ("quote", "page") if paged else ("quote",)
    table = [row[: len(columns)] for row in rows]
    output = "\n".join(bullets)
    if inputs.get("format") == "json":
        output = json.dumps([dict(zip(columns, row, strict=True)) for row in table], ensure_ascii=False, indent=1)
    elif inputs.get("format") == "csv":
        output = to_csv([columns, *table])
    return {"output": output, "memory_update": "Passages quoted:\n" + "\n".join(bullets[:NOTE_ITEMS])}


def _memory_lines(memory: str) -> list[str]:
    """The different lines of a memory, without its headings and marks."""
    lines = [strip_marks(line) for line in memory.splitlines()]
    headings = ("Iter ", "Passages quoted:", "[trimmed", "[cut]")
    return list(dict.fromkeys(line for line in lines if line and not line.startswith(headings)))


def judge_output(inputs: Mapping[str, Any]) -> Json:
    """Whether every line or value of the output is a verbatim quote. It never says that the task is done."""
    sources = [str(quote.get("text", "")) for quote in inputs.get("quotes", [])]
    sources = sources or _memory_lines(str(inputs.get("memory", "")))
    issues = unquoted_parts(str(inputs.get("output", "")), str(inputs.get("format", "")), sources)
    return {"verbatim": not issues, "issues": issues}


class OfflineModel:
    """Answers the requests of ralph's agents by code. It extracts and never judges; equal requests get equal replies.

    * worker, reader, extractor, goal -> one call of the tool `act`
    * subquery -> a JSON list of spans `{start, end, score, text}` of the given text
    * judge -> `{"verdicts": [...]}`, where a claim is "verbatim" or "not", and never "supported"
    * reasoner -> `{"output", "memory_update"}`: the quotes of the brief as they are
    * task_judge -> `{"verbatim", "issues"}`: whether the output consists of quotes, and never that it is "ok"
    """

    vendor = "offline"

    def __init__(self, embed: Embed | None = None) -> None:
        """Make the engine. With `embed` (see `semantic.load_embedding`) likeness of meaning counts in its ranking."""
        self.name = "offline:semantic" if embed else "offline:extractive"
        self._similarity = make_similarity(embed) if embed else None

    def complete(self, request: Request) -> Reply:
        """Answer the request. Raises ProviderError `offline-unsupported` for an agent that needs understanding."""
        agent, inputs = request.agent, request.inputs
        usage = Usage(calls=1, characters=request.characters, usd=0.0)
        if agent in ("worker", "reader", "extractor", "goal"):
            number = 1 + sum(isinstance(turn, ModelTurn) for turn in request.turns)
            call = ToolCall(f"offline-{number}", "act", self._choose_act(request))
            return Reply(ModelTurn("", (call,)), StopReason.TOOL, usage, self.name)
        if agent in _WRITERS:
            text = json.dumps(_WRITERS[agent](inputs), ensure_ascii=False)
            return Reply(ModelTurn(text), StopReason.END, usage, self.name)
        what = f"the model {self.name} cannot act as {agent}: it only extracts quotes"
        hint = "configure a model with a key, such as anthropic:<model> or openai:<model>"
        raise ProviderError(what, code="offline-unsupported", hint=hint)

    def _choose_act(self, request: Request) -> Json:
        """The next act, which depends on the conversation alone."""
        question = str(request.inputs.get("question", ""))
        if request.agent == "goal":
            return choose_goal_act(request)
        if request.agent == "extractor":
            found = parse_search_output(str(request.inputs.get("trajectory", "")))
            history = History(*found, searches=MAX_SEARCHES + 1)
        else:
            history = History.from_turns(request.turns)
        if self._similarity and history.candidates:
            alike = self._similarity(question, [candidate.claim for candidate in history.candidates])
            history.rank_by(alike)
        return _next_act(history, question, request.inputs, is_brief=request.agent == "reader")


def _next_act(history: History, question: str, inputs: Mapping[str, Any], *, is_brief: bool) -> Json:
    """The next act: search, search again, submit, or report that nothing was found.

    A brief has more items than an answer, and may be of a task that names no words to search for.
    """
    length, least, most = quote_bounds(inputs)
    asked = question if query_terms(question) or not is_brief else None
    if not history.search_summaries:
        return _first_search(history, asked, length, inputs.get("parts") or ())
    first, last = history.search_summaries[0], history.search_summaries[-1]
    if is_irrelevant(last if is_brief else first):
        is_broad = is_brief and asked and history.searches == 1 and asks_for_summary(question)
        return {"code": build_snippet(None, length)} if is_broad else not_found_action(first)
    if is_irrelevant(first):
        asked = None
    wanted, candidates = least, history.unrefused
    if is_brief:
        # Words that occur in several places are one item, which ranks by the best of them.
        items: dict[str, Candidate] = {}
        for candidate in candidates:
            items.setdefault(candidate.claim.casefold(), candidate)
        candidates = list(items.values())
        least, most, wanted = 1, MAX_ITEMS, TARGET_ITEMS
    chosen = select_candidates(candidates[:most], least, history.best_score)
    if len(chosen) < wanted and not history.exhausted and history.searches <= MAX_SEARCHES:
        shown = [(c.start, c.end) for c in history.candidates]
        return {"code": build_snippet(asked, length, shown, passages=DEFAULT_PASSAGES * (1 + history.searches))}
    if not chosen:
        return no_quote_action(history.search_summaries, length, history.submitted)
    most_quotes = 0 if is_brief else int((inputs.get("quotes") or (1, 2 * MAX_QUOTES))[1])
    return submission(chosen, most_quotes)


def _first_search(
    history: History, question: str | None, length: tuple[int, int], parts: Sequence[Sequence[int]]
) -> Json:
    """The first search, which is repeated once if it printed nothing."""
    if history.searches > MAX_SEARCHES:  # a conversation that has ended
        return not_found_action({"terms": list(query_terms(question or "").values())})
    if history.searches > 1:
        what, hint = "the search in the sandbox returned no result", "see the trace for what the snippet printed"
        raise ProviderError(what, code="offline-no-result", hint=hint)
    return {"code": build_snippet(question, length, parts=parts)}


def quote_bounds(inputs: Mapping[str, Any]) -> tuple[tuple[int, int], int, int]:
    """The characters of a quote (least, most), and the least and most claims, which have one quote each."""
    bullets, quotes = inputs.get("bullets") or (1, MAX_QUOTES), inputs.get("quotes") or (1, MAX_QUOTES)
    low, high = inputs.get("quote_chars") or (20, 300)
    least = max(int(bullets[0]), int(quotes[0]))
    return (int(low), int(high)), least, max(1, least, min(int(bullets[1]), int(quotes[1]), MAX_QUOTES))


def is_irrelevant(head: Json) -> bool:
    """Whether even the best passage holds too few of the question's terms to be quoted."""
    return float(head.get("coverage", 0.0)) < float(head.get("needed", 0.0)) or not head.get("passages")


def select_candidates(candidates: list[Candidate], least: int, best: float) -> list[Candidate]:
    """The `least` first candidates, and further ones that are not far behind the `best` score.

    Candidates that only fill up (see `spans.FILLER_SHARE`) are never alone.
    """
    if not any(c.score >= MIN_BEST_SHARE * best for c in candidates):
        return []
    return [c for index, c in enumerate(candidates) if index < least or c.score >= MIN_SCORE_SHARE * best]


def submission(chosen: list[Candidate], most_quotes: int = 0) -> Json:
    """Claims that are their own quotes. Table rows get the quote of their header too, up to `most_quotes` in all."""
    room = most_quotes - len(chosen)
    claims = []
    for candidate in chosen:
        header = [candidate.header] if candidate.header and room > 0 else []
        room -= len(header)
        claims.append({"text": candidate.claim, "quotes": [candidate.text, *header], "page": candidate.page})
    return {"claims": claims}


def no_quote_action(heads: list[Json], length: tuple[int, int], refused: bool = False) -> Json:
    """Report that nothing was found. Raises ProviderError `offline-no-quote` if only the length of quotes did not fit:
    that would be no absence.
    """
    unfit = [size for head in heads for size in head.get("unfit", [])]
    if unfit and not refused:
        sizes = f"{min(unfit)}" if min(unfit) == max(unfit) else f"{min(unfit)} to {max(unfit)}"
        wanted = f"{length[0]} to {length[1]} characters (available lengths: {sizes})"
        what = f"passages were found, but none has a quote of {wanted}"
        raise ProviderError(what, code="offline-no-quote", hint="widen --quote-chars")
    return not_found_action(heads[-1], refused)


def not_found_action(head: Json, refused: bool = False) -> Json:
    """Report that the answer was not found, with the terms that were searched for."""
    missing = [str(term) for term in head.get("missing", [])]
    note = "The passages found were not accepted." if refused else "No passage contains enough of the question's terms."
    if missing:
        note += " Not found in the document: " + ", ".join(missing) + "."
    searched = [str(term) for term in head.get("terms", [])]
    return {"not_found": {"searched": searched or ["(no informative word in the question)"], "note": note}}


def judge_claims(inputs: Mapping[str, Any]) -> Json:
    """A verdict on each claim: "verbatim" if it is one of its quotes, else "not" with the reason; never "supported"."""
    return {"verdicts": [_verdict(claim) for claim in inputs.get("claims", [])]}


def _verdict(claim: Mapping[str, Any]) -> Json:
    quotes = [str(quote.get("text", "")) for quote in claim.get("quotes", [])]
    departs = departure(str(claim.get("text", "")), quotes)
    reason = departs or "the claim repeats a quote word for word; no model checked whether it answers the question"
    return {"id": claim.get("id"), "verdict": "not" if departs else "verbatim", "reason": reason}


# The functions that answer agents without a tool.
_WRITERS: dict[str, Callable[[Mapping[str, Any]], Json | list[Json]]] = {
    "subquery": lambda inputs: find_spans(str(inputs.get("prompt", "")), str(inputs.get("text", ""))),
    "judge": judge_claims,
    "reasoner": write_output,
    "task_judge": judge_output,
}
