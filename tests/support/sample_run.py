"""A run with everything in it that a report can show, of which a test may replace the words."""

from dataclasses import dataclass, replace

from ralph_cli.core.document import Document
from ralph_cli.core.events import (
    AnyEvent,
    CallFinished,
    CallRetried,
    CoverageAdded,
    DraftSubmitted,
    IterationStarted,
    NoticeIssued,
    RunHalted,
    RunStarted,
    SnippetRan,
    StepFinished,
    TurnRejected,
)
from ralph_cli.core.model import Usage
from ralph_cli.core.run import (
    Absence,
    Attempt,
    Claim,
    Doubt,
    Draft,
    DraftClaim,
    Evidence,
    Halt,
    Issue,
    Outcome,
    Passage,
    Qualification,
    Quote,
    QuoteRuling,
    Ruling,
    Search,
    Step,
    StopType,
    Verdict,
    Vote,
)
from ralph_cli.loop.state import fold
from ralph_cli.reports.view import build_view
from ralph_cli.runs.history import RecordedRun


@dataclass(frozen=True, slots=True)
class Words:
    """Whatever somebody else wrote: the person, the document, the worker, the judge, a vendor."""

    question: str = "Is the rent due monthly?"
    path: str = "lease.txt"
    claim: str = "The rent is $48,000 a year, due monthly."
    quote: str = "The annual rent is $48,000,\npayable monthly."
    said: str = "The annual rent is 48,000 payable monthly"
    difference: str = "48,000 -> $48,000,"
    reason: str = "the passage says so"
    judge: str = "openai:gpt-5"
    model: str = "anthropic:claude-opus"
    issue: str = "the claim says more than its quotes"
    material: str = "rent is $49,000"
    code: str = "print(find('rent'))"
    output: str = "1 hit on page 2: The annual rent is $48,000,"
    notice: str = "one page could not be read"
    label: str = "ii"
    calculation: str = "4,000 * 12 = 48,000"
    term: str = "parking"
    note: str = "only a hall"
    doubted: str = "39 %"
    doubt: str = "no quote has it"
    because: str = "two of five, less one"


def sample_document(words: Words, pages: int = 12) -> Document:
    """The document of the run: the quote stands on its second page."""
    from fakes import document

    sheets = [f"Page {n} begins.\nIt has two lines." for n in range(1, pages + 1)]
    clean = words.quote.replace("\f", " ")
    sheets[1] = f"2 Rent\nBefore the quote stands this line.\n{clean} After it stands that.\nAnd the last."
    return document("\f".join(sheets), path=words.path, kind="text")


def sample_run(
    words: Words | None = None, *, absent: bool = False, covered: bool = True
) -> tuple[RecordedRun, Document]:
    """A finished run of two iterations, and its document."""
    words = words or Words()
    document = sample_document(words)
    quote = words.quote.replace("\f", " ")
    start = document.text.index(quote)
    found = Quote(
        1, quote, start, start + len(quote), 2, words.label, "recut", 3, words.said, ((start, start + len(quote)),)
    )
    found = replace(found, difference=(words.difference,), last_page=2)
    other = Quote(
        2, "Page 3 begins.", document.pages[2].start, document.pages[2].start + 14, 3, "3", "exact", 1, "P", (), (), 3
    )
    place = document.pages[4].start
    against = Quote(3, "Page 5 begins.", place, place + 14, 5, "5", "exact", 1, "Page 5 begins.", (), (), 5)
    claims = (
        Claim(1, words.claim, (1, 2), (words.calculation,)),
        Claim(2, "It is late.", (2,)),
        Claim(3, "It is new.", (), because=words.because),
    )
    first = Step(
        Attempt(
            claims[:1], (found,), refused=(Issue("quotes", "this quote is not in the document", 1, words.material),)
        ),
        (Evidence("quotes", (Issue("quotes", "a quote is refused", 1),)), Evidence("judge", broken=words.reason)),
    )
    rulings = (
        Ruling(
            1,
            Verdict.SUPPORTED,
            words.reason,
            words.judge,
            (QuoteRuling(1, "supports", words.reason), QuoteRuling(2, "unrelated", words.material)),
            (Vote(words.judge, Verdict.PARTLY, words.reason), Vote("other", Verdict.SUPPORTED, words.issue)),
        ),
        Ruling(2, Verdict.PARTLY, words.reason, words.judge),
        Ruling(3, Verdict.CONTRADICTED, words.reason, words.judge),
    )
    last = Step(
        Attempt(claims, (found, other), finished=True),
        (
            Evidence(
                "numbers",
                doubts=(Doubt(3, words.doubted, words.doubt, "objection"), Doubt(2, words.doubted, words.doubt)),
            ),
            Evidence("judge", (Issue("judge", words.issue, 2, words.material),), rulings),
            Evidence(
                "counter",
                quotes=(against,),
                qualifications=(Qualification(1, 3, False, words.reason, words.judge),),
                note=words.notice,
            ),
        ),
    )
    if absent:
        searches = (
            Search(words.term, 0),
            Search("garage", 4, "code", True),
            Search(words.material, None, "code", True, words.reason),
        )
        near = Passage(words.quote, start, start + len(quote), 2, words.label, (words.term, "rent"))
        gone = Attempt(absence=Absence((words.term,), words.note), searches=searches, nearest=(near,))
        last = Step(gone, (Evidence("form"),))
    about = {
        "id": document.id,
        "sha256": document.sha256,
        "fingerprint": document.fingerprint,
        "path": words.path,
        "kind": "text",
        "pages": len(document.pages),
        "characters": len(document.text),
        "page_starts": [page.start for page in document.pages],
    }
    halt = Halt(StopType.ABSENT if absent else StopType.MAX_ITERATIONS, words.issue)
    models = {"worker": words.model, "judge": words.judge}
    begun = RunStarted("r-1", "qa", words.question, about, {"models": models}, "2026-01-02T03:04:05.678Z")
    draft = Draft((DraftClaim(words.claim, (words.said,), because=words.because),), None, "")
    pages = document.pages
    reading: tuple[AnyEvent, ...] = (
        CoverageAdded(1, "code", ((0, pages[6].end),)),
        CoverageAdded(1, "shown", ((pages[1].start, pages[1].end), (pages[3].start, pages[3].start + 9))),
    )
    events: tuple[AnyEvent, ...] = (
        begun,
        NoticeIssued("pages", words.notice),
        IterationStarted(1, ""),
        CallFinished(1, "worker", words.model, Usage(1, 1200, 80, usd=0.0123), 2.5),
        SnippetRan(1, 1, words.code, words.output, False, False, 0.12, 3, (2, 3)),
        *(reading if covered else ()),
        TurnRejected(1, 2, words.reason),
        DraftSubmitted(1, 3, draft, (words.issue,)),
        StepFinished(first),
        IterationStarted(2, words.issue),
        CallRetried("worker", words.model, 1, words.reason, 1.0),
        CallFinished(2, "worker", words.model, Usage(1, 1500, 90, usd=0.02), 2.0),
        CallFinished(3, "judge", words.judge, Usage(1, 900, 50, usd=0.004), 1.0, error=words.issue),
        DraftSubmitted(2, 4, Draft((), Absence((words.term,), words.note)) if absent else draft, ()),
        StepFinished(last),
        RunHalted(halt, "2026-01-02T03:05:00.000Z"),
    )
    shown = build_view(
        begun,
        Outcome(halt, last, 2),
        folder="out/r-1",
        usage=Usage(3, 3600, 220, usd=0.0363),
        seconds=5.5,
        notices=(words.notice,),
        coverage=fold(events).coverage,
        missing_votes={1: ((words.judge, words.reason),)},
        subqueries=fold(events).subqueries,
    )
    return RecordedRun(shown, events), document
