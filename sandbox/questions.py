"""The sub-queries of a snippet as the host reads and answers them, and cleaning of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import overload

from sandbox.interface import HostQuery, QueryFailure
from sandbox.worker import WorkerFault

_UNSAFE_CHARACTERS = re.compile("[\ud800-\udfff\0]")


class Questions(Sequence[tuple[str, str]]):
    """The sub-queries of one call. Each is decoded when it is taken, so an unanswered one costs nothing."""

    def __init__(self, blob: bytes, sizes: Sequence[int], max_chars: int) -> None:
        self._blob, self._max_chars = blob, max_chars
        self._ends = list(accumulate(sizes, initial=0))

    def __len__(self) -> int:
        return len(self._ends) // 2

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...

    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, str]]: ...

    def __getitem__(self, index: int | slice) -> tuple[str, str] | list[tuple[str, str]]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        first = range(len(self))[index] * 2
        prompt, text = (self._decode(self._ends[part], self._ends[part + 1]) for part in (first, first + 1))
        if len(prompt) + len(text) > self._max_chars:
            raise WorkerFault("protocol violation", "a sub-query above the limit")
        return prompt, text

    def _decode(self, start: int, end: int) -> str:
        try:
            return replace_unsafe(self._blob[start:end].decode("utf-8", "surrogatepass"))
        except UnicodeDecodeError:
            raise WorkerFault("protocol violation", "a sub-query that is not UTF-8") from None


def ask_host(query: HostQuery, pairs: Questions) -> list[dict[str, str]]:
    """Return the host's answers to sub-queries in the form for the guest."""
    answers = list(query(pairs))
    if len(answers) != len(pairs) or not all(isinstance(answer, (str, QueryFailure)) for answer in answers):
        raise TypeError(f"`query` must return a str or a QueryFailure for each of the {len(pairs)} sub-queries")
    return [{"failed": answer.message} if isinstance(answer, QueryFailure) else {"text": answer} for answer in answers]


def replace_unsafe(text: str) -> str:
    """Replace NUL and lone surrogates, which break C strings and UTF-8, by U+FFFD; the length stays."""
    return text if text.isascii() and "\0" not in text else _UNSAFE_CHARACTERS.sub("\ufffd", text)


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by U+FFFD; NUL stays, so all other characters are the document's."""
    return text if text.isascii() else re.sub("[\ud800-\udfff]", "\ufffd", text)
