"""The control words of RTF that say where a text belongs, or stand for a character."""

from ralph_cli.core.structure import Origin

_TABLES = "fonttbl colortbl stylesheet filetbl revtbl listtable listoverridetable rsidtbl xmlnstbl info generator"
_SETTINGS = "themedata colorschememapping latentstyles datastore userprops docvar mmathPr wgrffmtfilter pgdsctbl pn"
_OBJECTS = "pict nonshppict object objdata do sp shprslt datafield fldinst formfield background private template"
_MARKS = (
    "nonesttables bkmkstart bkmkend xe tc tcn atnid atnauthor atntime atndate atnref atnparent atrfstart atrfend atnicn"
)
_SEPARATORS = "ftnsep ftnsepc aftnsep aftnsepc ftncn aftncn"
SKIPPED = frozenset(f"{_TABLES} {_SETTINGS} {_OBJECTS} {_MARKS} {_SEPARATORS}".split())
"""What begins a group whose text is not of the document."""

READ_THOUGH_OPTIONAL = frozenset({"shpinst", "shptxt", "annotation", "footnote", "ud", "objresult"})
"""What begins a group that old programs may pass over, but whose text is of the document."""

HEADS: dict[str, Origin] = {
    **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "page header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "page footer"),
}

SIGNS = {
    "tab": "\t", "line": "\n", "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018",
    "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d", "emspace": "\u2003", "enspace": "\u2002",
    "qmspace": "\u2005", "zwj": "\u200d", "zwnj": "\u200c", "ltrmark": "\u200e", "rtlmark": "\u200f", "page": "\n",
    "column": "\n", "softline": "\n",
}  # fmt: skip
SYMBOLS = {"~": "\u00a0", "_": "\u2011", "-": "\u00ad", "\\": "\\", "{": "{", "}": "}"}
CODE_PAGE_WORDS = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}


def is_skipped(word: str, is_optional: bool) -> bool:
    """Whether the text of a group that begins with a word is not of the document; `is_optional` if \\* is before it."""
    return word in SKIPPED or (is_optional and word not in READ_THOUGH_OPTIONAL and word not in HEADS)
