"""A mail of Outlook (MS-OXMSG) as the tree of parts that other mails are, so that it is read as they are."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.mail.bodies import RICH_TEXT
from ralph_cli.documents.mail.message import DEEPEST, Part, clean_file_name, new_part, parse_message, too_deep_error
from ralph_cli.documents.mail.outlook.compound_file import Storage, read_compound_file
from ralph_cli.documents.mail.outlook.properties import PAGE_CODE_PAGE, Properties, code_page_label, read_properties
from ralph_cli.documents.mail.outlook.rich_text import unpack_rtf, unwrap_page

_CLASS, _SUBJECT, _SENT, _RECEIVED, _FLAGS = 0x001A, 0x0037, 0x0039, 0x0E06, 0x0E07
_TEXT, _PACKED_RTF, _PAGE = 0x1000, 0x1009, 0x1013
_FROM, _SENDER = (0x0042, 0x5D02, 0x0064, 0x0065), (0x0C1A, 0x5D01, 0x0C1E, 0x0C1F)
"""Name, address, kind of address and address of that kind; the same of who sent it for them."""

_RECIPIENT, _RECIPIENT_KIND = (0x3001, 0x39FE, 0x3002, 0x3003), 0x0C15
_SHOWN_NAMES = {"To": 0x0E04, "Cc": 0x0E03, "Bcc": 0x0E02}
_KINDS = {1: "To", 2: "Cc", 3: "Bcc"}
_REPLY_NAMES = 0x0050
_METHOD, _CONTENT, _CONTENT_ID, _MEDIA_TYPE, _LINK = 0x3705, 0x3701, 0x3712, 0x370E, 0x370D
_NAMES = (0x3707, 0x3704, 0x3001)
_IS_HIDDEN, _ATTACH_FLAGS, _SHOWN_IN_PAGE = 0x7FFE, 0x3714, 4
_BY_VALUE, _EMBEDDED, _OBJECT = 1, 5, 6
_UNSENT = 8
_HEADER, _INNER_HEADER, _OTHER_HEADER = 32, 24, 8
"""Bytes before the first property: of the mail itself, of one in it, and of recipients and attachments."""

_RECIPIENTS, _ATTACHMENTS = "__recip_version1.0_", "__attach_version1.0_"
_INNER = "__substg1.0_3701000d"
_MAIL_CLASSES = ("IPM.NOTE", "IPM.POST", "IPM.OUTLOOK", "REPORT.")
_SIGNED, _SEALED = "IPM.NOTE.SMIME.MULTIPARTSIGNED", "IPM.NOTE.SMIME"
_MEDIA = re.compile(r"(?!multipart/|message/)[\w.+-]+/[\w.+-]+", re.ASCII)
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)

Warn = Callable[[str, str], None]
"""Called with the code of a caution and what it says."""


def read_outlook_mail(data: bytes, name: str, warn: Warn) -> Part:
    """The mail in a file of Outlook, with the mails in it. Raises DocumentError damaged, too-big."""
    root, doubts = read_compound_file(data, name)
    if not any(stream.startswith("__") for stream in root.streams):
        raise DocumentError(f"{name} holds no mail of Outlook", code="damaged", hint="save the mail again")
    for doubt in doubts:
        warn("incomplete", f"{doubt}: the mail may be cut off or damaged")
    return _Reader(name, warn).read_mail(root, _HEADER, 0)


class _Reader:
    def __init__(self, name: str, warn: Warn) -> None:
        self._name, self._warn = name, warn

    def read_mail(self, storage: Storage, header: int, depth: int) -> Part:
        """A mail with its header, its text in every form that it has, and its attachments."""
        if depth > DEEPEST:
            raise too_deep_error(self._name)
        mail = self._properties(storage, header, None)
        self._check_counts(storage, header)
        part = new_part("multipart/mixed")
        for title, value in self._headers(mail, storage):
            part[title] = value
        kind = mail.text(_CLASS).upper()
        if kind and kind != "IPM" and not kind.startswith(_MAIL_CLASSES):
            what = f"an item of Outlook that is no mail ({kind[:80]}): its text is read, its other fields are not"
            self._warn("fields-unread", what)
        if mail.numbers.get(_FLAGS, 0) & _UNSENT:
            self._warn("draft", "a draft: it had not been sent when it was saved")
        bodies, files = [*self._bodies(mail)], list[Part]()
        for entry in _numbered(storage, _ATTACHMENTS):
            if (attached := self._read_attachment(entry, mail, depth)) is not None:
                (bodies if attached.get_content_type() == "multipart/signed" else files).append(attached)
        for each in (_join("multipart/alternative", bodies), *files):
            part.attach(each)
        return part

    def _properties(self, storage: Storage, header: int, mail: Properties | None) -> Properties:
        """The properties of a mail, or of what belongs to `mail`."""
        doubts: list[str] = []
        found = read_properties(storage, header, self._name, doubts, mail.code_page if mail else 0)
        for doubt in doubts:
            self._warn("incomplete", f"{doubt}: the mail may be cut off or damaged")
        return found

    def _check_counts(self, storage: Storage, header: int) -> None:
        """Compare how many recipients and attachments there are with how many the mail says that it has."""
        table = storage.streams.get("__properties_version1.0", b"")
        for at, prefix, what in ((16, _RECIPIENTS, "recipients"), (20, _ATTACHMENTS, "attachments")):
            said, found = int.from_bytes(table[at : at + 4], "little"), len(_numbered(storage, prefix))
            if said > found and len(table) >= header:
                self._warn("incomplete", f"it says that it has {said:,} {what}, and has {found:,}: it may be damaged")

    def _headers(self, mail: Properties, storage: Storage) -> Iterator[tuple[str, str]]:
        author, sender = _address(mail, _FROM), _address(mail, _SENDER)
        if author or sender:
            yield "From", author or sender
        if sender and author and sender != author:
            yield "Sender", sender
        if reply := mail.text(_REPLY_NAMES):
            yield "Reply-To", reply
        recipients: dict[str, list[str]] = {}
        for entry in _numbered(storage, _RECIPIENTS):
            recipient = self._properties(entry, _OTHER_HEADER, mail)
            kind = _KINDS.get(recipient.numbers.get(_RECIPIENT_KIND, 1) & 0xF)
            if kind and (shown := _address(recipient, _RECIPIENT)):
                recipients.setdefault(kind, []).append(shown)
        for title, number in _SHOWN_NAMES.items():
            if value := ", ".join(recipients.get(title, [])) or ("" if recipients else mail.text(number)):
                yield title, value
        if date := _describe_time(mail.numbers.get(_SENT) or mail.numbers.get(_RECEIVED) or 0):
            yield "Date", date
        if subject := mail.text(_SUBJECT):
            yield "Subject", subject

    def _bodies(self, mail: Properties) -> Iterator[Part]:
        """The text in its forms, the one that Outlook shows last."""
        packed = mail.binaries.get(_PACKED_RTF, b"")
        rtf, is_whole = unpack_rtf(packed) if packed else (b"", True)
        if not is_whole:
            self._warn("incomplete", "the text as RTF is damaged, and may be cut off")
        plain = new_part("text/plain", mail.texts.get(_TEXT, "").encode("utf-8", "replace"), charset="utf-8")
        if b"\\fromtext" not in rtf[:2_000]:
            yield plain
        if (page := unwrap_page(rtf)) is not None:
            yield new_part("text/html", page.encode("utf-8"), charset="utf-8")
        elif rtf:
            yield new_part(RICH_TEXT, rtf)
        if b"\\fromtext" in rtf[:2_000]:
            yield plain
        if own := mail.binaries.get(_PAGE):
            page_of_codes = mail.numbers.get(PAGE_CODE_PAGE)
            yield new_part("text/html", own, charset=code_page_label(page_of_codes) if page_of_codes else "")
        elif text := mail.text(_PAGE):
            yield new_part("text/html", text.encode("utf-8", "replace"), charset="utf-8")

    def _read_attachment(self, storage: Storage, mail: Properties, depth: int) -> "Part | None":
        """An attachment as a part; None, with a caution, if its content is not in the file or cannot be read.

        The whole of a signed mail is one, of the type that it has: it is the text once more.
        """
        attached = self._properties(storage, _OTHER_HEADER, mail)
        name = clean_file_name(attached.text(*_NAMES)) or "an attachment without a name"
        inner = storage.storages.get(_INNER)
        content = attached.binaries.get(_CONTENT)
        method = attached.numbers.get(_METHOD, _BY_VALUE)
        if inner is not None and method != _OBJECT:
            return _join("message/rfc822", [self.read_mail(inner, _INNER_HEADER, depth + 1)])
        if content is None:
            what = f"{name} is a link to {link[:200]}" if (link := attached.text(_LINK)) else f"{name} is not a file"
            reason = f"{name} is an object of another program" if method == _OBJECT else what
            self._warn("attachment-unread", f"{reason}, and was not read")
            return None
        return self._attach(attached, name, content, mail.text(_CLASS).upper())

    def _attach(self, attached: Properties, name: str, content: bytes, mail_class: str) -> Part:
        media = attached.text(_MEDIA_TYPE).lower()
        if media == "message/rfc822" or (media == "multipart/signed" and mail_class == _SIGNED):
            whole = parse_message(content, self._name)
            return whole if media == "multipart/signed" else _join(media, [whole])
        if mail_class == _SEALED:
            media = "application/pkcs7-mime"
        part = new_part(media if _MEDIA.fullmatch(media) else "application/octet-stream", content)
        is_shown = attached.numbers.get(_ATTACH_FLAGS, 0) & _SHOWN_IN_PAGE or attached.numbers.get(_IS_HIDDEN)
        if is_shown and media.startswith("image/"):
            part["Content-ID"] = attached.text(_CONTENT_ID) or name
        else:
            part.add_header("Content-Disposition", "attachment", filename=name)
        return part


def _join(kind: str, parts: Iterable[Part]) -> Part:
    whole = new_part(kind)
    for part in parts:
        whole.attach(part)
    return whole


def _numbered(storage: Storage, prefix: str) -> list[Storage]:
    """The storages of recipients or attachments, in their order."""
    return [inner for name, inner in sorted(storage.storages.items()) if name.startswith(prefix)]


def _address(found: Properties, numbers: tuple[int, int, int, int]) -> str:
    """A person as a mail program writes them; addresses that only one server knows are left out."""
    name, address, kind, other = numbers
    known = found.text(address) or (found.text(other) if found.text(kind).upper() in ("SMTP", "") else "")
    shown = found.text(name).strip("'")
    return f"{shown} <{known}>" if shown and known and shown != known else shown or known


def _describe_time(filetime: int) -> str:
    """A time in 100 ns since 1601, as mails write it; "" if it is none that they can write."""
    try:
        return format_datetime(_EPOCH + timedelta(microseconds=filetime // 10)) if filetime else ""
    except OverflowError:
        return ""
