"""Options that several commands share, each declared once."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ralph_cli.documents.source import DocumentSource, OnLoading

Out = Annotated[Path | None, typer.Option("--out", help="Folder for runs and traces (OUT_DIR; default out).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
Model = Annotated[
    str | None, typer.Option("--model", help="Worker, vendor:model (GENERATE_MODEL); `offline` needs no key.")
]
JudgeModel = Annotated[str | None, typer.Option("--judge-model", help="Judge, vendor:model (VALIDATE_MODEL).")]
SubqueryModel = Annotated[str | None, typer.Option("--subquery-model", help="Model of llm_query (SUBQUERY_MODEL).")]
Panel = Annotated[
    str | None,
    typer.Option("--panel", help="Models, with commas between, that are asked too where a claim is half proved."),
]
CounterEvidence = Annotated[
    bool | None,
    typer.Option("--counter-evidence/--no-counter-evidence", help="Look for what speaks against each claim (default)."),
]
VerifyWithModel = Annotated[
    bool | None,
    typer.Option("--verify-with-model", help="Let a light model ask of each result whether it does what was asked."),
]
VerifierModel = Annotated[
    str | None, typer.Option("--verifier-model", help="That model, vendor:model (default a cheap one).")
]
SkipLastVerification = Annotated[
    bool | None, typer.Option("--skip-last-verification", help="Do not verify the last iteration's result.")
]
Bullets = Annotated[str | None, typer.Option("--bullets", help="How many claims: 5 (exactly) or 3-7 (default 1-7).")]
Quotes = Annotated[
    str | None, typer.Option("--quotes", help="How many different quotes: 5 (exactly) or 3-8 (default 1-8).")
]
QuoteChars = Annotated[
    str | None, typer.Option("--quote-chars", help="Characters of a quote: 160 (at most) or 40-160 (default 12-500).")
]
AllowHiddenText = Annotated[
    bool | None,
    typer.Option("--allow-hidden-text", help="Take quotes that a reader of the page cannot see, and mark them."),
]
MaxIterations = Annotated[
    int | None, typer.Option("--max-iterations", help="Attempts of the outer loop (MAX_ITERS; default 4).")
]
MaxSteps = Annotated[
    int | None, typer.Option("--max-steps", help="Worker steps in an iteration (WORKER_MAX_STEPS; default 80).")
]
MaxSubqueries = Annotated[
    int | None,
    typer.Option("--max-subqueries", help="Sub-queries in an iteration (WORKER_MAX_LLM_CALLS; default 60)."),
]
MaxTime = Annotated[float | None, typer.Option("--max-time", help="Seconds for the whole run.")]
MaxCost = Annotated[float | None, typer.Option("--max-cost", help="US dollars for the whole run.")]
MaxFailures = Annotated[
    int | None,
    typer.Option("--max-failures", help="Attempts in a row that gave nothing, before giving up (default 3)."),
]
ScoreThreshold = Annotated[
    float | None,
    typer.Option(
        "--score-threshold",
        help="Stop, not accepted, at this share of supported claims, or of figures found in a task (default off).",
    ),
]
MinCoverage = Annotated[
    float | None,
    typer.Option(
        "--min-coverage",
        help="Share of the document that a model must have read, e.g. 0.9 (default: none for a question or a look-up, "
        "0.8 for a task that asks for everything, such as a summary; none without a key).",
    ),
]
Strategy = Annotated[
    str | None, typer.Option("--strategy", help="auto, rlm (explore by code) or direct (give the whole text).")
]
Retry = Annotated[
    str | None,
    typer.Option("--retry", help="After a refusal: continue the conversation, begin a fresh one, or auto (default)."),
]
Engine = Annotated[str | None, typer.Option("--sandbox", help="auto, pyodide or native (Linux) (RALPH_SANDBOX).")]
Password = Annotated[str | None, typer.Option("--password", help="Password of an encrypted PDF.")]
Encoding = Annotated[str | None, typer.Option("--encoding", help="Encoding of a text file, e.g. cp1252.")]


def drop_unset(**values: Any) -> dict[str, Any]:
    """The settings that were given on the command line."""
    return {name: value for name, value in values.items() if value is not None}


def source_of(
    path: str | Path,
    *,
    password: str | None = None,
    encoding: str | None = None,
    on_loading: "OnLoading | None" = None,
) -> "DocumentSource":
    """The document that a command line names."""
    from ralph_cli.documents.source import DocumentSource

    return DocumentSource(str(path), password, encoding, standard_input=standard_input, on_loading=on_loading)


def standard_input() -> bytes:
    """What comes in on standard input, no more than a document may have; UserError when there is none."""
    from ralph_cli.core.errors import UserError
    from ralph_cli.documents.limits import DEFAULT_LIMITS

    if sys.stdin is None:
        raise UserError("standard input is closed", code="no-input", hint="name a file instead of -")
    return sys.stdin.buffer.read(DEFAULT_LIMITS.bytes + 1)
