"""The document as a snippet sees it: a str that remembers its slices. Runs in the guest.

A snippet can falsify what it reports, so the host bounds it and relies on it for nothing important.
"""

from __future__ import annotations

from typing import Any, SupportsIndex

# Spans that are reported of one snippet, at most: the longest ones.
MAX_SPANS = 2_048


class Text(str):
    """The only copy of the document's text. Its slices are plain str, as are all values made from it."""

    __slots__ = ("_spans",)
    _spans: list[list[int]]

    def __new__(cls, plain: str) -> Text:
        self = super().__new__(cls, plain)
        self._spans = []
        return self

    def __getitem__(self, key: SupportsIndex | slice[Any, Any, Any]) -> str:
        if type(key) is slice:
            start, end, step = key.indices(len(self))
            spans = self._spans
            if step == 1 and start < end:
                if spans and spans[-1][0] <= start <= spans[-1][1]:
                    if end > spans[-1][1]:
                        spans[-1][1] = end
                else:
                    spans.append([start, end])
                    if len(spans) > 4 * MAX_SPANS:
                        spans[:] = _merge_spans(spans)
        return super().__getitem__(key)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[type[str], tuple[str]]:
        return str, (str.__str__(self),)  # a copy, or a pickle, is a plain str

    def take(self) -> list[list[int]]:
        """Return the slices since the last call, merged and in order, at most `MAX_SPANS`."""
        found = _merge_spans(self._spans)
        self._spans = []
        return found


def _merge_spans(spans: list[list[int]]) -> list[list[int]]:
    """Return the spans merged and in order; of more than `MAX_SPANS`, the longest ones."""
    joined: list[list[int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        else:
            joined.append([start, end])
    if len(joined) > MAX_SPANS:
        joined = sorted(sorted(joined, key=lambda span: span[0] - span[1])[:MAX_SPANS])
    return joined


Text.__name__ = Text.__qualname__ = "str"  # what `print(type(context))` says must not puzzle a model
Text.__module__ = "builtins"
