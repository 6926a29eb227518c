"""ralph: answers about long documents in which every claim is pinned to verbatim quotes.

The names below are the public Python API; they are loaded when first used, so that importing ralph costs nothing.
"""

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, which takes long to import
if TYPE_CHECKING:
    from ralph_cli.api import aask as aask
    from ralph_cli.api import afollow_up as afollow_up
    from ralph_cli.api import arun_goal as arun_goal
    from ralph_cli.api import arun_task as arun_task
    from ralph_cli.api import ask as ask
    from ralph_cli.api import atable as atable
    from ralph_cli.api import estimate_table as estimate_table
    from ralph_cli.api import evaluate as evaluate
    from ralph_cli.api import follow_up as follow_up
    from ralph_cli.api import judge_test as judge_test
    from ralph_cli.api import make_table as make_table
    from ralph_cli.api import run_goal as run_goal
    from ralph_cli.api import run_task as run_task
    from ralph_cli.api import watch as watch
    from ralph_cli.checks.verifier import LLMVerifier as LLMVerifier
    from ralph_cli.checks.verifier import VerificationResult as VerificationResult
    from ralph_cli.checks.verifier import Verifier as Verifier
    from ralph_cli.config import Settings as Settings
    from ralph_cli.core.awaiting import WatchedRun as WatchedRun
    from ralph_cli.core.errors import ConfigError as ConfigError
    from ralph_cli.core.errors import DocumentError as DocumentError
    from ralph_cli.core.errors import EngineError as EngineError
    from ralph_cli.core.errors import JournalError as JournalError
    from ralph_cli.core.errors import LimitExceeded as LimitExceeded
    from ralph_cli.core.errors import ProviderError as ProviderError
    from ralph_cli.core.errors import RalphError as RalphError
    from ralph_cli.core.errors import UserError as UserError
    from ralph_cli.core.model import Usage as Usage
    from ralph_cli.core.results.judge_test import JudgeTest as JudgeTest
    from ralph_cli.core.results.memo import Finding as Finding
    from ralph_cli.core.results.memo import MemoCheck as MemoCheck
    from ralph_cli.core.results.table import Cell as Cell
    from ralph_cli.core.results.table import CellState as CellState
    from ralph_cli.core.results.table import Table as Table
    from ralph_cli.core.results.table import TableQuestion as TableQuestion
    from ralph_cli.core.results.table import Value as Value
    from ralph_cli.core.results.verification import QuoteStanding as QuoteStanding
    from ralph_cli.core.results.verification import Rechecked as Rechecked
    from ralph_cli.core.results.verification import Standing as Standing
    from ralph_cli.core.results.verification import Verification as Verification
    from ralph_cli.core.run import Evidence as Evidence
    from ralph_cli.core.run import Halt as Halt
    from ralph_cli.core.run import Issue as Issue
    from ralph_cli.core.run import Lesson as Lesson
    from ralph_cli.core.run import Outcome as Outcome
    from ralph_cli.core.run import Quote as Quote
    from ralph_cli.core.run import StopType as StopType
    from ralph_cli.core.version import __version__ as __version__
    from ralph_cli.documents.source import DocumentSource as DocumentSource
    from ralph_cli.evaluation.results import Evaluation as Evaluation
    from ralph_cli.loop.config import RalphConfig as RalphConfig
    from ralph_cli.loop.config import ReflectionConfig as ReflectionConfig
    from ralph_cli.loop.config import StopConditionConfig as StopConditionConfig
    from ralph_cli.loop.config import ValidationConfig as ValidationConfig
    from ralph_cli.loop.detectors import CompositeDetector as CompositeDetector
    from ralph_cli.loop.detectors import ConsecutiveFailureDetector as ConsecutiveFailureDetector
    from ralph_cli.loop.detectors import CostLimitDetector as CostLimitDetector
    from ralph_cli.loop.detectors import MaxIterationDetector as MaxIterationDetector
    from ralph_cli.loop.detectors import RegressingDetector as RegressingDetector
    from ralph_cli.loop.detectors import ScoreThresholdDetector as ScoreThresholdDetector
    from ralph_cli.loop.detectors import StalledDetector as StalledDetector
    from ralph_cli.loop.detectors import StopDecision as StopDecision
    from ralph_cli.loop.detectors import StopDetector as StopDetector
    from ralph_cli.loop.detectors import TimeoutDetector as TimeoutDetector
    from ralph_cli.loop.detectors import UserInterruptDetector as UserInterruptDetector
    from ralph_cli.loop.detectors import standard_detectors as standard_detectors
    from ralph_cli.loop.state import LoopState as LoopState
    from ralph_cli.runner.reflect import ModelReflector as ModelReflector
    from ralph_cli.runner.reflect import Reflector as Reflector
    from ralph_cli.runner.reflect import RuleReflector as RuleReflector
    from ralph_cli.runner.runner import Execution as Execution
    from ralph_cli.runner.runner import RalphResult as RalphResult
    from ralph_cli.runner.runner import RalphRunner as RalphRunner
    from ralph_cli.runner.scorers import JudgeScorer as JudgeScorer
    from ralph_cli.runner.scorers import KeywordScorer as KeywordScorer
    from ralph_cli.runner.scorers import LengthScorer as LengthScorer
    from ralph_cli.runner.scorers import QuoteScorer as QuoteScorer
    from ralph_cli.runner.scorers import Score as Score
    from ralph_cli.runner.scorers import Scorer as Scorer
    from ralph_cli.runs.goals import VerifierCommands as VerifierCommands
    from ralph_cli.runs.lookup import check_memo as check_memo
    from ralph_cli.runs.lookup import check_quotes as check_quotes
    from ralph_cli.runs.result import Result as Result
    from ralph_cli.runs.resuming.resume import resume as resume
    from ralph_cli.runs.verifying.verify import verify as verify

_MODULES = {
    "api": (
        "aask",
        "afollow_up",
        "arun_goal",
        "arun_task",
        "ask",
        "atable",
        "estimate_table",
        "evaluate",
        "follow_up",
        "judge_test",
        "make_table",
        "run_goal",
        "run_task",
        "watch",
    ),
    "documents.source": ("DocumentSource",),
    "runs.goals": ("VerifierCommands",),
    "runs.lookup": ("check_memo", "check_quotes"),
    "runs.result": ("Result",),
    "config": ("Settings",),
    "runs.resuming.resume": ("resume",),
    "core.results.memo": ("Finding", "MemoCheck"),
    "core.results.table": ("Cell", "CellState", "Table", "TableQuestion", "Value"),
    "runs.verifying.verify": ("verify",),
    "core.results.verification": ("QuoteStanding", "Rechecked", "Standing", "Verification"),
    "core.awaiting": ("WatchedRun",),
    "core.errors": (
        "ConfigError",
        "DocumentError",
        "EngineError",
        "JournalError",
        "LimitExceeded",
        "ProviderError",
        "RalphError",
        "UserError",
    ),
    "core.results.judge_test": ("JudgeTest",),
    "core.model": ("Usage",),
    "core.run": ("Evidence", "Halt", "Issue", "Lesson", "Outcome", "Quote", "StopType"),
    "core.version": ("__version__",),
    "evaluation.results": ("Evaluation",),
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

__all__ = sorted(_PUBLIC)


if not TYPE_CHECKING:  # or a misspelt name would pass for any other

    def __getattr__(name: str) -> object:
        if name in _PUBLIC:
            return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
