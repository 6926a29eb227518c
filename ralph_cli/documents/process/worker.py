"""The parser process: reads one request and one file from standard input, answers in frames, and exits."""

import json
import os
import resource
import sys
from importlib import import_module
from typing import IO, Any, NamedTuple

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.process.child import EXIT_MEMORY, FAILURE, RESULT, encode_frame, encode_progress
from ralph_cli.documents.process.side_by_side import count_cores, usable_processes
from ralph_cli.documents.sniff import OFFICE_KINDS
from ralph_cli.documents.structure.complete import complete


def main() -> None:
    """Serve one request; `child.run_parser` is the other side."""
    # Libraries may write to descriptor 1; only frames may reach the parent.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        request = json.loads(sys.stdin.buffer.readline())
        limits = LoadLimits(**request["limits"])
        limit_resources(limits)
        data = sys.stdin.buffer.read()
        set_cpu_limit(limits.seconds_for(len(data)))
        answers.write(encode_frame(RESULT, run_request(request, data, limits, answers)))
        answers.flush()
    except DocumentError as error:
        _fail(answers, error)
    except MemoryError:
        os._exit(EXIT_MEMORY)
    except BrokenPipeError:
        os._exit(1)  # the parent has exited
    except Exception as error:  # noqa: BLE001 - the boundary of the process; the parent must hear of it in words
        _fail(answers, DocumentError(f"the parser failed: {type(error).__name__}: {error}"[:500], code="crashed"))
    # No clean-up: closing a damaged PDF could crash, and the result is already sent.
    os._exit(0)


class _Operation(NamedTuple):
    """The function for a request, with the module in `documents` that has it.

    `options` are the fields of the request that it takes in addition to the name; `is_limited` says whether it takes
    limits.
    """

    module: str
    function: str
    options: tuple[str, ...] = ()
    is_limited: bool = True

    def __call__(self, data: bytes, request: dict[str, Any], limits: LoadLimits, **more: Any) -> ParsedDocument | bytes:
        """Return the document that was read, or an answer about one."""
        found = getattr(import_module(f"ralph_cli.documents.{self.module}"), self.function)
        given = {key: request[key] for key in ("name", *self.options)}
        result: ParsedDocument | bytes = found(data, **given, **({"limits": limits} if self.is_limited else {}), **more)
        return result


_OPERATIONS = {
    "html": _Operation("html.reader", "parse_html", ("encoding",)),
    "docx": _Operation("docx.reader", "parse_docx"),
    **dict.fromkeys(("eml", "mbox", "msg"), _Operation("mail.reader", "parse_mail", ("encoding", "kind"))),
    "mhtml": _Operation("mail.reader", "parse_web_page", ("encoding",)),
    "csv": _Operation("data.csv_reader", "parse_csv", ("encoding",)),
    "json": _Operation("data.json_reader", "parse_json", ("encoding",)),
    "ipynb": _Operation("data.notebook", "parse_notebook", ("encoding",)),
    "xlsx": _Operation("sheets.xlsx", "parse_xlsx"),
    **dict.fromkeys(("xlsb", "xls"), _Operation("sheets.binary", "parse_binary_workbook", ("kind",))),
    "pptx": _Operation("slides.pptx", "parse_pptx"),
    "odt": _Operation("open_document.text", "parse_odt"),
    "ods": _Operation("open_document.spreadsheet", "parse_ods"),
    "odp": _Operation("open_document.presentation", "parse_odp"),
    "epub": _Operation("books.epub", "parse_epub"),
    "rtf": _Operation("rich_text.rtf", "parse_rtf"),
    "attachments": _Operation("mail.reader", "pack_attachments", ("kind",)),
    "unpack": _Operation("sets.containers", "unpack_zip", ("only",)),
}
_PAGES = ("password", "layout", "pages")
_ON_PAGES = {
    "pdf": _Operation("pdf.reader", "parse_pdf", ("password", "layout")),
    "ocr": _Operation("ocr.reader", "read_scans", (*_PAGES, "engine")),
    "seen": _Operation("pdf.reader", "check_visibility", _PAGES, is_limited=False),
    "cut": _Operation("pdf.highlight", "crop_quotes", (*_PAGES, "width", "most", "whole"), is_limited=False),
    "draw": _Operation("pdf.highlight", "draw_pages", (*_PAGES, "width", "most"), is_limited=False),
    "annotate": _Operation("pdf.highlight", "annotate", (*_PAGES, "author"), is_limited=False),
}

# The modules of all operations, in `documents`.
READERS = frozenset(operation.module for operation in (*_OPERATIONS.values(), *_ON_PAGES.values()))


def run_request(request: dict[str, Any], data: bytes, limits: LoadLimits, output: IO[bytes]) -> bytes:
    """Parse the file, or answer about its pages; return the result as JSON, or in the form of the operation."""
    kind = request["op"]
    request = {"kind": kind, **request}
    if kind in OFFICE_KINDS:
        from ralph_cli.documents.office.package import decrypt_package

        data = decrypt_package(data, request["name"], request["password"])
    found: ParsedDocument | bytes
    if kind in _OPERATIONS:
        found = _OPERATIONS[kind](data, request, limits)
    else:
        found = _read_pages(request, data, limits, output)
    if isinstance(found, bytes):
        return found
    return (found if kind == "ocr" else complete(found, kind)).to_json()


def _read_pages(request: dict[str, Any], data: bytes, limits: LoadLimits, output: IO[bytes]) -> ParsedDocument | bytes:
    """Process a request about pages of a PDF, or of pictures converted to one; long operations report progress."""

    def report(done: int, total: int) -> None:
        set_cpu_limit(limits.seconds + limits.seconds_per_page * total)
        output.write(encode_progress(done, total))
        output.flush()

    if request.get("kind") == "image":
        from ralph_cli.documents.ocr import pictures

        data, cautions = pictures.as_pdf(data, request["name"])
        if request["op"] == "image":
            return pictures.parse_pictures(data, request["name"], cautions, limits)
    operation = _ON_PAGES.get(request["op"], _ON_PAGES["pdf"])
    if not operation.is_limited:
        return operation(data, request, limits)
    processes = count_cores() if request["op"] == "ocr" else usable_processes()
    return operation(data, request, limits, on_progress=report, processes=processes)


def limit_resources(limits: LoadLimits) -> None:
    """Limit memory and processor time, and forbid core dumps."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    set_cpu_limit(limits.seconds)


def set_cpu_limit(seconds: float) -> None:
    """Set the processor time after which the kernel ends this process, in case the parent cannot."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    wanted = int(seconds) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _fail(output: IO[bytes], error: DocumentError) -> None:
    output.write(encode_frame(FAILURE, json.dumps([error.code, error.message, error.hint]).encode("ascii")))
    output.flush()
    os._exit(0)
