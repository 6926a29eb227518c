"""Contracts of a few lines, questions on their fees, and models that read the answer off; run as a program, too.

    python contracts.py worker DATABASE STORE ID OUT LOG SECONDS JOBS
    python contracts.py submit DATABASE STORE TABLE DOCUMENTS [QUESTIONS]
    python contracts.py alone TABLE DOCUMENTS SECONDS JOBS QUESTIONS

Each call of a model takes so many seconds, and is a line in the log: who was asked, of which contract, for which fee.
"""

import json
import os
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from ralph_cli import api
from ralph_cli.cluster.worker import work
from ralph_cli.config import Settings
from ralph_cli.core.model import Model, Reply, Request, Usage
from ralph_cli.core.results.table import Table, TableQuestion
from ralph_cli.providers.metered import turn_text
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply

FEES = (
    "basic", "opening", "entry", "exit", "storage", "transfer", "drying", "cleaning", "sampling", "weighing",
    "loading", "handling", "cooling", "airing", "turning", "sealing", "guarding", "insuring", "mixing", "sorting",
)  # fmt: skip

PAID = Usage(1, 100, 10, usd=0.001)


def questions(count: int = 3) -> tuple[TableQuestion, ...]:
    """Questions on so many fees."""
    return tuple(TableQuestion(id=fee, question=f"What is the {fee} fee?", type="money") for fee in FEES[:count])


def write_contracts(folder: Path, count: int = 4) -> Path:
    """So many contracts, in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        lines = [f"Contract C{number:04} on the storage of grain, made for the harvest year.\n"]
        lines += [f"The {fee} fee of it is EUR {number + 1},{place}00 for all.\n" for place, fee in enumerate(FEES, 1)]
        (folder / f"c{number:04}.txt").write_text("\n".join(lines))
    return folder


def scripted_models(log: Path | None = None, seconds: float = 0.0) -> dict[str, Model]:
    """A worker that answers with the line of the fee, and a judge that agrees."""

    def pay(role: str, request: Request) -> str:
        text = request.system + "\n".join(turn_text(turn) for turn in request.turns)
        contract = next(iter(re.findall(r"Contract (C\d{4})", text)), "")
        fee = next(iter(re.findall(r"What is the (\w+) fee", text)), "")
        if log is not None:
            handle = os.open(log, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
            os.write(handle, f"{role} {contract} {fee} {time.time():.3f}\n".encode())
            os.close(handle)
        time.sleep(seconds)
        return next(
            line for line in re.findall(r"The \w+ fee of it is EUR [\d,]+ for all\.", text) if f" {fee} " in line
        )

    def answer(request: Request) -> Reply:
        asked.requests.clear()  # of thousands of cells they would be the most that is held
        line = pay("worker", request)
        return tool_reply({"claims": [{"text": line, "quotes": [line]}]}, usage=PAID)

    def judge(request: Request) -> Reply:
        judging.requests.clear()
        pay("judge", request)
        said = {"verdicts": [{"id": 1, "verdict": "supported", "reason": "it says so"}]}
        return text_reply(json.dumps(said), usage=PAID)

    asked, judging = ScriptedModel(answer, vendor="a"), ScriptedModel(judge, vendor="b")
    return {"worker": asked, "judge": judging, "subquery": ScriptedModel([], vendor="a")}


def paid_calls(log: Path) -> list[str]:
    """The calls that were paid, as role, contract and fee."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [line.rpartition(" ")[0] for line in lines]


def cells_of(table: Table) -> list[Mapping[str, object]]:
    """What is in the table, without times, costs and the names of runs."""
    return [
        {
            "row": cell.row,
            "question": cell.question,
            "state": cell.state,
            "answer": cell.answer,
            "value": cell.value,
            "quotes": cell.quotes,
            "reason": cell.reason,
            "notes": cell.notes,
            "searched": cell.searched,
        }
        for cell in table
    ]


def submit(database: str, store: str, folder: Path, documents: Path, count: int = 3) -> Table:
    """Fill the table in `folder` by workers; go on with it if it is there."""
    return api.make_table(
        questions(count),
        str(documents),
        folder=folder,
        resume=(folder / "table.json").exists(),
        database=database,
        store=store,
        settings=Settings(out=folder.parent, max_cost="none"),
        models=scripted_models(),
    )


def main(role: str, *given: str) -> None:
    """The program of that role."""
    if role == "submit":
        database, store, folder, documents, *count = given
        submit(database, store, Path(folder), Path(documents), *map(int, count))
    elif role == "alone":
        folder, documents, seconds, jobs, count = given
        api.make_table(
            questions(int(count)),
            documents,
            folder=folder,
            jobs=int(jobs),
            settings=Settings(out=Path(folder).parent, max_cost="none"),
            models=scripted_models(seconds=float(seconds)),
        )
    else:
        database, store, worker, out, log, seconds, jobs = given
        work(
            database,
            store,
            worker,
            jobs=int(jobs),
            settings=Settings(out=Path(out)),
            models=scripted_models(Path(log), float(seconds)),
            on_fault=lambda message: print(message, file=sys.stderr, flush=True),
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
