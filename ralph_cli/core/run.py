"""The values of one run: draft, claim, quote, attempt, issue, ruling, evidence, step, outcome."""

import re
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Literal

from ralph_cli.core.document import describe_pages
from ralph_cli.core.structure import Label

# How a quote was matched: exactly; after folding differences of typesetting; by its letters and digits alone, with the
# differences shown; or, in a memo, part by part, with omitted or inserted words shown.
Tier = Literal["exact", "folded", "recut", "elided"]

# Values of `Evidence.check`: a verifier's evidence, and its substitute when the verifier was not asked.
VERIFIER_CHECK, SKIPPED_VERIFIER_CHECK = "verifier", "verifier (skipped on the last iteration)"

# Value of `Evidence.check`: a second reader's findings about an absence.
ABSENCE_CHECK = "absence"

# Values of `Evidence.check`: the search for counter-evidence was not made, or was incomplete.
INCOMPLETE_COUNTER_CHECKS = ("counter (not made)", "counter (in part)")

# Value of `Evidence.check`: the mean of the scores is too low; this check has no score of its own.
MEAN_SCORE_CHECK = "mean score"

# A verifier's result for a step. "failed": it gave no verdict; "skipped": it was not asked; "": there is no verifier.
VerificationOutcome = Literal["", "passed", "refused", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A claim as the worker wrote it: its text, the words it quotes from the document, and its calculations.

    `because` is the worker's reason for a claim to which code has objected. A claim that something is not in the
    document has no quotes; `searched` has the terms that were searched. `page` selects among words that occur on
    several pages; it is 0 if the worker named none.
    """

    text: str
    quotes: tuple[str, ...]
    calculations: tuple[str, ...] = ()
    because: str = ""
    searched: tuple[str, ...] = ()
    page: int = 0


@dataclass(frozen=True, slots=True)
class Absence:
    """The worker's statement that the answer is not in the document, and the terms that it searched."""

    searched: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Completeness:
    """The worker's reasons to believe that nothing is missing.

    `closed_by` are words of the document that close a list. `terms` are words whose positions include all instances.
    `pages` and `sections` (headings) name the parts that the task is about.
    """

    closed_by: str = ""
    terms: tuple[str, ...] = ()
    pages: str = ""
    sections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompletenessProof:
    """What code found about one reason of a Completeness: its kind, whether it `holds`, and a message.

    If "words" hold, they are in the document at `place`. Whether they close the list is for a judge to decide.
    """

    by: Literal["words", "places", "pages", "sections", "reader"]
    holds: bool
    message: str
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The worker's submission: claims, an absence, or free text. Nothing in it has been checked."""

    claims: tuple[DraftClaim, ...] = ()
    absence: Absence | None = None
    output: str = ""
    completeness: Completeness | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that code has found in the document.

    `text` is the document's own text[start:end], never the model's wording, which is `said`. `page` counts from 1.
    `label` is the number printed on the page. `last_page` is the page where the quote ends (0: not recorded).
    `occurrences` is how often the words occur in the document, and `places` where (the first 50).

    `difference` tells a reader how a re-cut quote differs from `said`, which running lines it skips, and of a negation
    just before its first word. `hidden` says why a reader of the page cannot see it ("" if it is visible). `where` is
    its line and heading in a document without pages ("" in others, or not recorded). `ocr` is the lowest confidence of
    its words, 0 to 100, if they were read by OCR.
    """

    id: int
    text: str
    start: int
    end: int
    page: int
    label: str
    match: Tier
    occurrences: int
    said: str
    places: tuple[tuple[int, int], ...] = ()
    difference: tuple[str, ...] = ()
    last_page: int = 0
    hidden: str = ""
    where: str = ""
    ocr: int | None = None

    @property
    def place(self) -> str:
        """Where a reader finds the quote: its pages, or its line and heading in a document without pages."""
        return self.where or describe_pages(self.page, max(self.page, self.last_page), self.label)


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer, with the ids of its quotes and with its calculations.

    `because` is the worker's reason after an objection by code; it is not a fact. `searches` belong to a claim that
    something is not in the document; code counts their hits.
    """

    id: int
    text: str
    quotes: tuple[int, ...]
    calculations: tuple[str, ...] = ()
    because: str = ""
    searches: tuple["Search", ...] = ()


# How a regular expression is turned into words: the replacements for its signs, in this order.
_SIGNS_AND_WORDS = [
    (re.compile(signs), words)
    for signs, words in (
        (r"\(\?[aiLmsux-]+\)|\\[bBAZ]|\^|\$(?!\d)", ""),
        (r"(?<!\\)\((?:\?(?:[aiLmsux-]*:|<?[=!]|P<\w+>))?", "("),
        (r"(?:\\s|\[(?:\\s|[ -])+\])(?:[*+?]|\{[\d,]*\})*", " "),
        (r"(?:\\[wdWDS]|(?<!\\)\.|\[[^\]]*\w-\w[^\]]*\])(?:[*+?]|\{[\d,]*\})*", "\u2026"),
        (r"\[\^?(\w)[^\]]*\]", r"\1"),
        (r"(?<!\\)(?:[*+?]|\{[\d,]*\})", ""),
        (r"\|(?=[^()|]*(?:\|[^()|]*)*(?<!\\)\))", "/"),
        (r"(?<!\\)[()]", ""),
        (r"\\(.)", r"\1"),
        (r"\s*\|\s*", ", "),
    )
]


@dataclass(frozen=True, slots=True)
class Search:
    """One search term and its number of hits in the document, which code counts.

    `by` is "worker" if the worker names the term, "code" if the term is in the code that the worker ran. `pattern`
    marks a regular expression. `hits` is None if they could not be counted, and `fault` says why. Text inside a word is
    no hit ("ice" in "notice"). `stem` says that the term is not a word of the document, so words that begin with it are
    counted. `within` confines the search to documents of a set: a name, or words of names.
    """

    term: str
    hits: int | None
    by: Literal["worker", "code"] = "worker"
    pattern: bool = False
    fault: str = ""
    stem: bool = False
    within: str = ""

    @property
    def words(self) -> str:
        """The searched words. A regular expression is shown without its signs; an ellipsis stands for any letters."""
        if not self.pattern:
            return self.term
        text = self.term
        for signs, words in _SIGNS_AND_WORDS:
            text = signs.sub(words, text)
        return " ".join(text.split()) or self.term

    @property
    def label(self) -> str:
        """The term, with the documents of a set if the search was confined to them."""
        return f"{self.term} (in {self.within} only)" if self.within else self.term


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of the document with those `words` of the question that it contains. It need not answer the question.

    `where` is its line and heading in a document without pages.
    """

    text: str
    start: int
    end: int
    page: int
    label: str
    words: tuple[str, ...]
    where: str = ""

    @property
    def place(self) -> str:
        """Where a reader finds the passage, as for a Quote."""
        return self.where or describe_pages(self.page, self.page, self.label)


@dataclass(frozen=True, slots=True)
class Issue:
    """One reason why an attempt cannot be accepted, phrased for the next try.

    `message` is ralph's own text. `material` quotes a document or a model and is shown to a worker only as data.
    """

    check: str
    message: str
    claim: int | None = None
    material: str = ""

    @property
    def line(self) -> str:
        """The message and the material, for people."""
        return f"{self.message}: {self.material}" if self.material else self.message


@dataclass(frozen=True, slots=True)
class Attempt:
    """One result of the worker, after its quotes were looked up.

    `output` is free text (task, goal, wrapped functions). `claims` are an answer, or the brief for an output. `because`
    is the worker's reason for an output to which code has objected. An absence has `searches`, the searched terms, and
    `nearest`, the passages with most of the question's words. A task that asks for all of something also has
    `searches`, and `completeness` shows that nothing is missing. `memory` is what the worker wants remembered.

    `refused` names every quote that is not in the document (no claim has it) or cannot be seen there. `finished` is the
    worker's statement, never a fact. `error` says why there is nothing to check.
    """

    claims: tuple[Claim, ...] = ()
    quotes: tuple[Quote, ...] = ()
    absence: Absence | None = None
    searches: tuple[Search, ...] = ()
    refused: tuple[Issue, ...] = ()
    finished: bool = False
    source: Literal["worker", "extractor", "none"] = "none"
    output: str = ""
    memory: str = ""
    error: str = ""
    nearest: tuple[Passage, ...] = ()
    completeness: tuple[CompletenessProof, ...] = ()
    because: str = ""

    @property
    def has_result(self) -> bool:
        """Whether there is anything to check."""
        return not self.error and bool(self.claims or self.absence or self.output)

    def quotes_of(self, claim: Claim) -> tuple[Quote, ...]:
        """Return the quotes of `claim`, in the claim's order."""
        by_id = {quote.id: quote for quote in self.quotes}
        return tuple(by_id[i] for i in claim.quotes)


class Verdict(StrEnum):
    """A judge's verdict on a claim. VERBATIM and ABSENT are not judgements.

    VERBATIM: the claim is its own quote, and no model read it. ABSENT: the claim says that something is not in the
    document, and code has counted its searches.
    """

    SUPPORTED = "supported"
    PARTLY = "partly"
    NOT = "not"
    CONTRADICTED = "contradicted"
    VERBATIM = "verbatim"
    ABSENT = "absent"

    @property
    def passes(self) -> bool:
        """Whether a claim with this verdict is accepted."""
        return self in (Verdict.SUPPORTED, Verdict.VERBATIM, Verdict.ABSENT)

    @property
    def is_judgement(self) -> bool:
        """Whether a judge has read the claim."""
        return self not in (Verdict.VERBATIM, Verdict.ABSENT)


# How a quote relates to its claim.
QuoteBearing = Literal["supports", "partly", "unrelated", "against"]

SUPPORTING: tuple[QuoteBearing, ...] = ("supports", "partly")


@dataclass(frozen=True, slots=True)
class QuoteRuling:
    """A judge's ruling on one quote of a claim."""

    quote: int
    bearing: QuoteBearing
    reason: str


@dataclass(frozen=True, slots=True)
class Vote:
    """One of several verdicts on a claim, by several judges or by one judge that was asked again."""

    judge: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict on one claim, with its reason and its judge.

    `quotes` says how each of the claim's quotes relates to it. `votes` has all verdicts, the first judge's first, if a
    second opinion was requested.
    """

    claim: int
    verdict: Verdict
    reason: str
    judge: str
    quotes: tuple[QuoteRuling, ...] = ()
    votes: tuple[Vote, ...] = ()

    @property
    def disputed(self) -> bool:
        """Whether the votes disagree on accepting the claim."""
        return len({vote.verdict.passes for vote in self.votes}) > 1

    @property
    def is_near_margin(self) -> bool:
        """Whether the verdict could easily have been different.

        That is so if it is PARTLY, or if it is SUPPORTED while a quote speaks against the claim or no quote supports
        it.
        """
        against = any(item.bearing == "against" for item in self.quotes)
        bears = not self.quotes or any(item.bearing in SUPPORTING for item in self.quotes)
        return self.verdict is Verdict.PARTLY or (self.verdict is Verdict.SUPPORTED and (against or not bears))


@dataclass(frozen=True, slots=True)
class Qualification:
    """The effect on a claim of a passage elsewhere in the document, and who says so.

    The passage limits the claim, contradicts it, or helps to prove it (`supports`). `quote` is the passage's id among
    the quotes of the evidence.
    """

    claim: int
    quote: int
    contradicts: bool
    reason: str
    judge: str
    supports: bool = False

    @property
    def effect(self) -> Literal["supports", "qualifies", "contradicts"]:
        """The effect on the claim in one word."""
        return "supports" if self.supports else "contradicts" if self.contradicts else "qualifies"


# What a judge can look up: words in the text, the section under a heading, a page, the tables of a page.
LookKind = Literal["find", "section", "page", "table"]


@dataclass(frozen=True, slots=True)
class Look:
    """A look-up that a judge requested and code ran. `result` is the first line of its output, "" before it ran.

    `what` is the words, the heading, or the page number; `document` names one of several documents.
    """

    kind: LookKind
    what: str
    document: str = ""
    result: str = ""

    @property
    def line(self) -> str:
        """The look-up and its result in words."""
        what = f"\u201c{self.what}\u201d" if self.kind in ("find", "section") else f"page {self.what}"
        how = {"find": "searched", "section": "looked for the section", "page": "read", "table": "read the tables of"}
        within = f" in {self.document}" if self.document else ""
        return f"{how[self.kind]} {what}{within}{f': {self.result}' if self.kind == 'find' and self.result else ''}"


DoubtKind = Literal["objection", "open"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words of a claim that code could not confirm, for the judge and the reader.

    In an "objection", code considers the `words` wrong, and the worker has answered with a reason. If `kind` is "open",
    code could neither confirm nor refute them. `message` explains the doubt in a sentence.
    """

    claim: int
    words: str
    message: str
    kind: DoubtKind = "open"


# Where a figure comes from: a quote, the lines above a quoted table row, a recorded calculation, one unrecorded
# operation on two quoted figures, the question, another fact of the document, or none of these.
FigureOrigin = Literal["quote", "header", "calculation", "derived", "question", "document", "nowhere"]


@dataclass(frozen=True, slots=True)
class Rival:
    """Another figure near the source of a figure that could be mistaken for it: its words, and its row's or column's
    name.

    `near` says whether it has the same value, or is in the same row, column or sentence.
    """

    token: Label
    near: Literal["value", "row", "column", "sentence"]
    name: str = ""


@dataclass(frozen=True, slots=True)
class FigureSource:
    """The source of a figure or date of a claim, found by code. Uncertain parts are left out.

    `claim` is 0 for a figure of a task's output. `words` are those of the claim, and begin at its character `at`; `at`
    is -1 if an output writes them differently, as JSON escapes some letters.

    For a figure from the quote with the id `quote`, `token` is the document's own words for it, including the unit. In
    a table, `row` and `column` are the names of its row and its column, outermost first, and `scale` is the statement
    of scale or unit that governs it. In running text, `before` and `after` are the adjacent words, and `limit` is those
    of them that make it a bound or an approximation ("up to 4 %") missing from the claim.

    `calculation` is the computation that gives the figure. `rivals` are figures that could be mistaken for it.
    `difference` says how the unit or scale differs in the source, or why there is no source.
    """

    claim: int
    words: str
    at: int
    origin: FigureOrigin
    quote: int = 0
    token: Label | None = None
    row: tuple[Label, ...] = ()
    column: tuple[Label, ...] = ()
    scale: Label | None = None
    before: str = ""
    after: str = ""
    limit: str = ""
    rivals: tuple[Rival, ...] = ()
    calculation: str = ""
    difference: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The result of one check. It passed if there are no issues and the check could be made (`broken` is empty).

    `score` is between 0 and 1 for checks that measure; None for those that only pass or fail. `quotes` are passages
    that the check found, numbered after those of the attempt; `qualifications` are their effects on claims. `note`
    describes in a sentence what was done. `doubts` are for the judge and the reader. `figures` are the sources of the
    figures and dates of the claims, or of the output. `looks` are a judge's look-ups before its verdicts.
    """

    check: str
    issues: tuple[Issue, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    broken: str = ""
    score: float | None = None
    quotes: tuple[Quote, ...] = ()
    qualifications: tuple[Qualification, ...] = ()
    note: str = ""
    doubts: tuple[Doubt, ...] = ()
    figures: tuple[FigureSource, ...] = ()
    looks: tuple[Look, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether there are no issues and the check could be made."""
        return not self.issues and not self.broken


@dataclass(frozen=True, slots=True)
class Lesson:
    """What the next attempt should learn from a failed one."""

    summary: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One iteration of the outer loop: an attempt, the evidence of the checks, and the lesson learned."""

    attempt: Attempt
    evidence: tuple[Evidence, ...]
    lesson: Lesson | None = None

    @property
    def scores(self) -> dict[str, float]:
        """The scores of the checks that measure, by name."""
        return {item.check: item.score for item in self.evidence if item.score is not None}

    @property
    def score(self) -> float | None:
        """The mean of the measuring checks' scores; each is the share of claims, figures or verifiers that hold.

        None if nothing was measured, or if a check that only passes or fails refused the attempt, because the scores of
        other checks do not measure that refusal.
        """
        unmeasured = [item for item in self.evidence if item.score is None and item.check != MEAN_SCORE_CHECK]
        if not self.scores or not all(item.passed for item in unmeasured):
            return None
        return fmean(self.scores.values())

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        return tuple(r for e in self.evidence for r in e.rulings)

    @property
    def issues(self) -> tuple[Issue, ...]:
        return tuple(i for e in self.evidence for i in e.issues)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """What code could not confirm in the claims."""
        return tuple(d for e in self.evidence for d in e.doubts)

    @property
    def figures(self) -> tuple[FigureSource, ...]:
        """The sources of the figures and dates of the claims and of the output."""
        return tuple(figure for e in self.evidence for figure in e.figures)

    @property
    def looks(self) -> tuple[Look, ...]:
        """The judges' look-ups before their verdicts."""
        return tuple(look for e in self.evidence for look in e.looks)

    @property
    def qualifications(self) -> tuple[Qualification, ...]:
        return tuple(q for e in self.evidence for q in e.qualifications)

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The quotes of the attempt and of the checks."""
        return (*self.attempt.quotes, *(quote for e in self.evidence for quote in e.quotes))

    @property
    def verification(self) -> VerificationOutcome:
        """The verifier's result for this step."""
        for item in self.evidence:
            if item.check == SKIPPED_VERIFIER_CHECK:
                return "skipped"
            if item.check == VERIFIER_CHECK:
                return "passed" if item.passed else "failed" if item.broken else "refused"
        return ""


class StopType(StrEnum):
    """Why a run stopped; `Halt.detail` has the sentence. Only COMPLETION and ABSENT passed every check.

    PASSAGES and NO_PASSAGES end a run without a language model: code found passages that may answer, or none, and no
    model has read them. TESTED ends a test of the judge, in which nothing is accepted because most of its claims are
    false on purpose.
    """

    NONE = "none"
    COMPLETION = "completion"
    ABSENT = "absent"
    PASSAGES = "passages"
    NO_PASSAGES = "no_passages"
    MAX_ITERATIONS = "max_iterations"
    TIMEOUT = "timeout"
    MAX_COST = "max_cost"
    MAX_CALLS = "max_calls"
    MAX_TOKENS = "max_tokens"
    MAX_CONSECUTIVE_FAILURES = "max_consecutive_failures"
    SCORE_THRESHOLD = "score_threshold"
    STALLED = "stalled"
    REGRESSING = "regressing"
    UNJUDGED = "unjudged"
    BLOCKED = "blocked"
    TESTED = "tested"
    USER_INTERRUPTED = "user_interrupted"
    SYSTEM_ERROR = "system_error"

    def is_success(self) -> bool:
        """Whether the loop succeeded: acceptance, or the required score.

        This is for callers of the library's runner. `Outcome.ok` says whether a result passed every check.
        """
        return self in (StopType.COMPLETION, StopType.SCORE_THRESHOLD)

    def is_failure(self) -> bool:
        """Whether the loop could not work at all."""
        return self in (StopType.MAX_CONSECUTIVE_FAILURES, StopType.SYSTEM_ERROR)

    def is_cut_off(self) -> bool:
        """Whether an external cause ended the run: it was killed or interrupted, failed, or reached a budget limit."""
        return self in (
            StopType.NONE,
            StopType.USER_INTERRUPTED,
            StopType.SYSTEM_ERROR,
            StopType.TIMEOUT,
            StopType.MAX_COST,
            StopType.MAX_CALLS,
            StopType.MAX_TOKENS,
        )


@dataclass(frozen=True, slots=True)
class Halt:
    """The end of a run: its type, and the reason in a sentence."""

    type: StopType
    detail: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run: why it stopped, and its best step (None if there was none)."""

    halt: Halt
    best: Step | None
    iterations: int

    @property
    def ok(self) -> bool:
        """Whether a result was accepted. An absence passes every check, too, but is no result."""
        return self.halt.type is StopType.COMPLETION
