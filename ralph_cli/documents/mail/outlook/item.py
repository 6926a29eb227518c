"""A mail of Outlook, or another of its items, as it is kept: properties, recipients, attachments."""

from dataclasses import field

from ralph_cli.core.deferred.dataclasses import dataclass
from ralph_cli.documents.mail.outlook.properties import Properties


@dataclass(slots=True)
class Attachment:
    """The properties of an attachment; `item` is the mail that it is, if it is one."""

    properties: Properties
    item: "Item | None" = None


@dataclass(slots=True)
class Item:
    """A mail with all that belongs to it; `doubts` say what is damaged or missing of it."""

    properties: Properties
    recipients: list[Properties] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
