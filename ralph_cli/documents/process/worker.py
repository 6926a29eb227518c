"""The parser process: reads one request and one file from standard input, answers in frames, and ends."""

import json
import os
import resource
import sys
from collections.abc import Callable
from typing import IO, Any

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.process.frames import EXIT_MEMORY, FAILURE, RESULT, encode_frame, encode_progress
from ralph_cli.documents.sniff import OFFICE_KINDS


def main() -> None:
    """Serve one request; see `child.run_parser` for the other side."""
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
        os._exit(1)  # the parent has gone
    except Exception as error:  # noqa: BLE001 - the boundary of the process; the parent must hear of it in words
        _fail(answers, DocumentError(f"the parser failed: {type(error).__name__}: {error}"[:500], code="crashed"))
    # No clean-up: closing a damaged PDF is one more chance to crash, and the result is already sent.
    os._exit(0)


def run_request(request: dict[str, Any], data: bytes, limits: LoadLimits, output: IO[bytes]) -> bytes:
    """Parse the file, or answer about its pages, as the request asks; the result as JSON, or as the operation says."""
    name = request["name"]
    if request["op"] in OFFICE_KINDS:
        from ralph_cli.documents.office.encryption import decrypt_package

        data = decrypt_package(data, name, request["password"])
    match request["op"]:
        case "html":
            from ralph_cli.documents.html.reader import parse_html

            return parse_html(data, name=name, encoding=request["encoding"], limits=limits).to_json()
        case "docx":
            from ralph_cli.documents.docx.reader import parse_docx

            return parse_docx(data, name=name, limits=limits).to_json()
        case "eml" | "mbox" | "msg" as kind:
            from ralph_cli.documents.mail.reader import parse_mail

            return parse_mail(data, name=name, kind=kind, encoding=request["encoding"], limits=limits).to_json()
        case "attachments":
            from ralph_cli.documents.mail.reader import pack_attachments

            return pack_attachments(data, name=name, kind=request["kind"], limits=limits)
        case "csv":
            from ralph_cli.documents.data.csv_reader import parse_csv

            return parse_csv(data, name=name, encoding=request["encoding"], limits=limits).to_json()
        case "json":
            from ralph_cli.documents.data.json_reader import parse_json

            return parse_json(data, name=name, encoding=request["encoding"], limits=limits).to_json()
        case "ipynb":
            from ralph_cli.documents.data.notebook import parse_notebook

            return parse_notebook(data, name=name, encoding=request["encoding"], limits=limits).to_json()
        case "mhtml":
            from ralph_cli.documents.mail.web_page import parse_web_page

            return parse_web_page(data, name=name, encoding=request["encoding"], limits=limits).to_json()
        case "unpack":
            from ralph_cli.documents.sets.unpacking import unpack_zip

            return unpack_zip(data, name=name, only=request["only"], limits=limits)
        case "xlsx":
            from ralph_cli.documents.sheets.xlsx import parse_xlsx

            return parse_xlsx(data, name=name, limits=limits).to_json()
        case "pptx":
            from ralph_cli.documents.slides.pptx import parse_pptx

            return parse_pptx(data, name=name, limits=limits).to_json()
        case "odt":
            from ralph_cli.documents.open_document.text import parse_odt

            return parse_odt(data, name=name, limits=limits).to_json()
        case "ods":
            from ralph_cli.documents.open_document.spreadsheet import parse_ods

            return parse_ods(data, name=name, limits=limits).to_json()
        case "odp":
            from ralph_cli.documents.open_document.presentation import parse_odp

            return parse_odp(data, name=name, limits=limits).to_json()
        case "epub":
            from ralph_cli.documents.books.epub import parse_epub

            return parse_epub(data, name=name, limits=limits).to_json()
        case "rtf":
            from ralph_cli.documents.rich_text.rtf import parse_rtf

            return parse_rtf(data, name=name, limits=limits).to_json()

    if request.get("kind") == "image":
        from ralph_cli.documents.ocr import pictures

        data, cautions = pictures.as_pdf(data, name)
        if request["op"] == "image":
            return pictures.parse_pictures(data, name, cautions, limits).to_json()

    from ralph_cli.documents.pdf import highlight, reader
    from ralph_cli.documents.process.side_by_side import usable_processes

    about_pages: dict[str, Callable[..., bytes]] = {
        "seen": reader.check_visibility,
        "cut": highlight.crop_quotes,
        "draw": highlight.draw_pages,
        "annotate": highlight.annotate,
    }
    if request["op"] in about_pages:
        given = {key: value for key, value in request.items() if key not in ("op", "limits", "kind")}
        return about_pages[request["op"]](data, **given)

    def report(done: int, total: int) -> None:
        set_cpu_limit(limits.seconds + limits.seconds_per_page * total)
        output.write(encode_progress(done, total))
        output.flush()

    if request["op"] == "ocr":
        from ralph_cli.documents.ocr.reader import read_scans

        chosen = {key: request[key] for key in ("password", "layout", "pages", "engine")}
        cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
        return read_scans(data, name=name, limits=limits, on_progress=report, processes=cores, **chosen).to_json()
    return reader.parse_pdf(
        data,
        name=name,
        password=request["password"],
        layout=request["layout"],
        limits=limits,
        on_progress=report,
        processes=usable_processes(),
    ).to_json()


def limit_resources(limits: LoadLimits) -> None:
    """Bound memory and processor time and forbid core dumps."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    set_cpu_limit(limits.seconds)


def set_cpu_limit(seconds: float) -> None:
    """Processor time after which the kernel ends this process, should the parent no longer be there to do it."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    wanted = int(seconds) + 5
    resource.setrlimit(resource.RLIMIT_CPU, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _fail(output: IO[bytes], error: DocumentError) -> None:
    output.write(encode_frame(FAILURE, json.dumps([error.code, error.message, error.hint]).encode("ascii")))
    output.flush()
    os._exit(0)
