"""The offline model: it needs no key, network or language model. It ranks passages and quotes them word for word."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

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

# Words of tasks about a whole document; they need not occur in the document.
TASK_WORDS = re.compile(
    r"(?i)\b(?:summar\w*|overview|abstract|digest|gist|outline|brief(?:ing)?|highlights?|essence|main|key|points?|important"
    r"|describe|review|whole|entire|document|text|paragraphs?|bullets?|sentences?|words?|page|short|write)\b"
)

# Items of a brief that the engine tries to find, and the most that it submits.
TARGET_ITEMS, MAX_ITEMS = 8, 16

NOTE_ITEMS = 3
_BULLET = re.compile(r"^(?:[-*+#\u2022]+\s+)+")


def topic_words(task: str) -> str:
    """Return the topic of a task, without the words that only name the kind of work; may be empty."""
    words = " ".join(TASK_WORDS.sub(" ", task).split())
    return words if query_terms(words) else ""


def write_output(inputs: Mapping[str, Any]) -> Json:
    """Return the unchanged quotes in the requested format and in the document's order; the first ones also become a
    note.
    """
    paged = bool(inputs.get("paged"))
    quotes = sorted(inputs.get("quotes", []), key=lambda quote: int(quote.get("start", 0)))
    rows = [(_BULLET.sub("", " ".join(str(quote["text"]).split())), int(quote["page"])) for quote in quotes]
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
    lines = [strip_marks(line) for line in memory.splitlines()]
    heads = re.compile(r"Iter \d+ - |Passages quoted:|\[trimmed|\[cut\]")
    return list(dict.fromkeys(line for line in lines if line and not heads.match(line)))


def judge_output(inputs: Mapping[str, Any]) -> Json:
    """Return whether every line or value of the output is word for word in a quote; never that the task is done."""
    sources = [str(quote.get("text", "")) for quote in inputs.get("quotes", [])]
    sources = sources or _memory_lines(str(inputs.get("memory", "")))
    issues = unquoted_parts(str(inputs.get("output", "")), str(inputs.get("format", "")), sources)
    return {"verbatim": not issues, "issues": issues}


# Passages that are shown unless more are requested, and the most searches made for them.
MAX_QUOTES, MAX_SEARCHES = 3, 3

# Minimum shares of the best score: for each quote beyond the required number, and for at least one quote.
MIN_SCORE_SHARE, MIN_BEST_SHARE = 0.35, 0.05

TOOL = "act"


class OfflineModel:
    """Answers the requests of ralph's own agents with code. It only extracts; equal requests get equal replies.

    * worker, reader, extractor -> one call of the tool `act`
    * goal -> one call of its own tool `act`
    * subquery -> a JSON list of spans `{start, end, score, text}` of the given text
    * judge -> `{"verdicts": [...]}`, where a claim is "verbatim" or "not", and never "supported"
    * reasoner -> `{"output", "memory_update"}`: the unchanged quotes of the brief
    * task_judge -> `{"verbatim", "issues"}`: whether the output consists of quotes, and never that it is "ok"
    """

    vendor = "offline"

    def __init__(self, embed: Embed | None = None) -> None:
        """Set up the model. `embed` (see `semantic.load_embedding`) also ranks results by similarity of meaning."""
        self.name = "offline:semantic" if embed else "offline:extractive"
        self._similarity = make_similarity(embed) if embed else None

    def complete(self, request: Request) -> Reply:
        """Answer the request. Raises ProviderError `offline-unsupported` for an agent that needs a language model."""
        agent, inputs = request.agent, request.inputs
        usage = Usage(calls=1, characters=request.characters, usd=0.0)
        if agent in ("worker", "reader", "extractor", "goal"):
            number = 1 + sum(isinstance(turn, ModelTurn) for turn in request.turns)
            call = ToolCall(f"offline-{number}", TOOL, self._choose_act(request))
            return Reply(ModelTurn("", (call,)), StopReason.TOOL, usage, self.name)
        if agent in _WRITERS:
            return Reply(
                ModelTurn(json.dumps(_WRITERS[agent](inputs), ensure_ascii=False)), StopReason.END, usage, self.name
            )
        what = f"the model {self.name} cannot act as {agent}: it only extracts quotes"
        hint = "configure a model with a key, such as anthropic:<model> or openai:<model>"
        raise ProviderError(what, code="offline-unsupported", hint=hint)

    def _choose_act(self, request: Request) -> Json:
        """Return the next act, from the conversation alone."""
        question = str(request.inputs.get("question", ""))
        if request.agent == "goal":
            return choose_goal_act(request)
        if request.agent == "extractor":
            history = History(
                *parse_search_output(str(request.inputs.get("trajectory", ""))), searches=MAX_SEARCHES + 1
            )
        else:
            history = History.from_turns(request.turns)
        if self._similarity and history.candidates:
            alike = self._similarity(question, [candidate.claim for candidate in history.candidates])
            history.rank_by(alike)
        if request.agent == "reader":
            return _reader_act(history, question, request.inputs)
        return _worker_act(history, question, request.inputs)


def _worker_act(history: History, question: str, inputs: Mapping[str, Any]) -> Json:
    """Return the next act: search, search again, submit, or say that the answer is not there."""
    length, least, most = quote_bounds(inputs)
    if not history.search_summaries:
        return _first_search(history, question, length, inputs.get("parts") or ())
    if is_irrelevant(history.search_summaries[0]):
        return not_found_action(history.search_summaries[0])
    chosen = select_candidates(history.unrefused[:most], least, history.best_score)
    most_quotes = int((inputs.get("quotes") or (1, 2 * MAX_QUOTES))[1])
    return _submission_or_search(history, chosen, least, question, length, most_quotes)


def _reader_act(history: History, task: str, inputs: Mapping[str, Any]) -> Json:
    """Return the next act of a reader: as for a worker, but with more items, and for tasks without search words."""
    length, _, _ = quote_bounds(inputs)
    words = topic_words(task) or None
    if not history.search_summaries:
        return _first_search(history, words, length)
    first, last = history.search_summaries[0], history.search_summaries[-1]
    if is_irrelevant(last):
        broad = history.searches == 1 and words and TASK_WORDS.search(task)
        return {"code": build_snippet(None, length)} if broad else not_found_action(first)
    # Text that occurs several times is one item, ranked by its best occurrence.
    items: dict[str, Candidate] = {}
    for candidate in history.unrefused:
        items.setdefault(candidate.claim.casefold(), candidate)
    chosen = select_candidates(list(items.values())[:MAX_ITEMS], 1, history.best_score)
    words = None if is_irrelevant(first) else words
    return _submission_or_search(history, chosen, TARGET_ITEMS, words, length)


def _first_search(
    history: History, question: str | None, length: tuple[int, int], parts: Sequence[Sequence[int]] = ()
) -> Json:
    """Return the first search, which is repeated once if it printed nothing."""
    if history.searches > MAX_SEARCHES:  # a conversation that has ended
        return not_found_action({"terms": list(query_terms(question or "").values())})
    if history.searches > 1:
        what, hint = "the search in the sandbox returned no result", "see the trace for what the snippet printed"
        raise ProviderError(what, code="offline-no-result", hint=hint)
    return {"code": build_snippet(question, length, parts=parts)}


def _submission_or_search(
    history: History,
    chosen: list[Candidate],
    wanted: int,
    question: str | None,
    length: tuple[int, int],
    most_quotes: int = 0,
) -> Json:
    """Submit the chosen candidates. If there are fewer than `wanted` and there may be more, search again first."""
    if len(chosen) < wanted and not history.exhausted and history.searches <= MAX_SEARCHES:
        shown = [(c.start, c.end) for c in history.candidates]
        return {"code": build_snippet(question, length, shown, passages=DEFAULT_PASSAGES * (1 + history.searches))}
    if not chosen:
        return no_quote_action(history.search_summaries, length, history.submitted)
    return submission(chosen, most_quotes)


def quote_bounds(inputs: Mapping[str, Any]) -> tuple[tuple[int, int], int, int]:
    """Return the least and most characters of a quote, the least claims, and the most claims; each claim has
    one quote.
    """
    bullets, quotes = inputs.get("bullets") or (1, MAX_QUOTES), inputs.get("quotes") or (1, MAX_QUOTES)
    low, high = inputs.get("quote_chars") or (20, 300)
    least = max(int(bullets[0]), int(quotes[0]))
    return (int(low), int(high)), least, max(1, least, min(int(bullets[1]), int(quotes[1]), MAX_QUOTES))


def is_irrelevant(head: Json) -> bool:
    """Whether even the best passage contains too few of the question's terms."""
    return float(head.get("coverage", 0.0)) < float(head.get("needed", 0.0)) or not head.get("passages")


def select_candidates(candidates: list[Candidate], least: int, best: float) -> list[Candidate]:
    """Return the candidates with scores near the best one, and at least as many as an answer requires.

    Fillers (see `spans.FILLER_SHARE`) are never returned alone.
    """
    if not any(c.score >= MIN_BEST_SHARE * best for c in candidates):
        return []
    return [c for index, c in enumerate(candidates) if index < least or c.score >= MIN_SCORE_SHARE * best]


def submission(chosen: list[Candidate], most: int = 0) -> Json:
    """Return claims that are their own quotes, with the page, in ranking order.

    Header lines of table rows are added as quotes, up to `most` quotes in total.
    """
    room = most - len(chosen)
    claims = []
    for candidate in chosen:
        header = [candidate.header] if candidate.header and room > 0 else []
        room -= len(header)
        claims.append({"text": candidate.claim, "quotes": [candidate.text, *header], "page": candidate.page})
    return {"claims": claims}


def no_quote_action(heads: list[Json], length: tuple[int, int], refused: bool = False) -> Json:
    """Return the act without a quote: say that the answer is absent.

    Raises ProviderError `offline-no-quote` if there are passages, but none of the requested length, because that is not
    an absence.
    """
    unfit = [size for head in heads for size in head.get("unfit", [])]
    if unfit and not refused:
        sizes = f"{min(unfit)}" if min(unfit) == max(unfit) else f"{min(unfit)} to {max(unfit)}"
        wanted = f"{length[0]} to {length[1]} characters (available lengths: {sizes})"
        what = f"passages were found, but none has a quote of {wanted}"
        raise ProviderError(what, code="offline-no-quote", hint="widen --quote-chars")
    return not_found_action(heads[-1], refused)


def not_found_action(head: Json, refused: bool = False) -> Json:
    """Say that the answer was not found, and list the search terms."""
    missing = [str(term) for term in head.get("missing", [])]
    note = "The passages found were not accepted." if refused else "No passage contains enough of the question's terms."
    if missing:
        note += " These stand nowhere in the text: " + ", ".join(missing) + "."
    searched = [str(term) for term in head.get("terms", [])]
    return {"not_found": {"searched": searched or ["(no informative word in the question)"], "note": note}}


def judge_claims(inputs: Mapping[str, Any]) -> Json:
    """Return a verdict on each claim: "verbatim" if it is one of its quotes, else "not" with the reason; never
    "supported".
    """
    return {"verdicts": [_verdict(claim) for claim in inputs.get("claims", [])]}


def _verdict(claim: Mapping[str, Any]) -> Json:
    quotes = [str(quote.get("text", "")) for quote in claim.get("quotes", [])]
    departs = departure(str(claim.get("text", "")), quotes)
    reason = departs or "the claim repeats a quote word for word; no model checked whether it answers the question"
    return {"id": claim.get("id"), "verdict": "not" if departs else "verbatim", "reason": reason}


# The answers for agents without a tool.
_WRITERS: dict[str, Callable[[Mapping[str, Any]], Json | list[Json]]] = {
    "subquery": lambda inputs: find_spans(str(inputs.get("prompt", "")), str(inputs.get("text", ""))),
    "judge": judge_claims,
    "reasoner": write_output,
    "task_judge": judge_output,
}
