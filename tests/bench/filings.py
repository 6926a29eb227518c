"""Runs `ralph qa` without keys over a set of questions about PDFs, and checks each quote's page with another extractor.

    python tests/bench/filings.py QUESTIONS.jsonl PDF_FOLDER

QUESTIONS holds one JSON object a line: id, document, question, evidence [{page}], pages counted from 1.
Needs pdftotext (poppler). Prints for each question whether every quote is on the page it names (compared on letters and
digits), whether one lies on a page of the evidence, and the wall time; at the end the shares and times by document.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any


@cache
def page_key(pdf: Path, page: int) -> str:
    """Letters and digits of a page, as pdftotext reads it in both of its orders."""
    texts = []
    for order in ("-layout", "-raw"):
        command = ["pdftotext", order, "-f", str(page), "-l", str(page), str(pdf), "-"]
        texts.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return "\0".join(key(text) for text in texts)


def key(text: str) -> str:
    """The letters and digits of a text."""
    ligatures = {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl"}
    return re.sub(r"[^a-zA-Z0-9]", "", "".join(ligatures.get(char, char) for char in text))


def gold_pages(question: dict[str, Any]) -> set[int]:
    """The pages of the evidence."""
    return {int(item["page"]) for item in question["evidence"]}


def run(question: dict[str, Any], pdf: Path, out: str, options: list[str]) -> tuple[dict[str, Any], float]:
    """The object that `ralph qa --json` printed, and the seconds it took."""
    command = [sys.executable, "-m", "ralph_cli", "qa", str(pdf), question["question"], "--model", "offline"]
    begun = time.perf_counter()
    done = subprocess.run(
        [*command, "--json", "--quiet", "--out", out, *options], capture_output=True, text=True, check=False
    )
    took = time.perf_counter() - begun
    if done.returncode not in (0, 2, 3):
        raise SystemExit(f"{question['id']}: exit {done.returncode}: {done.stderr}")
    return json.loads(done.stdout), took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("pdfs", type=Path)
    parser.add_argument("options", nargs="*", help="further options of `ralph qa`, after --")
    given = parser.parse_args()
    quotes = right = on_gold = first = among_three = absent = 0
    times: dict[str, list[float]] = defaultdict(list)
    questions = [json.loads(line) for line in given.questions.read_text("utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as out:
        for question in questions:
            pdf = given.pdfs / question["document"]
            told, took = run(question, pdf, out, given.options)
            wrong = [quote for quote in told["quotes"] if key(quote["text"]) not in page_key(pdf, quote["page"])]
            gold = bool(gold_pages(question) & {quote["page"] for quote in told["quotes"]})
            starts = [told["quotes"][claim["quotes"][0] - 1]["page"] for claim in told["claims"][:3]]
            first += starts[0] in gold_pages(question) if starts else 0
            among_three += bool(gold_pages(question) & set(starts))
            quotes, right = quotes + len(told["quotes"]), right + len(told["quotes"]) - len(wrong)
            on_gold, absent = on_gold + gold, absent + (told["not_found"] is not None)
            times[question["document"]].append(took)
            marks = (
                f"{len(told['quotes'])} quotes, {len(wrong)} not on their page, gold page {'hit' if gold else 'missed'}"
            )
            print(f"{question['id']}  {told['stop']['type']}  {marks}  {took:.1f} s", flush=True)
            for quote in wrong:
                print(f"    page {quote['page']}: {quote['text']!r}")
    print(f"\nquotes on the page they name: {right} of {quotes}")
    print(f"questions with a quote on a page of the evidence: {on_gold} of {len(questions)}")
    print(f"... the first passage is: {first}; one of the first three is: {among_three}")
    print(f"said to be absent: {absent}")
    for name, seconds in sorted(times.items()):
        print(f"{name}: {median(seconds):.2f} s median of {len(seconds)}, first {seconds[0]:.2f} s")


if __name__ == "__main__":
    main()
