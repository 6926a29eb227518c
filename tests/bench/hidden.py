"""How often visible text of PDFs is called hidden, and what it costs to look.

    python tests/bench/hidden.py FOLDER [--step 1] [--show 20]

Every `step`-th page of every PDF in FOLDER is looked at, line by line. In filings nearly every line can be seen, so
what is flagged is printed for a person to look at. The time for a page is that for all of its lines; what a run pays is
measured apart: the check of quotes of 150 characters, eight to a document, in a process of its own, with the loading.
Last, the pages made by the tests: all tricks must be flagged and no innocent page.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import median

import pypdfium2

sys.path.insert(0, str(Path(__file__).parent.parent / "support" / "formats"))
from hidden_pdfs import INNOCENT, SAID, SCANS, TRICKS

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Span
from ralph_cli.documents.invisible import unreadable_reason
from ralph_cli.documents.pages import check_visibility
from ralph_cli.documents.pdf.layout import lay_out
from ralph_cli.documents.pdf.visibility import PageVisibility
from ralph_cli.documents.source import DocumentSource

SEED = 20_261_120
QUOTES, QUOTE_CHARS = 8, 150


def lines_of(text: str) -> list[tuple[int, int]]:
    """Where the lines of a text stand that are not blank."""
    found, at = [], 0
    for line in text.split("\n"):
        if line.strip():
            found.append((at, at + len(line)))
        at += len(line) + 1
    return found


def look_at(path: Path, step: int) -> tuple[int, int, list[str], float, float]:
    """Pages and lines that were looked at, what was flagged, and seconds for the text and for the looking."""
    document = pypdfium2.PdfDocument(path)
    pages = lines = 0
    flagged: list[str] = []
    reading = looking = 0.0
    for index in range(0, len(document), step):
        begun = time.perf_counter()
        page = document[index]
        text_page = page.get_textpage()
        layout = lay_out(text_page)
        read = time.perf_counter()
        sight = PageVisibility(page, text_page, layout)
        for start, end in lines_of(layout.text):
            seen = sight.check(range(start, end))
            why = seen.reason or unreadable_reason(layout.text, start, end)
            lines += 1
            if why:
                part = "in part " if seen.partly else ""
                flagged.append(f"page {index + 1}: {layout.text[start:end][:70]!r}: {part}{why}")
        reading, looking, pages = reading + read - begun, looking + time.perf_counter() - read, pages + 1
        text_page.close()
        page.close()
    document.close()
    return pages, lines, flagged, reading, looking


def quotes_of(document: Document, chance: random.Random) -> list[Span]:
    """Passages from anywhere in a document."""
    starts = [chance.randrange(max(len(document.text) - QUOTE_CHARS, 1)) for _ in range(QUOTES)]
    return [Span(start, min(start + QUOTE_CHARS, len(document.text))) for start in starts]


def made(folder: Path) -> None:
    """Print how the pages of the tests are judged."""
    groups = {
        "tricks": {name: trick.pdf for name, (trick, _) in TRICKS.items()},
        "innocent pages": {name: page.pdf for name, page in {**INNOCENT, **SCANS}.items()},
    }
    for kind, files in groups.items():
        path, counted = folder / "made.pdf", Counter[bool]()
        for data in files.values():
            path.write_bytes(data)
            document = DocumentSource.of(path).load()
            at = document.text.index(SAID)
            counted[bool(check_visibility(document, [Span(at, at + len(SAID))])[0].reason)] += 1
        print(f"{kind}: {counted[True]} of {len(files)} flagged")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    given = parser.parse_args()
    pages = lines = hits = 0
    ratios: list[float] = []
    chance = random.Random(SEED)
    for path in sorted(given.folder.glob("*.pdf")):
        some_pages, some_lines, flagged, reading, looking = look_at(path, given.step)
        begun = time.perf_counter()
        document = DocumentSource.of(path).load()
        loaded = time.perf_counter()
        check_visibility(document, quotes_of(document, chance))
        checked = time.perf_counter() - loaded
        ratios.append(checked / (loaded - begun))
        pages, lines, hits = pages + some_pages, lines + some_lines, hits + len(flagged)
        per_page = f"{1000 * reading / some_pages:.1f} ms a page to read, {1000 * looking / some_pages:.1f} to look at"
        print(f"{path.name}: {some_pages} pages, {some_lines} lines, {len(flagged)} flagged; {per_page}")
        print(f"    loading {loaded - begun:.2f} s, {QUOTES} quotes {checked:.2f} s (x {ratios[-1]:.2f})", flush=True)
        for line in flagged[: given.add_shown]:
            print(f"    {line}")
    if lines:
        print(f"\nflagged: {hits} of {lines:,} lines on {pages:,} pages ({100 * hits / lines:.3f} %)")
        print(f"looking at {QUOTES} quotes takes x {median(ratios):.2f} the time of loading (median)")
    with tempfile.TemporaryDirectory() as folder:
        made(Path(folder))


if __name__ == "__main__":
    main()
