"""One pass over the parts of a mail: writes what is shown, names what is not, and collects attachments."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.html.composed import ComposedText
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.mail.bodies import (
    PAGE_TYPES,
    RICH_TEXT,
    TEXT_TYPES,
    Body,
    describe_difference,
    read_body,
    take_files,
)
from ralph_cli.documents.mail.message import DEEPEST, Part, clean_file_name, too_deep_error
from ralph_cli.documents.page_text import LINE, PARAGRAPH

_SHOWN_HEADERS = ("From", "Sender", "Reply-To", "To", "Cc", "Bcc", "Date", "Subject")
# Headers that a mail has only once (RFC 5322, section 3.6); programs show all values of the others.
_ONCE = frozenset(["From", "Sender", "Reply-To", "Date", "Subject"])

_SHOWN_TYPES = TEXT_TYPES | PAGE_TYPES | {RICH_TEXT, "message/delivery-status"}
_MESSAGE_TYPES = frozenset(["message/rfc822", "message/global"])
_SIGNATURES = frozenset(["application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"])
_SEALED = frozenset(["application/pkcs7-mime", "application/x-pkcs7-mime"])
_KNOWN_ENCODINGS = frozenset(["", "7bit", "8bit", "binary", "base64", "quoted-printable", "x-uuencode", "uuencode"])
_PGP = "-----BEGIN PGP MESSAGE-----"
_LONGEST_ASIDE = 300


@dataclass(frozen=True, slots=True)
class MailAttachment:
    """A file in a mail or in an inner mail: `place` names the inner mail, "" for the mail itself."""

    name: str
    media_type: str
    place: str
    content: bytes


class MailWalk:
    """Writes the text of a mail and of its inner mails."""

    def __init__(self, out: ComposedText, name: str, encoding: str | None, limits: LoadLimits) -> None:
        """`name` is the document's name, for messages; `encoding` overrides the encodings that texts declare."""
        self.attachments: list[MailAttachment] = []
        self._out = out
        self._name = name
        self._encoding = encoding
        self._limits = limits
        self._pictures = self._forwarded = 0
        self._bodies: dict[str, int] = {}

    def write_message(self, message: Part, place: str, depth: int = 0) -> None:
        """Write the headers that a mail program shows, then the text. `place` names an inner mail: "message 2"."""
        apart = PARAGRAPH
        for name in _SHOWN_HEADERS:
            values = message.headers(name)
            if len(values) > 1 and name in _ONCE:
                self._warn("repeated-header", place, f"{len(values)} headers {name}: {_PROGRAMS}")
            for value in values:
                title = value if name == "Subject" else ""
                self._out.write(f"{name}: {value}", _at(place, f"header, {name}"), apart, title=title)
                apart = LINE
        self._write_part(message, place, depth)

    def finish(self) -> None:
        """Add cautions about what was not read."""
        if self.attachments:
            named = ", ".join(map(_describe_attachment, self.attachments))
            self._out.warn("attachments", f"attachments, which are no part of this text: {named}")
        if self._pictures:
            self._out.warn("pictures-unread", f"pictures in the text that were not read: {self._pictures:,}")

    def _warn(self, code: str, place: str, what: str) -> None:
        self._out.warn(code, f"{place}: {what}" if place else what)

    def _write_part(self, part: Part, place: str, depth: int) -> None:
        if depth > DEEPEST:
            raise too_deep_error(self._name)
        self._write_content(part, place, depth)
        for what in part.damage():  # some defects are found only when a part is decoded
            where = f"{part.file_name}: " if part.is_attachment and part.file_name else ""
            self._warn("incomplete", place, f"{where}{what}: the mail may be cut off or damaged")

    def _write_content(self, part: Part, place: str, depth: int) -> None:
        """Write what a part shows, or name the part, by its type."""
        self._warn_of_asides(part, place)
        kind = part.get_content_type()
        if part.transfer_encoding not in _KNOWN_ENCODINGS:
            what = f"a part is encoded in a way that is not known ({part.transfer_encoding[:40]}), and was not decoded"
            self._warn("incomplete", place, what)
        if kind in _MESSAGE_TYPES:
            self._write_forwarded(part, place, depth)
        elif kind in _SIGNATURES:
            self._warn("signature-unchecked", place, "signed; nobody has checked the signature")
        elif kind in _SEALED or kind == "multipart/encrypted":
            self._warn_of_seal(part, place)
        elif (kind in _SHOWN_TYPES and not part.is_attachment) or part.is_broken:
            self._write_body(part, place)
        elif kind == "multipart/alternative":
            self._write_alternative(part, place, depth)
        elif kind == "multipart/related":
            self._write_related(part, place, depth)
        elif part.subparts:
            for each in part.subparts:
                self._write_part(each, place, depth + 1)
        elif part.get_content_maintype() == "image" and part.get("content-id") and not part.is_attachment:
            self._pictures += 1
        else:
            self._attach(part, place)

    def _write_forwarded(self, part: Part, place: str, depth: int) -> None:
        self._forwarded += 1
        number = self._forwarded
        inner = part.inner_message(self._name)
        if inner is not None:
            self.write_message(inner, f"forwarded message {number}", depth + 1)

    def _write_alternative(self, part: Part, place: str, depth: int) -> None:
        """Write the last alternative with text, which is the one that programs show (RFC 2046, section 5.1.4).

        A caution names the text that only another alternative has, because its readers saw something else.
        """
        choices = part.subparts
        shown = next((each for each in reversed(choices) if _has_text(each)), None)
        if shown is None:
            for each in choices:
                self._write_part(each, place, depth + 1)
            return
        self._write_part(shown, place, depth + 1)
        words = self._text_of(shown, depth)
        for each in (one for one in choices if one is not shown):
            self._write_files(each, place, depth + 1)
            if _has_text(each) and (difference := describe_difference(words, self._text_of(each, depth))):
                kind = "RTF" if each.get_content_type() == RICH_TEXT else each.get_content_type()
                what = f"the text is there as {kind}, too, which is not read and differs: {difference}"
                self._warn("alternatives-differ", place, what)

    def _write_files(self, part: Part, place: str, depth: int) -> None:
        """Write the files in an alternative that is not shown."""
        if part.get_content_maintype() == "multipart" and depth <= DEEPEST:
            for each in part.subparts:
                self._write_files(each, place, depth + 1)
        elif part.get_content_type() not in _SHOWN_TYPES or part.is_attachment:
            self._write_part(part, place, depth)

    def _write_related(self, part: Part, place: str, depth: int) -> None:
        """Write the root of related parts (RFC 2387), and collect the other parts that are not pictures in it."""
        parts = part.subparts
        root = find_root(part)
        for each in parts:
            if each is root:
                self._write_part(each, place, depth + 1)
            elif each.get_content_maintype() == "image" and not each.is_attachment:
                self._pictures += 1
            elif _has_text(each) and not each.is_attachment:
                self._warn("hidden-parts", place, "a text that no mail program shows is left out")
                self._attach(each, place)
            else:
                self._write_part(each, place, depth + 1)

    def _write_body(self, part: Part, place: str) -> None:
        body = self._read(part, place)
        if body.page is None:
            text, files = take_files(body.text)
            body = replace(body, text=text)
            for name, content in files:
                self._keep(clean_file_name(name), "application/octet-stream", place, content)
        if not body.text.strip():
            return
        for caution in body.cautions if body.page is None else ():
            self._warn(caution.code, place, caution.message)
        if _PGP in body.text:
            self._warn("encrypted-part", place, f"a text that is encrypted (PGP); {_DECRYPT}")
        count = self._bodies[place] = self._bodies.get(place, 0) + 1
        where = _at(place, f"body {count}" if count > 1 else "body")
        if body.page is not None:
            self._out.write_page(body.page, where, noun="paragraph")
        else:
            self._out.write(body.text, where, noun="paragraph" if body.flowed else "line")

    def _read(self, part: Part, place: str) -> Body:
        try:
            return read_body(part, self._name, self._encoding, self._limits)
        except DocumentError as error:
            if error.code == "too-big":
                raise
            self._warn("incomplete", place, f"a text that cannot be read: {error.message}")
            return Body("")

    def _text_of(self, part: Part, depth: int) -> str:
        """Return all text in a part, for comparison."""
        return "\n".join(self._read(each, "").text for each in _shown_leaves(part, depth))

    def _attach(self, part: Part, place: str) -> None:
        self._keep(part.file_name, part.get_content_type(), place, part.content)

    def _keep(self, name: str, media_type: str, place: str, content: bytes) -> None:
        if content:
            name = name or f"attachment {len(self.attachments) + 1}"
            self.attachments.append(MailAttachment(name, media_type, place, content))

    def _warn_of_seal(self, part: Part, place: str) -> None:
        kind = part.parameter("smime-type").lower()
        what = "PGP" if part.parameter("protocol").endswith("pgp-encrypted") else "S/MIME"
        seal = "signed in a way that closes it" if kind == "signed-data" else "encrypted"
        self._warn("encrypted-part", place, f"a part that is {seal} ({what}); {_DECRYPT}")

    def _warn_of_asides(self, part: Part, place: str) -> None:
        """Warn about text before or after the parts, which no program shows."""
        asides = (str(aside).strip() for aside in (part.preamble, part.epilogue) if aside)
        if part.subparts and any(len(aside) > _LONGEST_ASIDE for aside in asides):
            what = "text outside the parts, which no mail program shows, is left out"
            self._warn("hidden-parts", place, what)


_PROGRAMS = "programs show one or the other"
_DECRYPT = "open the mail in a mail program, and save what it shows"


def find_root(related: Part) -> "Part | None":
    """Return the part of a multipart/related that is shown."""
    parts, start = related.subparts, related.parameter("start")
    named = (each for each in parts if start and str(each.get("content-id", "")).strip() == start)
    return next(named, parts[0] if parts else None)


def _at(place: str, what: str) -> str:
    return f"{place}, {what}" if place else what


def _has_text(part: Part) -> bool:
    return any(True for _ in _shown_leaves(part, 0))  # a part without headers is falsy


def _shown_leaves(part: Part, depth: int) -> Iterator[Part]:
    """Yield the parts with text that are shown; of alternatives, only the last."""
    if depth > DEEPEST or part.is_attachment:
        return
    kind, parts = part.get_content_type(), part.subparts
    if kind in _SHOWN_TYPES:
        yield part
    elif kind == "multipart/alternative":
        yield from next((leaves for each in reversed(parts) if (leaves := [*_shown_leaves(each, depth + 1)])), [])
    elif kind == "multipart/related":
        root = find_root(part)
        if root is not None:
            yield from _shown_leaves(root, depth + 1)
    elif kind not in _MESSAGE_TYPES:
        for each in parts:
            yield from _shown_leaves(each, depth + 1)


def _describe_attachment(attachment: MailAttachment) -> str:
    size = len(attachment.content)
    amount = f"{size:,} bytes" if size < 10_000 else f"{size >> 10:,} KiB"
    where = f", in {attachment.place}" if attachment.place else ""
    return f"{attachment.name} ({attachment.media_type}, {amount}{where})"
