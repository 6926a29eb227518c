"""Notebooks (ipynb, nbformat 3 and 4): the sources and outputs of cells, with the cell as place."""

import json
import re
from collections.abc import Iterator
from typing import Any

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.composed import ComposedText
from ralph_cli.documents.html.reader import parse_html
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.plain.decoding import decode_text
from ralph_cli.documents.plain.reader import find_headings

_HINT = "open it in Jupyter, and save it again"
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]|[\ud800-\udfff]")
_TEXT_FORMS = ("text/markdown", "text/latex", "text/plain", "application/json")
_OLD_FORMS = {"html": "text/html", "latex": "text/latex", "text": "text/plain", "json": "application/json"}
_OLD_PICTURES = frozenset(["png", "jpeg", "svg", "pdf"])


def parse_notebook(data: bytes, *, name: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Return the sources of cells, and outputs in the form that a notebook shows, as text; call it in a child
    process.

    Markdown stays unchanged, HTML tables become tables, terminal colours are removed. A caution counts the pictures.
    Raises DocumentError damaged, no-text, too-big, undecodable, unsupported.
    """
    text, cautions = decode_text(data, name=name, encoding=encoding)
    reader = _NotebookReader(name, limits)
    for caution in cautions:
        reader.out.warn(caution.code, caution.message)
    notebook = reader.read_json(text)
    reader.read_cells(_cells_of(notebook, name))
    return reader.finish()


class _NotebookReader:
    """Writes the cells of a notebook in order."""

    def __init__(self, name: str, limits: LoadLimits) -> None:
        self.out = ComposedText(name, limits)
        self._name = name
        self._limits = limits
        self._pictures = self._unread = 0
        self._broken: list[int] = []
        self._repeated: set[str] = set()

    def read_json(self, text: str) -> Any:
        """Return the notebook's object. Raises DocumentError "damaged" or "too-big"."""
        try:
            return json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=self._to_object)
        except json.JSONDecodeError as error:
            what = f"{self._name} is no notebook: no valid JSON from line {error.lineno:,}, column {error.colno:,}"
            hint = f"it may be cut off or damaged; {_HINT}"
            raise DocumentError(what, code="damaged", hint=hint) from None
        except RecursionError:
            raise DocumentError(f"{self._name} is too deeply nested to be a notebook", code="too-big") from None

    def read_cells(self, cells: list[Any]) -> None:
        """Write all cells, numbered from 1."""
        for number, cell in enumerate(cells, 1):
            if not isinstance(cell, dict):
                self._broken.append(number)
                continue
            kind = cell.get("cell_type")
            source = self._text(cell.get("source", cell.get("input", "")), number)
            if kind == "heading":  # only in nbformat 3
                level = str(cell.get("level", 1))
                source = f"{'#' * (int(level) if level in set('123456') else 1)} {source}"
            start = self.out.write(source, f"cell {number}")
            if kind in ("markdown", "heading"):
                self.out.add_headings(find_headings([source.strip("\n")]), start)
                attached = cell.get("attachments")
                self._pictures += len(attached) if isinstance(attached, dict) else 0
            outputs = cell.get("outputs", []) if kind == "code" else []
            for output in outputs if isinstance(outputs, list) else [None]:
                self._read_output(output, number)

    def finish(self) -> ParsedDocument:
        """Return the notebook that was read."""
        if self._pictures:
            self.out.warn("pictures-unread", f"pictures that were not read: {self._pictures:,}")
        if self._unread:
            what = "outputs that only a program can show, such as widgets and plots"
            self.out.warn("embedded-unread", f"{what}, which were not read: {self._unread:,}")
        if self._broken:
            named = ", ".join(map(str, dict.fromkeys(self._broken[:20])))
            self.out.warn("incomplete", f"cells with something else than a notebook's text in them: {named}")
        if self._repeated:
            named = ", ".join(sorted(self._repeated)[:5])
            what = f"names that stand twice in one object, of which the last counts: {named}"
            self.out.warn("repeated-names", what)
        return self.out.finish()

    def _read_output(self, output: Any, number: int) -> None:
        place = f"cell {number}, output"
        if not isinstance(output, dict):
            self._broken.append(number)
            return
        match output.get("output_type"):
            case "stream":
                self.out.write(show_terminal(self._text(output.get("text", ""), number)), place)
            case "error" | "pyerr":
                told, usual = output.get("traceback"), f"{output.get('ename')}: {output.get('evalue')}"
                lines = told if isinstance(told, list) and told else [usual]
                self.out.write(show_terminal("\n".join(self._text(line, number) for line in lines)), place)
            case "display_data" | "execute_result" | "pyout" | "update_display_data":
                self._read_display(_forms(output), place, number)
            case _:
                self._broken.append(number)

    def _read_display(self, forms: dict[str, Any], place: str, number: int) -> None:
        """Write an output in the form that a notebook shows, if it has several forms."""
        is_plot = any("plotly" in form or "vega" in form for form in forms)
        if is_plot or "application/vnd.jupyter.widget-view+json" in forms:
            self._unread += 1
            return
        if "text/html" in forms and self._write_page(self._text(forms["text/html"], number), place):
            return
        if any(form.startswith("image/") or form == "application/pdf" for form in forms):
            self._pictures += 1
            return
        for form in _TEXT_FORMS:
            if form in forms:
                value = forms[form]
                written = json.dumps(value, ensure_ascii=False) if form == "application/json" else ""
                self.out.write(written or show_terminal(self._text(value, number)), place)
                return
        self._unread += 1

    def _write_page(self, source: str, place: str) -> bool:
        """Write an HTML output; return False if it shows no text, as for a picture or a program."""
        try:
            data = source.encode("utf-8")
            page = parse_html(data, name=self._name, encoding="utf-8", limits=self._limits, titled=False)
        except DocumentError as error:
            if error.code != "no-text":
                raise
            return False
        self.out.write_page(page, place)
        return True

    def _text(self, value: Any, number: int) -> str:
        """Return a text, which may be given as a list of lines, without terminal colours."""
        if isinstance(value, list) and all(isinstance(line, str) for line in value):
            value = "".join(value)
        if not isinstance(value, str):
            self._broken.append(number)
            return ""
        return _CONTROLS.sub("\ufffd", _ANSI.sub("", value.replace("\r\n", "\n")).replace("\b", ""))

    def _to_object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            self._repeated |= {name[:40] for name in found if names.count(name) > 1}
        return found


def show_terminal(text: str) -> str:
    """Return what a terminal shows in the end: overwritten lines in their last state."""
    return "\n".join(_last_written(line) for line in text.split("\n")) if "\r" in text else text


def _last_written(line: str) -> str:
    shown = ""
    for written in line.split("\r"):
        shown = written + shown[len(written) :]
    return shown


def _cells_of(notebook: Any, name: str) -> list[Any]:
    """Return the cells of a notebook; in nbformat 3 they are inside worksheets."""
    found: Iterator[Any] = iter(())
    if isinstance(notebook, dict):
        sheets = notebook.get("worksheets")
        old = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)] if isinstance(sheets, list) else []
        found = (cells for cells in (notebook.get("cells"), *old) if isinstance(cells, list))
    cells = [cell for each in found for cell in each]
    if not cells:
        what = f"{name} is named as a notebook, but has no cells"
        raise DocumentError(what, code="damaged", hint=f"if it is one, {_HINT}; if not, name it .json")
    return cells


def _forms(output: dict[str, Any]) -> dict[str, Any]:
    """Return an output's forms by their media types; nbformat 3 has short names for them."""
    data = output.get("data")
    if isinstance(data, dict):
        return data
    pictures = {f"image/{name}": "" for name in _OLD_PICTURES & output.keys()}
    return pictures | {kind: output[name] for name, kind in _OLD_FORMS.items() if name in output}
