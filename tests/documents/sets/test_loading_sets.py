"""Folders, patterns, archives and mails as one set: what is in it, under which names, and what is left out and said."""

import io
import zipfile
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.pages import check_visibility, split_by_file
from ralph_cli.documents.sets.containers import MAX_DEPTH, read_inner
from ralph_cli.documents.sets.joining import take_member
from ralph_cli.documents.sets.loading import load_source, read_set
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.quotes.index import QuoteIndex

LEASE = "1. Rent\nThe rent of the hall is 48,000 a year.\n2. Term\nThe lease ends in 2031."
LETTER = "1. Rent\nFrom 2027 the rent of the hall is 52,000 a year."


def archive(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name, data in files.items():
            packed.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return buffer.getvalue()


def mail_with(**files: bytes) -> bytes:
    mail = EmailMessage()
    mail["Subject"] = "The hall"
    mail.set_content("See the attached letter.\n")
    for name, data in files.items():
        mail.add_attachment(data, maintype="text", subtype="plain", filename=name.replace("_dot_", "."))
    return bytes(mail)


@pytest.fixture
def deal(tmp_path: Path) -> Path:
    """A folder of good, doubled, broken and hidden files."""
    folder = tmp_path / "deal"
    (folder / "letters").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "out").mkdir()
    for name, data in {
        "10 lease.txt": LEASE.encode(),
        "2 lease copy.txt": LEASE.encode(),
        "letters/side.md": LETTER.encode(),
        "broken.pdf": b"%PDF-1.7 and no more",
        "blank.txt": b" \n",
        ".git/config": b"[core]",
        "out/journal.txt": b"of a run",
        "all.zip": archive(
            in__note_dot_txt=b"A note on the hall.",
            in__side_dot_md=LETTER.encode(),
            bad_dot_pdf=b"no",
            in___dot_DS_Store=b"of a system",
        ),
        "mail.eml": mail_with(letter_dot_txt=b"The hall was painted.", in_dot_zip=archive(a_dot_txt=b"Deep inside.")),
    }.items():
        (folder / name).write_bytes(data)
    return folder


def loaded(*paths: Path, **more: object) -> Document:
    first, *others = (DocumentSource(str(path), **more) for path in paths)  # type: ignore[arg-type]
    return load_source(replace(first, others=tuple(others)), leave_out=[paths[0] / "out"]).load()


def test_a_folder_is_one_set_and_whatever_is_not_in_it_is_named(deal: Path) -> None:
    document = loaded(deal)
    names = [member.name for member in document.members]
    assert names == [
        "10 lease.txt",
        "all.zip/in/note.txt",
        "letters/side.md",
        "mail.eml",
        "mail.eml/letter.txt",
        "mail.eml/in.zip/a.txt",
    ]
    told = [caution.message for caution in document.cautions]
    for words in (
        "2 lease copy.txt was not read: it is the same file as 10 lease.txt",
        "all.zip/in/side.md was not read: it is the same file as letters/side.md",
        "broken.pdf was not read: ",
        "blank.txt was not read: it holds nothing but blanks",
        "`ralph ls` says what can be done",
        "all.zip/bad.pdf was not read: ",
        "3 left out as hidden or not documents: .git, out, all.zip/in/.DS_Store",
    ):
        assert any(line.startswith(words) for line in told), words


def test_each_document_of_a_set_is_what_it_is_alone(deal: Path) -> None:
    document = loaded(deal)
    for member in document.members:
        alone = DocumentSource(member.path, inner=member.inner).load()
        assert take_member(document, member) == replace(alone, cautions=())
        assert document.text[member.start : member.end] == alone.text


def test_a_place_is_told_with_its_document(deal: Path) -> None:
    document = loaded(deal)
    at = document.text.index("52,000")
    assert document.describe_span(Span(at, at + 6)) == "letters/side.md, clause 1, line 2"
    at = document.text.index("Deep")
    assert document.describe_span(Span(at, at + 4)) == "mail.eml/in.zip/a.txt, line 1"


def test_several_paths_patterns_and_loaded_documents_are_a_set_too(deal: Path, tmp_path: Path) -> None:
    other = tmp_path / "2 lease copy.txt"
    other.write_text("Another text of the same name.")
    both = loaded(deal / "2 lease copy.txt", other)
    assert [member.name for member in both.members] == ["deal/2 lease copy.txt", other.name]
    (deal / "~$note.txt").write_text("Who holds a lock.")
    assert [it.name for it in loaded(deal / "*.txt", deal / "letters").members] == ["10 lease.txt", "side.md"]
    assert [it.name for it in loaded(deal / "~$*.txt", deal / "letters").members] == ["~$note.txt", "side.md"]
    known = DocumentSource(str(other)).load()
    source = load_source(DocumentSource.of([known, deal / "letters" / "side.md"]))
    assert [member.name for member in source.load().members] == [other.name, "side.md"]


def test_a_mail_without_attachments_and_a_lonely_file_are_no_set(tmp_path: Path) -> None:
    path = tmp_path / "a.eml"
    path.write_bytes(mail_with())
    assert load_source(DocumentSource(str(path))).load().members == ()


@pytest.mark.parametrize(
    ("path", "code"), [("none/*.pdf", "missing"), ("gone.txt", "missing"), ("empty", "no-document")]
)
def test_what_is_not_there_is_an_error(tmp_path: Path, path: str, code: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("words")
    others = (DocumentSource(str(tmp_path / "a.txt")),) if path == "gone.txt" else ()
    with pytest.raises(DocumentError) as raised:
        load_source(DocumentSource(str(tmp_path / path), others=others))
    assert raised.value.code == code


def test_strict_loading_stops_at_the_first_file_that_is_skipped(deal: Path) -> None:
    with pytest.raises(DocumentError, match=r"blank\.txt|broken\.pdf|lease"):
        loaded(deal, strict=True)


def test_only_what_has_changed_is_parsed_again(deal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    (deal / "old.html").write_text("<p>An old page.</p>")
    read_set(DocumentSource(str(deal)), cache)
    (deal / "new.html").write_text("<p>A new page.</p>")
    parsed: list[str] = []
    parse = DocumentSource._parse
    monkeypatch.setattr(DocumentSource, "_parse", lambda self, *a: parsed.append(self.name) or parse(self, *a))
    found = read_set(DocumentSource(str(deal)), cache)
    assert [Path(name).name for name in parsed if name.endswith((".html", ".eml"))] == ["new.html"]
    assert len(found.documents) == 9


def test_an_archive_that_lies_or_is_locked_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    whole = archive(a_dot_txt=b"The first text.", b_dot_txt=b"The second text.")
    locked = bytearray(whole)
    for at in (whole.index(b"PK\x03\x04") + 6, whole.index(b"PK\x01\x02") + 8):
        locked[at] |= 1  # the flag of encryption on the first file
    (tmp_path / "locked.zip").write_bytes(locked)
    (tmp_path / "cut.zip").write_bytes(whole[:60])
    found = read_set(DocumentSource(str(tmp_path)))
    assert [item.name for item in found.documents] == ["locked.zip/b.txt"]
    assert {item.name: item.code for item in found.skipped} == {"locked.zip/a.txt": "damaged", "cut.zip": "damaged"}
    assert any("encrypted" in item.message for item in found.skipped)


def test_a_record_opens_no_more_archives_than_a_folder_does() -> None:
    data = b"text"
    for _ in range(MAX_DEPTH + 1):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("a.zip", data)
        data = packed.getvalue()
    assert len(read_inner(data, "a.zip", ["a.zip"] * MAX_DEPTH, DEFAULT_LIMITS)) < len(data)
    with pytest.raises(DocumentError, match="deeper than"):
        read_inner(data, "a.zip", ["a.zip"] * (MAX_DEPTH + 1), DEFAULT_LIMITS)


def test_nothing_runs_from_one_document_into_the_next(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("All fees are due (in thousands)\nThe fee is")
    (tmp_path / "b.txt").write_text("12 dollars, and no more than that.")
    document = loaded(tmp_path)
    index = QuoteIndex(document)
    assert index.find("The fee is 12 dollars") is None
    assert index.find("12 dollars, and no more") is not None


def test_headings_are_those_of_each_document(deal: Path) -> None:
    document = loaded(deal / "10 lease.txt", deal / "letters" / "side.md")
    found = [(heading.text, document.member_at(heading.start).name) for heading in document.headings]  # type: ignore[union-attr]
    assert ("2. Term", "10 lease.txt") in found and ("1. Rent", "10 lease.txt") in found


def test_pages_are_looked_at_in_the_file_that_they_are_of(tmp_path: Path, make_raw: dict) -> None:
    for name, words in (("a.pdf", "The first page"), ("b.pdf", "The other page")):
        (tmp_path / name).write_bytes(make_raw["page"](f"BT /F1 12 Tf 72 700 Td ({words}) Tj ET".encode()))
    document = loaded(tmp_path)
    spans = [Span(document.text.index(word), document.text.index(word) + 5) for word in ("other", "first")]
    parts = list(split_by_file(document, spans, DocumentSource(str(tmp_path))))
    assert [(part.name, part.numbers) for part in parts] == [("a.pdf", (1,)), ("b.pdf", (0,))]
    for part in parts:
        assert [seen.reason for seen in check_visibility(part.document, part.spans, source=part.source)] == [""]
