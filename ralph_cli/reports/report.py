"""Collects what an evidence report shows: the view of a run, its events, and the document's text around the quotes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from ralph_cli.core.document import Document
from ralph_cli.core.events import AnyEvent
from ralph_cli.core.results.goal import GoalState
from ralph_cli.core.run import Quote, StopType
from ralph_cli.reports.goal import goal_lines
from ralph_cli.reports.html.coverage_strip import NOT_RECORDED, CoverageStrip
from ralph_cli.reports.sections.documents import list_documents
from ralph_cli.reports.sections.outcome import PASSAGES_HEADING, USE_A_MODEL, describe_outcome
from ralph_cli.reports.view import ClaimView, RunView
from ralph_cli.text.lexicon import pluralize

# Characters of the document shown on each side of a quote, at most.
CONTEXT_CHARS = 500


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The document's own words around a quote, in whole lines."""

    before: str
    quoted: str
    after: str


@dataclass(frozen=True, slots=True)
class Crop:
    """A picture of a page around a quote, as PNG."""

    page: int
    width: int
    height: int
    png: bytes


@dataclass(frozen=True, slots=True)
class Report:
    """The data of a report in every format.

    `excerpts` and `crops` are by the quote's id. `notes` say what is missing in this report, and why. `made_at` and
    `version` say when, and with which ralph, it was made.
    """

    view: RunView
    events: tuple[AnyEvent, ...]
    made_at: str
    version: str
    goal: GoalState | None = None
    output: str = ""
    excerpts: Mapping[int, Excerpt] = field(default_factory=dict)
    crops: Mapping[int, tuple[Crop, ...]] = field(default_factory=dict)
    coverage: CoverageStrip = NOT_RECORDED
    notes: tuple[str, ...] = ()

    @property
    def document_name(self) -> str:
        """The name of the document's file, without its folder, which is private."""
        path = str(self.view.document.get("path", ""))
        return "standard input" if path == "-" else PurePath(path).name or path

    @property
    def claim_noun(self) -> str:
        """The noun for a claim: in a task it is an item of the brief, on which no judge rules by itself."""
        if self.view.has_no_reader:
            return "Passage"
        return "Item" if self.view.mode == "task" else "Claim"

    @property
    def document_size(self) -> str:
        """The number of pages in words; for a text without pages its characters."""
        about = self.view.document
        if documents := list_documents(about):
            return f", {pluralize(len(documents), 'document')}"
        if self.view.paged:
            return f", {pluralize(int(about.get('pages', 0)), 'page')}"
        return f", {about['characters']:,} characters" if about.get("characters") else ""

    @property
    def open_issues(self) -> tuple[str, ...]:
        """The findings of checks in a result that was not accepted, without those shown beside a claim."""
        if self.view.ok is not False:
            return ()
        told = {issue for item in self.view.claims for issue in item.issues}
        return tuple(dict.fromkeys(issue.line for issue in self.view.issues if issue not in told))

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """The quotes of the claims, and the passages that the checks found."""
        return (*self.view.quotes, *self.view.found_passages)

    def claims_of(self, quote: Quote) -> tuple[ClaimView, ...]:
        """The claims that cite a quote."""
        return tuple(item for item in self.view.claims if quote.id in item.claim.quotes)


def outcome_heading(report: Report) -> tuple[str, str]:
    """How the run ended in a few words, and whether that is "good", "plain", "note", "warn" or "bad"."""
    view = report.view
    if view.halt.type.is_failure():
        return "Failed", "bad"
    if view.halt.type.is_cut_off():
        return "Cut off", "warn"
    if report.goal is not None:
        if not view.ok:
            return "Not accepted", "bad"
        return ("Completed, verified", "good") if report.goal.verified else ("Completed, not verified", "warn")
    if view.halt.type is StopType.PASSAGES:
        return PASSAGES_HEADING, "plain"
    if view.ok:
        return ("Accepted", "good") if view.judged else ("Verbatim, not judged", "plain")
    if view.halt.type is StopType.UNJUDGED and view.verification == "failed":
        return "Not verified", "warn"
    words = {
        "absent": ("Not in the document", "note"),
        "unjudged": ("Unjudged", "warn"),
        "no_passages": ("No passage was found", "note"),
    }
    return words.get(view.halt.type.value, ("Not accepted", "bad"))


def describe_ending(report: Report) -> str:
    """How the run ended and who checked what, in a sentence without the words of its heading."""
    words, stop = outcome_heading(report)[0], report.view.halt.type.value
    if report.goal is not None:
        ending = goal_lines(report.view, report.goal)[0]
    else:
        # The reader of a report cannot change settings.
        ending = describe_outcome(report.view).replace(USE_A_MODEL, "").rstrip()
    for said in (f"Stopped ({stop}): ", f"{words}: ", f"{words}. "):
        ending = f"{ending} ".removeprefix(said).rstrip()
    return ending[:1].upper() + ending[1:]


def find_excerpt(document: Document, quote: Quote, reach: int = CONTEXT_CHARS) -> Excerpt | None:
    """The paragraph of the quote and its neighbours on its own page or pages, in whole lines.

    In a PDF, which has no paragraphs, the lines within `reach` characters on each side. None if the document has
    another text at this place.
    """
    text = document.text
    if text[quote.start : quote.end] != quote.text:
        return None
    first, last = document.page_at(quote.start).start, document.page_at(quote.end - 1).end
    before = text[max(quote.start - reach, first) : quote.start]
    after = text[quote.end : min(quote.end + reach, last)]
    if quote.start - reach > first:
        before = _drop_partial_line(before)
    if quote.end + reach < last:
        after = _drop_partial_line(after[::-1])[::-1]
    # The quote's paragraph and one more: text beyond the second blank line is left out.
    upper, lower = before.rsplit("\n\n", 2)[-2:], after.split("\n\n", 2)[:2]
    return Excerpt("\n\n".join(upper), quote.text, "\n\n".join(lower))


def _drop_partial_line(piece: str) -> str:
    """A piece of text from its first whole line on, or from its first whole word."""
    for mark in ("\n", " "):
        _, found, rest = piece.partition(mark)
        if found and len(rest) > len(piece) // 3:
            return rest if mark == "\n" else f"… {rest}"
    return piece
