"""Scorers:

small measures of a free text, each with a value between 0 and 1 and a reason. A function can be a scorer, too.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Protocol, Self, runtime_checkable

from pydantic import Field

from ralph_cli.checks.output.quotations import find_all, quotations
from ralph_cli.core import clock
from ralph_cli.core.document import Document
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject, agent_request, ask_once
from ralph_cli.core.prompts.json_schema import object_schema, string
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.core.structure import Page
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.text.boundary import on_boundaries

MIN_QUOTE = 12  # minimum characters of at least one quote: shorter quotes occur in any document

MAX_JUDGED_CHARS, MAX_SHOWN_CHARS = 20_000, 200

SCORE_SCHEMA = object_schema(score={"type": "number"}, reason=string())
MAX_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class Score:
    """A value between 0 and 1. `passed` overrides the threshold of the run; `reason` says what to fix.

    Raises ValueError for an invalid value.
    """

    value: float
    passed: bool | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        value: object = self.value
        if not isinstance(value, Real) or not 0 <= float(value) <= 1:  # NaN fails this comparison, too
            raise ValueError(f"a score is a number between 0 and 1, not {self.value!r}")
        if self.passed is not None and not isinstance(self.passed, bool):
            raise ValueError(f"passed is True, False or None, not {self.passed!r}")


class Scorer(Protocol):
    """Anything with a name that measures an output; `input` is what the user asked for."""

    @property
    def name(self) -> str:
        """The name under which its scores are kept."""
        ...

    def __call__(self, input: str, output: str, /) -> float | Score | Awaitable[float | Score]:
        """Return the score; an exception counts as not passed."""
        ...


# A scorer, or a function that is one; its name is the function's.
ScorerLike = Scorer | Callable[[str, str], float | Score | Awaitable[float | Score]]


@runtime_checkable
class AsksModel(Protocol):
    """A scorer or reflector with a model. A run wraps a meter around the model, so that its cost is counted."""

    def through(self, wrap: Callable[[Model], Model], /) -> Self:
        """Return a copy with its model wrapped."""
        ...


@dataclass(frozen=True, slots=True)
class KeywordScorer:
    """The share of keywords that are in the output as whole words: Paris is not in "comparison".

    Raises ValueError if there are no keywords, or if one is empty.
    """

    keywords: Sequence[str]
    case_sensitive: bool = False
    name: str = "keywords"

    def __post_init__(self) -> None:
        if isinstance(self.keywords, str) or not self.keywords or not all(word.strip() for word in self.keywords):
            raise ValueError("keywords must be a list of words that are not empty")

    def __call__(self, input: str, output: str, /) -> Score:
        fold: Callable[[str], str] = str if self.case_sensitive else str.casefold
        text = fold(output)
        missing = [word for word in self.keywords if not _has_word(fold(word), text)]
        reason = f"does not mention {', '.join(missing)}" if missing else ""
        return Score(1 - len(missing) / len(self.keywords), reason=reason)


def _has_word(word: str, text: str) -> bool:
    return any(on_boundaries(text, at, at + len(word)) for at in find_all(text, word))


@dataclass(frozen=True, slots=True)
class LengthScorer:
    """Passes an output of `min_length` to `max_length` characters (None: no upper limit).

    Space at its ends is not counted. Outside the range, the value is the ratio of the length to the limit, or the
    reverse. Raises ValueError for limits that no output can meet.
    """

    min_length: int = 0
    max_length: int | None = None
    name: str = "length"

    def __post_init__(self) -> None:
        if self.min_length < 0 or (self.max_length is not None and self.max_length < max(self.min_length, 1)):
            raise ValueError(f"not a range of lengths: {self.min_length} to {self.max_length}")

    def __call__(self, input: str, output: str, /) -> Score:
        size, least, most = len(output.strip()), self.min_length, self.max_length
        if size < least:
            return Score(size / least, False, f"has {size:,} characters, at least {least:,} are required")
        if most is not None and size > most:
            return Score(most / size, False, f"has {size:,} characters, at most {most:,} are allowed")
        return Score(1.0, True)


class QuoteScorer:
    """The share of the output's quotes that are in a document. It passes only if all are; without quotes it scores 0.

    A quote is text in quotation marks of any kind, as in a task (see `checks.quotations`), or a block of lines that
    begin with `>`. At least one quote must have 12 characters. `document` may be a text.
    """

    def __init__(self, document: Document | str, name: str = "quotes") -> None:
        self.name = name
        if isinstance(document, str):
            document = Document("", "", "text", "", "", document, (Page(1, "1", 0, len(document)),))
        self._index = QuoteIndex(document)

    def __call__(self, input: str, output: str, /) -> Score:
        quotes = list(find_quotes(output))
        if not any(len(readings[0]) >= MIN_QUOTE for readings in quotes):
            return Score(0.0, False, f"quotes nothing from the document (of {MIN_QUOTE} characters or more)")
        missing = [readings[0] for readings in quotes if not any(map(self._index.find, readings))]
        details = "; ".join(self._describe_missing(quote) for quote in missing)
        return Score(1 - len(missing) / len(quotes), not missing, f"not in the document: {details}" if missing else "")

    def _describe_missing(self, quote: str) -> str:
        shown = f'"{" ".join(quote.split())[:MAX_SHOWN_CHARS]}"'
        differing = [word for near in self._index.closest(quote) for word in near.differing]
        return f"{shown} (differs in: {', '.join(differing)})" if differing else shown


_BLOCK = re.compile(r"(?:^[ \t]*>.*(?:\n|\Z))+", re.MULTILINE)
_ATTRIBUTION = re.compile(r"^(?:[\u2014\u2013]|--|- )")


def find_quotes(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the quotes in a text, each with its possible readings: first block quotes, then text in quotation marks.

    In a block quote, each paragraph is a quote, and the line that names its author is left out.
    """
    for block in _BLOCK.findall(text):
        lines = [line.strip().removeprefix(">").strip() for line in block.splitlines()]
        for part in "\n".join("" if _ATTRIBUTION.match(line) else line for line in lines).split("\n\n"):
            if part.strip():
                yield (part.strip(),)
    for found in quotations(_BLOCK.sub("\n\n", text)):
        if readings := tuple(words.strip() for _, words in found.readings if words.strip()):
            yield readings


class _ScoreReply(StrictObject):
    score: float = Field(ge=0, le=1, allow_inf_nan=False)
    reason: str


@dataclass(frozen=True, slots=True)
class JudgeScorer:
    """Asks a model how well an output follows `instructions`; the run's threshold decides whether it passes.

    Makes one call. Raises ProviderError if the model fails, and UnparseableReply if its reply has the wrong shape.
    """

    model: Model
    instructions: str
    name: str = "judge"
    new_nonce: Callable[[], str] = field(default=clock.token, repr=False)

    def through(self, wrap: Callable[[Model], Model], /) -> "JudgeScorer":
        """Return a copy with its model wrapped."""
        return replace(self, model=wrap(self.model))

    def __call__(self, input: str, output: str, /) -> Score:
        nonce = self.new_nonce()
        if len(output) > MAX_JUDGED_CHARS:
            raise ValueError(f"the output has {len(output):,} characters, at most {MAX_JUDGED_CHARS:,} are judged")
        framed = {"input": frame_data(input, nonce), "output": frame_data(output, nonce)}
        prompt = render_prompt("scorer_request", instructions=self.instructions, **framed)
        inputs = {"instructions": self.instructions, "input": input, "output": output}
        request = agent_request("scorer", prompt, SCORE_SCHEMA, "score", inputs, MAX_TOKENS)
        reply = ask_once(self.model, request, _ScoreReply)
        return Score(reply.score, reason=" ".join(reply.reason.split()))
