"""Writes small Word documents for tests: the parts that matter, nothing else."""

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = (
    "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship Id='r1' "
    "Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' "
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


def docx(body: str, **parts: str) -> bytes:
    """The bytes of a document with this body; `document` replaces the whole main part."""
    main = parts.pop("document", part("document", f"<w:body>{body}</w:body>"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS)
        archive.writestr("word/document.xml", main)
        for name, xml in parts.items():
            archive.writestr(f"word/{name}" if "/" in name else f"word/{name}.xml", xml)
    return buffer.getvalue()
