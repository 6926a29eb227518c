"""A judge that looks for itself: it names look-ups, code runs them within bounds, and what it then cites is looked up.

What a judge cites is a quote like any other: it must be in the document, word for word.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal, Protocol, TypeVar

from pydantic import Field

from ralph_cli.checks.judge.introduction import describe_kind, describe_pages, list_documents, render_whole
from ralph_cli.checks.quotes import VisibilityPolicy, quote_at
from ralph_cli.core.document import Document
from ralph_cli.core.model import Json, Model, UserTurn
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject, agent_request, ask_model, converse, parse_object
from ralph_cli.core.prompts.json_schema import array, choice, object_schema, render_example, string
from ralph_cli.core.prompts.templates import prompt_text, render_prompt
from ralph_cli.core.run import INCOMPLETE_COUNTER_CHECKS, Attempt, Evidence, Issue, Look, LookKind, Qualification, Quote
from ralph_cli.core.structure import Span
from ralph_cli.retrieval.quotes.index import Match, QuoteIndex
from ralph_cli.text.sentences import shorten_line

NAME = "counter"
"""The check of what a judge has cited; runs of earlier versions have it under this name, too."""

MAX_LOOKS = 6
"""The most look-ups that a judge may ask for at once."""

MAX_SHOWN_CHARS = 12_000
"""The characters that it is shown of them."""

MAX_WHAT_CHARS = 200
"""Characters of a look-up: thousands of alternatives would keep the host busy for minutes."""

MIN_CITED_CHARS = 12
"""The least characters of cited words: fewer prove nothing."""

MAX_CITED_CHARS = 1_200
"""The most characters of cited words: more point at nothing."""

MAX_OUTLINE_CHARS = 1_500

READ_WHOLE_CHARS = 60_000
"""Characters of a document up to which a judge that looks for itself is given all of it."""

MOST_AT_FIRST = 8
"""The most look-ups of a judge that looks before it gives a verdict."""

ROOM_AT_FIRST = 9_000
"""The characters that it is shown of them."""

T = TypeVar("T")

LONG_LINE = 40
"""Characters from which on a line is not printed twice."""

_RESULT = re.compile(r" \(hits|: '")
"""What parts the count of hits from what a person need not see of it."""

REPEATED = "[as printed above]"


class LookUp(Protocol):
    """Runs a look-up over the document and gives what it prints; of words, if `brief`, a line for each place."""

    def __call__(self, look: Look, *, brief: bool = False) -> str: ...


class LookRequest(StrictObject):
    """A look-up as a judge names it."""

    kind: LookKind
    what: str = Field(max_length=MAX_WHAT_CHARS)
    document: str = ""


class Citation(StrictObject):
    """Words of the document that a judge cites for or against a claim."""

    claim: int
    words: str
    effect: Literal["supports", "limits", "contradicts"]
    reason: str


class _Looks(StrictObject):
    looks: list[LookRequest] = Field(min_length=1)


LOOKS_SCHEMA = array(
    object_schema(kind=choice("find", "section", "page", "table"), what=string(), document=string()),
)
CITATIONS_SCHEMA = array(
    object_schema(
        claim={"type": "integer"},
        words=string(),
        effect=choice("supports", "limits", "contradicts"),
        reason=string(),
    )
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is asked of a judge that looks for itself: the agent, whose prompts are named so, the values that fill its
    request, the schema of its reply, and the same as `inputs` for engines that read no prose. What its look-ups print
    has `room` characters; of words, if `brief`, each place has a line.
    """

    agent: str
    schema: Json
    values: dict[str, object]
    inputs: dict[str, object]
    room: int = ROOM_AT_FIRST
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Looker:
    """Runs the look-ups of judges over one document; `rounds` is how often a judge may ask for them.

    With a `visibility`, words that a reader of the page cannot see are nothing that a judge may cite.
    """

    document: Document
    look_up: LookUp
    rounds: int = 1
    visibility: VisibilityPolicy | None = None

    def run(
        self,
        wanted: Sequence[LookRequest],
        nonce: str,
        *,
        most: int = MAX_LOOKS,
        characters: int = MAX_SHOWN_CHARS,
        brief: bool = False,
    ) -> tuple[str, tuple[Look, ...]]:
        """The first `most` look-ups: what they print, in `characters` at most, as data, and the look-ups as a record.

        The room is shared: what one does not need the next ones have.
        """
        chosen = list(dict.fromkeys((it.kind, " ".join(it.what.split()), it.document.strip()) for it in wanted))[:most]
        texts = [self.look_up(Look(kind, what, document), brief=brief) for kind, what, document in chosen]
        left, shown = characters, list[str]()
        for number, text in enumerate(texts):
            # What one look-up does not need the next ones have; a line that was printed for one is not printed again.
            shown.append(_cut_lines(_drop_printed(text, shown), left // (len(texts) - number)))
            left -= len(shown[-1])
        printed = []
        for number, (kind, what, document) in enumerate(chosen):
            within = f" in {document}" if document else ""
            printed.append(f"Look-up {number + 1}: {kind} {what!r}{within}\n{shown[number]}")
        looks = tuple(
            Look(*look, shorten_line(_RESULT.split(text.partition("\n")[0])[0], 120))
            for look, text in zip(chosen, texts, strict=True)
        )
        return frame_data("\n\n".join(printed), nonce), looks

    def ask(self, model: Model, prompt: Prompt, parse: Callable[[str], T], nonce: str) -> tuple[T, tuple[Look, ...]]:
        """The parsed reply of a model that is given all of a short document, and looks for itself in a long one first.

        Raises as `ask_model` does.
        """
        is_short = len(self.document.text) <= READ_WHOLE_CHARS
        first = prompt.schema if is_short else object_schema(looks=LOOKS_SCHEMA)
        how = (
            prompt_text("look_whole")
            if is_short
            else render_prompt("look_first", most=MOST_AT_FIRST, room=f"{prompt.room:,}")
        )
        text = render_prompt(
            f"{prompt.agent}_request",
            document=render_text(self.document, nonce) if is_short else render_outline(self.document, nonce),
            how=f"{how}\n\nReply with one JSON object and nothing else:\n{render_example(first)}",
            **prompt.values,
        )
        request = agent_request(prompt.agent, text, first, "reply", prompt.inputs, 4_000)
        if is_short:
            return ask_model(model, request, parse), ()
        wanted, conversation = converse(model, request, lambda reply: parse_object(reply, _Looks).looks)
        printed, looks = self.run(wanted, nonce, most=MOST_AT_FIRST, characters=prompt.room, brief=prompt.brief)
        turn = UserTurn(render_prompt("looked_first", printed=printed, shape=render_example(prompt.schema)))
        request = replace(conversation, turns=(*conversation.turns, turn), output_schema=prompt.schema)
        return ask_model(model, request, parse), looks

    def locate(self, words: str) -> Match:
        """Where the words stand that a judge cites; ValueError, with what to do, if they are not in the document."""
        length = len(" ".join(words.split()))
        if not MIN_CITED_CHARS <= length <= MAX_CITED_CHARS:
            raise ValueError(f"cited words have {MIN_CITED_CHARS} to {MAX_CITED_CHARS} characters, not {length}")
        match = self.document.derive(QuoteIndex).find(words)
        if match is None:
            shown = shorten_line(words, 120)
            raise ValueError(f'"{shown}" is not in the document: copy its words in one piece, or cite nothing')
        if reason := self._why_hidden(match.span):
            raise ValueError(f'"{shorten_line(words, 120)}" is text that a reader cannot see ({reason})')
        return match

    def _why_hidden(self, span: Span) -> str:
        if self.visibility is None or self.visibility.hidden_allowed:
            return ""
        return self.visibility.hidden_reasons([span])[span]


class Locator:
    """Finds the words that one reply cites. Those that are not in the document are asked for again once, by ValueError,
    and then left out: a slip in copying costs a citation and not the verdicts.
    """

    def __init__(self, looker: Looker) -> None:
        self._looker = looker
        self._has_asked = False

    def __call__(self, words: str) -> Match | None:
        """Where the words stand; None if they are not there, and that was said before."""
        try:
            return self._looker.locate(words)
        except ValueError:
            if self._has_asked:
                return None
            self._has_asked = True
            raise


def _drop_printed(text: str, shown: Sequence[str]) -> str:
    """The text without long lines of the document that an earlier one has: look-ups for like words find like places."""
    seen = {
        line for each in shown for line in each.split("\n") if len(line) >= LONG_LINE and not line.startswith("---")
    }
    lines = [REPEATED if line in seen else line for line in text.split("\n")]
    return "\n".join(line for line, _ in groupby(lines))


def _cut_lines(text: str, most: int) -> str:
    """The first lines of a text, whole ones if that leaves enough, in `most` characters, with a word on the rest."""
    if len(text) <= most:
        return text
    whole_lines = text[:most].rsplit("\n", 1)[0]
    shown = whole_lines if 2 * len(whole_lines) > most else text[:most]
    return f"{shown}\n[cut: the rest had no room]"


def render_text(document: Document, nonce: str) -> str:
    """What a document is, and all of its text."""
    about = f"The document: {describe_kind(document)}, {describe_pages(document)}."
    return f"{about} All of its text:\n{render_whole(document, nonce)}\n"


def render_outline(document: Document, nonce: str) -> str:
    """What a document is, and its headings with their pages: as many levels as have room, of too many each nth one."""
    lines: list[str] = []
    for deepest in sorted({heading.level for heading in document.headings}):
        first: dict[str, int] = {}
        for it in document.headings:
            if it.level <= deepest:
                first.setdefault(shorten_line(it.text, 48), document.page_at(it.start).number)
        found = [f"{page} {text}" for text, page in first.items()]
        if lines and len("\n".join(found)) > MAX_OUTLINE_CHARS:
            break
        lines = found
    step = -(-len("\n".join(lines)) // MAX_OUTLINE_CHARS) or 1
    which = "Its headings" if step == 1 else "Some of its headings"
    listed = f"{which}, each with its page:\n{frame_data(chr(10).join(lines[::step]), nonce)}\n" if lines else ""
    return f"{_introduce(document, nonce)}{listed}"


def _introduce(document: Document, nonce: str) -> str:
    """What a document is, in a line; of a set its documents, by whose names look-ups are confined to one."""
    listed = f"{list_documents(document, nonce)}\n" if document.members else ""
    return f"The document: {describe_kind(document)}, {describe_pages(document)}.\n{listed}"


@dataclass(frozen=True, slots=True)
class _Cited:
    match: Match
    effect: str
    reason: str
    judge: str


@dataclass(slots=True)
class CitedPassages:
    """What judges have cited for or against claims, by the wording of the claim: one that stands is judged once."""

    document: Document
    _by_claim: dict[str, list[_Cited]] = field(default_factory=dict)
    is_incomplete: bool = False
    """Whether a judge could not be shown what its look-ups printed, after it had given its verdicts."""

    def keep(self, claim: str, citation: Citation, match: Match, judge: str) -> None:
        """Keep what was cited of a claim; the same place is kept once."""
        kept = self._by_claim.setdefault(claim, [])
        if all(cited.match.span != match.span for cited in kept):
            kept.append(_Cited(match, citation.effect, " ".join(citation.reason.split()), judge))

    def __call__(self, attempt: Attempt) -> Evidence:
        """The passages cited for the claims of an attempt. One that contradicts a claim sends it back."""
        quotes: dict[Span, Quote] = {}
        next_id = max((quote.id for quote in attempt.quotes), default=0) + 1
        found: list[Qualification] = []
        issues: list[Issue] = []
        for claim in attempt.claims:
            own = [Span(quote.start, quote.end) for quote in attempt.quotes_of(claim)]
            for cited in self._by_claim.get(claim.text, ()):
                span, contradicts = cited.match.span, cited.effect == "contradicts"
                if cited.effect == "supports" and any(it.start < span.end and span.start < it.end for it in own):
                    continue  # it is quoted already
                if span not in quotes:
                    wording = self.document.text[span.start : span.end]
                    quotes[span] = quote_at(self.document, span, next_id + len(quotes), cited.match, wording)
                quote, supports = quotes[span], cited.effect == "supports"
                found.append(Qualification(claim.id, quote.id, contradicts, cited.reason, cited.judge, supports))
                if contradicts:
                    what = f"claim {claim.id} is contradicted by a passage: correct it, or say what that passage says"
                    words = " ".join(quote.text.split())
                    issues.append(Issue(NAME, what, claim.id, f'{cited.reason} ({quote.place}: "{words}")'))
        name, note = NAME, ""
        if self.is_incomplete:
            name, note = INCOMPLETE_COUNTER_CHECKS[0], "what limits the claims elsewhere was not looked for"
        return Evidence(name, tuple(issues), quotes=tuple(quotes.values()), qualifications=tuple(found), note=note)
