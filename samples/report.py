"""Builds report.pdf, the sample annual report, from report.md and report_figures.py."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import report_figures as data
from reportlab.lib import colors  # type: ignore[import-untyped]
from reportlab.lib.pagesizes import letter  # type: ignore[import-untyped]
from reportlab.lib.styles import ParagraphStyle  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]
from reportlab.platypus import (  # type: ignore[import-untyped]
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = letter
MARGIN, BOTTOM, TOP = 76.0, 78.0, HEIGHT - 84.0
TEXT = WIDTH - 2 * MARGIN
GAP = 22.0
INK, RULE = colors.HexColor("#17324d"), colors.HexColor("#8fa3b5")
COMPANY, TITLE = "Velmoor Instruments, Inc.", "Annual Report 2024"


def style(name: str, size: float, lead: float, font: str = "Times-Roman", **more: Any) -> ParagraphStyle:
    """Make a paragraph style."""
    return ParagraphStyle(name, fontName=font, fontSize=size, leading=lead, **more)


BODY = style("body", 11, 15.6, spaceAfter=8, alignment=4, embeddedHyphenation=1)
NARROW = style("narrow", 10.2, 13.4, spaceAfter=6, alignment=4, embeddedHyphenation=1)
BULLET = style("bullet", 11, 15.6, spaceAfter=5, leftIndent=16, bulletIndent=4)
HEAD1 = style("h1", 20, 25, "Helvetica-Bold", textColor=INK, spaceAfter=14)
HEAD2 = style("h2", 12.5, 16, "Helvetica-Bold", textColor=INK, spaceBefore=9, spaceAfter=6)
NOTE = style("note", 8.4, 10.4)
CAPTION = style("caption", 9.6, 12.5, "Helvetica-Bold", spaceBefore=6, spaceAfter=4)
CELL = style("cell", 9.2, 11.4, "Helvetica")
STRONG = style("strong", 9.2, 11.4, "Helvetica-Bold")
RIGHT = style("right", 8.6, 10.6, "Helvetica-Bold", alignment=2, embeddedHyphenation=1)


@dataclass
class State:
    """What one pass over the document found out and the next pass needs."""

    notes: dict[int, list[str]] = field(default_factory=dict)
    heads: list[tuple[int, str, int]] = field(default_factory=list)
    first: int = 5  # the page on which arabic numbering starts

    def label(self, page: int) -> str:
        """The page number as printed."""
        return str(page - self.first + 1) if page >= self.first else ("", "i", "ii", "iii", "iv", "v", "vi")[page]

    def height(self, page: int) -> float:
        """The space that the notes of a page need."""
        found = [Paragraph(note, NOTE).wrap(TEXT, HEIGHT)[1] + 2 for note in self.notes.get(page, [])]
        return sum(found) + 12 if found else 0.0


def number(value: Decimal) -> str:
    """A figure as it is written in prose, without its sign."""
    return f"{abs(value):,}"


def look_up(match: re.Match[str]) -> str:
    """Replace a reference such as {rev.24}, {rev.24 up 23} or {rnd.24 of rev.24} by the figure."""
    key, year, how, other = match.groups()
    value = data.F[key][24 - int(year)]
    if how is None:
        return number(value)
    if how == "of":
        name, when = other.split(".")
        return f"{data.rounded(100 * value / data.F[name][24 - int(when)])}%"
    change = value - data.F[key][24 - int(other)]
    assert (change < 0) == (how == "dn") and change != 0, match.group(0)
    return number(change) if how == "diff" else f"{abs(data.rounded(100 * change / (value - change)))}%"


def fill(text: str, old: State) -> str:
    """Put the figures and page references into the source text."""
    f = data.F
    before = f["op"][1] + f["impair"][1]
    extra = {
        "restated": -data.RESTATED["Revenue"][1],
        "op_ex_up": f["op"][0] - before,
        "gw_con": data.GOODWILL["Balance at September 30, 2024"][1],
        "variable": f["loan_term"][0] + f["loan_rcf"][0],
        "undrawn": Decimal("250.0") - f["loan_rcf"][0],
        "cover": data.rounded(f["ebitda"][0] / f["int_exp"][0], "0.01"),
        "con_ex_23": data.add("seg_con impair restruct")[1],
        "con_ex_24": data.add("seg_con impair restruct")[0],
    }
    for key, value in extra.items():
        text = text.replace("{" + key + "}", number(value))
    text = text.replace("{op_ex_pct}", f"{data.rounded(100 * (f['op'][0] - before) / before)}%")
    pages = {name.split(" ")[0]: old.label(page) for _, name, page in old.heads}
    text = re.sub(r"\{page:([\d.]+)\}", lambda m: pages.get(m.group(1), "00"), text)
    text = re.sub(r"\{(\w+)\.(\d\d)(?: (up|dn|diff|of) ([\w.]+))?\}", look_up, text)
    assert "{" not in text, text[text.index("{") :][:40]
    return text


def typeset(text: str) -> str:
    """Turn plain punctuation into typographic marks and light markup into tags."""
    text = text.replace("&", "&amp;").replace(" --- ", "\u2014").replace("---", "\u2014").replace("--", "\u2013")
    text = re.sub(r'(^|[\s(\u2014])"', "\\1\u201c", text).replace('"', "\u201d").replace("'", "\u2019")
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", text)


class Notes:
    """Numbers the footnotes in the order of the text."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def mark(self, text: str) -> str:
        """Replace each footnote by its superscript number and keep its text."""

        def one(match: re.Match[str]) -> str:
            self.texts.append(match.group(1))
            return '<super size="7">{0}</super><onDraw name="footnote" label="{0}"/>'.format(len(self.texts))

        return re.sub(r"\^\[(.+?)\]", one, typeset(text))


class ContentsLine(Flowable):  # type: ignore[misc]
    """One line of the contents page, with dots up to the page number and a link."""

    def __init__(self, level: int, name: str, label: str) -> None:
        super().__init__()
        self.level, self.name, self.label = level, name, label
        self.width, self.height = TEXT, 20.0 if level == 1 else 14.2

    def draw(self) -> None:
        """Draw the line."""
        font, size, left = ("Helvetica-Bold", 10.0, 0.0) if self.level == 1 else ("Times-Roman", 10.5, 16.0)
        c = self.canv
        c.setFont(font, size)
        c.drawString(left, 2, typeset(self.name).replace("&amp;", "&"))
        c.drawRightString(TEXT, 2, self.label)
        start = left + c.stringWidth(self.name, font, size) + 8
        dots = "." * int((TEXT - 26 - start) / (c.stringWidth(".", font, size) + 2))
        c.drawString(start, 2, dots, charSpace=2)
        c.linkRect("", self.name, (0, 0, TEXT, 12), relative=1)


class Report(BaseDocTemplate):  # type: ignore[misc]
    """The document: page templates, running heads, page labels and footnotes."""

    def __init__(self, path: Path, old: State, notes: Notes) -> None:
        super().__init__(
            str(path), pagesize=letter, invariant=1, title=f"{COMPANY} \u2013 {TITLE}", author=COMPANY, lang="en-US"
        )
        self.subject, self.creator = "Sample document: an invented company and invented figures", "samples/report.py"
        self.old, self.new, self.notes, self.section = old, State(first=old.first), notes, ""
        box = partial(Frame, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)
        half = (TEXT - GAP) / 2
        one = [box(MARGIN, BOTTOM, TEXT, TOP - BOTTOM)]
        two = [
            box(MARGIN, TOP - 46, TEXT, 46),
            box(MARGIN, BOTTOM, half, TOP - BOTTOM - 50),
            box(MARGIN + half + GAP, BOTTOM, half, TOP - BOTTOM - 50),
        ]
        page: Callable[..., Any] = partial(PageTemplate, onPage=self.begin, onPageEnd=self.end)
        self.addPageTemplates([PageTemplate("title", one), page("one", one), page("two", two)])

    def begin(self, canvas: Canvas, _: Any) -> None:
        """Keep room for the footnotes that the last pass found on this page."""
        need = self.old.height(canvas.getPageNumber())
        if self.pageTemplate.id == "one":
            frame = self.pageTemplate.frames[0]
            frame.y1, frame.height = BOTTOM + need, TOP - BOTTOM - need

    def end(self, canvas: Canvas, _: Any) -> None:
        """Draw the running head, the foot and the footnotes."""
        page = canvas.getPageNumber()
        canvas.setStrokeColor(RULE)
        canvas.setFillColor(INK)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(MARGIN, HEIGHT - 52, COMPANY)
        canvas.drawRightString(WIDTH - MARGIN, HEIGHT - 52, self.section)
        canvas.line(MARGIN, HEIGHT - 58, WIDTH - MARGIN, HEIGHT - 58)
        canvas.drawString(MARGIN, 44, TITLE)
        canvas.drawRightString(WIDTH - MARGIN, 44, self.old.label(page))
        height = self.new.height(page)
        if height:
            canvas.line(MARGIN, BOTTOM + height - 8, MARGIN + 110, BOTTOM + height - 8)
            y = BOTTOM + height - 12
            for text in self.new.notes[page]:
                note = Paragraph(text, NOTE)
                y -= note.wrap(TEXT, HEIGHT)[1] + 2
                note.drawOn(canvas, MARGIN, y)

    def footnote(self, canvas: Canvas, _: str, label: str) -> None:
        """Remember on which page a footnote mark was drawn."""
        text = f'<super size="6">{label}</super> {self.notes.texts[int(label) - 1]}'
        self.new.notes.setdefault(canvas.getPageNumber(), []).append(text)

    def afterFlowable(self, flowable: Flowable) -> None:
        """Record headings for the contents, the outline and the running head."""
        level = {"h1": 1, "h2": 2}.get(getattr(getattr(flowable, "style", None), "name", ""), 0)
        if not level or not hasattr(flowable, "heading"):
            return
        name, page = flowable.heading_at, self.canv.getPageNumber()
        if level == 1:
            self.section = name
        if name.startswith("1 "):
            self.new.first = page
        self.new.heads.append((level, name, page))
        self.canv.bookmarkPage(name)
        self.canv.addOutlineEntry(name, name, level - 1, closed=level == 1)


def sheet(found: data.Sheet, notes: Notes) -> list[Flowable]:
    """Lay out a table of figures."""
    count = len(found.heads)
    each = {1: 90.0, 2: 90.0, 3: 76.0, 4: 70.0, 5: 62.0}.get(count, 58.0)
    rows: list[list[Any]] = [["", *(Paragraph(head, RIGHT) for head in found.heads)]]
    look: list[tuple[Any, ...]] = [
        ("LINEBELOW", (0, 0), (-1, 0), 0.8, INK),
        ("VALIGN", (0, 0), (-1, -1), "BOTTOM"),
        ("TOPPADDING", (0, 0), (-1, -1), 1.6),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.2),
        ("LEFTPADDING", (0, 0), (0, -1), 2),
        ("RIGHTPADDING", (1, 0), (-1, -1), 4),
    ]
    for at, (label, values, marks) in enumerate(found.rows, start=1):
        strong = "t" in marks or "s" in marks
        cells: list[Any] = []
        for value in values:
            shown = "\u2014" if value == 0 else f"({-value:,})" if value < 0 else f"{value:,}"
            shown = ("$ " if "$" in marks else "") + shown + ("%" if "%" in marks else "x" if "x" in marks else "")
            weight = STRONG if strong else CELL
            # A closing bracket hangs to the right of the column of figures.
            cells.append(Paragraph(shown, weight.clone("r", alignment=2, rightIndent=0 if value < 0 else 3)))
        rows.append([Paragraph(notes.mark(label), STRONG if strong else CELL), *cells, *[""] * (count - len(cells))])
        if "t" in marks:
            look.append(("LINEABOVE", (1, at), (-1, at), 0.5, INK))
    table = Table(rows, [TEXT - each * count, *[each] * count], repeatRows=1, style=look)
    return [Paragraph(typeset(found.title), CAPTION), table, Spacer(1, 12)]


def grid(title: str, lines: list[str], notes: Notes) -> list[Flowable]:
    """Lay out a table of words; its header is repeated on each page."""
    name, _, shares = title.rpartition(" | ")
    widths = [TEXT * int(share) / 100 for share in shares.split(",")]
    rows = []
    for at, line in enumerate(lines):
        marks = [notes.mark(cell.strip()) for cell in line.split(" | ")]
        assert len(marks) == len(widths), line
        rows.append([Paragraph(cell, STRONG if at == 0 else CELL) for cell in marks])
    look = [
        ("LINEBELOW", (0, 0), (-1, 0), 0.8, INK),
        ("LINEBELOW", (0, 1), (-1, -1), 0.25, RULE),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), 2),
    ]
    return [Paragraph(typeset(name), CAPTION), Table(rows, widths, repeatRows=1, style=look), Spacer(1, 12)]


def keep(parts: list[Flowable], made: list[Flowable]) -> None:
    """Add a table that may not be divided, together with a heading just before it."""
    head = [parts.pop()] if hasattr(parts[-1], "heading") else []
    parts.append(KeepTogether([*head, *made]))


def story(old: State, notes: Notes) -> list[Flowable]:
    """Read the source and return the parts of the document in order."""
    big = style("big", 30, 36, "Helvetica-Bold", textColor=INK)
    mid = style("mid", 16, 22, "Helvetica", textColor=INK)
    parts: list[Flowable] = [Spacer(1, 190), Paragraph(COMPANY, big), Spacer(1, 14), Paragraph(TITLE, mid)]
    parts += [Paragraph("Fiscal year ended September 30, 2024", mid), Spacer(1, 250)]
    parts += [Paragraph("A sample document. The company, its figures and all persons are invented.", CELL)]
    parts += [NextPageTemplate("one"), PageBreak()]
    contents = Paragraph("Contents", HEAD1)
    contents.heading_at = "Contents"
    parts += [contents, *(ContentsLine(level, name, old.label(page)) for level, name, page in old.heads[1:])]
    words, *blocks = fill((HERE / "report.md").read_text(encoding="utf-8"), old).strip().split("\n\n")
    divided = {word.replace("-", ""): word.replace("-", "\xad") for word in words.split()}
    body = BODY
    for block in blocks:
        first, *rest = block.split("\n")
        if first.startswith("#"):
            level, name = len(first.split(" ")[0]), first.lstrip("# ")
            head = Paragraph(typeset(name), HEAD1 if level == 1 else HEAD2)
            head.heading_at = name
            parts += [PageBreak() if level == 1 and body is BODY else CondPageBreak(110 if level == 2 else 0), head]
        elif first in ("[[twocol]]", "[[onecol]]"):
            body = NARROW if first == "[[twocol]]" else BODY
            parts += [NextPageTemplate("two" if body is NARROW else "one"), *([PageBreak()] if body is NARROW else [])]
        elif first in ("[[columns]]", "[[break]]"):
            parts.append(FrameBreak() if first == "[[columns]]" else PageBreak())
        elif first.startswith("@sheet "):
            keep(parts, sheet(data.Sheet(first[7:], data.YEARS, data.lines("\n".join(rest))), notes))
        elif first.startswith("@named "):
            keep(parts, sheet(data.SHEETS[first[7:]], notes))
        elif first.startswith("@grid "):
            made = grid(first[6:], rest, notes)
            if len(rest) > 12:
                parts += made
            else:
                keep(parts, made)
        elif first.startswith("- "):
            parts += [Paragraph(notes.mark(line[2:]), BULLET, bulletText="\u2022") for line in block.split("\n")]
        else:
            soft = re.sub(r"[A-Za-z]+", lambda m: divided.get(m.group(0), m.group(0)), " ".join(block.split("\n")))
            parts.append(Paragraph(notes.mark(soft), body))
    return parts


def build(path: Path) -> None:
    """Set the document again until page numbers and footnotes stand still."""
    data.check()
    old = State()
    for _ in range(12):
        notes = Notes()
        report = Report(path, old, notes)

        def canvas(*args: Any, made: Report = report, **more: Any) -> Canvas:
            found = Canvas(*args, **more)
            found.setNamedCB("footnote", made.footnote)
            found.addPageLabel(0, style="ROMAN_LOWER", start=1)
            found.addPageLabel(made.old.first - 1, style="ARABIC", start=1)
            return found

        report.build(story(old, notes), canvasmaker=canvas)
        if report.new == old:
            return
        old = report.new
    raise RuntimeError("the page breaks do not settle")


if __name__ == "__main__":
    build(HERE / "report.pdf")
