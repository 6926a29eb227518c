"""A web page saved in one file (mhtml, RFC 2557): its page with the style sheets and frames that came with it."""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urljoin

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.reader import parse_html
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.mail.bodies import PAGE_TYPES
from ralph_cli.documents.mail.message import DEEPEST, Part, parse_message, too_deep_error
from ralph_cli.documents.mail.reader import parse_mail
from ralph_cli.documents.mail.walk import find_root
from ralph_cli.documents.parsed import ParsedDocument, bound_cautions


def parse_web_page(data: bytes, *, name: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    """The text of a saved web page as a browser shows it; meant to run in a child process.

    A file without a page in it is read as a mail. Raises DocumentError too-big, no-text, undecodable, unsupported.
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
    """The page that is shown first: the root of the parts, or else the first that is a page."""
    root = find_root(message)
    candidates = ([root] if root is not None and not root.subparts else []) + parts
    return next((part for part in candidates if part.get_content_type() in PAGE_TYPES), None)


def _addresses(part: Part, page: Part) -> Iterator[str]:
    """What a page may call a part that came with it."""
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
