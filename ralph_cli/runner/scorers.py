"""Scorers: small measures of a free text, each a value between 0 and 1 with a reason; a function will do as well."""

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

MIN_QUOTE = 12  # characters of which at least one quote must consist: shorter ones are found in any document

MAX_JUDGED_CHARS, MAX_SHOWN_CHARS = 20_000, 200

SCORE_SCHEMA = object_schema(score={"type": "number"}, reason=string())
MAX_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class Score:
    """A value between 0 and 1. `passed` overrules the threshold of the run; `reason` says what to mend.

    Raises ValueError for what is not such a value.
    """

    value: float
    passed: bool | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        value: object = self.value
        if not isinstance(value, Real) or not 0 <= float(value) <= 1:  # NaN is not, either
            raise ValueError(f"a score is a number between 0 and 1, not {self.value!r}")
        if self.passed is not None and not isinstance(self.passed, bool):
            raise ValueError(f"passed is True, False or None, not {self.passed!r}")


class Scorer(Protocol):
    """Anything with a name that measures an output; `input` is what the user asked for."""

    @property
    def name(self) -> str:
        """Under which its scores are kept."""
        ...

    def __call__(self, input: str, output: str, /) -> float | Score | Awaitable[float | Score]:
        """The score; an exception counts as not passed."""
        ...


# A scorer, or a function that is one; its name is the function's.
ScorerLike = Scorer | Callable[[str, str], float | Score | Awaitable[float | Score]]


@runtime_checkable
class AsksModel(Protocol):
    """A scorer or reflector with a model, which a run puts a meter around so that its cost is counted."""

    def through(self, wrap: Callable[[Model], Model], /) -> Self:
        """The same with its model wrapped."""
        ...


@dataclass(frozen=True, slots=True)
class KeywordScorer:
    """The share of keywords that are in the output as whole words: Paris is not in "comparison".

    Raises ValueError without any, or when one is empty.
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
    """Passes an output of `min_length` to `max_length` characters (None: no upper bound).

    Space at its ends is not counted. Outside the range the value is how near the length comes to its bound.
    Raises ValueError for bounds that exclude all.
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
    """The share of the output's quotes that are in a document; passes only if all do. No quotes score 0.

    A quote is what stands in quotation marks of any kind, as in a task (see `checks.quotations`), or a block of lines
    that begin with `>`. At least one must have 12 characters. `document` may be its text.
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
    """The quotes in a text, each in the ways in which it can be read: block quotes, then what marks enclose.

    Of a block quote the line that says whose it is is left out, and each paragraph is a quote.
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
    """Asks a model how well an output does what `instructions` say; the run's threshold decides whether it passes.

    One call. Raises ProviderError when the model fails, and UnparseableReply when its reply has not the asked shape.
    """

    model: Model
    instructions: str
    name: str = "judge"
    new_nonce: Callable[[], str] = field(default=clock.token, repr=False)

    def through(self, wrap: Callable[[Model], Model], /) -> "JudgeScorer":
        """The same with its model wrapped."""
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
