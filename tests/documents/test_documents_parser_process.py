"""The parser process: bounds, crashes, hostile answers."""

import json
import random
import shutil
import subprocess
import sys
from bisect import bisect_right
from pathlib import Path

import pytest
from document_fixtures import load_document

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.pdf.reader import parse_pdf
from ralph_cli.documents.process import child
from ralph_cli.documents.process import forks as forks_module
from ralph_cli.documents.process.child import EXIT_MEMORY
from ralph_cli.documents.process.forks import ParserForks
from ralph_cli.documents.process.side_by_side import FEW_PAGES, read_side_by_side
from ralph_cli.documents.source import DocumentSource

pytestmark = pytest.mark.own_process

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


# Bounds and the parser process


def test_bounds(pdf, file):
    path = pdf(HELLO, HELLO)
    assert failure(path, limits=LoadLimits(bytes=100)).code == "too-big"
    assert failure(path, limits=LoadLimits(pages=1)).code == "too-big"
    assert failure(path, limits=LoadLimits(characters=40)).code == "too-big"
    assert failure(file("a.txt", b"12345"), limits=LoadLimits(characters=4)).code == "too-big"
    assert failure(file("b.txt", b"1\f2\f3"), limits=LoadLimits(pages=2)).code == "too-big"
    assert failure(file("a.html", b"<p>12345"), limits=LoadLimits(html_bytes=4)).code == "too-big"
    assert failure(file("b.html", b"<p>12345"), limits=LoadLimits(characters=4)).code == "too-big"


@pytest.mark.skipif(sys.platform != "linux", reason="address space is bounded on Linux only")
def test_flate_bomb_meets_the_memory_limit(make_raw, file):
    error = failure(file("bomb.pdf", make_raw["bomb"](300)), limits=LoadLimits(memory=256 * MIB))
    assert error.code == "too-big"
    assert "256 MiB" in error.message


def test_slow_file_meets_the_time_limit(make_raw, file):
    text = b"BT /F1 9 Tf " + b"1 0 0 1 10 10 Tm (AAAAAAAA) Tj " * 400_000 + b"ET"
    error = failure(file("slow.pdf", make_raw["page"](text)), limits=LoadLimits(seconds=0.3))
    assert error.code == "timeout"


def test_deep_html_is_refused_at_once(file):
    assert failure(file("a.html", b"<div>" * 200_000 + b"x")).code == "too-big"


def run_instead(monkeypatch, code):
    monkeypatch.setattr(child, "_BOOTSTRAP", "import os,sys,signal,struct,json,time\n" + code)


FRAME = "def f(k,p): os.write(1, struct.pack('>cQ',k,len(p))+p)\n"


@pytest.mark.parametrize(
    ("code", "expected", "said"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed", "SIGSEGV"),
        ("sys.stdin.buffer.read(); os.kill(os.getpid(), signal.SIGTRAP)", "crashed", "SIGTRAP"),
        ("os.abort()", "too-big", "memory"),
        ("os._exit(77)", "too-big", "memory"),
        ("os._exit(3)", "crashed", "exit status 3"),
        ("time.sleep(60)", "timeout", "1.5 s"),
        ("import resource; resource.setrlimit(resource.RLIMIT_CPU,(1,2))\nwhile 1: pass", "timeout", "longer"),
        (FRAME + "f(b'R', b'not json')", "crashed", "invalid result"),
        (FRAME + "f(b'R', b'['*100000)", "crashed", "invalid result"),
        (FRAME + "f(b'E', b'['*60000)", "crashed", "invalid result"),
        (FRAME + "f(b'X', b'')", "crashed", "invalid result"),
        (FRAME + "os.write(1, struct.pack('>cQ',b'R',1<<60))", "crashed", "invalid result"),
        (FRAME + "f(b'P', struct.pack('>II',2,1))", "crashed", "invalid result"),
        (FRAME + "f(b'P', struct.pack('>II',0,4000000000))", "crashed", "invalid result"),
        (FRAME + "f(b'P', b'12')", "crashed", "invalid result"),
        (FRAME + "f(b'E', json.dumps(['own-code','words','']).encode())", "crashed", "words"),
        (FRAME + "os.write(1, struct.pack('>cQ',b'R',10)+b'[]')", "crashed", "exit status 0"),
    ],
)
def test_what_a_broken_or_hostile_parser_leads_to(pdf, monkeypatch, code, expected, said):
    path = pdf(HELLO)
    run_instead(monkeypatch, code)
    error = failure(path, limits=LoadLimits(seconds=20 if "RLIMIT_CPU" in code else 1.5))
    assert error.code == expected
    assert said in error.message


# Parsers that are forked off one process


def load_forked(forks, path, **limits):
    return DocumentSource(str(path)).load_bytes(path.read_bytes(), None, LoadLimits(**limits), forks.start)


@pytest.mark.skipif(sys.platform != "linux", reason="parsers are forked on Linux only")
def test_forked_parsers_read_alike_within_bounds_of_their_own(pdf, file, make_raw):
    files = [pdf(HELLO), file("a.html", b"<h1>Rent</h1><p>It is 12.")]
    fresh = [load_document(path) for path in files]
    slow = make_raw["page"](b"BT /F1 9 Tf " + b"1 0 0 1 10 10 Tm (AAAAAAAA) Tj " * 400_000 + b"ET")
    bad = [(file("slow.pdf", slow), {"seconds": 0.3}, "timeout"), (file("b.docx", b"PK\x03\x04"), {}, "damaged")]
    bad.append((file("bomb.pdf", make_raw["bomb"](100)), {"memory": 128 * MIB}, "too-big"))
    with ParserForks(few=1) as forks:
        assert load_forked(forks, files[1]) == fresh[1] and forks._server is None
        for path, limits, code in bad:
            with pytest.raises(DocumentError) as caught:
                load_forked(forks, path, **limits)
            assert caught.value.code == code, path
        assert [load_forked(forks, path) for path in files] == fresh
        server = forks._server
        server.kill()
        assert load_forked(forks, files[1]) == fresh[1]  # by a fresh process
    assert server.poll() is not None


COUNTED = "w.calls = 0\ndef main():\n w.calls += 1\n f(b'E', json.dumps(['damaged', str(w.calls), '']).encode())"
KILLED = "w.main = lambda: os.kill(os.getpid(), signal.SIGSEGV)"


@pytest.mark.skipif(sys.platform != "linux", reason="parsers are forked on Linux only")
@pytest.mark.parametrize(
    ("code", "expected", "said"),
    [
        (KILLED, "crashed", "SIGSEGV"),
        ("w.main = lambda: os.abort()", "too-big", "memory"),
        ("w.main = lambda: 1/0", "crashed", "exit status 1"),
        (FRAME + COUNTED + "; os._exit(0)\nw.main = main", "damaged", "1"),  # nothing is kept for the next file
    ],
)
def test_what_a_forked_parser_does_it_does_to_itself(file, monkeypatch, code, expected, said):
    head = "import os,signal,struct,json; import ralph_cli.documents.process.worker as w\n"
    quick = "\nimport ralph_cli.documents.process.forks as k; k._READERS = ''; k.serve()"
    monkeypatch.setattr(forks_module, "_BOOTSTRAP", head + code + quick)
    path = file("a.html", b"<p>Words")
    with ParserForks(few=0) as forks:
        for _ in range(3):
            with pytest.raises(DocumentError) as caught:
                load_forked(forks, path)
            assert caught.value.code == expected and said in caught.value.message
        assert forks._server is not None and forks._server.poll() is None


RIGHT = {
    "text": "abc",
    "pages": [[1, "1", 0, 3]],
    "headings": [["H", 1, 1, 3, 2, True, False]],
    "cautions": [{"code": "c", "message": "m", "pages": [1]}],
    "quoted": [{"start": 0, "end": 2}],
    "notes": [[1, 3, 0]],
    "tables": [[0, 3, [[1.0, 2.0, False]], [[0, 3, -1, False]], [[0, 1, 0, 0, 0], [1, 3, 0, 0, 0]], 1, [], -1, -1]],
    "blocks": [[0, 3, "paragraph"]],
    "additions": [[0, 2, "form field"], [2, 3, "comment"]],
}


def table(**changes):
    """The table of a right answer with other fields."""
    names = ("start", "end", "columns", "rows", "cells", "header_rows", "statements", "title", "continues")
    return {"tables": [[changes.get(name, it) for name, it in zip(names, RIGHT["tables"][0], strict=True)]]}


@pytest.mark.parametrize(
    "change",
    [
        {"pages": []},
        {"text": "a\fb"},
        {"text": "a\ud8000"},
        {"text": "a" * 1002, "pages": [[1, "", 0, 1002]]},
        {"pages": [[1, "x" * 500, 0, 3]]},
        {"pages": [[1, "", 0]]},
        {"pages": [[1, 1, 0, 3]]},
        {"pages": [[2, "", 0, 3]]},
        {"pages": [[1, "", 0, 2]]},
        {"pages": {"a": "b"}},
        {"headings": [["H", 4, 1, 4, 4, True, False]]},
        {"headings": [["H", -1, 1, 3, 3, True, False]]},
        {"headings": [["H", 0, 0, 3, 3, True, False]]},
        {"headings": [["H", 0, 1, 9, 3, True, False]]},
        {"headings": [["H", True, 1, 3, 3, True, False]]},
        {"headings": [["H" * 900, 0, 1, 3, 3, True, False]]},
        {"headings": [["H", 2, 1, 3, 3, True, False], ["H", 1, 1, 3, 3, True, False]]},
        {"cautions": [{"code": "c", "message": "m", "pages": [2]}]},
        {"cautions": [{"code": "c", "message": "m", "pages": ["1"]}]},
        {"cautions": [{"code": "c", "message": "m" * 9999, "pages": []}]},
        {"quoted": [{"start": 0, "end": 4}]},
        {"quoted": [{"start": 2, "end": 2}]},
        {"notes": [[1, 4, 0]]},
        {"notes": [[1, 3, 4]]},
        {"notes": [[1, 3]]},
        table(end=4),
        table(end=2),
        table(columns=[[2.0, 1.0, False]]),
        table(columns=[[float("nan"), 1.0, False]]),
        table(columns=[]),
        table(rows=[[0, 4, -1, False]]),
        table(rows=[[0, 3, 0, False]]),
        table(rows=[]),
        table(cells=[[0, 1, 0, 0, 1]]),
        table(cells=[[0, 1, 1, 0, 0]]),
        table(cells=[[1, 3, 0, 0, 0], [0, 1, 0, 0, 0]]),
        table(header_rows=2),
        table(statements=[[0, 0, -1, -1]]),
        table(statements=[[0, 1, 1, -1]]),
        table(title=1),
        table(continues=0),
        {"blocks": [[0, 2, "paragraph"], [1, 3, "paragraph"]]},
        {"blocks": [[0, 2, "song"]]},
        {"additions": [[-1, 2, "stamp"]]},
        {"additions": [[2, 2, "stamp"]]},
        {"additions": [[0, 4, "stamp"]]},
        {"additions": [[0, 2, "the judge"]]},
        {"additions": [[1, 2, "stamp"], [0, 1, "stamp"]]},
        {"additions": [[0, 1, "stamp"]] * 100_001},
        {"more": 1},
    ],
)
def test_results_are_checked(change):
    limits = LoadLimits(characters=1000)
    assert (
        ParsedDocument.from_json(json.dumps(RIGHT).encode(), limits).to_json()
        == json.dumps(RIGHT, separators=(",", ":")).encode()
    )
    with pytest.raises(ValueError, match=r"\w"):
        ParsedDocument.from_json(json.dumps({**RIGHT, **change}).encode(), limits)


def test_child_gets_no_environment(pdf, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "canary")
    path = pdf(HELLO)
    show = "t=' '.join(os.environ)+'.'; p=json.dumps({'text':t,'pages':[[1,'',0,len(t)]]}).encode(); f(b'R', p)"
    run_instead(monkeypatch, FRAME + show)
    assert "SECRET" not in load_document(path).text


def test_an_error_in_on_progress_comes_through_and_ends_the_child(pdf):
    def complain(_done, _total):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        load_document(pdf(HELLO), on_loading=complain)


def read_pages(indices):
    return ((index, f"page {index}") for index in indices)


def test_pages_read_side_by_side_come_in_their_order():
    told = []
    pages = read_side_by_side(read_pages, 50, 3, lambda done, total: told.append((done, total)))
    assert pages == [f"page {index}" for index in range(50)] and told == [(n, 50) for n in range(1, 51)]


def test_a_long_pdf_is_the_same_whether_one_process_reads_it_or_three(pdf):
    data = Path(
        pdf(*([(72, 700, f"Revenue was {n} million."), (72, 400, "x" * n)] for n in range(FEW_PAGES + 9)))
    ).read_bytes()
    given = {"name": "a.pdf", "password": None, "layout": "auto", "on_progress": lambda done, total: None}
    one, three = (parse_pdf(data, limits=LoadLimits(), processes=n, **given) for n in (1, 3))
    assert one == three and len(one.pages) == FEW_PAGES + 9
    for n in (1, 3):
        with pytest.raises(DocumentError, match="more than 400 characters \\(page 14 of 33\\)"):
            parse_pdf(data, limits=LoadLimits(characters=400), processes=n, **given)


@pytest.mark.parametrize(
    ("happens", "status"),
    [("os.kill(os.getpid(), 9)", -9), ("os._exit(3)", 3), ("raise MemoryError", EXIT_MEMORY), ("1 / 0", 5)],
)
def test_a_process_that_ends_badly_is_no_page_less(happens, status):
    code = (
        "import os, sys\n"
        "from ralph_cli.core.errors import DocumentError\n"
        "from ralph_cli.documents.process.side_by_side import read_side_by_side\n"
        "def read(indices):\n    for index in indices:\n        if index == 7:\n"
        f"            {happens}\n        yield index, index\n"
        "try:\n    read_side_by_side(read, 50, 2, lambda done, total: None)\n"
        "except DocumentError as error:\n    sys.exit(5 if 'ZeroDivisionError' in error.message else 6)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == status


def test_import_is_cheap():
    code = "import sys, ralph_cli.documents.source; print({'pypdfium2', 'selectolax', 'rapidfuzz'} & set(sys.modules))"
    root = Path(child._PACKAGE_ROOT)
    out = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


@pytest.mark.parametrize("seed", range(10))
def test_damaged_pdfs_load_or_give_a_document_error(pdf, file, seed):
    data = bytearray(pdf(HELLO, HELLO, outline=[("One", 0, 0), ("Two", 1, 0)]).read_bytes())
    chance = random.Random(seed)
    for _ in range(1 + seed % 8):
        at = chance.randrange(8, len(data))
        data[at : at + chance.randrange(1, 9)] = chance.randbytes(chance.randrange(9))
    try:
        document = load_document(file("damaged.pdf", bytes(data)))
    except DocumentError as error:
        assert error.code in ("damaged", "no-text", "encrypted")
    else:
        check_pages(document)


def test_works_from_any_place(pdf, tmp_path):
    """Not only from a checkout that is the current directory: as installed, and without PYTHONPATH in the child."""
    site = tmp_path / "site"
    shutil.copytree(Path(child._PACKAGE_ROOT) / "ralph_cli", site / "ralph_cli")
    (tmp_path / "json.py").write_text("raise SystemExit('must not be imported')")
    code = "import sys; sys.path.insert(1, sys.argv[1])\nfrom ralph_cli.documents.source import DocumentSource\n"

    code += "print(DocumentSource(sys.argv[2]).load().text)"
    command = [sys.executable, "-I", "-c", code, str(site), str(pdf(HELLO))]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "1,577" in out.stdout
