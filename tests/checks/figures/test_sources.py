"""Where each figure of a claim comes from: its cell with row, column, scale and rivals, or the words beside it."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from document_fixtures import load_document
from fakes import document
from figure_claims import check_figures, source_of
from hypothesis import given
from hypothesis import strategies as st
from reached import reached, reaches
from word import docx, paragraph, table

from ralph_cli.core.document import Document
from ralph_cli.core.run import FigureSource
from ralph_cli.core.structure import Label
from ralph_cli.documents.source import DocumentSource
from ralph_cli.text.figure_lines import describe_source

CAPTION = "Tolls of the harbour (in thousands of euros)"
TOLLS = (("Quay", "2031", "2032"), ("North", "4,120", "4,385"), ("South", "1,905", "2,040"))


def markdown() -> Document:
    head, *rows = ("| " + " | ".join(row) + " |" for row in TOLLS)
    return document("\n".join((CAPTION, "", head, "|---|---|---|", *rows, "")), kind="markdown")


def html() -> Document:
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in TOLLS)
    page = f"<p>{CAPTION}</p><table>{rows}</table>"
    return DocumentSource("tolls.html").load_bytes(page.encode(), None)


def csv() -> Document:
    lines = ("Quay,2031 (EUR thousand),2032 (EUR thousand)", "North,4120,4385", "South,1905,2040")
    return DocumentSource("tolls.csv").load_bytes("\n".join(lines).encode(), None)


def word() -> Document:
    return DocumentSource("tolls.docx").load_bytes(docx(paragraph(CAPTION) + table(*TOLLS, header=True)), None)


def words_of(labels: Sequence[Label]) -> list[str]:
    return [label.text for label in labels]


def assert_in_place(about: Document, source: FigureSource) -> None:
    """Each label of a source has the words that stand at its place."""
    labels = (source.token, source.scale, *source.row, *source.column, *(rival.token for rival in source.rivals))
    for label in filter(None, labels):
        assert " ".join(about.text[label.start : label.end].split()) == label.text


@pytest.mark.parametrize("make", [markdown, html, csv, word])
def test_a_cell_has_its_row_its_column_its_scale_and_its_rivals(make: Callable[[], Document]) -> None:
    about = make()
    row = next(line for line in about.text.split("\n") if "North" in line).strip("| ")
    found = check_figures(about, "In 2032 the north quay took 4.4 million euros.", [row])
    source = source_of("4.4 million euros", found)
    assert not found.issues and source.token and source.scale
    assert (source.origin, source.quote, source.token.text.replace(",", "")) == ("quote", 1, "4385")
    assert words_of(source.row) == ["North"] and [words[:4] for words in words_of(source.column)] == ["2032"]
    assert "thousand" in source.scale.text
    rivals = [(rival.near, rival.token.text.replace(",", ""), rival.name[:5]) for rival in source.rivals]
    assert rivals == [("row", "4120", rivals[0][2]), ("column", "2040", "South")] and rivals[0][2][:4] == "2031"
    assert_in_place(about, source)


def placed(*rows: Sequence[str], top: int) -> list[tuple[float, float, str]]:
    at = (72, 300, 370, 440, 510)
    return [(x, top - 16 * n, cell) for n, row in enumerate(rows) for x, cell in zip(at, row, strict=False) if cell]


def test_a_spanning_header_and_a_group_of_rows_are_told_outermost_first(pdf: Callable[..., Path]) -> None:
    years = ("(in millions)", "2031", "2032", "2031", "2032")
    rows = (("Tolls:",), ("  North quay", "412", "438", "28", "30"), ("  South quay", "190", "204", "11", "15"))
    about = load_document(pdf([(320, 716, "Boats"), (460, 716, "Barges"), *placed(years, *rows, top=700)]))
    row = next(line for line in about.text.split("\n") if "North quay" in line)
    found = check_figures(about, "In 2031 the barges at the north quay paid 28 million.", [row.strip()])
    source = source_of("28 million", found)
    assert words_of(source.column) == ["Barges", "2031"] and words_of(source.row)[-1] == "North quay"
    assert source.scale and source.scale.text == "(in millions)" and not found.issues
    assert [(it.near, it.token.text, it.name) for it in source.rivals] == [
        ("row", "30", "2032"),
        ("row", "412", "Boats > 2031"),
        ("column", "11", "South quay"),
    ]
    assert_in_place(about, source)


def test_of_stacked_tables_each_cell_has_the_names_and_the_scale_of_its_own() -> None:
    about = document(
        """
(in thousands)
Boats          2031     2032
Tugs          2,184    2,071
Ferries         612      655

(in millions)
Money       Tolls    Fines
Tugs           31       29
Ferries        58       61
"""
    )
    for words, row, column, scale in (
        ("2.071 million", "Tugs          2,184    2,071", "2032", "(in thousands)"),
        ("61 million", "Ferries        58       61", "Fines", "(in millions)"),
    ):
        source = source_of(words, check_figures(about, f"It was {words}.", [row]))
        assert (words_of(source.row), words_of(source.column)) == ([row.split()[0]], [column])
        assert source.scale and source.scale.text == scale
        assert_in_place(about, source)


PROSE = document(
    "The fee of a boat is not more than 4 % of its worth, and 6 % at night. It was agreed on 3 May 2031.\n\n"
    "Tolls came to $40 million in 2031 and $44 million in 2032, after $38 million."
)
FEE, AGREED, CAME = (
    "The fee of a boat is not more than 4 % of its worth",
    "It was agreed on 3 May 2031.",
    "Tolls came to $40 million in 2031 and $44 million in 2032",
)


def test_a_figure_in_a_sentence_has_the_words_beside_it_and_its_rivals() -> None:
    source = source_of("4 %", check_figures(PROSE, "A boat pays 4 %.", [FEE]))
    assert source.token and source.token.text == "4 %" and (source.row, source.column) == ((), ())
    assert (source.before, source.after) == ("is not more than", "of its worth,")
    assert [(rival.token.text, rival.near) for rival in source.rivals] == [("6 %", "sentence")]
    assert_in_place(PROSE, source)
    source = source_of("$44 million", check_figures(PROSE, "Tolls were $44 million.", [CAME]))
    assert [rival.token.text for rival in source.rivals] == ["$40 million", "$38 million"]


def test_the_origin_of_each_figure_is_told() -> None:
    claim = "By 2032 tolls grew 10.0% or $4 million to $44 million; 7 boats of 1,999 paid, of the 12 asked for."
    found = check_figures(PROSE, claim, [CAME], ["(44 - 40) / 40 = 10.0%"], "What of the 12 boats?")
    told = {source.words: source for source in found.figures}
    assert {words: source.origin for words, source in told.items()} == {
        "2032": "quote",
        "10.0%": "calculation",
        "$4 million": "calculation",
        "$44 million": "quote",
        "7 boats": "nowhere",
        "1,999 paid": "nowhere",
        "12 asked": "question",
    }
    assert told["10.0%"].calculation == "(44 - 40) / 40 = 10.0%" and "could not count" in told["7 boats"].difference
    assert all(claim[source.at :].startswith(source.words.split()[0]) for source in found.figures)
    derived = source_of("$4 million", check_figures(PROSE, "Tolls grew by $4 million.", [CAME]))
    assert (derived.origin, derived.calculation) == ("derived", "$44 million - $40 million")
    assert "no calculation is recorded" in describe_source(derived)
    header = source_of("2032", check_figures(markdown(), "In 2032 it was 4,385.", ["| North | 4,120 | 4,385 |"]))
    assert header.origin == "header" and header.token and header.token.text == "2032"


def test_what_is_written_otherwise_is_told_with_the_cell() -> None:
    about = markdown()
    found = check_figures(about, "The north quay took 4.4 billion euros.", ["| North | 4,120 | 4,385 |"])
    source = source_of("4.4 billion euros", found)
    assert found.issues and source.token and source.token.text == "4,385" and "another scale" in source.difference
    assert source.difference in describe_source(source)


@pytest.mark.parametrize(
    ("language", "text", "claim", "words", "token"),
    [
        ("de", "Es sind 6,4 Mio. Euro.", "They are 6.4 million euros.", "6.4 million euros", "6,4 Mio. Euro"),
        ("fr", "Il coûte 6,4 millions d'euros.", "It costs €6.4 million.", "€6.4 million", "6,4 millions d'euros"),
        ("ja", "売上高は3億4,500万円でした。", "Sales were ¥345 million.", "¥345 million", "3億4,500万円"),
        ("pt", "Vigora até 1º de março de 2024.", "It runs to 1 March 2024.", "1 March 2024", "1º de março de 2024"),
    ],
)  # fmt: skip
def test_figures_of_another_language_come_with_the_words_of_the_document(
    language: str, text: str, claim: str, words: str, token: str
) -> None:
    about = DocumentSource("report.txt").load_bytes(text.encode(), None).in_language(language)
    source = source_of(words, check_figures(about, claim, [text]))
    assert source.token and source.token.text == token
    assert_in_place(about, source)


@pytest.mark.parametrize("make", [markdown, word])
def test_a_line_for_the_judge_is_short_and_names_cell_and_rivals(make: Callable[[], Document]) -> None:
    about = make()
    row = next(line for line in about.text.split("\n") if "North" in line)
    for source in check_figures(about, "In 2032 it took 4.4 million euros.", [row.strip()]).figures:
        line = describe_source(source)
        assert len(line) <= 170 and "\n" not in line and line.startswith(f'"{source.words}": ')


NAMES = "Rope Sail Mast Keel Hull Oar Deck Bow Stern Helm".split()  # noqa: SIM905
COLUMNS = "Tolls Fines Rents Wages".split()  # noqa: SIM905
FIGURES = st.integers(1_000, 999_999)


@reaches(beside=0.3)
@given(st.integers(2, 8), st.integers(1, 4), st.data())
def test_every_figure_of_a_table_is_traced_to_its_own_cell(height: int, width: int, data: st.DataObject) -> None:
    figures = data.draw(st.lists(FIGURES, min_size=height * width, max_size=height * width, unique=True))
    grid = [figures[at : at + width] for at in range(0, height * width, width)]
    head = f"| Part | {' | '.join(COLUMNS[:width])} |\n|{'---|' * (width + 1)}"
    rows = [
        f"| {name} | {' | '.join(f'{figure:,}' for figure in row)} |" for name, row in zip(NAMES, grid, strict=False)
    ]
    about = document("\n".join(("(in millions)", "", head, *rows, "")), kind="markdown")
    at, column = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    claim = f"It came to {grid[at][column]:,} million."
    source = source_of(f"{grid[at][column]:,} million", check_figures(about, claim, [rows[at]]))
    place = about.text.index(rows[at]) + rows[at].index(f" {grid[at][column]:,} |") + 1
    assert source.token == Label(f"{grid[at][column]:,}", place, place + len(f"{grid[at][column]:,}"))
    assert (words_of(source.row), words_of(source.column)) == ([NAMES[at]], [COLUMNS[column]])
    assert source.scale and source.scale.text == "(in millions)"
    assert_in_place(about, source)
    near = [rival.near for rival in source.rivals]
    if reached("beside", width > 1):
        assert near == ["row"] * min(width - 1, 2) + ["column"] * (len(near) - min(width - 1, 2)) and "column" in near
    else:
        assert near and set(near) == {"column"}


def test_a_table_in_another_language_states_its_scale_and_is_named_as_written() -> None:
    lines = (
        "Les recettes et les dépenses de la ville sont dans ce tableau.",
        "",
        "| En milliers d'euros | Premier trimestre 2032 | 2031 |",
        "|---|---|---|",
        "| Recettes | 1 845,2 | 1 702,9 |",
    )
    about = document("\n".join(lines) + "\n", kind="markdown")
    found = check_figures(about, "Les recettes étaient de 1,85 million d'euros.", [lines[-1]])
    source = source_of("1,85 million d'euros", found)
    assert (words_of(source.row), words_of(source.column)) == (["Recettes"], ["Premier trimestre 2032"])
    assert source.scale and source.scale.text == "En milliers d'euros" and not found.issues
    assert check_figures(about, "Les recettes étaient de 1,85 milliard d'euros.", [lines[-1]]).issues
