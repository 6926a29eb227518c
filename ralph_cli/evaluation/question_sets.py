"""Reads a set of questions with their references: ralph's own JSON Lines, FinanceBench's, LegalBench-RAG's.

FinanceBench: Islam et al., "FinanceBench: A New Benchmark for Financial Question Answering", 2023, arXiv 2311.11944.
LegalBench-RAG: Pipitone and Alami, "LegalBench-RAG: A Benchmark for Retrieval-Augmented Generation in the Legal
Domain", 2024, arXiv 2408.10343.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from ralph_cli.core.errors import DocumentError, UserError, describe_fault
from ralph_cli.core.prompts.json_reply import describe_validation_error

Format = Literal["JSON Lines", "FinanceBench", "LegalBench-RAG"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and what is known of its answer.

    `document` is the file as the set names it. `pages` are those with the answer, from 1; `passages` are the words of
    the document that contain it. With `absent` the right answer is that the document does not say it. `where` is the
    place in the set ("line 3").
    """

    id: str
    question: str
    document: str
    where: str
    reference: str = ""
    pages: tuple[int, ...] = ()
    passages: tuple[str, ...] = ()
    absent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """The questions of a file, whose documents are in the folder `documents`; `sha256` is that of the file."""

    path: Path
    sha256: str
    format: Format
    documents: Path
    questions: tuple[Question, ...]

    def path_of(self, question: Question) -> Path:
        """The file of a question's document: of that name, or the only one of that name with any suffix.

        Raises DocumentError "missing".
        """
        path = self.documents / question.document
        if path.is_file():
            return path
        found = [other for other in path.parent.glob("*") if other.stem == path.name and other.is_file()]
        if len(found) != 1:
            what = f"{question.document} is not in {self.documents}"
            if found:
                what = f"{question.document} may be any of {', '.join(sorted(other.name for other in found))}"
            raise DocumentError(what, code="missing", hint="--documents names the folder of the documents")
        return found[0]


Text = Annotated[str, Field(min_length=1)]
# The number of the first page.
Start = Literal[0, 1]


class _Record(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Evidence(_Record):
    page: Annotated[int | None, Field(validation_alias=AliasChoices("page", "evidence_page_num"))] = None


class _PagedRecord(_Record):
    """A line of ralph's own format, or of FinanceBench's, which has other names for the same fields."""

    question: Text
    document: Annotated[Text, Field(validation_alias=AliasChoices("document", "doc_name"))]
    id: Annotated[str | int, Field(validation_alias=AliasChoices("id", "financebench_id"))] = ""
    answer: str = ""
    pages: list[int] = []
    passages: list[Text] = []
    evidence: list[_Evidence] = []
    first_page: Start | None = None
    absent: bool = False


class _Snippet(_Record):
    file_path: Text
    span: Annotated[list[int], Field(min_length=2, max_length=2)]
    answer: str = ""


class _LegalBenchRecord(_Record):
    query: Text
    snippets: Annotated[list[_Snippet], Field(min_length=1)]


def read_questions(path: Path, documents: Path | None = None, *, first_page: int | None = None) -> QuestionSet:
    """Read the questions of a file in any of the formats, each of which is recognised by its fields.

    The documents are in the folder `documents`, by default that of the file. Pages count from `first_page` if a line
    does not say it: by default from 0 in FinanceBench's format, and from 1 in ralph's own. Raises UserError with the
    line of the fault.
    """
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        raise UserError(f"{path} {describe_fault(error)}", code="bad-questions", hint=_HINT) from error
    folder = documents or path.parent
    if not folder.is_dir():
        what = f"there is no folder {folder}"
        raise UserError(what, code="no-documents", hint="--documents names the folder of the documents")
    found: list[tuple[Format, Question]] = []
    seen: dict[str, str] = {}
    for number, where, record in _records(path, text):
        read = _question(path, number, where, record, folder, first_page)
        if (earlier := seen.setdefault(read[1].id, where)) != where:
            raise _fault(path, where, f"the id {read[1].id!r} is that of {earlier}, too")
        found.append(read)
    formats = {kind for kind, _ in found}
    if len(formats) != 1:
        what = f"mixes formats: {', '.join(sorted(formats))}" if formats else "has no questions"
        raise UserError(f"{path} {what}", code="bad-questions", hint=_HINT)
    digest = hashlib.sha256(data).hexdigest()
    questions = tuple(question for _, question in found)
    return QuestionSet(path=path, sha256=digest, format=found[0][0], documents=folder, questions=questions)


_HINT = 'write a line such as {"question": "...", "document": "report.pdf", "answer": "...", "pages": [12]}'


def _fault(path: Path, where: str, what: str) -> UserError:
    return UserError(f"{path}, {where}: {what}", code="bad-questions", hint=_HINT)


def _records(path: Path, text: str) -> Iterator[tuple[int, str, Any]]:
    """The records of a file with their numbers and places: its lines, the items of its array, or of its "tests"."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and "tests" in whole:
        whole = whole["tests"]
    if isinstance(whole, list):
        yield from ((number, f"item {number}", record) for number, record in enumerate(whole, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield number, f"line {number}", json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _fault(path, f"line {number}", f"is not JSON ({getattr(error, 'msg', error)})") from None


def _question(
    path: Path, number: int, where: str, record: Any, folder: Path, first_page: int | None
) -> tuple[Format, Question]:
    if not isinstance(record, dict):
        raise _fault(path, where, "is no JSON object")
    kind: Format
    try:
        if "query" in record or "snippets" in record:
            kind, question = "LegalBench-RAG", _legalbench(_LegalBenchRecord(**record), number, where, folder)
        elif "doc_name" in record:
            kind, question = "FinanceBench", _paged(record, number, where, 0 if first_page is None else first_page)
        else:
            _require_known_fields(record)
            kind, question = "JSON Lines", _paged(record, number, where, 1 if first_page is None else first_page)
    except ValidationError as error:
        raise _fault(path, where, describe_validation_error(error)) from None
    except ValueError as error:
        raise _fault(path, where, str(error)) from None
    name = PurePath(question.document)
    if name.is_absolute() or ".." in name.parts:
        # A set may come from anywhere, and its documents are sent to models.
        raise _fault(path, where, f"the document {question.document!r} is outside of the folder of the documents")
    return kind, question


def _require_known_fields(record: dict[str, Any]) -> None:
    """Raise ValueError for a field whose name is nearly that of a known one."""
    known = _PagedRecord.model_fields
    for name in record:
        if name not in known and (near := get_close_matches(name, known, n=1, cutoff=0.8)):
            raise ValueError(f"there is no field {name!r}: did you mean {near[0]!r}?")


def _paged(record: dict[str, Any], number: int, where: str, first_page: int) -> Question:
    read = _PagedRecord(**record)
    pages = [*read.pages, *(item.page for item in read.evidence if item.page is not None)]
    if read.absent and (pages or read.passages):
        raise ValueError("what is absent stands on no page and in no passage")
    return Question(
        id=str(read.id) or str(number),
        question=read.question,
        document=read.document,
        where=where,
        reference=read.answer.strip(),
        pages=_count_from_one(pages, first_page if read.first_page is None else read.first_page),
        passages=tuple(read.passages),
        absent=read.absent,
    )


def _count_from_one(pages: list[int], first_page: int) -> tuple[int, ...]:
    if wrong := [page for page in pages if page < first_page]:
        raise ValueError(f"there is no page {wrong[0]} where pages count from {first_page} (see --first-page)")
    return tuple(sorted({page - first_page + 1 for page in pages}))


def _legalbench(record: _LegalBenchRecord, number: int, where: str, folder: Path) -> Question:
    files = {snippet.file_path for snippet in record.snippets}
    if len(files) > 1:
        raise ValueError(f"its snippets are of {len(files)} files; a question is put to one document")
    passages = tuple(snippet.answer or _cut(folder, snippet) for snippet in record.snippets)
    return Question(
        id=str(number),
        question=record.query,
        document=files.pop(),
        where=where,
        reference="\n".join(filter(None, passages)),
        passages=tuple(filter(None, passages)),
    )


def _cut(folder: Path, snippet: _Snippet) -> str:
    """The words of a span; empty if the file is missing, which is reported when its question is asked."""
    name = PurePath(snippet.file_path)
    if name.is_absolute() or ".." in name.parts:
        return ""
    try:
        text = (folder / name).read_text("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise ValueError(f"{snippet.file_path} {describe_fault(error)}") from None
    start, end = snippet.span
    if not 0 <= start < end <= len(text):
        raise ValueError(f"the span {start}..{end} is outside of {snippet.file_path} ({len(text)} characters)")
    return text[start:end]
