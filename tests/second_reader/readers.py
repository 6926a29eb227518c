"""Readers that others wrote: what LibreOffice, Chromium, pdftotext, striprtf and the standard library see in files."""

import html
import json
import mailbox
import os
import re
import signal
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from striprtf.striprtf import rtf_to_text

FLAT = {
    **dict.fromkeys(("docx", "odt"), "fodt"),
    **dict.fromkeys(("xlsx", "xls", "xlsb", "ods"), "fods"),
    **dict.fromkeys(("pptx", "odp"), "fodp"),
}
"""What LibreOffice writes all words of a file into, by its kind."""

PROGRAMS = {"soffice": (*FLAT, "rtf"), "chromium": ("html", "epub", "eml", "mbox", "mhtml"), "pdftotext": ("pdf",)}
"""The programs, and the kinds of files that each of them reads."""

KINDS = {kind: kind for kinds in PROGRAMS.values() for kind in kinds} | {"docm": "docx", "xlsm": "xlsx", "htm": "html"}
"""What reads a file, by the ending of its name."""

_APART = frozenset(["p", "h", "s", "tab", "line-break", "note", "annotation", "frame", "table-cell", "title", "desc"])
_UNSAID = frozenset(
    ["binary-data", "meta", "settings", "styles", "automatic-styles", "scripts", "page-number", "page-count"]
)
"""What is no text in a flat OpenDocument file, or is put in when it is shown."""

_ERROR = re.compile(r"\bErr:\d+")
"""What LibreOffice says of a cell without a result."""

_REFUSED = (ValueError, LookupError, OSError, zipfile.BadZipFile, ElementTree.ParseError, subprocess.SubprocessError)
_HEADERS = ("From", "Sender", "Reply-To", "To", "Cc", "Subject", "Date")
_LOOK = """<script>onload = () => {
  const told = [...document.querySelectorAll("iframe")].map(frame => {
    try {
      const page = frame.contentDocument, nodes = page.createTreeWalker(page.body ?? page, NodeFilter.SHOW_TEXT);
      const held = [];
      while (nodes.nextNode())
        if (!/^(script|style)$/i.test(nodes.currentNode.parentNode.nodeName)) held.push(nodes.currentNode.data);
      return [page.title, page.body?.innerText ?? held.join(" "), held.join(" ")];
    } catch { return ["", "", ""]; }
  });
  document.body.appendChild(document.createElement("pre")).textContent = JSON.stringify(told);
}</script>"""


@dataclass
class Seen:
    """What a reader shows of a file, and all words that it finds in the file, which are often the same."""

    shown: str = ""
    held: str = ""

    def add(self, shown: str, held: str | None = None) -> None:
        """Add some words; what is shown is held, too, unless that is given apart."""
        self.shown += f"\n{shown}"
        self.held += f"\n{shown if held is None else held}"


def read_files(paths: Sequence[Path], folder: Path) -> dict[Path, Seen]:
    """What others see in files; one that its reader refuses is left out. `folder` is for what is made."""
    kinds = {path: KINDS[path.suffix[1:].lower()] for path in paths}
    found: dict[Path, Seen] = {}
    paged = [path for path, kind in kinds.items() if kind in PROGRAMS["soffice"] and FLAT.get(kind) != "fods"]
    printed = {path: read_pdf(made) for path, made in convert(paged, "pdf", folder / "pdf").items()}
    for ending in sorted({*FLAT.values()}):
        written = convert([path for path in paths if FLAT.get(kinds[path]) == ending], ending, folder / ending)
        for path, made in written.items():
            found[path] = read_flat(made)
            found[path].shown = printed.get(path, found[path].shown)
    pages: list[tuple[Path, Path]] = []
    for number, (path, kind) in enumerate(kinds.items()):
        own = folder / "pages" / str(number)
        try:
            if kind in PROGRAMS["chromium"]:
                found[path] = Seen()
                pages += ((path, page) for page in write_pages(path, kind, own, found[path]))
            elif kind == "pdf":
                found[path] = Seen(words := read_pdf(path), words)
            elif kind == "rtf":
                words = rtf_to_text(path.read_text("latin-1"), errors="replace")
                found[path] = Seen(printed.get(path, words), words)
        except _REFUSED:
            found.pop(path, None)
    for (path, _), (title, *seen) in zip(pages, browse([page for _, page in pages], folder), strict=True):
        found[path].add(title if kinds[path] == "html" else "")
        found[path].add(*seen)
    return found


def run(command: Sequence[str | Path], seconds: float) -> str:
    """What a program prints. Raises SubprocessError if it fails or takes too long, and ends all that it started."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as started:
        try:
            told = started.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            raise
    if started.returncode:
        raise subprocess.CalledProcessError(started.returncode, command)
    return told.decode("utf-8", "replace")


def convert(paths: Sequence[Path], ending: str, folder: Path) -> dict[Path, Path]:
    """What LibreOffice writes of files, in one go; where it fails in halves, until the file is alone that ends it."""
    if not paths:
        return {}
    folder.mkdir(parents=True)
    given = {path: folder / f"{number}{path.suffix.lower()}" for number, path in enumerate(paths)}
    for path, link in given.items():
        link.symlink_to(path.resolve())
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", ending, "--outdir", folder / "made"]
    try:
        run([*command, *given.values()], 60 + 3 * len(paths))
    except subprocess.SubprocessError:
        if half := len(paths) // 2:
            return convert(paths[:half], ending, folder / "a") | convert(paths[half:], ending, folder / "b")
    written = {path: folder / "made" / f"{link.stem}.{ending}" for path, link in given.items()}
    return {path: made for path, made in written.items() if made.is_file()}


def read_flat(path: Path) -> Seen:
    """A flat OpenDocument file: what its body shows, and all that it holds but for the masters of slides."""
    root = ElementTree.parse(path).getroot()
    body = root.find("{*}body")
    shown = "".join(_flat_words(body, frozenset(["annotation", "chart"])))
    held = "".join(_flat_words(body if path.suffix == ".fodp" else root, frozenset()))
    return Seen(_ERROR.sub("", shown), _ERROR.sub("", held))


def _flat_words(element: ElementTree.Element, unsaid: frozenset[str], told: bool = False) -> Iterator[str]:
    """The words in an element; a cell that stands for several equal ones is as many."""
    name = element.tag.rpartition("}")[2]
    if name in unsaid or name in _UNSAID or "purl.org/dc" in element.tag:
        return
    told = told or name in ("p", "h", "title", "desc")
    inner = [element.text or ""] if told else []
    for child in element:
        inner += _flat_words(child, unsaid, told)
        inner += [child.tail or ""] if told else []
    apart = " " * (name in _APART)
    times = next((int(value) for key, value in element.items() if key.endswith("-repeated")), 1)
    yield from [apart, *inner, apart] * (min(times, 1_000) if any(map(str.strip, inner)) else 1)


def read_pdf(path: Path) -> str:
    """A PDF as pdftotext reads it."""
    return run(["pdftotext", "-enc", "UTF-8", path, "-"], 60)


def write_pages(path: Path, kind: str, folder: Path, seen: Seen) -> Iterator[Path]:
    """The pages of a web page, book or mail, for a browser; what is no page of a mail is added to what is seen."""
    if kind == "html":
        yield path
    elif kind == "epub":
        with zipfile.ZipFile(path) as book:
            book.extractall(folder)
        container = ElementTree.parse(folder / "META-INF" / "container.xml")
        package = folder / next(it.attrib["full-path"] for it in container.iter() if it.tag.endswith("}rootfile"))
        root = ElementTree.parse(package)
        named = {it.attrib["id"]: it.attrib["href"] for it in root.iter() if it.tag.endswith("}item")}
        yield from (
            package.parent / unquote(named[it.attrib["idref"]]) for it in root.iter() if it.tag.endswith("}itemref")
        )
    else:
        folder.mkdir(parents=True)
        parse = BytesParser(EmailMessage, policy=policy.default).parse
        with path.open("rb") as stream, closing(mailbox.mbox(path, parse, create=False)) as box:
            messages = [*box] if kind == "mbox" else [parse(stream)]
        for number, part in enumerate(part for message in messages for part in message.walk()):
            headers = [f"{name} {part[name]}" for name in _HEADERS if part[name]]
            seen.add("\n".join(headers) if kind != "mhtml" else part["Subject"] or "")
            if part.get_content_type() == "text/html" and not part.is_attachment():
                page = folder / f"{number}.html"
                page.write_text(part.get_content(), "utf-8-sig")
                yield page
            elif part.get_content_maintype() == "text" and not part.is_attachment():
                seen.add(part.get_content() if kind != "mhtml" else "")
            elif part.get_content_type() == "message/delivery-status":
                told = (item for inner in part.get_payload() for item in inner.items())
                seen.add("\n".join(f"{name} {value}" for name, value in told))


def browse(paths: Sequence[Path], folder: Path) -> list[list[str]]:
    """The titles of pages, what Chromium shows of them, and the words that are in them; scripts do not run."""
    frame = '<iframe sandbox="allow-same-origin" src="{}"></iframe>'
    frames = (frame.format(html.escape(path.resolve().as_uri())) for path in paths)
    page = folder / "all.html"
    page.write_text(f"<!doctype html><body>{''.join(frames)}{_LOOK}")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--allow-file-access-from-files"]
    options += [f"--user-data-dir={folder / 'browser'}", "--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom"]
    told = re.search("<pre>(.*)</pre>", run(["chromium", *options, page.as_uri()], 120) if paths else "", re.DOTALL)
    return [*json.loads(html.unescape(told[1]))] if told else []
