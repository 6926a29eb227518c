"""Writes small Word documents for tests: the parts that matter, nothing else."""

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_OF_PACKAGES = "xmlns='http://schemas.openxmlformats.org/package/2006/relationships'"
_RELATIONS = (
    f"<Relationships {_OF_PACKAGES}><Relationship Id='r1' Type='{_OFFICE}/officeDocument' "
    "Target='word/document.xml'/></Relationships>"
)
_TYPES = (
    "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'><Default Extension='xml' "
    "ContentType='application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'/></Types>"
)


def paragraph(text: str, style: str = "") -> str:
    """A paragraph of XML text, in a style."""
    named = f"<w:pPr><w:pStyle w:val='{style}'/></w:pPr>" if style else ""
    return f"<w:p>{named}<w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def part(root: str, inner: str) -> str:
    """A part with this root element."""
    return f"<w:{root} xmlns:w='{W}'>{inner}</w:{root}>"


def run(text: str, properties: str = "") -> str:
    """A run of XML text with these properties."""
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def table(*rows: list[str] | tuple[str, ...], header: bool = False) -> str:
    """A table of rows of cells, each XML text or a whole paragraph; the first row may be marked as its header."""
    written = []
    for number, row in enumerate(rows):
        cells = (cell if cell.startswith("<w:") else paragraph(cell) if cell else "<w:p/>" for cell in row)
        marked = "<w:trPr><w:tblHeader/></w:trPr>" if header and not number else ""
        written.append(f"<w:tr>{marked}{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>")
    return f"<w:tbl>{''.join(written)}</w:tbl>"


def docx(
    body: str, relations: dict[str, str] | None = None, types: dict[str, str] | None = None, **parts: str | bytes
) -> bytes:
    """The bytes of a document with this body; `document` replaces the whole main part.

    `relations` give the main part's references, by id: "header header1.xml"; `types` what other parts are declared as.
    """
    main = parts.pop("document", part("document", f"<w:body>{body}</w:body>"))
    declared = "".join(
        f"<Override PartName='/word/{name}' ContentType='{kind}'/>" for name, kind in (types or {}).items()
    )
    references = "".join(
        f"<Relationship Id='{identity}' Type='{_OFFICE}/{what.split()[0]}' Target='{what.split()[1]}'/>"
        for identity, what in (relations or {}).items()
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES.replace("</Types>", f"{declared}</Types>"))
        archive.writestr("_rels/.rels", _RELATIONS)
        archive.writestr("word/document.xml", main)
        if references:
            archive.writestr(
                "word/_rels/document.xml.rels", f"<Relationships {_OF_PACKAGES}>{references}</Relationships>"
            )
        for name, xml in parts.items():
            archive.writestr(f"word/{name}" if "/" in name else f"word/{name}.xml", xml)
    return buffer.getvalue()
