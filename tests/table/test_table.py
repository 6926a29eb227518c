"""A table with scripted models: what stands in its cells, what goes on after a break, and what is not bought twice."""

import _thread
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fakes import hand_in, second_reader

from ralph_cli import Settings
from ralph_cli.api import estimate_table, make_table
from ralph_cli.core.errors import ConfigError, JournalError, ProviderError, UserError
from ralph_cli.core.model import Model, Reply, Request, Usage
from ralph_cli.core.results.table import ALL_DOCUMENTS, CellState, Table, TableQuestion
from ralph_cli.core.run import StopType
from ralph_cli.journal.rows import hold_folder
from ralph_cli.providers.scripted import ScriptedModel, text_reply, tool_reply
from ralph_cli.runs.resuming.replay import replay
from ralph_cli.table.questions import read_table_questions

RENT = TableQuestion(id="rent", question="What is the rent?", type="money")
TERM = TableQuestion(id="term", question="How long does the lease run?")
DOG = TableQuestion(id="dog", question="May tenants keep a dog?", type="yes/no")
LEASES = {"a.html": "$48,000", "b.html": "$51,500"}


def write_leases(folder: Path, **rents: str) -> Path:
    """Two leases, in which words of running text stand around the rent."""
    folder.mkdir(exist_ok=True)
    for name, rent in {**LEASES, **{f"{stem}.html": rent for stem, rent in rents.items()}}.items():
        body = f"<h1>Lease</h1><p>The base rent is {rent} a year.</p><p>The lease runs for ten years from signing.</p>"
        (folder / name).write_text(f"<html><body>{body}</body></html>", "utf-8")
    return folder


@dataclass
class Cast:
    """Scripted models that answer from the text they are given; a fault is raised once, at its question.

    A reply among the faults is given, and so are what `said` has in place of a verdict.
    """

    faults: dict[str, list[Any]] = field(default_factory=dict)
    said: list[Reply | ProviderError] = field(default_factory=list)
    usd: float = 0.01
    before: Callable[[Request], None] = lambda request: None
    asked: list[str] = field(default_factory=list)
    judged: int = 0
    requests: list[Request] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)

    @property
    def models(self) -> dict[str, Model]:
        judge = ScriptedModel(self._judge, name="scripted:judge", vendor="b")
        return {"worker": ScriptedModel(self._work, vendor="a"), "judge": judge, "subquery": ScriptedModel([])}

    def _work(self, request: Request) -> Reply | ProviderError:
        question, text = request.inputs["question"], request.turns[0].text
        with self.lock:
            self.asked.append(question)
            self.requests.append(request)
            fault = self.faults.get(question, []).pop(0) if self.faults.get(question) else None
        self.before(request)
        if isinstance(fault, ProviderError | Reply):
            return fault
        if isinstance(fault, BaseException):
            raise fault
        usage = Usage(1, 10, 10, characters=100, usd=self.usd)
        if "dog" in question:
            return tool_reply({"not_found": {"searched": ["dog", "pet"], "note": "nothing on animals"}}, usage=usage)
        start = "The base rent is" if "rent" in question else "The lease runs for ten years"
        quote = next((line for line in text.split("\n") if line.startswith(start)), "")
        if not quote:
            return tool_reply({"not_found": {"searched": ["base rent"], "note": "no rent is named"}}, usage=usage)
        claim = quote.rstrip(".") if "rent" in question else "The lease runs for ten years"
        return tool_reply({"claims": [{"text": f"{claim}.", "quotes": [quote]}]}, usage=usage)

    def _judge(self, request: Request) -> Reply | ProviderError:
        with self.lock:
            self.judged += 1
            if self.said:
                return self.said.pop(0)
        if (found := second_reader(request, Usage(1, usd=self.usd))) is not None:
            return found
        ids = [claim["id"] for claim in request.inputs["claims"]]
        said = [{"id": number, "verdict": "supported", "reason": "it says so"} for number in ids]
        return text_reply(json.dumps({"verdicts": said}), usage=Usage(1, usd=self.usd))


def fill(cast: Cast, folder: Path, *questions: TableQuestion, **more: Any) -> Table:
    """The table of the leases beside `folder`, one document at a time."""
    settings = more.pop("settings", None) or Settings(out=folder / "out", cache=folder / "cache")
    documents = more.pop("documents", None) or write_leases(folder / "leases")
    chosen = {"jobs": 1, "folder": folder / "table", **more}
    return make_table(questions or (RENT, TERM, DOG), documents, settings=settings, models=cast.models, **chosen)


def states(table: Table) -> dict[tuple[str, str], str]:
    return {(cell.row, cell.question): cell.state.value for cell in table}


def test_each_cell_has_its_answer_and_proof_and_says_what_is_not_there(tmp_path: Path) -> None:
    leases = write_leases(tmp_path / "leases")
    (leases / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    table = fill(Cast(), tmp_path)
    cells = {(cell.row, cell.question): cell for cell in table}
    assert cells["b.html", "rent"].answer == "The base rent is $51,500 a year."
    assert [quote.text for quote in cells["b.html", "rent"].quotes] == ["The base rent is $51,500 a year."]
    assert cells["a.html", "dog"].state is CellState.ABSENT and '"pet": 0' in cells["a.html", "dog"].searched
    assert not cells["a.html", "dog"].answer and "nothing on animals" in cells["a.html", "dog"].reason
    assert cells["broken.pdf", "rent"].state is CellState.FAILED and cells["broken.pdf", "rent"].reason
    assert cells["a.html", "rent"].models == ("scripted:script", "scripted:judge")
    assert table.halt.type is StopType.COMPLETION and len(table) == 9


def test_what_the_source_of_a_figure_limits_is_no_plain_value(tmp_path: Path) -> None:
    leases = write_leases(tmp_path / "leases", c="up to $60,000")
    quote = "The base rent is up to $60,000 a year."
    dropped = hand_in({"text": "The base rent is $60,000 a year.", "quotes": [quote]})
    cast = Cast(faults={RENT.question: [dropped]})
    (cell,) = fill(cast, tmp_path, RENT, documents=leases / "c.html")
    assert cell.value and cell.value.number is None
    assert cell.value.problem.startswith('the document limits it ("rent is up to $60,000')


def test_new_questions_and_documents_fill_new_cells_only(tmp_path: Path) -> None:
    first, second = Cast(), Cast()
    fill(first, tmp_path, RENT)
    (tmp_path / "leases" / "c.html").write_text("<p>The base rent is $9,000 a year.</p>", "utf-8")
    table = fill(second, tmp_path, RENT, TERM, documents=tmp_path / "leases" / "c.html", resume=True)
    assert sorted(first.asked) == [RENT.question] * 2
    # A document that is not named this time keeps its cells, and is still asked what is new.
    assert sorted(second.asked) == sorted([RENT.question] + [TERM.question] * 3)
    assert len(table) == 6


def test_a_table_is_not_begun_over_another_one(tmp_path: Path) -> None:
    fill(Cast(), tmp_path, RENT)
    with pytest.raises(ConfigError, match="there is a table"):
        fill(Cast(), tmp_path, RENT)
    other = TableQuestion(id="rent", question="What is the deposit?")
    with pytest.raises(ConfigError, match="What is the rent"):
        fill(Cast(), tmp_path, other, resume=True)


def test_two_processes_do_not_work_on_one_table(tmp_path: Path) -> None:
    with (
        hold_folder(tmp_path / "table", "this table"),
        pytest.raises(JournalError, match="another process is still working on this table, in"),
    ):
        fill(Cast(), tmp_path, RENT)
    assert not (tmp_path / "table" / "table.json").exists()
    assert len(fill(Cast(), tmp_path, RENT)) == 2


@pytest.mark.parametrize("named", ["leases", "leases/*"])
def test_the_file_of_the_questions_is_no_document(tmp_path: Path, named: str) -> None:
    leases = write_leases(tmp_path / "leases")
    (leases / "questions.txt").write_text("What is the rent?\n", "utf-8")
    asked = TableQuestion(id="dogs", question=DOG.question, each="set")
    settings, cast = Settings(out=tmp_path / "out", cache=tmp_path / "cache"), Cast()
    more: dict[str, Any] = {"folder": tmp_path / "table", "settings": settings, "models": cast.models}
    table = make_table(leases / "questions.txt", str(tmp_path / named), **more)
    assert {row.name for row in table.rows} == {"a.html", "b.html"}
    (leases / "questions.txt").write_text(f"- question: {asked.question}\n  each: set\n", "utf-8")
    (leases / "questions.txt").rename(leases / "set.yaml")
    table = make_table(leases / "set.yaml", str(tmp_path / named), **{**more, "folder": tmp_path / "of-set"})
    assert states(table)[ALL_DOCUMENTS, "q1"] == "absent"


def test_a_table_of_somebody_else_names_no_folder_outside(tmp_path: Path) -> None:
    fill(Cast(), tmp_path, RENT)
    path = tmp_path / "table" / "table.json"
    held = json.loads(path.read_text("utf-8"))
    held["rows"][0]["sha256"] = "../../../elsewhere"
    path.write_text(json.dumps(held), "utf-8")
    with pytest.raises(JournalError, match="damaged"):
        fill(Cast(), tmp_path, RENT, resume=True)


def test_the_bound_holds_for_all_cells_and_what_is_paid_is_not_paid_again(tmp_path: Path) -> None:
    cast = Cast(usd=1.0)
    bounded = Settings(out=tmp_path / "out", cache=tmp_path / "cache", max_calls=5)
    table = fill(cast, tmp_path, settings=bounded, jobs=2)
    assert table.halt.type is StopType.MAX_CALLS
    assert sum(cell.usage.calls for cell in table) <= 5
    done = [place for place, state in states(table).items() if state in ("answered", "absent")]
    assert done and any(state in ("cut off", "not asked") for state in states(table).values())
    asked = len(cast.asked)
    more = Settings(out=tmp_path / "out", cache=tmp_path / "cache", max_calls=50)
    table = fill(cast, tmp_path, settings=more, resume=True)
    assert {*states(table).values()} == {"answered", "absent"}
    # Six cells have six calls of the worker, whatever was cut off between them.
    assert len(cast.asked) == 6 > asked


def test_a_cell_that_fails_ends_no_other_and_is_asked_again_when_wanted(tmp_path: Path) -> None:
    cast = Cast(faults={TERM.question: [ProviderError("no such model", code="no-model"), ValueError("a bug")]})
    table = fill(cast, tmp_path)
    assert states(table)["a.html", "term"] == states(table)["b.html", "term"] == "failed"
    assert "no such model" in table.cells["a.html", "term"].reason
    assert states(fill(cast, tmp_path, resume=True)) == states(table)
    again = fill(cast, tmp_path, resume=True, again=[CellState.FAILED])
    assert states(again)["a.html", "term"] == states(again)["b.html", "term"] == "answered"


def test_what_a_failed_cell_has_paid_for_is_not_bought_again(tmp_path: Path) -> None:
    claim = {"claims": [{"text": "The base rent is $1.", "quotes": ["The base rent is $1 a year."]}]}
    paid = tool_reply(claim, usage=Usage(1, 10, 10, usd=0.01))
    cast = Cast(faults={RENT.question: [paid, ProviderError("the service failed", code="server")]})
    leases = write_leases(tmp_path / "leases") / "a.html"
    table = fill(cast, tmp_path, RENT, documents=leases)
    (cell,) = table
    assert cell.state is CellState.FAILED and cast.asked == [RENT.question] * 2
    (cell,) = fill(cast, tmp_path, RENT, documents=leases, resume=True, again=[CellState.FAILED])
    # The call that failed is made again, and the judge is asked; the first is in the record.
    assert cell.state is CellState.ANSWERED and (len(cast.asked), cast.judged) == (3, 1)
    assert cell.usage.usd == pytest.approx(0.03)


@pytest.mark.parametrize(
    "said",
    [text_reply("I cannot say.", usage=Usage(1, usd=0.01)), ProviderError("the service failed", code="server")],
    ids=["no verdict", "no reply"],
)
def test_a_cell_without_a_verdict_asks_the_judge_alone_again(tmp_path: Path, said: Reply | ProviderError) -> None:
    cast = Cast(said=[said] * 9)
    leases = write_leases(tmp_path / "leases") / "a.html"
    (cell,) = fill(cast, tmp_path, RENT, documents=leases)
    assert cell.state is CellState.UNJUDGED
    cast.said.clear()
    cast.judged = 0
    (cell,) = fill(cast, tmp_path, RENT, documents=leases, resume=True, again=[CellState.UNJUDGED])
    assert cell.state is CellState.ANSWERED and (len(cast.asked), cast.judged) == (1, 1)


def test_a_verdict_that_was_of_no_use_stays_paid_for(tmp_path: Path) -> None:
    nonsense = text_reply("I cannot say.", usage=Usage(1, usd=0.01))
    cast = Cast(said=[nonsense] * 2)  # what is out of shape is asked for once more at once
    leases = write_leases(tmp_path / "leases") / "a.html"
    (cell,) = fill(cast, tmp_path, RENT, documents=leases)
    assert (cell.state, cell.usage.usd) == (CellState.UNJUDGED, pytest.approx(0.03))
    again = {"documents": leases, "resume": True, "again": [CellState.UNJUDGED]}
    cast.said = [nonsense] * 2
    (cell,) = fill(cast, tmp_path, RENT, **again)
    assert (cell.state, cell.usage.usd) == (CellState.UNJUDGED, pytest.approx(0.05))
    capped = Settings(out=tmp_path / "out", cache=tmp_path / "cache", max_cost=0.04)
    (cell,) = fill(cast, tmp_path, RENT, settings=capped, **again)
    assert cell.state is CellState.CUT_OFF and (len(cast.asked), cast.judged) == (1, 4)
    (cell,) = fill(cast, tmp_path, RENT, **again)
    assert (cell.state, cell.usage.calls, cell.usage.usd) == (CellState.ANSWERED, 6, pytest.approx(0.06))
    (recorded,) = (tmp_path / "table" / "runs").glob(f"*/{cell.run}")
    assert not replay(recorded).difference


def test_many_failures_in_a_row_end_the_table(tmp_path: Path) -> None:
    down = [ProviderError("the service is down", code="overloaded")] * 20
    cast = Cast(faults={RENT.question: down, TERM.question: list(down), DOG.question: list(down)})
    table = fill(cast, tmp_path)
    assert table.halt.type is StopType.SYSTEM_ERROR and "service is down" in table.halt.detail
    assert sorted(states(table).values()).count("failed") == 3


def test_an_interrupt_ends_all_jobs_and_the_table_goes_on(tmp_path: Path) -> None:
    interrupted = threading.Event()

    def interrupt(request: Request) -> None:
        if request.inputs["question"] == TERM.question and not interrupted.is_set():
            interrupted.set()
            _thread.interrupt_main()
            time.sleep(0.5)

    cast = Cast(before=interrupt)
    with pytest.raises(KeyboardInterrupt):
        fill(cast, tmp_path)
    table = fill(cast, tmp_path, resume=True)
    assert {*states(table).values()} == {"answered", "absent"}
    # What was in flight is the only thing that is asked again.
    assert cast.asked.count(RENT.question) == 2 and len(cast.asked) <= 7


def test_questions_to_one_document_begin_alike_and_each_document_otherwise(tmp_path: Path) -> None:
    cast = Cast()
    fill(cast, tmp_path, RENT, TERM)
    begun = {(request.system, request.turns[0].text[: request.shared]) for request in cast.requests}
    assert len(cast.requests) == 4 and len(begun) == 2
    for request in cast.requests:
        text = request.turns[0].text
        assert "base rent" in text[: request.shared] and request.inputs["question"] in text[request.shared :]


def test_what_still_stands_in_a_changed_document_is_not_asked_again(tmp_path: Path) -> None:
    fill(Cast(), tmp_path)
    cast = Cast()
    changed = write_leases(tmp_path / "leases", a="$49,900")
    table = fill(cast, tmp_path, documents=changed, resume=True, only_changed=True)
    found = {change.question: change for change in table.changes}
    assert {change.row for change in table.changes} == {"a.html"}
    assert cast.asked == [RENT.question] and not found["rent"].holds and "changed" in found["rent"].why
    assert table.cells["a.html", "rent"].answer == "The base rent is $49,900 a year."
    assert found["dog"].holds and found["term"].holds and found["term"].quotes == ("holds",)
    taken = table.cells["a.html", "term"]
    assert taken.state is CellState.ANSWERED and taken.usage.calls == 0 and "taken over" in " ".join(taken.notes)
    # The record of now has it, so it is not verified or asked once more.
    assert not fill(cast, tmp_path, documents=changed, resume=True, only_changed=True).changes


def write_versions(folder: Path, *, are_new: bool) -> Path:
    """Twelve leases, four of them plain texts; of the new versions three are the same, in three the passages have moved
    behind another page, in three the rent is another, and in three it is gone.
    """
    folder.mkdir(exist_ok=True)
    for number in range(12):
        what = ("same", "moved", "changed", "gone")[number % 4] if are_new else "same"
        rent = f"The base rent is ${number + (70 if what == 'changed' else 40)},500 a year."
        parts = [f"Lease number {number} of the house.", "" if what == "gone" else rent, "It is paid in advance."]
        parts += ["The lease runs for ten years from signing.", "The garden is shared by all."]
        parts[:0] = ["Preamble of the new owner.", "He bought the house.\f"] if what == "moved" else []
        kind = "txt" if number // 4 % 2 else "html"
        text = "\n\n".join(filter(None, parts))
        page = "".join(f"<p>{part}</p>" for part in parts if part)
        (folder / f"{what if are_new else 'lease'}{number:02}.{kind}").write_text(
            text if kind == "txt" else page, "utf-8"
        )
    return folder


def test_of_twelve_new_versions_only_what_no_longer_holds_is_bought(tmp_path: Path) -> None:
    leases = write_versions(tmp_path / "leases", are_new=False)
    fill(Cast(), tmp_path, RENT, TERM, documents=leases)
    what = {}
    for path in write_versions(tmp_path / "new", are_new=True).iterdir():
        name = f"lease{path.stem[-2:]}{path.suffix}"
        what[name] = path.stem[:-2]
        (leases / name).write_bytes(path.read_bytes())
    cast = Cast()
    table = fill(cast, tmp_path, RENT, TERM, documents=leases, resume=True, only_changed=True)
    changes = {(change.row, change.question): change for change in table.changes}
    # What is the same is not even looked at; the other nine are verified, each with both of its answers.
    assert {row for row, _ in changes} == {name for name in what if what[name] != "same"} and len(changes) == 18
    bought = {place for place, change in changes.items() if not change.holds}
    assert bought == {(name, "rent") for name in what if what[name] in ("changed", "gone")}
    assert sorted(cast.asked) == [RENT.question] * 6
    for name, kind in what.items():
        cell, change = table.cells[name, "rent"], changes.get((name, "rent"))
        if change is None:
            assert kind == "same" and "taken over" not in " ".join(cell.notes)
        elif kind == "moved":
            assert change.holds and "taken over" in " ".join(cell.notes) and cell.usage.calls == 0
        else:
            assert ("$" in change.why and "->" in change.why) == (kind == "changed"), change.why
            assert cell.state is (CellState.ANSWERED if kind == "changed" else CellState.ABSENT)
        assert table.cells[name, "term"].state is CellState.ANSWERED


def test_an_answer_whose_surroundings_changed_is_asked_again(tmp_path: Path) -> None:
    fill(Cast(), tmp_path, RENT)
    page = tmp_path / "leases" / "a.html"
    page.write_text(page.read_text("utf-8").replace("a year.</p>", "a year. This rent was waived.</p>"), "utf-8")
    cast = Cast()
    table = fill(cast, tmp_path, RENT, documents=tmp_path / "leases", resume=True, only_changed=True)
    (change,) = table.changes
    assert not change.holds and "around quote 1" in change.why and cast.asked == [RENT.question]


def test_a_question_to_the_set_is_asked_once_over_all(tmp_path: Path) -> None:
    cast = Cast()
    dog = TableQuestion(id="dogs", question=DOG.question, each="set")
    table = fill(cast, tmp_path, RENT, dog)
    assert states(table) == {
        ("a.html", "rent"): "answered",
        ("b.html", "rent"): "answered",
        (ALL_DOCUMENTS, "dogs"): "absent",
    }
    assert cast.asked.count(dog.question) == 1


def test_a_set_is_asked_again_only_if_one_of_its_documents_changed(tmp_path: Path) -> None:
    term = TableQuestion(id="terms", question=TERM.question, each="set")
    fill(Cast(), tmp_path, RENT, term)
    cast = Cast()
    assert not fill(cast, tmp_path, RENT, term, resume=True, only_changed=True).changes and not cast.asked
    changed = write_leases(tmp_path / "leases", a="$49,900")
    table = fill(cast, tmp_path, RENT, term, documents=changed, resume=True, only_changed=True)
    assert sorted(cast.asked) == sorted((RENT.question, TERM.question))
    (why,) = [change.why for change in table.changes if change.row == ALL_DOCUMENTS]
    assert why, "a reader is told why it was asked"


def test_the_estimate_counts_what_is_still_to_be_asked_and_writes_nothing(tmp_path: Path) -> None:
    settings = Settings(
        out=tmp_path / "out",
        cache=tmp_path / "cache",
        anthropic_key="key",
        openai_key="key",
        prices=("anthropic:m=3/15", "openai:j=1/8"),
        model="anthropic:m",
        judge_model="openai:j",
        subquery_model="anthropic:m",
    )
    leases = write_leases(tmp_path / "leases")
    whole = estimate_table((RENT, TERM), leases, folder=tmp_path / "table", settings=settings)
    assert (whole.cells, whole.documents) == (4, 2) and not (tmp_path / "table").exists()
    assert whole.low and whole.likely and whole.high and whole.low < whole.likely < whole.high
    assert set(whole.by_model) == {"anthropic:m", "openai:j"}
    assert sum(likely for likely, _ in whole.by_model.values()) == pytest.approx(whole.likely)
    fill(Cast(), tmp_path, RENT)
    rest = estimate_table((RENT, TERM), leases, folder=tmp_path / "table", resume=True, settings=settings)
    assert rest.cells == 2 and rest.likely and rest.likely < whole.likely


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("q.csv", "id,kwestion\na,b\n", "no column is named question"),
        ("q.csv", "question,tpye\nWhat?,date\n", "did you mean 'type'"),
        ("q.csv", "question,type\nWhat?,datum\n", "line 2"),
        ("q.csv", "id,question\na,What?\na,Who?\n", "that of line 2, too"),
        ("q.csv", "question\nWhat, and who?\n", "more cells than the header"),
        ("q.csv", "question,type\nWhich?,choice\n", "two or more"),
        ("q.csv", "question,type,unit\nWhen?,date,days\n", "has no unit"),
        ("q.yaml", "- question: [\n", "is not YAML"),
        ("q.yaml", "just words", "no list of questions"),
        ("q.txt", "# nothing but a remark\n", "has no questions"),
    ],
)
def test_a_file_of_questions_that_cannot_be_used_says_where(tmp_path: Path, name: str, text: str, what: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    with pytest.raises(UserError, match=what):
        make_table(path, write_leases(tmp_path / "leases"), folder=tmp_path / "table")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.csv", "ID;Question;Type;Choices\nlaw;Which law?;;German|English\nend;When does it end?;Date;\n"),
        (
            "q.yaml",
            "questions:\n- id: law\n  question: Which law?\n  choices: [German, English]\n"
            "- id: end\n  question: When does it end?\n  type: date\n",
        ),
    ],
)
def test_questions_are_read_from_each_kind_of_file(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    law, end = read_table_questions(path)
    assert law == TableQuestion(id="law", question="Which law?", type="choice", choices=("German", "English"))
    assert end == TableQuestion(id="end", question="When does it end?", type="date")
