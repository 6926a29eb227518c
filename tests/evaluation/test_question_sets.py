"""Sets of questions: three formats known by their fields, and one clear line for what cannot be used."""

import json
from pathlib import Path

import pytest

from ralph_cli.core.errors import DocumentError, UserError
from ralph_cli.evaluation.question_sets import read_questions

OWN = {"question": "How much?", "document": "report.pdf", "answer": " $5 ", "pages": [3, 3, 1]}


def written(folder: Path, *records: object, name: str = "set.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(record if isinstance(record, str) else json.dumps(record) for record in records), "utf-8")
    return path


def test_lines_of_ones_own_are_read(tmp_path: Path) -> None:
    more = {"id": 7, "question": "Who?", "document": "a.md", "absent": True, "type": "anything else"}
    read = read_questions(written(tmp_path, OWN, "", more))
    first, second = read.questions
    assert (read.format, read.documents, len(read.sha256)) == ("JSON Lines", tmp_path, 64)
    assert (first.id, first.reference, first.pages, first.absent) == ("1", "$5", (1, 3), False)
    assert (second.id, second.where, second.pages, second.absent) == ("7", "line 3", (), True)


@pytest.mark.parametrize(
    ("fields", "option", "pages"),
    [({}, None, (3,)), ({}, 0, (4,)), ({"first_page": 0}, None, (4,)), ({"first_page": 1}, 0, (3,))],
)
def test_the_first_page_is_that_of_the_line_then_that_of_the_option(
    tmp_path: Path, fields: dict, option: int | None, pages: tuple[int, ...]
) -> None:
    path = written(tmp_path, {"question": "q", "document": "d.pdf", "evidence": [{"page": 3}], **fields})
    assert read_questions(path, first_page=option).questions[0].pages == pages


def test_financebench_counts_pages_from_0(tmp_path: Path) -> None:
    evidence = [{"evidence_text": "...", "doc_name": "ACME_2023_10K", "evidence_page_num": 0}, {"evidence_page_num": 9}]
    record = {"financebench_id": "f1", "doc_name": "ACME_2023_10K", "question": "q", "answer": "a"}
    read = read_questions(written(tmp_path, record | {"evidence": evidence}), tmp_path)
    assert (read.format, read.questions[0].id, read.questions[0].pages) == ("FinanceBench", "f1", (1, 10))


def test_legalbench_rag_has_the_words_of_its_spans_as_reference(tmp_path: Path) -> None:
    (tmp_path / "corpus" / "nda").mkdir(parents=True)
    (tmp_path / "corpus" / "nda" / "a.txt").write_text("The term is two years. It may be renewed.", "utf-8")
    snippets = [
        {"file_path": "nda/a.txt", "span": [0, 22]},
        {"file_path": "nda/a.txt", "span": [1, 2], "answer": "x y"},
    ]
    tests = {"tests": [{"query": "How long?", "snippets": snippets}]}
    for whole in (tests, tests["tests"]):
        read = read_questions(written(tmp_path, whole, name="nda.json"), tmp_path / "corpus")
        (question,) = read.questions
        assert read.format == "LegalBench-RAG" and question.passages == ("The term is two years.", "x y")
        assert question.reference == "The term is two years.\nx y"
        assert read.path_of(question) == tmp_path / "corpus" / "nda" / "a.txt"


def test_a_document_may_be_named_without_its_suffix(tmp_path: Path) -> None:
    for name in ("one.pdf", "two.pdf", "two.md"):
        (tmp_path / name).touch()
    records = [{"question": "q", "document": name} for name in ("one", "two", "three", "one.pdf")]
    read = read_questions(written(tmp_path, *records))
    one, two, three, whole = read.questions
    assert read.path_of(one) == read.path_of(whole) == tmp_path / "one.pdf"
    with pytest.raises(DocumentError, match=r"may be any of two\.md, two\.pdf"):
        read.path_of(two)
    with pytest.raises(DocumentError, match="three is not in"):
        read.path_of(three)


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([OWN, "{"], "line 2: is not JSON"),
        ([OWN, "[1]"], "line 2: is no JSON object"),
        ([{"document": "a.pdf"}], "line 1: question: Field required"),
        ([OWN | {"question": ""}], "line 1: question: "),
        ([OWN | {"pages": ["3"]}], r"line 1: pages\.0: "),
        ([OWN | {"pages": [0]}], "line 1: there is no page 0 where pages count from 1"),
        ([OWN | {"page": 3}], "there is no field 'page': did you mean 'pages'"),
        ([OWN | {"absent": True}], "what is absent stands on no page"),
        ([OWN | {"first_page": 2}], "line 1: first_page: "),
        ([OWN | {"id": "a"}, OWN | {"id": "a"}], "line 2: the id 'a' is that of line 1, too"),
        ([OWN | {"document": "../secret.txt"}], "outside of the folder"),
        ([OWN | {"document": "/etc/passwd"}], "outside of the folder"),
        ([OWN, {"doc_name": "A", "question": "q"}], "mixes formats"),
        ([""], "has no questions"),
        ([{"query": "q", "snippets": []}], "snippets: "),
        ([{"query": "q", "snippets": [{"file_path": n, "span": [0, 1]} for n in "ab"]}], "of 2 files"),
        ([{"query": "q", "snippets": [{"file_path": "set.jsonl", "span": [5, 9000]}]}], "the span 5..9000 is outside"),
        ([{"query": "q", "snippets": [{"file_path": "../x", "span": [0, 1]}]}], "outside of the folder"),
    ],
)
def test_what_cannot_be_used_is_one_line_with_its_place(tmp_path: Path, records: list[object], told: str) -> None:
    with pytest.raises(UserError, match=told) as raised:
        read_questions(written(tmp_path, *records))
    assert "\n" not in raised.value.line and "set.jsonl" in raised.value.message and raised.value.hint


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        read_questions(tmp_path / "none.jsonl")
    with pytest.raises(UserError, match="there is no folder"):
        read_questions(written(tmp_path, OWN), tmp_path / "nowhere")
    (tmp_path / "set.jsonl").write_bytes(b"{}\n\xff")
    with pytest.raises(UserError, match=r"is not UTF-8 \(line 2\)"):
        read_questions(tmp_path / "set.jsonl")
