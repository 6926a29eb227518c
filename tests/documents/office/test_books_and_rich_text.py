"""EPUB books and RTF documents as text."""

import pytest
from office_files import cautions, epub, headers, load, origins, parse

from ralph_cli.core.errors import DocumentError
from ralph_cli.core.structure import Span

CHAPTERS = {"b.xhtml": "<h1>Two</h1><p>second</p>", "a.xhtml": "<p>first</p>"}


def test_chapters_are_pages_in_the_order_of_the_spine_named_by_the_contents() -> None:
    contents = "<ol><li><a href='a.xhtml'>The end</a></li></ol>"
    document = load("epub", epub(CHAPTERS, contents=contents))
    assert document.text == "Two\n\nsecond\ffirst"
    assert [page.label for page in document.pages] == ["Two", "The end"]
    at = document.text.index("first")
    assert document.describe_span(Span(at, at + 5)) == "chapter 2 (The end)"


def test_styles_of_the_book_hide_what_they_hide() -> None:
    body = "<link rel='stylesheet' href='s.css'/><p class='no'>unseen</p><p>seen</p>"
    document = load("epub", epub({"a.xhtml": body}, **{"OEBPS/s.css": ".no {display: none}"}))
    assert document.text == "seen" and "hidden-text" in cautions(document)


def test_a_chapter_that_is_missing_is_said_with_its_number() -> None:
    spine = "<itemref idref='i0'/><itemref idref='gone'/>"
    found = load("epub", epub(CHAPTERS, spine=spine)).cautions
    assert [(caution.code, caution.pages) for caution in found] == [("damaged", ()), ("damaged", (2,))]
    assert "oebps/a.xhtml" in found[0].message  # which the book does not name in its order


def test_a_book_of_a_shop_is_named_and_one_with_locked_fonts_is_read() -> None:
    locked = "<encryption xmlns='urn:x' xmlns:e='urn:e'><e:CipherReference URI='{}'/></encryption>"
    with pytest.raises(DocumentError, match="DRM") as caught:
        parse("epub", epub(CHAPTERS, **{"META-INF/encryption.xml": locked.format("OEBPS/a.xhtml")}))
    assert caught.value.code == "encrypted"
    assert load("epub", epub(CHAPTERS, **{"META-INF/encryption.xml": locked.format("OEBPS/f.otf")})).text


def rtf(body: str) -> bytes:
    fonts, styles = r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}", r"{\stylesheet{\s1\outlinelevel0 heading 1;}}"
    return rf"{{\rtf1\ansi\ansicpg1252{fonts}{styles}{body}}}".encode("ascii")


def test_characters_of_all_kinds_are_read() -> None:
    body = r"caf\'e9 \u8364?5 \f1\'cf\'f0\f0  a\emdash b\~c\tab d{\super 2}\par {\uc2\u945??x}\line y"
    assert load("rtf", rtf(body)).text == "café €5 Пр a—b\xa0c\td²\n\nαx\ny"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (r"\f0\'e8 \f1\'cf\'f0 \f2\'e8", "\u00e8 \u041f\u0440 \u010d"),
        (r"\f0\'e8 {\f1\'cf} \f1\'cf\plain  \'cf", "\u00e8 \u041f \u041f \u010e"),  # \plain is the font of \deff
        (r"\'e8", "\u010d"),
        (r"\f3\'cf", "\u041f"),  # the default character set: that of the file
    ],
)
def test_letters_are_those_of_their_font_whatever_else_the_font_table_says(words: str, text: str) -> None:
    panose = r"{\*\panose 02020603050405020304}"
    fonts = rf"{{\f0\fcharset0{panose}A;}}{{\f1\fcharset204{panose}{{\*\falt X}}B;}}{{\f2\fcharset238 C;}}"
    body = rf"{{\rtf1\ansi\ansicpg1251\deff2{{\fonttbl{fonts}{{\f3\fcharset1 D;}}}}{words}\par}}"
    assert load("rtf", body.encode("ascii")).text == text


def test_a_heading_style_counts_whatever_styles_stand_before_it() -> None:
    styles = r"{\stylesheet{\ql Normal;}{\*\cs10 Default;}{\s1 heading 1;}}"
    document = load("rtf", rf"{{\rtf1{styles}\pard\s1 Term\par\pard text\par}}".encode("ascii"))
    assert [(heading.text, heading.level) for heading in document.headings] == [("Term", 1)]


def test_headings_hidden_words_deletions_and_strokes() -> None:
    body = r"\pard\s1 Term\par\pard\plain Kept{\v  unseen}{\deleted  gone}{\strike x}\par"
    document = load("rtf", rtf(body + r"{\*\generator no;}{\info{\title no}}"))
    assert document.text.startswith("Term\n\nKept[struck out: ") and "unseen" not in document.text
    assert [heading.text for heading in document.headings] == ["Term"]
    assert {"hidden-text", "tracked-changes", "struck-out"} <= set(cautions(document))


CELL = r"\trowd{}\cellx1000\pard\intbl {{\cf1 bait}}\cell\row\pard "


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        (r"{\cf1 bait}", False),
        (r"{\cf3 bait}", False),  # nearly white
        (r"{\fs2 bait}", False),
        (r"{\fs8 bait}{\fs0 !}", True),
        (r"{\fs2\plain bait}{\cf1\plain !}", True),
        (r"{\cf1 }bait{\cf0 !}{\cf9 !}", True),
        (r"{\cf1\highlight2 bait}", True),
        (r"{\cf4\highlight4 bait}", False),
        (r"{\cf1\cb2 bait}", True),
        (r"{\cf2\cb2 bait}", True),  # which Word shows on paper
        (r"{\cf1\chshdng0\chcbpat2 bait}", True),
        (r"{\cf1\chshdng0\chcbpat0 bait}", False),
        (r"\pard\cbpat2{\cf1 bait}\par\pard", True),
        (r"\pard\cbpat2 x\par\pard{\cf1 bait}", False),
        (r"{\pard\cbpat2 x\par}{\cf1 bait}", False),
        (CELL.format(r"\clcbpat2"), True),
        (CELL.format(""), False),
        (CELL.format(r"\trcbpat2"), True),
        (CELL.format(r"\clcbpat2\clcbpatraw2").replace(r"{\cf1", r"{\cf1\highlight1"), False),
    ],
)
def test_what_a_reader_of_rtf_cannot_see_is_left_out_and_counted(body: str, seen: bool) -> None:
    colours = r"{\colortbl;\red255\green255\blue255;\red0\green0\blue64;\red250\green250\blue250;\red255;}"
    document = load("rtf", rtf(rf"{colours}Shown. {body}\par"))
    assert ("bait" in document.text) is seen and "Shown." in document.text
    assert ("hidden-text" not in cautions(document)) is seen and "visibility-unknown" not in cautions(document)


def drawing(settings: str = r"{\sp{\sn fillColor}{\sv 255}}", inner: str = "", size: str = "9000") -> str:
    """A shape of a size in twentieths of a point."""
    sides = rf"\shpleft100\shptop100\shpright{size}\shpbottom{size}" * bool(size)
    return rf"{{\shp{{\*\shpinst{sides}{settings}{inner}}}}}"


@pytest.mark.parametrize(
    "body",
    [
        r"{\cf0 bait}",  # which some programs show as black, whatever the first colour is
        drawing() + r"{\cf1 bait}",
        drawing(r"\shpwr3{\sp{\sn pib}{\sv {\pict 00ff}}}{\sp{\sn fFilled}{\sv 0}}") + r"{\cf1 bait}",
        r"{\cf1 bait}\pard\par" + r"\par" * 38 + drawing(),
        rf"{{\header{drawing()}}}{{\cf1 bait}}",
        rf"\viewbksp1{{\*\background{drawing()}}}{{\cf1 bait}}",
        drawing("", rf"{{\shpgrp {drawing(size='')}}}") + r"{\cf1 bait}",
        r"{\*\do\dpxsize800\dpysize800\dpfillpat1\dpfillbgcr0}{\cf1 bait}",
        r"{\shp{\*\shpinst\shpwr2{\shptxt{\cf1 bait}}}}",
        r"\pard\shading2500{\cf1 bait}",
        CELL.format(r"\clbgdkcross"),
        r"\pard\intbl {\cf1 bait}\cell\trowd\clcbpat2\cellx1000\row\pard",
        CELL.format("").replace("bait", r"\pard\intbl\itap2 bait\nestcell"),
    ],
)
def test_white_words_are_kept_and_said_where_the_ground_is_not_known(body: str) -> None:
    white = r"\red255\green255\blue255;"
    document = load("rtf", rtf(rf"{{\colortbl{white}{white}}}{body}\par"))
    assert document.text == "bait" and "\u201cbait\u201d" in cautions(document)["visibility-unknown"]


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        (drawing(r"\shpwr2{\sp{\sn fillColor}{\sv 255}}", r"{\shptxt{\cf1 bait}\par}"), True),
        (drawing(r"\shpwr2{\sp{\sn fillColor}{\sv 255}}", r"{\shptxt{\cf2 bait}\par}"), False),  # red on red
        (drawing(r"\shpwr2{\sp{\sn fillColor}{\sv 16777215}}", r"{\shptxt{\cf1 bait}\par}"), False),
        (drawing(r"\shpwr2{\sp{\sn fillColor}{\sv 255}}", r"{\shptxt bait\par}", size="110"), False),
        (r"\trowd\trrh-10\cellx1000\pard\intbl bait\cell\row\pard", False),
        (r"\trowd\trrh10\cellx1000\pard\intbl bait\cell\row\pard", True),
    ],
)
def test_a_shape_or_row_shows_words_by_its_colour_and_size(body: str, seen: bool) -> None:
    document = load("rtf", rtf(rf"{{\colortbl;\red255\green255\blue255;\red255;}}Shown.\par{body}\par"))
    assert ("bait" in document.text) is seen and document.text.startswith("Shown.")
    assert set(cautions(document)) == (set() if seen else {"hidden-text"})


@pytest.mark.parametrize(
    "body",
    [
        drawing(r"\shpwr3{\sp{\sn shapeType}{\sv 20}}{\sp{\sn fFilled}{\sv 0}}{\sp{\sn fillColor}{\sv 255}}"),
        drawing(r"{\sp{\sn shapeType}{\sv 202}}"),  # a box in white, which is the usual colour
        drawing(r"{\sp{\sn fillColor}{\sv 255}}{\sp{\sn gtextUNICODE}{\sv DRAFT}}"),
        drawing(size="300"),
        drawing(r"\shpwr2{\sp{\sn fillColor}{\sv 255}}", r"{\shprslt{\*\do\dpxsize800\dpysize800\dpfillpat1}}"),
        r"\page " + drawing(),
        r"\pard\pagebb " + drawing(),
        r"\par" * 41 + drawing(),
        rf"{{\header{drawing(size='2000')}}}",
        rf"{{\*\background{drawing()}}}",  # which is only shown where the file says so
        rf"{{\*\unknown{drawing()}}}",
        r"{\*\do\dpxsize800\dpysize800\dpfillpat0\dpfillbgcr0}",
        r"{\*\do\dpxsize800\dpysize800\dpfillpat1\dpfillfgcr255\dpfillbgcr255}",
        r"{\*\donotused \do }\\do {\\shpinst}",
        r"}" + drawing(),  # behind the end of the document
    ],
)
def test_a_drawing_on_which_no_text_can_lie_shows_no_white_words(body: str) -> None:
    document = load("rtf", rtf(rf"{{\colortbl;\red255\green255\blue255;}}{{\cf1 bait}}Shown.\par{body}"))
    assert "bait" not in document.text and document.text.startswith("Shown.")
    assert {"hidden-text"} == set(cautions(document)) - {"unread-parts"}


def test_a_table_stands_by_its_edges() -> None:
    row = r"\trowd\cellx{}\cellx{}\cellx{}\intbl {}\cell {}\cell {}\cell\row"
    rows = [("1000", "2000", "3000", "Item", "2022", "2023"), ("1005", "2000", "3000", "Rent", "", "12")]
    document = load("rtf", rtf("".join(row.replace("{}", "%s") % values for values in rows) + r"\pard after\par"))
    assert headers(document, "12") == "2023" and document.text.endswith("Rent  \u2423  12\n\nafter")


def test_notes_comments_and_headers_of_rtf_stand_at_the_end() -> None:
    note = r"{\super\chftn}{\footnote {\super\chftn} See B.}"
    comment = r"{\*\atnauthor Ann}\chatn{\*\annotation why?}"
    document = load("rtf", rtf(rf"{{\header Draft}}Cost{note} rose{comment}.\par"))
    assert document.text.startswith("Cost¹ rose.\n\n1 See B.")
    assert origins(document) == {"[comment by Ann] why?": "comment", "[page header] Draft": "page header"}
    (found,) = document.notes
    assert document.text[found.start : found.end] == "See B." and document.text[: found.cited] == "Cost¹"


def test_a_file_that_is_cut_off_is_read_and_said() -> None:
    document = load("rtf", rtf(r"first\par second")[:-6])
    assert document.text.startswith("first") and "cut off" in cautions(document)["damaged"]


def test_groups_in_each_other_without_end_are_refused() -> None:
    with pytest.raises(DocumentError, match="nests groups") as caught:
        parse("rtf", rb"{\rtf1" + b"{" * 100_000)
    assert caught.value.code == "too-big"
