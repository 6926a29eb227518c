"""The model that needs no key, no network and no language model: it ranks passages and quotes them word for word."""

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Json, ModelTurn, Reply, Request, Stop, ToolCall, Usage
from ralph_cli.providers.offline import rank, tasks
from ralph_cli.providers.offline import spans as quote_spans
from ralph_cli.providers.offline.goals import goal_act
from ralph_cli.providers.offline.history import Candidate, History, read
from ralph_cli.providers.offline.semantic import Embed, likeness
from ralph_cli.text.verbatim import departure

MOST, PASSAGES = 7, 14
WORTH, FILLING = 0.35, 0.05
"""Least share of the best score that a quote must reach once there are enough of them, and that one of all must."""
TOOL = "act"
NAME, SEMANTIC = "offline:extractive", "offline:semantic"


class Offline:
    """Answers the requests of ralph's own agents by code: extraction, not judgement; the same request, the same reply.

    * worker, reader, extractor -> one call of the tool `act`
    * goal -> one call of its own tool `act`
    * subquery -> a JSON list of spans `{start, end, score, text}` of the text it was given
    * judge -> `{"verdicts": [...]}`, where a claim is "verbatim" or "not", and never "supported"
    * reasoner -> `{"output", "memory_update"}`: the quotes of the brief as they are
    * task_judge -> `{"verbatim", "issues"}`: whether the output consists of quotes, and never that it is "ok"
    """

    vendor = "offline"

    def __init__(self, embed: Embed | None = None) -> None:
        """`embed` (see `offline_semantic.load`) makes spans be ranked by likeness of meaning as well."""
        self.name = SEMANTIC if embed else NAME
        self._likeness = likeness(embed) if embed else None

    def complete(self, request: Request) -> Reply:
        """Answer the request; an agent that needs understanding raises ProviderError `offline-unsupported`."""
        match request.agent:
            case "worker":
                return self._act(request, _worker(request))
            case "reader":
                return self._act(request, _reader(request))
            case "goal":
                return self._act(request, goal_act(request.inputs, request.turns))
            case "extractor":
                return self._act(request, _extractor(request))
            case "subquery":
                return self._say(request, self._spans(request.inputs))
            case "judge":
                return self._say(request, json.dumps(judge(request.inputs), ensure_ascii=False))
            case "reasoner":
                return self._say(request, json.dumps(tasks.reasoner(request.inputs), ensure_ascii=False))
            case "task_judge":
                return self._say(request, json.dumps(tasks.task_judge(request.inputs), ensure_ascii=False))
            case agent:
                raise ProviderError(
                    f"the model {self.name} cannot act as {agent}: it quotes, it does not understand",
                    code="offline-unsupported",
                    hint="configure a model with a key, such as anthropic:<model> or openai:<model>",
                )

    def _spans(self, inputs: Mapping[str, Any]) -> str:
        return quote_spans.answer(str(inputs.get("prompt", "")), str(inputs.get("text", "")), self._likeness)

    def _act(self, request: Request, arguments: Json) -> Reply:
        number = 1 + sum(isinstance(turn, ModelTurn) for turn in request.turns)
        turn = ModelTurn("", (ToolCall(f"offline-{number}", TOOL, arguments),))
        return Reply(turn, Stop.TOOL, _usage(request), self.name)

    def _say(self, request: Request, text: str) -> Reply:
        return Reply(ModelTurn(text), Stop.END, _usage(request), self.name)


def _usage(request: Request) -> Usage:
    return Usage(calls=1, characters=request.characters, usd=0.0)


def snippet(
    question: str | None,
    length: tuple[int, int],
    skip: list[tuple[int, int]],
    *,
    passages: int = PASSAGES,
    alone: bool = False,
) -> str:
    """The Python that runs in the sandbox: this package's own ranking source, and one call of it.

    With `alone` the spans are extracted there too, for a run whose sub-queries are used up or fail. If the question is
    None, the document's most frequent terms are looked for.
    """
    folder = files("ralph_cli.providers.offline")
    spans = ("spans",) if alone else ()
    names = ("words", "rank", *spans, "search")
    names = names if question is not None else (*names, "central")
    source = "\n".join((folder / f"{name}.py").read_text(encoding="utf-8") for name in names)
    source = re.sub(r"^from ralph_cli\.[^\n(]*(?:\([^)]*\))?\n", "", source, flags=re.MULTILINE)
    ask = "lambda items: [answer(*item) for item in items]" if alone else "llm_query_batch"
    arguments = f"length={length!r}, passages={passages}, skip={skip!r}"
    asked = repr(question) if question is not None else "central_question(context)"
    return f"{source}\n\nfor line in search({asked}, context, pages, {ask}, {arguments}):\n    print(line)\n"


def _worker(request: Request) -> Json:
    """The next action, from what is in the conversation alone: search, search again, submit, or say it is not there."""
    question = str(request.inputs.get("question", ""))
    length, least, most = bounds(request.inputs)
    past = History.of(request.turns)
    if not past.heads:
        if past.searches > 1:
            raise ProviderError(
                "the sandbox gave no result of the search",
                code="offline-no-result",
                hint="see the trace for what the snippet printed",
            )
        return {"code": snippet(question, length, [])}
    head = past.heads[-1]
    if head.get("failed") and head["failed"] == head.get("passages") and past.searches <= 3:
        return {"code": snippet(question, length, [], alone=True)}
    if irrelevant(past.heads[0]):
        return absent(past.heads[0])
    chosen = worthy(past.choose(most), least, past.best)
    if len(chosen) < least and not past.exhausted and past.searches <= 3:
        shown = [(c.start, c.end) for c in past.candidates]
        return {"code": snippet(question, length, shown, passages=PASSAGES * (1 + past.searches))}
    return submission(chosen) if chosen else nothing(past.heads, length, past.submitted)


def _reader(request: Request) -> Json:
    """The next action of a reader: like a worker's, but for more items, and for tasks that name no words to find."""
    task = str(request.inputs.get("question", ""))
    length, _, _ = bounds(request.inputs)
    past = History.of(request.turns)
    words = tasks.own_words(task) or None
    if not past.heads:
        return _worker(request) if past.searches > 1 else {"code": snippet(words, length, [])}
    head = past.heads[-1]
    if head.get("failed") and head["failed"] == head.get("passages") and past.searches <= 3:
        return {"code": snippet(words, length, [], alone=True)}
    if irrelevant(head):
        broad = past.searches == 1 and words and tasks.BROAD.search(task)
        return {"code": snippet(None, length, [])} if broad else absent(past.heads[0])
    # What stands in several places is one item.
    every = list({c.claim.casefold(): c for c in reversed(past.choose(len(past.candidates)))}.values())[::-1]
    chosen = worthy(every[: tasks.MOST], 1, past.best)
    if len(chosen) < tasks.AIM and not past.exhausted and past.searches <= 3:
        shown = [(c.start, c.end) for c in past.candidates]
        asked = None if len(past.heads) > 1 and irrelevant(past.heads[0]) else words
        return {"code": snippet(asked, length, shown, passages=PASSAGES * (1 + past.searches))}
    return submission(chosen) if chosen else nothing(past.heads, length, past.submitted)


def _extractor(request: Request) -> Json:
    """The best that a finished conversation holds: the lines the snippet printed into it."""
    heads, candidates = read(str(request.inputs.get("trajectory", "")))
    length, least, most = bounds(request.inputs)
    if heads and irrelevant(heads[0]):
        return absent(heads[0])
    best = max((c.score for c in candidates), default=0.0)
    chosen = worthy(sorted(candidates, key=lambda c: -c.score)[:most], least, best)
    terms = [term.word for term in rank.query_terms(str(request.inputs.get("question", "")))]
    return submission(chosen) if chosen else nothing(heads[:1] or [{"terms": terms}], length)


def bounds(inputs: Mapping[str, Any]) -> tuple[tuple[int, int], int, int]:
    """Characters of a quote (least, most), and the least and the most claims: one quote each."""
    bullets, quotes = inputs.get("bullets") or (1, MOST), inputs.get("quotes") or (1, MOST)
    low, high = inputs.get("quote_chars") or (20, 300)
    most = max(1, min(int(bullets[1]), int(quotes[1]), MOST))
    return (int(low), int(high)), max(int(bullets[0]), int(quotes[0])), most


def irrelevant(head: Json) -> bool:
    """Whether even the best passage holds too little of what the question names to be quoted from."""
    return float(head.get("coverage", 0.0)) < float(head.get("needed", 0.0)) or not head.get("passages")


def worthy(candidates: list[Candidate], least: int, best: float) -> list[Candidate]:
    """The candidates not far behind the best one that there was, and as many more as an answer must have.

    What only fills up (see `quote_spans.BESIDE`) never stands alone.
    """
    if not any(c.score >= FILLING * best for c in candidates):
        return []
    return [c for index, c in enumerate(candidates) if index < least or c.score >= WORTH * best]


def submission(chosen: list[Candidate]) -> Json:
    """Claims that are their quotes, in the order of the ranking."""
    return {"claims": [{"text": c.claim, "quotes": [c.text]} for c in chosen]}


def nothing(heads: list[Json], length: tuple[int, int], refused: bool = False) -> Json:
    """What to do without a quote: say absent, unless there was something to quote, but not of the asked length.

    Raises ProviderError `offline-no-quote` then: that would be no absence.
    """
    unfit = [size for head in heads for size in head.get("unfit", [])]
    if unfit and not refused:
        sizes = f"{min(unfit)}" if min(unfit) == max(unfit) else f"{min(unfit)} to {max(unfit)}"
        raise ProviderError(
            f"passages were found, but no quote of {length[0]} to {length[1]} characters in them (they have {sizes})",
            code="offline-no-quote",
            hint="widen --quote-chars",
        )
    return absent(heads[-1], refused)


def absent(head: Json, refused: bool = False) -> Json:
    """Say that the answer was not found, and what was searched for."""
    missing = [str(term) for term in head.get("missing", [])]
    note = "The passages found were not accepted." if refused else "No passage holds enough of what the question names."
    if missing:
        note += " Nowhere in the document: " + ", ".join(missing) + "."
    searched = [str(term) for term in head.get("terms", [])]
    return {"not_found": {"searched": searched or ["(no informative word in the question)"], "note": note}}


def judge(inputs: Mapping[str, Any]) -> Json:
    """A verdict on each claim: "verbatim" if it is one of its quotes, else "not" with the reason; never "supported"."""
    return {"verdicts": [_verdict(claim) for claim in inputs.get("claims", [])]}


def _verdict(claim: Mapping[str, Any]) -> Json:
    quotes = [str(quote.get("text", "")) for quote in claim.get("quotes", [])]
    departs = departure(str(claim.get("text", "")), quotes)
    reason = departs or "the claim is a quote, word for word; no model judged whether it answers"
    return {"id": claim.get("id"), "verdict": "not" if departs else "verbatim", "reason": reason}
