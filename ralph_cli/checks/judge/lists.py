"""The second reader of a list: a model that looks for missing items itself.

It names each missing item with words of the document, which code looks up. The worker gets the items once; those that
are still missing afterwards appear beside the result.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ralph_cli.checks.base import describe_failure
from ralph_cli.checks.judge.looks import READ_WHOLE_CHARS, Locator, Looker, Prompt
from ralph_cli.checks.judge.passages import break_marks
from ralph_cli.core.document import Document
from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import frame_data
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, parse_object
from ralph_cli.core.prompts.json_schema import array, object_schema, string
from ralph_cli.core.run import Attempt, Doubt, Evidence, Issue
from ralph_cli.core.structure import Span
from ralph_cli.retrieval.quotes.index import Match

NAME = "list"
MAX_MISSING = 12
# The most characters shown of the places that the items come from.
MAX_PLACES_CHARS = 4_000

# The most characters shown around an item's quote.
MAX_PLACE_CHARS = 1_200

# The characters of the reader's look-ups; each place of its words has a line.
ROOM = 12_000

SCHEMA = object_schema(missing=array(object_schema(item=string(), words=string())), reason=string())


class _Missing(StrictObject):
    item: str
    words: str


class _Reply(StrictObject):
    missing: list[_Missing]
    reason: str


@dataclass(slots=True)
class ListReader:
    """The check `list`: asks the second reader once for missing items.

    Missing items send the list back. Those still missing in a later attempt become doubts, which the result shows. A
    reader that fails is a broken check.
    """

    model: Model
    document: Document
    task: str
    new_nonce: Callable[[], str]
    looker: Looker
    _missing: tuple[tuple[str, Match], ...] | None = None

    def __call__(self, attempt: Attempt) -> Evidence:
        """The missing items of an attempt's list. An attempt without quotes is not checked."""
        if not attempt.quotes:
            return Evidence(NAME)
        if self._missing is not None:
            left = [it for it in self._missing if not self._is_listed(*it, attempt)]
            return Evidence(NAME, doubts=tuple(Doubt(0, item, self._describe(item, it)) for item, it in left))
        nonce = self.new_nonce()
        items = "\n".join(f"{claim.id}. {claim.text}" for claim in attempt.claims)
        values: dict[str, object] = {
            "task": self.task,
            "items": frame_data(break_marks(items), nonce),
            "places": self._render_places(attempt, nonce),
        }
        prompt = Prompt(NAME, SCHEMA, values, {"items": [claim.text for claim in attempt.claims]}, ROOM, brief=True)
        try:
            parse = partial(self._parse, locate=Locator(self.looker))
            (missing, reason), looks = self.looker.ask(self.model, prompt, parse, nonce)
        except (ProviderError, UnparseableReply) as error:
            return Evidence(NAME, broken=describe_failure(error))
        self._missing = tuple(it for it in missing if not self._is_listed(*it, attempt))[:MAX_MISSING]
        issues: tuple[Issue, ...] = ()
        if self._missing:
            told = "\n".join(f"- {self._describe(item, match)}" for item, match in self._missing)
            what = (
                "a second reader has found items that the list lacks: add those that the task asks for, with their "
                "quotes (at(offset) prints what stands around them), and look for others of the same kind"
            )
            issues = (Issue(NAME, what, material=told),)
        return Evidence(NAME, issues, note=f"a second reader on the list: {reason}", looks=looks)

    def _parse(self, text: str, *, locate: Locator) -> tuple[list[tuple[str, Match]], str]:
        said = parse_object(text, _Reply)
        if not said.reason.strip():
            raise ValueError("`reason` is empty")
        found = [(" ".join(it.item.split()), locate(it.words)) for it in said.missing[:MAX_MISSING]]
        return [(item, match) for item, match in found if match is not None], " ".join(said.reason.split())

    def _is_listed(self, item: str, match: Match, attempt: Attempt) -> bool:
        """Whether the list has an item after all: a claim names it, or a quote contains its place."""
        named = re.compile(rf"(?<!\w){re.escape(item)}(?!\w)", re.IGNORECASE)
        quoted = any(quote.start < match.span.end and match.span.start < quote.end for quote in attempt.quotes)
        return quoted or any(named.search(" ".join(claim.text.split())) for claim in attempt.claims)

    def _describe(self, item: str, match: Match) -> str:
        words = " ".join(self.document.text[match.span.start : match.span.end].split())
        return f'{item}: {self.document.describe_span(match.span)}, offset {match.span.start}: "{words}"'

    def _render_places(self, attempt: Attempt, nonce: str) -> str:
        """The text around the quotes of the items in a long document, as far as there is room."""
        if len(self.document.text) <= READ_WHOLE_CHARS:
            return ""
        room = min(MAX_PLACES_CHARS // len(attempt.quotes), MAX_PLACE_CHARS)
        spans: list[Span] = []
        for quote in sorted(attempt.quotes, key=lambda quote: quote.start):
            around = Span(max(quote.start - room // 2, 0), min(quote.end + room // 2, len(self.document.text)))
            if spans and around.start <= spans[-1].end:
                spans[-1] = Span(spans[-1].start, max(around.end, spans[-1].end))
            else:
                spans.append(around)
        parts = [
            f"[{self.document.describe_span(span)}]\n{break_marks(self.document.text[span.start : span.end].strip())}"
            for span in spans
        ]
        shown = frame_data("\n\n".join(parts), nonce)
        return f"What stands around the items in the document:\n{shown}\n\n"
