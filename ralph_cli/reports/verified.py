"""Renders a verification for a reader and as JSON: what was checked again, its result, and the place of each quote."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ralph_cli.core.document import describe_pages
from ralph_cli.core.results.verification import QuoteStanding, Rechecked, Standing, Verification, count_standing
from ralph_cli.core.run import Attempt, Claim, Ruling, StopType
from ralph_cli.reports.safe_text import Styled, join_lines, make_visible, one_line, pick, plain_text
from ralph_cli.reports.sections.unconfirmed import Unconfirmed, count_doubts, describe_doubt, list_unconfirmed
from ralph_cli.reports.terminal import claim_line
from ralph_cli.reports.view import TIER_NAMES, VERDICT_WORDS, describe_place, is_paged

MAX_REASON_CHARS = 300
# Checks whose faults are shown beside each quote.
_CHECKS_SHOWN_WITH_QUOTES = ("quotes", "around")


def verification_lines(verification: Verification) -> Iterator[list[Styled]]:
    """The report, a line at a time."""
    yield [(one_line(verification.question), "bold")]
    run = f"Run {make_visible(verification.run)} ({make_visible(verification.mode)})"
    yield [(f"{run}, begun {make_visible(verification.begun)}: {_describe_halt(verification)}", "dim")]
    if verification.seal:
        yield [(f"Bundle of {verification.events} events, seal {verification.seal}", "dim")]
    yield []
    for check in verification.checks:
        yield from _check_lines(check, verification)
    if verification.claims:
        yield []
        for claim in verification.claims:
            yield from _claim_lines(claim, verification)
    for ruling in verification.rulings:
        if not ruling.claim:
            yield [("The output as a whole: ", ""), (_describe_verdict(ruling, verification), "dim")]
    yield from _doubt_lines(None, verification)
    if verification.quotes:
        yield []
        for item in verification.quotes:
            yield from _quote_lines(item, verification)
    if verification.evidence:
        yield []
        yield [("What the verifiers said then (they were not run again):", "bold")]
        for evidence in verification.evidence:
            outcome = f"{'passed' if evidence.passed else 'FAILED'} ({one_line(evidence.ended)})"
            yield [(f"- {one_line(evidence.name)} {outcome} at {make_visible(evidence.at)}", "")]
            yield [(f"  $ {one_line(evidence.command)}", "dim")]
    yield []
    yield [(summary(verification), "green" if verification.holds else "bold red")]
    yield [(_describe_kept_verdicts(verification), "dim")]


def verification_text(verification: Verification) -> str:
    """The report as text without any style."""
    return plain_text(verification_lines(verification)).rstrip("\n") + "\n"


def summary(verification: Verification) -> str:
    """The result in a few sentences."""
    bad = [
        check.check for check in verification.checks if check.faults and check.check not in _CHECKS_SHOWN_WITH_QUOTES
    ]
    parts = []
    if verification.reading in ("other-document", "other-reading") and verification.quotes:
        parts.append(_whereabouts(verification))
    elif verification.lost:
        verb = "does" if len(verification.lost) == 1 else "do"
        parts.append(f"{_count_quotes(len(verification.lost), verification)} {verb} not hold in the document")
    if verification.reading == "other-document" and not verification.quotes and not bad:
        parts.append("the document is not that of the run: only the searches could be counted again in it")
    if bad:
        parts.append(f"what does not hold: {', '.join(bad)}")
    sentences = [f"{part[0].upper()}{part[1:]}." for part in parts]
    if not parts or verification.holds:
        sentences.append("Every deterministic check that was run passed.")
        skipped = [check.check for check in verification.checks if check.skipped]
        if skipped:
            sentences.append(f"Not checked: {', '.join(skipped)}.")
        if "around" in skipped:
            sentences.append("Only the quotes themselves were compared, not their context.")
    if counted := count_doubts(_unconfirmed(verification)):
        sentences.append(f"{counted[0].upper()}{counted[1:]}.")
    return " ".join(sentences)


def _whereabouts(verification: Verification) -> str:
    """Which quotes are no longer in the document, and which have moved."""
    changed, gone, moved = (
        count_standing(verification.quotes, standing) for standing in (Standing.CHANGED, Standing.GONE, Standing.MOVED)
    )
    lost = changed + gone
    if lost:
        verb = "is" if lost == 1 else "are"
        which = ", ".join(f"{number} {word}" for number, word in ((changed, "changed"), (gone, "gone")) if number)
        where = "the document"
        if verification.reading == "other-reading":
            where = "the document's text as it is read now, though the file is the same"
        text = f"{_count_quotes(lost, verification)} {verb} no longer in {where} ({which})"
    else:
        subject = "the only quote is" if len(verification.quotes) == 1 else "all of the quotes are"
        text = f"{subject} still in the document"
    if moved:
        text += f"; {moved} {'on another page' if is_paged(verification.now) else 'under another heading'}"
    around = sum(bool(item.around) for item in verification.quotes if item.there)
    if around:
        text += f"; the context of {around} of those that are was changed: read {_pronoun(around)} in context"
    noted = sum(bool(item.notes) for item in verification.quotes if item.there and not item.around)
    return text + (f"; {noted} unchanged with a note: read {_pronoun(noted)} in context" if noted else "")


def _pronoun(number: int) -> str:
    return "it" if number == 1 else "them"


def _count_quotes(number: int, verification: Verification) -> str:
    total = len(verification.quotes)
    return "the only quote" if total == 1 else f"{number} of {total} quotes"


def _describe_halt(verification: Verification) -> str:
    reason = verification.halt.type
    accepted = {StopType.COMPLETION: "every check passed then", StopType.ABSENT: "reported as not in the document"}
    accepted |= {StopType.PASSAGES: "passages that no model had read", StopType.NO_PASSAGES: "no passage was found"}
    return accepted.get(reason, f"not accepted ({reason.value})")


def _describe_kept_verdicts(verification: Verification) -> str:
    models = sorted({ruling.judge for ruling in verification.rulings if ruling.verdict.is_judgement})
    names = ", ".join(make_visible(model) for model in models)
    return f"Verdicts of {names} are as recorded; no model was asked again." if models else ""


def _check_lines(check: Rechecked, verification: Verification) -> Iterator[list[Styled]]:
    if check.skipped:
        yield [("-    ", "dim"), (f"{check.check}: not checked: {one_line(check.skipped)}", "dim")]
    else:
        other = check.check == "document" and verification.reading != "same"
        mark = ("BAD  ", "bold red") if check.faults else ("note ", "yellow") if other else ("ok   ", "green")
        yield [mark, (f"{check.check}: {one_line(check.told)}", "")]
    # Faults of quotes are shown beside each quote.
    for fault in check.faults if check.check not in _CHECKS_SHOWN_WITH_QUOTES else ():
        yield [(f"     - {one_line(fault.line)}", "yellow")]


def _claim_lines(claim: Claim, verification: Verification) -> Iterator[list[Styled]]:
    yield claim_line(claim)
    ruling = _ruling_on(claim, verification)
    if ruling is not None:
        yield [(f"    {_describe_verdict(ruling, verification)}", "dim")]
    yield from _doubt_lines(claim.id, verification)
    changed = ", ".join(f"[{item.quote.id}]" for item in verification.of_claim(claim) if item.there and item.around)
    if changed:
        yield [(f"    the words are still there, but the text around them has changed: {changed}", "yellow")]
    lost = [item for item in verification.of_claim(claim) if not item.there]
    if lost:
        words = {Standing.WRONG: "does not hold"}
        which = ", ".join(f"[{item.quote.id}] ({words.get(item.standing, item.standing.value)})" for item in lost)
        yield [(f"    no longer supported as recorded: {which}", "bold red")]


def _unconfirmed(verification: Verification) -> tuple[Unconfirmed, ...]:
    """What code could not confirm, then or now, with the worker's reasons."""
    attempt = Attempt(verification.claims, because=verification.because)
    return list_unconfirmed(attempt, verification.doubts)


def _doubt_lines(claim: int | None, verification: Verification) -> Iterator[list[Styled]]:
    for doubt in _unconfirmed(verification):
        if doubt.claim == claim:
            yield [(f"    {one_line(describe_doubt(doubt))}", "yellow" if doubt.is_objection else "dim")]


def _ruling_on(claim: Claim, verification: Verification) -> Ruling | None:
    return next((ruling for ruling in verification.rulings if ruling.claim == claim.id), None)


def _describe_verdict(ruling: Ruling, verification: Verification) -> str:
    if ruling.verdict.value == "verbatim":
        return "verbatim: its own quote, compared again; no model has judged it"
    old = ", on the words as they were" if verification.reading == "other-document" else ""
    reason = f": {one_line(ruling.reason, MAX_REASON_CHARS)}" if ruling.reason else ""
    verdict = VERDICT_WORDS[ruling.verdict.value]
    return f"{verdict}{reason} - by {make_visible(ruling.judge)}, as recorded{old}, not repeated"


def _quote_lines(item: QuoteStanding, verification: Verification) -> Iterator[list[Styled]]:
    quote = item.quote
    then = one_line(describe_place(quote, paged=is_paged(verification.document)))
    now = _describe_new_place(item, verification)
    match item.standing:
        case Standing.HOLDS:
            mark, place = ("", ""), now
        case Standing.MOVED:
            place = f"from {then} to {now}" if is_paged(verification.now) else f"was {then}, now {now}"
            mark = ("moved ", "cyan")
        case _:
            mark, place = (f"{item.standing.value.upper()} ", "bold red"), then
            if verification.reading != "same":
                place = f"was {then}"
    tier = f", {TIER_NAMES[item.tier]}" if item.there and item.tier else ""
    yield [(f"[{quote.id}] ", "bold"), mark, (f"“{join_lines(quote.text)}”", ""), (f"  {place}{tier}", "dim")]
    if item.standing is Standing.CHANGED:
        yield [(f"    now {now}: “{join_lines(item.text)}”", "yellow")]
        yield [(f"    then -> now: {one_line('; '.join(item.differing))}", "yellow")]
    elif item.standing is Standing.GONE:
        yield [("    nothing like it is in the document at hand", "yellow")]
    if item.around:
        yield [(f"    still there, but its context changed: {one_line('; '.join(item.around))}", "yellow")]
    for note in item.notes:
        yield [(f"    {one_line(note)}", "yellow")]


def _describe_new_place(item: QuoteStanding, verification: Verification) -> str:
    return one_line(item.where) or make_visible(describe_pages(item.page, item.page, item.label))


def as_object(verification: Verification) -> dict[str, Any]:
    """The object of `ralph verify --json`.

    `ok` decides the exit code. `document.reading` is "same", "other-reading" (the same file, read by another version or
    with another encoding), "other-document" or "none". A quote's `standing` is "holds", "moved", "changed", "gone" or,
    in the text it was taken from, "wrong". `now` is null for a quote that is gone, and the closest true text for one
    that was changed. `around` names changes around a quote that is still there. `unconfirmed` is what code could not
    confirm, then or now, as in the run's own object. A claim is `borne_out` if all its quotes are there, nothing was
    changed around them, and no check finds fault with it. Verdicts and evidence are as recorded: `repeated` is true
    only for the deterministic judge.
    """
    return {
        "ok": verification.holds,
        "summary": summary(verification),
        "question": verification.question,
        "run": {"id": verification.run, **pick(verification, "mode", "begun", "events")},
        "source": {"kind": verification.source, "seal": verification.seal or None},
        "stop": {"type": verification.halt.type.value, "reason": verification.halt.detail},
        "document": {
            "recorded": verification.document,
            "now": verification.now or None,
            "reading": verification.reading,
        },
        "checks": [
            {
                **pick(check, "check", "holds", "told"),
                "skipped": check.skipped or None,
                "faults": [{"claim": fault.claim, "message": fault.line} for fault in check.faults],
            }
            for check in verification.checks
        ],
        "claims": [_claim_object(claim, verification) for claim in verification.claims],
        "quotes": [_quote_object(item) for item in verification.quotes],
        "unconfirmed": [asdict(doubt) for doubt in _unconfirmed(verification)],
        "evidence": [
            {"name": item.name, "command": item.command, "status": "pass" if item.passed else "fail", "at": item.at}
            for item in verification.evidence
        ],
    }


def _claim_object(claim: Claim, verification: Verification) -> dict[str, Any]:
    ruling = _ruling_on(claim, verification)
    whole = any(other.claim == 0 for other in verification.rulings)  # an item of an output that was judged as a whole
    faulted = any(fault.claim == claim.id for check in verification.checks for fault in check.faults)
    return {
        **pick(claim, "id", "text", "quotes"),
        "borne_out": all(item.there and not item.around for item in verification.of_claim(claim)) and not faulted,
        "verdict": ruling.verdict.value if ruling else "in-output" if whole else "unjudged",
        "reason": ruling.reason if ruling else "",
        "judge": ruling.judge if ruling else None,
        "repeated": ruling is not None and ruling.verdict.value == "verbatim",
    }


def _quote_object(item: QuoteStanding) -> dict[str, Any]:
    quote = item.quote
    then = pick(quote, "page", "label", "start", "end") | {"match": TIER_NAMES[quote.match]}
    now = pick(item, "text", "page", "label", "section", "start", "end")
    now["match"] = TIER_NAMES[item.tier] if item.tier else None
    return {
        **pick(quote, "id", "text"),
        "standing": item.standing.value,
        "then": then,
        "now": now if item.text else None,
        **pick(item, "differing", "around", "notes"),
    }
