"""What was left out of a page's text, and what could not be known."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ralph_cli.core.document import Caution
from ralph_cli.documents.office.findings import Findings


@dataclass(slots=True)
class PageFindings(Findings):
    """What was found on a page: also documents in it, and styles that were not read.

    `linked` styles are in other files, `unresolved` ones in the page.
    """

    embedded: int = 0
    linked: int = 0
    unresolved: int = 0
    unknown_contents: set[str] = field(default_factory=set)
    """What the property `content` says where the text that it makes is not known."""

    def cautions(self, unknown_numbers: int = 0) -> tuple[Caution, ...]:
        """What was found, in words."""
        return (*Findings.cautions(self, unknown_numbers), *self._unread())

    def _unread(self) -> Iterator[Caution]:
        unresolved = self.unresolved + len(self.unknown_contents)
        unread = [f"{self.linked} in other files"] * bool(self.linked)
        unread += [f"{unresolved} in the page"] * bool(unresolved)
        if unread:
            message = f"styles that could not be read: {', '.join(unread)}; what they hide or show is not known"
            yield Caution("styles-unread", message)
        if self.embedded:
            yield Caution("embedded-unread", f"embedded documents that were not read: {self.embedded}")
