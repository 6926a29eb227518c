"""How long loading and asking take, and how much memory, by the size of the document.

python tests/bench/sizes.py [--cores 1 2] [1000files 160 3000 10000 1MB 10MB 100MB]

Documents are made here: PDFs of so many pages with reportlab, texts of so many megabytes, folders of so many small
files of five formats. Each measurement is a process of its own, bound to so many cores, and is set beside another
program on the same file in the same minute: pdftotext for a PDF, Python's own decoding for a text or a folder. Memory
is the most that a process had resident: that of ralph itself, and that of the largest of its children (parser,
sandbox). CPU is that of all of them: on a machine that others use, too, it says more than the seconds that went by. The
sandbox's runtime is there before anything is measured, the text of a document is not.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

SIZES = ("1000files", "160", "3000", "10000", "1MB", "10MB", "100MB")
NEEDLE = "The notice period of the Harbour lease is ninety days."
QUESTION = "What is the notice period of the Harbour lease?"
_WORDS = """
    revenue agreement tenant landlord company payable interest section notice of the and to in for by any such other
    material operations fiscal year increase decrease total net assets cash flows quarter results costs services
    products customers segment margin tax
"""
WORDS = _WORDS.split()
_TIMED = "import time,sys; t=time.perf_counter(); {}; print(time.perf_counter()-t)"
_RALPH = {
    "load": "from ralph_cli.documents.source import DocumentSource; from ralph_cli.documents.sets.loading import "
    "load_source; load_source(DocumentSource(sys.argv[1])).load()",
    "qa": "from ralph_cli import api, config; r=api.ask(sys.argv[1], sys.argv[2], settings=config.load_settings("
    "{'model': 'offline', 'out': sys.argv[3] + '/out', 'cache': sys.argv[3] + '/cache'})); "
    "assert 'ninety days' in r.text, r.stop",
}
_TEXT = (
    "import pathlib; p = pathlib.Path(sys.argv[1]); "
    "[f.read_bytes().decode('utf-8', 'replace').count('\\n') for f in (p.iterdir() if p.is_dir() else [p])]"
)
_USED = (
    "; import resource; used = list(map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))); "
    "print(sum(one.ru_utime + one.ru_stime for one in used), *(one.ru_maxrss >> 10 for one in used))"
)


def sentences(rnd: random.Random) -> Iterator[str]:
    """Sentences without end."""
    while True:
        words = [rnd.choice(WORDS) for _ in range(rnd.randint(8, 20))]
        words.insert(rnd.randrange(len(words)), f"${rnd.randint(1, 99_999):,}")
        yield f"{' '.join(words).capitalize()}."


def make_text(path: Path, megabytes: float) -> None:
    """Paragraphs, one of which answers the question."""
    said, size, target = sentences(random.Random(3)), 0, megabytes * 1_000_000
    with path.open("w", encoding="utf-8") as file:
        while size < target:
            paragraph = " ".join(next(said) for _ in range(5))
            paragraph += f"\n\n{NEEDLE}" if size <= target * 0.7 < size + len(paragraph) + 2 else ""
            size += file.write(f"{paragraph}\n\n")


def make_folder(path: Path, files: int) -> None:
    """Small files of five formats, one of which answers the question."""
    from reportlab.pdfgen.canvas import Canvas

    said = sentences(random.Random(3))
    path.mkdir()
    for number in range(files):
        lines = [next(said) for _ in range(12)] + [NEEDLE] * (number == int(files * 0.14) * 5)
        match number % 5:
            case 0:
                (path / f"{number}.txt").write_text("\n\n".join(lines))
            case 1:
                (path / f"{number}.html").write_text("".join(f"<p>{line}" for line in lines))
            case 2:
                (path / f"{number}.eml").write_text(f"From: a@example.org\nSubject: {number}\n\n" + "\n".join(lines))
            case 3:
                (path / f"{number}.rtf").write_text("{\\rtf1 " + "\\par ".join(lines) + "}")
            case _:
                canvas = Canvas(str(path / f"{number}.pdf"))
                for at, line in enumerate(lines):
                    canvas.drawString(60, 740 - 16 * at, line[:100])
                canvas.save()


def make_pdf(path: Path, pages: int) -> None:
    """Pages of lines and rows of a table, one of which answers the question."""
    from reportlab.pdfgen.canvas import Canvas

    rnd = random.Random(3)
    said, canvas = sentences(rnd), Canvas(str(path), pagesize=(612, 792), pageCompression=1)
    for page in range(pages):
        canvas.setFont("Helvetica", 9)
        for line in range(40):
            y = 740 - 16 * line
            if line % 4:
                canvas.drawString(60, y, next(said)[:100])
            else:
                canvas.drawString(60, y, f"{rnd.choice(WORDS)} {rnd.choice(WORDS)}".capitalize())
                for x in (380, 460, 540):
                    canvas.drawRightString(x, y, f"{rnd.randint(1, 99_999):,}")
        if page == int(pages * 0.7):
            canvas.drawString(60, 60, NEEDLE)
        canvas.drawString(300, 30, str(page + 1))
        canvas.showPage()
    canvas.save()


def measure(code: str, arguments: list[str], cores: int) -> tuple[float, float, int, int]:
    """Seconds, those of CPU, and the most megabytes of the process and of its children."""
    command = [sys.executable, "-c", _TIMED.format(code) + _USED, *arguments]
    cpus = sorted(os.sched_getaffinity(0))[:cores]
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus), check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    seconds, used = done.stdout.strip().split("\n")[-2:]
    cpu, own, children = used.split()
    return float(seconds), float(cpu), int(own), int(children)


def measure_other(path: Path, cores: int) -> float:
    """Seconds that another program takes to read the file."""
    if path.suffix != ".pdf":
        return measure(_TEXT, [str(path)], cores)[0]
    cpus = sorted(os.sched_getaffinity(0))[:cores]
    start = time.perf_counter()
    subprocess.run(
        ["pdftotext", "-layout", path, os.devnull], check=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus)
    )
    return time.perf_counter() - start


def main() -> None:
    """Make the documents, measure, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sizes", nargs="*", default=SIZES)
    parser.add_argument("--cores", type=int, nargs="+", default=sorted({1, len(os.sched_getaffinity(0))}))
    options = parser.parse_args()
    print("| document | cores | load | ratio | CPU | memory, parser | qa | CPU | memory, sandbox |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: | --: |")
    with tempfile.TemporaryDirectory() as folder:
        make_text(Path(folder, "first.txt"), 0.01)
        measure(_RALPH["qa"], [f"{folder}/first.txt", QUESTION, folder], os.cpu_count() or 1)  # gets the runtime
        for size in options.sizes:
            number, unit = int(re.match(r"\d+", size)[0]), size.lstrip("0123456789") or "pages"
            make, suffix = {"MB": (make_text, ".txt"), "files": (make_folder, ""), "pages": (make_pdf, ".pdf")}[unit]
            path = Path(folder, f"made{size}{suffix}")
            # By another process: a process begins with the peak of memory of the one that starts it.
            maker = get_context("spawn").Process(target=make, args=(path, number))
            maker.start()
            maker.join()
            for cores in options.cores:
                other = measure_other(path, cores)
                row = [f"{number:,} {unit}", str(cores)]
                for what in ("load", "qa"):
                    shutil.rmtree(f"{folder}/cache/texts", ignore_errors=True)
                    seconds, cpu, own, children = measure(_RALPH[what], [str(path), QUESTION, folder], cores)
                    row += [f"{seconds:.1f} s", *([f"{seconds / other:.1f}"] if what == "load" else [])]
                    row += [f"{cpu:.1f} s", f"{own} MB, {children} MB"]
                print(f"| {' | '.join(row)} |", flush=True)
            shutil.rmtree(path) if path.is_dir() else path.unlink()


if __name__ == "__main__":
    main()
