"""A verification for a reader and as one JSON object: what was checked again, what holds, and where each quote is."""

import json
from collections.abc import Iterator
from typing import Any

from ralph_cli.core.results.verification import QuoteStanding, Rechecked, Standing, Verification, count
from ralph_cli.core.run import Claim, Quote, Ruling, StopType
from ralph_cli.reports.safe_text import one_line, visible
from ralph_cli.reports.view import TIERS, WORDS, pages_of

Styled = tuple[str, str]
"""A piece of a line and its style name ("" for none)."""

CLOSEST = 300
_BESIDE_QUOTES = ("quotes", "around")
"""Checks whose faults are told beside each quote."""


def lines(found: Verification) -> Iterator[list[Styled]]:
    """The report, a line at a time."""
    yield [(f"{one_line(found.question)}", "bold")]
    yield [(f"Run {visible(found.run)} ({visible(found.mode)}), begun {visible(found.begun)}: {_ended(found)}", "dim")]
    if found.seal:
        yield [(f"Bundle of {found.events} events, seal {found.seal}", "dim")]
    yield []
    for check in found.checks:
        yield from _check(check, found)
    if found.claims:
        yield []
        for claim in found.claims:
            yield from _claim(claim, found)
    for ruling in found.rulings:
        if not ruling.claim:
            yield [("The output as a whole: ", ""), (_verdict(ruling, found), "dim")]
    if found.quotes:
        yield []
        for item in found.quotes:
            yield from _quote(item, found)
    if found.evidence:
        yield []
        yield [("What the verifiers said then (they were not run again):", "bold")]
        for evidence in found.evidence:
            word = "passed" if evidence.passed else "FAILED"
            yield [(f"- {one_line(evidence.name)} {word} ({one_line(evidence.ended)}) at {visible(evidence.at)}", "")]
            yield [(f"  $ {one_line(evidence.command)}", "dim")]
    yield []
    yield [(summary(found), "green" if found.holds else "bold red")]
    yield [(told, "dim") for told in [_not_repeated(found)] if told]


def plain(found: Verification) -> str:
    """The report as text without any style."""
    return "\n".join("".join(text for text, _ in line) for line in lines(found)).rstrip("\n") + "\n"


def summary(found: Verification) -> str:
    """In one sentence what holds and what does not."""
    bad = [check.check for check in found.checks if check.faults and check.check not in _BESIDE_QUOTES]
    parts = []
    if found.reading in ("other-document", "other-reading") and found.quotes:
        parts.append(_whereabouts(found))
    elif found.lost:
        parts.append(f"{_of(len(found.lost), len(found.quotes))} not hold in the document")
    if found.reading == "other-document" and not found.quotes and not bad:
        parts.append("the document is not that of the run: only the searches could be counted again in it")
    if bad:
        parts.append(f"what does not hold: {', '.join(bad)}")
    if not parts or found.holds:
        skipped = [check.check for check in found.checks if check.skipped]
        rest = f" Not checked: {', '.join(skipped)}." if skipped else ""
        if "around" in skipped:
            rest += " Only the quotes themselves were compared, not what stands around them."
        return " ".join(
            (
                *(f"{part[0].upper()}{part[1:]}." for part in parts),
                f"Every deterministic check that was made holds.{rest}",
            )
        )
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts)


def _whereabouts(found: Verification) -> str:
    """Which quotes are no longer in the document, and which stand elsewhere."""
    changed, gone = count(found.quotes, Standing.CHANGED), count(found.quotes, Standing.GONE)
    moved = count(found.quotes, Standing.MOVED)
    if not changed + gone:
        told = "all of the quotes are" if len(found.quotes) != 1 else "the only quote is"
        text = f"{told} still in the document"
    else:
        verb = "is" if changed + gone == 1 else "are"
        which = ", ".join(f"{number} {word}" for number, word in ((changed, "changed"), (gone, "gone")) if number)
        few = "the only quote" if len(found.quotes) == 1 else f"{changed + gone} of {len(found.quotes)} quotes"
        text = f"{few} {verb} no longer in the document ({which})"
    where = "on another page" if _paged(found.now) else "under another heading"
    text += f"; {moved} {where}" if moved else ""
    around = sum(bool(item.around) for item in found.quotes if item.there)
    if around:
        text += f"; around {around} of those that are what stands there was changed: read {_it(around)} in context"
    noted = sum(bool(item.notes) for item in found.quotes if item.there and not item.around)
    return text + (f"; {noted} unchanged with a note: read {_it(noted)} in context" if noted else "")


def _it(number: int) -> str:
    return "it" if number == 1 else "them"


def _of(number: int, total: int) -> str:
    few = "the only quote" if total == 1 else f"{number} of {total} quotes"
    return f"{few} do{'es' if number == 1 else ''}"


def _ended(found: Verification) -> str:
    match found.halt.type:
        case StopType.COMPLETION:
            return "every check passed then"
        case StopType.ABSENT:
            return "reported as not in the document"
        case reason:
            return f"not accepted ({reason.value})"


def _not_repeated(found: Verification) -> str:
    models = sorted({ruling.judge for ruling in found.rulings if ruling.verdict.value != "verbatim"})
    if not models:
        return ""
    return f"Verdicts of {', '.join(visible(model) for model in models)} are as recorded; no model was asked again."


def _check(check: Rechecked, found: Verification) -> Iterator[list[Styled]]:
    if check.skipped:
        yield [("-    ", "dim"), (f"{check.check}: not checked: {one_line(check.skipped)}", "dim")]
    else:
        other = check.check == "document" and found.reading != "same"
        mark = ("BAD  ", "bold red") if check.faults else ("note ", "yellow") if other else ("ok   ", "green")
        yield [mark, (f"{check.check}: {one_line(check.told)}", "")]
    # What is wrong with each quote is said beside it.
    for fault in check.faults if check.check not in _BESIDE_QUOTES else ():
        yield [(f"     - {one_line(fault.line)}", "yellow")]


def _claim(claim: Claim, found: Verification) -> Iterator[list[Styled]]:
    marks = "".join(f"[{number}]" for number in claim.quotes)
    yield [("- ", ""), (one_line(claim.text), ""), (f" {marks}" if marks else " [no quote]", "bold")]
    ruling = _ruling(claim, found)
    if ruling is not None:
        yield [(f"    {_verdict(ruling, found)}", "dim")]
    again = ", ".join(f"[{item.quote.id}]" for item in found.of_claim(claim) if item.there and item.around)
    if again:
        yield [(f"    the words are there, what is around them is not as it was: {again}", "yellow")]
    lost = [item for item in found.of_claim(claim) if not item.there]
    if lost:
        which = ", ".join(f"[{item.quote.id}] ({_word(item)})" for item in lost)
        yield [(f"    no longer borne out as it was: {which}", "bold red")]


def _ruling(claim: Claim, found: Verification) -> Ruling | None:
    return next((ruling for ruling in found.rulings if ruling.claim == claim.id), None)


def _verdict(ruling: Ruling, found: Verification) -> str:
    if ruling.verdict.value == "verbatim":
        return "verbatim: its own quote, compared again; no model has judged it"
    old = ", on the words as they were" if found.reading == "other-document" else ""
    reason = f": {one_line(ruling.reason, CLOSEST)}" if ruling.reason else ""
    return f"{WORDS[ruling.verdict.value]}{reason} - by {visible(ruling.judge)}, as recorded{old}, not repeated"


def _quote(item: QuoteStanding, found: Verification) -> Iterator[list[Styled]]:
    quote = item.quote
    mark = {"holds": "", "moved": "moved ", "changed": "CHANGED ", "gone": "GONE ", "wrong": "WRONG "}[
        item.standing.value
    ]
    colour = "" if item.standing is Standing.HOLDS else "cyan" if item.there else "bold red"
    then = _then(quote, found)
    match item.standing:
        case Standing.HOLDS | Standing.MOVED:
            now = _now(item, found)
            moved = item.standing is Standing.MOVED
            place = (f"from {then} to {now}" if _paged(found.now) else f"was {then}, now {now}") if moved else now
            tier = f", {TIERS[item.tier]}" if item.tier else ""
        case _:
            place, tier = f"was {then}" if found.reading != "same" else then, ""
    yield [(f"[{quote.id}] ", "bold"), (mark, colour), (f"“{_flat(quote.text)}”", ""), (f"  {place}{tier}", "dim")]
    if item.standing is Standing.CHANGED:
        yield [(f"    now {_now(item, found)}: “{_flat(item.text)}”", "yellow")]
        yield [(f"    then -> now: {one_line('; '.join(item.differing))}", "yellow")]
    elif item.standing is Standing.GONE:
        yield [("    nothing like it is in the document at hand", "yellow")]
    if item.around:
        yield [(f"    still there, but what stands around it changed: {one_line('; '.join(item.around))}", "yellow")]
    for note in item.notes:
        yield [(f"    {one_line(note)}", "yellow")]


def _word(item: QuoteStanding) -> str:
    return {"wrong": "does not hold"}.get(item.standing.value, item.standing.value)


def _then(quote: Quote, found: Verification) -> str:
    if not _paged(found.document):
        return f"at {quote.start:,}"
    return _page(pages_of(quote), str(quote.page), quote.label)


def _now(item: QuoteStanding, found: Verification) -> str:
    if not _paged(found.now):
        return f"at {item.start:,}" + (f" under “{one_line(item.section, 60)}”" if item.section else "")
    return _page(str(item.page), str(item.page), item.label)


def _page(pages: str, number: str, label: str) -> str:
    return f"p. {pages}" + (f" (printed {visible(label)})" if label not in (number, "") else "")


def _paged(document: dict[str, Any]) -> bool:
    return document.get("kind") == "pdf" or int(document.get("pages", 1)) > 1


def _flat(text: str) -> str:
    return visible(text.replace("\n", " / ").replace("\f", " / "))


def as_object(found: Verification) -> dict[str, Any]:
    """The object of `ralph verify --json`.

    `ok` is what the exit code says. `document.reading` is "same", "other-reading" (the same file, read by another
    version or with another encoding), "other-document" or "none". A quote's `standing` is "holds", "moved", "changed",
    "gone" or, in the text it was taken from, "wrong"; `now` is null for one that is gone, and the closest true text of
    one that was changed; `around` names what was changed around one that is still there. A claim is `borne_out` if all
    its quotes are there, nothing was changed around them, and no check finds fault with it. Verdicts and evidence are
    as recorded: `repeated` is true only for the deterministic judge.
    """
    return {
        "ok": found.holds,
        "summary": summary(found),
        "question": found.question,
        "run": {"id": found.run, "mode": found.mode, "begun": found.begun, "events": found.events},
        "source": {"kind": found.source, "seal": found.seal or None},
        "stop": {"type": found.halt.type.value, "reason": found.halt.detail},
        "document": {"recorded": found.document, "now": found.now or None, "reading": found.reading},
        "checks": [
            {
                "check": check.check,
                "holds": check.holds,
                "told": check.told,
                "skipped": check.skipped or None,
                "faults": [{"claim": fault.claim, "message": fault.line} for fault in check.faults],
            }
            for check in found.checks
        ],
        "claims": [_claim_object(claim, found) for claim in found.claims],
        "quotes": [_quote_object(item) for item in found.quotes],
        "evidence": [
            {"name": item.name, "command": item.command, "status": "pass" if item.passed else "fail", "at": item.at}
            for item in found.evidence
        ],
    }


def _claim_object(claim: Claim, found: Verification) -> dict[str, Any]:
    ruling = _ruling(claim, found)
    whole = any(said.claim == 0 for said in found.rulings)  # an item of an output that was judged as a whole
    faulted = any(fault.claim == claim.id for check in found.checks for fault in check.faults)
    return {
        "id": claim.id,
        "text": claim.text,
        "quotes": list(claim.quotes),
        "borne_out": all(item.there and not item.around for item in found.of_claim(claim)) and not faulted,
        "verdict": ruling.verdict.value if ruling else "in-output" if whole else "unjudged",
        "reason": ruling.reason if ruling else "",
        "judge": ruling.judge if ruling else None,
        "repeated": ruling is not None and ruling.verdict.value == "verbatim",
    }


def _quote_object(item: QuoteStanding) -> dict[str, Any]:
    quote = item.quote
    then = {
        "page": quote.page,
        "label": quote.label,
        "start": quote.start,
        "end": quote.end,
        "match": TIERS[quote.match],
    }
    now = {
        "text": item.text,
        "page": item.page,
        "label": item.label,
        "section": item.section,
        "start": item.start,
        "end": item.end,
        "match": TIERS[item.tier] if item.tier else None,
    }
    return {
        "id": quote.id,
        "text": quote.text,
        "standing": item.standing.value,
        "then": then,
        "now": now if item.text else None,
        "differing": list(item.differing),
        "around": list(item.around),
        "notes": list(item.notes),
    }


def dumps(found: Verification) -> str:
    """The object as text; characters that a terminal would obey come out escaped, as JSON allows."""
    return json.dumps(as_object(found), ensure_ascii=True, indent=2)
