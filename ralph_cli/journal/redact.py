"""Events as they may leave a machine: without its folders, its servers' addresses and any key.

Folders are taken out of what surrounds a result: settings, notices, prompts, output of code and of verifiers. The
result itself - claims, quotes, output - is what the record is about, and is kept to the letter; only a key is taken
out of that, too.
"""

import base64
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ralph_cli.core.model import Json

PRIVATE = ("out", "cache", "anthropic_base_url", "openai_base_url")
"""Settings that say something of the machine and nothing of the run."""

NAMES_OF_FILES = ("output_schema", "memory", "path")
KEY, FOLDER = "[key]", "[folder]/"
_KEY_SHAPED = re.compile(r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}")
_PATHS = re.compile(r"(?<![\w.:/\\~\]])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\:*?\"'<>|]+[/\\])+(?=[^\s/\\]*)")
_RESULTS = frozenset({"claims", "quotes", "output", "memory", "draft", "absence", "searches", "refused"})
_OF_THE_MACHINE = frozenset({"noticed", "verified", "verifier_started", "goal_set", "call_retried", "run_halted"})
"""Events whose words come from the machine and its programs, so that every path in them is one of its own."""

_LEAST_KEY = 8


@dataclass(frozen=True, slots=True)
class Cleaner:
    """Takes `folders` and `keys` out of events."""

    folders: tuple[str, ...]
    keys: tuple[str, ...]

    def event(self, event: Json) -> Json:
        """One event as plain values, cleaned."""
        kind = event.get("kind")
        if kind == "run_started":
            started = dict(event)
            started["document"] = _named(started["document"])
            started["settings"] = {n: v for n, v in _named(started["settings"]).items() if n not in PRIVATE}
            return dict(self._value(started, strict=False))
        if kind in ("step_finished", "submitted", "wrote"):
            return dict(self._result(event))
        told = dict(self._value(event, strict=kind in _OF_THE_MACHINE))
        return told if kind != "goal_set" else told | {"output": self._without_keys(event["output"])}

    def holds_folder(self, text: str) -> bool:
        """Whether the text names one of the folders."""
        return any(_place(folder).search(text) for folder in self.folders)

    def holds_key(self, text: str) -> bool:
        """Whether the text holds a key, in any of the spellings in which one gets into a file."""
        return any(spelling in text for key in self.keys for spelling in _spellings(key))

    def _value(self, value: Any, *, strict: bool) -> Any:
        """The value with every string in it cleaned; `strict` leaves no path at all."""
        if isinstance(value, str):
            return self._text(value, strict=strict)
        if isinstance(value, dict):
            return {str(name): self._value(item, strict=strict) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(item, strict=strict) for item in value]
        return value

    def _result(self, value: Any, name: str = "") -> Any:
        """The value with folders taken out of all but the result itself."""
        if isinstance(value, dict) and name not in _RESULTS:
            return {key: self._result(item, key) for key, item in value.items()}
        if isinstance(value, list) and name not in _RESULTS:
            return [self._result(item) for item in value]
        return self._value(value, strict=False) if name not in _RESULTS else self._without_keys(value)

    def _text(self, text: str, *, strict: bool) -> str:
        text = self._key(text)
        for folder in self.folders:
            text = _place(folder).sub(FOLDER, text)
        return _PATHS.sub(FOLDER, text) if strict else text

    def _without_keys(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._key(value)
        if isinstance(value, dict):
            return {name: self._without_keys(item) for name, item in value.items()}
        return [self._without_keys(item) for item in value] if isinstance(value, list | tuple) else value

    def _key(self, text: str) -> str:
        for key in self.keys:
            for spelling in _spellings(key):
                text = text.replace(spelling, KEY)
        return _KEY_SHAPED.sub(KEY, text)


def cleaner(folders: Iterable[str], keys: Sequence[str]) -> Cleaner:
    """A cleaner for these absolute folders; the root, and what is no folder, is left alone."""
    sound = {str(PurePath(folder)) for folder in folders if len(PurePath(folder).parts) > 1}
    longest_first = sorted((folder.rstrip("/\\") for folder in sound), key=lambda name: (-len(name), name))
    return Cleaner(tuple(longest_first), tuple(key for key in keys if len(key) >= _LEAST_KEY))


@cache
def _place(folder: str) -> re.Pattern[str]:
    """Where a folder is named, itself or as part of a path; not in the middle of a longer one."""
    return re.compile(rf"(?<![\w.]){re.escape(folder)}(?:[/\\]|(?![\w.-]))")


def _named(values: Json) -> Json:
    """Paths of files as their names."""
    return {
        name: PurePath(value).name or value if name in NAMES_OF_FILES and isinstance(value, str) else value
        for name, value in values.items()
    }


def _spellings(key: str) -> tuple[str, ...]:
    """A key as it is, and as base64, a URL or JSON would write it."""
    encoded = base64.b64encode(key.encode()).decode().rstrip("=")
    return tuple(dict.fromkeys((key, encoded, quote(key, safe=""), json.dumps(key)[1:-1])))
