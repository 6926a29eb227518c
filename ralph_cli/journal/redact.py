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

PRIVATE_SETTINGS = ("out", "cache", "anthropic_base_url", "openai_base_url")
"""Settings that say something of the machine and nothing of the run."""

FILE_FIELDS = ("output_schema", "memory", "path")
KEY_MARK, FOLDER_MARK = "[key]", "[folder]/"
_KEY_SHAPED = re.compile(r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}")
_PATHS = re.compile(r"(?<![\w.:/\\~\]])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\:*?\"'<>|]+[/\\])+(?=[^\s/\\]*)")
_RESULT_FIELDS = frozenset({"claims", "quotes", "output", "memory", "draft", "absence", "searches", "refused"})
_MACHINE_EVENTS = frozenset({"noticed", "verified", "verifier_started", "goal_set", "call_retried", "run_halted"})
"""Events whose words come from the machine and its programs, so that every path in them is one of its own."""

_MIN_KEY_CHARS = 8


@dataclass(frozen=True, slots=True)
class Redactor:
    """Takes `folders` and `keys` out of events."""

    folders: tuple[str, ...]
    keys: tuple[str, ...]

    def redact_event(self, event: Json) -> Json:
        """One event as plain values, cleaned."""
        kind = event.get("kind")
        if kind == "run_started":
            started = dict(event)
            started["document"] = _shorten_paths(started["document"])
            started["settings"] = {
                n: v for n, v in _shorten_paths(started["settings"]).items() if n not in PRIVATE_SETTINGS
            }
            return dict(self._redact_value(started, all_paths=False))
        if kind in ("step_finished", "submitted", "wrote"):
            return dict(self._redact_result(event))
        told = dict(self._redact_value(event, all_paths=kind in _MACHINE_EVENTS))
        return told if kind != "goal_set" else told | {"output": self._remove_keys(event["output"])}

    def has_folder(self, text: str) -> bool:
        """Whether the text names one of the folders."""
        return any(_folder_pattern(folder).search(text) for folder in self.folders)

    def has_key(self, text: str) -> bool:
        """Whether the text holds a key, in any of the spellings in which one gets into a file."""
        return any(spelling in text for key in self.keys for spelling in _spellings(key))

    def _redact_value(self, value: Any, *, all_paths: bool) -> Any:
        """The value with every string in it cleaned; `strict` leaves no path at all."""
        if isinstance(value, str):
            return self._redact_text(value, all_paths=all_paths)
        if isinstance(value, dict):
            return {str(name): self._redact_value(item, all_paths=all_paths) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._redact_value(item, all_paths=all_paths) for item in value]
        return value

    def _redact_result(self, value: Any, name: str = "") -> Any:
        """The value with folders taken out of all but the result itself."""
        if isinstance(value, dict) and name not in _RESULT_FIELDS:
            return {key: self._redact_result(item, key) for key, item in value.items()}
        if isinstance(value, list) and name not in _RESULT_FIELDS:
            return [self._redact_result(item) for item in value]
        return self._redact_value(value, all_paths=False) if name not in _RESULT_FIELDS else self._remove_keys(value)

    def _redact_text(self, text: str, *, all_paths: bool) -> str:
        text = self._replace_keys(text)
        for folder in self.folders:
            text = _folder_pattern(folder).sub(FOLDER_MARK, text)
        return _PATHS.sub(FOLDER_MARK, text) if all_paths else text

    def _remove_keys(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._replace_keys(value)
        if isinstance(value, dict):
            return {name: self._remove_keys(item) for name, item in value.items()}
        return [self._remove_keys(item) for item in value] if isinstance(value, list | tuple) else value

    def _replace_keys(self, text: str) -> str:
        for key in self.keys:
            for spelling in _spellings(key):
                text = text.replace(spelling, KEY_MARK)
        return _KEY_SHAPED.sub(KEY_MARK, text)


def create_redactor(folders: Iterable[str], keys: Sequence[str]) -> Redactor:
    """A cleaner for these absolute folders; the root, and what is no folder, is left alone."""
    absolute_folders = {str(PurePath(folder)) for folder in folders if len(PurePath(folder).parts) > 1}
    longest_first = sorted((folder.rstrip("/\\") for folder in absolute_folders), key=lambda name: (-len(name), name))
    return Redactor(tuple(longest_first), tuple(key for key in keys if len(key) >= _MIN_KEY_CHARS))


@cache
def _folder_pattern(folder: str) -> re.Pattern[str]:
    """Where a folder is named, itself or as part of a path; not in the middle of a longer one."""
    return re.compile(rf"(?<![\w.]){re.escape(folder)}(?:[/\\]|(?![\w.-]))")


def _shorten_paths(values: Json) -> Json:
    """Paths of files as their names."""
    return {
        name: PurePath(value).name or value if name in FILE_FIELDS and isinstance(value, str) else value
        for name, value in values.items()
    }


def _spellings(key: str) -> tuple[str, ...]:
    """A key as it is, and as base64, a URL or JSON would write it."""
    encoded = base64.b64encode(key.encode()).decode().rstrip("=")
    return tuple(dict.fromkeys((key, encoded, quote(key, safe=""), json.dumps(key)[1:-1])))
