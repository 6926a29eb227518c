"""The files in a mail, asked of the parser process, for whoever wants to read them as documents of their own."""

import json
from dataclasses import dataclass, replace
from functools import partial

from ralph_cli.documents.limits import DEFAULT_LIMITS, LoadLimits
from ralph_cli.documents.mail.message import clean_file_name
from ralph_cli.documents.parsed import validated_rows
from ralph_cli.documents.process.child import run_parser
from ralph_cli.documents.sniff import MAIL_KINDS, Kind, display_name

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file in a mail. No two of a mail have the same `name`; `place` is the mail in the mail that holds it, or ""."""

    name: str
    media_type: str
    place: str
    data: bytes


def list_attachments(path: str, data: bytes, kind: Kind, limits: LoadLimits = DEFAULT_LIMITS) -> tuple[Attachment, ...]:
    """The attachments of a mail of this kind, and of the mails in it, in their order; none of any other document.

    Pictures that stand in the text are not among them. Raises DocumentError too-big, damaged, timeout, crashed.
    """
    if kind not in MAIL_KINDS:
        return ()
    decode = partial(_decode, limits=limits)
    return run_parser("attachments", data, decode, name=display_name(path), limits=limits, kind=kind)


def _decode(answer: bytes, limits: LoadLimits) -> tuple[Attachment, ...]:
    head, _, rest = answer.partition(b"\n")
    found: list[Attachment] = []
    names: set[str] = set()
    at = 0
    for name, media_type, place, size in validated_rows(json.loads(head), (str, str, str, int), _MOST):
        if not 0 < size <= min(len(rest) - at, limits.bytes):
            raise ValueError("an attachment of the wrong size")
        attachment = Attachment(clean_file_name(name) or "attachment", media_type, place, rest[at : at + size])
        found.append(replace(attachment, name=_unused_name(attachment.name, names)))
        at += size
    if at != len(rest):
        raise ValueError("attachments of the wrong size")
    return tuple(found)


def _unused_name(name: str, used: set[str]) -> str:
    """The name, with a number before its suffix if another file has it; adds it to those that are used."""
    stem, dot, suffix = name.rpartition(".")
    count, wanted = 1, name
    while wanted.casefold() in used:
        count += 1
        wanted = f"{stem} ({count}){dot}{suffix}" if dot else f"{name} ({count})"
    used.add(wanted.casefold())
    return wanted
