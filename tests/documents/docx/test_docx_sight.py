"""Word documents: what a reader cannot see is left out and counted, what a reader does see is there and marked."""

import pytest
from word import paragraph, part, run, table

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Addition, Span
from ralph_cli.retrieval.quotes.index import QuoteIndex

WHITE = "<w:color w:val='FFFFFF'/>"
DARK = "<w:shd w:val='clear' w:color='auto' w:fill='1F3864'/>"
A = "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'"
C = f"xmlns:c='http://schemas.openxmlformats.org/drawingml/2006/chart' {A}"


STYLES = part(
    "styles",
    "<w:style w:type='character' w:styleId='Off'><w:name w:val='Off'/><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:type='character' w:styleId='Off2'><w:name w:val='Off2'/><w:basedOn w:val='Off'/></w:style>"
    "<w:style w:type='paragraph' w:styleId='Gone'><w:name w:val='Gone'/><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:type='paragraph' w:styleId='Pale'><w:name w:val='Pale'/><w:rPr><w:color w:val='FEFEFE'/></w:rPr>"
    "</w:style>",
)


@pytest.mark.parametrize(
    ("properties", "style", "seen"),
    [
        ("<w:vanish/>", "", False),
        ("<w:vanish w:val='false'/>", "", True),
        ("<w:rStyle w:val='Off'/>", "", False),
        ("<w:rStyle w:val='Off2'/>", "", False),
        ("<w:rStyle w:val='Off'/><w:vanish w:val='0'/>", "", True),
        ("", "Gone", False),
        ("<w:rStyle w:val='Off'/>", "Gone", True),  # ECMA-376, 17.7.3: on in both styles is off
        (WHITE, "", False),
        ("", "Pale", False),
        ("<w:color w:val='auto'/>", "Pale", True),
        (WHITE + DARK, "", True),
        (WHITE + "<w:highlight w:val='blue'/>", "", True),
        ("<w:color w:val='FFFF00'/><w:highlight w:val='yellow'/>", "", False),
        ("<w:color w:val='1F3864'/>" + DARK, "", False),
        ("<w:sz w:val='2'/>", "", False),
        ("<w:sz w:val='8'/>", "", True),
        ("<w:webHidden/>", "", True),  # hidden in the view of a web page only: the page numbers of a contents list
    ],
)
def test_what_a_reader_cannot_see_is_no_text(read, properties: str, style: str, seen: bool) -> None:
    named = f"<w:pPr><w:pStyle w:val='{style}'/></w:pPr>" if style else ""
    document = read(f"<w:p>{named}{run('the bait', properties)}</w:p>{paragraph('Shown.')}", styles=STYLES)
    assert ("the bait" in document.text) is seen
    assert ([caution.code for caution in document.cautions] == []) is seen


def test_a_style_without_an_id_hides_nothing_but_what_is_in_no_style(read) -> None:
    tiny, hidden = "<w:rPr><w:sz w:val='2'/></w:rPr>", "<w:rPr><w:vanish/></w:rPr>"
    own = "<w:style w:type='paragraph' w:styleId='s'/>"
    body = paragraph("Rent is 1,577.") + paragraph("Second.", "s")
    for kind in ("paragraph", "character", "table"):
        document = read(body, styles=part("styles", f"<w:style w:type='{kind}'>{tiny}</w:style>{own}"))
        assert (document.text, document.cautions) == ("Rent is 1,577.\n\nSecond.", ())
    usual = f"<w:style w:type='paragraph' w:default='1'>{hidden}</w:style><w:style w:type='paragraph'/>"
    assert read(body, styles=part("styles", usual + own)).text == "Second."


def test_white_words_are_seen_where_the_cell_or_the_paragraph_is_dark(read) -> None:
    cell = "<w:tc><w:tcPr>{}</w:tcPr><w:p>{}</w:p></w:tc>".format
    row = f"<w:tr>{cell(DARK, run('on dark', WHITE))}{cell('', run('on white', WHITE))}</w:tr>"
    shaded = f"<w:p><w:pPr>{DARK}</w:pPr>{run('banner', WHITE)}</w:p>"
    assert read(f"<w:tbl>{row}</w:tbl>{shaded}").text == "on dark\n\nbanner"


def test_a_table_style_may_shade_its_first_row(read) -> None:
    shade = f"<w:tblStylePr w:type='firstRow'><w:tcPr>{DARK}</w:tcPr></w:tblStylePr>"
    styles = part("styles", f"<w:style w:type='table' w:styleId='Grid'><w:name w:val='Grid'/>{shade}</w:style>")
    white = "<w:p>" + run("{}", WHITE) + "</w:p>"
    rows = table([white.format("Head")], [white.format("bait")]).replace(
        "<w:tbl>", "<w:tbl><w:tblPr><w:tblStyle w:val='Grid'/></w:tblPr>"
    )
    assert read(rows, styles=styles).text == "Head"
    bare = rows.replace("<w:tc>", "<w:tc><w:tcPr><w:shd w:val='clear' w:fill='auto'/></w:tcPr>")
    assert read(bare + paragraph("Text."), styles=styles).text == "Text."  # a cell that is said to have no colour


@pytest.mark.parametrize(
    ("look", "seen", "hidden"),
    [
        ("<w:tblLook w:val='0020'/>", ["Head"], ["bait"]),
        ("<w:tblLook w:firstRow='1'/>", ["Head"], ["bait"]),
        ("<w:tblLook w:val='0620'/>", ["Head"], ["bait"]),
        ("<w:tblLook w:val='0600'/>", [], ["Head", "bait"]),
        ("<w:tblLook w:val='0020'/><w:shd w:fill='000080'/>", ["Head", "bait"], []),
        ("", ["Head", "bait"], []),  # which parts are formatted is not said: the colour of the text is not known
    ],
)
def test_a_table_style_colours_its_text(read, look: str, seen: list[str], hidden: list[str]) -> None:
    white = f"<w:rPr>{WHITE}</w:rPr>"
    dark = f"<w:tblStylePr w:type='firstRow'>{white}<w:tcPr>{DARK}</w:tcPr></w:tblStylePr>"
    pale = f"<w:tblStylePr w:type='band1Horz'>{white}</w:tblStylePr>"
    styles = part(
        "styles",
        f"<w:style w:type='table' w:styleId='Base'><w:name w:val='Base'/>{pale}</w:style><w:style w:type='table' "
        f"w:styleId='Grid'><w:name w:val='Grid'/><w:basedOn w:val='Base'/><w:rPr>{WHITE}</w:rPr>{dark}</w:style>",
    )
    settings = f"<w:tbl><w:tblPr><w:tblStyle w:val='Grid'/>{look}</w:tblPr>"
    black = run("Shown", "<w:color w:val='auto'/>")
    rows = table(["Head"], ["bait"], [f"<w:p>{black}</w:p>"])
    document = read(rows.replace("<w:tbl>", settings), styles=styles)
    assert document.text.split() == [*seen, "Shown"]
    assert [caution.message for caution in document.cautions] == [
        f"hidden text omitted: {len(words)} characters ({len(words)} in the colour of its background)"
        for words in ["".join(hidden)] * bool(hidden)
    ]


def test_a_style_of_tables_formats_bands_edges_and_corners(read) -> None:
    def shaded(name: str) -> str:
        return f"<w:tblStylePr w:type='{name}'><w:tcPr>{DARK}</w:tcPr></w:tblStylePr>"

    def seen(name: str, look: str) -> str:
        named = "<w:style w:type='table' w:styleId='Grid'><w:name w:val='Grid'/>"
        settings = f"<w:tbl><w:tblPr><w:tblStyle w:val='Grid'/><w:tblLook w:val='{look}'/></w:tblPr>"
        cells = [[f"<w:p>{run(f'{row}{column}', WHITE)}</w:p>" for column in "abc"] for row in "123"]
        body = table(*cells).replace("<w:tbl>", settings) + paragraph("end")
        return read(body, styles=part("styles", f"{named}{shaded(name)}</w:style>")).text.removesuffix("end").strip()

    assert seen("band2Horz", "0400") == "2a  2b  2c"
    assert seen("band1Horz", "0420") == "2a  2b  2c"  # the first row is no band
    assert seen("band1Vert", "0200") == "1a  1c\n2a  2c\n3a  3c"
    assert seen("lastCol", "0700") == "1c\n2c\n3c"
    assert seen("seCell", "0740") == "3c" and seen("seCell", "0640") == ""
    assert seen("swCell", "06c0") == "3a"


def anchored(inner: str, attributes: str = "", size: str = "5000000") -> str:
    wp = f"xmlns:wp='http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing' {A}"
    inside = f"<wp:extent cx='{size}' cy='{size}'/><wp:docPr id='1' name='x'/>{inner}"
    return f"<w:r><w:drawing><wp:anchor {wp} {attributes}>{inside}</wp:anchor></w:drawing></w:r>"


PICTURE = "<a:blip/>"
SHAPE = (
    "<wp:wrapNone/><wps:wsp xmlns:wps='http://schemas.microsoft.com/office/word/2010/wordprocessingShape'>"
    "<wps:spPr>{}</wps:spPr></wps:wsp>"
)
SOLID = "<a:solidFill><a:schemeClr val='accent1'/></a:solidFill>"


@pytest.mark.parametrize(
    ("drawing", "may_be_seen"),
    [
        (anchored(PICTURE, "behindDoc='1'"), True),
        (anchored(SHAPE.format(SOLID)), True),
        (anchored(SHAPE.format("<a:noFill/>")), False),
        (anchored(SHAPE.format("<a:solidFill><a:srgbClr val='FFFFFF'/></a:solidFill>")), False),
        (anchored("<wp:wrapSquare/>" + PICTURE), False),  # text keeps away from it
        (anchored(PICTURE, "behindDoc='1'", size="90000"), False),
        (anchored(PICTURE, "behindDoc='1'") + "<w:r><w:br w:type='page'/></w:r>", False),
        ("<w:r><w:pict><v:rect xmlns:v='urn:schemas-microsoft-com:vml' style='position:absolute' "
         "fillcolor='#1f3864'/></w:pict></w:r>", True),
        ("<w:r><w:pict><v:rect xmlns:v='urn:schemas-microsoft-com:vml' style='position:absolute'/></w:pict></w:r>",
         False),
    ],
)  # fmt: skip
def test_white_words_that_may_lie_on_a_drawing_are_kept_and_named(read, drawing: str, may_be_seen: bool) -> None:
    document = read(f"<w:p>{run('Text.')}{drawing}</w:p><w:p>{run('Annual report', WHITE)}</w:p>")
    assert ("Annual report" in document.text) is may_be_seen
    (caution,) = document.cautions
    assert caution.code == ("visibility-unknown" if may_be_seen else "hidden-text")
    assert ("12 white characters" in caution.message) is may_be_seen
    assert ("\u201cAnnual report\u201d" in caution.message) is may_be_seen
    cell = f"<w:tbl><w:tr><w:tc><w:p>{run('Cell', WHITE)}</w:p></w:tc></w:tr></w:tbl>"
    assert ("Cell" in read(f"<w:p>{run('Text.')}{drawing}</w:p>{cell}").text) is may_be_seen


def test_what_hangs_on_words_that_are_not_seen_may_be_seen(read) -> None:
    box = anchored(f"<w:txbxContent>{paragraph('in a box')}</w:txbxContent>").removeprefix("<w:r>")
    note = "<w:footnoteReference w:id='1'/></w:r>"
    notes = part("footnotes", f"<w:footnote w:id='1'>{paragraph('noted')}</w:footnote>")
    for properties, is_seen in (("<w:sz w:val='2'/>", True), (WHITE, True), ("<w:vanish/>", False)):
        runs = f"<w:r><w:rPr>{properties}</w:rPr>"
        document = read(f"<w:p>{run('Text.')}{runs}{box}{runs}{note}</w:p>", footnotes=notes)
        assert ("in a box" in document.text) is ("noted" in document.text) is is_seen


@pytest.mark.parametrize(
    ("table", "seen"),
    [
        ("<w:trHeight w:val='10' w:hRule='exact'/>", False),
        ("<w:trHeight w:val='10'/>", True),
        ("<w:trHeight w:val='0' w:hRule='exact'/>", True),
    ],
)
def test_a_row_of_no_height_cuts_off_what_is_in_it(read, table: str, seen: bool) -> None:
    row = f"<w:tbl><w:tr><w:trPr>{table}</w:trPr><w:tc><w:p>{run('bait')}</w:p></w:tc></w:tr></w:tbl>"
    document = read(paragraph("Shown.") + row)
    assert ("bait" in document.text) is seen


@pytest.mark.parametrize(
    ("fill", "seen"),
    [
        ("<w14:solidFill><w14:srgbClr w14:val='FFFFFF'/></w14:solidFill>", False),  # counts before the colour
        ("<w14:noFill/>", False),
        ("<w14:gradFill><w14:alpha w14:val='0'/><w14:alpha w14:val='100000'/></w14:gradFill>", True),
    ],
)
def test_the_fill_of_letters_counts(read, fill: str, seen: bool) -> None:
    filled = f"<w14:textFill xmlns:w14='http://schemas.microsoft.com/office/word/2010/wordml'>{fill}</w14:textFill>"
    document = read(
        f"<w:p>{run('Shown ')}{run('bait', '<w:color w:val=' + chr(39) + '1F3864' + chr(39) + '/>' + filled)}</w:p>"
    )
    assert ("bait" in document.text) is seen


@pytest.mark.parametrize(("size", "may_be_seen"), [("7000000", True), ("1000000", False)])
def test_a_large_drawing_of_the_header_may_be_behind_the_text(read, size: str, may_be_seen: bool) -> None:
    drawing = anchored(PICTURE, "behindDoc='1'", size)
    header = part("hdr", f"<w:p>{run('Top')}{drawing}</w:p>")
    section = "<w:sectPr><w:headerReference w:type='default' r:id='h1' xmlns:r='r'/></w:sectPr>"
    document = read(
        f"{paragraph('Text.')}<w:p>{run('bait', WHITE)}</w:p>{section}", {"h1": "header header1.xml"}, header1=header
    )
    assert ("bait" in document.text) is may_be_seen


def test_deleted_rows_and_moved_words_are_gone(read) -> None:
    deleted = table(["old", "1"]).replace("<w:tr>", "<w:tr><w:trPr><w:del w:id='1'/></w:trPr>")
    kept = table(["new", "2"])
    document = read(deleted.replace("</w:tbl>", "") + kept.removeprefix("<w:tbl>"))
    assert document.text == "new  2" and document.cautions[0].code == "tracked-changes"


def test_struck_out_words_are_marked_and_cannot_be_quoted_as_if_they_stood(read) -> None:
    body = f"<w:p>{run('within ')}{run('sixty days', '<w:strike/>')}{run(' thirty days of notice')}</w:p>"
    document = read(body)
    plain = document.text.replace("\u0336", "")
    assert plain == "within [struck out: sixty days] thirty days of notice"
    index = QuoteIndex(document)
    assert index.find("sixty days") is None and index.find("within sixty days thirty days of notice") is None
    assert index.find("thirty days of notice") is not None
    assert [caution.code for caution in document.cautions] == ["struck-out"]


def place_of(document: Document, words: str) -> str:
    start = document.text.index(words)
    return document.describe_span(Span(start, start + len(words)))


def test_headers_and_footers_stand_once_at_the_end(read) -> None:
    number = "<w:fldSimple w:instr=' PAGE '><w:r><w:t>7</w:t></w:r></w:fldSimple>"
    reference = "<w:{}Reference w:type='{}' r:id='{}' xmlns:r='r'/>".format
    sections = (
        reference("header", "default", "h1") + reference("header", "first", "h2") + reference("footer", "default", "f1")
    )
    again = f"<w:p><w:pPr><w:sectPr>{reference('header', 'default', 'h1')}</w:sectPr></w:pPr></w:p>"
    document = read(
        paragraph("Text.") + again + f"<w:sectPr>{sections}</w:sectPr>",
        {"h1": "header header1.xml", "h2": "header header2.xml", "f1": "footer footer1.xml"},
        header1=part("hdr", paragraph("DRAFT")),
        header2=part("hdr", paragraph("of the first page")),
        footer1=part("ftr", f"<w:p>{run('Page ')}{number}</w:p>"),
    )
    assert document.text == "Text.\n\n[page header] DRAFT\n\n[page footer] Page #"
    assert [it.origin for it in document.additions] == ["page header", "page footer"]
    assert place_of(document, "DRAFT") == "paragraph 2, under \u201cPage header\u201d"
    assert "no page shows" in document.cautions[0].message


def test_a_comment_is_told_from_the_documents_words(read) -> None:
    body = paragraph("First.") + f"<w:p>{run('Ten days')}<w:r><w:commentReference w:id='0'/></w:r></w:p>"
    comments = part("comments", f"<w:comment w:id='0' w:author='Jane Doe'>{paragraph('Ask for twelve.')}</w:comment>")
    document = read(body, comments=comments)
    assert document.text == "First.\n\nTen days\n\n[comment by Jane Doe, on paragraph 2] Ask for twelve."
    assert document.additions == (Addition(document.text.index("["), len(document.text), "comment"),)
    assert "under \u201cComment by Jane Doe\u201d" in place_of(document, "twelve")
    assert [caution.code for caution in document.cautions] == ["comments"]


def test_charts_say_their_titles_categories_and_values(read) -> None:
    points = "".join(f"<c:pt idx='{at}'><c:v>{{}}</c:v></c:pt>" for at in range(2))
    cache = "<c:{0}><c:strRef><c:strCache>{1}</c:strCache></c:strRef></c:{0}>".format
    series = cache("tx", "<c:pt idx='0'><c:v>2023</c:v></c:pt>") + cache("cat", points.format("Rent", "Fees"))
    series += cache("val", points.format("4.5", "6"))
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Costs</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    chart = f"<c:chartSpace {C}><c:chart>{title}<c:ser>{series}</c:ser></c:chart></c:chartSpace>"
    drawing = f"<w:p><w:r><w:drawing><c:chart {C} r:id='c1' xmlns:r='r'/></w:drawing></w:r></w:p>"
    document = read(paragraph("See:") + drawing, {"c1": "chart charts/chart1.xml"}, **{"charts/chart1.xml": chart})
    assert document.text == "See:\n\n[chart] Costs\n2023\nRent  4.5\nFees  6"
    assert document.additions == (Addition(document.text.index("["), len(document.text), "chart"),)


def test_what_stands_over_a_word_follows_it_in_brackets(read) -> None:
    ruby = "<w:r><w:ruby><w:rubyPr/><w:rt>{}</w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>".format
    hidden = ruby(run("unseen", "<w:vanish/>"), run("C"))
    body = f"<w:p>{run('In ')}{ruby(run('note 12'), run('B'))}{hidden}{ruby('', run('D'))}</w:p>"
    assert read(body).text == "In B(note 12)CD"


def test_symbols_and_boxes_to_tick(read) -> None:
    symbol = "<w:r><w:sym w:font='{}' w:char='{}'/></w:r>".format
    box = (
        "<w:r><w:fldChar w:fldCharType='begin'><w:ffData><w:checkBox><w:checked w:val='1'/></w:checkBox></w:ffData>"
        "</w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    )
    known = symbol("Wingdings", "F0FE") + symbol("Wingdings", "F0A8") + symbol("Symbol", "F0B3") + box
    letters = run("ab", "<w:rFonts w:ascii='Symbol'/>")
    assert read(f"<w:p>{known}{letters}</w:p>").text == "\u2611\u2610\u2265\u2612\u03b1\u03b2"
    unknown = read(f"<w:p>{symbol('Wingdings', 'F04F')}</w:p>")
    assert unknown.text == "\ufffd" and unknown.cautions[0].code == "symbols"


def test_a_watermark_and_the_words_of_a_dark_box_are_seen(read) -> None:
    shape = "<v:shape xmlns:v='urn:schemas-microsoft-com:vml'><v:textpath string='DRAFT'/></v:shape>"
    mark = f"<w:r><w:pict>{shape}</w:pict></w:r>"
    wps = "xmlns:wps='http://schemas.microsoft.com/office/word/2010/wordprocessingShape' " + A
    box = (
        f"<w:r><w:drawing><wps:wsp {wps}><wps:spPr><a:solidFill><a:srgbClr val='{{}}'/></a:solidFill></wps:spPr>"
        f"<wps:txbx><w:txbxContent><w:p>{run('{}', WHITE)}</w:p></w:txbxContent></wps:txbx></wps:wsp></w:drawing></w:r>"
    )
    body = f"<w:p>{run('Text.')}{mark}{box.format('1F3864', 'on dark')}{box.format('FFFFFF', 'bait')}</w:p>"
    document = read(body)
    assert document.text == "Text.\n\nDRAFT\n\non dark"
    assert document.cautions[0].message.startswith("hidden text omitted: 4 characters")


def test_the_colour_of_a_shape_may_be_one_of_the_theme(read) -> None:
    wps = f"xmlns:wps='http://schemas.microsoft.com/office/word/2010/wordprocessingShape' {A}"
    box = (
        f"<w:r><w:drawing><wps:wsp {wps}>{{}}<wps:txbx><w:txbxContent><w:p>{run('{}', WHITE)}</w:p></w:txbxContent>"
        "</wps:txbx></wps:wsp></w:drawing></w:r>"
    )
    fill = "<wps:spPr><a:solidFill><a:schemeClr val='{}'/></a:solidFill></wps:spPr>".format
    styled = "<wps:spPr/><wps:style><a:fillRef idx='1'><a:schemeClr val='accent1'/></a:fillRef></wps:style>"
    body = (fill("accent1"), "blue"), (fill("bg1"), "bait"), (styled, "also"), (styled.replace("'1'", "'0'"), "odd")
    colours = "<a:lt1><a:sysClr lastClr='FFFFFF'/></a:lt1><a:accent1><a:srgbClr val='4F81BD'/></a:accent1>"
    theme = f"<a:theme {A}><a:themeElements><a:clrScheme>{colours}</a:clrScheme></a:themeElements></a:theme>"
    shapes = "".join(box.format(*shape) for shape in body)
    document = read(
        f"<w:p>{run('Text.')}{shapes}</w:p>", {"t": "theme theme/theme1.xml"}, **{"theme/theme1.xml": theme}
    )
    assert document.text.split() == ["Text.", "blue", "also", "odd"]
    hidden, doubtful = document.cautions
    assert hidden.message.startswith("hidden text omitted: 4 characters") and "\u201codd\u201d" in doubtful.message


def test_a_heading_that_runs_in_ends_where_its_hidden_mark_stands(read) -> None:
    settings = "<w:outlineLvl w:val='0'/><w:rPr><w:vanish/><w:specVanish/></w:rPr>"
    document = read(f"<w:p><w:pPr>{settings}</w:pPr>{run('Payment. ')}</w:p>{paragraph('The Buyer pays.')}")
    assert document.text == "Payment. The Buyer pays."
    assert [heading.text for heading in document.headings] == ["Payment."]


def test_what_is_not_read_is_said(read) -> None:
    foreign = "<w:altChunk r:id='x' xmlns:r='r'/>"
    chart = f"<w:p><w:r><w:drawing><c:chart {C} r:id='gone' xmlns:r='r'/></w:drawing></w:r></w:p>"
    document = read(paragraph("Text.") + foreign + chart, {"gone": "chart charts/chart9.xml"})
    assert [caution.code for caution in document.cautions] == ["unread-content", "missing-part"]
    assert "charts/chart9.xml" in document.cautions[1].message
