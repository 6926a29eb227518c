"""Objects, once, to quotes of a part of the document that the worker has not looked at.

The words are in the document, and a judge will read them there. But a worker who knows or guesses them from elsewhere
has not seen the words beside them.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ralph_cli.core.coverage import Spans, count_covered
from ralph_cli.core.document import Document
from ralph_cli.core.run import Attempt, Issue, Quote
from ralph_cli.core.structure import Span

NAME = "unseen"
# The characters around a quote, on its page, of which some must have been shown.
NEAR = 5_000

MAX_NAMED = 6
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class UnseenQuotes:
    """Objects to quotes of parts that were not shown: `shown_spans` are the shown spans, `shown_texts` gives the texts.

    A quote with several places was seen if one of them was. So were words that a shown text has in any form. If the
    worker submits the quote again, it is accepted.
    """

    document: Document
    shown_spans: Callable[[], Spans]
    shown_texts: Callable[[], Iterable[str]]
    _told: set[tuple[int, int]] = field(default_factory=set)

    def issues(self, attempt: Attempt) -> tuple[Issue, ...]:
        """The objection to the quotes of an attempt that had none yet; empty if all were seen."""
        shown = self.shown_spans()
        quotes = [it for it in attempt.quotes if (it.start, it.end) not in self._told and not self._is_near(it, shown)]
        if quotes:
            texts = [_words(text) for text in self.shown_texts()]
            quotes = [quote for quote in quotes if not any(_words(quote.text) <= text for text in texts)]
        if not quotes:
            return ()
        self._told |= {(quote.start, quote.end) for quote in quotes}
        message = (
            "of where these quotes stand nothing was printed or given to a sub-query; at(offset) prints it. See there "
            "that the words mean what you claim, and hand in again, the same if they do"
        )
        return (Issue(NAME, message, material="\n".join(self._name(quote, attempt) for quote in quotes[:MAX_NAMED])),)

    def _is_near(self, quote: Quote, shown: Spans) -> bool:
        """Whether a part of the page of one of the quote's places was shown; on a long page, a part near it."""
        places = quote.places or ((quote.start, quote.end),)
        if quote.occurrences > len(places):
            return True  # not all of its places are known
        pages = [(self.document.page_at(start), start, end) for start, end in places]
        return any(
            count_covered(shown, max(page.start, start - NEAR), min(max(page.end, end), end + NEAR))
            for page, start, end in pages
        )

    def _name(self, quote: Quote, attempt: Attempt) -> str:
        claim = next((claim.id for claim in attempt.claims if quote.id in claim.quotes), 0)
        place = self.document.describe_span(Span(quote.start, quote.end))
        return f"a quote of claim {claim}: {place}, offset {quote.start}"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.replace("\\n", " ").casefold()))
