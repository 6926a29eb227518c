"""Pages that are pictures: read by tesseract, with rows, places and confidence; without it, told how to get it."""

import dataclasses
import json
import re
import shutil
import struct
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest
from document_fixtures import load_document
from fake_tesseract import LETTER, FakeTesseract, Shown, as_tsv
from fakes import FakeSandbox
from PIL import Image, ImageDraw, ImageFont
from tables import cells_below, column_names

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.judge.passages import render_passages
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.commands.app import run
from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.core.structure import ScannedPage, Span
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.ocr.engine import DEFAULT_OCR, OcrOptions
from ralph_cli.documents.ocr.words import scanned_words
from ralph_cli.documents.page_text import plain_document
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.pdf.page_images import Annotation, annotate, render_pictures
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.quotes.visibility import VisibilityChecker
from ralph_cli.rlm.bridge import DocumentSandbox
from ralph_cli.runs.execute import describe_document
from ralph_cli.runs.opening import open_recorded

FORCED = OcrOptions("force")
TABLE = as_tsv(
    [Shown("Segment", 100, 200), Shown("2023", 700, 200), Shown("2022", 900, 200)],
    [Shown("Revenue", 100, 240), Shown("|", 400, 240), Shown("1,577", 690, 241, 41.7), Shown("1,373", 890, 239)],
    [Shown("Costs", 100, 280), Shown("900", 712, 280), Shown("801", 912, 280)],
    [Shown("Margin", 100, 320), Shown("677", 712, 320), Shown("572", 912, 320)],
)
LATER = as_tsv([Shown("Nothing", 100, 300), Shown("was", 200, 300), Shown("owed", 260, 300)])
PAGE, LATER_PAGE = (1000, 400), (950, 400)


def picture(size: tuple[int, int] = PAGE) -> Image.Image:
    return Image.new("L", size, 255)


def written(path: Path, *pictures: Image.Image) -> Path:
    """Pictures as a file of the format that its name says, at 200 dots to an inch."""
    more = {"save_all": True, "append_images": pictures[1:]} if len(pictures) > 1 else {}
    pictures[0].save(path, **({"resolution": 200} if path.suffix == ".pdf" else {"dpi": (200, 200)}), **more)
    return path


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTesseract:
    fake = FakeTesseract(tmp_path / "bin")
    fake.shows(PAGE[0], TABLE)
    fake.shows(2 * PAGE[0], TABLE)
    fake.shows(LATER_PAGE[0], LATER)
    monkeypatch.setenv("PATH", str(fake.folder))
    return fake


@pytest.fixture
def without_tesseract(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))


def read(path: Path, ocr: OcrOptions = DEFAULT_OCR, **options: object) -> Document:
    return load_document(path, ocr=ocr, **options)  # type: ignore[arg-type]


def refused(path: Path, ocr: OcrOptions = DEFAULT_OCR) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        read(path, ocr)
    return caught.value


@pytest.mark.parametrize("name", ["scan.pdf", "scan.tiff", "scan.png", "scan.webp", "scan.gif", "scan.bmp", "scan.jpg"])
def test_rows_of_a_picture_stay_rows_and_every_word_has_its_place(tesseract, tmp_path, name):
    document = read(written(tmp_path / name, picture()))
    assert document.text == "Segment  2023  2022\nRevenue  1,577  1,373\nCosts  900  801\nMargin  677  572"
    assert column_names(document) == ["Segment", "2023", "2022"]
    assert [words for words, column in cells_below(document) if column] == [
        "1,577",
        "1,373",
        "900",
        "801",
        "677",
        "572",
    ]
    at = document.text.index("1,577")
    (word,) = scanned_words(document, Span(at, at + 5))
    assert (word.start, word.end, word.confidence) == (at, at + 5, 41)
    # Drawn at 200 dots an inch, the word stands 690 pixels from the left, and its foot 241 from above. A file that
    # names no resolution is taken for a piece of a screen, and drawn twice as large.
    height = PAGE[1] * (2 if name in ("scan.gif", "scan.webp") else 1)
    expected = (690, height - 241, 690 + 5 * LETTER, height - 221)
    assert all(abs(side - 0.36 * pixels) < 0.5 for side, pixels in zip(word[3:], expected, strict=True))
    (caution,) = document.cautions
    assert caution.code == "ocr" and not caution.pages and "1 of 1 page" in caution.message
    assert "unsure of 1" in caution.message


def test_auto_reads_pages_without_words_force_all_and_never_none(tesseract, pdf, tmp_path):
    path = pdf([(72, 700, "Printed text of the file itself.")], [], picture_pages=(1,))
    tesseract.shows(1700, TABLE)
    document = read(path)
    first, second = document.text.split("\f")
    assert first == "Printed text of the file itself." and second.startswith("Segment  2023")
    assert [scan.number for scan in document.scans] == [2] and len(tesseract.asked) == 1
    assert "--psm 4" in tesseract.asked[0] and "-l eng" in tesseract.asked[0]
    forced = read(path, FORCED)
    assert [scan.number for scan in forced.scans] == [1, 2] and forced.text.count("Segment") == 2
    plain = read(path, OcrOptions("never"))
    assert plain.scans == () and [(c.code, c.pages) for c in plain.cautions] == [("no-text", (2,))]
    assert len({document.fingerprint, forced.fingerprint, plain.fingerprint}) == 3
    assert "--ocr" in refused(written(tmp_path / "scan.png", picture()), OcrOptions("never")).hint


def test_without_the_program_it_is_said_how_to_get_it(without_tesseract, pdf, tmp_path):
    error = refused(written(tmp_path / "scan.png", picture()))
    assert (error.code, "apt install tesseract-ocr" in error.hint) == ("no-text", True)
    mixed = read(pdf([(72, 700, "Printed text of the file itself.")], [], picture_pages=(1,)))
    assert "brew install tesseract" in mixed.cautions[0].message and mixed.cautions[0].pages == (2,)
    assert refused(pdf([(72, 700, "Printed")]), FORCED).code == "unsupported"


def test_a_language_that_is_missing_is_named_with_those_that_are_there(tesseract, tmp_path):
    path = written(tmp_path / "scan.png", picture())
    error = refused(path, OcrOptions("auto", "eng+deu"))
    assert error.code == "unsupported" and "deu" in error.message and "installed are eng, osd" in error.message
    assert "no language" in refused(path, OcrOptions("auto", "../../etc")).message


def test_the_fingerprint_covers_what_has_read_the_pages_and_its_text_is_kept(tesseract, tmp_path, monkeypatch):
    path, cache = written(tmp_path / "scan.pdf", picture()), tmp_path / "cache"
    found = [read(path, cache=cache)]
    assert read(path, cache=cache) == found[0] and len(tesseract.asked) == 1
    for name, version, letters in (("trained", "5.9.1", b"other letters"), ("newer", "6.0.0", b"letters")):
        other = FakeTesseract(tmp_path / name, version)
        other.shows(PAGE[0], TABLE)
        (other.folder / "eng.traineddata").write_bytes(letters)
        monkeypatch.setenv("PATH", str(other.folder))
        found.append(read(path, cache=cache))
        assert len(other.asked) == 1 and version in found[-1].cautions[0].message
    assert len({document.fingerprint for document in found}) == 3 and len({document.text for document in found}) == 1


def test_a_page_that_takes_too_long_fails_or_says_nonsense_is_named_and_the_others_are_read(tesseract, tmp_path):
    sizes = [PAGE, (900, 400), (800, 400), (700, 400), LATER_PAGE]
    tesseract.shows(900, "slow")
    tesseract.shows(700, "level\n5\t1\n")
    limits = dataclasses.replace(DEFAULT_LIMITS, ocr_seconds=1.0)
    document = read(written(tmp_path / "scan.pdf", *map(picture, sizes)), limits=limits)
    assert [page.split("\n")[0] for page in document.text.split("\f")] == [
        "Segment  2023  2022", "", "", "", "Nothing was owed",
    ]  # fmt: skip
    failed = {caution.code: caution.pages for caution in document.cautions}
    assert failed["ocr-failed"] == (2, 3, 4) and document.unreadable_pages == (2, 3, 4)


def test_a_page_on_which_no_word_is_found_is_told_and_a_document_of_them_refused(tesseract, tmp_path):
    tesseract.shows(900, as_tsv())
    path = written(tmp_path / "scan.pdf", picture(), picture((900, 400)))
    assert [(c.code, c.pages) for c in read(path).cautions] == [("ocr", ()), ("no-text", (2,))]
    assert "OCR found no words" in refused(written(tmp_path / "empty.png", picture((900, 400)))).message


def test_a_quote_is_marked_with_its_least_confidence_and_shown_on_the_page(tesseract, tmp_path):
    path = written(tmp_path / "scan.tiff", picture(LATER_PAGE), picture())
    source = DocumentSource(str(path)).loaded()
    document = source.load()
    draft = Draft((DraftClaim("Revenue was 1,577.", ("Revenue 1,577 1,373",)), DraftClaim("x", ("Nothing was owed",))))
    checker = VisibilityChecker(document, lambda *_: pytest.fail("a caution"), source)
    quotes = resolve_quotes(draft, document, QuoteIndex(document)).quotes
    assert [(quote.page, quote.ocr) for quote in quotes] == [(2, 41), (1, 95)]
    assert quotes[0].difference == ('OCR is unsure of "1,577" (41 %)',) and not quotes[1].difference
    spans = [Span(quote.start, quote.end) for quote in quotes]
    assert set(checker(spans).values()) == {""}
    assert [[shot.page for shot in shots] for shots in render_pictures(document, spans, source=source)] == [[2], [1]]
    copy = annotate(document, [Annotation(span, "note") for span in spans], source=source)
    with pypdfium2.PdfDocument(copy) as pages:
        assert [pypdfium2.raw.FPDFPage_GetAnnotCount(page.raw) for page in pages] == [1, 1]


def test_text_that_a_file_itself_has_is_no_ocr(pdf):
    document = load_document(pdf([(72, 700, "Printed text of the file itself.")]))
    (quote,) = resolve_quotes(
        Draft((DraftClaim("x", ("Printed text of the file",)),)), document, QuoteIndex(document)
    ).quotes
    assert quote.ocr is None and not quote.difference


def test_a_memo_is_told_what_was_read_by_ocr_of_the_words_that_it_quotes_and_of_those_most_like_them(
    tesseract, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RALPH_CACHE_DIR", str(tmp_path / "cache"))
    written(tmp_path / "scan.tiff", picture(LATER_PAGE), picture())
    quoted = ("Costs 900 801 Margin 677 572", "Segment 2023 2022 Revenue 1,577 1,373", "2023 2022 Revenue 1,571 1,373")
    Path("memo.md").write_text("".join(f'It says "{words}".\n\n' for words in quoted))
    check = ["check", "memo.md", "--doc", "scan.tiff", "--ocr", "auto"]
    assert run([*check, "--html", "memo.html"]) == 2
    shown = capsys.readouterr().out
    assert run([*check, "--json"]) == 2
    data = json.loads(capsys.readouterr().out)
    assert [(words["quote"] or words["closest"])["ocr"] for words in data["quotations"]] == [95, 41, 41]
    for text in (shown, Path("memo.html").read_text()):
        assert text.count("lowest confidence 95 %") == 1 and text.count("lowest confidence 41 %") == 2
        assert len(re.findall('OCR is unsure of (?:"|&quot;)1,577(?:"|&quot;) \\(41 %\\)', text)) == 2, text


def test_judge_and_worker_are_told_what_ocr_is_unsure_of(tesseract, tmp_path):
    document = read(written(tmp_path / "scan.png", picture()))
    draft = Draft((DraftClaim("x", ("Revenue 1,577 1,373", "Costs  900  801")),))
    quotes = resolve_quotes(draft, document, QuoteIndex(document)).quotes
    shown = render_passages(document, quotes, "n")
    assert '(quote 1: OCR is unsure of "1,577" (41 %))' in shown
    assert shown.endswith("Read by OCR, which may take a letter or digit for another: quotes 1, 2.")
    bench = DocumentSandbox(FakeSandbox, document)
    assert 'OCR is unsure of "1,577" (41 %)' in bench.run("find('Revenue', after=0)", lambda items: []).stdout
    assert "unsure" not in bench.run("find('Costs', after=0, before=0)", lambda items: []).stdout


def test_a_figure_of_which_ocr_is_unsure_is_open_and_no_fact(tesseract, tmp_path):
    document = read(written(tmp_path / "scan.png", picture()))
    revenue, costs = ("Revenue was 1,577 in 2023.", ("Revenue 1,577 1,373",)), ("Costs were 900.", ("Costs 900 801",))
    draft = Draft((DraftClaim(*revenue), DraftClaim(*costs)))
    attempt = resolve_quotes(draft, document, QuoteIndex(document))
    found = NumbersCheck(document, "What was revenue?")(attempt)
    assert [(doubt.claim, doubt.words, doubt.kind) for doubt in found.doubts] == [(1, "1,577", "open")]
    assert "41 %: compare it with the page" in found.doubts[0].message and found.passed


def test_a_record_says_what_was_read_by_ocr_and_is_read_in_the_same_way_again(tesseract, pdf, tmp_path):
    path = pdf([(72, 700, "Printed text of the file itself.")], [], picture_pages=(1,))
    tesseract.shows(1700, TABLE)
    scanned = DocumentSource(str(path), ocr=FORCED).loaded()
    record = describe_document(scanned.load(), scanned.record)
    assert record["ocr"] == {"mode": "force", "language": "eng"}
    assert open_recorded(record).load().fingerprint == scanned.load().fingerprint
    # A run in which OCR read nothing is opened without it, though the program is there now.
    plain = DocumentSource(str(path), ocr=OcrOptions("never")).loaded()
    record = describe_document(plain.load(), plain.record)
    assert "ocr" not in record and open_recorded(record).load().fingerprint == plain.load().fingerprint


@pytest.mark.parametrize(
    "words",
    [
        [0, 5, 90, 0, 0, 9],
        [0, 6, 90, 0, 0, 9, 9],
        [3, 3, 90, 0, 0, 9, 9],
        [0, 5, 101, 0, 0, 9, 9],
        [0, 5, 90, 9, 0, 0, 9],
        [2, 5, 90, 0, 0, 9, 9, 0, 2, 90, 0, 0, 9, 9],
    ],
)
def test_words_that_no_correct_parser_gives_are_refused(words):
    def answer(*scans: tuple[int, list[int]]) -> bytes:
        packed = tuple(ScannedPage(number, 0, array("i", numbers).tobytes()) for number, numbers in scans)
        return replace(plain_document(["Hello"]), scans=packed).to_json()

    good = [0, 5, 90, 0, 0, 9, 9]
    assert ParsedDocument.from_json(answer((1, good)), DEFAULT_LIMITS).scans[0].words == array("i", good).tobytes()
    for wrong in (answer((1, words)), answer((2, good)), answer((1, good), (1, good))):
        with pytest.raises(ValueError, match=r"scanned"):
            ParsedDocument.from_json(wrong, DEFAULT_LIMITS)


def test_pictures_of_a_file_that_cannot_be_read_are_told(tesseract, tmp_path):
    animation = written(tmp_path / "moving.gif", *(Image.new("L", PAGE, shade) for shade in (0, 90, 200)))
    assert "3 pictures, of which only the first" in read(animation).cautions[-1].message
    whole = written(tmp_path / "whole.tiff", picture(), picture(LATER_PAGE)).read_bytes()
    cut = tmp_path / "cut.tiff"
    cut.write_bytes(whole[: len(whole) * 3 // 5])
    document = read(cut)
    assert len(document.pages) == 1 and document.cautions[-1].code == "damaged-file"
    bomb = tmp_path / "huge.bmp"
    bomb.write_bytes(struct.pack("<2sIIIIiiHHIIiiII", b"BM", 54, 0, 54, 40, 30_000, 30_000, 1, 24, 0, 0, 1, 1, 0, 0))
    assert refused(bomb).code == "too-big"


def needs_tesseract(test: Callable[..., None]) -> Callable[..., None]:
    reason = "tesseract with English is not installed: apt install tesseract-ocr"
    return pytest.mark.skipif(shutil.which("tesseract") is None, reason=reason)(test)


@needs_tesseract
def test_the_program_itself_reads_a_turned_page_with_a_table(tmp_path):
    page = picture((1240, 700))
    draw, font = ImageDraw.Draw(page), ImageFont.load_default(28)
    rows = [("Year ended December 31", "2023", "2022"), ("Revenue", "1,577", "1,373"), ("Net income", "4,869", "5,363")]
    for number, (label, *figures) in enumerate(rows):
        for x, text in ((80, label), *zip((760, 980), figures, strict=True)):
            draw.text((x, 100 + 60 * number), text, font=font, fill=0)
    path = written(tmp_path / "turned.png", page.rotate(1.0, fillcolor=255, resample=Image.Resampling.BICUBIC))
    assert "Revenue  1,577  1,373\nNet income  4,869  5,363" in read(path).text
