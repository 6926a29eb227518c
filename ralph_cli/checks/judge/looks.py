"""A judge that looks things up: it names look-ups, code runs them within limits, and its citations are looked up.

A citation is a quote like any other: it must be in the document, word for word.
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

# The check of a judge's citations; runs of earlier versions use this name, too.
NAME = "counter"

# The most look-ups that a judge may ask for at once.
MAX_LOOKS = 6

# The characters that it is shown of them.
MAX_SHOWN_CHARS = 12_000

# The most characters of a look-up: thousands of alternatives would keep the host busy for minutes.
MAX_WHAT_CHARS = 200

# The least characters of cited words: fewer prove nothing.
MIN_CITED_CHARS = 12

# The most characters of cited words: more point at nothing.
MAX_CITED_CHARS = 1_200

MAX_OUTLINE_CHARS = 1_500

# The most characters of a document that a judge gets whole.
READ_WHOLE_CHARS = 60_000

# The most look-ups of a judge that looks before it gives a verdict.
MOST_AT_FIRST = 8

# The characters that it is shown of them.
ROOM_AT_FIRST = 9_000

T = TypeVar("T")

# A line of at least this many characters is not printed twice.
LONG_LINE = 40

# The separator between the count of hits and details that a person need not see.
_RESULT = re.compile(r" \(hits|: '")

REPEATED = "[as printed above]"


class LookUp(Protocol):
    """Runs a look-up over the document and returns its output; with `brief`, a line for each place of words."""

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
    """A request to a judge that looks things up: the agent (which names its prompts), the values of its prompt, the
    schema of its reply, and the same values as `inputs` for engines that read no prose. Its look-ups may print `room`
    characters; with `brief`, each place of words has a line.
    """

    agent: str
    schema: Json
    values: dict[str, object]
    inputs: dict[str, object]
    room: int = ROOM_AT_FIRST
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Looker:
    """Runs the look-ups of judges over one document. A judge may ask for them `rounds` times.

    With a `visibility`, a judge cannot cite words that a reader of the page cannot see.
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
        """Run the first `most` look-ups; return their output as data, at most `characters`, and their record.

        The look-ups share the room: what one does not need is left for the next ones.
        """
        chosen = list(dict.fromkeys((it.kind, " ".join(it.what.split()), it.document.strip()) for it in wanted))[:most]
        texts = [self.look_up(Look(kind, what, document), brief=brief) for kind, what, document in chosen]
        left, shown = characters, list[str]()
        for number, text in enumerate(texts):
            # A line that was printed for one look-up is not printed again.
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
        """The parsed reply of a model that gets a short document whole, and looks things up in a long one first.

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
        """The place of cited words. Raises ValueError, with what to do, if they are not in the document."""
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
    """Finds the words that one reply cites. If they are not in the document, it raises ValueError once, to ask again;
    later it skips them: a slip in copying costs a citation, not the verdicts.
    """

    def __init__(self, looker: Looker) -> None:
        self._looker = looker
        self._has_asked = False

    def __call__(self, words: str) -> Match | None:
        """The place of the words; None if they are not there and this was said before."""
        try:
            return self._looker.locate(words)
        except ValueError:
            if self._has_asked:
                return None
            self._has_asked = True
            raise


def _drop_printed(text: str, shown: Sequence[str]) -> str:
    """The text without long lines that an earlier text has: similar words find similar places."""
    seen = {
        line for each in shown for line in each.split("\n") if len(line) >= LONG_LINE and not line.startswith("---")
    }
    lines = [REPEATED if line in seen else line for line in text.split("\n")]
    return "\n".join(line for line, _ in groupby(lines))


def _cut_lines(text: str, most: int) -> str:
    """The first lines of a text, whole if that leaves enough, at most `most` characters, with a note about the rest."""
    if len(text) <= most:
        return text
    whole_lines = text[:most].rsplit("\n", 1)[0]
    shown = whole_lines if 2 * len(whole_lines) > most else text[:most]
    return f"{shown}\n[cut: the rest had no room]"


def render_text(document: Document, nonce: str) -> str:
    """The introduction and the whole text of a document."""
    about = f"The document: {describe_kind(document)}, {describe_pages(document)}."
    return f"{about} All of its text:\n{render_whole(document, nonce)}\n"


def render_outline(document: Document, nonce: str) -> str:
    """The introduction of a document and its headings with pages: the levels that fit, or else every nth heading."""
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
    """The introduction of a document in a line; of a set its documents, whose names can limit a look-up."""
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
    """The citations of judges for or against claims, by the wording of the claim: a supported claim is judged once."""

    document: Document
    _by_claim: dict[str, list[_Cited]] = field(default_factory=dict)
    is_incomplete: bool = False
    """Whether a judge could not see the results of its look-ups after it had given its verdicts."""

    def keep(self, claim: str, citation: Citation, match: Match, judge: str) -> None:
        """Keep the citation for a claim, unless it cites the same place again."""
        kept = self._by_claim.setdefault(claim, [])
        if all(cited.match.span != match.span for cited in kept):
            kept.append(_Cited(match, citation.effect, " ".join(citation.reason.split()), judge))

    def __call__(self, attempt: Attempt) -> Evidence:
        """The cited passages for the claims of an attempt. One that contradicts a claim sends it back."""
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
