"""The folder of an evaluation: its terms, a line for each result, and a folder for each question's run."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ralph_cli.config import Settings
from ralph_cli.core import clock
from ralph_cli.core.errors import ConfigError, JournalError, RalphError, describe_fault
from ralph_cli.core.prompts.templates import prompt_digests
from ralph_cli.core.version import __version__
from ralph_cli.evaluation.question_sets import QuestionSet
from ralph_cli.evaluation.results import QuestionResult
from ralph_cli.reports.view import RunView
from ralph_cli.runs.history import read_run, run_names
from ralph_cli.runs.resuming.record_fields import FROM_RECORD

TERMS_FILE = "evaluation.json"
RESULTS_FILE = "results.jsonl"

RESULT = TypeAdapter(QuestionResult)


@dataclass(slots=True)
class EvaluationRecord:
    """An evaluation in its folder: the newest result of each question, by its id, and the newest run of each.

    A run is found by its question and the SHA-256 of its document. A result is on disk when `add` returns.
    """

    folder: Path
    results: dict[str, QuestionResult] = field(default_factory=dict)
    runs: dict[tuple[str, str], RunView] = field(default_factory=dict)

    def add(self, result: QuestionResult) -> None:
        """Keep a result. Raises JournalError."""
        self.results[result.id] = result
        line = json.dumps(asdict(result), ensure_ascii=True) + "\n"
        try:
            with (self.folder / RESULTS_FILE).open("a", encoding="ascii") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unwritable(self.folder, error) from error


def begin_record(out: Path, terms: Mapping[str, Any]) -> EvaluationRecord:
    """Make a folder in `out` for an evaluation with these terms. Raises JournalError."""
    stamp = clock.now()[:19].replace("-", "").replace(":", "").replace("T", "-")
    folder = out / f"{stamp}-eval-{clock.token(3)}"
    try:
        folder.mkdir(parents=True)
        (folder / TERMS_FILE).write_text(json.dumps(terms, indent=2), "utf-8")
    except OSError as error:
        raise _unwritable(folder, error) from error
    return EvaluationRecord(folder)


def reopen_record(folder: Path, terms: Mapping[str, Any]) -> EvaluationRecord:
    """The record of an earlier evaluation. Raises ConfigError if there is none, or if it has other terms."""
    try:
        earlier = json.loads((folder / TERMS_FILE).read_text("utf-8"))
    except (OSError, ValueError) as error:
        what = f"{folder} is no evaluation that can go on: {TERMS_FILE} {describe_fault(error)}"
        raise ConfigError(what, code="no-evaluation", hint="name the folder that `ralph eval` has printed") from error
    now = json.loads(json.dumps(terms))
    if differing := _differences(earlier, now):
        what = f"that evaluation was made with other terms: {'; '.join(differing[:3])}"
        raise ConfigError(what, code="other-evaluation", hint="leave out --resume to begin a new one")
    record = EvaluationRecord(folder)
    for result in _read_results(folder / RESULTS_FILE):
        record.results[result.id] = result
    for name in run_names(folder):
        try:
            view = read_run(folder / name).view
        except RalphError:
            continue  # killed before it began
        record.runs[view.question, str(view.document.get("sha256", ""))] = view
    return record


def terms_of(questions: QuestionSet, settings: Settings, models: Mapping[str, str]) -> dict[str, Any]:
    """The terms that all results of an evaluation share: the set, models, prompts, settings, version."""
    shown = settings.shown()
    chosen = {name: shown[name] for name in sorted(FROM_RECORD & shown.keys())}
    made_with = {"version": __version__, "prompts": prompt_digests(), "models": dict(models), "settings": chosen}
    return {"questions": questions.sha256, **made_with}


def _read_results(path: Path) -> list[QuestionResult]:
    """The results of a file, one per line; none without the file. An incomplete last line is removed."""
    try:
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if whole != data:
            path.write_bytes(whole)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise _unwritable(path.parent, error) from error
    found = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            found.append(RESULT.validate_json(line))
        except ValidationError as error:
            raise JournalError(f"{path}, line {number}, is no result", code="damaged") from error
    return found


def _differences(earlier: Any, now: dict[str, Any]) -> list[str]:
    if not isinstance(earlier, dict):
        return ["its terms cannot be read"]
    found = []
    for name, value in now.items():
        then = earlier.get(name)
        if isinstance(value, dict) and isinstance(then, dict):
            changed = sorted(key for key in {*value, *then} if value.get(key) != then.get(key))
            found += [f"{key} of the {name}" if name == "prompts" else _change(key, then, value) for key in changed]
        elif then != value:
            found.append("other questions" if name == "questions" else _change(name, earlier, now))
    return found


def _change(name: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    return f"{name} was {then.get(name)} and is {now.get(name)}"


def _unwritable(folder: Path, error: OSError) -> JournalError:
    what = f"the evaluation cannot be recorded in {folder}: {error.strerror or error}"
    return JournalError(what, code="unwritable", hint="choose another folder with --out")
