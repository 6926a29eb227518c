"""A judge that looks for itself: what it is shown, within which bounds, and what becomes of what it cites."""

import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from fakes import FakeSandbox, document

from ralph_cli.checks.judge.claims import MAX_SHOWN_CHARS_OF_LIMITS, Judge
from ralph_cli.checks.judge.looks import (
    MAX_LOOKS,
    MAX_SHOWN_CHARS,
    MAX_WHAT_CHARS,
    READ_WHOLE_CHARS,
    CitedPassages,
    Looker,
)
from ralph_cli.checks.quotes import VisibilityPolicy, resolve_quotes
from ralph_cli.core.document import Document
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.model import Reply, Request
from ralph_cli.core.run import Attempt, Draft, DraftClaim, Evidence, Look, Verdict
from ralph_cli.documents.sets.joining import NamedDocument, join_documents
from ralph_cli.providers.scripted import ScriptedModel, text_reply
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.rlm.bridge import DocumentSandbox
from ralph_cli.rlm.host_lookup import HostLookups

FILLER = "Nothing of interest is said in this line of the agreement at all.\n" * 12
BAR = "Notwithstanding clause 2, the tenant may not sublet the north hall to a competitor of the landlord."
LEASE = document(
    f"The tenant may sublet the north hall to any person.\nThe rent (net) is $48,000.\n{FILLER}\f"
    f"{FILLER}{BAR}\n{FILLER}\fThe south hall may be sublet, too.\n",
    kind="pdf",
)
SUBLET = DraftClaim("The north hall may be sublet to anybody.", ("tenant may sublet the north hall to any person",))
RENT = DraftClaim("The net rent is $48,000.", ("The rent (net) is $48,000.",))


def look(kind: str, what: str, document: str = "") -> dict[str, str]:
    return {"kind": kind, "what": what, "document": document}


def cite(claim: int, words: str, effect: str = "limits") -> dict[str, Any]:
    return {"claim": claim, "words": words, "effect": effect, "reason": f"it {effect} it"}


def says(*verdicts: tuple[int, str], looks: Sequence[Any] = (), cites: Sequence[Any] = ()) -> Reply:
    """A judge's reply: verdicts on claims, the look-ups that it asks for, what it cites."""
    rulings = [{"id": number, "verdict": verdict, "reason": f"{verdict} it is"} for number, verdict in verdicts]
    more = ({"looks": list(looks)} if looks else {}) | ({"citations": list(cites)} if cites else {})
    return text_reply(json.dumps({"verdicts": rulings, **more}))


def judge(
    *script: Reply | ProviderError, about: Document = LEASE, rounds: int = 1, **more: Any
) -> tuple[Judge, ScriptedModel, CitedPassages]:
    model, numbers, cited = ScriptedModel(list(script), name="judge", vendor="b"), count(), CitedPassages(about)
    looker = Looker(about, HostLookups(about), rounds)
    made = Judge(model, about, "May it be sublet?", lambda: f"n{next(numbers)}", (), looker, cited, **more)
    return made, model, cited


def attempt_at(*claims: DraftClaim, about: Document = LEASE) -> Attempt:
    attempt = resolve_quotes(Draft(claims), about, QuoteIndex(about))
    assert not attempt.refused
    return attempt


def judged(
    *script: Reply | ProviderError, claims: Sequence[DraftClaim] = (SUBLET,), **more: Any
) -> tuple[Evidence, Evidence, ScriptedModel]:
    """The judge's evidence, that of what it cited, and the judge."""
    made, model, cited = judge(*script, **more)
    attempt = attempt_at(*claims)
    return made(attempt), cited(attempt), model


def last_turn(request: Request) -> str:
    return request.turns[-1].text  # type: ignore[union-attr]


def test_a_judge_that_looks_is_shown_what_the_workers_functions_print_and_then_rules() -> None:
    wanted = [look("find", "competitor"), look("page", "page 3"), look("page", "9"), look("section", "Keys")]
    evidence, _, model = judged(says((2, "supported"), looks=wanted), says((1, "not")), claims=(SUBLET, RENT))
    assert [(it.claim, it.verdict) for it in evidence.rulings] == [(1, Verdict.NOT), (2, Verdict.SUPPORTED)]
    first, second = model.requests
    assert "looks" in first.output_schema["properties"] and "looks" not in second.output_schema["properties"]
    assert second.turns[: len(first.turns)] == first.turns and '"looks"' in second.turns[1].text
    shown = last_turn(second)
    printed = DocumentSandbox(FakeSandbox, LEASE).run("find('competitor', before=1, after=1)", lambda items: []).stdout
    assert BAR in printed and printed.strip() in shown
    assert "The south hall may be sublet, too." in shown and "there is no page 9; pages are 1 to 3" in shown
    assert "no heading has the words 'Keys'" in shown and "a verdict on each of the claims 1;" in shown
    inside = shown.split("<data-n0>")[1].split("</data-n0>")[0]
    assert BAR in inside and shown.count(BAR) == 1
    assert [(it.kind, it.what) for it in evidence.looks] == [tuple(it.values())[:2] for it in wanted]
    assert evidence.looks[0].line == "searched \u201ccompetitor\u201d: 1 hit in 1 place"


@pytest.mark.parametrize(
    ("limits", "most", "room"), [(False, MAX_LOOKS, MAX_SHOWN_CHARS), (True, 2 * MAX_LOOKS, MAX_SHOWN_CHARS_OF_LIMITS)]
)
def test_look_ups_are_few_and_what_they_print_is_short_and_shared(limits: bool, most: int, room: int) -> None:
    pages = [f"Page {n} begins.\n" + "\n".join(f"{n}.{k} says nothing of it." for k in range(400)) for n in range(20)]
    about = document("\f".join(["The hall is let to the tenant.", *pages]), kind="pdf")
    wanted = [look("page", "1"), *[look("page", str(n)) for n in range(1, 21)]]
    made, model, _ = judge(says(looks=wanted), says((1, "supported")), about=about, limits=limits)
    evidence = made(attempt_at(DraftClaim("The hall is let.", ("hall is let to the tenant",)), about=about))
    assert [it.what for it in evidence.looks] == [str(n) for n in range(1, most + 1)]
    shown = last_turn(model.requests[1]).split("<data-")[1].split("</data-")[0]
    assert 0.95 * room < len(shown) < room + most * 90
    assert f"Page {most - 2} begins." in shown and shown.count("[cut: the rest had no room]") == most - 1
    lines = {line for page in pages for line in page.split("\n")} | {"The hall is let to the tenant."}
    assert [it for it in shown.split("\n") if it.endswith(".") and it not in lines] == []  # none is cut amid a line


def test_a_claim_without_a_verdict_and_without_looks_is_asked_again() -> None:
    evidence, _, model = judged(says((2, "supported")), says((1, "supported"), (2, "not")), claims=(SUBLET, RENT))
    assert [it.verdict for it in evidence.rulings] == [Verdict.SUPPORTED, Verdict.NOT]
    assert "verdicts must be for the claims [1], one each" in last_turn(model.requests[1])
    # So it is in the second round: a look-up that nobody offered is no verdict.
    more = says(looks=[look("find", "hall")])
    evidence, _, model = judged(says(looks=[look("find", "any")]), more, says((1, "supported")))
    assert evidence.passed and len(model.requests) == 3 and len(evidence.looks) == 1
    assert judged(says(looks=[look("find", "any")]), more, more)[0].broken


def test_a_judge_is_offered_no_look_where_it_may_not_look() -> None:
    evidence, _, model = judged(says((1, "supported"), looks=[look("find", "any")]), rounds=0, limits=True)
    (request,) = model.requests
    assert evidence.passed and not evidence.looks and request.output_schema["properties"].keys() == {"verdicts"}
    assert "look-ups" not in last_turn(request)
    evidence, _, model = judged(says(looks=[look("find", "any")]), says((1, "supported")), rounds=0)
    assert evidence.passed and len(model.requests) == 2
    # Without a model there is nobody who looks.
    model = ScriptedModel([says((1, "verbatim"))], vendor="offline")
    made = Judge(model, LEASE, "?", lambda: "n", (), Looker(LEASE, HostLookups(LEASE)))
    assert made(attempt_at(SUBLET)).passed and "look-ups" not in last_turn(model.requests[0])


@pytest.mark.parametrize(("rounds", "asked"), [(1, 2), (3, 4)])
def test_a_judge_looks_as_often_as_it_may(rounds: int, asked: int) -> None:
    looks = [says(looks=[look("find", word)]) for word in ("any", "hall", "rent")][:rounds]
    evidence, _, model = judged(*looks, says((1, "supported")), rounds=rounds)
    assert evidence.passed and len(model.requests) == asked and len(evidence.looks) == rounds


def test_what_is_cited_is_a_quote_beside_the_claim() -> None:
    cites = [cite(1, BAR), cite(1, "The south hall may be sublet, too.", "supports"), cite(2, BAR)]
    cites += [cite(1, "may sublet the north hall to any person", "supports")]  # it is quoted already
    first = says((1, "supported"), (2, "supported"), looks=[look("find", "sublet")])
    _, cited, _ = judged(first, says(cites=cites), claims=(SUBLET, RENT))
    assert cited.passed and cited.check == "counter" and [quote.id for quote in cited.quotes] == [3, 4]
    bar, south = cited.quotes
    assert bar.text == BAR == LEASE.text[bar.start : bar.end] and (bar.page, south.page) == (2, 3)
    said = [(it.claim, it.quote, it.effect, it.judge) for it in cited.qualifications]
    assert said == [(1, 3, "qualifies", "judge"), (1, 4, "supports", "judge"), (2, 3, "qualifies", "judge")]


def test_what_is_seen_later_corrects_a_verdict_and_a_place_that_is_cited_twice_is_shown_once() -> None:
    cites = [cite(1, BAR), cite(1, BAR, "contradicts")]
    first = says((1, "supported"), (2, "supported"), looks=[look("find", "sublet")])
    evidence, cited, _ = judged(first, says((1, "contradicted"), cites=cites), claims=(SUBLET, RENT))
    assert [it.verdict for it in evidence.rulings] == [Verdict.CONTRADICTED, Verdict.SUPPORTED]
    assert [it.effect for it in cited.qualifications] == ["qualifies"] and len(cited.quotes) == 1


def test_a_passage_that_contradicts_a_claim_sends_it_back_with_its_words() -> None:
    first = says((1, "supported"), looks=[look("find", "sublet")])
    _, cited, _ = judged(first, says(cites=[cite(1, BAR, "contradicts")]))
    (issue,) = cited.issues
    assert not cited.passed and issue.claim == 1 and cited.qualifications[0].contradicts
    assert "p. 2" in issue.material and BAR in issue.material and BAR not in issue.message


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (cite(1, "The tenant may sublet to a friend of the landlord."), "is not in the document"),
        (cite(1, "sublet"), "cited words have 12 to 1200 characters, not 6"),
        (cite(7, BAR), "citations must be for the claims [1]"),
        (cite(1, BAR, "perhaps"), "citations.0.effect"),
    ],
)
def test_what_is_cited_must_be_in_the_document(wrong: dict[str, Any], told: str) -> None:
    looked = says(looks=[look("find", "sublet")])
    evidence, cited, model = judged(looked, says((1, "supported"), cites=[wrong]), says((1, "not")))
    assert told in last_turn(model.requests[2]) and evidence.rulings[0].verdict is Verdict.NOT
    assert not cited.quotes and not cited.qualifications
    # A slip in copying that is made again costs the citation, another fault the verdicts.
    bad = says((1, "supported"), cites=[wrong])
    evidence, cited, _ = judged(looked, bad, bad)
    assert bool(evidence.broken) is told.startswith("citations")
    assert not cited.qualifications


def test_what_limits_the_claims_of_a_short_document_is_read_for_in_the_same_call() -> None:
    made, model, cited = judge(says((1, "supported"), cites=[cite(1, BAR)]), limits=True)
    attempt = attempt_at(SUBLET)
    assert made(attempt).passed and len(model.requests) == 1
    asked = last_turn(model.requests[0])
    assert "what limits these claims elsewhere" in asked and LEASE.text in asked
    assert model.requests[0].output_schema["properties"].keys() == {"verdicts", "looks", "citations"}
    assert cited(attempt).qualifications[0].effect == "qualifies"
    assert LEASE.text not in last_turn(judged(says((1, "supported")))[2].requests[0])


def test_of_a_long_document_the_judge_sees_what_names_the_quoted_clause_and_looks_for_limits() -> None:
    body = "".join(f"{n}. Matters\n\n{n}.1 Nothing of clause {n + 1} matters here.\n\n" for n in range(3, 99))
    named = "99. Others\n\n99.1 Clause 2.1 does not hold for competitors.\n\n"
    text = f"1. Term\n\n1.1 It is long.\n\n2. Subletting\n\n2.1 The hall may be sublet to anybody.\n\n{body}{named}"
    about = document(text + FILLER * (READ_WHOLE_CHARS // len(FILLER)), kind="docx")
    claim = DraftClaim("The hall may be sublet.", ("hall may be sublet to anybody",))
    made, model, _ = judge(says((1, "supported"), looks=[look("find", "competitor")]), says(), about=about, limits=True)
    assert made(attempt_at(claim, about=about)).passed and len(model.requests) == 2
    asked, then = map(last_turn, model.requests)
    assert "] 99.1 Clause 2.1 does not hold for competitors." in asked
    assert "Nothing of clause 70 matters" not in asked and about.text not in asked and "no verdict is missing" in then


def test_a_place_that_two_look_ups_print_is_shown_once() -> None:
    wanted = [look("find", "competitor"), look("find", "notwithstanding"), look("page", "2")]
    evidence, _, model = judged(says(looks=wanted), says((1, "supported")))
    assert last_turn(model.requests[1]).count(BAR) == 1 and len(evidence.looks) == 3


@pytest.mark.parametrize("fault", [ProviderError("it is down", code="down"), text_reply("perhaps")])
def test_verdicts_that_were_given_stay_when_the_look_comes_to_nothing(fault: Reply | ProviderError) -> None:
    looks = [look("find", "notwithstanding")]
    evidence, cited, _ = judged(says((1, "supported"), looks=looks), fault, text_reply("perhaps"), limits=True)
    assert evidence.passed and evidence.rulings[0].verdict is Verdict.SUPPORTED
    assert cited.passed and cited.check == "counter (not made)" and cited.note.endswith("was not looked for")
    # A verdict that was not given is none.
    assert judged(says(looks=looks), fault, text_reply("perhaps"))[0].broken


def test_a_budget_that_ends_before_the_second_reply_ends_a_run_only_where_a_verdict_is_missing() -> None:
    class Spent(ScriptedModel):
        def complete(self, request: Request) -> Reply:
            if self.requests:
                raise LimitExceeded("calls", cap=1, spent=1)
            return super().complete(request)

    attempt, looks = attempt_at(SUBLET), [look("find", "sublet")]
    for verdicts in ([(1, "supported")], []):
        looker, cited = Looker(LEASE, HostLookups(LEASE)), CitedPassages(LEASE)
        made = Judge(Spent([says(*verdicts, looks=looks)], vendor="b"), LEASE, "?", lambda: "n", (), looker, cited)
        if verdicts:
            assert made(attempt).passed and not cited(attempt).note  # nobody had asked for limits
            spent = Spent([says(*verdicts, looks=looks)], vendor="b")
            assert replace(made, model=spent, limits=True)(attempt).passed
            assert "was not looked for" in cited(attempt).note
        else:
            with pytest.raises(LimitExceeded):
                made(attempt)


def test_a_second_opinion_may_look_and_cite_too() -> None:
    script = [says((1, "partly")), says(looks=[look("find", "sublet")]), says((1, "not"), cites=[cite(1, BAR)])]
    evidence, cited, _ = judged(*script)
    assert [vote.verdict.value for vote in evidence.rulings[0].votes] == ["partly", "not"]
    assert len(evidence.looks) == 1 and len(cited.qualifications) == 1


TRAP = document(
    f"The fee is (a+)+$ or [x] of it a)*$ all.\nThe rent is due\non the first.\n{'a' * 40}!\n{FILLER}", kind="pdf"
)


@pytest.mark.parametrize(
    ("words", "hits"),
    [
        ("(a+)+$ or [x]", "1 hit"),
        (r"(b|a)*$", "1 hit in 1 place"),  # | alone means something: it stands between words
        ("x].", "0 hits"),
        ("due on  the first", "1 hit"),
        ("fee|rent", "2 hits"),
        ("first|", "1 hit"),
        ("fe|re", "2 hits"),  # the beginning of a word finds all its forms
        ("ee|ent", "0 hits"),
    ],
)
def test_the_words_of_a_judge_are_words_and_no_expression(words: str, hits: str) -> None:
    began = time.monotonic()
    printed = HostLookups(TRAP)(Look("find", words))
    assert printed.startswith(hits) and time.monotonic() - began < 2


def test_a_look_up_that_would_take_for_ever_is_refused_before_it_runs() -> None:
    alternatives = look("find", "x|" * MAX_WHAT_CHARS)
    evidence, _, model = judged(says(looks=[alternatives]), says((1, "supported")))
    assert evidence.passed and not evidence.looks and "looks.0.what" in last_turn(model.requests[1])


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (Look("page", "two"), "'two' is no number of a page"),
        (Look("table", "-1"), "'-1' is no number of a page"),
        (Look("page", "9" * MAX_WHAT_CHARS), "there is no page 99"),
        (Look("table", "1"), "no table on page 1"),
        (Look("find", "rent", "gone.txt"), "'gone.txt' names no document: lease.txt, mail.txt"),
        (Look("page", "1", "mail.txt"), "The rent is raised."),
        (Look("find", "rent", "mail.txt"), "1 hit in 1 place; places in 1 document of 2: mail.txt 1"),
    ],
)
def test_a_look_up_that_cannot_be_made_prints_why(wanted: Look, told: str) -> None:
    texts = {"lease.txt": "The rent is due.", "mail.txt": "The rent is raised."}
    about = join_documents("deal", [NamedDocument(name, document(text), name) for name, text in texts.items()])
    look_up = HostLookups(about)
    look_up(Look("find", "rent|due|raised|the"))
    assert told in look_up(wanted) and look_up(wanted) == HostLookups(about)(wanted)  # nothing is left of one before


def test_runs_over_one_document_at_the_same_time_are_shown_their_own_look_ups() -> None:
    about = document("\n".join(f"Line {n} has word{n} in it." for n in range(2_000)))
    looks = [Look("find", f"word{n}") for n in (7, 8)]
    due = {wanted: HostLookups(about)(wanted) for wanted in looks}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(2) as pool:
            printed = list(pool.map(about.derive(HostLookups), looks * 10))
    finally:
        sys.setswitchinterval(interval)
    assert printed == [due[wanted] for wanted in looks * 10]


def test_words_are_found_whatever_their_apostrophe() -> None:
    about = document("It needs the landlord\u2019s consent.")
    assert HostLookups(about)(Look("find", "landlord's consent")).startswith("1 hit")


def test_words_that_a_reader_cannot_see_are_cited_for_nothing() -> None:
    seen = Looker(LEASE, HostLookups(LEASE), visibility=VisibilityPolicy(lambda spans: dict.fromkeys(spans, "")))
    hidden = VisibilityPolicy(lambda spans: dict.fromkeys(spans, "white on white"))
    assert seen.locate(BAR).span.start == LEASE.text.index(BAR)
    with pytest.raises(ValueError, match=r"cannot see \(white on white\)"):
        replace(seen, visibility=hidden).locate(BAR)
    assert replace(seen, visibility=replace(hidden, hidden_allowed=True)).locate(BAR) == seen.locate(BAR)
