"""Findings about an office document: content that is hidden, left out, missing or unreadable."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.sight import is_unseen
from ralph_cli.text.raised import cross_out

CLOSED_LIST = "in lists of choices that are closed"
# Reason for text that is left out but not hidden on purpose.
MERGED = "in cells that are merged or deleted"

_MOST_NAMES = 8
_LONGEST_NAME = 200
_MOST_DAMAGED = 20
_LONGEST_EXAMPLE = 200
_LONGEST_DOUBT = 900
# Codes of errors that concern the whole file, even if a part of it raises them.
_OF_WHOLE_FILE = frozenset({"too-big", "encrypted", "unsupported"})


@dataclass(slots=True)
class Findings:
    """Counts of findings, such as characters by the reason why they are hidden, struck-out characters, and symbols."""

    hidden: Counter[str] = field(default_factory=Counter)
    changed: bool = False
    struck: int = 0
    doubtful: list[str] = field(default_factory=list)
    symbols: int = 0
    comments: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    """Content that is not read, by its kind in the plural."""
    missing: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    unreadable: list[tuple[str, tuple[int, ...]]] = field(default_factory=list)
    """Faults of parts that could not be read, each with the numbers of the pages concerned."""
    notices: list[Caution] = field(default_factory=list)
    """Cautions that only one format has."""

    def hide(self, text: str, reason: str) -> None:
        """Record that `text` is left out for this reason."""
        if count := len("".join(text.split())):
            self.hidden[reason] += count

    def take(self, text: str, why: str) -> str:
        """Return what is written of a text with this answer of `sight`: "" if it is unseen, else all of it."""
        if is_unseen(why):
            self.hide(text, why)
            return ""
        self.doubtful += [text] * bool(why and text.strip())
        return text

    def strike(self, text: str) -> str:
        """Return a struck-out text as it is written, and count it."""
        self.struck += len("".join(text.split()))
        return cross_out(text)

    def miss(self, part: str) -> None:
        """Record that a part that the document refers to is missing."""
        if part not in self.missing:
            self.missing.append(part)

    def leave(self, what: str, name: str = "") -> None:
        """Record that content of the kind `what` (a plural) is not read; the first few are named."""
        words = " ".join(name.split())
        if len(words) > _LONGEST_NAME:
            words = f"{words[:_LONGEST_NAME].rpartition(' ')[0] or words[:_LONGEST_NAME]}..."
        named = f"{what} ({words})" if name else what
        self.unread[named if named in self.unread or len(self.unread) < _MOST_NAMES else what] += 1

    def pass_over(self, parts: list[str]) -> None:
        """Record that parts of the file were skipped because nothing refers to them."""
        if parts:
            what = "parts of the file were not read, for nothing that was read refers to them"
            self.doubts.append(f"{what}: {_list_names(parts)}")

    def note_damage(self, error: DocumentError, what: str, at: int, of_file: Collection[str] = _OF_WHOLE_FILE) -> None:
        """Record that sheet, slide or chapter `at` cannot be read. Raises `error` if it concerns the whole file."""
        if error.code in of_file:
            raise error
        why = error.message.partition(" is damaged: ")[2] or error.message
        self.unreadable.append((f"{what}: {why}", (at,)))

    def advise(self, usual: str) -> str:
        """Return the advice for a document without text: `usual`, unless the text may be elsewhere than in pictures."""
        if not self.missing and not self.unread.keys() - {"pictures"}:
            return usual
        elsewhere = [one.message for one in self.cautions() if one.code in ("unread-content", "missing-part")]
        advice = "open the file in the program that it was made for, and insert this content as text"
        return "; ".join([*elsewhere, advice])

    def cautions(self, unknown_numbers: int = 0) -> tuple[Caution, ...]:
        """Return the findings as cautions."""
        found = [*self.notices]
        if self.hidden:
            what = f"{self.hidden.total():,} characters ({describe_reasons(self.hidden)})"
            found.append(Caution("hidden-text", f"hidden text omitted: {what}"))
        if self.doubtful:
            words = " ".join(" ".join(self.doubtful).split())
            shown = words if len(words) <= _LONGEST_EXAMPLE else f"{words[:_LONGEST_EXAMPLE].rstrip()}..."
            message = f"{len(words.replace(' ', '')):,} white characters stand where a picture, a shape or a pattern "
            message += f"may be behind them; whether they are seen is not known: \u201c{shown}\u201d"
            found.append(Caution("visibility-unknown", message))
        if self.changed:
            found.append(Caution("tracked-changes", "tracked changes: deletions are omitted, insertions are kept"))
        if self.struck:
            what = f"{self.struck:,} characters are struck out: they are marked, with a stroke on each character"
            found.append(Caution("struck-out", what))
        if self.comments:
            what = "1 comment is" if self.comments == 1 else f"{self.comments:,} comments are"
            where = "given at the end, marked: not the document's own words"
            found.append(Caution("comments", f"{what} {where}"))
        if self.symbols:
            found.append(Caution("symbols", f"{self.symbols:,} symbols of special fonts are shown as U+FFFD"))
        if unknown_numbers:
            what = f"{unknown_numbers:,} numbers of paragraphs are given in decimals"
            found.append(Caution("numbering", f"{what}: the document writes them otherwise"))
        if self.unread:
            kinds = ", ".join(f"{kind}: {count:,}" for kind, count in sorted(self.unread.items()))
            found.append(Caution("unread-content", f"not read: {kinds}"))
        if self.missing:
            names = _list_names(self.missing)
            found.append(Caution("missing-part", f"the document refers to what is not in the file: {names}"))
        found += (Caution("damaged", doubt[:_LONGEST_DOUBT], pages) for doubt, pages in self._damage())
        return tuple(found)

    def _damage(self) -> list[tuple[str, tuple[int, ...]]]:
        damage = [*((doubt, ()) for doubt in self.doubts), *self.unreadable]
        if len(damage) > _MOST_DAMAGED:
            pages = sorted({number for _, numbers in damage[_MOST_DAMAGED:] for number in numbers})
            rest = f"{len(damage) - _MOST_DAMAGED:,} more parts could not be read"
            damage[_MOST_DAMAGED:] = [(rest, tuple(pages))]
        return damage


def _list_names(names: list[str]) -> str:
    """Return the first names, and the number of further ones."""
    more = len(names) - _MOST_NAMES
    return ", ".join(name[:80] for name in names[:_MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def describe_reasons(counts: Counter[str]) -> str:
    """Return the reasons why content is not seen, each with its count."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()))
