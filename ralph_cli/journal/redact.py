"""Redacts events before they leave a machine: removes its folders, the addresses of its servers, and keys.

Folders are removed from settings, notices, prompts, and output of code and verifiers. The result itself - claims,
quotes, output - is kept word for word; only keys are removed from it.
"""

import base64
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from ralph_cli.core.model import Json

# Settings that describe the machine and not the run.
PRIVATE_SETTINGS = (
    "out", "cache", "anthropic_base_url", "openai_base_url", "azure_endpoint", "aws_profile", "bedrock_base_url",
    "google_project", "google_credentials", "vertex_base_url", "providers", "no_proxy", "ca_file", "otel",
)  # fmt: skip

# Fields with a path, in a document's record and in settings; only its last part is kept.
FILE_FIELDS = ("output_schema", "memory", "path")

KEY_MARK, FOLDER_MARK = "[key]", "[folder]/"
_KEY_SHAPED = re.compile(r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,}")
# A path with at least one folder, up to its last part, the file's name.
_PATHS = re.compile(r"(?<![\w.:/\\~\]])(?:~|[A-Za-z]:)?[/\\](?:[^\s/\\:*?\"'<>|]+[/\\])+")

_RESULT_FIELDS = frozenset(
    {"claims", "quotes", "output", "memory", "draft", "absence", "searches", "refused", "doubts", "because", "figures"}
)
# Events whose text comes from the machine and its programs, so that all paths in them are removed.
_MACHINE_EVENTS = frozenset({"noticed", "verified", "verifier_started", "goal_set", "call_retried", "run_halted"})

_MIN_KEY_CHARS = 8


@dataclass(frozen=True, slots=True)
class Redactor:
    """Removes `folders` and `keys` from events."""

    folders: tuple[str, ...]
    keys: tuple[str, ...]

    def redact_event(self, event: Json) -> Json:
        """One event as plain values, redacted."""
        kind = event.get("kind")
        if kind == "run_started":
            started = dict(event)
            started["document"] = _shorten_paths(started["document"])
            if "documents" in started["document"]:
                started["document"]["documents"] = [_shorten_paths(it) for it in started["document"]["documents"]]
            settings = _shorten_paths(started["settings"])
            started["settings"] = {name: settings[name] for name in settings if name not in PRIVATE_SETTINGS}
            return dict(_map_strings(started, self._redact_text))
        if kind in ("step_finished", "submitted", "wrote"):
            return dict(self._redact_result(event))
        redact = self._redact_all_paths if kind in _MACHINE_EVENTS else self._redact_text
        redacted = dict(_map_strings(event, redact))
        # The variable may become the output of a goal: a result, from which only keys are removed.
        return redacted | {"text": self._redact_keys(event["text"])} if kind == "variable_read" else redacted

    def has_folder(self, text: str) -> bool:
        """Whether the text names one of the folders."""
        return any(_folder_pattern(folder).search(text) for folder in self.folders)

    def has_key(self, text: str) -> bool:
        """Whether the text contains a key in any spelling of `_spellings`."""
        return any(spelling in text for key in self.keys for spelling in _spellings(key))

    def _redact_result(self, value: Any, name: str = "") -> Any:
        """The value with folders removed from everything but the result itself."""
        if name in _RESULT_FIELDS:
            return _map_strings(value, self._redact_keys)
        if isinstance(value, dict):
            return {key: self._redact_result(item, key) for key, item in value.items()}
        if isinstance(value, list):
            return [self._redact_result(item) for item in value]
        return _map_strings(value, self._redact_text)

    def _redact_all_paths(self, text: str) -> str:
        return _PATHS.sub(FOLDER_MARK, self._redact_text(text))

    def _redact_text(self, text: str) -> str:
        text = self._redact_keys(text)
        for folder in self.folders:
            text = _folder_pattern(folder).sub(FOLDER_MARK, text)
        return text

    def _redact_keys(self, text: str) -> str:
        for key in self.keys:
            for spelling in _spellings(key):
                text = text.replace(spelling, KEY_MARK)
        return _KEY_SHAPED.sub(KEY_MARK, text)


def create_redactor(folders: Iterable[str], keys: Sequence[str]) -> Redactor:
    """The Redactor for these absolute folders, without the root."""
    absolute_folders = {str(PurePath(folder)) for folder in folders if len(PurePath(folder).parts) > 1}
    longest_first = sorted((folder.rstrip("/\\") for folder in absolute_folders), key=lambda name: (-len(name), name))
    return Redactor(tuple(longest_first), tuple(key for key in keys if len(key) >= _MIN_KEY_CHARS))


def _map_strings(value: Any, clean: Callable[[str], str]) -> Any:
    """The value with `clean` applied to every string in it, except to the names of fields."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {str(name): _map_strings(item, clean) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_map_strings(item, clean) for item in value]
    return value


@cache
def _folder_pattern(folder: str) -> re.Pattern[str]:
    """Matches a folder by itself or at the start of a path, but not within a longer path."""
    return re.compile(rf"(?<![\w.]){re.escape(folder)}(?:[/\\]|(?![\w.-]))")


def _shorten_paths(values: Json) -> Json:
    """Paths of files as their names."""
    paths = {name: value for name, value in values.items() if name in FILE_FIELDS and isinstance(value, str)}
    return values | {name: PurePath(path).name or path for name, path in paths.items()}


def _spellings(key: str) -> tuple[str, ...]:
    """A key as it is, and as base64, a URL or JSON would write it."""
    encoded = base64.b64encode(key.encode()).decode().rstrip("=")
    return tuple(dict.fromkeys((key, encoded, quote(key, safe=""), json.dumps(key)[1:-1])))
