"""Hard rules for the form of an answer: local and instant; each issue names exactly what failed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ralph_cli.core.coverage import format_ranges
from ralph_cli.core.run import Attempt, Claim, Draft, DraftClaim, Evidence, Issue
from ralph_cli.text.sentences import sentence_ends

MIN_CLAIM_CHARS = 10
# The most characters of a worker's reason for a claim to which code has objected.
MAX_BECAUSE_CHARS = 300

_WORD = re.compile(r"\w+")
_ANNOUNCED = re.compile(r"[:\uff1a]\W*\Z")
_JOINED_ITEMS = re.compile(r"[^\W\d_][.;:)]?- (?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Range:
    """A closed range of counts, `low` to `high`."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if not 0 < self.low <= self.high:
            raise ValueError(f"invalid range: {self.low}-{self.high}")

    def __contains__(self, count: int) -> bool:
        return self.low <= count <= self.high

    def __str__(self) -> str:
        return f"{self.low}-{self.high}" if self.low != self.high else str(self.low)


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """How many claims and distinct quotes an answer has, and how many characters a quote has."""

    bullets: Range = Range(1, 7)
    quotes: Range = Range(1, 8)
    quote_chars: Range = Range(12, 500)


# The form of an answer with a claim for each item.
LIST_FORM = AnswerForm(Range(1, 60), Range(1, 120))


def is_list(answer_as: str) -> bool:
    """Whether the description of an answer asks for a list."""
    return re.match(r"(?:a )?list\b", answer_as) is not None


def form_issues(draft: Draft, form: AnswerForm) -> tuple[Issue, ...]:
    """Everything wrong with the form of a draft; empty if its quotes can be looked up."""
    return tuple(Issue("form", fault, number) for fault, number in _form_faults(draft, form))


def _form_faults(draft: Draft, form: AnswerForm) -> Iterator[tuple[str, int | None]]:
    """The faults of a draft, each with the number of the claim if it concerns one."""
    if draft.absence is not None:
        if draft.claims:
            yield "an answer has claims or is not_found, never both", None
        elif not any(len(term.strip()) >= 2 for term in draft.absence.searched):
            yield "not_found must list in `searched` the words or figures looked for", None
        return
    if len(draft.claims) not in form.bullets:
        several = "; of many items one claim names several" * (len(draft.claims) > form.bullets.high > 1)
        yield f"an answer needs {form.bullets} claims (found {len(draft.claims)}){several}", None
    distinct = {quote.strip() for claim in draft.claims for quote in claim.quotes}
    if distinct and len(distinct) not in form.quotes:
        several = "; a quote may have several rows" * (len(distinct) > form.quotes.high)
        yield f"an answer needs {form.quotes} different quotes (found {len(distinct)}){several}", None
    if draft.claims and all(claim.searched and not claim.quotes for claim in draft.claims):
        yield "an answer that only says what is not in the document is handed in as not_found", None
    numbers: dict[str, list[int]] = {}
    for number, claim in enumerate(draft.claims, 1):
        for fault in _claim_faults(number, claim, form):
            yield fault, number
        numbers.setdefault(" ".join(claim.text.split()).casefold(), []).append(number)
    for first, *again in numbers.values():
        if len(again) > 1:
            yield f"claims {format_ranges(again)} say the same as claim {first}: say in each what it is about", again[0]
        elif again:
            yield f"claim {again[0]} says the same as claim {first}", again[0]


def as_draft(claim: Claim, attempt: Attempt) -> DraftClaim:
    """A claim of an attempt as its worker submitted it."""
    quotes = tuple(quote.said for quote in attempt.quotes_of(claim))
    searched = tuple(search.term for search in claim.searches)
    return DraftClaim(claim.text, quotes, claim.calculations, claim.because, searched)


def _claim_faults(number: int, claim: DraftClaim, form: AnswerForm) -> Iterator[str]:
    text = claim.text.strip()
    # Answers such as ":" or "Thought process:" fool model judges (arXiv 2507.08794), so they never get that far.
    if len(text) < MIN_CLAIM_CHARS or len(_WORD.findall(text)) < 2:
        yield f"claim {number} is too short to mean anything"
    elif _ANNOUNCED.search(text) and text not in claim.quotes:
        yield f"claim {number} ends where something is announced: say what"
    if "\n" in text:
        yield f"claim {number} must be one line"
    elif has_joined_items(text):
        yield f"claim {number} is several: two items of a list stand on one line"
    if claim.searched and not any(len(term.strip()) >= 2 for term in claim.searched):
        yield f"claim {number} must list in `searched` the words or figures looked for"
    elif not claim.quotes and not claim.searched:
        yield f"claim {number} has no quote"
    longest = max((len(quote.strip()) for quote in claim.quotes), default=0)
    for place, quote in enumerate(map(str.strip, claim.quotes), 1):
        where, size = f"quote {place} of claim {number}", len(quote)
        if size == 0:
            yield f"{where} is empty"
        elif size < form.quote_chars.low > longest:  # beside a long one it may be the header of its row
            short = f"{where} is too short ({size} characters, at least {form.quote_chars.low})"
            yield f"{short}; take in the words beside it"
        elif size > form.quote_chars.high:
            long = f"{where} is too long ({size} characters, at most {form.quote_chars.high})"
            yield f"{long}; keep the part that carries the claim"
    if (length := len(claim.because)) > MAX_BECAUSE_CHARS:
        yield f"the `because` of claim {number} is too long ({length} characters, at most {MAX_BECAUSE_CHARS})"


def has_joined_items(text: str) -> bool:
    """Whether two items of a list have run into one: "... of resources- The loop is ..."."""
    return _JOINED_ITEMS.search(text) is not None


def split_long_quotes(draft: Draft, form: AnswerForm) -> Draft:
    """The draft with each quote that is too long cut into several, at the ends of sentences, lines or words."""
    claims = tuple(
        replace(claim, quotes=tuple(part for quote in claim.quotes for part in _cut(quote.strip(), form.quote_chars)))
        for claim in draft.claims
    )
    return replace(draft, claims=claims) if claims != draft.claims else draft


def _cut(text: str, length: Range) -> Iterator[str]:
    """The text in parts of the allowed length; as it is if that is impossible."""
    while len(text) > length.high:
        # The rest must be long enough, too.
        most = min(length.high, len(text) - length.low)
        ends = [end for end, _ in sentence_ends(text, 0, most + 1)]
        ends += [text.rfind("\n", 0, most + 1), text.rfind(" ", 0, most + 1)]
        end = next((end for end in (max(ends[:-2], default=0), *ends[-2:]) if length.low <= end <= most), 0)
        if not end:
            break
        yield text[:end].strip()
        text = text[end:].strip()
    yield text


@dataclass(frozen=True, slots=True)
class FormCheck:
    """The check that an attempt has the required form after its quotes were looked up."""

    form: AnswerForm

    def __call__(self, attempt: Attempt) -> Evidence:
        claims = tuple(as_draft(claim, attempt) for claim in attempt.claims)
        return Evidence("form", form_issues(Draft(claims, attempt.absence), self.form))
