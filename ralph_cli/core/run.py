"""The nouns of one run: draft, claim, quote, attempt, issue, ruling, evidence, step, outcome."""

import re
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean
from typing import Literal

from ralph_cli.core.document import describe_pages
from ralph_cli.core.structure import Label

# How a quote was matched: character for character; after folding what only typesetting decides; by its letters and
# digits alone, shown with what differs; or, in a memo, part by part, what is left out or put in being shown.
Tier = Literal["exact", "folded", "recut", "elided"]

# Values of `Evidence.check`: a verifier's evidence, and its substitute when the verifier was not asked.
VERIFIER_CHECK, SKIPPED_VERIFIER_CHECK = "verifier", "verifier (skipped on the last iteration)"

# Value of `Evidence.check`: what a second reader found about an absence.
ABSENCE_CHECK = "absence"

# Values of `Evidence.check`: a search for counter-evidence that was not made, or only in part.
INCOMPLETE_COUNTER_CHECKS = ("counter (not made)", "counter (in part)")

# Value of `Evidence.check`: the mean of the scores is too low; it measures nothing beside them.
MEAN_SCORE_CHECK = "mean score"

# What a verifier did with a step. "failed": it gave no verdict; "skipped": it was not asked; "": there is none.
VerificationOutcome = Literal["", "passed", "refused", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A claim as the worker wrote it: its wording, the words it says are in the document, and how it computed.

    `because` is the worker's reason for a claim to which code has objected. A claim that something is not in the
    document has no quotes, and `searched` instead: the terms that were searched. `page` tells which place is meant of
    words that are on several pages, 0 if the worker named none.
    """

    text: str
    quotes: tuple[str, ...]
    calculations: tuple[str, ...] = ()
    because: str = ""
    searched: tuple[str, ...] = ()
    page: int = 0


@dataclass(frozen=True, slots=True)
class Absence:
    """The worker's statement that the answer is not in the document, and what it looked for."""

    searched: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Completeness:
    """How a worker says that it knows that nothing is missing: words of the document that close a list (`closed_by`),
    `terms` at whose places all instances are, or the parts that the task is about, by `pages` or headings
    (`sections`).
    """

    closed_by: str = ""
    terms: tuple[str, ...] = ()
    pages: str = ""
    sections: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompletenessProof:
    """What code found of one such statement: by which way, whether it `holds`, and a sentence on it.

    That "words" hold means that they are in the document, at `place`; whether they close the list is for a judge.
    """

    by: Literal["words", "places", "pages", "sections", "reader"]
    holds: bool
    message: str
    place: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """What the worker hands in: claims, an absence, or free text. Nothing in it has been checked."""

    claims: tuple[DraftClaim, ...] = ()
    absence: Absence | None = None
    output: str = ""
    completeness: Completeness | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """Words that code has found in the document.

    `text` is the document's own text[start:end], never the model's wording, which is `said`. `page` counts from 1;
    `label` is the number printed on the page, `last_page` the page where the quote ends (0: not recorded).
    `occurrences` is how often the words are in the document, `places` where (the first 50). `difference` is what a
    reader should know: how a re-cut quote differs from what was said, running lines that it skips, a negation just
    before its first word. `hidden` is why a reader of the page cannot see it ("" if a reader can see it). `where`
    is its line and heading in a document without pages ("" in others, or not recorded). `ocr` is the lowest confidence
    of its words, 0 to 100, if they were read by OCR.
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
        """Where a reader finds it: its page or pages, or its line and heading in a document without pages."""
        return self.where or describe_pages(self.page, max(self.page, self.last_page), self.label)


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer, the ids of the quotes it is pinned to, and its calculations.

    `because` is the worker's reason for it after an objection by code, and no fact. `searches` are those of
    a claim that something is not in the document, counted by code.
    """

    id: int
    text: str
    quotes: tuple[int, ...]
    calculations: tuple[str, ...] = ()
    because: str = ""
    searches: tuple["Search", ...] = ()


# What the signs of a regular expression become where it is read as words, in this order.
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
    """One searched term and its number of hits in the document, counted by code and not by a model.

    `by` is "worker" if the worker names the term, "code" if it stands in the code that it ran. `pattern` marks a
    regular expression; `hits` is None if it could not be counted, and `fault` says why. What stands inside of a word is
    no hit ("ice" in "notice"); `stem` says that the term is no word there, and that words which begin with it are
    counted. `within` are the documents of a set in which alone it was searched and counted: a name, or words of names.
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
        """What was searched as words: those of a regular expression, without its signs; an ellipsis is any letters."""
        if not self.pattern:
            return self.term
        text = self.term
        for signs, words in _SIGNS_AND_WORDS:
            text = signs.sub(words, text)
        return " ".join(text.split()) or self.term

    @property
    def label(self) -> str:
        """The term, with the documents of a set to which the search was confined."""
        return f"{self.term} (in {self.within} only)" if self.within else self.term


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of the document, and the `words` of the question in it. It need not answer the question.

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
        """Where a reader finds it, as for a Quote."""
        return self.where or describe_pages(self.page, self.page, self.label)


@dataclass(frozen=True, slots=True)
class Issue:
    """One reason an attempt cannot be accepted, phrased for the next try.

    `message` is ralph's own; `material` quotes what it is about, from the document or a model, and is shown to a worker
    as data only.
    """

    check: str
    message: str
    claim: int | None = None
    material: str = ""

    @property
    def line(self) -> str:
        """Message and material for a person."""
        return f"{self.message}: {self.material}" if self.material else self.message


@dataclass(frozen=True, slots=True)
class Attempt:
    """One result of the worker after its quotes were looked up.

    `output` is free text (task, goal, wrapped functions); an answer is `claims`, and so is the brief behind an output.
    `because` is the worker's reason for an output to which code has objected. `searches` and `nearest` belong to an
    absence: what was searched, and the passages that hold most of the question's words. A task that asks for all of
    something has `searches`, too, and `completeness`: what shows that nothing is missing. `memory` is what the worker
    wants remembered. `refused` names every quote that is not in the document (it is in no claim), or that is there but
    cannot be seen. `finished` is the worker's own word, never a fact; `error` says why there is nothing to check.
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
        """The quotes that `claim` is pinned to, in its own order."""
        by_id = {quote.id: quote for quote in self.quotes}
        return tuple(by_id[i] for i in claim.quotes)


class Verdict(StrEnum):
    """What a judge says of a claim. VERBATIM is no judgement: the claim is its own quote, and no model read it. Nor is
    ABSENT: the claim says that something is not in the document, and code has counted its searches.
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


# What one quote does for the claim it was given for.
QuoteBearing = Literal["supports", "partly", "unrelated", "against"]

SUPPORTING: tuple[QuoteBearing, ...] = ("supports", "partly")


@dataclass(frozen=True, slots=True)
class QuoteRuling:
    """What a judge says of one quote of a claim."""

    quote: int
    bearing: QuoteBearing
    reason: str


@dataclass(frozen=True, slots=True)
class Vote:
    """One of several verdicts on a claim: by several judges, or by one that was asked again."""

    judge: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict on one claim, with its reason and who gave it.

    `quotes` says of each of its quotes what it does for the claim; `votes` is everybody's word, the first judge's
    first, where a second opinion was asked for.
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
        """Whether it could as well have been another: half proved, or proved beside a quote that says otherwise."""
        against = any(item.bearing == "against" for item in self.quotes)
        bears = not self.quotes or any(item.bearing in SUPPORTING for item in self.quotes)
        return self.verdict is Verdict.PARTLY or (self.verdict is Verdict.SUPPORTED and (against or not bears))


@dataclass(frozen=True, slots=True)
class Qualification:
    """What a passage elsewhere in the document does to a claim, and who says so: it limits it, contradicts it, or helps
    to prove it (`supports`).

    `quote` is the id of the passage among the quotes of the evidence.
    """

    claim: int
    quote: int
    contradicts: bool
    reason: str
    judge: str
    supports: bool = False

    @property
    def effect(self) -> Literal["supports", "qualifies", "contradicts"]:
        """What it does to the claim, in a word."""
        return "supports" if self.supports else "contradicts" if self.contradicts else "qualifies"


# What a judge can look up: words in the text, the part under a heading, a page, the tables of a page.
LookKind = Literal["find", "section", "page", "table"]


@dataclass(frozen=True, slots=True)
class Look:
    """A look-up that a judge asked for, which code ran. `result` is the first line of what it printed, "" before.

    `what` are the words, the heading, or the number of the page; `document` names one of several documents.
    """

    kind: LookKind
    what: str
    document: str = ""
    result: str = ""

    @property
    def line(self) -> str:
        """The look-up in words, with what came of it."""
        what = f"\u201c{self.what}\u201d" if self.kind in ("find", "section") else f"page {self.what}"
        how = {"find": "searched", "section": "looked for the section", "page": "read", "table": "read the tables of"}
        within = f" in {self.document}" if self.document else ""
        return f"{how[self.kind]} {what}{within}{f': {self.result}' if self.kind == 'find' and self.result else ''}"


DoubtKind = Literal["objection", "open"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something of a claim that code could not confirm, for the judge and the reader.

    `words` are those of the claim it is about. Of an "objection" code holds that they are wrong, and the worker stands
    by them; what is "open" code could not tell. `message` says what, in a sentence.
    """

    claim: int
    words: str
    message: str
    kind: DoubtKind = "open"


# Where a figure comes from: a quote, what stands above a quoted row of a table, a recorded calculation, one operation
# on two quoted figures that nobody recorded, the question, another fact of the document, or none of these.
FigureOrigin = Literal["quote", "header", "calculation", "derived", "question", "document", "nowhere"]


@dataclass(frozen=True, slots=True)
class Rival:
    """Another figure near the source of one, for which it may be mistaken: its words, and what names its row or column.

    `near` says whether it is in the same row, column or sentence, or has the same value.
    """

    token: Label
    near: Literal["value", "row", "column", "sentence"]
    name: str = ""


@dataclass(frozen=True, slots=True)
class FigureSource:
    """Where a figure or a date of a claim comes from, as found by code; what is not certain is left out.

    `claim` is 0 for a figure of the output of a task. `words` are those of the claim, which begin at its character
    `at`; -1 where an output writes them otherwise, as JSON does some letters. Of a figure from a quote, with the id
    `quote`, `token` is the document's own words for it, with the unit behind it; in a table `row` and `column` are what
    names its row and its column, outermost first, and `scale` is the statement of scale or unit that governs it; in
    running text `before` and `after` are the words directly beside it, and `limit` is those of them that make a bound
    or an approximation of it ("up to 4 %") which the claim does not have. `calculation` is the computation that gives
    it. `difference` says what is written otherwise in the source (a unit or a scale), or why there is none.
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
    """What one check found. It passed if nothing is wrong and the check itself could be made (`broken` is empty).

    `score` is between 0 and 1, for checks that measure; None for those that only pass or fail. `quotes` are passages
    that the check itself found, numbered on from those of the attempt, `qualifications` what they do to claims; `note`
    says in a sentence what was done. `doubts` are left to the judge, and shown to the reader. `figures` are the
    sources of the figures and dates of the claims, or of the output. `looks` are what a judge looked up before its
    verdicts.
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
        """Whether nothing is wrong and the check could be made."""
        return not self.issues and not self.broken


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a failed attempt teaches the next one."""

    summary: str
    suggestions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of the outer loop: an attempt, what the checks found, and what was learnt from it."""

    attempt: Attempt
    evidence: tuple[Evidence, ...]
    lesson: Lesson | None = None

    @property
    def scores(self) -> dict[str, float]:
        """What the measuring checks gave, by name."""
        return {item.check: item.score for item in self.evidence if item.score is not None}

    @property
    def score(self) -> float | None:
        """The mean of the scores of the checks that measure, each the share (of claims, figures, verifiers) that holds.

        None if nothing was measured, or if a check that only passes or fails refused the attempt: what another check
        measured says nothing of that refusal.
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
        """What code could not confirm of the claims."""
        return tuple(d for e in self.evidence for d in e.doubts)

    @property
    def figures(self) -> tuple[FigureSource, ...]:
        """The sources of the figures and dates of the claims and of the output."""
        return tuple(figure for e in self.evidence for figure in e.figures)

    @property
    def looks(self) -> tuple[Look, ...]:
        """What judges looked up before their verdicts."""
        return tuple(look for e in self.evidence for look in e.looks)

    @property
    def qualifications(self) -> tuple[Qualification, ...]:
        return tuple(q for e in self.evidence for q in e.qualifications)

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The attempt's quotes, and those that the checks found."""
        return (*self.attempt.quotes, *(quote for e in self.evidence for quote in e.quotes))

    @property
    def verification(self) -> VerificationOutcome:
        """What became of the verification of this step."""
        for item in self.evidence:
            if item.check == SKIPPED_VERIFIER_CHECK:
                return "skipped"
            if item.check == VERIFIER_CHECK:
                return "passed" if item.passed else "failed" if item.broken else "refused"
        return ""


class StopType(StrEnum):
    """Why a run stopped; the sentence is in `Halt.detail`. Only COMPLETION and ABSENT passed every check.

    PASSAGES and NO_PASSAGES end a run without any language model: code has found passages that may answer, or none,
    and nobody has read them. TESTED is the end of a test of the judge, in which nothing is accepted: most of its claims
    are false on purpose.
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
        """Whether the loop reached its end: acceptance, or the wanted score.

        For callers of the library's runner; whether a result passed every check is `Outcome.ok`.
        """
        return self in (StopType.COMPLETION, StopType.SCORE_THRESHOLD)

    def is_failure(self) -> bool:
        """Whether the loop could not work at all."""
        return self in (StopType.MAX_CONSECUTIVE_FAILURES, StopType.SYSTEM_ERROR)

    def is_cut_off(self) -> bool:
        """Whether something from outside ended the run: it was killed or interrupted, failed, or met a budget."""
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
    """A stop is a value: its type, and the reason in a sentence."""

    type: StopType
    detail: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run: why it stopped and the best step it had (None if there was none)."""

    halt: Halt
    best: Step | None
    iterations: int

    @property
    def ok(self) -> bool:
        """Whether a result was accepted; an absence passes every check, too, but is no result."""
        return self.halt.type is StopType.COMPLETION
