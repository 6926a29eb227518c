"""Word documents that are damaged: what is wrong, and where, in words; what can be read says what is missing."""

import io
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from document_fixtures import load_document
from word import docx, paragraph, part

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.docx.reader import parse_docx
from ralph_cli.documents.limits import DEFAULT_LIMITS, LoadLimits

_NOT_WORDS = re.compile(r"Error|Exception|zlib|expat|decompress|token|codec|NoneType|object|0x")


def refuse(data: bytes, limits: LoadLimits = DEFAULT_LIMITS) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        parse_docx(data, name="a.docx", limits=limits)
    return caught.value


def repack(data: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """The archive with each part as `change` makes it; None leaves it out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            if (changed := change(name, old.read(name))) is not None:
                new.writestr(name, changed)
    return buffer.getvalue()


NOTE = f"<w:footnote w:id='2'>{paragraph('See below.')}</w:footnote>"
WHOLE = docx(
    paragraph("Text of it.") + "<w:p><w:r><w:footnoteReference w:id='2'/></w:r></w:p>",
    {"n": "footnotes footnotes.xml"},
    footnotes=part("footnotes", NOTE),
    styles=part("styles", ""),
)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (WHOLE[: len(WHOLE) // 2], "list of parts"),
        (
            repack(WHOLE, lambda name, data: None if name == "word/document.xml" else data),
            "word/document.xml, is missing",
        ),
        (repack(WHOLE, lambda name, data: data[:-9] if "document.xml" in name else data), "broken: it ends too early"),
        (
            repack(WHOLE, lambda name, data: b"<a/>" if "styles" in name else data),
            "word/styles.xml holds something else",
        ),
        (repack(WHOLE, lambda name, data: b"" if "footnotes" in name else data), "word/footnotes.xml is broken"),
        (repack(WHOLE, lambda name, data: data.replace(b"<w:p>", b"<x:p>", 1)), "prefix that is not declared (line 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_part(data: bytes, said: str) -> None:
    error = refuse(data)
    assert error.code == "damaged" and said in error.message and error.hint
    assert not _NOT_WORDS.search(error.message)


def test_a_wrong_checksum_is_found() -> None:
    with zipfile.ZipFile(io.BytesIO(WHOLE)) as archive:
        at = archive.getinfo("word/footnotes.xml").header_offset + 30 + len("word/footnotes.xml")
    broken = bytearray(WHOLE)
    broken[at + 20] ^= 0xFF
    error = refuse(bytes(broken))
    assert error.code == "damaged" and "word/footnotes.xml cannot be unpacked" in error.message


def test_a_part_that_is_twice_in_the_archive_is_refused() -> None:
    buffer = io.BytesIO(WHOLE)
    with pytest.warns(UserWarning), zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("word/document.xml", part("document", f"<w:body>{paragraph('Other.')}</w:body>"))
    assert "twice" in refuse(buffer.getvalue()).message


@pytest.mark.parametrize("lost", ["word/footnotes.xml", "[Content_Types].xml", "_rels/.rels"])
def test_what_is_missing_is_said_of_what_can_be_read(lost: str) -> None:
    parsed = parse_docx(
        repack(WHOLE, lambda name, data: None if name == lost else data), name="a.docx", limits=DEFAULT_LIMITS
    )
    assert parsed.text.startswith("Text of it.")
    assert any(lost in caution.message for caution in parsed.cautions)


def test_a_main_part_of_another_kind_is_said() -> None:
    other = repack(WHOLE, lambda name, data: data.replace(b"document.main+xml", b"other"))
    (caution,) = parse_docx(other, name="a.docx", limits=DEFAULT_LIMITS).cautions
    assert caution.code == "damaged" and "not declared as a Word document" in caution.message


def test_no_damage_ends_in_anything_but_words() -> None:
    chance = random.Random(7)
    refused = 0
    for _ in range(300):
        broken = bytearray(WHOLE)
        for _ in range(chance.choice((1, 3, 30))):
            broken[chance.randrange(len(broken))] ^= 1 << chance.randrange(8)
        data = bytes(broken[: chance.choice((len(broken), chance.randrange(len(broken))))])
        try:
            parse_docx(data, name="a.docx", limits=DEFAULT_LIMITS)
        except DocumentError as error:
            refused += 1
            assert error.code != "crashed" and not _NOT_WORDS.search(error.message), error.message
    assert refused > 200


def test_a_form_of_blanks_is_read_however_well_it_packs(tmp_path: Path) -> None:
    form = docx(paragraph("Name:") + ("<w:p><w:r><w:t> </w:t></w:r></w:p>" * 35_000))
    assert len(form) * 200 < 35_000 * 36
    assert parse_docx(form, name="a.docx", limits=DEFAULT_LIMITS).text == "Name:"


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked() -> None:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("word/document.xml", "w") as stream,
    ):
        for _ in range(64):
            stream.write(b" " * (1 << 20))
    error = refuse(buffer.getvalue(), LoadLimits(characters=10_000_000))
    assert error.code == "too-big" and "MiB" in error.message


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        (
            "a.docx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "cannot be decrypted",
        ),
        (
            "a.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "protected by a password, which cannot be read",
        ),
        (
            "a.docx",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"),
            "an old Word document (doc)",
        ),
        ("a.docm", b"PK\x03\x04", "list of parts"),
    ],
)
def test_what_is_no_docx_is_named(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DocumentError) as caught:
        load_document(path)
    assert said in caught.value.message


def test_templates_and_macros_are_read_as_documents(tmp_path: Path) -> None:
    for name in ("a.docm", "a.dotx", "a.dotm"):
        (tmp_path / name).write_bytes(docx(paragraph("Text.")))
        assert load_document(tmp_path / name).text == "Text."
