"""Makes the files that the tests of the document package load."""

import ctypes
import io
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hidden_pdfs import raw_pdf

from ralph_cli.core.document import Document
from ralph_cli.core.structure import PAGE_BREAK, Page
from ralph_cli.documents.limits import DEFAULT_LIMITS, LoadLimits
from ralph_cli.documents.ocr.engine import OcrOptions
from ralph_cli.documents.pdf.content import missing_fonts
from ralph_cli.documents.source import DocumentSource

NO_OCR = OcrOptions("never")

Place = tuple[float, float, str]


def load_document(
    path: str | Path, *, cache: Path | None = None, limits: LoadLimits = DEFAULT_LIMITS, **options: Any
) -> Document:
    """The document of a path, or of "-"; `options` are fields of DocumentSource.

    OCR reads nothing unless they say so: a test must not depend on what is installed.
    """
    return DocumentSource(os.fspath(path), **({"ocr": NO_OCR} | options)).load(cache, limits)


@pytest.fixture
def no_fonts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without fonts, whatever is installed on this one."""
    monkeypatch.setitem(missing_fonts._fonts._own, "MapFont", lambda *_: None)
    asked = missing_fonts._fonts._info.contents
    kind = type(asked.GetFont)
    own, nothing = kind(ctypes.cast(asked.GetFont, ctypes.c_void_p).value), kind(lambda *_: None)
    asked.GetFont = nothing
    yield
    asked.GetFont = own


def one_page_pdf(content: bytes, filters: bytes = b"", page: bytes = b"") -> bytes:
    """A PDF with one page that draws this content stream."""
    return raw_pdf(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>"
            + page
            + b">>",
            b"<</Length %d%s>>stream\n" % (len(content), filters) + content + b"\nendstream",
            b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        ]
    )


def flate_bomb(megabytes: int) -> bytes:
    """A small PDF whose page content unpacks to this many megabytes of spaces."""
    packer = zlib.compressobj(1)
    chunk = b" " * 1_000_000
    packed = b"".join(packer.compress(chunk) for _ in range(megabytes)) + packer.flush()
    return one_page_pdf(packed, b"/Filter/FlateDecode")


@pytest.fixture
def pdf(tmp_path: Path) -> Callable[..., Path]:
    """Writes a PDF: pages of (x, y, text) places, with optional outline, labels, passwords and pictures."""

    def write(
        *pages: list[Place],
        name: str = "made.pdf",
        user: str | None = None,
        owner: str | None = None,
        outline: list[tuple[str, int, int]] = (),  # type: ignore[assignment]
        rotate: int = 0,
        picture_pages: tuple[int, ...] = (),
        size: float = 10,
    ) -> Path:
        from reportlab.lib.pdfencrypt import StandardEncryption
        from reportlab.lib.utils import ImageReader
        from reportlab.pdfgen.canvas import Canvas

        encrypt = StandardEncryption(user or "", owner, canCopy=0, strength=128) if user or owner else None
        path = tmp_path / name
        canvas = Canvas(str(path), pagesize=(612, 792), encrypt=encrypt, invariant=1)
        for number, places in enumerate(pages):
            canvas.setFont("Helvetica", size)
            if rotate:
                canvas.setPageRotation(rotate)
            for title, page, level in outline:
                if page == number:
                    canvas.bookmarkPage(title)
                    canvas.addOutlineEntry(title, title, level)
            if number in picture_pages:
                from PIL import Image

                canvas.drawImage(ImageReader(Image.new("L", (60, 80), 128)), 0, 0, 612, 792)
            for x, y, text in places:
                canvas.drawString(x, y, text)
            canvas.showPage()
        canvas.save()
        return path

    return write


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Writes a file with these bytes."""

    def write(name: str, data: bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


@pytest.fixture
def make_raw() -> dict[str, Callable[..., bytes]]:
    """The builders of hand-made PDFs."""
    return {"objects": raw_pdf, "page": one_page_pdf, "bomb": flate_bomb}


@pytest.fixture(scope="session")
def make_document() -> Callable[..., Document]:
    """Builds a document from the texts of its pages without loading anything."""

    def make(*texts: str, kind: str = "text") -> Document:
        pages, start = [], 0
        for number, text in enumerate(texts, 1):
            pages.append(Page(number, str(number), start, start + len(text)))
            start += len(text) + 1
        return Document("0" * 16, "made.txt", kind, "0" * 64, "0" * 64, PAGE_BREAK.join(texts), tuple(pages))

    return make


@pytest.fixture
def zip_with() -> Callable[..., bytes]:
    """A ZIP file with these members."""

    def make(**members: bytes) -> bytes:
        import zipfile

        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for member, data in members.items():
                archive.writestr(member.replace("__", "/").replace("_dot_", "."), data)
        return buffer.getvalue()

    return make
