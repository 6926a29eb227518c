"""Whatever a document, a name or a model says, thousands of times to a page: no program that shows it obeys it.

One page of each kind is made always, a hundred thousand payloads by `.ci/full`.
"""

import csv
import io
import random
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import fields
from html.parser import HTMLParser

import pytest
from openpyxl import load_workbook
from sample_run import Words, sample_run
from sample_table import sample_table
from set_outputs import set_outputs
from test_report_tables import is_computed

from ralph_cli.commands.terminal.progress import LineProgress
from ralph_cli.core.results.table import Table
from ralph_cli.reports import csv as as_csv
from ralph_cli.reports import markdown
from ralph_cli.reports.html import page
from ralph_cli.reports.json import as_object
from ralph_cli.reports.notebook import render_table
from ralph_cli.reports.report import Report
from ralph_cli.reports.safe_text import plain_text, to_json
from ralph_cli.reports.story import story
from ralph_cli.reports.table.csv import cells_csv, matrix_csv
from ralph_cli.reports.table.html import table_html
from ralph_cli.reports.table.json import json_lines
from ralph_cli.reports.table.markdown import table_markdown
from ralph_cli.reports.table.terminal import table_lines
from ralph_cli.reports.table.xlsx import table_xlsx
from ralph_cli.reports.terminal import report_text
from ralph_cli.runs.history import RecordedRun
from ralph_cli.runs.report import RunDocument, build_report

_OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800"
    "\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
"""What a terminal obeys, or a reader does not see."""

_SNIPPETS = (
    "\x1b[2J", "\x1b]8;;http://evil.example\x07x\x1b]8;;\x07", "\x1b]52;c;eA==\x07", "\x1bP1$r\x1b\\", "\x9b31m",
    "\r\x1b[K", "\x08\x08", "[link=http://evil.example]x[/link]", "[/]", "<script>alert(1)</script>",
    "<img src=http://evil.example/x onerror=alert(1)>", "'\"><svg onload=alert(1)>", "</style></title></pre><b>",
    "![x](http://evil.example/?q=1)", "[x](http://evil.example)", "<http://evil.example>", "http://evil.example",
    "[a]: http://evil.example", "```", "    code", "# head", "| a | b |\n|---|---|", "&lt;b&gt;&#x3c;", "=1+1",
    "=HYPERLINK(\"http://evil.example\")", "@SUM(A1)", "+1+1", "-2+3", "\t=1", "\uff1d1", "--- *x* __y__ ~~z~~", "\\",
    "=cmd|'/c calc'!A1", "\x1b]2;evil\x07", "\u202etxt.exe", "<svg><script>document.title='evil'</script></svg>",
    "<a href=javascript:alert(1)>x</a>", "[x](javascript:alert(1))", "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
    "<iframe src=data:text/html,x>", "<base href=http://evil.example>", "<meta http-equiv=refresh content=0;url=x>",
)  # fmt: skip


def payloads(count: int, seed: int) -> Iterator[str]:
    """Random signs that are obeyed or not seen, alone and within snippets of every language of ours."""
    chance = random.Random(seed)
    ranges = ((0, 0x20), (0x7F, 0xA0), (0xAD, 0xAE), (0x200B, 0x2010), (0x2028, 0x202F), (0x2060, 0x2070))
    ranges += ((0xD800, 0xE000), (0xE000, 0xE100), (0xFE00, 0xFE10), (0xFFF0, 0x10000), (0xE0000, 0xE0200))
    for _ in range(count):
        sign = "".join(chr(chance.randrange(*chance.choice(ranges))) for _ in range(chance.randrange(3)))
        parts = [sign, chance.choice(_SNIPPETS), chance.choice(("", "a", sign))]
        chance.shuffle(parts)
        yield "".join(parts).replace("\f", "")


class Shape(HTMLParser):
    """The elements of a page with the names of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[tuple[str, tuple[str, ...]]] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add((tag, tuple(sorted(name for name, _ in attrs))))
        links = (str(value) for name, value in attrs if name in ("href", "src"))
        assert all(link.startswith(("#", "data:image/png", "evidence/")) for link in links)


def made(words: Words, *, absent: bool) -> tuple[RecordedRun, Report]:
    run, document = sample_run(words, absent=absent)
    return run, build_report(run, RunDocument(document))


@pytest.mark.parametrize(
    ("count", "seed"), [(1_500, 15), *(pytest.param(10_000, n, marks=pytest.mark.full) for n in range(10))]
)
def test_no_output_holds_what_a_program_obeys(count: int, seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    given = list(payloads(count, seed))
    names = [item.name for item in fields(Words)]
    calm = Words(**{name: f"calm {number}\nin two lines" for number, name in enumerate(names)})
    share = len(given) // len(names)
    parts = {name: given[at * share : (at + 1) * share] for at, name in enumerate(names)}
    wild = Words(**{name: f"calm {at} " + " ".join(parts[name]) for at, name in enumerate(names)})
    assert sum(bool(_OBEYED.search(payload)) for payload in given) > count * 0.4
    for absent in (False, True):
        run, report = made(wild, absent=absent)
        like, other = made(calm, absent=absent)
        shown = {
            "terminal": report_text(run.view),
            "json": to_json(as_object(run.view)),
            "story": story(run.events),
            "markdown": markdown.markdown_report(report),
            "html": page.render_page(report),
            "notebook": render_table(run.view),
            "csv": as_csv.csv_report(report).removeprefix("\ufeff"),
            **tables(sample_table(wild)),
            **({} if absent else set_outputs([getattr(wild, name) for name in names])),
        }
        progress = LineProgress(1e9)
        for event in run.events:
            progress(event)
        shown["progress"] = "".join(capsys.readouterr())
        for name, text in shown.items():
            text = text.replace("\r\n", "\n") if "csv" in name else text
            assert not (found := _OBEYED.search(text)), (name, text[max(found.start() - 40, 0) :][:80])
            assert not any(unicodedata.category(char) in ("Cc", "Cf", "Co", "Cs") for char in set(text) - set("\n\t"))
        assert Shape(shown["html"]).found <= Shape(page.render_page(other)).found
        if not absent:
            calm_page = set_outputs([getattr(calm, name) for name in names])["memo html"]
            assert Shape(shown["memo html"]).found <= Shape(calm_page).found
        assert Shape(shown["notebook"]).found <= Shape(render_table(like.view)).found
        assert Shape(shown["table html"]).found <= Shape(table_html(sample_table(calm), "", "")).found
        assert not _active_parts(shown["markdown"]) and not _active_parts(shown["table markdown"])
        for name in ("csv", "table csv", "cells csv"):
            for row in csv.reader(io.StringIO(shown[name], newline="")):
                assert not any(map(is_computed, row))


def tables(table: Table) -> dict[str, str]:
    """A table in every form; of its workbook all texts, none of them a formula."""
    book = load_workbook(io.BytesIO(table_xlsx(table, "", "")))
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert not [cell.value for cell in cells if cell.data_type in ("f", "e")] and len(cells) > 100
    assert all(cell.hyperlink.target.startswith("evidence/") for cell in cells if cell.hyperlink)
    return {
        "workbook": "\n".join(str(cell.value) for cell in cells),
        "table html": table_html(table, "", ""),
        "table markdown": table_markdown(table, "", ""),
        "table csv": matrix_csv(table).removeprefix("\ufeff"),
        "cells csv": cells_csv(table).removeprefix("\ufeff"),
        "table json": json_lines(table),
        "table summary": plain_text(table_lines(table, {}, 0)),
    }


def _active_parts(text: str) -> list[str]:
    """Links, pictures and HTML in Markdown, as its parser finds them."""
    from test_report_tables import PARSER

    active = ("link_open", "image", "html_block")
    parts = (part for token in PARSER.parse(text) for part in (token, *(token.children or ())))
    return [part.content or part.type for part in parts if part.type in active]
