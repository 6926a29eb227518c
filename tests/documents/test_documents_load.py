"""Loading: kinds, errors by content, the cache."""

import gzip
import os
import re
import stat
import zlib
from bisect import bisect_right

import pytest
from document_fixtures import load_document
from outlook_files import SUBJECT, outlook_mail

from ralph_cli.api import ask
from ralph_cli.config import load_settings
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents import text_cache
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.pdf.damage import damaged_pages
from ralph_cli.documents.process import child

HELLO = [(72, 700, "Revenue was 1,577 million in 2018.")]
MIB = 1 << 20


def failure(*args, **options):
    with pytest.raises(DocumentError) as caught:
        load_document(*args, **options)
    error = caught.value
    assert "\n" not in error.message + error.hint
    return error


def check_pages(document):
    assert document.text == "\f".join(document.text[p.start : p.end] for p in document.pages)
    assert [p.number for p in document.pages] == list(range(1, len(document.pages) + 1))
    starts = [p.start for p in document.pages]
    for offset in range(len(document.text)):
        naive = max(i for i, start in enumerate(starts) if start <= offset)
        assert document.page_at(offset).number == naive + 1 == bisect_right(starts, offset)


# What loads


def test_pdf(pdf):
    path = pdf(HELLO, [(72, 700, "Second page")])
    seen = []
    document = load_document(path, on_loading=lambda done, total: seen.append((done, total)))
    assert (document.kind, document.path, document.paged) == ("pdf", str(path), True)
    assert document.text == "Revenue was 1,577 million in 2018.\fSecond page"
    assert seen == [(0, 2), (1, 2), (2, 2)]
    assert document.id == document.sha256[:16]
    check_pages(document)


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.txt", b"plain", "text"),
        ("a.md", b"# T", "markdown"),
        ("a.py", b"x = 1", "code"),
        ("a.html", b"<p>hi", "html"),
        ("a", b"no suffix", "text"),
        ("a.unknown", b"<!-- c --><!DOCTYPE html><p>hi", "html"),
        ("a.unknown", b"\xef\xbb\xbf <HTML><p>hi", "html"),
        ("a.txt", b"<html><p>source", "text"),
        ("a.csv", b"a,b\n1,2", "csv"),
        ("a.jsonl", b"{}\n{}", "json"),
        ("a.eml", b"From: a@b.c\n\nhi", "eml"),
        ("a", outlook_mail({SUBJECT: "hi"}), "msg"),
        ("a", b"Received: x\r\nFrom: a@b.c\r\nMIME-Version: 1.0\r\nX-Y: z\r\n\r\nhi", "eml"),
        ("a.txt", b"From a@b.c Mon Mar  2 10:00:00 2026\nFrom: a\nDate: b\nMIME-Version: 1.0\n\nhi", "mbox"),
        ("a.txt", b"From: a@b.c\nDate: today\nSubject: the words of a mail, printed\n\nhi", "text"),
        ("a.md", b"From: a@b.c\nDate: today\nMIME-Version: 1.0\n\nhi", "markdown"),
        ("notes.txt", b"A PDF begins with %PDF-1.7 and ends with %%EOF", "text"),
    ],
)
def test_kinds_by_suffix_and_look(file, name, data, kind):
    document = load_document(file(name, data))
    assert document.kind == kind
    assert not document.paged


def test_magic_wins_over_suffix(pdf, file):
    data = pdf(HELLO).read_bytes()
    assert load_document(file("report.txt", data)).kind == "pdf"
    assert load_document(file("report.html", data)).kind == "pdf"
    assert load_document(file("junk.pdf", b"HTTP/1.1 200 OK\r\n\r\n" + data)).kind == "pdf"
    assert load_document(file("junk", b"HTTP/1.1 200 OK\r\n\r\n" + data)).kind == "pdf"


def test_standard_input(pdf):
    data = pdf(HELLO).read_bytes()
    assert load_document("-", standard_input=lambda: data).kind == "pdf"
    page = load_document("-", standard_input=lambda: b"<!doctype html><p>hi")
    assert (page.kind, page.text, page.path) == ("html", "hi", "-")
    assert load_document("-", standard_input=lambda: b"hello").kind == "text"
    assert failure("-", standard_input=lambda: b"").code == "empty"
    assert failure("-", standard_input=lambda: b"12345", limits=LoadLimits(bytes=4)).code == "too-big"


def test_form_feeds_mark_pages_of_text(file):
    document = load_document(file("a.txt", b"one\r\ntwo\x0cthree\rfour\x0c\n"))
    assert document.text == "one\ntwo\fthree\nfour"
    assert len(document.pages) == 2
    assert document.paged
    check_pages(document)


def test_owner_password_does_not_lock(pdf):
    assert "1,577" in load_document(pdf(HELLO, owner="secret")).text


def test_user_password(pdf):
    path = pdf(HELLO, user="open", owner="secret")
    assert "1,577" in load_document(path, password="open").text
    error = failure(path)
    assert (error.code, "--password" in error.hint) == ("encrypted", True)
    assert failure(path, password="shut").code == "wrong-password"


def test_same_bytes_same_fingerprint(pdf, file):
    path = pdf(HELLO)
    assert load_document(path).fingerprint == load_document(file("copy.pdf", path.read_bytes())).fingerprint
    assert load_document(path).fingerprint != load_document(path, layout="stream").fingerprint


# What does not


@pytest.mark.parametrize(
    ("name", "data", "code", "said"),
    [
        ("a.txt", b"", "empty", "empty"),
        ("a.txt", b" \n\f\n", "empty", "nothing but blanks"),
        ("a.pdf", b"", "empty", "empty"),
        ("a.pdf", b"<html><body>Access denied</body></html>", "not-what-it-says", "an HTML page"),
        ("a.pdf", b"hello", "not-what-it-says", "plain text"),
        ("a.pdf", b"PK\x03\x04 zip", "not-what-it-says", "ZIP"),
        ("a.docx", b"hello", "not-what-it-says", "Word"),
        ("a.png", b"\x89PNG\r\n\x1a\n..", "damaged", "no picture"),
        ("a", b"\xff\xd8\xff\xe0....", "damaged", "no picture"),
        ("a.pdf", b"\xff\xd8\xff\xe0....", "not-what-it-says", "JPEG"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....", "unsupported", "old Office"),
        ("a.txt", b"\x1f\x8b\x08....", "unsupported", "gzip"),
        ("a.pdf", b"{\\rtf1 hi}", "not-what-it-says", "RTF"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook\0".encode("utf-16-le"), "damaged", "cannot be read"),
        ("a.rtf", b"hello", "not-what-it-says", "RTF"),
        ("a.bin", b"abc\x00def\x01\x02\x03" * 9, "unsupported", "binary"),
        ("a.txt", bytes(range(1, 32)) * 9, "unsupported", "binary"),
        ("a.pdf", b"%PDF-1.7\nnothing else", "damaged", "damaged"),
        ("a.txt", b"\x81\x8d\x8f is no cp1252", "undecodable", "encoding"),
        ("a.html", b"<script>x</script>", "no-text", "no text"),
    ],
)
def test_errors_by_content(file, name, data, code, said):
    error = failure(file(name, data))
    assert error.code == code
    assert said in error.message


@pytest.mark.parametrize(
    ("member", "what"),
    [("Index__Document_dot_iwa", "iWork"), ("other", "ZIP")],
)
def test_archives_that_cannot_be_read_are_named(file, zip_with, member, what):
    error = failure(file("a", zip_with(**{member: b"x"})))
    assert error.code in ("unsupported", "is-a-set")
    assert what in error.message


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.odg", b"application/vnd.oasis.opendocument.graphics"),
        ("a.odt", b"application/vnd.oasis.opendocument.text"),
        ("a.epub", b"application/epub+zip"),
    ],
)
def test_an_archive_is_known_by_its_content(file, zip_with, name, data):
    error = failure(file(name, zip_with(mimetype=data)))
    assert error.code == ("unsupported" if name == "a.odg" else "damaged")


def test_paths(tmp_path, file):
    assert failure(tmp_path / "none.pdf").code == "missing"
    assert failure("impossible\0path").code == "missing"
    assert failure(tmp_path).code == "is-a-directory"
    assert failure("x" * 5000).code == "unreadable"
    assert "\n" not in failure(tmp_path / "two\nlines.txt").message


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_unreadable(file):
    path = file("a.txt", b"x")
    path.chmod(0)
    assert failure(path).code == "unreadable"


def test_unreadable_for_anyone(file, monkeypatch):
    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    assert failure("a.txt").code == "unreadable"


def test_truncated_pdf(pdf, file):
    data = pdf(HELLO).read_bytes()
    assert failure(file("half.pdf", data[: len(data) // 2])).code == "damaged"


def test_no_text_and_partly_no_text(pdf):
    error = failure(pdf([], [], picture_pages=(0, 1)))
    assert (error.code, "--ocr" in error.hint, "1-2" in error.message) == ("no-text", True, True)
    document = load_document(pdf(HELLO, [], HELLO, [(300, 20, "4")], picture_pages=(1, 3)))
    assert [(c.code, c.pages) for c in document.cautions] == [("no-text", (2, 4))]
    assert "2 of 4 pages (2, 4)" in document.cautions[0].message
    assert document.text.split("\f")[3] == "4"


def damaged(data: bytes, *numbers: int) -> bytes:
    """The same with a byte changed in the middle of these streams, counted from 1."""
    out = bytearray(data)
    streams = [(m.end(), m.start(1)) for m in re.finditer(rb"\sstream\r?\n.*?(\s*endstream)", data, re.DOTALL)]
    for number in numbers:
        end, begin = streams[number - 1]
        out[(data.rindex(b"stream", 0, begin) + 7 + end) // 2] ^= 0x01
    return bytes(out)


@pytest.mark.parametrize("options", [{}, {"owner": "o"}])
def test_a_page_of_which_something_cannot_be_decoded_is_a_caution(pdf, file, options):
    """A reader of PDF draws what it can of a damaged stream; the rest would be missing without a word."""
    lines = [(72, 700 - 12 * number, f"Line {number} of the page, the sum is {number * 7919}.") for number in range(40)]
    data = pdf(lines, lines, lines, **options).read_bytes()
    assert load_document(file("whole.pdf", data)).cautions == ()
    document = load_document(file("damaged.pdf", damaged(data, 2)))
    assert [(c.code, c.pages) for c in document.cautions] == [("damaged-pages", (2,))]
    assert "1 of 3 pages (2)" in document.cautions[0].message and document.unreadable_pages == (2,)
    assert len(document.pages) == 3 and "Line 39" in document.text[document.pages[2].start :]


def test_content_in_parts_and_in_object_streams_is_looked_at_for_damage(make_raw, file):
    """A changed byte is found wherever the page and its content stand; what is whole is never said to be damaged."""
    packed = [zlib.compress(part) for part in (b"BT /F1 12 Tf 72 700 Td (good 1,577) Tj ET\n", b"BT ET\n")]
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 7 0 R>>>>>>"
    parts = [b"<</Length %d/Filter/FlateDecode>>stream\n" % len(part) + part + b"\nendstream" for part in packed]
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, b"[5 0 R 6 0 R]", *parts]
    data = make_raw["objects"]([*objects, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"])
    assert damaged_pages(data, 1) == [] and load_document(file("a.pdf", data)).cautions == ()
    assert damaged_pages(data.replace(packed[1], packed[1][:-1] + b"?"), 1) == [1]
    assert damaged_pages(data.replace(packed[1], packed[1][:-1] + b"?"), 2) == [1, 2]  # another tree than this one
    tree = b" ".join(objects[:3])
    places = [0, len(objects[0]) + 1, len(objects[0]) + len(objects[1]) + 2]
    head = b" ".join(b"%d %d" % (number, place) for number, place in enumerate(places, 1)) + b" "
    store = zlib.compress(head + tree)
    about = b"<</Type/ObjStm/N 3/First %d/Length %d/Filter/FlateDecode>>" % (len(head), len(store))
    lines = [b"4 0 obj[5 0 R 6 0 R]endobj", *(b"%d 0 obj" % n + part + b"endobj" for n, part in enumerate(parts, 5))]
    lines += [b"9 0 obj" + about + b"stream\n" + store + b"\nendstream endobj", b"trailer<</Root 1 0 R>>"]
    assert damaged_pages(b"\n".join(lines), 1) == []
    assert damaged_pages(b"\n".join(lines).replace(packed[0], packed[0][:-1] + b"?"), 1) == [1]


def test_page_that_does_not_load_is_a_caution(make_raw, file):
    pages = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R 6 0 R]/Count 2>>"]
    pages.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>")
    pages.append(b"<</Length 42>>stream\nBT /F1 12 Tf 72 700 Td (good 1,577) Tj ET    \nendstream")
    pages += [b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>", b"(not a page)"]
    document = load_document(file("a.pdf", make_raw["objects"](pages)))
    assert document.text == "good 1,577\f"
    assert [(c.code, c.pages) for c in document.cautions] == [("unreadable-pages", (2,))]


def test_no_page_at_all(make_raw, file):
    loop = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 3 0 R]/Count 1000000000>>"]
    loop.append(b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 10]>>")
    assert failure(file("loop.pdf", make_raw["objects"](loop))).code in ("no-text", "damaged", "too-big")
    none = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>"]
    assert failure(file("none.pdf", make_raw["objects"](none))).code == "damaged"


def run_instead(monkeypatch, code):
    monkeypatch.setattr(child, "_BOOTSTRAP", "import os,sys,signal,struct,json,time\n" + code)


# Cache


def test_a_plain_text_is_not_kept_for_it_is_read_as_fast_again(file, tmp_path):
    assert load_document(file("a.txt", b"Some words."), cache=tmp_path / "cache").text == "Some words."
    assert not (tmp_path / "cache").exists()


@pytest.mark.full  # takes a minute
def test_a_text_of_a_hundred_megabytes_is_loaded_and_searched(file, tmp_path):
    line = b"The lessee shall give notice of any assignment in writing within the term agreed upon by both parties.\n"
    said = b"The notice period of the Harbour lease is ninety days.\n"
    path = file("large.txt", line * 700_000 + said + line * 260_000)
    settings = load_settings({"model": "offline", "out": tmp_path / "out"})
    result = ask(path, "What is the notice period of the Harbour lease?", settings=settings)
    assert "ninety days" in result.text


def test_cache(pdf, tmp_path, monkeypatch):
    path, cache = pdf(HELLO), tmp_path / "cache"
    first = load_document(path, cache=cache)
    [stored] = (cache / "texts").iterdir()
    assert stored.name == first.fingerprint + ".json.gz"
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    run_instead(monkeypatch, "os._exit(9)")
    assert load_document(path, cache=cache) == first
    stored.write_bytes(b"corrupt")
    assert failure(path, cache=cache).code == "crashed"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"corrupt",
        gzip.compress(b"{}\n{}", mtime=0),
        gzip.compress(b"\xff\xfe", mtime=0)[:-3],
        gzip.compress(b"[" * 99999, mtime=0),
        b"\x1f\x8b",
    ],
)
def test_corrupt_cache_files_are_rewritten(pdf, tmp_path, content):
    path, cache = pdf(HELLO), tmp_path / "cache"
    first = load_document(path, cache=cache)
    [stored] = (cache / "texts").iterdir()
    good = stored.read_bytes()
    stored.write_bytes(content)
    assert load_document(path, cache=cache) == first
    assert stored.read_bytes() == good


def test_a_cache_entry_of_another_document_is_not_used(pdf, tmp_path):
    cache = tmp_path / "cache"
    one, two = (
        load_document(pdf(HELLO), cache=cache),
        load_document(pdf([(72, 700, "Other")], name="b.pdf"), cache=cache),
    )
    texts = cache / "texts"
    (texts / f"{one.fingerprint}.json.gz").write_bytes((texts / f"{two.fingerprint}.json.gz").read_bytes())
    assert text_cache.read_parsed(cache, one.fingerprint, LoadLimits()) is None


def test_nothing_opened_with_a_password_is_cached(pdf, tmp_path):
    cache = tmp_path / "cache"
    load_document(pdf(HELLO, user="open"), password="open", cache=cache)
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_is_no_error(pdf, file):
    assert load_document(pdf(HELLO), cache=file("a-file", b"x")).kind == "pdf"
