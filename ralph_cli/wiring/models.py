"""Which models a run has, and the sandbox engine: from settings to connected, metered things."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ralph_cli.checks.verifier import Verifier, unfit
from ralph_cli.config import Settings, fetch_environment
from ralph_cli.core.budget import Ledger
from ralph_cli.core.errors import ConfigError, ProviderError
from ralph_cli.core.events import CallRetried, Noticed, Sink
from ralph_cli.core.model import Model, Request, Usage
from ralph_cli.core.prompts.nonce import Nonces
from ralph_cli.loop.engine import Mode
from ralph_cli.providers import prices
from ralph_cli.providers.metered import Estimate, InTime, Metered, call_numbers
from ralph_cli.providers.registry import DEFAULTS, connect, parse
from ralph_cli.providers.replaying import Recording, Replaying
from ralph_cli.providers.retrying import Retrying
from ralph_cli.providers.scripted import Scripted
from sandbox import Limits as SandboxLimits
from sandbox import Sandbox, open_sandbox

SUBQUERY_CHARS = 100_000
NO_KEYS = (
    "no key is set, so `offline` answers: it finds and quotes, no language model reads or judges. "
    "Set ANTHROPIC_API_KEY and OPENAI_API_KEY to use Claude and GPT."
)


@dataclass(frozen=True, slots=True)
class Names:
    """Which model does what, and what a person should be told about the choice.

    `own_verifier` is the type of a verifier of the caller's.
    """

    worker: str
    judge: str
    subquery: str
    notices: tuple[Noticed, ...] = ()
    verifier: str = ""
    own_verifier: str = ""
    panel: tuple[str, ...] = ()


def choose(settings: Settings, given: Mapping[str, Model] | None = None, own_verifier: Verifier | None = None) -> Names:
    """The models of a run: those `given` by role, else what was asked for, else what the keys allow, else `offline`.

    Raises ConfigError when a model was named whose vendor cannot be reached, and for a verifier of the caller's that
    cannot be asked, or is one too many.
    """
    given = given or {}
    if own_verifier is not None:
        _require_one(settings, own_verifier)
    notices: list[Noticed] = []
    able = [vendor for vendor in ("anthropic", "openai") if settings.reachable(vendor)]
    if settings.model is None and not able and "worker" not in given:
        notices.append(Noticed("offline", NO_KEYS))
    worker = _name("worker", settings.model, able[0] if able else "offline", settings, given)
    family = _family("worker", worker, given)
    others = [vendor for vendor in able if vendor != family]
    same = family if family in DEFAULTS else "offline"
    preferred = "offline" if family == "offline" else "openai" if "openai" in others else (*others, same)[0]
    judge = _name("judge", settings.judge_model, preferred, settings, given)
    # The offline engine ranks in its sub-queries, so they are asked of the very model that was chosen.
    wish = settings.subquery_model or (worker if family == "offline" and "worker" not in given else None)
    subquery = _name("subquery", wish, same, settings, given)
    if _family("judge", judge, given) == family != "offline":
        message = f"worker and judge are of one family ({family}): they may share their errors. "
        notices.append(Noticed("one-family", message + "Set the other vendor's key, or --judge-model."))
    if _family("judge", judge, given) == "offline" != family:
        what = "the judge is `offline`: it can only confirm a claim that is word for word its quote"
        notices.append(Noticed("offline-judge", what))
    verifier = ""
    if settings.verify_with_model:
        # A light call, so by default the cheap model of the judge's vendor.
        vendor = _family("judge", judge, given)
        verifier = _name("verifier", settings.verifier_model, vendor if vendor in DEFAULTS else same, settings, given)
    notices += _unused(settings, given, own_verifier)
    own = type(own_verifier).__name__ if own_verifier is not None else ""
    panel = tuple(_named(member, "openai", settings) for member in settings.panel)
    return Names(worker, judge, subquery, tuple(notices), verifier, own, panel)


def _unused(settings: Settings, given: Mapping[str, Model], own: Verifier | None) -> list[Noticed]:
    """What was said of a verifier to no effect: whoever says it believes that results are verified so."""
    if settings.verify_with_model:
        return []
    said = {
        "--verifier-model": settings.verifier_model is not None,
        "--skip-last-verification": settings.skip_last_verification and own is None,
        'models["verifier"]': "verifier" in given,
    }
    idle = " and ".join(name for name, is_said in said.items() if is_said)
    if not idle:
        return []
    if own is not None:
        return [Noticed("unused-verifier", f"the verifier that was given decides, so {idle} has no effect")]
    told = f"no verifier is asked: {idle} has no effect without --verify-with-model (verify_with_model)"
    return [Noticed("unused-verifier", told)]


def _require_one(settings: Settings, verifier: Verifier) -> None:
    if why := unfit(verifier):
        hint = "pass an object with verify(task, result, iteration, previous_results); a model goes into LLMVerifier"
        raise ConfigError(why, code="bad-verifier", hint=hint)
    if settings.verify_with_model:
        told = f"both a verifier ({type(verifier).__name__}) and verify_with_model are given: one or the other"
        raise ConfigError(told, code="two-verifiers", hint="leave out the verifier, or verify_with_model")


def _family(role: str, name: str, given: Mapping[str, Model]) -> str:
    return given[role].vendor if role in given else name.split(":")[0]


def _name(role: str, wish: str | None, vendor: str, settings: Settings, given: Mapping[str, Model]) -> str:
    return given[role].name if role in given else _named(wish, vendor, settings, cheap=role in ("subquery", "verifier"))


def _named(name: str | None, vendor: str, settings: Settings, *, cheap: bool = False) -> str:
    """`vendor:model` for a wish, or the default of `vendor`; ConfigError when it cannot be reached."""
    if name is None:
        return f"{vendor}:{DEFAULTS[vendor][1 if cheap else 0]}"
    # A bare name of no known family is most likely served by the server that the user pointed us to.
    vendor, model = parse(name, vendor if vendor in ("anthropic", "openai") else "openai")
    if not settings.reachable(vendor):
        key = f"{vendor.upper()}_API_KEY"
        hint = f"set {key} in the environment or in .env, or {vendor.upper()}_BASE_URL for a server without a key"
        raise ConfigError(f"{vendor}:{model} needs a key", code="no-key", hint=hint)
    return f"{vendor}:{model}"


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a run, metered: every call of theirs is budgeted and recorded.

    `meter` does the same for a model that comes with something of the caller's.
    """

    worker: Model
    judge: Model
    subquery: Model
    connected: tuple[Model, ...] = ()
    reasoner: Model | None = None
    verifier: Model | None = None
    meter: Callable[[Model], Model] = lambda model: model
    panel: tuple[Model, ...] = ()

    def close(self) -> None:
        """Give the connections back; models of the caller's are left alone."""
        for model in self.connected:
            close = getattr(model, "close", None)
            if close is not None:
                close()


def build_models(
    settings: Settings,
    names: Names,
    ledger: Ledger,
    sink: Sink,
    overrides: Mapping[str, Model] | None = None,
    recording: Recording | None = None,
) -> Models:
    """Connect the models. `overrides` (worker, judge, subquery; reasoner) replaces some by models of the caller's.

    What is in `recording` is answered from there, and not bought again.

    Raises ConfigError when a cost cap is set and a price is unknown: a cap that cannot be kept is no cap.
    """
    numbers = call_numbers()
    recording = recording or Recording()

    def meter(model: Model) -> Model:
        return InTime(Metered(Replaying(model, recording), ledger, sink, numbers), ledger)

    def build(role: str, name: str) -> Model:
        given = (overrides or {}).get(role)
        if given is not None:
            return meter(given)
        vendor, model = parse(name, "anthropic")
        endpoint = settings.endpoint(vendor)
        estimate = _estimate(vendor, model, endpoint.base_url)
        if settings.max_cost is not None and estimate(_PROBE) is None:
            hint = "leave out --max-cost, or choose a model with a known price"
            raise ConfigError(
                f"the price of {name} is unknown, so --max-cost cannot be kept", code="no-price", hint=hint
            )

        def told(attempt: int, error: ProviderError, wait: float) -> None:
            sink(CallRetried(role, name, attempt, error.message, wait))

        # Metering is inside retrying: every attempt may be billed, so every attempt is reserved, booked and recorded.
        connected = connect(name, endpoint)
        closing.append(connected)
        # A script that is read again begins at its first reply, and those of the recording were its first ones.
        on_replayed = connected.skip if isinstance(connected, Scripted) else lambda: None
        replaying = Replaying(connected, recording, on_replayed)
        return Retrying(Metered(replaying, ledger, sink, numbers, estimate), on_retry=told, ledger=ledger)

    closing: list[Model] = []
    worker, judge, subquery = (build(role, getattr(names, role)) for role in ("worker", "judge", "subquery"))
    # The reasoner of a task is the worker, unless the caller gave another.
    reasoner = build("reasoner", "") if "reasoner" in (overrides or {}) else None
    verifier = build("verifier", names.verifier) if names.verifier else None
    panel = tuple(build("panel", name) for name in names.panel)
    return Models(worker, judge, subquery, tuple(closing), reasoner, verifier, meter, panel)


_PROBE = Request("worker", "", ())


def _estimate(vendor: str, model: str, base_url: str | None) -> Estimate:
    def worst(request: Request) -> float | None:
        if vendor == "offline":
            return 0.0
        # Two characters a token is more tokens than any text we have seen; schemas and marks are covered by the 2,000.
        usage = Usage(1, request.characters // 2 + 2_000, request.max_tokens)
        return prices.price(vendor, model, usage, base_url)

    return worst


def open_engine(
    settings: Settings, document_chars: int, on_wait: Callable[[str], None] | None = None
) -> Callable[[], Sandbox]:
    """A function that opens the sandbox engine of the settings, sized for a document of that many characters."""

    def opened() -> Sandbox:
        memory = max(settings.snippet_memory_mb << 20, 8 * document_chars + (300 << 20))
        limits = SandboxLimits(seconds=settings.snippet_seconds, memory=memory, prompt_chars=SUBQUERY_CHARS)
        return open_sandbox(
            settings.sandbox,
            cache=settings.cache_folder,
            limits=limits,
            fetch_env=fetch_environment(),
            on_wait=on_wait,
        )

    return opened


@dataclass(frozen=True, slots=True)
class Stage:
    """What a mode is built on: settings, connected models, a sandbox to be opened, nonces, sink, folder, ledger."""

    settings: Settings
    models: Models
    engine: Callable[[], Sandbox]
    nonces: Nonces
    sink: Sink
    folder: Path
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run is made of: its mode, and how to end the processes and threads behind it.

    `kept` says whether there is a result already while an iteration is being made, which a failure must not lose.
    """

    mode: Mode
    closing: tuple[Callable[[], None], ...] = ()
    kept: Callable[[], bool] = lambda: False

    def close(self) -> None:
        """End them, in order."""
        for close in self.closing:
            close()
