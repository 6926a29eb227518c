"""`llm_query` and `llm_query_batch`: checks what a snippet asks, and lets the host answer it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

# Takes JSON and a blob, waits for the host, and returns the answer's JSON.
HostCall = Callable[[str, bytes], str]

json_dumps = json.dumps  # bound before the first snippet could replace it
json_loads = json.loads


class QueryError(Exception):
    """A sub-query that failed; the message says why."""

    __module__ = "__main__"  # so that a traceback calls it by its plain name


class Queries:
    """`llm_query` and `llm_query_batch` as the snippet sees them."""

    def __init__(self, host_call: HostCall, bounds: Mapping[str, int]) -> None:
        self._host_call = host_call
        self._chars, self.most, self._bytes = bounds["prompt_chars"], bounds["batch"], bounds["call_bytes"]

    def llm_query(self, prompt: str, text: str = "") -> str:
        """Ask a model one question about a piece of text; blocks; raises QueryError if it fails."""
        answer = self.ask([self.checked("llm_query", prompt, text)])[0]
        if isinstance(answer, QueryError):
            raise answer
        return answer

    def llm_query_batch(self, items: Iterable[Any]) -> list[str | QueryError]:
        """Ask many questions at once: (prompt, text) pairs or prompts; a failed one is a QueryError in its place."""
        if isinstance(items, (str, bytes)):
            raise TypeError("llm_query_batch takes a list of (prompt, text) pairs, not one string")
        pairs: list[tuple[str, str]] = []
        answers: list[str | QueryError | None] = []
        for number, item in enumerate(items):
            if number >= self.most:
                raise ValueError(f"llm_query_batch takes at most {self.most} items: split the list")
            pair = (item, "") if isinstance(item, str) else item
            try:
                if not isinstance(pair, (tuple, list)) or len(pair) not in (1, 2):
                    raise TypeError(f"llm_query_batch: item {number} is not a (prompt, text) pair")
                pairs.append(self.checked(f"llm_query_batch: item {number}", *pair))
                answers.append(None)
            except (TypeError, ValueError) as error:
                answers.append(QueryError(str(error)))
        replies = iter(self.ask(pairs) if pairs else [])
        return [next(replies) if answer is None else answer for answer in answers]

    def delegate(self, items: list[tuple[str, str]]) -> list[str | QueryError]:
        """Return the answers of the host's `delegate` to pairs of question and part; only for code of the host."""
        if len(items) > self.most:
            raise ValueError(f"at most {self.most} items can be asked at once: split the list")
        return self.ask([self.checked(f"item {number}", *item) for number, item in enumerate(items)], "delegate")

    def checked(self, where: str, prompt: Any, text: Any = "") -> tuple[str, str]:
        """Return prompt and text for sending. Raises TypeError or ValueError, whose text begins with `where`."""
        for name, value in (("prompt", prompt), ("text", text)):
            if not isinstance(value, str):
                raise TypeError(f"{where}: {name} must be str, not {type(value).__name__}")
        prompt, text = str.__str__(prompt), str.__str__(text)  # a subclass may lie about its length
        size = len(prompt) + len(text)
        if size > self._chars:
            raise ValueError(f"{where}: prompt and text have {size:,} characters, at most {self._chars:,} can be sent")
        return prompt, text

    def ask(self, pairs: list[tuple[str, str]], whom: str = "query") -> list[str | QueryError]:
        """Return the answers of the host's `query` or `delegate` to at most `most` pairs of texts, in order."""
        parts = [part.encode("utf-8", "surrogatepass") for pair in pairs for part in pair]
        sizes = [len(part) for part in parts]
        if sum(sizes) > self._bytes:
            raise ValueError(f"llm_query_batch: {sum(sizes):,} bytes at once, at most {self._bytes:,}: split the list")
        answers = json_loads(self._host_call(json_dumps({"sizes": sizes, "whom": whom}), b"".join(parts)))["answers"]
        return [answer["text"] if "text" in answer else QueryError(answer["failed"]) for answer in answers]
