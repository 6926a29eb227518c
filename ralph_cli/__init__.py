"""ralph: answers about long documents in which every claim is pinned to verbatim quotes.

The names below are the public Python API; they are loaded when first used, so that importing ralph costs nothing.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

_MODULES = {
    "api": ("ask", "judge_test", "run_goal", "run_task"),
    "documents.source": ("DocumentSource",),
    "runs.goals": ("VerifierCommands",),
    "runs.lookup": ("check_memo", "check_quotes"),
    "runs.execute": ("Finished",),
    "config": ("Settings",),
    "runs.resume": ("resume",),
    "core.results.memo": ("Finding", "MemoCheck"),
    "runs.verifying.verify": ("verify",),
    "core.results.verification": ("QuoteStanding", "Rechecked", "Standing", "Verification"),
    "core.judge_test": ("JudgeTest",),
    "core.model": ("Usage",),
    "core.run": ("Evidence", "Halt", "Issue", "Lesson", "Outcome", "StopType"),
    "loop.config": ("RalphConfig", "ReflectionConfig", "StopConditionConfig", "ValidationConfig"),
    "loop.detectors": (
        "CompositeDetector",
        "ConsecutiveFailureDetector",
        "CostLimitDetector",
        "MaxIterationDetector",
        "RegressingDetector",
        "ScoreThresholdDetector",
        "StalledDetector",
        "StopDecision",
        "StopDetector",
        "TimeoutDetector",
        "UserInterruptDetector",
        "standard_detectors",
    ),
    "loop.state": ("LoopState",),
    "runner.runner": ("Execution", "RalphResult", "RalphRunner"),
    "runner.reflect": ("ModelReflector", "Reflector", "RuleReflector"),
    "runner.scorers": ("JudgeScorer", "KeywordScorer", "LengthScorer", "QuoteScorer", "Score", "Scorer"),
    "checks.verifier": ("LLMVerifier", "VerificationResult", "Verifier"),
}
_PUBLIC = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted((*_PUBLIC, "__version__"))


def __getattr__(name: str) -> "Any":
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
