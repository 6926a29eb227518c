"""Presentations as text: slides in reading order, and what stands behind or beside them."""

import time

import pytest
from office_files import cautions, chart, headers, load, open_document, origins, pptx, shape, slide

from ralph_cli.core.structure import Span
from ralph_cli.documents.slides.order import Box, order_boxes

NOTES = slide(shape("Say it slowly.", kind="body"), shape("7", kind="sldNum"), root="notes")


def table(*rows: tuple[str, ...]) -> str:
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    cells = "".join(f"<a:tr>{''.join(cell.format(text) for text in row)}</a:tr>" for row in rows)
    graphic = f"<a:graphic><a:graphicData><a:tbl><a:tblPr firstRow='1'/>{cells}</a:tbl></a:graphicData></a:graphic>"
    return f"<p:graphicFrame>{graphic}</p:graphicFrame>"


def test_a_slide_is_a_page_with_its_title_first_and_its_shapes_in_reading_order() -> None:
    shapes = [
        shape("right above", (600, 100, 300, 100)),
        shape("right below", (600, 300, 300, 100)),
        shape("left above", (0, 100, 300, 100)),
        shape("left below", (0, 300, 300, 100)),
        shape("Results", (0, 450, 900, 40), kind="title"),
    ]
    document = load("pptx", pptx(slide(*shapes), slide(shape("Outlook", kind="ctrTitle"), shape("more"))))
    lines = document.text.split("\f")[0].split("\n\n")
    assert lines == ["Results", "left above", "right above", "left below", "right below"]
    assert [page.label for page in document.pages] == ["Results", "Outlook"]
    assert [heading.text for heading in document.headings] == ["Results", "Outlook"]
    at = document.text.index("more")
    assert document.describe_span(Span(at, at + 4)) == "slide 2 (Outlook)"


def test_columns_side_by_side_are_read_one_after_the_other() -> None:
    tall, one, two = Box("tall", 0, 0, 40, 100), Box("one", 50, 0, 90, 45), Box("two", 50, 50, 90, 100)
    assert order_boxes([two, tall, one]) == ["tall", "one", "two"]
    assert order_boxes([two, Box("head", 0, -20, 90, -5), one, tall]) == ["head", "tall", "one", "two"]


def test_notes_charts_and_comments_are_marked() -> None:
    frame = "<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id='k'/></a:graphicData></a:graphic></p:graphicFrame>"
    comments = (
        "<p:cmLst xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main'>"
        "<p:cm authorId='0'><p:text>Sure?</p:text></p:cm></p:cmLst>"
    )
    relations = {
        "slides/slide1.xml": {
            "n": "notesSlide ../notes1.xml", "k": "chart ../chart1.xml", "m": "comments ../comments1.xml"
        }
    }  # fmt: skip
    parts = {"notes1.xml": NOTES, "chart1.xml": chart("Growth"), "comments1.xml": comments}
    document = load("pptx", pptx(slide(shape("Text"), frame), relations=relations, **parts))
    assert origins(document) == {
        "[chart] Growth": "chart",
        "[speaker notes] Say it slowly.": "speaker note",
        "[comment by an unnamed author] Sure?": "comment",
    }


def test_hidden_slides_and_shapes_beside_the_slide_are_marked() -> None:
    shown = slide(shape("seen"), shape("beside", (1200, 0, 50, 50)), shape("off", name="hidden='1'"))
    document = load("pptx", pptx(shown, slide(shape("skipped"), settings="show='0'")))
    assert origins(document) == {"beside": "hidden text", "off": "hidden text", "skipped": "hidden slide"}
    assert "slide 2; 2 shapes" in cautions(document)["hidden-parts"]


def test_a_table_names_its_columns_and_a_list_its_numbers() -> None:
    numbered = "".join(
        f"<a:p><a:pPr><a:buAutoNum type='arabicPeriod'/></a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>"
        for text in ("first", "second")
    )
    held = shape("x").replace("<a:p><a:r><a:t>x</a:t></a:r></a:p>", numbered)
    document = load("pptx", pptx(slide(held, table(("", "2022", "2023"), ("Asia", "", "2,000")))))
    assert "1. first\n2. second" in document.text
    assert headers(document, "2,000") == "2023" and "Asia  \u2423  2,000" in document.text


@pytest.mark.parametrize(
    ("run", "body", "seen"),
    [
        ("sz='100'", "", False),
        ("", "<a:lstStyle><a:lvl1pPr><a:defRPr sz='100'/></a:lvl1pPr></a:lstStyle>", False),
        ("sz='1200'", "<a:lstStyle><a:lvl1pPr><a:defRPr sz='100'/></a:lvl1pPr></a:lstStyle>", True),
        ("", "<a:lstStyle><a:lvl2pPr><a:defRPr sz='100'/></a:lvl2pPr></a:lstStyle>", True),
        ("sz='400'", "<a:bodyPr><a:normAutofit fontScale='25000'/></a:bodyPr>", True),
        ("sz='100'", "<a:bodyPr><a:prstTxWarp prst='textWave1'/></a:bodyPr>", True),  # stretched to its form
        ("baseline='30000'", "", True),
    ],
)
def test_characters_of_one_point_are_left_out_and_counted(run: str, body: str, seen: bool) -> None:
    text = f"<a:p><a:r><a:rPr {run}/><a:t>bait</a:t></a:r></a:p>"
    tiny = shape("x").replace("<a:p><a:r><a:t>x</a:t></a:r></a:p>", body + text)
    document = load("pptx", pptx(slide(shape("Shown."), tiny)))
    assert ("bait" in document.text) is seen and document.text.startswith("Shown.")
    assert ("4 too small to read" in cautions(document).get("hidden-text", "")) is not seen


SOLID = "<a:solidFill><a:srgbClr val='{}'>{}</a:srgbClr></a:solidFill>".format
DARK, AT = SOLID("1f3864", ""), (100, 100, 300, 50)


def painted(text: str = "", fill: str = "", place: tuple[int, ...] = AT, ink: str = SOLID("ffffff", "")) -> str:
    """A rectangle with a fill, and a text in it, which is white."""
    run = f"<a:p><a:r><a:rPr>{ink}</a:rPr><a:t>{text}</a:t></a:r></a:p>"
    made = shape("x", place).replace("<a:p><a:r><a:t>x</a:t></a:r></a:p>", run)
    return made.replace("</p:spPr>", f"<a:prstGeom prst='rect'/>{fill}</p:spPr>")


PICTURE = "<p:pic><p:spPr><a:xfrm><a:off x='{}' y='0'/><a:ext cx='400' cy='400'/></a:xfrm></p:spPr></p:pic>".format
ROUND = painted(fill=DARK, place=(0, 0, 900, 400)).replace("'rect'", "'ellipse'")
BACKGROUND = f"<p:cSld><p:bg><p:bgPr>{DARK}</p:bgPr></p:bg>"
TABLE = table(("bait",)).replace("<a:r>", f"<a:r><a:rPr>{SOLID('ffffff', '')}</a:rPr>")
STYLED = TABLE.replace("firstRow='1'/>", "firstRow='1'><a:tableStyleId>x</a:tableStyleId></a:tblPr>")
GROUP = (
    "<p:grpSp><p:grpSpPr><a:xfrm><a:off x='100' y='100'/><a:ext cx='300' cy='50'/></a:xfrm></p:grpSpPr>{}</p:grpSp>"
).format
BAIT = painted("bait")


@pytest.mark.parametrize(
    ("shapes", "became"),
    [
        ([BAIT], "hidden"),
        ([painted("bait", DARK)], "seen"),
        ([painted("bait", SOLID("fafafa", ""))], "hidden"),
        ([painted(fill=DARK, place=(0, 0, 900, 400)), BAIT], "seen"),
        ([painted(fill=DARK, place=(0, 200, 900, 100)), BAIT], "hidden"),  # it is beside the words
        ([ROUND, BAIT], "seen"),
        ([ROUND, painted(fill=SOLID("ffffff", ""), place=(0, 0, 900, 400)), BAIT], "hidden"),
        ([painted(fill=SOLID("1f3864", "<a:alpha val='50000'/>")), BAIT], "doubtful"),
        ([PICTURE(0), BAIT], "doubtful"),
        ([PICTURE(500), BAIT], "hidden"),
        ([GROUP(painted(fill=DARK) + BAIT)], "seen"),
        ([PICTURE(500), GROUP(painted(fill=DARK, place=(100, 400, 9, 9)) + BAIT)], "hidden"),
        ([BACKGROUND, BAIT], "seen"),
        ([TABLE], "hidden"),
        ([STYLED], "doubtful"),
        ([painted("bait", ink="<a:ln><a:solidFill/></a:ln><a:noFill/>")], "seen"),
        ([painted("bait", ink="<a:noFill/>")], "hidden"),
        ([painted("bait", ink=SOLID("ffffff", "<a:lumMod val='50000'/>"))], "seen"),
        ([painted("bait", ink=SOLID("ffffff", "") + "<a:hlinkClick/>")], "seen"),  # it has the colour of links
        ([painted("bait", ink=SOLID("ffffff", "") + "<a:highlight><a:srgbClr val='000080'/></a:highlight>")], "seen"),
    ],
)
def test_white_words_are_seen_by_what_is_behind_them(shapes: list[str], became: str) -> None:
    made = slide(shape("Shown.", (100, 450, 300, 40)), *(one for one in shapes if one is not BACKGROUND))
    document = load("pptx", pptx(made.replace("<p:cSld>", BACKGROUND if BACKGROUND in shapes else "<p:cSld>")))
    assert ("bait" in document.text) is (became != "hidden") and "Shown." in document.text
    said = {"hidden": "hidden-text", "doubtful": "visibility-unknown"}.get(became)
    assert (set(cautions(document)) - {"unread-content"}) == ({said} if said else set())


def test_what_a_master_draws_is_behind_the_words_of_its_slides() -> None:
    relations = {
        "slides/slide1.xml": {"l": "slideLayout ../layouts/layout1.xml"},
        "layouts/layout1.xml": {"m": "slideMaster ../master1.xml"},
    }
    parts = {
        "layouts/layout1.xml": slide(root="sldLayout"),
        "master1.xml": slide(painted(fill=DARK), root="sldMaster"),
    }
    assert load("pptx", pptx(slide(BAIT), relations=relations, **parts)).text == "bait"


@pytest.mark.parametrize(
    ("cover", "behind", "is_marked"),
    [
        (SOLID("ffffff", ""), "", True),
        ("", "", False),
        (SOLID("ffffff", "<a:alpha val='90000'/>"), "", False),
        (SOLID("ffffff", ""), "<p:timing><p:spTgt spid='2'/></p:timing>", False),  # which goes away on a click
    ],
)
def test_words_beneath_a_shape_are_marked(cover: str, behind: str, is_marked: bool) -> None:
    made = slide(shape("bait", AT), painted(fill=cover, place=(50, 50, 900, 400)))
    document = load("pptx", pptx(made.replace("</p:sld>", f"{behind}</p:sld>")))
    assert origins(document) == ({"bait": "hidden text"} if is_marked else {})


def test_words_of_an_open_document_presentation_are_seen_by_what_is_behind_them() -> None:
    place = "svg:x='{}cm' svg:y='1cm' svg:width='4cm' svg:height='1cm'"
    box = f"<draw:{{}} draw:style-name='{{}}' {place}>{{}}</draw:{{}}>"
    white = "<text:p text:style-name='w'>{}</text:p>".format
    fill = "<style:style style:name='{0}' style:family='graphic'><style:graphic-properties {1}/></style:style>".format
    styles = (
        fill("n", "draw:fill='none'")
        + fill("d", "draw:fill='solid' draw:fill-color='#1f3864'")
        + "<style:style style:name='w' style:family='paragraph'><style:text-properties fo:color='#ffffff'/>"
        "</style:style>"
    )
    inner = [
        box.format("rect", "d", 1, "", "rect"),
        box.format("custom-shape", "n", 1, white("grouped"), "custom-shape"),
    ]
    shapes = [
        box.format("custom-shape", "n", 10, white("bait"), "custom-shape"),
        box.format("rect", "d", 20, "", "rect"),
        box.format("custom-shape", "n", 20, white("on dark"), "custom-shape"),
        box.format("custom-shape", "d", 30, white("filled"), "custom-shape"),
        f"<draw:g>{''.join(inner)}</draw:g>",
        box.format("custom-shape", "n", 40, "<text:p>beneath</text:p>", "custom-shape"),
        box.format("rect", "d", 40, "", "rect"),
    ]
    document = load("odp", open_document("odp", f"<draw:page>{''.join(shapes)}</draw:page>", styles=styles))
    assert document.text.split("\n\n") == ["grouped", "on dark", "filled", "beneath"]
    assert origins(document) == {"beneath": "hidden text"}
    assert cautions(document) == {
        "hidden-parts": "hidden parts are read and marked: 1 shapes (1 covered or clipped away)",
        "hidden-text": "hidden text omitted: 4 characters (4 in the colour of its background)",
    }


def test_a_paragraph_that_is_too_small_to_read_keeps_its_number() -> None:
    line = "<a:p><a:pPr><a:buAutoNum type='arabicPeriod'/></a:pPr><a:r><a:rPr sz='{}'/><a:t>{}</a:t></a:r></a:p>".format
    items = line(1200, "one") + line(100, "bait") + line(1200, "") + line(1200, "three")
    body = shape("x").replace("<a:p><a:r><a:t>x</a:t></a:r></a:p>", items)
    assert load("pptx", pptx(slide(body))).text == "1. one\n3. three"


def test_words_of_the_master_are_given_once() -> None:
    master = slide(shape("Confidential"), shape("Click to edit", kind="title"), root="sldMaster")
    targets = {"l": "slideLayout ../layouts/layout1.xml"}
    relations = {
        "slides/slide1.xml": targets,
        "slides/slide2.xml": targets,
        "layouts/layout1.xml": {"m": "slideMaster ../master1.xml"},
    }
    parts = {"layouts/layout1.xml": slide(root="sldLayout"), "master1.xml": master}
    document = load("pptx", pptx(slide(shape("one")), slide(shape("two")), relations=relations, **parts))
    assert document.text == "one\n\n[on each slide] Confidential\ftwo"


def test_words_of_a_master_are_given_once_where_an_open_document_shows_them() -> None:
    box = "<draw:frame {}><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
    shapes = [
        ("", "Confidential <text:page-number>&lt;number&gt;</text:page-number>"),
        ("presentation:class='title'", "Click to edit"),
        ("presentation:class='footer'", "Draft <presentation:footer/>"),
        ("presentation:class='date-time'", "<presentation:date-time/>"),
        ("presentation:class='page-number'", "page <text:page-number>&lt;number&gt;</text:page-number>"),
    ]
    master = "".join(box.format(*one) for one in shapes)
    masters = (
        f"<office:master-styles><style:master-page style:name='M'>{master}</style:master-page></office:master-styles>"
    )
    style = "<style:style style:name='{}' style:family='drawing-page'><style:drawing-page-properties {}/></style:style>"
    styles = (
        style.format("n", "presentation:background-objects-visible='false'")
        + style.format("f", "presentation:display-footer='false' presentation:display-date-time='true'")
        + style.format("h", "presentation:visibility='hidden'")
    )
    page = "<draw:page draw:master-page-name='M' draw:style-name='{}' {}>{}</draw:page>"
    dated = "presentation:use-date-time-name='d'"
    body = (
        "<presentation:footer-decl presentation:name='a'>A</presentation:footer-decl>"
        "<presentation:footer-decl presentation:name='b'>B</presentation:footer-decl>"
        "<presentation:date-time-decl presentation:name='d'>May 2</presentation:date-time-decl>"
    )
    for kind, used, text in (
        ("h", dated, "0"),
        ("n", dated, "1"),
        ("f", dated, "2"),
        ("", "{}='a'", "3"),
        ("", "{}='a'", "4"),
    ):
        body += page.format(kind, used.format("presentation:use-footer-name"), box.format("", text))
    body += page.format("", "presentation:use-footer-name='b'", box.format("presentation:class='footer'", "Own"))
    document = load("odp", open_document("odp", body, styles=styles, masters=masters))
    assert document.text.split("\f") == [
        "0",
        "1",
        "2\n\n[on each slide] Confidential #\n\n[page footer] May 2",
        "3\n\n[page footer] Draft A",
        "4",
        "Own\n\n[page footer] Draft B",
    ]
    assert [one.origin for one in document.additions] == ["hidden slide", *["page footer"] * 5]


def test_the_shapes_of_a_master_are_placed_once_for_all_slides() -> None:
    shapes = "".join(f"<draw:rect svg:x='1cm' svg:y='{at}cm'><text:p>{at}</text:p></draw:rect>" for at in range(1000))
    masters = (
        f"<office:master-styles><style:master-page style:name='M'>{shapes}</style:master-page></office:master-styles>"
    )
    slides = "<draw:page draw:master-page-name='M'/>" * 1000
    began = time.process_time()
    assert load("odp", open_document("odp", slides, masters=masters)).text.count("on each slide") == 1000
    assert time.process_time() - began < 3  # six seconds if they are placed for each slide


def test_an_open_document_presentation_is_read_alike() -> None:
    place = "svg:x='{}cm' svg:y='{}cm' svg:width='4cm' svg:height='1cm'"
    frame = f"<draw:frame presentation:class='{{}}' {place}>{{}}</draw:frame>"
    box = "<draw:text-box><text:p>{}</text:p></draw:text-box>"
    shapes = [("", 9, 5, "right"), ("", 1, 5, "left"), ("title", 1, 1, "Results"), ("", 40, 5, "out")]
    written = "".join(frame.format(kind, x, y, box.format(text)) for kind, x, y, text in shapes)
    notes = f"<presentation:notes>{frame.format('notes', 1, 1, box.format('Say it.'))}</presentation:notes>"
    page = "<draw:page draw:master-page-name='M' draw:style-name='{}'>{}</draw:page>"
    styles = (
        "<style:style style:name='h' style:family='drawing-page'>"
        "<style:drawing-page-properties presentation:visibility='hidden'/></style:style>"
    )
    masters = (
        "<office:automatic-styles><style:page-layout style:name='L'><style:page-layout-properties "
        "fo:page-width='28cm' fo:page-height='21cm'/></style:page-layout></office:automatic-styles>"
        "<office:master-styles><style:master-page style:name='M' style:page-layout-name='L'>"
        f"{frame.format('', 40, 1, box.format('aside'))}{frame.format('', 1, 1, box.format('seen'))}"
        "</style:master-page></office:master-styles>"
    )
    body = page.format("", written + notes) + page.format("h", frame.format("", 1, 1, box.format("skipped")))
    document = load("odp", open_document("odp", body, styles=styles, masters=masters))
    assert document.text == (
        "Results\n\nleft\n\nright\n\nout\n\n[on each slide] aside\n\n[on each slide] seen\n\n"
        "[speaker notes] Say it.\fskipped"
    )
    assert origins(document) == {
        "out": "hidden text", "[on each slide] aside": "hidden text", "[on each slide] seen": "page footer",
        "[speaker notes] Say it.": "speaker note", "skipped": "hidden slide",
    }  # fmt: skip
    assert document.pages[0].label == "Results"
