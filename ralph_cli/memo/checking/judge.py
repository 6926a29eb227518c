"""Asks a judge whether the quotations of a memo support the sentences that contain them."""

from collections.abc import Callable, Iterator, Sequence

from ralph_cli.checks.base import describe_failure
from ralph_cli.core.document import Document
from ralph_cli.core.errors import LimitExceeded
from ralph_cli.core.results.memo import Finding, MemoCheck, Support
from ralph_cli.core.run import Attempt, Claim, Evidence, Quote
from ralph_cli.memo.reading.words import count_words

# The most sentences in one call of a judge.
MAX_SENTENCES_PER_CALL = 20

# The words that a sentence needs beside its quotations to say anything that could be judged.
MIN_OWN_WORDS = 3

QUESTION = (
    "The claims are sentences of a memo about the document. Is what each says borne out by the passages that it quotes?"
)

JudgeCall = Callable[[Attempt], Evidence]


def judge_support(check: MemoCheck, judge_for: Callable[[Document], JudgeCall]) -> tuple[Support, ...]:
    """The judge's ruling on each sentence whose quotations all hold, in the memo's order.

    A sentence that only quotes claims nothing, and is not judged. If the judge fails, its sentences have no ruling.
    """
    groups = _judgeable_groups(check.findings)
    found: list[Support] = []
    for number, document in enumerate(check.documents):
        document_groups = [group for group in groups if check.findings[group[0]].document == number]
        if document_groups:
            judge = judge_for(document)
            for at in range(0, len(document_groups), MAX_SENTENCES_PER_CALL):
                found += _judge_groups(check, document_groups[at : at + MAX_SENTENCES_PER_CALL], judge)
    return tuple(sorted(found, key=lambda support: support.findings))


def _judgeable_groups(findings: Sequence[Finding]) -> list[list[int]]:
    """For each sentence that can be judged, the indices of its findings; all of them hold."""
    groups: dict[tuple[str, int | None], list[int]] = {}
    for at, finding in enumerate(findings):
        if finding.quotation.sentence:
            groups.setdefault((finding.quotation.sentence, finding.document), []).append(at)
    broken = {finding.quotation.sentence for finding in findings if not finding.holds}
    return [
        indices
        for (sentence, _), indices in groups.items()
        if sentence not in broken and _count_own_words(sentence, [findings[at] for at in indices]) >= MIN_OWN_WORDS
    ]


def _count_own_words(sentence: str, findings: Sequence[Finding]) -> int:
    for finding in findings:
        sentence = sentence.replace(" ".join(finding.quotation.words.split()), " ")
        if finding.quotation.reference is not None:
            sentence = sentence.replace(finding.quotation.reference.text, " ")
    return count_words(sentence)


def _judge_groups(check: MemoCheck, groups: Sequence[Sequence[int]], judge: JudgeCall) -> Iterator[Support]:
    quotes: dict[int, Quote] = {}
    claims = []
    for number, group in enumerate(groups, 1):
        held = [quote for at in group if (quote := check.findings[at].quote)]
        quotes |= {quote.id: quote for quote in held}
        claims.append(Claim(number, check.findings[group[0]].quotation.sentence, tuple(quote.id for quote in held)))
    try:
        evidence = judge(Attempt(tuple(claims), tuple(quotes.values())))
    except LimitExceeded as error:
        evidence = Evidence("judge", broken=describe_failure(error))
    rulings = {ruling.claim: ruling for ruling in evidence.rulings}
    for claim, group in zip(claims, groups, strict=True):
        place = check.findings[group[0]].quotation.place
        yield Support(claim.text, place, tuple(group), rulings.get(claim.id), evidence.broken)
