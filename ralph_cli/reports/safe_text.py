"""Makes foreign text safe to show: no character is invisible, controls a terminal, or starts a formula."""

import csv
import io
import json
import re
import shlex
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

# Blank letters that are neither spaces nor format characters: Hangul fillers and the empty braille cell.
_BLANK = frozenset((0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800))
_HIDDEN = frozenset(("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp"))


def make_visible(text: str, keep: str = "\n\t") -> str:
    """The text with every character that a reader cannot see, or a terminal obeys, written as \\u{hex}."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep or _is_harmless(char) else f"\\u{{{ord(char):x}}}" for char in text)


def _is_harmless(char: str) -> bool:
    code = ord(char)
    selector = 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
    return not selector and code not in _BLANK and unicodedata.category(char) not in _HIDDEN


def one_line(text: str, width: int = 0) -> str:
    """The text on one line, made visible, with white space collapsed, cut at `width` characters (0: not cut)."""
    flat = make_visible(" ".join(text.split()))
    return flat if not width or len(flat) <= width else flat[: max(width - 3, 1)] + "..."


def join_lines(text: str) -> str:
    """The text on one line, made visible, with a slash for each end of a line or page."""
    return make_visible(text.replace("\n", " / ").replace("\f", " / "))


def to_json(value: dict[str, Any]) -> str:
    """A JSON object as text; characters that a terminal obeys are escaped, as JSON allows."""
    return json.dumps(value, ensure_ascii=True, indent=2)


def pick(item: object, *names: str) -> dict[str, Any]:
    """The attributes with these names as fields of JSON; tuples become lists."""
    values = {name: getattr(item, name) for name in names}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def trace_line(folder: str, run: str) -> str:
    """The place of the run's record, and the command that shows it."""
    return make_visible(f"Trace: {folder}  ({trace_command(Path(folder).parent, run)})")


def trace_command(out: Path, run: str) -> str:
    """The command that shows a run, with the folder of the runs unless that is the default."""
    return f"ralph trace show {run}{_out_option(out)}"


def resume_command(mode: str, out: Path, run: str, bound: str = "") -> str:
    """The command that continues a run of this mode, or starts it again if it cannot be continued.

    `bound` is the flag of the bound that ended the run.
    """
    if mode in ("qa", "task"):
        return f"ralph trace resume {run}{_out_option(out)}" + (f" {bound} HIGHER" if bound else "")
    return "ralph goal ... --continue" if mode == "goal" else f"ralph {mode} ..."


def _out_option(out: Path) -> str:
    return "" if out == Path("out") else f" --out {shlex.quote(str(out))}"


# A piece of a line and its style name ("" for none).
Styled = tuple[str, str]


def plain_text(lines: Iterable[list[Styled]]) -> str:
    """The lines as text without any style."""
    return "".join("".join(text for text, _ in line) + "\n" for line in lines)


_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\n", "\r", "＝", "＋", "－", "＠")

# A number with a sign: "-5", "+3.1 %", "-$1,234.50", "-1e-3". A spreadsheet reads it as a number, or as text.
_NUMBER = re.compile(r"[+-]?[ ]?[$€£¥]?[ ]?(?:\d[\d,. ]*|\.\d+)(?:[eE][+-]?\d+)?[ ]?%?")


def escape_cell(cell: str) -> str:
    """The cell, with an apostrophe before it if a spreadsheet would read it as a formula; numbers are unchanged.

    OWASP, "CSV Injection": a cell is dangerous if it begins with = + - @, a tab or a line break.
    """
    begins = cell.lstrip(" ")
    return f"'{cell}" if begins.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(begins.rstrip()) else cell


def without_formulas(table: str) -> str:
    """A CSV text without formulas; unchanged if it has none, or is not CSV."""
    try:
        rows = list(csv.reader(io.StringIO(table, newline=""), strict=True))
    except csv.Error:
        return table
    safe = [[escape_cell(cell) for cell in row] for row in rows]
    if safe == rows:
        return table
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(safe)
    return out.getvalue()
