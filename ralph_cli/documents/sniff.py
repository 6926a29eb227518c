"""Identifies the kind of a file: by its first bytes, then its suffix, then its content."""

import re
from operator import itemgetter
from pathlib import PurePath
from typing import Literal

from ralph_cli.core.errors import DocumentError

Kind = Literal[
    "pdf", "docx", "xlsx", "xlsb", "xls", "pptx", "odt", "ods", "odp", "epub", "rtf", "eml", "mbox", "msg", "mhtml",
    "ipynb", "csv", "json", "text", "markdown", "html", "code", "image",
]  # fmt: skip

# Kinds whose pages may be pictures with words that OCR can read.
OCR_KINDS: frozenset[Kind] = frozenset(["pdf", "image"])

# Kinds that are plain text: they are decoded, and need no parser in a process of its own.
TEXT_KINDS: frozenset[Kind] = frozenset(["text", "markdown", "code"])

# Kinds that may be encrypted as a whole; then only the file's name tells them apart.
OFFICE_KINDS: frozenset[Kind] = frozenset(["docx", "xlsx", "xlsb", "pptx"])

# Kinds that may have attachments.
MAIL_KINDS: frozenset[Kind] = frozenset(["eml", "mbox", "msg"])

# Kinds whose bytes are characters in an encoding, which the user may give.
DECODED_KINDS: frozenset[Kind] = TEXT_KINDS | {"eml", "mbox", "html", "mhtml", "ipynb", "csv", "json"}

# A PDF header counts anywhere in the first 1024 bytes, as in pdfium and ISO 32000-1, implementation note 13.
_HEAD = 1024

_TEXT_SUFFIXES = ".txt .text .log .rst .adoc .org .tex .xml .yaml .yml .toml .ini .cfg"
_TEXT = frozenset(_TEXT_SUFFIXES.split())
_MAIL_SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys((".eml", ".emlx"), "eml"),
    ".mbox": "mbox",
    **dict.fromkeys((".mht", ".mhtml"), "mhtml"),
}
_CODE_SUFFIXES = """
    .py .pyi .js .mjs .cjs .ts .tsx .jsx .java .kt .kts .scala .c .h .cc .cpp .cxx .hh .hpp .cs .go .rs .rb .php .pl .pm
    .swift .m .mm .r .jl .lua .sh .bash .zsh .fish .ps1 .bat .sql .hs .ml .mli .ex .exs .erl .clj .lisp .el .dart .f90
    .f .vb .asm .s .css .scss .less .vue .svelte .proto .cmake .mk .gradle .tf .sol .v .vhd
"""
# The kinds of text files by suffix.
_NAMED_KINDS: dict[str, Kind] = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".geojson"), "json"),
    ".ipynb": "ipynb",
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".shtml"), "html"),
    **dict.fromkeys(_CODE_SUFFIXES.split(), "code"),
}

# Suffixes that identify a text; a file with any other suffix may be a mail.
_NAMED_TEXT = (_NAMED_KINDS.keys() | _TEXT) - {".txt", ".text", ".log"}

_PDF_HINT = "save it as PDF or text first"
_OLD_SHEETS = (b"\x09\0\x04\0", b"\x09\x02\x06\0", b"\x09\x04\x06\0")
_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"BZh", "a bzip2 archive", "unpack it first"),
    (b"\xfd7zXZ\x00", "an xz archive", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it first"),
    (b"%!PS", "a PostScript file", "convert it first: ps2pdf in.ps out.pdf"),
    (b"\x7fELF", "a program (ELF)", ""),
    (b"MZ\x90\x00", "a program (Windows)", ""),
    (b"\xcf\xfa\xed\xfe", "a program (macOS)", ""),
    (b"SQLite format 3\x00", "an SQLite database", ""),
    *((magic, "an Excel workbook of before 1995", "save it as xlsx first") for magic in _OLD_SHEETS),
)
_RTF = b"{\\rtf"
_PICTURES: tuple[tuple[bytes, str], ...] = (
    (rb"\x89PNG\r\n\x1a\n", "a PNG image"),
    (rb"\xff\xd8\xff", "a JPEG image"),
    (rb"GIF8[79]a", "a GIF image"),
    (rb"II\*\x00|MM\x00\*", "a TIFF image"),
    (rb"RIFF.{4}WEBP", "a WebP image"),
    (rb"BM.{4}\0{4}", "a BMP image"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage"
_OLE_PARTS = tuple(
    (part.encode("utf-16-le"), what, hint)
    for part, what, hint in (
        (_ENCRYPTED, "an Office document protected by a password", "remove its password and save it again"),
        ("WordDocument", "an old Word document (doc)", "save it as docx or PDF first"),
        ("PowerPoint Document", "an old PowerPoint presentation (ppt)", "save it as pptx or PDF first"),
    )
)
# The name of the stream of an xls file, Workbook or Book, or its end.
_WORKBOOK = re.compile(rb"B\0o\0o\0k\0\0\0", re.IGNORECASE)

_TNEF = b"\x78\x9f\x3e\x22"
_OUTLOOK_STREAM, _OUTLOOK_SUFFIXES = "__substg1.0_".encode("utf-16-le"), (".msg", ".oft")
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_ARCHIVE = "a ZIP archive"
# Names of parts that identify an archive. The first one in the file counts, because files may contain each other.
_ZIP_KINDS: tuple[tuple[bytes, Kind], ...] = (
    (b"word/document", "docx"),
    (b"xl/workbook.bin", "xlsb"),
    (b"xl/workbook", "xlsx"),
    (b"ppt/presentation", "pptx"),
    (b"application/vnd.oasis.opendocument.text", "odt"),
    (b"application/vnd.oasis.opendocument.spreadsheet", "ods"),
    (b"application/vnd.oasis.opendocument.presentation", "odp"),
    (b"application/epub+zip", "epub"),
)

_FOREIGN_ZIP_PARTS: tuple[tuple[bytes, str], ...] = (
    (b"application/vnd.oasis.opendocument.", "an OpenDocument drawing, formula or database"),
    (b"Index/Document.iwa", "an Apple iWork document"),
)
_KINDS_BY_SUFFIX: dict[Kind, tuple[str, str]] = {
    "docx": (".docx .docm .dotx .dotm", "a Word document"),
    "xlsx": (".xlsx .xlsm .xltx .xltm", "an Excel workbook"),
    "xlsb": (".xlsb", "an Excel workbook"),
    "xls": (".xls .xlt", "an Excel workbook"),
    "pptx": (".pptx .pptm .ppsx .ppsm .potx .potm", "a PowerPoint presentation"),
    "odt": (".odt .ott", "an OpenDocument text"),
    "ods": (".ods .ots", "an OpenDocument spreadsheet"),
    "odp": (".odp .otp", "an OpenDocument presentation"),
    "epub": (".epub", "an EPUB book"),
    "rtf": (".rtf", "an RTF document"),
    "msg": (".msg .oft", "a mail of Outlook"),
}
_ARCHIVE_SUFFIXES = {
    suffix: kind
    for kind, (suffixes, _) in _KINDS_BY_SUFFIX.items()
    if kind not in ("rtf", "msg", "xls")
    for suffix in suffixes.split()
}
_BINARY_SUFFIXES = {suffix: what for suffixes, what in _KINDS_BY_SUFFIX.values() for suffix in suffixes.split()} | {
    ".doc": "a Word document", ".ppt": "a PowerPoint presentation", ".zip": "a ZIP archive",
    ".png": "a PNG image", ".jpg": "a JPEG image", ".jpeg": "a JPEG image", ".tif": "a TIFF image",
    ".tiff": "a TIFF image", ".gif": "a GIF image", ".webp": "a WebP image", ".bmp": "a BMP image",
}  # fmt: skip
_HTML_START = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_BOM = b"\xef\xbb\xbf"
_MAIL_HEAD = re.compile(rb"(?:From [^\n]*\n)?(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*)*")
_MAIL_HEADER = re.compile(
    rb"^(?:From|Date|Message-ID|Received|MIME-Version|Content-Type|Content-Transfer-Encoding):",
    re.IGNORECASE | re.MULTILINE,
)
_MAIL_HEAD_BYTES, _LEAST_MAIL_HEADERS = 1 << 16, 3
_MULTIPART = re.compile(rb"^Content-Type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_SAVED_PAGE = re.compile(rb"^(?:Snapshot-Content-Location:|From: <Saved by )", re.IGNORECASE | re.MULTILINE)

_DOCUMENT_ENDINGS = (
    frozenset([".pdf", *_MAIL_SUFFIXES, *_BINARY_SUFFIXES])
    | _TEXT
    | {suffix for suffix, kind in _NAMED_KINDS.items() if kind != "code"}
)


def identify(name: str, data: bytes) -> Kind:
    """Return the kind of a non-empty file; `name` is its path or "-".

    Raises DocumentError "not-what-it-says" if the content does not match the suffix. Raises "unsupported" if the
    content is of a kind that cannot be read; the message names it.
    """
    suffix = PurePath(name).suffix.lower()
    if _is_pdf(suffix, data):
        return "pdf"
    picture = next((what for magic, what in _PICTURES if re.match(magic, data, re.DOTALL)), "")
    found, hint = foreign_format(data)
    if suffix == ".pdf":
        usual = "an HTML page" if looks_like_html(data) else "not a PDF at all" if b"\0" in data else "plain text"
        raise _misnamed_error(name, suffix, found or picture or usual)
    if kind := _binary_kind(suffix, data):
        return kind
    if picture:
        return "image"
    if suffix in _ARCHIVE_SUFFIXES and found == _ARCHIVE:
        return _ARCHIVE_SUFFIXES[suffix]  # its reader reports the fault
    if found:
        raise DocumentError(f"{display_name(name)} is {found}, which cannot be read", code="unsupported", hint=hint)
    if suffix in _BINARY_SUFFIXES:
        raise _misnamed_error(name, suffix, f"not {_BINARY_SUFFIXES[suffix]}")
    return _text_kind(suffix, data)


def _binary_kind(suffix: str, data: bytes) -> Kind | None:
    """Return the kind of an Outlook mail, an office document or a book; None for anything else."""
    if _is_outlook_mail(suffix, data):
        return "msg"
    if kind := _office_kind(data, suffix):
        return kind
    kind = _ARCHIVE_SUFFIXES.get(suffix)
    return kind if kind in OFFICE_KINDS and is_encrypted_office(data) else None


def _text_kind(suffix: str, data: bytes) -> Kind:
    """Return the kind of a file that consists of characters."""
    if suffix in _MAIL_SUFFIXES or (suffix not in _NAMED_TEXT and looks_like_mail(data)):
        return _mail_kind(suffix, data)
    if suffix in _NAMED_KINDS:
        return _NAMED_KINDS[suffix]
    return "html" if suffix not in _TEXT and looks_like_html(data) else "text"


def _misnamed_error(name: str, suffix: str, what: str) -> DocumentError:
    message = f"{display_name(name)} is named {suffix} but is {what}"
    hint = "get the file again, or rename it to match its type"
    return DocumentError(message, code="not-what-it-says", hint=hint)


def foreign_format(data: bytes) -> tuple[str, str]:
    """Return the name of an unreadable format and a hint, or two empty strings if `data` is of no such format."""
    for magic, what, hint in _MAGIC:
        if data.startswith(magic):
            return what, hint
    if data.startswith(_ZIP):
        for part, what in _FOREIGN_ZIP_PARTS:
            if part in data:
                return what, _PDF_HINT
        kind = _office_kind(data)
        return (f"{_KINDS_BY_SUFFIX[kind][1]} ({kind})", _PDF_HINT) if kind else (_ARCHIVE, "unpack it first")
    if data.startswith(_OLE):
        described = ((what, hint) for part, what, hint in _OLE_PARTS if part in data)
        return next(described, ("an old Office document (doc, xls or ppt)", _PDF_HINT))
    if data.startswith(_RTF):
        return "an RTF document", _PDF_HINT
    if data[4:12] in (b"ftypheic", b"ftypmif1", b"ftypavif"):
        return "a HEIC or AVIF image", "save it as PNG or JPEG first"
    return "", ""


def _office_kind(data: bytes, suffix: str = "") -> Kind | None:
    """Return the kind of an office document or book; None for other files and for those that cannot be read."""
    if data.startswith(_RTF):
        return "rtf"
    if data.startswith(_OLE) and _WORKBOOK.search(data):  # old Office documents may contain each other
        is_alone = not any(part in data for part, _, _ in _OLE_PARTS)
        return "xls" if is_alone or suffix in _KINDS_BY_SUFFIX["xls"][0].split() else None
    if not data.startswith(_ZIP) or any(data.find(part) >= 0 for part, _ in _FOREIGN_ZIP_PARTS[1:]):
        return None
    found = [(at, kind) for part, kind in _ZIP_KINDS if (at := data.find(part)) >= 0]
    return min(found, key=itemgetter(0))[1] if found else None


def is_encrypted_office(data: bytes) -> bool:
    """Whether a file is a container of an encrypted Word, Excel or PowerPoint document."""
    return data.startswith(_OLE) and _ENCRYPTED.encode("utf-16-le") in data


def _is_outlook_mail(suffix: str, data: bytes) -> bool:
    """Whether a file is a mail as Outlook saves or sends it (TNEF).

    A compound file with a mail may contain other files, and old Office documents may contain mails.
    """
    if data.startswith(_TNEF):
        return True
    if not data.startswith(_OLE):
        return False
    is_other = any(part in data for part, _, _ in _OLE_PARTS) or _WORKBOOK.search(data) is not None
    is_mail, is_named = _OUTLOOK_STREAM in data, suffix in _OUTLOOK_SUFFIXES
    return (is_mail or not is_other) if is_named else (is_mail and not is_other)


def looks_like_html(data: bytes) -> bool:
    """Whether the data begin like an HTML page, apart from a byte order mark, XML declaration and comments."""
    head = data[:20_000].removeprefix(_BOM).lstrip()
    while head.startswith((b"<!--", b"<?xml")):
        _, _, head = head.partition(b"-->" if head.startswith(b"<!--") else b"?>")
        head = head.lstrip()
    return _HTML_START.match(head) is not None


def looks_like_mail(data: bytes) -> bool:
    """Whether the data begin with a mail's header that states its encoding."""
    head = _mail_head(data)
    found = {name.lower() for name in _MAIL_HEADER.findall(head)}
    return len(found) >= _LEAST_MAIL_HEADERS and bool(found & {b"mime-version:", b"content-transfer-encoding:"})


def _mail_head(data: bytes) -> bytes:
    head = data[:_MAIL_HEAD_BYTES].removeprefix(_BOM).lstrip().replace(b"\r\n", b"\n")
    found = _MAIL_HEAD.match(head)
    return found[0] if found else b""


def _mail_kind(suffix: str, data: bytes) -> Kind:
    """Return mail, mailbox or saved web page, by the suffix or else by the header."""
    if suffix in _MAIL_SUFFIXES:
        return _MAIL_SUFFIXES[suffix]
    head = _mail_head(data)
    if head.startswith(b"From "):
        return "mbox"
    return "mhtml" if _SAVED_PAGE.search(head) and _MULTIPART.search(head) else "eml"


def has_known_ending(name: str) -> bool:
    """Whether a name has a suffix of documents: true for "lease.pdf", false for "rent of 5.5m"."""
    return PurePath(name).suffix.lower() in _DOCUMENT_ENDINGS


def display_name(name: str) -> str:
    """Return a file name for a message of one line, with control characters as escapes."""
    if name == "-":
        return "standard input"
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode("ascii") for c in name
    )


def _is_pdf(suffix: str, data: bytes) -> bool:
    position = data[:_HEAD].find(b"%PDF-")
    if position < 0:
        return False
    if suffix == ".pdf" or not data[:position].removeprefix(_BOM).strip():
        return True
    # Junk before the header is common, but a text may also merely speak of "%PDF-".
    return data[position - 1 : position] in (b"\n", b"\r") and data[-64:].rstrip().endswith(b"%%EOF")
