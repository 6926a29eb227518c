"""What speaks against a claim: one local search for what limits it, read by the judge. A claim may stand, qualified."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ralph_cli.checks.base import describe_failure
from ralph_cli.checks.figures.cells import quote_header
from ralph_cli.checks.judge.passages import (
    break_marks,
    is_paged,
    number_page,
    page_line,
    render_marked,
    safe_file_name,
)
from ralph_cli.checks.quotes import quote_at
from ralph_cli.core.document import Document
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, agent_request, ask_model, parse_object
from ralph_cli.core.prompts.json_schema import array, choice, object_schema, string
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import INCOMPLETE_COUNTER_CHECKS, Attempt, Claim, Evidence, Issue, Qualification, Quote
from ralph_cli.core.structure import Span
from ralph_cli.retrieval.context import context_span
from ralph_cli.retrieval.quotes.index import Match
from ralph_cli.retrieval.search.cues import Qualifier, QualifierIndex
from ralph_cli.text.lexicon import pluralize

NAME = "counter"
NOT_RUN, PARTLY_RUN = INCOMPLETE_COUNTER_CHECKS
MAX_PER_CLAIM, MAX_PASSAGES = 2, 8
"""Passages that are read for a claim, and for all claims of an attempt."""

CONTEXT_CHARS = 200
"""Characters shown on each side of a passage at most, so that it can be understood."""

_FINDING_SCHEMA = object_schema(
    passage={"type": "integer"}, verdict=choice("none", "qualifies", "contradicts"), reason=string()
)
FINDINGS_SCHEMA = array(_FINDING_SCHEMA)
SCHEMA = object_schema(findings=FINDINGS_SCHEMA)

_SIGNATURE = re.compile(
    r"(?im)/s/|^[ \t]*(?:By:|In witness whereof\b)|\bto\s+be\s+signed\s+on\s+its\s+behalf\b"
    r"|\bhas\s+been\s+signed\s+below\b"
)
_OF_SIGNING = re.compile(r"(?i)\b(?:sign(?:s|ed|ing|ator\w*|atures?)?|executed|dated?)\b")

PassageKey = tuple[str, int, int]
"""A claim's wording and a passage's place: what was once read is not read again."""

Proposal = tuple[Claim, Qualifier]
"""A claim, and a passage that may limit it."""


class Finding(StrictObject):
    """What a model says of one passage: nothing to the claim, a limit of it, or the opposite."""

    passage: int
    verdict: Literal["none", "qualifies", "contradicts"]
    reason: str


class Findings(StrictObject):
    """The reply of a model that reads passages only."""

    findings: list[Finding]


def order_findings(findings: Sequence[Finding], passages: int) -> tuple[Finding, ...]:
    """The findings of a reply, in order: exactly one for each passage, else ValueError."""
    said = sorted(findings, key=lambda item: item.passage)
    if [item.passage for item in said] != list(range(1, passages + 1)):
        raise ValueError(f"findings must be for the passages 1 to {passages}, one each")
    return tuple(said)


@dataclass(slots=True)
class CounterEvidence:
    """The check `counter`: fails a claim that another passage of the document contradicts.

    A passage that only qualifies a claim fails nothing: it is kept beside the claim, as a quote of the document. The
    search is made here, without a model; what it proposes is read by the judge beside the claims, or in a call of its
    own if that was not done. A call that fails, or that the budget does not allow, is said to be not made and fails
    nothing: the claims were judged already. What earlier attempts found out about the same claims holds all the same.
    """

    model: Model
    document: Document
    question: str
    new_nonce: Callable[[], str]
    _index: QualifierIndex = field(init=False)
    _findings: dict[PassageKey, Finding] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._index = self.document.derive(QualifierIndex)

    def prepare(self) -> None:
        """Work out what the search needs of the document, whatever the claims will be."""
        self._index.prepare()

    def __call__(self, attempt: Attempt) -> Evidence:
        proposed = self._candidates(attempt)
        if not proposed:
            return Evidence(NAME, note="no passage found that might qualify or contradict a claim")
        try:
            self._ask(self.unread(attempt))
        except (LimitExceeded, ProviderError, UnparseableReply) as error:
            missed = describe_failure(error)
        else:
            return self._evidence(attempt, proposed)
        known = [(claim, item) for claim, item in proposed if _key(claim, item) in self._findings]
        if not known:
            return Evidence(NOT_RUN, note=f"passages that might contradict the claims were not checked: {missed}")
        found = self._evidence(attempt, known)
        rest = len(proposed) - len(known)
        return replace(found, check=PARTLY_RUN, note=f"{found.note}; {rest} more were not checked: {missed}")

    def unread(self, attempt: Attempt) -> list[Proposal]:
        """The passages that no model has read beside the claims of an attempt."""
        return [pair for pair in self._candidates(attempt) if _key(*pair) not in self._findings]

    def keep(self, passages: Sequence[Proposal], findings: Sequence[Finding]) -> None:
        """Take what a model said of these passages; ValueError unless it is one finding for each."""
        ordered = order_findings(findings, len(passages))
        self._findings |= {_key(*pair): finding for pair, finding in zip(passages, ordered, strict=True)}

    def _candidates(self, attempt: Attempt) -> list[Proposal]:
        """The passages to be read, with the claim each may limit; what the judge has seen of a claim is left out."""
        found = []
        for claim in attempt.claims:
            if claim.searches and not claim.quotes:
                continue  # its own search was made
            quotes = attempt.quotes_of(claim)
            spans = [Span(quote.start, quote.end) for quote in quotes]
            # Only around its own quotes: beside another claim the same passage was read with another thing in mind.
            known = [context_span(self.document, span) for span in spans]
            found += [(claim, item) for item in self._index.candidates(claim.text, spans, known, MAX_PER_CLAIM)]
        found = self._leave_out_needless(found, attempt)
        best = sorted(found, key=lambda pair: -pair[1].score)[:MAX_PASSAGES]
        return sorted(best, key=lambda pair: (pair[0].id, pair[1].span.start))

    def _leave_out_needless(self, found: Sequence[Proposal], attempt: Attempt) -> list[Proposal]:
        """The passages, each for one claim, without those that the judge is shown around any quote, for the most part,
        that repeat another word for word or only sign the document, unless the claim speaks of that.

        What was read of a claim before stays with it.
        """
        quoted = [" ".join(quote.text.split()) for quote in attempt.quotes]
        around = (context_span(self.document, Span(quote.start, quote.end)) for quote in attempt.quotes)
        spans = [(span.start, span.end) for span in around]
        kept: dict[str, Proposal] = {}
        for claim, item in sorted(found, key=lambda pair: (_key(*pair) not in self._findings, -pair[1].score)):
            passage = self.document.text[item.span.start : item.span.end]
            words = " ".join(passage.split())
            signs = _SIGNATURE.search(passage) and not _OF_SIGNING.search(claim.text)
            shared = max((min(end, item.span.end) - max(start, item.span.start) for start, end in spans), default=0)
            is_quoted = any(words in quote for quote in quoted) or 2 * shared > len(passage)
            if not signs and not is_quoted:
                kept.setdefault(words, (claim, item))
        return list(kept.values())

    def render(self, passages: Sequence[Proposal], nonce: str, *, claims_shown: bool) -> str:
        """The claims, by number alone if they are shown above, with the passages that may limit each, as data."""
        lines_by_claim: dict[int, list[str]] = {}
        for number, (claim, item) in enumerate(passages, 1):
            page = number_page(self.document, item.span.start)
            where = f" ({page[0].lower()}{page[1:]})" if is_paged(self.document) else ""
            shown = frame_data(self._render_passage(item.span), nonce)
            named = f"To claim {claim.id}:" if claims_shown else f"Claim {claim.id}:\n{frame_data(claim.text, nonce)}"
            lines_by_claim.setdefault(claim.id, [named]).append(f"Passage {number}{where}:\n{shown}")
        return "\n\n".join("\n".join(lines) for lines in lines_by_claim.values())

    def _ask(self, unread: Sequence[Proposal]) -> None:
        if not unread:
            return
        claims = self.render(unread, self.new_nonce(), claims_shown=False)
        values = {"document": safe_file_name(self.document.called or self.document.path), "claims": claims}
        prompt = render_prompt("counter_request", **values, question=self.question)
        request = agent_request(NAME, prompt, SCHEMA, "findings", {"passages": len(unread)}, 3_000)
        ask_model(self.model, request, lambda text: self.keep(unread, parse_object(text, Findings).findings))

    def _render_passage(self, span: Span) -> str:
        """A passage marked in what it stands in; a row of a table under its header."""
        around = context_span(self.document, span, max_characters=CONTEXT_CHARS)
        text = self.document.text
        header = quote_header(self.document, span.start, span.end)
        head = [line for line in dict.fromkeys(header) if line not in text[around.start : around.end]]
        shown = render_marked(self.document, span, CONTEXT_CHARS)
        above = "".join(f"(above: {break_marks(line)})\n" for line in head) + shown
        return break_marks(page_line(self.document, [span], above)) + above

    def _evidence(self, attempt: Attempt, candidates: Sequence[Proposal]) -> Evidence:
        next_id = max((quote.id for quote in attempt.quotes), default=0) + 1
        quotes: dict[Span, Quote] = {}
        found: list[Qualification] = []
        issues: list[Issue] = []
        for claim, item in candidates:
            finding = self._findings[_key(claim, item)]
            if finding.verdict == "none":
                continue
            if item.span not in quotes:
                match = Match(item.span, "exact", (item.span,), 1)
                wording = self.document.text[item.span.start : item.span.end]
                quotes[item.span] = quote_at(self.document, item.span, next_id + len(quotes), match, wording)
            quote = quotes[item.span]
            contradicts, reason = finding.verdict == "contradicts", " ".join(finding.reason.split())
            found.append(Qualification(claim.id, quote.id, contradicts, reason, self.model.name))
            if contradicts:
                where = self.document.describe_page(self.document.page_at(quote.start))
                what = f"claim {claim.id} is contradicted by a passage: mend it, or say what that passage says"
                issues.append(Issue(NAME, what, claim.id, f'{reason} ({where}: "{" ".join(quote.text.split())}")'))
        claims = len({claim.id for claim, _ in candidates})
        read = pluralize(len(candidates), "passage")
        note = f"{read} that might limit {pluralize(claims, 'claim')} read by the judge: {len(found)} do"
        return Evidence(NAME, tuple(issues), quotes=tuple(quotes.values()), qualifications=tuple(found), note=note)


def _key(claim: Claim, item: Qualifier) -> PassageKey:
    return claim.text, item.span.start, item.span.end
