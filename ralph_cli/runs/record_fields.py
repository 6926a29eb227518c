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
    settings: max_cost, max_time         resume                   hold as in the run, never above a bound of now
    settings.terms                       verify                   schema and memory as values, put to the checks
    settings.verifier                    resume                   says that the caller must give a verifier again
    document.path                        resume, verify, report,  where to look; a file is used only if it is regular
                                         export                   and its SHA-256 is document.sha256 (open_recorded)
    document.encoding                    the same                 how that text is decoded
    the rest of document                 show, report, verify     is shown, and compared with the document that is read
    run, question, mode, at              all                      are shown; the question is asked again, as qa or task
    seed                                 resume                   the marks around data: the same requests again
    CallFinished.reply                   resume                   a model's reply: sandbox, look-up and checks follow
    GoalSet.verifiers, Verified.command  show, report             are shown; a goal runs those of its command line
    GoalSet, a goal's output             goal --continue          told to the worker; old evidence proves nothing
    memory-before.md, schema.json        resume                   read, if regular files in the run's folder
    output.*                             verify                   compared, if regular files in the run's folder
    everything else                      show, report, verify     is shown, or looked up in the document
"""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ValidationError

from ralph_cli.config import OPTIONS, SECRETS, Settings, explained
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import Noticed, RunStarted
from ralph_cli.core.option import OnResume


def _settings_with(rule: OnResume) -> frozenset[str]:
    return frozenset(name for name, option in OPTIONS.items() if option.on_resume is rule)


ALWAYS_OF_NOW = _settings_with(OnResume.CURRENT)
OF_NOW_UNLESS_ACCEPTED = _settings_with(OnResume.ACCEPTED)
LOWER_OF_BOTH = _settings_with(OnResume.LOWER)
OF_THE_RUN = _settings_with(OnResume.RECORDED)
_SHOWN_WHEN_DIFFERENT = OF_NOW_UNLESS_ACCEPTED | ALWAYS_OF_NOW - {*SECRETS, "heartbeat_ms"}
_MODEL_OF_ROLE = {"worker": "model", "judge": "judge_model", "subquery": "subquery_model", "verifier": "verifier_model"}
_ACCEPT = "--accept-settings takes that run's"


def resumed_settings(
    started: RunStarted,
    now: Settings,
    changes: Mapping[str, Any],
    *,
    accept: bool = False,
    given_models: Collection[str] = (),
) -> tuple[Settings, tuple[Noticed, ...]]:
    """The settings with which a run is resumed, and what a person must be told: where those of now replace its own.

    `changes` are what the person asks for this time, `accept` takes those settings of the run that may be taken, and
    `given_models` are the roles whose models the caller brings. Raises ConfigError for a record that cannot be used.
    """
    recorded = {name: value for name, value in started.settings.items() if name in Settings.model_fields}
    recorded |= _recorded_models(started)
    _refuse_scripts(recorded, now, accept=accept, given=given_models)
    today = now.shown()
    taken = {name: value for name, value in recorded.items() if name in OF_THE_RUN or name in LOWER_OF_BOTH}
    for name in LOWER_OF_BOTH:
        bound = getattr(now, name)
        if bound is not None and name in taken:
            taken[name] = bound if taken[name] is None else min(taken[name], bound, key=_number)
    if recorded.get("memory") == "off":
        taken["memory"] = "off"
    if accept:
        taken |= {name: recorded[name] for name in OF_NOW_UNLESS_ACCEPTED if name in recorded}
    kept = {name: getattr(now, name) for name in ALWAYS_OF_NOW | OF_NOW_UNLESS_ACCEPTED}
    notices = tuple(
        Noticed("settings", _difference(name, recorded[name], today.get(name)))
        for name in sorted(_SHOWN_WHEN_DIFFERENT)
        if name in recorded and name not in taken and name not in changes and recorded[name] != today.get(name)
    )
    try:
        return Settings.model_validate({**kept, **taken, **changes}), notices
    except ValidationError as error:
        raise explained(error, dict.fromkeys(taken, "that run") | dict.fromkeys(changes, "what is to change")) from None


def _recorded_models(started: RunStarted) -> dict[str, Any]:
    """The models that did the work, also those that nobody had named."""
    models = started.settings.get("models", {})
    return {setting: models.get(role) for role, setting in _MODEL_OF_ROLE.items() if role != "verifier"}


def _refuse_scripts(recorded: Mapping[str, Any], now: Settings, *, accept: bool, given: Collection[str]) -> None:
    """ConfigError for a model of a record that is a file to be read, if the settings of now do not name it too."""
    named = {setting: recorded.get(setting) for role, setting in _MODEL_OF_ROLE.items() if role not in given}
    panel = recorded.get("panel") or ()
    wanted = [(name, value) for name, value in named.items() if value != getattr(now, name)]
    wanted += [("panel", value) for value in panel if value not in now.panel] if isinstance(panel, list) else []
    for name, value in wanted:
        if isinstance(value, str) and value.startswith("scripted:") and not accept:
            what = (
                f"{name.replace('_', '-')} of that run is a file ({value}), and a record does not choose what is read"
            )
            raise ConfigError(what, code="script-in-record", hint=f"{_ACCEPT}, if you know the file")


def _number(value: Any) -> float:
    """What is no number is left to the validation of the settings."""
    return value if isinstance(value, int | float) else float("-inf")


def _difference(name: str, then: object, today: object) -> str:
    why = "this run goes on with today's" + ("" if name in ALWAYS_OF_NOW else f"; {_ACCEPT}")
    return f"{name.replace('_', '-')} was {_worded(then)} in that run and is {_worded(today)} now: {why}"


def _worded(value: object) -> str:
    return "not set" if value is None else str(value)
