"""The semantic check: a model of another vendor reads each claim beside the passages quoted for it. It fails closed."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from pydantic import Field

from ralph_cli.checks.absence import describe_searches
from ralph_cli.checks.base import describe_failure
from ralph_cli.checks.judge.doubts import ANSWERS_SCHEMA, DoubtAnswer, check_answers, join_answers, render_doubts
from ralph_cli.checks.judge.looks import (
    CITATIONS_SCHEMA,
    LOOKS_SCHEMA,
    MAX_LOOKS,
    MAX_SHOWN_CHARS,
    READ_WHOLE_CHARS,
    Citation,
    CitedPassages,
    Locator,
    Looker,
    LookRequest,
    render_outline,
    render_text,
)
from ralph_cli.checks.judge.passages import (
    break_marks,
    introduce_documents,
    name_quotes,
    render_passages,
)
from ralph_cli.core.document import Document
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.model import Json, Model, Request, UserTurn
from ralph_cli.core.prompts.framing import frame_data, truncate
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, agent_request, converse, parse_object
from ralph_cli.core.prompts.json_schema import array, choice, example_of, object_schema, string
from ralph_cli.core.prompts.templates import prompt_text, render_prompt
from ralph_cli.core.run import (
    SUPPORTING,
    Attempt,
    Claim,
    Doubt,
    Evidence,
    FigureSource,
    Issue,
    Look,
    QuoteBearing,
    QuoteRuling,
    Ruling,
    Verdict,
    Vote,
)
from ralph_cli.retrieval.context import MIN_CONTEXT
from ralph_cli.retrieval.quotes.index import Match
from ralph_cli.retrieval.search.references import References
from ralph_cli.text.figure_lines import describe_source
from ralph_cli.text.sentences import shorten_line
from ralph_cli.text.verbatim import departure

# The verdicts that a model may give on a claim, each with the bearing of the only quote of a claim.
_BEARING_OF_VERDICT: dict[str, QuoteBearing] = {
    "supported": "supports",
    "partly": "partly",
    "not": "unrelated",
    "contradicted": "against",
}

# The characters of its look-ups that a judge is shown if it also looks for limits.
MAX_SHOWN_CHARS_OF_LIMITS = 16_000

# The characters shown of the places that name the quoted parts.
MAX_REFERENCE_CHARS = 6_000

_INTEGER = {"type": "integer"}
_QUOTE_SCHEMA = object_schema(id=_INTEGER, verdict=choice(*_BEARING_OF_VERDICT.values()), reason=string())


def verdict_schema(*, doubts: bool = False, looks: bool = False, cites: bool = False) -> Json:
    """The schema of a judge's reply, which answers `doubts`, and may ask for `looks` or cite their results."""
    fields = {"quotes": array(_QUOTE_SCHEMA)} | ({"doubts": ANSWERS_SCHEMA} if doubts else {})
    verdict = object_schema(id=_INTEGER, verdict=choice(*_BEARING_OF_VERDICT), reason=string(), **fields)
    more = ({"looks": LOOKS_SCHEMA} if looks else {}) | ({"citations": CITATIONS_SCHEMA} if cites else {})
    return object_schema(verdicts=array(verdict), **more)


class _QuoteVerdict(StrictObject):
    id: int
    verdict: QuoteBearing
    reason: str


class _ClaimVerdict(StrictObject):
    id: int
    verdict: Literal["supported", "partly", "not", "contradicted", "verbatim"]
    reason: str
    quotes: list[_QuoteVerdict] = Field(default_factory=list)
    doubts: list[DoubtAnswer] = Field(default_factory=list)


class _Verdicts(StrictObject):
    verdicts: list[_ClaimVerdict]
    looks: list[LookRequest] = Field(default_factory=list)
    citations: list[Citation] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Reading:
    """A judge's reply: its rulings, the look-ups that it asks for, and its citations with their places."""

    rulings: tuple[Ruling, ...]
    looks: tuple[LookRequest, ...] = ()
    citations: tuple[tuple[Citation, Match], ...] = ()


def parse_verdicts(
    text: str,
    claims: Sequence[Claim],
    judge: str,
    *,
    deterministic: bool,
    doubts: Sequence[Doubt] = (),
    known: Collection[int] = (),
    locate: Locator | None = None,
    may_look: bool = True,
) -> Reading:
    """Read a judge's reply: one verdict on each claim, with one on each quote if a claim with several is supported.

    Claims with a verdict that is `known` need none. If the judge `may_look`, neither do the others of a reply that asks
    for looks. Citations must be in the document.

    The reply must answer each of a claim's `doubts`, and a supported claim has none left. Only the deterministic judge
    may say "verbatim", and it may not say "supported": the verdict alone tells whether a model has read the claim.
    Raises ValueError.
    """
    said = parse_object(text, _Verdicts)
    ids = sorted(claim.id for claim in claims)
    given = [item.id for item in said.verdicts]
    looks = tuple(said.looks) if locate is not None and may_look else ()
    missing = set(ids) - set(given) - set(known)
    if len(set(given)) < len(given) or not set(ids).issuperset(given) or (missing and not looks):
        raise ValueError(f"verdicts must be for the claims {sorted(missing) or ids}, one each")
    if any(citation.claim not in ids for citation in said.citations):
        raise ValueError(f"citations must be for the claims {ids}")
    rulings = _rule(said.verdicts, claims, judge, deterministic=deterministic, doubts=doubts)
    found = [(citation, locate(citation.words)) for citation in said.citations] if locate is not None else []
    return Reading(rulings, looks, tuple((citation, match) for citation, match in found if match is not None))


def _rule(
    verdicts: Sequence[_ClaimVerdict],
    claims: Sequence[Claim],
    judge: str,
    *,
    deterministic: bool,
    doubts: Sequence[Doubt],
) -> tuple[Ruling, ...]:
    """The rulings on the claims that have a verdict. Raises ValueError for a verdict that the judge cannot give."""
    by_id = {item.id: item for item in verdicts}
    allowed = {"verbatim", "not"} if deterministic else set(_BEARING_OF_VERDICT)
    for item in verdicts:
        if item.verdict not in allowed:
            raise ValueError(f"{item.verdict!r} is not a verdict that this judge can give")
        if not item.reason.strip():
            raise ValueError(f"the verdict on claim {item.id} has no reason")
        bears = not item.quotes or any(quote.verdict in SUPPORTING for quote in item.quotes)
        if item.verdict == "supported" and not bears:
            raise ValueError(f"claim {item.id} is not supported if none of its quotes supports it, even in part")
    rulings = []
    for claim in sorted((claim for claim in claims if claim.id in by_id), key=lambda claim: claim.id):
        item = by_id[claim.id]
        verdict, reason = Verdict(item.verdict), " ".join(item.reason.split())
        if deterministic:
            rulings.append(Ruling(claim.id, verdict, reason, judge))
            continue
        shown = [doubt for doubt in doubts if doubt.claim == claim.id]
        check_answers(f"claim {claim.id}", item.doubts, shown, stands=verdict.passes)
        reason = join_answers(reason, item.doubts, shown)
        rulings.append(Ruling(claim.id, verdict, reason, judge, _quote_rulings(item, claim)))
    return tuple(rulings)


def _quote_rulings(verdict: _ClaimVerdict, claim: Claim) -> tuple[QuoteRuling, ...]:
    """The rulings on the quotes of a claim; of a single quote, the verdict on the claim is the ruling.

    A claim that is not supported needs no ruling on each of its quotes.
    """
    if not verdict.quotes and len(claim.quotes) == 1:
        return (QuoteRuling(claim.quotes[0], _BEARING_OF_VERDICT[verdict.verdict], " ".join(verdict.reason.split())),)
    ids = [item.id for item in verdict.quotes]
    is_complete = sorted(ids) == sorted(claim.quotes)
    if not is_complete and (verdict.verdict == "supported" or len(set(ids)) < len(ids) or set(ids) - set(claim.quotes)):
        raise ValueError(f"the verdict on claim {claim.id} must rule on its quotes {sorted(claim.quotes)}, once each")
    return tuple(QuoteRuling(item.id, item.verdict, " ".join(item.reason.split())) for item in verdict.quotes)


@dataclass(frozen=True, slots=True)
class Judge:
    """The check `judge`: passes only if every claim of the attempt is supported.

    A verdict near the margin ("partly", or "supported" by no quote, or beside a quote that contradicts it) gets a
    second opinion: from the `panel`, or else from the same judge, and once more if the two differ. A claim passes if
    more than half say so. If a worker `can_mend` refused claims, only a panel reads a refusal again: its reason tells
    the worker what to fix, and a second reading could only loosen it. A judge that fails, or whose reply has the wrong
    shape, is a broken check and never a verdict. As a second opinion it does not count, nor does one for which no
    budget is left: the first verdict is kept.

    With a `looker`, the judge may look things up before its verdict; with `limits` it also looks for limits of the
    claims elsewhere. Its citations are kept in `cited`.
    """

    model: Model
    document: Document
    question: str
    new_nonce: Callable[[], str]
    panel: tuple[Model, ...] = ()
    looker: Looker | None = None
    cited: CitedPassages | None = None
    limits: bool = False
    context_chars: int = MIN_CONTEXT
    can_mend: bool = False

    def __call__(self, attempt: Attempt, local: Sequence[Evidence] = ()) -> Evidence:
        """The verdicts on the claims of an attempt, given the evidence of the checks before it."""
        looks: list[Look] = []
        try:
            rulings = self._ask(self.model, attempt, local, looks)
        except (ProviderError, UnparseableReply) as error:
            return Evidence("judge", broken=describe_failure(error), looks=tuple(looks))
        if self.model.vendor != "offline":
            rulings = self._reconsider(attempt, rulings, local, looks)
        issues = tuple(_refusal_issue(ruling, attempt) for ruling in rulings if not ruling.verdict.passes)
        score = 1 - len(issues) / len(rulings) if rulings else None
        return Evidence("judge", issues, rulings, score=score, looks=tuple(looks))

    def _ask(
        self,
        model: Model,
        attempt: Attempt,
        local: Sequence[Evidence],
        looks: list[Look],
        first: tuple[Attempt, Sequence[Ruling]] | None = None,
    ) -> tuple[Ruling, ...]:
        """One reading: verdicts on claims; `first` is the whole attempt with its earlier rulings.

        Adds the judge's look-ups to `looks`, and keeps its citations.
        """
        ids = {claim.id for claim in attempt.claims}
        shown = [doubt for item in local for doubt in item.doubts if doubt.claim in ids]
        figures = [figure for item in local for figure in item.figures]
        nonce = self.new_nonce()
        looker = None if model.vendor == "offline" else self.looker
        rounds = looker.rounds if looker is not None else 0
        request = self._request(attempt, shown, figures, nonce, first, may_look=rounds > 0)
        rulings: dict[int, Ruling] = {}
        for left in range(rounds, -1, -1):
            parse = partial(
                parse_verdicts,
                claims=attempt.claims,
                judge=model.name,
                deterministic=model.vendor == "offline",
                doubts=shown,
                known=tuple(rulings),
                locate=Locator(looker) if looker is not None else None,
                may_look=left > 0,
            )
            try:
                reading, conversation = converse(model, request, parse)
            except (LimitExceeded, ProviderError, UnparseableReply):
                if rulings.keys() != ids:
                    raise
                self._note_missed_look()  # the verdicts are complete already
                break
            rulings |= {ruling.claim: ruling for ruling in reading.rulings}
            self._keep_citations(reading, attempt, model)
            if looker is None or not reading.looks or not left:
                break
            room = MAX_SHOWN_CHARS_OF_LIMITS if self.limits else MAX_SHOWN_CHARS
            printed, made = looker.run(reading.looks, nonce, most=self._most_looks, characters=room)
            looks += made
            turn = self._further_turn(attempt, shown, printed, sorted(ids - rulings.keys()), may_look=left > 1)
            schema = verdict_schema(doubts=bool(shown), looks=left > 1, cites=True)
            request = replace(conversation, turns=(*conversation.turns, UserTurn(turn)), output_schema=schema)
        return tuple(rulings[number] for number in sorted(ids))

    def _keep_citations(self, reading: Reading, attempt: Attempt, model: Model) -> None:
        words = {claim.id: claim.text for claim in attempt.claims}
        if self.cited is not None:
            for citation, match in reading.citations:
                self.cited.keep(words[citation.claim], citation, match, model.name)

    def _note_missed_look(self) -> None:
        """Record that nobody looked for limits, if that was requested."""
        if self.cited is not None and self.limits:
            self.cited.is_incomplete = True

    def _further_turn(
        self, attempt: Attempt, doubts: Sequence[Doubt], printed: str, missing: Sequence[int], *, may_look: bool
    ) -> str:
        """The results of the look-ups, and the next request."""
        schema = verdict_schema(doubts=bool(doubts), looks=may_look, cites=True)
        left = next((claim for claim in attempt.claims if claim.id in missing), attempt.claims[0])
        open_ = (
            f"a verdict on each of the claims {', '.join(map(str, missing))}" if missing else "no verdict is missing"
        )
        values = {"printed": printed, "missing": open_, "shape": _render_shape(schema, left)}
        return render_prompt("judge_looked", **values)

    def _reconsider(
        self, attempt: Attempt, rulings: tuple[Ruling, ...], local: Sequence[Evidence], looks: list[Look]
    ) -> tuple[Ruling, ...]:
        """The rulings after second opinions on those near the margin."""
        is_reread = bool(self.panel) or not self.can_mend
        doubtful = [it.claim for it in rulings if it.is_near_margin and (is_reread or it.verdict.passes)]
        given = {ruling.claim: [ruling] for ruling in rulings}
        for model in self.panel or (self.model, self.model):
            # Without a panel the judge is asked a third time only if its two verdicts differ.
            open_ = [claim for claim in doubtful if self.panel or len(given[claim]) == 1 or _is_tied(given[claim])]
            if not open_:
                break
            try:
                second = self._ask(model, _with_claims_only(attempt, open_), local, looks, (attempt, rulings))
            except (LimitExceeded, ProviderError, UnparseableReply):
                continue
            for ruling in second:
                given[ruling.claim].append(ruling)
        return tuple(map(majority_ruling, given.values()))

    def _render_claim(
        self, claim: Claim, attempt: Attempt, doubts: Sequence[Doubt], figures: Sequence[FigureSource], nonce: str
    ) -> str:
        """A claim with the numbers of its quotes, its calculations, the sources of its figures, and its doubts."""
        lines = [_render_numbered(claim, nonce)]
        # Calculations that are wrong or cannot be read are among the doubts, with the reason.
        doubted = {doubt.words for doubt in doubts}
        if computed := [it for it in claim.calculations if it not in doubted]:
            lines += ["Its calculations, computed again by code:", frame_data("\n".join(computed), nonce)]
        if figures:
            located = break_marks("\n".join(map(describe_source, figures)))
            lines += ["Its figures, as code has located them:", frame_data(located, nonce)]
        if doubts:
            lines.append(render_doubts(f"claim {claim.id}", doubts, claim.because, nonce))
        return "\n".join(lines)

    def _request(
        self,
        attempt: Attempt,
        doubts: Sequence[Doubt],
        figures: Sequence[FigureSource],
        nonce: str,
        first: tuple[Attempt, Sequence[Ruling]] | None,
        *,
        may_look: bool,
    ) -> Request:

        def quotes_of(claim: Claim) -> list[dict[str, str]]:
            return [{"text": quote.text, "match": quote.match} for quote in attempt.quotes_of(claim)]

        def render(claim: Claim) -> str:
            own = [doubt for doubt in doubts if doubt.claim == claim.id]
            located = [figure for figure in figures if figure.claim == claim.id]
            return self._render_claim(claim, attempt, own, located, nonce)

        # A quotation says what the document says: nothing of it may be mistaken.
        own_words = [it.id for it in attempt.claims if departure(it.text, [quote["text"] for quote in quotes_of(it)])]
        figures = [figure for figure in figures if figure.claim in own_words]
        parts = [
            introduce_documents(self.document, [quote.start for quote in attempt.quotes], nonce),
            render_passages(self.document, attempt.quotes, nonce, self.context_chars),
            "\n".join(map(render, attempt.claims)),
        ]
        if figures:
            parts.append(prompt_text("judge_figures"))
        if doubts:
            parts.append(render_prompt("judge_doubts", where=_WHERE_ANSWERED, consequence=_IF_UNSETTLED))
        if may_look:
            parts.append(render_prompt("judge_looks", most=self._most_looks))
            if self.limits:
                parts += self._ask_for_limits(attempt, nonce)
        if first is not None:
            parts.append(_render_first_reading(attempt, *first, nonce))
        schema = verdict_schema(doubts=bool(doubts), looks=may_look, cites=may_look and self.limits)
        prompt = render_prompt(
            "judge_request",
            claims="\n\n".join(parts),
            question=self.question,
            each="claim that you give a verdict on" if may_look else "claim",
            shape=_render_shape(schema, attempt.claims[0]),
        )
        listed = [{"id": it.id, "text": it.text, "quotes": quotes_of(it)} for it in attempt.claims]
        inputs = {"question": self.question, "claims": listed}
        return agent_request("judge", prompt, schema, "verdicts", inputs, 4_000)

    @property
    def _most_looks(self) -> int:
        return MAX_LOOKS * (2 if self.limits else 1)

    def _ask_for_limits(self, attempt: Attempt, nonce: str) -> Iterator[str]:
        """The part of the request about limits: all of a short document; of a long one its outline, and the places that
        name the parts with the quotes.
        """
        if len(self.document.text) <= READ_WHOLE_CHARS:
            yield render_prompt("judge_limits", how="Read the text for them; it is all of the document.")
            yield render_text(self.document, nonce)
            return
        yield render_prompt("judge_limits", how=prompt_text("judge_limits_look"))
        yield render_outline(self.document, nonce)
        references = self.document.derive(References)
        spans = {span.start: span for quote in attempt.quotes for span in references.naming(quote.start)}
        if spans:
            texts = (
                f"[{self.document.describe_span(span)}] {' '.join(self.document.text[span.start : span.end].split())}"
                for _, span in sorted(spans.items())
            )
            shown = frame_data(truncate(break_marks("\n".join(texts)), MAX_REFERENCE_CHARS), nonce)
            yield f"The places that name the parts from which the quotes are:\n{shown}"


def _render_shape(schema: Json, claim: Claim) -> str:
    """The shape of a reply, with the numbers of the first claim and of its first quote as they are shown above."""
    shape = example_of(schema)
    entry = shape["verdicts"][0]
    entry["id"] = claim.id
    entry["quotes"] = [{**quote, "id": claim.quotes[0]} for quote in entry["quotes"] if claim.quotes]
    return json.dumps(shape)


def majority_ruling(rulings: Sequence[Ruling]) -> Ruling:
    """One ruling of several on the same claim, the first judge's first. The claim passes if more than half say so."""
    if len(rulings) == 1:
        return rulings[0]
    good = [ruling for ruling in rulings if ruling.verdict.passes]
    bad = [ruling for ruling in rulings if not ruling.verdict.passes]
    chosen = good[0] if len(good) > len(bad) else bad[0]
    return replace(chosen, votes=tuple(Vote(ruling.judge, ruling.verdict, ruling.reason) for ruling in rulings))


def _is_tied(rulings: Sequence[Ruling]) -> bool:
    return 2 * sum(ruling.verdict.passes for ruling in rulings) == len(rulings)


def _with_claims_only(attempt: Attempt, claims: Sequence[int]) -> Attempt:
    """The attempt with these claims alone, and their quotes."""
    kept = tuple(claim for claim in attempt.claims if claim.id in claims)
    ids = {number for claim in kept for number in claim.quotes}
    return replace(attempt, claims=kept, quotes=tuple(quote for quote in attempt.quotes if quote.id in ids))


# The characters by which a refusal names a claim or quote that the worker has submitted.
SHOWN_OF_QUOTE = 60

_WHERE_ANSWERED = "In the entry of a claim with doubts"
_IF_UNSETTLED = 'A claim of which doubted words are not proved is not "supported"; in other entries `doubts` is empty.'


def _render_numbered(claim: Claim, nonce: str) -> str:
    """A claim with its number, the numbers of its quotes, and its searches."""
    on = f"quotes {', '.join(map(str, claim.quotes))}" if claim.quotes else "no quote"
    text = f"{claim.text}\n(searched, {describe_searches(claim.searches)})" if claim.searches else claim.text
    return f"Claim {claim.id} ({on}):\n{frame_data(break_marks(text), nonce)}"


def _render_first_reading(attempt: Attempt, whole: Attempt, rulings: Sequence[Ruling], nonce: str) -> str:
    """The text that asks to judge claims again, with their first verdicts and the claims beside them."""
    again = {claim.id for claim in attempt.claims}
    said = [f"claim {it.claim}: {it.verdict.value}: {it.reason}" for it in rulings if it.claim in again]
    others = [claim.text for claim in whole.claims if claim.id not in again]
    what = f"Claim {min(again)}" if len(again) == 1 else "Each claim"
    parts = [render_prompt("judge_again", claims=what), frame_data("\n".join(said), nonce)]
    if others:
        parts += ["The other claims:", frame_data("\n".join(others), nonce)]
    return "\n".join(parts)


def _refusal_issue(ruling: Ruling, attempt: Attempt) -> Issue:
    """The refusal of one claim as feedback: the judge's reason, and the beginnings of the claim and its quotes."""
    claim = next(claim for claim in attempt.claims if claim.id == ruling.claim)
    begun = [(shorten_line(quote.text, SHOWN_OF_QUOTE), quote.page) for quote in attempt.quotes_of(claim)]
    quotes = "; ".join(f'"{words}" (page {page})' for words, page in begun)
    what = {"partly": "only partly proved", "not": "not proved", "contradicted": "contradicted"}[ruling.verdict.value]
    reason = name_quotes(ruling.reason, attempt.quotes)
    material = f'{reason} (claim: "{shorten_line(claim.text, SHOWN_OF_QUOTE)}" - quotes: {quotes})'
    return Issue("judge", f"claim {claim.id} is {what} by its quotes", claim.id, material)
