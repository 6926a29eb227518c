"""A service on the loopback that plays a whole run, as worker, judge and sub-query, and fails where it is told to.

What it says follows from the request alone, so that a conversation that begins anew, or is asked again, goes on.
"""

import json
import re
import threading
from collections.abc import Callable, Sequence

from fakes import document
from fault_server import FAULTS, Handler, Json, function_call, message, output_text, response, tool_use

PAGES = 6
LEASE = document(
    "\f".join(
        f"{page}. Clause {page} of the lease of the north hall binds both of its parties.\n"
        + ("The tenant pays a base rent of $48,000 a year.\n" if page == 4 else "")
        for page in range(1, PAGES + 1)
    )
)
FIRST, RIGHT = "The rent is $48,000.", "The base rent is $48,000 a year."
ASK = "for got in llm_query_batch([(f'page {n}: what is owed?', context[s:e]) for n, _, s, e in pages]): print(got)"
QUOTE = "a base rent of $48,000 a year"

POSITIONS = ("worker-first", "worker-middle", "worker-last", "subquery-first", "subquery-last", "judge", "retry")
"""Where a run can meet a fault: seven requests of it, by what they are for."""

Fault = Callable[[Handler], None]


class AnsweringService:
    """Plays a run on the wire of the request; `faults` come one after another at `position`, the last one always if
    `forever`.
    """

    def __init__(self, position: str, faults: Sequence[str], *, forever: bool) -> None:
        self.position, self.forever = position, forever
        self.faults: list[str] = list(faults)
        self.met = 0
        self._lock = threading.Lock()

    def __call__(self, handler: Handler) -> None:
        """Answer a request, or fail it."""
        place, act = self._play(handler.sent)
        fault = self._next_fault() if place == self.position else None
        if fault is not None:
            return FAULTS[fault][0](handler)
        if isinstance(act, str):
            return handler.one_of(message(content=[{"type": "text", "text": act}]), response(output_text(act)), None)
        with self._lock:
            self.met += 1
            call = f"call-{self.met}"
        said = message(stop_reason="tool_use", content=[tool_use(act, call, "act")])
        return handler.one_of(said, response(function_call(json.dumps(act), call, "act")), None)

    def _next_fault(self) -> str | None:
        with self._lock:
            if not self.faults:
                return None
            return self.faults[0] if self.forever and len(self.faults) == 1 else self.faults.pop(0)

    def _play(self, sent: Json) -> tuple[str, str | Json]:
        """Which request of the run this is, and what is said to it."""
        system = str(sent.get("system") or sent.get("instructions"))
        text = json.dumps(sent.get("messages") or sent.get("input"))
        if system.startswith("You read a text"):
            page = int(re.findall(r"page (\d+): what", text)[0])
            return {1: "subquery-first", PAGES: "subquery-last"}.get(page, ""), f"page {page}: nothing"
        if system.startswith("You judge"):
            verdict = "supported" if RIGHT in text else "not"
            return "judge", json.dumps({"verdicts": [{"id": 1, "verdict": verdict, "reason": "as the passage reads"}]})
        if "is not proved" in text:
            return "retry", {"claims": [{"text": RIGHT, "quotes": [QUOTE]}]}
        turns = sum(item.get("role") == "assistant" or item.get("type") == "function_call" for item in _items(sent))
        acts: tuple[Json, ...] = ({"code": ASK}, {"code": "find('base rent')"})
        places = ("worker-first", "worker-middle")
        if turns < len(acts):
            return places[turns], acts[turns]
        return "worker-last", {"claims": [{"text": FIRST, "quotes": [QUOTE]}]}


def _items(sent: Json) -> list[Json]:
    return [item for item in sent.get("messages") or sent.get("input") or [] if isinstance(item, dict)]
