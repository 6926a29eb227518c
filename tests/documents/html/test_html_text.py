"""What a page shows besides its plain text: raised figures, formulas, tables, lists, forms, pictures, struck text."""

import pytest
from tables import cells_below, column_names

from ralph_cli.core.structure import EMPTY_CELL
from ralph_cli.documents.html.reader import parse_html
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import ParsedDocument, assemble


def page(source: str) -> ParsedDocument:
    parsed = parse_html(source.encode(), name="a.html", encoding=None, limits=LoadLimits())
    parsed.validate(LoadLimits())
    return parsed


def text(source: str) -> str:
    return page(source).text


SMALL = "font-size:6.5pt;position:relative;top:-3.5pt;vertical-align:baseline"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("$1,577<sup>2</sup> and 10<sup>-6</sup>", "$1,577² and 10⁻⁶"),
        ("CO<sub>2</sub> on the 21<sup>st</sup>", "CO₂ on the 21st"),
        ("5<sup><a href=#n>(1)</a></sup>", "5⁽¹⁾"),
        ("<sup>1</sup>&frasl;<sub>2</sub> or 3<sup>1</sup>/<sub>2</sub>", "½ or 3½"),
        ("3<sup>5</sup>&frasl;<sub>16</sub> in", "3 5/16 in"),
        ("5<span style='vertical-align:super'>2</span>", "5²"),
        ("<style>.u{vertical-align:sub}</style>5<span class=u>2</span>", "5₂"),
        (f"<span style='font-size:10pt'>Sales 5</span><span style='{SMALL}'>2</span>", "Sales 5²"),
        ("<style>sup{position:relative;vertical-align:baseline;top:-.5em;font-size:75%}</style>5<sup>2</sup>", "5²"),
        ("5<span style='vertical-align:top'>2</span>", "52"),
        ("<table><tr><td style='vertical-align:super'>a<td>2</table>", "a  2"),
        ("<sup>All figures of 2022 and 2023 are in millions.</sup>", "All figures of 2022 and 2023 are in millions."),
    ],
)
def test_raised_figures_are_no_digits_of_the_figure_before(source: str, shown: str) -> None:
    assert text(source) == shown


def row(tag: str, *parts: str) -> str:
    return f"<{tag}>{''.join(f'<mn>{part}</mn>' if part.isdigit() else f'<mi>{part}</mi>' for part in parts)}</{tag}>"


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (f"<mn>3</mn>{row('mfrac', '1', '2')}", "3½"),
        (f"<mn>3</mn>{row('mfrac', '5', '16')}", "3 5/16"),
        (f"{row('msup', 'x', '2')}<mo>=</mo>{row('msup', '10', 'n')}", "x² = 10^n"),
        (f"<msub><mi>H</mi><mn>2</mn></msub><mi>O</mi>{row('msubsup', 'x', '1', '2')}", "H₂Ox₁²"),
        (f"<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>{row('msqrt', 'c')}</mfrac>", "(a + b)/√c"),
        ("<mn>2</mn><mo>&InvisibleTimes;</mo><mi>x</mi><mn>1</mn><mn>577</mn>", "2x1 577"),
        (
            "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr></mtable>",
            "[1, 2; 3]",
        ),
        ("<semantics><mi>x</mi><annotation>no</annotation></semantics><mphantom><mn>9</mn></mphantom>", "x"),
        ("<mover><mi>x</mi><mo>&macr;</mo></mover><mroot><mi>x</mi><mn>3</mn></mroot>", "x¯³√x"),
    ],
)
def test_formulas_are_one_line_of_text(formula: str, shown: str) -> None:
    assert text(f"<math>{formula}</math>") == shown


HEAD = "<tr><th>Item<th>2023<th>2022"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (f"{HEAD}<tr><td>Dividend<td><td>500<tr><td>Sales<td>5<td>4", "Dividend  _  500|Sales  5  4"),
        (f"{HEAD}<tr><td>Dividend<td>&nbsp;<td>500<tr><td>Sales<td>5<td>", "Dividend  _  500|Sales  5"),
        (f"{HEAD}<tr><td><td>1<td>2", "_  1  2"),
        (f"{HEAD}<tr><td colspan=3>Assets<tr><td>Cash<td><td>5", "Assets|Cash  _  5"),
        # What reaches down from a row above is said again: its place is not empty.
        (f"{HEAD}<tr><td rowspan=2>North<td>1<td>2<tr><td>3<td>4", "North  1  2|North  3  4"),
        (f"{HEAD}<tr><td>North<td rowspan=2>1<td>2<tr><td>South<td>4<tr><td>East<td><td>6",
         "North  1  2|South  1  4|East  _  6"),
        (f"{HEAD}<tr><td>North<td>1<td rowspan=2>2<tr><td>South<td>3", "North  1  2|South  3"),
        (f"{HEAD}<tr><td rowspan=2><td>1<td>2<tr><td><td>4", "_  1  2|_  _  4"),
        (f"{HEAD}<tr><td rowspan=2>{'long ' * 60}<td>1<td>2<tr><td>3<td>4", "long  1  2|_  3  4"),
        ("<tr><th rowspan=2>Item<th colspan=2>Year<tr><th>2023<th>2022<tr><td>Sales<td>5<td>4",
         "Item  Year|Item  2023  2022|Sales  5  4"),
        ("<tbody><tr><th rowspan=9>Item<th>2023<th>2022</tbody><tr><td>Sales<td><td>4", "Sales  _  4"),
        ("<tr><td rowspan=2>a picture<td>x<td>2<tr><td>y<td>3", "a picture  x  2|y  3"),
        (f"{HEAD}<tr><td>Sold<td><span style='display:none'>7</span><td>500", "Sold  _  500"),
        ("<thead><tr><td>Item<td>2023<td>2022<tbody><tr><td>Dividend<td><td>500", "Dividend  _  500"),
        ("<tr><td><td>2023<td>2022<tr><td>Cash:<tr><td>Dividend<td><td>500<tr><td>Sales<td>5<td>4",
         "Cash:|Dividend  _  500|Sales  5  4"),
        # Columns of no name and no width, as in filings: a header stands over a currency, a figure and a bracket.
        ("<tr><td><td colspan=3>2023<td><td colspan=3>2022<tr><td>Sales<td>$<td>5<td><td><td>$<td>4<td>"
         "<tr><td>Loss<td><td><td><td><td>(<td>3<td>)", "Sales  $  5  $  4|Loss  _  (  3  )"),
        # In doubt no mark: no header, one that names nothing, one that stands beside its figures.
        ("<tr><td>Dividend<td><td>500<tr><td>Sales<td>5<td>4", "Sales  5  4"),
        ("<tr><th colspan=3>Cash flows<tr><td>Dividend<td><td>500", "Dividend  500"),
        ("<tr><td><td>2023<td>2022<tr><td>Sales<td><td><td>5<td>4", "Sales  5  4"),
        (f"{HEAD}<tr><td><table><tr><td>x</table><td><td>500", "x\n\n500"),
    ],
)  # fmt: skip
def test_an_empty_cell_under_a_header_keeps_its_place(source: str, shown: str) -> None:
    told = text(f"<table>{source}</table>").replace(EMPTY_CELL, "_")
    assert told.endswith(shown.replace("|", "\n"))


def test_tables_say_under_which_column_a_figure_stands() -> None:
    parsed = page(
        "<p>Cash flows<table><tr><td rowspan=2><td colspan=2>Year ended<tr><th>2023<th>2022"
        "<tr><td>Dividend <td><td>500<tr><td>Sales<td>5<td>4</table><table><tr><td>left<td>right</table>"
    )
    told = parsed.text
    (found,) = parsed.tables
    document = assemble(parsed, path="", kind="html", sha256="", fingerprint="")
    assert column_names(document) == ["", "Year ended 2023", "Year ended 2022"]
    assert cells_below(document) == [("Dividend", 0), ("500", 2), ("Sales", 0), ("5", 1), ("4", 2)]
    assert told[found.start : found.end].startswith("Year ended")


def test_a_cell_that_reaches_into_a_row_is_a_cell_of_it() -> None:
    told = page(f"<p>a<table>{HEAD}<tr><td rowspan=2>North<td rowspan=2>1<td>2<tr><td>4<tr><td>South<td>5</table>")
    assert cells_below(assemble(told, path="", kind="html", sha256="", fingerprint="")) == [
        ("North", 0),
        ("1", 1),
        ("2", 2),
        ("North", 0),
        ("1", 1),
        ("4", 2),
        ("South", 0),
        ("5", 1),
    ]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<ol><li>a<li>b</ol>", "1. a|2. b"),
        ("<ol start=3><li>a<li value=9>b<li>c</ol>", "3. a|9. b|10. c"),
        ("<ol reversed><li>a<li>b</ol>", "2. a|1. b"),
        ("<ol type=a><li>x<li><ol type=I><li>y<li>z</ol></ol>", "a. x|b. I. y|II. z"),
        ("<ol style='list-style:upper-alpha'><li>x</ol>", "A. x"),
        ("<style>li{list-style-type:lower-roman}</style><ol start=4><li>x</ol>", "iv. x"),
        ("<ul><li><p>x</p><p>y</p><li></ul>", "• x||y"),
        ("<ul style='list-style-type:none'><li>x</ul>", "x"),
        ("<ol><li hidden>x<li>y</ol>", "1. y"),
        ("<ol type=a start=27><li>x</ol><ol type=i start=-1><li>y</ol>", "aa. x|-1. y"),
        ("<li>x", "x"),
    ],
)
def test_items_of_lists_have_their_numbers(source: str, shown: str) -> None:
    assert text(source) == shown.replace("|", "\n")


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<p>See <img alt=' A chart of  sales '> <img alt=''> <img>", "See [image: A chart of sales]"),
        ("<input value='1,577'> <input type=checkbox checked> yes <input type=radio> no", "1,577 ☒ yes ☐ no"),
        ("<select multiple><option>a<option selected>b</select>", "☐ a\n☒ b"),
        ("<textarea>one\ntwo</textarea>", "one\ntwo"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "漢(kan)"),
        ("<svg><title>no</title><text>Sales</text><g><text>5</text></g></svg>", "Sales\n5"),
        (
            "<iframe srcdoc='<title>no</title><style>b{display:none}</style><p>in<b>no</b>'></iframe>after",
            "in\n\nafter",
        ),
        ("a<wbr>b <ins>c</ins>", "ab c"),
        ("5 <bdo dir=rtl>0051</bdo> <span style='unicode-bidi:bidi-override'>12</span>", "5 1500 12"),
        ("<style>b:before{content:'\\201c' attr(id) ': '}b:after{content:none}</style><b id=x>y</b>", "“x: y"),
        ("<style>b:before{content:'no';display:none}i::after{content:'\\e900'}</style><b>y</b><i>z</i>", "yz"),
        ("<span style='display:block'>a</span><span style='display:block'>b</span>", "a\nb"),
        ("<div style='display:flex'><span>a</span><span>b</span></div>", "a\nb"),
        ("<div style='display:table-row'><p style='display:table-cell'>a</p><p style='display:table-cell'>b", "a  b"),
        ("<p style='white-space:pre'>a   b\nc", "a   b\nc"),
        ("<p style='white-space:pre-line'>a   b\nc", "a b\nc"),
        ("<pre>a\n<b>b</b>\n\n<i>c</i></pre>", "a\nb\n\nc"),
    ],
)
def test_what_a_reader_sees_is_there(source: str, shown: str) -> None:
    assert text(source) == shown


def test_what_is_filled_in_and_what_describes_a_picture_is_told_from_the_pages_own_words() -> None:
    parsed = page(
        "<img alt='A chart'> of <li><input value='1,577'><input type=checkbox checked> yes <input type=submit><p>"
        "<select><option>Own<option selected>Let</select><textarea>None</textarea><textarea></textarea><img>"
        "<sup><input value=1></sup>/<sub>2</sub>"
    )
    found = [(parsed.text[it.start : it.end], it.origin) for it in parsed.additions]
    assert found[:2] == [("[image: A chart]", "image description"), ("1,577", "form field")]
    assert [words for words, _ in found[2:]] == ["Submit", "Let", "None"]
    assert parsed.text.endswith("\u00bd")


@pytest.mark.parametrize("mark", ["del", "s", "strike", "span style='text-decoration:red line-through'"])
def test_struck_text_is_marked_and_is_no_longer_its_own_words(mark: str) -> None:
    told = text(f"<p>The rent is <{mark}>500 <b>euros</b></{mark.split()[0]}> <ins>600 euros</ins>.")
    assert told == "The rent is [struck out: 5̶0̶0̶ e̶u̶r̶o̶s̶] 600 euros."
    assert "500" not in told and text(f"<p>a<{mark}></{mark.split()[0]}>b") == "ab"


def test_documents_in_the_page_that_are_not_read_are_counted() -> None:
    parsed = page(
        "x<iframe src=a.html></iframe><embed src=b><object data=c>no</object><object>y</object><iframe></iframe>"
    )
    assert parsed.text == "x\ny"
    assert [(c.code, c.message) for c in parsed.cautions] == [
        ("embedded-unread", "embedded documents that were not read: 3")
    ]
    assert page("x<iframe src=count.html width=1 height=1></iframe>").cautions == ()
    inner = "x"
    for _ in range(6):
        inner = f"""<iframe srcdoc="{inner.replace("&", "&amp;").replace('"', "&quot;")}"></iframe>"""
    assert [c.code for c in page(f"y{inner}").cautions] == ["embedded-unread"]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("<html><body><p>Rent is due</body></html>", ""),
        ("<html><body><p>Rent is due</body>", ""),
        ("<!doctype html><html lang=en><body><p>Rent is due<p>Each month</p>", ""),
        ("<!doctype html><html lang=en><body><p>Rent is due</p>", "without </html>"),
        ("<html><body><b>Rent <i>is</b> due</i><br></br><div/><p></p></p></body></html>", ""),
        ("<html><body><div>Rent</div></div></div></body></html>", "<div> begins 1 time and ends 3 times"),
        ("<p><b>Rent <b>is</b> due</p></body>", "<b> begins 2 times and ends 1 time"),
        ("<p>Rent is due</p>\n<div cl<p>Each month</p></div>", "a tag in line 2 has another one in it"),
        ("<p>Rent is due<p>Each month", ""),
        ("<p>Rent is due</p><!--><!-- a > b --><svg><path d='M0'/></svg><a title='a > b'>x</a>", ""),
        ("<script>if (a<b) '<style>'</script><textarea><div></textarea><p>Rent is due", ""),
        ("<html><body><p>Rent is d", "without </html>"),
        ("<p>Rent is due</p><div><p>Each month", "without </html>"),
        ("<p>Rent is due</p><p clas", "a tag in line 1"),
        ("<p>Rent is due</p>\n<p title='x><p>Each month</p>", "a tag in line 2"),
        ("<p>Rent is due</p>\n<style>p{color:red}</sty<p>Each month</p></body></html>", "<style> in line 2"),
        ("<p>Rent is due</p>\n\n<!-- note - -><p>Each month</p></body></html>", "a comment in line 3"),
    ],
)
def test_a_page_that_lost_its_end_or_an_end_tag_is_named(source: str, told: str) -> None:
    parsed = parse_html(source.encode(), name="a.html", encoding=None, limits=LoadLimits())
    assert [caution.code for caution in parsed.cautions] == ["incomplete"] * bool(told)
    assert told in "".join(caution.message for caution in parsed.cautions)


def test_header_cells_that_lie_over_each_other_are_no_matter() -> None:
    source = "<tr><th>Item<th>2023<th>2022<tr><th colspan=2>in euros<tr><td>Rent<td><td>5"
    assert text(f"<table>{source}</table>") == "Item  2023  2022\nin euros\nRent  \u2423  5"


def test_a_table_in_a_page_within_a_cell_is_a_table_of_its_own() -> None:
    inner = f"<table>{HEAD}<tr><td>Rent<td>5<td>4</table>".replace("<", "&lt;")
    (found,) = page(f"<table><tr><th>a<th>b<tr><td><iframe srcdoc='{inner}'></iframe><td>2</table>").tables
    assert (found.header_rows, len(found.rows)) == (1, 2)


def test_what_stands_in_the_cells_of_a_table_is_found_there() -> None:
    cells = "<td><h3>Rent</h3><td><q>due</q><td><input value=7><tr><td><s>Fees</s><td>3<sup>1</sup>/<sub>2</sub><td>"
    parsed = page(f"<p>a<ul><li><table>{HEAD}<tr>{cells}</table></ul>")
    told = parsed.text
    assert [told[it.start : it.end] for it in (*parsed.quoted, *parsed.additions)] == ["due", "7"]
    (heading,), (table,) = parsed.headings, parsed.tables
    assert told[heading.start :].startswith("Rent\n\ndue") and "[struck out: F\u0336" in told and "  3\u00bd" in told
    assert told.startswith("a\n\n\u2022 Item  2023  2022\n") and told[table.start :].startswith("Item")
