"""Where ralph's text of a file differs from what another reader sees, each difference with its class."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Set

from readers import Seen

from ralph_cli.core.document import Caution, Document
from ralph_cli.text.raised import STRUCK_OPENING

_LOSSES = (
    "hidden-text", "tracked-changes", "unread-content", "missing-part", "damaged", "damaged-file",
    "damaged-pages", "unreadable-pages", "no-text", "nameless-letters", "garbled-letters", "changed-letters",
    "unread-print", "incomplete", "stored-values",
)  # fmt: skip
"""Codes of cautions that say that words or figures of the file are not in its text as they are shown."""

_TOKEN = re.compile(r"\d+(?:[.,'\u2019]\d+)*|[^\W\d_]+")
_COMMAS = re.compile(r"\d{1,3}(?:[,'\u2019]\d{3})+(?:\.\d+)?")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")
"""Figures whose thousands are parted by commas, or by points."""

_UNSEEN = re.compile("[\u00ad\u0336\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_NUMBER = re.compile(r"^\W*(\w[\w.]{0,8})[.)] ", re.MULTILINE)
_LONG = 4
"""Letters that do not stand in a row by chance."""


def tokens(text: str) -> list[str]:
    """Words and figures, without what only shapes letters, parts thousands or takes no room."""
    clean = _UNSEEN.sub("", text.replace(STRUCK_OPENING, "[")).replace("\u2044", "/")
    found = _TOKEN.findall(unicodedata.normalize("NFKC", clean).casefold())
    return [_figure(one) if _is_figure(one) else one for one in found]


def classify(document: Document, seen: Seen) -> dict[str, list[str]]:
    """The words and figures in which two readers differ, by the class of the difference."""
    origins = _split(document)
    plain, shown, held = origins[""], Counter(tokens(seen.shown)), Counter(tokens(seen.held))
    ours, theirs = sum(origins.values(), Counter[str]()), shown | held
    unshown, unread = ours.keys() - shown.keys(), theirs.keys() - ours.keys()
    our_row, shown_row, held_row = ("".join(tokens(text)) for text in (document.text, seen.shown, seen.held))
    divided = _find_divided(unshown, unread, shown_row, our_row)
    divided |= _find_divided(unshown - held.keys(), unread, held_row, our_row)
    if shown == held and _letters(ours - theirs) == _letters(theirs - ours):
        divided |= {one for one in unshown | unread if not _is_figure(one)}
    same = _find_same(unread, ours) | _find_same(unshown, theirs)
    numbers = {*tokens(" ".join(_NUMBER.findall(document.text)))}
    lost = sum(len(one) for one in unread - divided - same if held[one])
    told = next((it.code for it in document.cautions if it.code in _LOSSES and lost <= _told_characters(it)), "")

    def name_ours(one: str) -> str:
        if one in shown or (one in held and not plain[one]):
            return "more often in ralph" if ours[one] > theirs[one] else ""
        if one in divided:
            return "other word boundaries"
        if not plain[one]:
            return f"marked by ralph: {next(origin for origin in origins if origins[origin][one])}"
        if one in held:
            return "not shown by the other, not marked by ralph"
        if one in same:
            return "figure with other decimals"
        if one in numbers:
            return "number of a paragraph only in ralph"
        return "figure only in ralph" if _is_figure(one) else "word only in ralph"

    def name_theirs(one: str) -> str:
        if one in ours:
            return "more often in the other" if ours[one] < min(shown[one], held[one]) else ""
        if one in divided:
            return "other word boundaries"
        if one in same:
            return "figure with other decimals"
        if not shown[one]:
            return f"left out with a notice, not shown: {told}" if told else "left out in silence, not shown"
        if not held[one]:
            return "made by the other when it draws"
        if told:
            return f"left out with a notice: {told}"
        return "figure missing in silence" if _is_figure(one) else "word missing in silence"

    found: dict[str, list[str]] = {}
    for few, name in ((ours, name_ours), (theirs, name_theirs)):
        for one in few:
            if named := name(one):
                found.setdefault(named, []).append(one)
    if "figure only in ralph" in found and "figure missing in silence" in found:
        found["figure changed"] = [*found.pop("figure missing in silence"), "->", *found.pop("figure only in ralph")]
    return found


def _split(document: Document) -> dict[str, Counter[str]]:
    """The words of the running text, whose origin is "", and those of what is marked, by origin."""
    found = {"": Counter[str]()}
    at = 0
    for one in document.additions:
        found[""].update(tokens(document.text[at : one.start]))
        found.setdefault(one.origin, Counter()).update(tokens(document.text[one.start : one.end]))
        at = one.end
    found[""].update(tokens(document.text[at:]))
    return found


def _told_characters(caution: Caution) -> float:
    """How many characters a notice says are left out; any number if it gives none."""
    count = re.search(r"([\d,]+) characters", caution.message)
    return int(count[1].replace(",", "")) if count else math.inf


def _find_divided(ours: Set[str], theirs: Set[str], their_rows: str, our_row: str) -> set[str]:
    """Words whose letters the other reader has in a row, too, but in other words."""
    found: set[str] = set()
    for few, row, others in ((ours, their_rows, theirs), (theirs, our_row, ours)):
        long = {one for one in few if len(one) >= _LONG and one in row}
        found |= long | {one for one in others if any(one in other for other in long)}
    return found


def _find_same(few: Iterable[str], others: Iterable[str]) -> set[str]:
    """Figures that the other reader has with more or fewer decimals."""
    known = defaultdict(set)
    for one in filter(_is_figure, others):
        known[one.partition(".")[0]].add(one)
    return {one for one in filter(_is_figure, few) if any(_is_rounded(one, it) for it in known[one.partition(".")[0]])}


def _is_rounded(one: str, other: str) -> bool:
    """Whether two figures are one, with more or fewer decimals."""
    rounded, value = sorted((one, other), key=len)
    decimals = len(rounded.partition(".")[2])
    is_number = rounded.count(".") == 1 and value.count(".") == 1
    return is_number and round(float(value), decimals) == float(rounded)


def _is_figure(token: str) -> bool:
    return token[0].isdigit()


def _figure(one: str) -> str:
    """A figure with a point before its decimals, no other separators, and no zeros before a whole number."""
    parted = "[,'\u2019]" if _COMMAS.fullmatch(one) else r"\." if _POINTS.fullmatch(one) else "$"
    figure = re.sub("[,'\u2019]", ".", re.sub(parted, "", one))
    return re.sub(r"^0+(?=\d)", "", figure)


def _letters(words: Counter[str]) -> Counter[str]:
    return Counter("".join(one for one in words.elements() if not _is_figure(one)))
