"""Choose and connect the models of a run, and its sandbox engine. Every call is metered."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ralph_cli.checks.verifier import Verifier, verifier_fault
from ralph_cli.config import Settings
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.core.events import AnyEvent, CallRetried, ChildWork, ChildWorked, EventSink, NoticeIssued
from ralph_cli.core.model import Model
from ralph_cli.core.prompts.framing import Nonces
from ralph_cli.environment import fetch_environment
from ralph_cli.loop.engine import Mode
from ralph_cli.providers.endpoint import Endpoint
from ralph_cli.providers.governor import Governor, governor_of
from ralph_cli.providers.metered import MeteredModel, TimeLimitedModel, call_numbers
from ralph_cli.providers.registry import (
    CLOUDS,
    DEFAULT_MODELS,
    KEYED_VENDORS,
    KEYLESS_VENDORS,
    VENDORS,
    connect,
    load_sdk,
    model_family,
    parse_model_name,
    require_access,
)
from ralph_cli.providers.replaying import AbsentModel, CallRepeater, Recording, ReplayingModel
from ralph_cli.providers.retrying import RetryingModel, RetryPolicy
from ralph_cli.providers.scripted import ScriptedModel
from ralph_cli.providers.wrapper import BranchModel, PreloadingModel
from ralph_cli.rlm.bridge import lookup_functions
from ralph_cli.rlm.recorded import RecordedSnippets
from ralph_cli.wiring.spending import PricedModel, cost_estimator, require_price
from sandbox import ResourceLimits, Sandbox, open_sandbox

MAX_SUBQUERY_CHARS = 100_000

NOBODY = "offline:extractive"  # a model that needs no key, where no model is asked

NO_KEYS = (
    "no key is set, so the `offline` engine answers: it only searches and quotes; no language model reads or judges. "
    "Set ANTHROPIC_API_KEY and OPENAI_API_KEY to use Claude and GPT."
)


@dataclass(frozen=True, slots=True)
class ModelNames:
    """The model of each role, and notices about the choice.

    `custom_verifier` is the type of the caller's verifier. `reasoner` is named only if a record names it.
    """

    worker: str
    judge: str
    subquery: str
    notices: tuple[NoticeIssued, ...] = ()
    verifier: str = ""
    custom_verifier: str = ""
    panel: tuple[str, ...] = ()
    reasoner: str = ""

    @property
    def by_role(self) -> dict[str, str]:
        """Return the name of each role's model. Panel members have their position in the role."""
        named = {"worker": self.worker, "judge": self.judge, "subquery": self.subquery, "verifier": self.verifier}
        return named | {f"panel-{place}": name for place, name in enumerate(self.panel, 1)}


def choose_models(
    settings: Settings, given: Mapping[str, Model] | None = None, custom_verifier: Verifier | None = None
) -> ModelNames:
    """Return the models of a run: those `given` by role, else those in the settings, else by the keys, else `offline`.

    Raises ConfigError if the vendor of a named model cannot be reached, or if the caller's verifier cannot be asked or
    is one too many.
    """
    given = given or {}
    if custom_verifier is not None:
        _require_usable_verifier(settings, custom_verifier)
    notices: list[NoticeIssued] = []
    reachable_vendors = [vendor for vendor in KEYED_VENDORS if settings.can_reach(vendor)]
    if settings.model is None and not reachable_vendors and "worker" not in given:
        notices.append(NoticeIssued("offline", NO_KEYS + _unnamed_services(settings)))
    worker = _model_name_for(
        "worker", settings.model, reachable_vendors[0] if reachable_vendors else "offline", settings, given
    )
    judge, subquery, own_vendor = _choose_judge_and_subquery(settings, given, worker, reachable_vendors)
    notices += _family_notices(_family_of("worker", worker, given), _family_of("judge", judge, given))
    verifier = _choose_verifier(settings, given, judge, own_vendor) if settings.verify_with_model else ""
    notices += _unused_option_notices(settings, given, custom_verifier)
    own_verifier = type(custom_verifier).__name__ if custom_verifier is not None else ""
    panel = tuple(_resolve_model_name(member, "openai", settings) for member in settings.panel)
    return ModelNames(worker, judge, subquery, tuple(notices), verifier, own_verifier, panel)


def _choose_judge_and_subquery(
    settings: Settings, given: Mapping[str, Model], worker: str, reachable_vendors: Sequence[str]
) -> tuple[str, str, str]:
    """Return the judge (if possible of another family than the worker), the sub-query model, and the worker's
    vendor.
    """
    vendor, family = _vendor_of("worker", worker, given), _family_of("worker", worker, given)
    others = [known for known in reachable_vendors if known not in (family, vendor)]
    # A cloud or an own server has no default model, so the named one is used.
    own = worker if vendor not in DEFAULT_MODELS and "worker" not in given else None
    own_vendor = vendor if vendor in DEFAULT_MODELS else "offline"
    preferred = "offline" if family == "offline" else "openai" if "openai" in others else (*others, own_vendor)[0]
    judge_wish = settings.judge_model or (None if others else own)
    judge = _model_name_for("judge", judge_wish, preferred, settings, given)
    # The offline engine ranks in its sub-queries, so they go to the chosen model itself.
    wish = settings.subquery_model or (worker if family == "offline" and "worker" not in given else own)
    subquery = _model_name_for("subquery", wish, own_vendor, settings, given)
    return judge, subquery, own_vendor


def _family_notices(worker: str, judge: str) -> Iterator[NoticeIssued]:
    """Yield what the user should know about the families of worker and judge."""
    if judge == worker != "offline":
        message = f"worker and judge are of one family ({worker}): they may share their errors. "
        yield NoticeIssued("one-family", message + "Set the other vendor's key, or --judge-model.")
    if judge == "offline" != worker:
        what = "the judge is `offline`: it can only confirm a claim that is word for word its quote"
        yield NoticeIssued("offline-judge", what)


def _choose_verifier(settings: Settings, given: Mapping[str, Model], judge: str, usual: str) -> str:
    """Return the model that verifies results: by default the cheap model of the judge's vendor, because calls are
    simple.
    """
    vendor, wish = _vendor_of("judge", judge, given), settings.verifier_model
    if vendor not in DEFAULT_MODELS and "judge" not in given:
        wish = wish or judge
    return _model_name_for("verifier", wish, vendor if vendor in DEFAULT_MODELS else usual, settings, given)


def _unused_option_notices(
    settings: Settings, given: Mapping[str, Model], custom_verifier: Verifier | None
) -> list[NoticeIssued]:
    """Return notices about verifier options that have no effect."""
    if settings.verify_with_model:
        return []
    said = {
        "--verifier-model": settings.verifier_model is not None,
        "--skip-last-verification": settings.skip_last_verification and custom_verifier is None,
        'models["verifier"]': "verifier" in given,
    }
    idle = " and ".join(name for name, is_said in said.items() if is_said)
    if not idle:
        return []
    if custom_verifier is not None:
        return [NoticeIssued("unused-verifier", f"the verifier that was given decides, so {idle} has no effect")]
    told = f"no verifier is asked: {idle} has no effect without --verify-with-model (verify_with_model)"
    return [NoticeIssued("unused-verifier", told)]


def _require_usable_verifier(settings: Settings, verifier: Verifier) -> None:
    if why := verifier_fault(verifier):
        hint = "pass an object with verify(task, result, iteration, previous_results); a model goes into LLMVerifier"
        raise ConfigError(why, code="bad-verifier", hint=hint)
    if settings.verify_with_model:
        told = f"both a verifier ({type(verifier).__name__}) and verify_with_model are given: one or the other"
        raise ConfigError(told, code="two-verifiers", hint="leave out the verifier, or verify_with_model")


def _vendor_of(role: str, name: str, given: Mapping[str, Model]) -> str:
    return given[role].vendor if role in given else name.split(":")[0]


def _family_of(role: str, name: str, given: Mapping[str, Model]) -> str:
    return given[role].vendor if role in given else model_family(name)


def _unnamed_services(settings: Settings) -> str:
    """Return a hint to name a model of a configured cloud or server; empty if there is none."""
    found = [vendor for vendor in (*CLOUDS, *settings.profiles) if settings.can_reach(vendor)]
    return f" Or name a model of {' or '.join(found)}, such as --model {found[0]}:NAME." if found else ""


def _model_name_for(
    role: str, requested: str | None, vendor: str, settings: Settings, given: Mapping[str, Model]
) -> str:
    if role in given:
        return given[role].name
    return _resolve_model_name(requested, vendor, settings, cheap=role in ("subquery", "verifier"))


def _resolve_model_name(name: str | None, vendor: str, settings: Settings, *, cheap: bool = False) -> str:
    """Return `vendor:model` for a wish, or the default of `vendor`. Raises ConfigError if it cannot be reached."""
    if name is None:
        return f"{vendor}:{DEFAULT_MODELS[vendor][1 if cheap else 0]}"
    # A bare name of no known family is most likely served by the server that the user pointed us to.
    own_server = next((known for known in (vendor, *KEYED_VENDORS) if settings.endpoint(known).base_url), "")
    vendor, model = parse_model_name(name, own_server, settings.profiles)
    if not vendor:
        # Such a name ("llama3.2:3b") belongs to an own server. No vendor is asked for it by guess.
        known = ", ".join((*VENDORS, *settings.profiles))
        hint = (
            f"write vendor:model with one of {known}; a server of your own has a section [providers.NAME] in ralph.toml"
        )
        raise ConfigError(f"{name!r} is no model of a known vendor", code="unknown-vendor", hint=hint)
    if vendor not in KEYLESS_VENDORS:
        require_access(f"{vendor}:{model}", settings.endpoint(vendor))
    return f"{vendor}:{model}"


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run, metered: every call is budgeted and recorded.

    `meter` does the same for a model inside an object of the caller's. `repeat_calls` reports calls that an earlier run
    made instead of this run.
    """

    worker: Model
    judge: Model
    subquery: Model
    repeat_calls: CallRepeater
    connected: tuple[Model, ...] = ()
    reasoner: Model | None = None
    verifier: Model | None = None
    meter: Callable[[Model], Model] = lambda model: model
    panel: tuple[Model, ...] = ()

    def close(self) -> None:
        """Close the connections, except those of the caller's models."""
        for model in self.connected:
            close = getattr(model, "close", None)
            if close is not None:
                close()


# Takes the turn at a service, so many seconds after the last of all programs; 0.0, or the seconds until there is one.
TakeTurn = Callable[[Endpoint, float], float]


def build_models(
    settings: Settings,
    names: ModelNames,
    ledger: Ledger,
    sink: EventSink,
    overrides: Mapping[str, Model] | None = None,
    recording: Recording | None = None,
    take_turn: TakeTurn = lambda endpoint, gap: 0.0,
) -> Models:
    """Connect the models.

    `overrides` (worker, judge, subquery; reasoner) replaces some models by the caller's. `take_turn` keeps the rate of
    the settings together with other programs. Replies in `recording` are reused and not bought again.

    Raises ConfigError if a cost cap is set and a price is unknown, because the cap could not be kept.
    """
    numbers = call_numbers()
    recording, seconds = recording or Recording(), settings.max_call_time
    repeat_calls = CallRepeater(ledger, sink, numbers)

    def meter(model: Model) -> Model:
        return TimeLimitedModel(MeteredModel(ReplayingModel(model, recording), ledger, sink, numbers), ledger, seconds)

    def build(role: str, name: str) -> Model:
        given = AbsentModel(name) if recording.is_closed else (overrides or {}).get(role)
        if given is not None:
            return meter(given)
        vendor = name.partition(":")[0]
        endpoint = settings.endpoint(vendor)
        gap = 1 / settings.max_rate if settings.max_rate else 0.0
        require_price(settings, name)

        def on_retry(attempt: int, error: ProviderError, wait: float) -> None:
            sink(CallRetried(role, name, attempt, error.message, wait))

        def take_turn_here() -> float:
            load_sdk(name, endpoint)  # a turn is for a request that is sent at once
            return take_turn(endpoint, gap)

        # Metering is inside retrying: every attempt may be billed, so every attempt is reserved, booked and recorded.
        connected = connect(name, endpoint, deadline_s=settings.max_call_time)
        closing.append(connected)
        # A script that is read again begins at its first reply, and the recorded replies were its first ones.
        on_replay = connected.skip_reply if isinstance(connected, ScriptedModel) else lambda: None
        if role == "subquery":
            repeat_calls.on_replay = on_replay
        priced = PricedModel(connected, settings.price_list) if settings.prices else connected
        if role == "worker":
            others = dict.fromkeys((names.subquery, names.judge, names.verifier, *names.panel))
            priced = PreloadingModel(priced, tuple(sdk_loader(settings, other) for other in others if other))
        replaying = ReplayingModel(priced, recording, on_replay)
        return RetryingModel(
            MeteredModel(replaying, ledger, sink, numbers, cost_estimator(settings, name)),
            policy=RetryPolicy(deadline_s=2 * settings.max_call_time),
            on_retry=on_retry,
            ledger=ledger,
            governor=Governor() if vendor in KEYLESS_VENDORS else governor_of(endpoint),
            most=settings.max_parallel,
            least_gap=gap,
            take_turn=take_turn_here if gap else lambda: 0.0,
        )

    closing: list[Model] = []
    worker, judge, subquery = (build(role, getattr(names, role)) for role in ("worker", "judge", "subquery"))
    # The reasoner of a task is the worker, unless the caller gave another.
    reasoner = build("reasoner", names.reasoner) if names.reasoner or "reasoner" in (overrides or {}) else None
    verifier = build("verifier", names.verifier) if names.verifier else None
    panel = tuple(build("panel", name) for name in names.panel)
    return Models(worker, judge, subquery, repeat_calls, tuple(closing), reasoner, verifier, meter, panel)


def sdk_loader(settings: Settings, name: str) -> Callable[[], None]:
    """Return the function that imports the SDK for the model of that name."""
    return partial(load_sdk, name, settings.endpoint(name.partition(":")[0]))


def engine_opener(
    settings: Settings, document_chars: int, notice: Callable[[str], None] = lambda _: None
) -> Callable[[], Sandbox]:
    """Return a function that opens the sandbox engine of the settings, sized for a document of that many characters.

    `notice` gets the reason of a wait, and the protections that this machine lacks.
    """

    def start_engine() -> Sandbox:
        memory = max(settings.snippet_memory_mb << 20, 8 * document_chars + (300 << 20))
        limits = ResourceLimits(seconds=settings.snippet_seconds, memory=memory, prompt_chars=MAX_SUBQUERY_CHARS)
        return open_sandbox(
            settings.sandbox,
            cache=settings.cache_folder,
            limits=limits,
            fetch_env=fetch_environment(),
            on_wait=notice,
            ahead=lookup_functions(),
            require_walls=settings.require_walls,
            on_missing=notice,
        )

    return start_engine


@dataclass(frozen=True, slots=True)
class RunContext:
    """The parts that a mode is built on: settings, connected models, sandbox opener, nonces, sink, folder, ledger.

    `earlier` has the events of the runs that it continues, the latest first; a replay has only these. `followed` has
    the events of the runs that the question follows on, the latest last. `branch` identifies a child worker.
    """

    settings: Settings
    models: Models
    engine: Callable[[], Sandbox]
    nonces: Nonces
    sink: EventSink
    folder: Path
    ledger: Ledger
    earlier: tuple[tuple[AnyEvent, ...], ...] = ()
    is_replay: bool = False
    followed: tuple[tuple[AnyEvent, ...], ...] = ()
    branch: str = ""

    def recorded_snippets(self) -> RecordedSnippets:
        """Return the snippets recorded in those runs."""
        return RecordedSnippets.of(self.earlier, self.models.repeat_calls, self.branch)

    def of_child(self, branch: str, engine: Callable[[], Sandbox], **limits: int) -> "RunContext":
        """Return the context of a child worker.

        Its events and requests carry its branch, and `limits` are its settings.
        """
        models = replace(
            self.models,
            worker=BranchModel(self.models.worker, branch),
            subquery=BranchModel(self.models.subquery, branch),
        )

        def tell(event: AnyEvent) -> None:
            self.sink(ChildWorked(branch, event) if isinstance(event, ChildWork) else event)

        settings = self.settings.model_copy(update=limits)
        return replace(
            self,
            settings=settings,
            models=models,
            engine=engine,
            sink=tell,
            followed=(),
            branch=branch,
        )


@dataclass(frozen=True, slots=True)
class BuiltMode:
    """A mode, and how to end the processes and threads behind it.

    `kept` tells whether there is a result during an iteration, which a failure must not lose.
    """

    mode: Mode
    closers: tuple[Callable[[], None], ...] = ()
    has_result: Callable[[], bool] = lambda: False

    def close(self) -> None:
        """End the processes and threads, in order."""
        for close in self.closers:
            close()
