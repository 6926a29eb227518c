"""Asks the judge's model whether an answer says what the reference says: one light call, metered, within the budget."""

from dataclasses import replace
from typing import Literal

from ralph_cli.core.budget import Ledger
from ralph_cli.core.clock import token
from ralph_cli.core.errors import LimitExceeded, ProviderError
from ralph_cli.core.model import Usage
from ralph_cli.core.prompts.framing import frame_data, truncate
from ralph_cli.core.prompts.json_reply import StrictObject, UnparseableReply, agent_request, ask_model, parse_object
from ralph_cli.core.prompts.json_schema import choice, object_schema, string
from ralph_cli.core.prompts.templates import render_prompt
from ralph_cli.evaluation.question_sets import Question
from ralph_cli.evaluation.results import Grade
from ralph_cli.runs.execute import Setup
from ralph_cli.wiring.models import NOBODY, ModelNames, build_models
from ralph_cli.wiring.spending import run_budget

MAX_CHARS, MAX_TOKENS = 8_000, 1_000
"""Characters shown of the reference and of the answer, and tokens of the reply."""

SCHEMA = object_schema(verdict=choice("yes", "partly", "no"), reason=string())


class _Reply(StrictObject):
    verdict: Literal["yes", "partly", "no"]
    reason: str


def grader_name(names: ModelNames, setup: Setup) -> str:
    """The model that compares answers with references; "" when the judge is none that reads."""
    vendor = setup.models["judge"].vendor if "judge" in setup.models else names.judge.split(":")[0]
    return "" if vendor == "offline" else names.judge


def grade_with_model(question: Question, answer: str, names: ModelNames, setup: Setup) -> tuple[Grade, Usage]:
    """The judge's word on an answer, and what it cost; "unjudged", with the reason, where none could be had.

    What may be spent on it is the budget of the settings.
    """
    nonce = token()
    shown = {"question": question.question, "reference": question.reference, "answer": answer}
    framed = {name: frame_data(truncate(text, MAX_CHARS), nonce) for name, text in shown.items()}
    request = agent_request("grader", render_prompt("grader_request", **framed), SCHEMA, "grade", shown, MAX_TOKENS)
    ledger = Ledger(run_budget(setup.settings, {"judge": names.judge}, setup.models)[0])
    # Nobody else is asked, so nothing else needs a key or a price.
    alone = replace(names, worker=NOBODY, subquery=NOBODY, verifier="", panel=())
    given = {"judge": setup.models["judge"]} if "judge" in setup.models else {}
    models = build_models(setup.settings, alone, ledger, setup.sink or (lambda event: None), given)
    try:
        reply = ask_model(models.judge, request, lambda text: parse_object(text, _Reply))
        grade = Grade(reply.verdict, names.judge, " ".join(reply.reason.split()))
    except (ProviderError, LimitExceeded, UnparseableReply) as error:
        grade = Grade("unjudged", names.judge, str(error))
    finally:
        models.close()
    return grade, ledger.spent
