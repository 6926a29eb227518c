"""The parts of a message (RFC 5322, RFC 2045 to 2047, 2183, 2231), with bytes, headers and names decoded."""

import binascii
import codecs
import re
from base64 import b64decode
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import Compat32
from quopri import decodestring
from typing import Any, cast

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.plain.decoding import decode_text

# The most levels of parts inside each other.
DEEPEST = 50

_LONGEST_HEADER = 20_000
_LONGEST_NAME = 120
_ENCODED_WORD = re.compile(r"=\?([^?*\s]{1,40})(?:\*[^?\s]*)?\?([bBqQ])\?([^?]*)\?=")
_BETWEEN_WORDS = re.compile(r"(?<=\?=)\s+(?==\?[^?\s]{1,80}\?[bBqQ]\?)")
_APPLE_LENGTH = re.compile(rb"(\d{1,12})[ \t]*\r?\n(?=[!-9;-~]+:)")
_ASCII = frozenset(["", "us-ascii", "ascii", "ansi_x3.4-1968", "iso646-us"])
# Descriptions of defects, by their names in `email.errors`.
_DAMAGE = {
    "CloseBoundaryNotFoundDefect": "a part has no end",
    "StartBoundaryNotFoundDefect": "parts are announced that are not there",
    "NoBoundaryInMultipartDefect": "it does not say what parts its parts",
    "MultipartInvariantViolationDefect": "it says that it has several parts, and has one",
    "InvalidBase64PaddingDefect": "a part ends too early",
    "InvalidBase64LengthDefect": "a part ends too early",
    "InvalidBase64CharactersDefect": "a part holds bytes that are not base64",
}


class Part(Message):
    """A message, or a part of one."""

    @property
    def subparts(self) -> "list[Part]":
        """The parts of a multipart; none for other parts."""
        payload = self.get_payload() if self.is_multipart() else []
        return [each for each in payload if isinstance(each, Part)]

    @property
    def is_broken(self) -> bool:
        """Whether a multipart has no parts: mail programs then show it as text."""
        return self.get_content_maintype() == "multipart" and not self.is_multipart()

    @property
    def content(self) -> bytes:
        """The decoded content of a part without subparts."""
        try:
            content = self.get_payload(decode=True)
        except (ValueError, LookupError, binascii.Error):
            return b""
        return content if isinstance(content, bytes) else b""

    def inner_message(self, name: str) -> "Part | None":
        """Return the message inside a part of type message/rfc822, even if it is encoded against the standard."""
        inner = next(iter(self.subparts), None)
        encoding = self.transfer_encoding
        if inner is None or encoding not in ("base64", "quoted-printable"):
            return inner
        raw = inner.as_bytes().lstrip()
        try:
            return parse_message(b64decode(raw) if encoding == "base64" else decodestring(raw), name)
        except (ValueError, binascii.Error):
            return inner

    @property
    def transfer_encoding(self) -> str:
        """The encoding of a part's content, such as "base64"."""
        return str(self.get("content-transfer-encoding", "")).strip().lower()

    def text(self, name: str, encoding: str | None) -> tuple[str, tuple[Caution, ...]]:
        """Return the text of a part, and cautions about guesses. Raises DocumentError as `decode_text` does."""
        text, cautions = decode_text(self.content, name=name, declared=encoding or self.charset)
        return text.replace("\r\n", "\n").replace("\r", "\n"), cautions

    @property
    def charset(self) -> str | None:
        """The encoding that a part declares for its text; None for ASCII, which says nothing about non-ASCII bytes."""
        label = self.parameter("charset").strip()
        return label if label.lower() not in _ASCII else None

    def parameter(self, name: str, header: str = "content-type") -> str:
        """Return a parameter of a header, "" if it is missing."""
        try:
            value = self.get_param(name, "", header)
        except (ValueError, LookupError):
            return ""
        if isinstance(value, tuple):  # RFC 2231: encoding, language, value
            label, _, raw = value
            return _decode_bytes(str(raw).encode("latin-1", "replace"), label or "utf-8")
        return decode_words(_repair(str(value)))

    @property
    def is_attachment(self) -> bool:
        """Whether a part is marked as an attachment, not shown in the text."""
        return str(self.get("content-disposition", "")).partition(";")[0].strip().lower() == "attachment"

    @property
    def file_name(self) -> str:
        """The file name of a part, on one line and without folders; "" if it has none."""
        name = self.parameter("filename", "content-disposition") or self.parameter("name")
        return clean_file_name(name)

    def headers(self, name: str) -> list[str]:
        """Return the decoded values of all headers with this name, each on one line."""
        values = (str(value) for value in self.get_all(name, []))
        return [line for value in values if (line := clean_header(value))]

    def damage(self) -> Iterator[str]:
        """Yield descriptions of the defects of a part, without its subparts."""
        names = (type(defect).__name__ for defect in self.defects)
        yield from (_DAMAGE[name] for name in names if name in _DAMAGE)


class _AsWritten(Compat32):
    """Returns headers as they are written, because a hostile mail's headers could break their interpretation."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        return value


_POLICY = _AsWritten()


def parse_message(data: bytes, name: str) -> Part:
    """Return the tree of a message's parts. Raises DocumentError "too-big" if it is too deep."""
    try:
        return cast("Part", message_from_bytes(_without_frame(data), Part, policy=_POLICY))
    except RecursionError:
        raise too_deep_error(name) from None


def new_part(kind: str, content: bytes | None = None, charset: str = "") -> Part:
    """Return a part of this type: with unencoded content, or a container for other parts."""
    part = Part(policy=_POLICY)
    part["Content-Type"] = f"{kind}; charset={charset}" if charset else kind
    if content is not None:
        part.set_payload(content)
    return part


def _without_frame(data: bytes) -> bytes:
    """Remove what some programs put around a message: a byte order mark, blank lines, a length and data after it."""
    data = data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")
    if length := _APPLE_LENGTH.match(data):
        return data[length.end() :][: int(length[1])]
    return data


def too_deep_error(name: str) -> DocumentError:
    """Return the error for a mail with too many levels of parts."""
    what = f"{name} nests parts more than {DEEPEST} levels deep"
    return DocumentError(what, code="too-big", hint="it is no ordinary mail; open it in a mail program")


def clean_file_name(name: str) -> str:
    """Return the name of a file without folders and unprintable characters."""
    line = "".join(c for c in re.split(r"[/\\]", name)[-1] if c.isprintable()).strip(" .")
    if len(line) <= _LONGEST_NAME:
        return line
    stem, dot, suffix = line.rpartition(".")
    return f"{stem[:80]}{dot}{suffix[:20]}"


def clean_header(value: str) -> str:
    """Return a header's decoded value on one line; a very long one is cut with an ellipsis."""
    decoded = decode_words(_repair(value[: 4 * _LONGEST_HEADER]))
    line = " ".join("".join(c if c.isprintable() else " " for c in decoded).split())
    return line if len(line) <= _LONGEST_HEADER else f"{line[:_LONGEST_HEADER]}\u2026"


def decode_words(value: str) -> str:
    """Return a header's value with encoded words decoded (RFC 2047); undecodable words stay unchanged."""
    words = list(_ENCODED_WORD.finditer(value := _BETWEEN_WORDS.sub("", value)))
    text, at = "", 0
    for label, start, end, content in _join_words(words):
        text += value[at:start] + (value[start:end] if content is None else _decode_bytes(content, label))
        at = end
    return text + value[at:]


def _join_words(words: "list[re.Match[str]]") -> Iterator[tuple[str, int, int, bytes | None]]:
    """Yield encoding, start, end and bytes of encoded words.

    Adjacent words with the same encoding are joined, because a character may be split between them.
    """
    open_word: tuple[str, int, int, bytes | None] | None = None
    for word in words:
        label, content = word[1].lower(), _word_bytes(word[2], word[3])
        if open_word and _goes_on(open_word, label, word.start()) and content is not None:
            open_word = label, open_word[1], word.end(), (open_word[3] or b"") + content
            continue
        if open_word:
            yield open_word
        open_word = label, word.start(), word.end(), content
    if open_word:
        yield open_word


def _goes_on(word: tuple[str, int, int, bytes | None], label: str, start: int) -> bool:
    """Whether the next encoded word, with this encoding and start, directly continues a word."""
    return word[3] is not None and word[0] == label and word[2] == start


def _word_bytes(kind: str, content: str) -> bytes | None:
    raw = content.encode("utf-8", "surrogateescape")
    try:
        return b64decode(raw + b"=" * (-len(raw) % 4)) if kind in "bB" else decodestring(raw, header=True)
    except (ValueError, binascii.Error):
        return None


def _decode_bytes(content: bytes, label: str) -> str:
    try:
        return decode_text(content, name="a header", declared=label)[0]
    except DocumentError:
        return content.decode("utf-8", "replace")


def _repair(value: str) -> str:
    """Decode the non-ASCII bytes of a header, which the parser keeps as surrogates."""
    try:
        raw = value.encode("ascii", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace").decode("utf-8")
    return value if raw.isascii() else _decode_bytes(raw, "utf-8")
