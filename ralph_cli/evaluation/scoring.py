"""Scores an answer: its figures and words against those of the reference, and the places of its quotes."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from ralph_cli.core.budget import Ledger
from ralph_cli.core.clock import token
from ralph_cli.core.document import Document
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.model import Usage
from ralph_cli.core.prompts.framing import frame_data, truncate
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, agent_request, ask_model, parse_object
from ralph_cli.core.prompts.json_schema import choice, object_schema, string
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.run import Quote, StopType
from ralph_cli.evaluation.question_sets import Question
from ralph_cli.evaluation.results import BY_ABSENCE, BY_FIGURES, BY_NOTHING, BY_WORDS, Answered, Grade, Rightness
from ralph_cli.reports.view import RunView
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.search.nearest import find_words, key_words
from ralph_cli.runs.execute import Setup
from ralph_cli.text.quantities.quantity import Quantity
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.wiring.models import NOBODY, ModelNames, build_models
from ralph_cli.wiring.spending import run_budget

# The share of the reference's own words and figures that a right answer has, where only code compares them.
MIN_YES = 0.8

MIN_PARTLY = 0.4

# The words that a reference without a figure must add to its question to be compared by words.
MIN_WORDS = 2

# The powers of ten that a figure without a scale may mean: "in USD millions" may be in the question.
_SCALES = (0, 3, 6, 9, 12)


def answer_kind(view: RunView) -> Answered:
    """The kind of a run's answer. Only a model that has searched can say that something is not in the document."""
    if view.has_no_reader:
        return "passages" if view.claims else "nothing"
    if view.absence is not None or (view.claims and all(claim.verdict == "absent" for claim in view.claims)):
        return "absent"
    return "answer" if view.claims else "nothing"


def answer_text(view: RunView) -> str:
    """The answer in words, a claim a line."""
    if view.absence is not None:
        return f"The document does not say this. {view.absence}".strip()
    return "\n".join(claim.text for claim in view.claims)


def is_supported(view: RunView) -> bool | None:
    """Whether the answer, or its absence, was accepted; None if no model has read it."""
    if view.has_no_reader:
        return None
    return view.halt.type in (StopType.COMPLETION, StopType.ABSENT)


def grade_by_code(question: Question, answered: Answered, answer: str) -> Grade | None:
    """The grade if code is certain, else None: absence, no answer, a reference that is one figure."""
    if question.absent:
        return Grade("yes" if answered == "absent" else "no", BY_ABSENCE)
    if not question.reference:
        return Grade()
    if answered == "nothing":
        return Grade("no", BY_NOTHING)
    wanted = sole_figure(question.reference)
    if wanted is None or answered != "answer":
        return None
    figures = [figure for figure in _figures(answer) if _same_kind(wanted, figure)]
    if figures and all(is_same_figure(wanted, figure) for figure in figures):
        return Grade("yes", BY_FIGURES, f"the answer has {figures[0].text}")
    return None  # other words, another scale or several figures are for a model to read


def grade_by_words(question: Question, answer: str) -> Grade:
    """The grade by the share of the reference's own words and figures in the answer; used if no model reads."""
    figures = _figures(question.reference)
    known = key_words(question.question)
    words = {
        stem: word
        for stem, word in key_words(question.reference).items()
        if not stem[0].isdigit() and stem not in known
    }
    parts = len(figures) + len(words)
    if not figures and len(words) < MIN_WORDS:
        return Grade("unjudged", BY_WORDS, "the reference has too few words of its own")
    said = _figures(answer)
    same = sum(any(is_same_figure(wanted, figure) for figure in said) for wanted in figures)
    hits = same + len({stem for _, _, stem in find_words(words, answer)})
    right: Rightness = "yes" if hits >= MIN_YES * parts else "partly" if hits >= MIN_PARTLY * parts else "no"
    return Grade(right, BY_WORDS, f"{hits} of {parts} words and figures of the reference")


def is_on_gold(question: Question, quotes: Sequence[Quote], document: Document) -> bool | None:
    """Whether a quote is on a page, or in a passage, that the set names; None if nothing can be compared."""
    if question.pages:
        if not document.paged or min(question.pages) > len(document.pages):
            return None
        return any(
            quote.page <= page <= max(quote.page, quote.last_page) for quote in quotes for page in question.pages
        )
    if not question.passages:
        return None
    index = QuoteIndex(document)
    found = [match for match in map(index.find, question.passages) if match is not None]
    if not found:
        return None
    spans = [span for match in found for span in match.occurrences]
    return any(quote.start < span.end and span.start < quote.end for quote in quotes for span in spans)


def sole_figure(text: str) -> Quantity | None:
    """The only figure or date of a text that has nothing else; None for any other text."""
    found = _figures(text)
    if len(found) != 1:
        return None
    rest = text[: found[0].start] + text[found[0].end :]
    return None if re.search(r"\w", rest) else found[0]


def is_same_figure(one: Quantity, other: Quantity) -> bool:
    """Whether two figures state the same amount, as far as both are written out, or two dates the same date.

    A missing scale may be any, and one figure may be rounded to at least two digits.
    """
    if not _same_kind(one, other):
        return False
    if one.kind == "date":
        return one.date == other.date
    open_scale = (one.power is None) != (other.power is None)
    if not open_scale:
        return _agree(one, one.power or 0, other, other.power or 0)
    named, bare = (one, other) if other.power is None else (other, one)
    return any(_agree(named, named.power or 0, bare, power) for power in _SCALES)


def _agree(one: Quantity, one_power: int, other: Quantity, other_power: int) -> bool:
    first, second = one.value.scaleb(one_power), other.value.scaleb(other_power)
    if first == second:
        return True
    coarse, power, amount = max(
        (one, one_power, first), (other, other_power, second), key=lambda item: item[1] - item[0].decimals
    )
    unit = Decimal(1).scaleb(power - coarse.decimals)
    return abs(first - second) * 2 <= unit and abs(amount) >= 10 * unit


def _same_kind(one: Quantity, other: Quantity) -> bool:
    """Whether two figures may be of the same kind; a sum of money or a count is often written without its unit."""
    kinds, units = {one.kind, other.kind}, {one.unit, other.unit} - {""}
    if "none" in kinds:
        return kinds <= {"none", "currency", "count", "ratio"}
    return len(kinds) == 1 and len(units) <= 1


def _figures(text: str) -> list[Quantity]:
    return [one for one in read_quantities(text, "prose") if one.kind not in ("identifier", "ordinal")]


# The characters shown of the reference and of the answer.
MAX_CHARS = 8_000

MAX_TOKENS = 1_000

SCHEMA = object_schema(verdict=choice("yes", "partly", "no"), reason=string())


class _Reply(StrictObject):
    verdict: Literal["yes", "partly", "no"]
    reason: str


def grader_name(names: ModelNames, setup: Setup) -> str:
    """The model that compares answers with references; "" if the judge is none that reads."""
    vendor = setup.models["judge"].vendor if "judge" in setup.models else names.judge.split(":")[0]
    return "" if vendor == "offline" else names.judge


def grade_with_model(question: Question, answer: str, names: ModelNames, setup: Setup) -> tuple[Grade, Usage]:
    """The judge's grade of an answer, and its cost; "unjudged", with the reason, if it gave none.

    The budget is that of the settings.
    """
    nonce = token()
    shown = {"question": question.question, "reference": question.reference, "answer": answer}
    framed = {name: frame_data(truncate(text, MAX_CHARS), nonce) for name, text in shown.items()}
    request = agent_request("grader", render_prompt("grader_request", **framed), SCHEMA, "grade", shown, MAX_TOKENS)
    ledger = Ledger(run_budget(setup.settings, {"judge": names.judge}, setup.models)[0])
    # Only the judge is asked, so nothing else needs a key or a price.
    alone = replace(names, worker=NOBODY, subquery=NOBODY, verifier="", panel=())
    given = {"judge": setup.models["judge"]} if "judge" in setup.models else {}
    models = build_models(setup.settings, alone, ledger, setup.sink or (lambda event: None), given)
    try:
        reply = ask_model(models.judge, request, lambda text: parse_object(text, _Reply))
        grade = Grade(reply.verdict, names.judge, " ".join(reply.reason.split()))
    except (ProviderError, LimitExceeded, UnparseableReply) as error:
        grade = Grade("unjudged", names.judge, str(error))
    finally:
        models.close()
    return grade, ledger.spent
