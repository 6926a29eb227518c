"""OpenDocument texts and spreadsheets as text: what a reader sees, in order, and what is behind it."""

import time

import pytest
from office_files import cautions, headers, load, open_document, origins, parse

from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span
from ralph_cli.documents.limits import LoadLimits

HIDDEN = "<style:style style:name='h' style:family='text'><style:text-properties text:display='none'/></style:style>"
NUMBERED = (
    "<text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1' "
    "style:num-suffix='.'/><text:list-level-style-number text:level='2' style:num-format='1' style:num-suffix=')' "
    "text:display-levels='2'/></text:list-style>"
)


def tag(path: str, inner: str) -> str:
    """Elements in each other, the outermost first; what is in the innermost."""
    names = path.split()
    return "".join(f"<{name}>" for name in names) + inner + "".join(f"</{name}>" for name in reversed(names))


def cell(text: str, settings: str = "", inner: str = "") -> str:
    shown = f"<text:p>{text}</text:p>" if text else ""
    return f"<table:table-cell {settings}>{shown}{inner}</table:table-cell>"


def row(*cells: str, settings: str = "") -> str:
    return f"<table:table-row {settings}>{''.join(cells)}</table:table-row>"


def table(*rows: str, settings: str = "table:name='T'") -> str:
    return f"<table:table {settings}>{''.join(rows)}</table:table>"


def figure(text: str, value: str, settings: str = "") -> str:
    return cell(text, f"office:value-type='float' office:value='{value}' {settings}")


def test_paragraphs_headings_and_lists_stand_in_order_with_their_numbers() -> None:
    item = "<text:list-item><text:p>{}</text:p>{}</text:list-item>"
    inner = f"<text:list>{item.format('inner', '')}</text:list>"
    body = (
        "<text:h text:outline-level='2'>Term</text:h>"
        "<text:p>A<text:s text:c='2'/>b<text:tab/>c  d<text:line-break/>e</text:p>"
        f"<text:list text:style-name='L'>{item.format('one', inner)}{item.format('two', '')}</text:list>"
    )
    document = load("odt", open_document("odt", body, styles=NUMBERED))
    assert document.text == "Term\n\nA  b\tc d\ne\n\n1. one\n\n1.1) inner\n\n2. two"
    assert [(heading.text, heading.level) for heading in document.headings] == [("Term", 2)]


def test_deleted_and_hidden_words_are_left_out_and_said() -> None:
    deleted = tag("text:tracked-changes text:changed-region text:deletion text:p", "gone")
    body = f"{deleted}<text:p>Kept<text:span text:style-name='h'> unseen</text:span>.</text:p>"
    document = load("odt", open_document("odt", body, styles=HIDDEN))
    assert document.text == "Kept."
    assert "6 marked as hidden" in cautions(document)["hidden-text"] and "tracked-changes" in cautions(document)


def test_what_stands_over_a_word_follows_it_in_brackets() -> None:
    ruby = "<text:ruby><text:ruby-base>{}</text:ruby-base><text:ruby-text>{}</text:ruby-text></text:ruby>".format
    body = f"<text:p>In {ruby('B', 'note 12')}{ruby('C', '')}.</text:p>"
    assert load("odt", open_document("odt", body)).text == "In B(note 12)C."


def control(number: int, settings: str = "") -> str:
    """The place of a control of a form."""
    return f"<draw:control draw:control='c{number}' {settings}/>"


def test_controls_of_forms_show_their_values_and_labels_where_they_stand() -> None:
    unseen = "<form:property form:property-name='EnableVisible' office:boolean-value='false'/>"
    options = "<form:option form:label='red'/><form:option form:label='blue' form:current-selected='true'/>"
    controls = [
        "<form:text form:id='c1' form:value='before' form:current-value='Jane'/>",
        "<form:checkbox xml:id='c2' form:label='I agree' form:current-state='checked'/>",
        "<form:radio form:id='c3' form:label='No' form:selected='true' form:current-selected='false'/>",
        f"<form:listbox form:id='c4' form:dropdown='true'>{options}</form:listbox>",
        f"<form:listbox form:id='c5'>{options}</form:listbox>",
        f"<form:text form:id='c6' form:value='1,577'><form:properties>{unseen}</form:properties></form:text>",
        "<form:password form:id='c7' form:current-value='secret'/><form:hidden form:id='c8' form:value='secret'/>",
        "<form:textarea form:id='c9'><text:p>in a</text:p><text:p>cell</text:p></form:textarea>",
    ]
    inline = control(1, "text:anchor-type='as-char'")
    line = f"<text:p>Name:{inline}of age.{control(2)}{control(3)}{control(1)}</text:p>"
    rest = f"<text:p>Colours{control(4)}{control(5)}{control(6)}{control(7)}{control(8)}</text:p>"
    forms = tag("office:forms form:form", "".join(controls))
    body = forms + line + rest + table(row(cell("Note"), cell("", inner=control(9))))
    document = load("odt", open_document("odt", body))
    lines = ["Name: Jane of age.", "\u2612 I agree", "\u2610 No", "Colours", "blue", "\u2610 red\n\u2612 blue"]
    assert document.text.split("\n\n") == [*lines, "Note  in a cell"]
    assert origins(document) == dict.fromkeys(["Jane", "blue", lines[-1], "in a cell"], "form field")
    said = cautions(document)["hidden-text"]
    assert "3 in lists of choices that are closed" in said and "5 in form controls that are switched off" in said


SPAN, NOTE = "<text:span>{}</text:span>", "<text:note><text:note-citation>1</text:note-citation>{}</text:note>"
PLACED = "<draw:control draw:control='c2'/>"
STRUCK = (
    "<style:style style:name='struck' style:family='text'>"
    "<style:text-properties style:text-line-through-style='solid'/></style:style>"
)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (f"<text:p>x {SPAN.format('y {} z')} {{}}</text:p>", "x y Jane z 12"),
        (f"<text:p>As the record says: {SPAN.format('{}' + SPAN)}</text:p>", "says: Jane 12"),
        ("<text:p>a<text:span text:style-name='struck'>b {} {} c</text:span></text:p>", "c\u0336]"),
        (f"<text:p>a{tag('text:ruby text:ruby-text', ' b {}')}{{}}</text:p>", "a(b Jane) 12"),
        (f"<text:p>a{NOTE.format(tag('text:note-body', '<text:p>By {}</text:p>' + PLACED))}</text:p>", "1 By Jane\n12"),
        (
            table(row(cell("Name"), cell("Age")), row(cell("  is ", inner="<text:p> by {}  of</text:p>"), cell("{}"))),
            "Name  Age\nis by Jane of  12",
        ),
        (
            table(
                row(cell("{}", "table:number-rows-spanned='2'"), cell("a")),
                row("<table:covered-table-cell/>", cell("{}")),
            ),
            "Jane  a\nJane  12",
        ),
        (
            f"<text:h text:outline-level='1'>{{}}</text:h>"
            f"<text:list text:style-name='L'>{tag('text:list-item text:p', '{}')}</text:list>",
            "Jane\n\n1. 12",
        ),
    ],
)
def test_what_is_filled_in_is_marked_wherever_it_stands(body: str, text: str) -> None:
    typed = "<form:text form:id='c1' form:value='Jane'/><form:text form:id='c2' form:value='12'/>"
    inline = [control(number, "text:anchor-type='as-char'") for number in (1, 2)]
    body = tag("office:forms form:form", typed) + body.format(*inline)
    document = load("odt", open_document("odt", body, styles=STRUCK + NUMBERED))
    assert text in document.text
    assert [one.replace("\u0336", "") for one in origins(document)] == ["Jane", "12"]
    assert set(origins(document).values()) == {"form field"}


@pytest.mark.parametrize("style", ["", "struck"])
def test_a_note_in_a_span_is_cited_where_it_stands(style: str) -> None:
    noted = f"it{NOTE.format(tag('text:note-body text:p', 'See.'))} rose"
    body = f"<text:p>In the long run <text:span text:style-name='{style}'>{noted}</text:span> a lot.</text:p>"
    document = load("odt", open_document("odt", body, styles=STRUCK))
    assert document.text[document.notes[0].cited :].replace("\u0336", "").startswith(" rose")


def test_a_paragraph_of_many_spans_is_read_in_a_moment() -> None:
    spans = "<text:span>ab</text:span>" * 40_000
    began = time.process_time()
    assert load("odt", open_document("odt", f"<text:p>{spans}</text:p>")).text == "ab" * 40_000
    assert time.process_time() - began < 4  # twelve seconds if all is counted for each span


def test_controls_of_slides_and_sheets_are_read_alike() -> None:
    forms = "<office:forms><form:form><form:text form:id='c1' form:value='Jane'/></form:form></office:forms>"
    slide = load("odp", open_document("odp", f"<draw:page>{forms}{control(1)}</draw:page>"))
    shapes = f"<table:shapes>{control(1)}</table:shapes>"
    sheet = load("ods", open_document("ods", table(f"{forms}{shapes}", row(cell("12")))))
    assert slide.text == "Jane" and sheet.text.endswith("12\n\n[form field] Jane")
    assert list(origins(slide).values()) == list(origins(sheet).values()) == ["form field"]


def test_a_style_without_a_name_says_nothing_of_what_is_in_no_style() -> None:
    nameless = "".join(
        HIDDEN.replace("style:name='h' style:family='text'", f"style:family='{kind}'") for kind in ("paragraph", "text")
    )
    lists = "<text:list>{0}</text:list><text:list text:style-name='L'>{0}</text:list>"
    body = "<text:p>Rent<text:span> is 12</text:span></text:p>" + lists.format(tag("text:list-item text:p", "a"))
    document = load("odt", open_document("odt", body, styles=nameless + NUMBERED))
    assert (document.text, document.cautions) == ("Rent is 12\n\na\n\n1. a", ())


def sized(name: str, size: str, family: str = "text", settings: str = "", inner: str = "") -> str:
    told = f"{inner}<style:text-properties fo:font-size='{size}'/>" if size else inner
    return f"<style:style style:name='{name}' style:family='{family}' {settings}>{told}</style:style>"


SIZES = (
    sized("one", "1pt") + sized("px", "1px") + sized("half", "50%") + sized("five", "5%") + sized("ten", "10pt")
    + sized("heir", "", settings="style:parent-style-name='one'") + sized("o", "1pt", "paragraph")
    + sized("third", "30%", settings="style:parent-style-name='ten'") + sized("t", "2pt", "paragraph")
)  # fmt: skip
USUAL = (
    "<office:styles><style:default-style style:family='paragraph'><style:text-properties fo:font-size='12pt'/>"
    "</style:default-style></office:styles>"
)


@pytest.mark.parametrize(
    ("paragraph", "span", "seen"),
    [
        ("", "one", False),
        ("", "px", False),
        ("", "heir", False),
        ("", "half", True),
        ("", "five", False),  # of the 12 points that hold where nothing is said
        ("t", "half", False),
        ("t", "third", True),  # a share of what its style is based on
        ("o", "", False),
        ("o", "ten", True),
    ],
)
def test_characters_of_one_point_are_left_out_and_counted(paragraph: str, span: str, seen: bool) -> None:
    body = f"<text:p text:style-name='{paragraph}'><text:span text:style-name='{span}'>bait</text:span></text:p>"
    document = load("odt", open_document("odt", f"<text:p>Shown.</text:p>{body}", styles=SIZES, masters=USUAL))
    assert ("bait" in document.text) is seen and document.text.startswith("Shown.")
    assert ("4 too small to read" in cautions(document).get("hidden-text", "")) is not seen


def styled(name: str, family: str, properties: str) -> str:
    inner = f"<style:{family}-properties {properties}/>"
    return f"<style:style style:name='{name}' style:family='{family}'>{inner}</style:style>"


PICTURE = "<draw:frame draw:style-name='{}' {}><draw:image/></draw:frame>".format
LARGE = "svg:width='9cm' svg:height='9cm'"
INKS = "".join(
    styled(*one)
    for one in (
        ("white", "text", "fo:color='#ffffff'"),
        ("auto", "text", "style:use-window-font-color='true' fo:color='#ffffff' style:opacity='0%'"),
        ("dark", "paragraph", "fo:background-color='#1f3864'"),
        ("new", "paragraph", "fo:break-before='page'"),
        ("behind", "graphic", "style:wrap='run-through'"),
        ("beside", "graphic", "style:wrap='parallel'"),
        ("filled", "graphic", "draw:fill='solid' draw:fill-color='#1f3864'"),
        ("row", "table-row", "fo:background-color='#1f3864'"),
    )
)


@pytest.mark.parametrize(
    ("body", "became"),
    [
        ("<text:p>{}</text:p>", "hidden"),
        ("<text:p text:style-name='dark'>{}</text:p>", "seen"),
        (PICTURE("behind", LARGE) + "<text:p>{}</text:p>", "doubtful"),
        (PICTURE("behind", "svg:width='9mm' svg:height='9mm'") + "<text:p>{}</text:p>", "hidden"),
        (PICTURE("beside", LARGE) + "<text:p>{}</text:p>", "hidden"),
        (f"<text:p>{PICTURE('behind', LARGE)}</text:p><text:p text:style-name='new'>{{}}</text:p>", "hidden"),
        ("<draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>", "doubtful"),
        (
            "<draw:frame draw:style-name='filled'><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>",
            "seen",
        ),
        (table(row(cell("{}"), settings="table:style-name='row'")), "seen"),
        (table(row(cell("{}"))), "hidden"),
    ],
)
def test_white_words_of_a_text_are_seen_by_what_is_behind_them(body: str, became: str) -> None:
    said = body.format("<text:span text:style-name='white'>bait</text:span>")
    shown = "<text:p>Shown<text:span text:style-name='auto'> too</text:span>.</text:p>"
    document = load("odt", open_document("odt", shown + said, styles=INKS))
    assert ("bait" in document.text) is (became != "hidden") and document.text.startswith("Shown too.")
    told = {"hidden": "hidden-text", "doubtful": "visibility-unknown"}.get(became)
    assert set(cautions(document)) - {"unread-content"} == ({told} if told else set())


def test_pages_of_a_text_may_have_a_colour_of_their_own() -> None:
    masters = (
        "<office:automatic-styles><style:page-layout style:name='L'><style:page-layout-properties "
        "fo:background-color='#1f3864'/></style:page-layout></office:automatic-styles>"
    )
    said = "<text:p><text:span text:style-name='white'>white</text:span></text:p>"
    assert load("odt", open_document("odt", said, styles=INKS, masters=masters)).text == "white"


def test_white_words_in_a_cell_are_seen_where_the_cell_is_dark() -> None:
    span = "<text:span text:style-name='white'>{}</text:span>".format
    dark = f"<table:table-cell table:style-name='d'><text:p>on {span('dark')}</text:p></table:table-cell>"
    styles = INKS + styled("d", "table-cell", "fo:background-color='#1f3864'")
    document = load("ods", open_document("ods", table(row(dark, cell("on " + span("white")))), styles=styles))
    assert document.text == "on dark  on" and "5 in the colour of its background" in cautions(document)["hidden-text"]


@pytest.mark.parametrize(("fit", "seen"), [("false", False), ("true", True)])
def test_words_that_a_shape_of_a_slide_stretches_have_no_size(fit: str, seen: bool) -> None:
    fits = f"<style:graphic-properties draw:fit-to-size='{fit}'/>"
    shape = "<draw:custom-shape draw:style-name='g'><text:p>bait</text:p></draw:custom-shape>"
    page = f"<draw:page><draw:custom-shape><text:p>Shown.</text:p></draw:custom-shape>{shape}</draw:page>"
    document = load("odp", open_document("odp", page, styles=sized("g", "1pt", "graphic", inner=fits)))
    assert ("bait" in document.text) is seen


def test_words_of_a_master_look_as_its_own_styles_say_and_not_as_those_of_slides_by_the_same_names() -> None:
    shape = "<draw:custom-shape draw:style-name='g'><text:p>{}</text:p></draw:custom-shape>".format
    masters = (
        f"<office:automatic-styles>{sized('g', '20pt', 'graphic')}</office:automatic-styles><office:master-styles>"
        f"<style:master-page style:name='M'>{shape('Large.')}</style:master-page></office:master-styles>"
    )
    page = f"<draw:page draw:master-page-name='M'>{shape('bait')}</draw:page>"
    document = load("odp", open_document("odp", page, styles=sized("g", "1pt", "graphic"), masters=masters))
    assert document.text == "[on each slide] Large." and "4 too small" in cautions(document)["hidden-text"]


def test_a_cell_with_letters_of_one_point_is_marked_as_hidden() -> None:
    def tiny(inner: str) -> str:
        return f"<table:table-cell table:style-name='c'><text:p>{inner}</text:p></table:table-cell>"

    span = "<text:span text:style-name='{}'>{}</text:span>".format
    large = tiny(span("ten", f"large {span('none', 'words')}") + " ")
    cells = tiny("bait"), large, cell("seen"), tiny(f"tiny {span('ten', 'big')}"), tiny(span("none", "unsized"))
    styles = SIZES + sized("c", "1pt", "table-cell")
    document = load("ods", open_document("ods", table(row(*cells)), styles=styles))
    assert document.text.startswith("large words  seen\n")
    assert origins(document) == {"[hidden] bait  tiny big  unsized": "hidden cell"}


def test_notes_comments_and_headers_stand_at_the_end() -> None:
    note = tag("text:note", tag("text:note-citation", "1") + tag("text:note-body text:p", "See B."))
    comment = "<office:annotation><dc:creator>Ann</dc:creator><text:p>why?</text:p></office:annotation>"
    masters = tag("office:master-styles style:master-page style:header text:p", "Draft")
    document = load("odt", open_document("odt", f"<text:p>Cost{note} rose{comment}.</text:p>", masters=masters))
    assert document.text.startswith("Cost¹ rose.\n\n1 See B.")
    assert origins(document) == {"[comment by Ann] why?": "comment", "[page header] Draft": "page header"}
    (found,) = document.notes
    assert document.text[found.start : found.end] == "See B." and document.text[: found.cited] == "Cost¹"


def test_where_there_is_no_text_it_is_said_what_was_not_read() -> None:
    frame = "<text:p><draw:frame><draw:{} xlink:href='./Object 1'/></draw:frame></text:p>"
    for kind, said in (("image", "run OCR first"), ("object-ole", "not read: embedded objects: 1; open the file in")):
        with pytest.raises(DocumentError, match="has no text") as caught:
            load("odt", open_document("odt", frame.format(kind)))
        assert said in caught.value.hint


def test_a_table_of_a_text_names_its_columns_through_merged_cells() -> None:
    wide = cell("2022", "table:number-columns-spanned='2'")
    header = tag("table:table-header-rows", row(cell("Item"), wide, "<table:covered-table-cell/>"))
    document = load("odt", open_document("odt", table(header, row(cell("Rent"), cell(""), cell("12")))))
    assert headers(document, "12") == "2022" and document.text == "Item  2022\nRent  \u2423  12"


def test_a_sheet_shows_what_the_program_showed_with_what_is_stored_behind() -> None:
    formula = "table:formula='of:=SUM([.B1:.B2])'"
    sheet = table(
        row(cell("Item"), figure("2023", "2023")), row(cell("Rent"), figure("1.234,50 €", "1234.5")),
        row(cell("Share"), figure("25%", "0.254", formula)),
    )  # fmt: skip
    document = load("ods", open_document("ods", sheet))
    assert document.text.startswith("Item  2023\nRent  1.234,50 €\nShare  25%\n")
    marked = {origin: text.split("\n")[1:] for text, origin in origins(document).items()}
    assert marked == {"stored value": ["B3  0.254"], "formula": ["B3  =SUM(B1:B2)"]}
    at = document.text.index("25%")
    assert document.describe_span(Span(at, at + 3)) == "T!B3" and headers(document, "25%") == "2023"


def test_hidden_sheets_rows_and_columns_are_marked() -> None:
    shown = "<style:table-properties table:display='false'/>"
    styles = f"<style:style style:name='h' style:family='table'>{shown}</style:style>"
    columns = "<table:table-column/><table:table-column table:visibility='collapse'/>"
    filtered = row(cell("filtered"), settings="table:visibility='filter'")
    first = table(columns, row(cell("seen"), cell("aside")), filtered)
    second = table(row(cell("secret")), settings="table:name='S' table:style-name='h'")
    document = load("ods", open_document("ods", first + second, styles=styles))
    assert origins(document) == {"[hidden] aside": "hidden column", "filtered": "hidden row", "secret": "hidden sheet"}


def test_repetitions_without_end_are_bounded() -> None:
    empty = row(cell("", "table:number-columns-repeated='16384'"), settings="table:number-rows-repeated='1048000'")
    document = load("ods", open_document("ods", table(empty, row(cell("last")))))
    assert document.text == "last" and document.describe_span(Span(0, 4)) == "T!A1048001"
    endless = "table:number-{}-repeated='999999999'"
    many = row(cell("word", endless.format("columns")), settings=endless.format("rows"))
    for kind in ("ods", "odt"):
        with pytest.raises(DocumentError, match="more than") as caught:
            parse(kind, open_document(kind, table(many)), LoadLimits(characters=100_000))
        assert caught.value.code == "too-big"


def test_a_locked_file_is_named() -> None:
    manifest = (
        "<m:manifest xmlns:m='urn:oasis:names:tc:opendocument:xmlns:manifest:1.0'>"
        "<m:file-entry m:full-path='content.xml'><m:encryption-data/></m:file-entry></m:manifest>"
    )
    with pytest.raises(DocumentError, match="protected by a password") as caught:
        parse("odt", open_document("odt", "<text:p>x</text:p>", **{"META-INF/manifest.xml": manifest}))
    assert caught.value.code == "encrypted"
