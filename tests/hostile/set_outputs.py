"""What is shown of sets, of queues, of comparisons and of memos that are checked, with foreign words in it."""

from collections.abc import Sequence
from dataclasses import replace

from fakes import document

from ralph_cli.cluster.database import QueueState
from ralph_cli.commands import ls
from ralph_cli.commands.cluster import queue
from ralph_cli.core.document import Caution
from ralph_cli.core.results.memo import ClosestText, Finding, MemoCheck, MemoFigure, PageReference, Quotation, Support
from ralph_cli.core.results.table import Comparison, DocumentGroup, Outlier, TableQuestion
from ralph_cli.core.run import Quote, Ruling, Verdict
from ralph_cli.documents.sets.finding import Skipped
from ralph_cli.documents.sets.joining import NamedDocument
from ralph_cli.documents.sets.loading import LoadedSet
from ralph_cli.reports.memo.html import memo_html
from ralph_cli.reports.memo.json import memo_object
from ralph_cli.reports.memo.terminal import GROUPS, memo_text
from ralph_cli.reports.safe_text import plain_text, to_json
from ralph_cli.reports.table.comparison import comparison_lines, comparison_objects


def set_outputs(words: Sequence[str]) -> dict[str, str]:
    """The outputs by name; `words` are put wherever somebody else may have written, in turn."""
    return {**_listed(words), **_queued(words), **_compared(words), **_checked(words)}


def _listed(words: Sequence[str]) -> dict[str, str]:
    about = replace(document("Some words."), cautions=tuple(Caution("damaged", word) for word in words[::3]))
    documents = tuple(NamedDocument(word, about, word, (word,)) for word in words[1::3])
    found = LoadedSet(words[0], documents, tuple(Skipped(word, "damaged", word) for word in words[2::3]))
    return {"ls": "\n".join((*ls._rows(found), *ls._skipped(found))), "ls json": to_json(ls._as_object(found))}


def _queued(words: Sequence[str]) -> dict[str, str]:
    counts = [dict.fromkeys(words[at::4], 2) for at in range(4)]
    state = QueueState(*counts, living=tuple(words[1:9:4]), is_paused=True)
    return {"queue": "\n".join(queue._lines(state)), "queue json": to_json(queue._as_object(state))}


def _compared(words: Sequence[str]) -> dict[str, str]:
    groups = [tuple(DocumentGroup(word, (word, "b"), (word,)) for word in words[at::5]) for at in range(3)]
    comparison = Comparison(
        question=TableQuestion(id="q", question=words[0]),
        values=groups[0],
        outliers=tuple(Outlier(word, word, word, 9.0) for word in words[3::5]),
        silent=tuple(words[4::5]),
        unusable=groups[1],
        units=groups[2],
    )
    objects = to_json({"comparisons": comparison_objects([comparison])})
    return {"comparison": plain_text(comparison_lines([comparison])), "comparison json": objects}


def _checked(words: Sequence[str]) -> dict[str, str]:
    """A memo against a set of two documents, with a finding of every outcome."""
    sources = (document("Some words.", path=words[0]), document("Other words.", path=words[1]))
    findings, outcomes = [], [outcome for outcome, _ in GROUPS]
    for at, word in enumerate(words):
        reference = PageReference(word, (("1", "1"),), 1, 0, 1, word)
        said = Quotation(word, 0, 4, 1, word, reference=reference, sentence=word, citation=word)
        quote = Quote(1, word, 0, 4, 1, word, "recut", 1, word, difference=(word,), hidden=word, where=word)
        near = ClosestText(word, word, 1, word, 90.0, (word,), ocr=50, unsure=word)
        kinds = {"nearest": near} if at % 2 else {"quote": quote, "pages": ((1, word),), "matched": "label"}
        outcome = outcomes[at % len(outcomes)]
        findings.append(Finding(said, outcome, document=at % 2, also=(0,), notes=(word,), where=word, **kinds))  # type: ignore[arg-type]
    figures = tuple(MemoFigure(word, word, 1, word, findings[0].quotation.reference, occurs=False) for word in words)
    ruling = Ruling(1, Verdict.PARTLY, words[2], words[3])
    check = MemoCheck(
        memo=words[0],
        documents=sources,
        findings=tuple(findings),
        terms=tuple(findings[:5]),
        beyond=tuple(filter(None, (finding.quotation.reference for finding in findings))),
        unbound=tuple(filter(None, (finding.quotation.reference for finding in findings[:5]))),
        support=tuple(Support(word, word, (0,), ruling, word) for word in words),
        judge=words[4],
        figures=figures,
    )
    page = memo_html(check, {}, words[:5], made_at="", version="")
    return {"memo": memo_text(check), "memo html": page, "memo json": to_json(memo_object(check))}
