"""The public names of the package: exactly these, loaded when used."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import ralph_cli

ROWS = {
    "B2": [
        "test_the_public_names_are_exactly_these",
        "test_a_verifier_of_ones_own_can_be_given_wherever_results_are_checked",
    ],
    "C7": ["test_the_public_names_are_exactly_these"],
}

DOCUMENTS = {
    "Result",
    "Settings",
    "aask",
    "afollow_up",
    "arun_goal",
    "arun_task",
    "ask",
    "atable",
    "check_memo",
    "check_quotes",
    "follow_up",
    "resume",
    "run_goal",
    "run_task",
    "verify",
    "watch",
}
DOCUMENTS |= {"DocumentSource", "Evaluation", "JudgeTest", "VerifierCommands", "WatchedRun", "evaluate", "judge_test"}
TABLES = {"Cell", "CellState", "Table", "TableQuestion", "Value", "estimate_table", "make_table"}
VERIFIED = {"QuoteStanding", "Rechecked", "Standing", "Verification"}
VOCABULARY = {"Evidence", "Finding", "Halt", "Issue", "Lesson", "MemoCheck", "Outcome", "Quote", "StopType", "Usage"}
LOOP = {
    "CompositeDetector",
    "ConsecutiveFailureDetector",
    "CostLimitDetector",
    "Execution",
    "LoopState",
    "MaxIterationDetector",
    "RalphConfig",
    "RalphResult",
    "RalphRunner",
    "ReflectionConfig",
    "RegressingDetector",
    "ScoreThresholdDetector",
    "StalledDetector",
    "StopConditionConfig",
    "StopDecision",
    "StopDetector",
    "TimeoutDetector",
    "UserInterruptDetector",
    "ValidationConfig",
    "standard_detectors",
}
SCORERS = {"JudgeScorer", "KeywordScorer", "LengthScorer", "QuoteScorer", "Score", "Scorer"}
REFLECTORS = {"ModelReflector", "Reflector", "RuleReflector"}
ERRORS = {"ConfigError", "DocumentError", "EngineError", "JournalError", "LimitExceeded", "ProviderError", "RalphError"}
ERRORS |= {"UserError"}
VERIFIERS = {"LLMVerifier", "VerificationResult", "Verifier"}


def test_the_public_names_are_exactly_these() -> None:
    expected = (
        DOCUMENTS | TABLES | VERIFIED | VOCABULARY | LOOP | SCORERS | REFLECTORS | VERIFIERS | ERRORS | {"__version__"}
    )
    assert set(ralph_cli.__all__) == expected
    assert ralph_cli.__all__ == sorted(expected) and expected <= set(dir(ralph_cli))


@pytest.mark.parametrize("name", sorted(ralph_cli.__all__))
def test_every_public_name_is_there(name: str) -> None:
    found = getattr(ralph_cli, name)
    assert name == "__version__" or (found.__name__ == name and found.__doc__)


@pytest.mark.parametrize("name", ["ask", "run_task", "resume", "RalphRunner"])
def test_a_verifier_of_ones_own_can_be_given_wherever_results_are_checked(name: str) -> None:
    given = inspect.signature(getattr(ralph_cli, name)).parameters["verifier"]
    assert given.default is None and given.kind is given.KEYWORD_ONLY and "Verifier" in str(given.annotation)


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'answer'"):
        ralph_cli.answer  # noqa: B018


def test_importing_is_silent_and_loads_nothing_of_the_package() -> None:
    code = (
        "import sys, ralph_cli\n"
        "inner = [name for name in sys.modules if name.startswith('ralph_cli.')]\n"
        "heavy = {'pydantic', 'anthropic', 'openai', 'rich', 'typer', 'asyncio'} & set(sys.modules)\n"
        "print(inner, sorted(heavy))\n"
        "ralph_cli.RalphRunner\n"
        "print(sorted({'anthropic', 'openai', 'rich', 'typer'} & set(sys.modules)))"
    )
    root = Path(__file__).parent.parent
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root, check=True)
    assert (done.stdout, done.stderr) == ("[] []\n[]\n", "")
