"""The text of a mail's part as a mail program shows it, and the differences between alternatives."""

import binascii
import re
from collections import Counter
from dataclasses import dataclass

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.reader import parse_html
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.mail.message import Part
from ralph_cli.documents.parsed import ParsedDocument
from ralph_cli.documents.rich_text.rtf import parse_rtf

TEXT_TYPES = frozenset(["text/plain", "text/markdown", "text/rfc822-headers", "message/disposition-notification"])
PAGE_TYPES = frozenset(["text/html", "application/xhtml+xml"])
# The type of an Outlook mail's text in RTF; in other mails RTF is a file.
RICH_TEXT = "text/x-outlook-rtf"

_ADDRESS = re.compile(r"<?\b(?:https?|mailto|ftp|tel):[^\s<>]+>?|\[cid:[^\]]*\]", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 8
_LONGEST_WORD = 40

_BLOCK = re.compile(
    r"(?m)^begin [0-7]{3,4} ([^\n]{1,200})\n((?:[!-M`][!-`\x20]{0,84}\n)*)[`\x20]?\n?end[ \t]*(?:\n|\Z)"
)


@dataclass(frozen=True, slots=True)
class Body:
    """A text as it is shown: its `page` if it was HTML or RTF; `flowed` if its lines are paragraphs."""

    text: str
    page: ParsedDocument | None = None
    flowed: bool = False
    cautions: tuple[Caution, ...] = ()


def read_body(part: Part, name: str, encoding: str | None, limits: LoadLimits) -> Body:
    """Return the text that a part shows. Raises DocumentError as `parse_html`, `parse_rtf` and `decode_text` do."""
    if part.get_content_type() in PAGE_TYPES | {RICH_TEXT}:
        try:
            page = _read_page(part, name, encoding, limits)
        except DocumentError as error:
            if error.code == "no-text":
                return Body("")
            raise
        return Body(page.text, page, cautions=page.cautions)
    if part.get_content_type() == "message/delivery-status":
        return Body(_delivery_status(part))
    text, cautions = part.text(name, encoding)
    if part.parameter("format").lower() == "flowed":
        delete_space = part.parameter("delsp").lower() == "yes"
        return Body(join_flowed_lines(text, delete_space), flowed=True, cautions=cautions)
    return Body(text, cautions=cautions)


def _read_page(part: Part, name: str, encoding: str | None, limits: LoadLimits) -> ParsedDocument:
    content = part.content
    if part.get_content_type() == RICH_TEXT:
        return parse_rtf(content, name=name, limits=limits)
    declared = encoding or part.charset
    return parse_html(content, name=name, encoding=None, limits=limits, declared=declared, titled=False)


def join_flowed_lines(text: str, delete_space: bool) -> str:
    """Return text in the format "flowed" with each paragraph on one line (RFC 3676, section 4)."""
    lines: list[str] = []
    depth_above, is_open = 0, False
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        if is_open and depth == depth_above and content != "-- ":
            lines[-1] += content
        else:
            lines.append(f"{'>' * depth} {content}" if depth else content)
        is_open, depth_above = content.endswith(" ") and content != "-- ", depth
        if is_open and delete_space:
            lines[-1] = lines[-1][:-1]
    return "\n".join(line if line == "-- " else line.rstrip(" ") for line in lines)


def describe_difference(shown: str, other: str) -> str:
    """Describe the words that are in only one of two texts, "" if none are; web addresses are ignored."""
    words_shown, words_other = _words(shown), _words(other)
    only_other, only_shown = words_other - words_shown, words_shown - words_other
    parts = [f"only there {_list_words(only_other)}"] * bool(only_other)
    parts += [f"only in what is read {_list_words(only_shown)}"] * bool(only_shown)
    return "; ".join(parts)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(_ADDRESS.sub(" ", text).casefold()))


def _list_words(words: Counter[str]) -> str:
    named = ", ".join(f"\u201c{word[:_LONGEST_WORD]}\u201d" for word in list(words)[:_MOST_WORDS])
    left = words.total() - min(len(words), _MOST_WORDS)
    return f"{named} and {left:,} more" if left else named


def _delivery_status(part: Part) -> str:
    """Return the fields of a delivery report, one group of lines for the message and for each recipient (RFC 3464)."""
    groups = (
        "\n".join(f"{name}: {' '.join(str(value).split())}" for name, value in group.items()) for group in part.subparts
    )
    return "\n\n".join(group for group in groups if group)


def take_files(text: str) -> tuple[str, list[tuple[str, bytes]]]:
    """Return the text without its uuencoded files, and their names and contents; undecodable ones stay in the text."""
    files: list[tuple[str, bytes]] = []

    def take(block: re.Match[str]) -> str:
        try:
            content = b"".join(binascii.a2b_uu(line) for line in block[2].encode("ascii").split(b"\n") if line)
        except binascii.Error:
            return block[0]
        files.append((block[1].strip(), content))
        return ""

    return _BLOCK.sub(take, text) if "\nend" in text else text, files
