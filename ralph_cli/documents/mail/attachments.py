"""The files in a mail, asked of the parser process, for whoever wants to read them as documents of their own."""

from ralph_cli.documents.limits import DEFAULT_LIMITS, LoadLimits
from ralph_cli.documents.process.child import StartParser, run_parser, start_parser
from ralph_cli.documents.sets.archives import Entry, decode_entries
from ralph_cli.documents.sniff import MAIL_KINDS, Kind

ATTACHMENTS = "attachments"
"""Code of the caution about a mail that says which attachments it has."""


def list_attachments(
    data: bytes, name: str, kind: Kind, limits: LoadLimits = DEFAULT_LIMITS, start: StartParser = start_parser
) -> tuple[Entry, ...]:
    """The attachments of a mail of this kind, and of the mails in it, in their order; none of any other document.

    No two have the same name. Pictures that stand in the text are not among them. `name` is the mail's, for messages.
    Raises DocumentError too-big, timeout, crashed.
    """
    if kind not in MAIL_KINDS:
        return ()
    return run_parser(
        "attachments",
        data,
        lambda answer: decode_entries(answer, limits.bytes),
        name=name,
        limits=limits,
        start=start,
        kind=kind,
    )
