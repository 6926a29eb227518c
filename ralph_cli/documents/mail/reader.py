"""Mails (eml, msg) and mailboxes (mbox): the headers and text that a mail program shows, with places.

A web page saved in one file (mhtml, RFC 2557) also has the form of a mail: its page is read with the style sheets and
frames in the file.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urljoin

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.composed import ComposedText
from ralph_cli.documents.html.reader import parse_html
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.mail.bodies import PAGE_TYPES
from ralph_cli.documents.mail.message import DEEPEST, Part, parse_message, too_deep_error
from ralph_cli.documents.mail.outlook.message import Warn, read_outlook_mail
from ralph_cli.documents.mail.walk import MailWalk, find_root
from ralph_cli.documents.parsed import ParsedDocument, bound_cautions
from ralph_cli.documents.sets.containers import Entry, encode_entries
from ralph_cli.documents.sets.finding import take_name

# The most attachments of a mail or mailbox.
MOST_ATTACHMENTS = 1_000

_MESSAGE_BEGINS = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\r\n\r\n))From [^\n]*\d\d:\d\d[^\n]*\r?\n(?=[!-9;-~]+:)")
_HEADER_END = re.compile(rb"(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)")
_QUOTED_FROM = re.compile(rb"(?m)^>(>*From )")


def parse_mail(data: bytes, *, name: str, kind: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Return the text of a mail, or of all mails in a mailbox, with inner mails; call it in a child process.

    Headers are decoded (RFC 2047). Of alternatives, the one that programs show is read; a caution reports differences
    in the others. Attachments are named; `pack_attachments` returns them. Raises DocumentError too-big, no-text, and
    damaged for Outlook files.
    """
    out = ComposedText(name, limits)
    walk = _walk(out, data, name, kind, encoding, limits)
    walk.finish()
    return out.finish()


def pack_attachments(data: bytes, *, name: str, kind: str, limits: LoadLimits) -> bytes:
    """Return the attachments of a mail and its inner mails, with unique names, in the form of `encode_entries`.

    Raises DocumentError "too-big" if they are too many or too large.
    """
    attachments = _walk(ComposedText(name, limits), data, name, kind, None, limits).attachments
    if len(attachments) > MOST_ATTACHMENTS or sum(len(each.content) for each in attachments) > limits.bytes:
        what = f"{name} has more than {MOST_ATTACHMENTS:,} attachments or {limits.bytes >> 20} MiB of them"
        raise DocumentError(what, code="too-big", hint="save the attachments that matter on their own")
    used: set[str] = set()
    return encode_entries([Entry(take_name(each.name, used, str.casefold), each.content) for each in attachments])


def _walk(out: ComposedText, data: bytes, name: str, kind: str, encoding: str | None, limits: LoadLimits) -> MailWalk:
    walk = MailWalk(
        out, name, encoding if kind != "msg" else None, limits
    )  # Outlook files name the encoding of their texts
    if kind != "msg" and not _HEADER_END.search(data):
        out.warn("incomplete", "the mail ends in its header: the file may be cut off or damaged")
    try:
        for message, place in _messages(data, name, kind, out.warn):
            walk.write_message(message, place)
    except RecursionError:
        raise DocumentError(f"{name} is too deeply nested to be read", code="too-big") from None
    return walk


def _messages(data: bytes, name: str, kind: str, warn: Warn) -> Iterator[tuple[Part, str]]:
    """Yield the messages of a file with their names: "message 2" in a mailbox (RFC 4155)."""
    if kind != "mbox":
        yield read_outlook_mail(data, name, warn) if kind == "msg" else parse_message(data, name), ""
        return
    begins = sorted({0, *(match.start() for match in _MESSAGE_BEGINS.finditer(data))})
    for number, (start, end) in enumerate(zip(begins, [*begins[1:], len(data)], strict=True), 1):
        yield parse_message(_QUOTED_FROM.sub(rb"\1", data[start:end]), name), f"message {number}"


def parse_web_page(data: bytes, *, name: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """Return the text of a saved web page as a browser shows it; call it in a child process.

    A file without a page is read as a mail. Raises DocumentError too-big, no-text, undecodable, unsupported.
    """
    message = parse_message(data, name)
    parts = list(_leaves(message, name))
    page = _find_page(message, parts)
    if page is None:
        return parse_mail(data, name=name, kind="eml", encoding=encoding, limits=limits)
    damage = [what for part in (message, *parts) for what in part.damage()]
    linked: dict[str, str] = {}
    unread = 0
    for part in parts:
        if part is page or part.get_content_maintype() != "text":
            unread += part is not page and part.get_content_maintype() == "image"
            continue
        try:
            text, _ = part.text(name, None)
        except DocumentError as error:
            damage.append(error.message)
            continue
        linked |= dict.fromkeys(_addresses(part, page), text)
    parsed = parse_html(page.content, name=name, encoding=encoding, limits=limits, declared=page.charset, linked=linked)
    cautions = [Caution("incomplete", f"{what}: the file may be cut off or damaged") for what in dict.fromkeys(damage)]
    if unread:
        cautions.append(Caution("pictures-unread", f"pictures that were not read: {unread:,}"))
    return replace(parsed, cautions=bound_cautions((*parsed.cautions, *cautions)))


def _leaves(part: Part, name: str, depth: int = 0) -> Iterator[Part]:
    if depth > DEEPEST:
        raise too_deep_error(name)
    if not part.subparts:
        yield part
    for each in part.subparts:
        yield from _leaves(each, name, depth + 1)


def _find_page(message: Part, parts: list[Part]) -> "Part | None":
    """Return the page that is shown first: the root of the parts, or else the first page among them."""
    root = find_root(message)
    candidates = ([root] if root is not None and not root.subparts else []) + parts
    return next((part for part in candidates if part.get_content_type() in PAGE_TYPES), None)


def _addresses(part: Part, page: Part) -> Iterator[str]:
    """Yield the addresses by which a page may refer to a part of its file."""
    content_id = str(part.get("content-id", "")).strip().strip("<>")
    if content_id:
        yield f"cid:{content_id}"
    location = str(part.get("content-location", "")).strip()
    if not location:
        return
    yield location
    base = str(page.get("content-location", "")).strip()
    try:
        absolute = urljoin(base, location)
    except ValueError:
        return
    yield absolute
    folder = base.rpartition("/")[0]
    if folder and absolute.startswith(f"{folder}/"):
        yield absolute.removeprefix(f"{folder}/")
