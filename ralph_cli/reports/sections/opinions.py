"""Lists the remarks beside a verdict: calculations, the bearing of each quote, other votes, and limits."""

from collections.abc import Iterator
from dataclasses import dataclass

from ralph_cli.core.run import QuoteBearing
from ralph_cli.reports.sections.unconfirmed import doubt_details, doubt_label
from ralph_cli.reports.view import VERDICT_WORDS, ClaimView

BEARINGS: dict[QuoteBearing, str] = {
    "supports": "supports it",
    "partly": "supports it in part",
    "unrelated": "does not bear on it",
    "against": "contradicts it",
}


@dataclass(frozen=True, slots=True)
class Opinion:
    """One remark on a claim: its label, the quote that it is about (0: none), its text, and whether it is a warning."""

    label: str
    quote: int
    text: str
    is_warning: bool = False


def opinions(item: ClaimView) -> Iterator[Opinion]:
    """The remarks on a claim; limits and contradictions come last."""
    for calculation in item.claim.calculations:
        yield Opinion("Calculation", 0, calculation)
    if item.ruling:
        for judged in item.ruling.quotes:
            if judged.bearing == "supports" and item.ruling.reason.startswith(judged.reason):
                continue  # the verdict gives this reason already
            yield Opinion(BEARINGS[judged.bearing], judged.quote, judged.reason, judged.bearing != "supports")
        if votes := item.ruling.votes:
            words = "; ".join(f"{vote.judge}: {VERDICT_WORDS[vote.verdict.value]} ({vote.reason})" for vote in votes)
            disputed = item.ruling.disputed
            yield Opinion("The judges do not agree" if disputed else "Asked again", 0, words, disputed)
    for doubt in item.unconfirmed:
        label = doubt_label(doubt)
        yield Opinion(label[:1].upper() + label[1:], 0, doubt_details(doubt), doubt.is_objection)
    for judge, why in item.missing_votes:
        yield Opinion("Asked for a second opinion, gave none", 0, f"{judge}: {why}", True)
    for found in item.qualifications:
        what = f"Found by the judge, {found.effect} it"
        yield Opinion(what, found.quote, f"{found.reason} ({found.judge})", not found.supports)


def verdict_words(item: ClaimView) -> str:
    """The verdict with its reservations."""
    return ", ".join((item.verdict_words, *describe_reservations(item)))


def describe_reservations(item: ClaimView) -> tuple[str, ...]:
    """The words of a claim that code could not confirm, and the quotes that limit or contradict it."""
    words = dict.fromkeys(f"{doubt.words} unconfirmed" for doubt in item.unconfirmed if doubt.is_objection)
    return (*words, *describe_qualifications(item))


def describe_qualifications(item: ClaimView) -> tuple[str, ...]:
    """The quotes elsewhere in the document that limit or contradict a claim."""
    words = {True: "contradicted", False: "qualified"}
    return tuple(f"{words[found.contradicts]} by [{found.quote}]" for found in item.limits)
