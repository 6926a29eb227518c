"""What the record of a run may decide when the run is resumed, and what the settings of now decide.

A run folder, an exported bundle and a memory file may come from anybody. They are material: nothing in them chooses
where a key goes, what is executed, or which file is read or written.

    field of a record                    read by                  what it may do
    -----------------                    -------                  --------------
    settings: addresses, wire format,    resume                   nothing, ever: those of now are used
      keys, out, cache, heartbeat
    settings: sandbox and its limits,    resume                   nothing, unless a person says --accept-settings;
      memory, schema, verify_timeout                              "memory: off" names no file and holds
    settings.models, panel,              resume                   name models, asked at the addresses and with the keys
      verifier_model                                              of now; "scripted:FILE" is a file: --accept-settings
    settings: form, strategy, counts     resume, verify           hold as in the run
    settings: max_cost, max_time,        resume                   hold as in the run, never above a bound of now
      max_calls, max_tokens
    settings.terms                       verify                   schema and memory as values, put to the checks
    settings.verifier                    resume                   says that the caller must give a verifier again
    document.path                        resume, verify, report,  where to look; a file is used only if it is regular
                                         export                   and its SHA-256 is document.sha256 (open_recorded)
    document.encoding                    the same                 how that text is decoded
    document.ocr                         the same                 whether pages are read by OCR, in which language
    the rest of document                 show, report, verify     is shown, and compared with the document that is read
    run, question, mode, at              all                      are shown; the question is asked again, as qa or task,
                                                                  or told, framed as data, with one that follows on it
    follows                              resume, replay, ask      tells by its hash which copy in earlier/ is meant;
                                                                  its names are shown, and no path is made of them
    settings, document, seed             ask                      as for resume, but for bounds, which are those of now
    calls, snippets, steps               ask                      the conversation, if it is to the letter what it was;
                                                                  else what was asked, answered and quoted, as data, the
                                                                  quotes looked up; no verdict of it counts
    seed                                 resume                   the marks around data: the same requests again
    CallFinished.reply                   resume                   a model's reply: sandbox, look-up and checks follow
    the whole of it, if it is sealed     qa, task                 an accepted answer to the same, its quotes looked up
      with the key of this machine
    SnippetRan.code, output, pages       resume                   told to the worker; the code runs in the sandbox
    GoalSet.verifiers, shell, suffix     resume                   run, if the record is sealed with the key of this
                                                                  machine; else a goal runs those of its command line
    Verified.command                     show, report             is shown
    a goal's variables and evidence      goal --continue          told to the worker; old evidence proves nothing
    earlier/                             resume                   replies of runs with the same seed, as those beside it
                                         ask, resume, replay      runs that a question follows on, known by their hash
    memory-before.md, schema.json        resume                   read, if regular files in the run's folder
    output.*                             verify                   compared, if regular files in the run's folder
    everything else                      show, report, verify     is shown, or looked up in the document
"""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from ralph_cli.config import OPTIONS, SECRETS, Settings, flag_of, make_settings
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import NoticeIssued, RunStarted
from ralph_cli.core.option import OnResume
from ralph_cli.providers.registry import parse_model_name

# What a run did whose record does not have the setting yet.
_BEFORE_THERE_WAS_A_SETTING = {"max_depth": 0}


def _settings_with(rule: OnResume) -> frozenset[str]:
    return frozenset(name for name, option in OPTIONS.items() if option.on_resume is rule)


ALWAYS_CURRENT = _settings_with(OnResume.CURRENT)
CURRENT_UNLESS_ACCEPTED = _settings_with(OnResume.ACCEPTED)
LOWER_OF_BOTH = _settings_with(OnResume.LOWER)
FROM_RECORD = _settings_with(OnResume.RECORDED)
_SHOWN_WHEN_DIFFERENT = CURRENT_UNLESS_ACCEPTED | ALWAYS_CURRENT - {*SECRETS, "heartbeat_ms", "refresh"}
_MODEL_SETTINGS = {
    "worker": "model",
    "judge": "judge_model",
    "subquery": "subquery_model",
    "verifier": "verifier_model",
}
_ACCEPT_HINT = "--accept-settings takes that run's"


def resumed_settings(
    started: RunStarted,
    current: Settings,
    changes: Mapping[str, Any],
    *,
    accept: bool = False,
    given_models: Collection[str] = (),
) -> tuple[Settings, tuple[NoticeIssued, ...]]:
    """The settings with which a run is resumed, and notices where present settings replace recorded ones.

    `changes` are what the person asks for this time. `accept` takes the settings of the run that may be taken.
    `given_models` are the roles whose models the caller provides. Raises ConfigError for a record that cannot be used.
    """
    held = {name: value for name, value in started.settings.items() if name in Settings.model_fields}
    recorded = _BEFORE_THERE_WAS_A_SETTING | held
    # The models that did the work, even if nobody had named them.
    models = started.settings.get("models", {})
    recorded |= {setting: models.get(role) for role, setting in _MODEL_SETTINGS.items() if role != "verifier"}
    current_values = current.shown()
    taken = FROM_RECORD | (CURRENT_UNLESS_ACCEPTED if accept else frozenset())
    from_run = {name: value for name, value in recorded.items() if name in taken}
    from_run |= {name: _lower_bound(recorded[name], getattr(current, name)) for name in LOWER_OF_BOTH & recorded.keys()}
    if recorded.get("memory") == "off":
        from_run["memory"] = "off"
    from_current = {name: getattr(current, name) for name in ALWAYS_CURRENT | CURRENT_UNLESS_ACCEPTED}
    replaced = (_SHOWN_WHEN_DIFFERENT & recorded.keys()) - from_run.keys() - changes.keys()
    notices = tuple(
        NoticeIssued("settings", _difference_message(name, recorded[name], current_values.get(name)))
        for name in sorted(replaced)
        if _meaning(name, recorded[name]) != _meaning(name, current_values.get(name))
    )
    origins = {name: f"{name} in that run" for name in from_run} | {name: flag_of(name) for name in changes}
    chosen = make_settings({**from_current, **from_run, **changes}, origins)
    if not accept:
        _refuse_scripts(chosen, current, given_roles=given_models)
    return chosen, notices


def unnamed_models(started: RunStarted) -> set[str]:
    """The settings of models that nobody had named for a run: ralph chose them by its keys."""
    return {setting for setting in _MODEL_SETTINGS.values() if started.settings.get(setting) is None}


def _refuse_scripts(chosen: Settings, current: Settings, *, given_roles: Collection[str]) -> None:
    """Raise ConfigError for a recorded model that is a file to read, unless the present settings name it too.

    Compares parsed settings, because a record may write the same name in other ways.
    """
    wanted = [(name, getattr(chosen, name)) for role, name in _MODEL_SETTINGS.items() if role not in given_roles]
    wanted = [(name, model) for name, model in wanted if model != getattr(current, name)]
    wanted += [("panel", model) for model in chosen.panel if model not in current.panel]
    for name, model in wanted:
        if model and parse_model_name(model, "openai", chosen.profiles)[0] == "scripted":
            setting = name.replace("_", "-")
            what = f"{setting} of that run is a file ({model}), and a record does not choose what is read"
            hint = f"if you know the file: name it again (--model, --judge-model), or, to resume, {_ACCEPT_HINT}"
            raise ConfigError(what, code="script-in-record", hint=hint)


def _lower_bound(then: Any, current: float | None) -> Any:
    """The lower of a recorded and a present bound. A record lifts no bound: its "none" is replaced.

    A recorded value that is not a number is kept, for the validation of the settings to refuse.
    """
    if then == "none" or then is None:
        return current
    is_lower = current is None or not isinstance(then, int | float) or then < current
    return then if is_lower else current


def _meaning(name: str, value: object) -> object:
    """The meaning of a setting in any spelling: "~/.cache", "/home/me/.cache" and "../me/.cache" are one folder."""
    try:
        meant = getattr(make_settings({name: value}, {}), name)
    except ConfigError:
        return value  # no present setting has this value
    return os.path.normpath(Path.cwd() / meant) if isinstance(meant, Path) else meant  # without access to the disk


def _difference_message(name: str, then: object, current: object) -> str:
    why = "this run uses today's" + ("" if name in ALWAYS_CURRENT else f"; {_ACCEPT_HINT}")
    was, is_ = ("not set" if value is None else value for value in (then, current))
    return f"{name.replace('_', '-')} was {was} in that run and is {is_} now: {why}"
