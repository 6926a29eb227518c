"""The supported claims of an answer: kept from one attempt to the next, never requested and never judged again."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ralph_cli.checks.figures.check import NAME
from ralph_cli.checks.form import as_draft
from ralph_cli.core.run import ABSENCE_CHECK, Attempt, Claim, Draft, DraftClaim, Evidence, Issue, Ruling

# The identity of a claim: its wording and the places of its quotes.
ClaimKey = tuple[str, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, slots=True)
class ClaimSlot:
    """One position in the answer: a supported claim, or None for a claim that must be fixed."""

    claim: DraftClaim | None


@dataclass(frozen=True, slots=True)
class AcceptedClaims:
    """The supported claims of the answer so far, in order, and their rulings."""

    slots: tuple[ClaimSlot, ...] = ()
    rulings_by_claim: dict[ClaimKey, Ruling] = field(default_factory=dict)

    @property
    def claims(self) -> tuple[DraftClaim, ...]:
        """Return the supported claims."""
        return tuple(slot.claim for slot in self.slots if slot.claim is not None)

    def message(self) -> str:
        """Return the message to the worker about the kept claims; empty if there are none yet."""
        if not self.claims:
            return ""
        lines = "\n".join(f"- {claim.text}" for claim in self.claims)
        how = "do not hand them in again, hand in only what is missing (`claims`: [] if that is nothing)"
        return f"These claims stand and are kept; {how}:\n{lines}\n"

    def merge(self, draft: Draft) -> Draft:
        """Return the whole answer: the kept claims in their positions, the draft's claims in the gaps and after
        them.
        """
        if not self.claims:
            return draft
        standing = {_normalize(claim.text) for claim in self.claims}
        fresh = [claim for claim in draft.claims if _normalize(claim.text) not in standing]
        whole: list[DraftClaim] = []
        for slot in self.slots:
            if slot.claim is not None:
                whole.append(slot.claim)
            elif fresh:
                whole.append(fresh.pop(0))
        return replace(draft, claims=(*whole, *fresh))

    def update(self, attempt: Attempt, evidence: Sequence[Evidence]) -> "AcceptedClaims":
        """Return the kept claims after an attempt was judged; unchanged if it was not judged."""
        rulings = {ruling.claim: ruling for item in evidence for ruling in item.rulings}
        contradicted = {said.claim for item in evidence for said in item.qualifications if said.contradicts}
        if not rulings:
            return self
        slots, settled = [], dict(self.rulings_by_claim)
        for claim in attempt.claims:
            ruling = rulings.get(claim.id)
            stands = ruling is not None and ruling.verdict.passes and claim.id not in contradicted
            if stands and ruling is not None:
                settled[claim_key(claim, attempt)] = ruling
            elif claim.id in contradicted:
                settled.pop(claim_key(claim, attempt), None)
            slots.append(ClaimSlot(as_draft(claim, attempt) if stands else None))
        # A gap for which nothing was submitted stays a gap, so that the direct answer does not end up last.
        gaps = [at for at, slot in enumerate(self.slots) if slot.claim is None]
        for at in gaps[-unfilled:] if (unfilled := len(self.slots) - len(slots)) > 0 else ():
            slots.insert(at, ClaimSlot(None))
        return AcceptedClaims(tuple(slots), settled)

    def rulings_for(self, attempt: Attempt) -> tuple[Ruling, ...]:
        """Return the rulings that still apply to claims of `attempt`, under their ids there."""
        found = []
        for claim in attempt.claims:
            ruling = self.rulings_by_claim.get(claim_key(claim, attempt))
            if ruling is not None:
                found.append(replace(ruling, claim=claim.id))
        return tuple(found)


def claim_key(claim: Claim, attempt: Attempt) -> ClaimKey:
    """Return the identity of the claim."""
    return claim.text, tuple((quote.start, quote.end) for quote in attempt.quotes_of(claim))


def _normalize(text: str) -> str:
    return " ".join(text.split()).casefold()


_DIGITS = re.compile(r"\d+")
# The figures of a claim, sorted; its words if it has none.
ClaimFigures = tuple[str, ...] | str


@dataclass(slots=True)
class Objections:
    """The objections of code to figures that a worker has read.

    A reason that nobody asked for does not answer an objection, so it is removed, and the worker gets the objection
    once. A claim with the same figures in other words is the same claim.
    """

    _told: set[ClaimFigures] = field(default_factory=set)

    def admit(self, draft: Draft) -> Draft:
        """Return the draft without reasons for claims that had no objection."""
        claims = [
            claim if _figures_of(claim.text) in self._told else replace(claim, because="") for claim in draft.claims
        ]
        return replace(draft, claims=tuple(claims))

    def add(self, attempt: Attempt, issues: Sequence[Issue]) -> None:
        """Record the claims of an attempt to which the check of figures, or the second reader of absences, objects."""
        objected = {issue.claim for issue in issues if issue.check in (NAME, ABSENCE_CHECK)}
        self._told |= {_figures_of(claim.text) for claim in attempt.claims if claim.id in objected}


def _figures_of(text: str) -> ClaimFigures:
    return tuple(sorted(_DIGITS.findall(text))) or " ".join(text.split()).casefold()
