"""Converts an Outlook mail into the tree of parts of other mails, so that the same code reads it."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from email.utils import format_datetime

from ralph_cli.documents.mail.bodies import RICH_TEXT
from ralph_cli.documents.mail.message import Part, clean_file_name, new_part, parse_message
from ralph_cli.documents.mail.outlook import properties as mapi
from ralph_cli.documents.mail.outlook.properties import Attachment, Item, Properties, code_page_label
from ralph_cli.documents.mail.outlook.rich_text import unpack_rtf, unwrap_page
from ralph_cli.documents.mail.outlook.stored import read_stored_item
from ralph_cli.documents.mail.outlook.tnef import TNEF_MARK, read_tnef_item

_RECEIVED, _FLAGS, _PACKED_RTF, _PAGE = 0x0E06, 0x0E07, 0x1009, 0x1013
# Properties of the author: name, address, kind of address and address of that kind; then those of the sender.
_FROM, _SENDER = (0x0042, 0x5D02, 0x0064, 0x0065), (0x0C1A, 0x5D01, 0x0C1E, 0x0C1F)

_RECIPIENT, _RECIPIENT_KIND = (0x3001, 0x39FE, 0x3002, 0x3003), 0x0C15
_SHOWN_NAMES = {"To": 0x0E04, "Cc": 0x0E03, "Bcc": 0x0E02}
_KINDS = {1: "To", 2: "Cc", 3: "Bcc"}
_REPLY_NAMES = 0x0050
_CONTENT_ID, _MEDIA_TYPE, _LINK = 0x3712, 0x370E, 0x370D
_NAMES = (mapi.FILE_NAME, 0x3704, 0x3001)
_IS_HIDDEN, _ATTACH_FLAGS, _SHOWN_IN_PAGE = 0x7FFE, 0x3714, 4
_UNSENT = 8
_MAIL_CLASSES = ("IPM.NOTE", "IPM.POST", "IPM.OUTLOOK", "IPM.MICROSOFT MAIL.", "REPORT.")
_SIGNED, _SEALED = "IPM.NOTE.SMIME.MULTIPARTSIGNED", "IPM.NOTE.SMIME"
_MEDIA = re.compile(r"(?!multipart/|message/)[\w.+-]+/[\w.+-]+", re.ASCII)

# Called with the code and the message of a caution.
Warn = Callable[[str, str], None]


def read_outlook_mail(data: bytes, name: str, warn: Warn) -> Part:
    """Return the mail in an Outlook file, with the mails in it. Raises DocumentError damaged, too-big."""
    item = read_tnef_item(data, name) if data.startswith(TNEF_MARK) else read_stored_item(data, name)
    return _Reader(name, warn).read_mail(item)


class _Reader:
    def __init__(self, name: str, warn: Warn) -> None:
        self._name, self._warn = name, warn

    def read_mail(self, item: Item) -> Part:
        """Return a mail with its header, all forms of its text, and its attachments."""
        mail = item.properties
        for doubt in item.doubts:
            self._warn("incomplete", f"{doubt}: the mail may be cut off or damaged")
        part = new_part("multipart/mixed")
        for title, value in self._headers(item):
            part[title] = value
        kind = mail.text(mapi.MAIL_CLASS).upper()
        if kind and kind != "IPM" and not kind.startswith(_MAIL_CLASSES):
            what = f"an item of Outlook that is no mail ({kind[:80]}): its text is read, its other fields are not"
            self._warn("fields-unread", what)
        if mail.numbers.get(_FLAGS, 0) & _UNSENT:
            self._warn("draft", "a draft: it had not been sent when it was saved")
        bodies, files = [*self._bodies(mail)], list[Part]()
        for attachment in item.attachments:
            if (attached := self._read_attachment(attachment, mail)) is not None:
                (bodies if attached.get_content_type() == "multipart/signed" else files).append(attached)
        for each in (_join("multipart/alternative", bodies), *files):
            part.attach(each)
        return part

    def _headers(self, item: Item) -> Iterator[tuple[str, str]]:
        mail = item.properties
        author, sender = _address(mail, _FROM), _address(mail, _SENDER)
        if author or sender:
            yield "From", author or sender
        if sender and author and sender != author:
            yield "Sender", sender
        if reply := mail.text(_REPLY_NAMES):
            yield "Reply-To", reply
        recipients: dict[str, list[str]] = {}
        for recipient in item.recipients:
            kind = _KINDS.get(recipient.numbers.get(_RECIPIENT_KIND, 1) & 0xF)
            if kind and (shown := _address(recipient, _RECIPIENT)):
                recipients.setdefault(kind, []).append(shown)
        for title, number in _SHOWN_NAMES.items():
            if value := ", ".join(recipients.get(title, [])) or ("" if recipients else mail.text(number)):
                yield title, value
        if date := _describe_time(mail.numbers.get(mapi.SENT) or mail.numbers.get(_RECEIVED) or 0):
            yield "Date", date
        if subject := mail.text(mapi.SUBJECT):
            yield "Subject", subject

    def _bodies(self, mail: Properties) -> Iterator[Part]:
        """Yield the forms of the text; the one that Outlook shows is last."""
        packed = mail.binaries.get(_PACKED_RTF, b"")
        rtf, is_whole = unpack_rtf(packed) if packed else (b"", True)
        if not is_whole:
            self._warn("incomplete", "the text as RTF is damaged, and may be cut off")
        is_plain = b"\\fromtext" in rtf[:2_000]
        text = mail.texts.get(mapi.TEXT, "") if mail.text(mapi.TEXT) else ""
        plain = [new_part("text/plain", text.encode("utf-8", "replace"), charset="utf-8")] if text else []
        if not is_plain:
            yield from plain
        if (page := unwrap_page(rtf)) is not None:
            yield new_part("text/html", page.encode("utf-8"), charset="utf-8")
        elif rtf:
            yield new_part(RICH_TEXT, rtf)
        if is_plain:
            yield from plain
        if own := mail.binaries.get(_PAGE):
            page_of_codes = mail.numbers.get(mapi.PAGE_CODE_PAGE)
            yield new_part("text/html", own, charset=code_page_label(page_of_codes) if page_of_codes else "")
        elif text := mail.text(_PAGE):
            yield new_part("text/html", text.encode("utf-8", "replace"), charset="utf-8")

    def _read_attachment(self, attachment: Attachment, mail: Properties) -> "Part | None":
        """Return an attachment as a part; None, with a caution, if its content is missing or unreadable.

        A signed mail has its whole as an attachment, which contains the text again.
        """
        if attachment.item is not None:
            return _join("message/rfc822", [self.read_mail(attachment.item)])
        attached = attachment.properties
        name = clean_file_name(attached.text(*_NAMES)) or "an attachment without a name"
        content, method = attached.binaries.get(mapi.CONTENT), attached.numbers.get(mapi.METHOD, mapi.BY_VALUE)
        if content is None or method == mapi.OBJECT:
            what = f"{name} is a link to {link[:200]}" if (link := attached.text(_LINK)) else f"{name} is not a file"
            reason = f"{name} is an object of another program" if method == mapi.OBJECT else what
            self._warn("attachment-unread", f"{reason}, and was not read")
            return None
        return self._attach(attached, name, content, mail.text(mapi.MAIL_CLASS).upper())

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


def _address(found: Properties, numbers: tuple[int, int, int, int]) -> str:
    """Return a person as mail programs write them, without addresses that only one server knows."""
    name, address, kind, other = numbers
    known = found.text(address) or (found.text(other) if found.text(kind).upper() in ("SMTP", "") else "")
    shown = found.text(name).strip("'")
    return f"{shown} <{known}>" if shown and known and shown != known else shown or known


def _describe_time(filetime: int) -> str:
    """Return a time in 100 ns since 1601 in the form of mails; "" if it is out of range."""
    try:
        return format_datetime(mapi.EPOCH + timedelta(microseconds=filetime // 10)) if filetime else ""
    except OverflowError:
        return ""
