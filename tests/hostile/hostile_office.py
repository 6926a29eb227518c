"""Office files and books in which an attacker's words stand in a place of his choice; see `hostile_files`."""

from xml.sax.saxutils import escape as xml

import word
from office_files import epub, open_document, pptx, row, shape, sheet, slide, words, xlsx

OWN = "The storage fee was 39,500 in 2019."
"""What the attacker's document truly says."""


def workbook(payload: str, place: str) -> bytes:
    """A workbook of two sheets, the second hidden where the payload is to be."""
    shown, name = xml(payload), _sheet_name(payload) if place == "sheet name" else "Fees"
    cells = {"A1": xml(OWN), "A2": shown if place in ("cell", "sheet name") else "None."}
    first = sheet("".join(row(number, words(at, text)) for number, (at, text) in enumerate(cells.items(), 1)))
    hidden = place == "hidden sheet"
    second = sheet(row(1, words("A1", shown if hidden else "Nothing more.")))
    return xlsx({name: first, "Aside": second}, hidden=("Aside",) if hidden else ())


def _sheet_name(payload: str) -> str:
    return xml(payload[:31].replace("/", "_"), {"'": "&apos;"})


def open_sheets(payload: str, place: str) -> bytes:
    """The same as an OpenDocument spreadsheet."""
    shown, hidden = f"<text:p>{xml(payload)}</text:p>", place == "hidden sheet"
    style = (
        "<style:style style:name='h' style:family='table'><style:table-properties table:display='false'/></style:style>"
    )
    body = "".join(
        f"<table:table table:name='{name}' {settings}>"
        f"<table:table-row><table:table-cell>{inner}</table:table-cell></table:table-row></table:table>"
        for name, settings, inner in (
            (_sheet_name(payload) if place == "sheet name" else "Fees", "", f"<text:p>{OWN}</text:p>"),
            (
                "Aside",
                "table:style-name='h'" if hidden else "",
                "<text:p>No more.</text:p>" if place == "sheet name" else shown,
            ),
        )
    )
    return open_document("ods", body, styles=style)


def slides(payload: str, place: str) -> bytes:
    """A presentation of one slide with its notes."""
    shown = {"title": "Fees", "text": "No more.", "notes": "Say it slowly.", place: xml(payload)}
    first = slide(shape(shown["title"], kind="title"), shape(OWN), shape(shown["text"]))
    notes = slide(shape(shown["notes"], kind="body"), root="notes")
    relations = {"slides/slide1.xml": {"n": "notesSlide ../notes1.xml"}}
    return pptx(first, relations=relations, **{"notes1.xml": notes})


def open_slides(payload: str, place: str) -> bytes:
    """The same as an OpenDocument presentation."""
    shown = {"title": "Fees", "text": "No more.", "notes": "Say it slowly.", place: xml(payload)}
    frame = "<draw:frame presentation:class='{}'><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame>"
    notes = f"<presentation:notes>{frame.format('notes', shown['notes'])}</presentation:notes>"
    parts = (("title", shown["title"]), ("", OWN), ("", shown["text"]))
    body = "".join(frame.format(kind, text) for kind, text in parts) + notes
    return open_document("odp", f"<draw:page draw:name='Fees'>{body}</draw:page>")


def open_text(payload: str, place: str) -> bytes:
    """An OpenDocument text."""
    shown = xml(payload)
    inner = {
        "text": f"<text:p>{shown}</text:p>",
        "heading": f"<text:h text:outline-level='1'>{shown}</text:h>",
        "comment": f"<text:p>x<office:annotation><text:p>{shown}</text:p></office:annotation></text:p>",
    }[place]
    return open_document("odt", f"<text:p>{OWN}</text:p>{inner}")


def book(payload: str, place: str) -> bytes:
    """A book of two chapters."""
    shown = xml(payload)
    chapter = f"<h1>{shown}</h1>" if place == "heading" else f"<p>{shown}</p>" if place == "text" else "<p>No more.</p>"
    named = f"<ol><li><a href='b.xhtml'>{shown if place == 'contents' else 'Two'}</a></li></ol>"
    return epub({"a.xhtml": f"<p>{OWN}</p>", "b.xhtml": chapter}, contents=named)


def word_text(payload: str, place: str) -> bytes:
    """A Word document: text, heading, cell, or hidden text."""
    shown = xml(payload)
    inner = {
        "text": word.paragraph(shown),
        "heading": word.paragraph(shown, "Heading1"),
        "cell": f"<w:tbl><w:tr><w:tc>{word.paragraph(shown)}</w:tc><w:tc>{word.paragraph('5')}</w:tc></w:tr></w:tbl>",
        "hidden text": f"<w:p>{word.run(shown, '<w:vanish/>')}</w:p>",
    }[place]
    return word.docx(word.paragraph(OWN) + inner)
