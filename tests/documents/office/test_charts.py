"""The figures of charts: as a person sees them, and not as a program keeps them."""

import time

import pytest
from office_files import chart, load, origins, pptx, shape, slide

from ralph_cli.documents.office.drawing_text import describe_chart
from ralph_cli.documents.office.xml_tree import parse_xml

FRAME = "<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id='k'/></a:graphicData></a:graphic></p:graphicFrame>"
LABELS = "<c:dLbls><c:numFmt formatCode='0.0%' sourceLinked='{}'/><c:showVal val='{}'/></c:dLbls>"
AXIS = "<c:dateAx><c:axId val='7'/><c:delete val='{}'/><c:numFmt formatCode='mmm yyyy' sourceLinked='0'/></c:dateAx>"


def numbers(name: str, *kept: str, code: str = "General", last_code: str = "") -> str:
    """The numbers that a series keeps as its values or categories, in this format; the last may have its own."""
    codes = [""] * (len(kept) - 1) + [last_code and f"formatCode='{last_code}'"]
    points = "".join(
        f"<c:pt idx='{at}' {own}><c:v>{value}</c:v></c:pt>"
        for at, (value, own) in enumerate(zip(kept, codes, strict=True))
    )
    cache = f"<c:numCache><c:formatCode>{code}</c:formatCode>{points}</c:numCache>"
    return f"<c:{name}><c:numRef>{cache}</c:numRef></c:{name}>"


def read_chart(inner: str, *, settings: str = "") -> list[str]:
    """The lines of a slide's chart behind its title."""
    relations = {"slides/slide1.xml": {"k": "chart ../chart1.xml"}}
    drawn = {"chart1.xml": chart("Costs", inner, settings=settings)}
    document = load("pptx", pptx(slide(shape("Text"), FRAME), relations=relations, **drawn))
    (told,) = (words for words, origin in origins(document).items() if origin == "chart")
    return told.splitlines()[1:]


def bars(*series: str, behind: str = "") -> str:
    """The bars of a chart for these series."""
    return f"<c:barChart>{''.join(f'<c:ser>{one}</c:ser>' for one in series)}{behind}<c:axId val='7'/></c:barChart>"


@pytest.mark.parametrize(
    ("code", "kept", "shown"),
    [
        ("General", "16.600000000000001", "16.6"),
        ("General", "2.0", "2"),
        ("General", "9.6000000000000002E-2", "0.096"),
        ("0.0%", "0.16400000000000001", "16.4%"),
        ("#,##0;(#,##0)", "-1373", "(1,373)"),
        ("yyyy-mm-dd", "37261.0", "2002-01-05"),
        ("0", "#N/A", "#N/A"),
        ("#", "0", "0"),
        (";;;", "4.5", "4.5"),
    ],
)
def test_a_figure_has_the_number_format_that_is_kept_with_it(code: str, kept: str, shown: str) -> None:
    assert read_chart(bars(numbers("val", kept, code=code))) == [shown]


def test_a_point_may_have_a_format_of_its_own() -> None:
    assert read_chart(bars(numbers("val", "0.25", "0.25", code="0.000", last_code="0%"))) == ["0.250", "25%"]


@pytest.mark.parametrize(("settings", "day"), [("", "1 Jan 2001"), ("<c:date1904 val='1'/>", "2 Jan 2005")])
def test_days_are_counted_as_the_chart_says(settings: str, day: str) -> None:
    inner = bars(numbers("cat", "36892", code="d mmm yyyy") + numbers("val", "1"))
    assert read_chart(inner, settings=settings) == [f"{day}  1"]


@pytest.mark.parametrize(
    ("own", "of_all", "shown"),
    [
        (LABELS.format(0, 1), "", "16.6%"),
        ("", LABELS.format(0, 1), "16.6%"),
        (LABELS.format(0, 0), "", "0.166"),
        (LABELS.format(1, 1), "", "0.166"),
        (LABELS.format(0, 1).replace("/></c:dLbls>", "/><c:showPercent val='1'/></c:dLbls>"), "", "0.166"),
    ],
)
def test_labels_that_show_values_show_them_in_their_own_format(own: str, of_all: str, shown: str) -> None:
    assert read_chart(bars(own + numbers("val", "0.16600000000000001"), behind=of_all)) == [shown]


@pytest.mark.parametrize(("deleted", "shown"), [(0, "Jan 2001"), (1, "2001-01-01")])
def test_an_axis_shows_its_days_in_its_own_format(deleted: int, shown: str) -> None:
    inner = bars(numbers("cat", "36892", code="yyyy-mm-dd") + numbers("val", "1"))
    assert read_chart(inner + AXIS.format(deleted)) == [f"{shown}  1"]


@pytest.mark.parametrize(
    "inner",
    [
        bars(*[""] * 10_000, numbers("val", "0.5"), behind=LABELS.format(0, 1)),
        bars(numbers("val", *["0.5"] * 10_000).replace("<c:pt ", f"<c:pt formatCode='0.0%{'_)' * 240}' ")),
    ],
    ids=["series", "formats"],
)
def test_many_series_and_many_formats_take_little_time(inner: str) -> None:
    root, started = parse_xml(chart("Costs", inner).encode()), time.process_time()
    assert "50.0%" in describe_chart(root).text()
    assert time.process_time() - started < 0.5  # about 0.05 when nothing else runs
