"""Passages that may limit a statement: sentences that share its terms, more so with words such as "except". Pure.

A local search can only propose: whether a passage limits a statement is for a reader to say. What limits a statement is
often said in quite other words, so much of it is not found here.
"""

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from ralph_cli.core.document import Document, Member
from ralph_cli.core.structure import Clause, Span
from ralph_cli.documents.structure.clauses import above, named_clauses
from ralph_cli.text.lexicon import MONTHS, STOP_WORDS
from ralph_cli.text.quantities.vocabulary import ABOUT, FRACTIONS, NUMBER_WORDS, PACES, PHYSICAL, SCALES, TIMES
from ralph_cli.text.scan import strip_interval
from ralph_cli.text.sentences import sentence_ends

STRONG_CUES = re.compile(
    r"\b(?:except(?:ions?|ed)?|unless|notwithstanding|subject\s+to|provided\s+(?:that|however)|other\s+than"
    r"|however|does\s+not\s+apply|do\s+not\s+apply|shall\s+not\s+apply|limited\s+to|excluding|excludes|not\s+include"
    r"|waive[rds]*|amend(?:ed|ment|s)|restate(?:d|ment)|supersede[sd]?|terminat(?:ed|es)|revis(?:ed|ion)"
    r"|correct(?:ed|ion)|reclassif\w+|no\s+longer|instead\s+of|replaced|only\s+(?:if|when|where|to)|in\s+no\s+event)\b"
)
"""Words with which documents limit, change or take back what they say elsewhere, for text in small letters: so it is
looked through in a quarter of the time."""

WEAK_CUES = re.compile(
    r"\b(?:(?:may|shall|must|will|can|does|do|is|are)\s+not|cannot|no\s+(?=\w+\s+(?:is|are|shall|will|may)\b)|if|before|until"
    r"|suspend\w*|abate\w*|delet(?:ed|ion)|in\s+lieu\s+of|with\s+effect\s+from|applies\s+only|increase[sd]?\s+to|reduced\s+to"
    r"|decrease[sd]?\s+to|raised\s+to|lowered\s+to|chang(?:ed|es)\s+to|early|postpone[sd]?|extend(?:ed|s)|expire[sd]?)\b"
)
"""Words that do so at times; a passage with one of them alone counts for less."""

_CUES = re.compile(f"{STRONG_CUES.pattern}|{WEAK_CUES.pattern}")

STRONG_CUE_WEIGHT, WEAK_CUE_WEIGHT = 1.3, 1.15
"""What a passage with such words counts for; one without any counts for 1."""

MAX_PASSAGE, FEWEST_WORDS, REPEATED = 700, 5, 0.2
"""Characters of a passage, words of a sentence that says something, and the share of terms that are not a quote's up to
which it repeats the quote."""

MIN_SCORE, FEW_PASSAGES = 0.68, 60
"""Share of a statement's terms, by weight, that a passage must have, as measured on real documents; where no more than
so many sentences limit anything, they need no more than the terms that tell what the statement is about."""

TELLING = 0.75
"""Share of the weight of a statement's rarest term from which on another term tells as much what it is about."""

LONE_DIGIT = 10
"""A whole number below it says too little to be another one, rounded."""

SAME_LABELS = 1
"""Other rows with a label and other figures up to which they may speak of the same."""

SAME_SHARE = 0.25
"""Share of a statement's terms, by weight, that the words before a figure have which is of the same."""

EVERYWHERE, FEW_SENTENCES = 0.02, 30
"""Share and number of sentences above which a term that they have, such as a company's name, is no subject."""

QUOTED_WEIGHT, LENGTH_WEIGHT = 0.5, 0.05
"""What a term counts for that stands in the quotes only, and how much a sentence's own terms lessen shared ones."""

OUTER_PART_WEIGHT, BEGINNING_CHARS = 0.5, 1_500
"""What it counts for to name the part around a quote's, and characters that tell of what a document speaks."""

SHORT_SENTENCE, FEW_NAMINGS, SUBJECT_WORDS = 12, 3, 2
"""Terms of a sentence up to which a part that it names is what it speaks of, the most sentences that name such a part,
and words of a statement that any other sentence must share."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_ENDING = re.compile(r"(?<=.)(?:ies|es|e|s|ed|ing|ly|y)$")
_POINTS_TO = re.compile(
    r"(?i)\b(?:refer(?:red)?\s+to|see(?:\s+also)?|information|incorporated|(?:discuss|describ|disclos|includ|contain)ed\s+in"
    r"|furnished\s+as)\b[^.;]{0,200}?(?-i:\b[A-Z][a-z]+)[\s\u00a0]\d"
)
"""Words with which a sentence points to a part, and says nothing of it."""

_REFERS = re.compile(r"(?i)\W*(?:for\b[^.;]{0,200}?,\s*)?(?:please\s+)?(?:see|refer\s+to)\b")
"""How a sentence begins that says nothing but where something else is said."""

_BOX = "\u2610"
"""What a form offers and nobody has marked."""

_LABEL = re.compile(r"\s*(?P<label>[^\d$\u20ac\u00a3\u00a5(\u2014]*[^\W\d_]{3}[^\d$\u20ac\u00a3\u00a5(\u2014]*)")
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_AMOUNT = re.compile(r"(?<!\w)\d")
_PART_NUMBER = re.compile(r"^\s*\(?\d{1,3}(?:\.\d{1,3})*[.)]?\s+(?=[^\W\d_])")
_REPORTS = "amount based billion company ended however include included includes including made make million one per"
_REPORTS += " except provided respect subject total two unless used using year years"
_COMMON = STOP_WORDS | frozenset(_REPORTS.split())


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A passage that may limit a statement, and why it was proposed."""

    span: Span
    reason: str
    score: float


@dataclass(frozen=True, slots=True)
class _OwnPart:
    """The numbered part that a quote stands in: the terms that name it, and those of the parts around it."""

    member: Member | None
    keys: frozenset[str]
    outer: frozenset[str]


class _Spans:
    """Spans by number, kept as offsets: a long document has a hundred thousand."""

    def __init__(self) -> None:
        self._starts, self._ends = array("q"), array("q")

    def add(self, start: int, end: int) -> None:
        self._starts.append(start)
        self._ends.append(end)

    def bounds(self) -> Iterator[tuple[int, int]]:
        return zip(self._starts, self._ends, strict=True)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, number: int) -> Span:
        return Span(self._starts[number], self._ends[number])


class _Words:
    """The terms of sentences, by their number: each term is kept once, and of a sentence the numbers of its terms."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._terms: list[str] = []
        self._places: dict[int, int] = {}
        self._found = array("i")

    def __contains__(self, number: int) -> bool:
        return number in self._places

    def add(self, number: int, found: Set[str]) -> None:
        self._places[number] = len(self._found)
        self._found.append(len(found))
        for term in found:
            if term not in self._numbers:
                self._numbers[term] = len(self._terms)
                self._terms.append(term)
            self._found.append(self._numbers[term])

    def __getitem__(self, number: int) -> frozenset[str]:
        at = self._places[number] + 1
        return frozenset(map(self._terms.__getitem__, self._found[at : at + self._found[at - 1]]))


class QualifierIndex:
    """Proposes passages of one document that may limit a statement; keeps what it has worked out of the text."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._text = document.text
        self._parts: dict[Member | None, Sequence[Clause]] = {}
        self._words = _Words()
        self._holders: dict[str, array[int]] = {}

    def prepare(self) -> None:
        """Work out what does not depend on a statement, which takes half of the time of a first one."""
        _ = self._sentences, self._limiting

    @cached_property
    def _sentences(self) -> _Spans:
        """The sentences of running text."""
        text, found = self._text, _Spans()
        for start, end in self._sentence_bounds():
            span = strip_interval(text, start, end)
            said = text[slice(*span)]
            if len(said) > MAX_PASSAGE or len(said.split(maxsplit=FEWEST_WORDS)) < FEWEST_WORDS:
                continue
            found.add(*span)
        return found

    def _sentence_bounds(self) -> Iterator[tuple[int, int]]:
        """Where sentences begin and end; none runs from one document of a set into the next."""
        for low, high in self._running_text():
            start = low
            for end, begin in sentence_ends(self._text[low:high]):
                yield start, low + end
                start = low + begin
            yield start, high

    def _running_text(self) -> Iterator[tuple[int, int]]:
        """The text between tables, with their captions, of each document of the set."""
        files = [(member.start, member.end) for member in self._document.members] or [(0, len(self._text))]
        apart = [block for block in self._document.blocks if block.kind in ("table", "caption")]
        for low, high in files:
            for block in (it for it in apart if low <= it.start < high):
                if low < block.start:
                    yield low, block.start
                low = max(low, block.end)
            if low < high:
                yield low, high

    @cached_property
    def _limiting(self) -> frozenset[int] | None:
        """The sentences with words that limit, by number; None if they are more than a few."""
        said = (self._text[start:end] for start, end in self._sentences.bounds())
        numbers = (number for number, sentence in enumerate(said) if _cue_weight(sentence) > 1)
        found = frozenset(islice(numbers, FEW_PASSAGES + 1))
        return found if len(found) <= FEW_PASSAGES else None

    def _said(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def _find_holders(self, sought: Iterable[str]) -> None:
        """Learn which sentences have these terms; only of those are all terms worked out, for most have none."""
        unknown = [term for term in sought if term not in self._holders]
        if not unknown:
            return
        self._holders.update((term, array("i")) for term in unknown)
        names_sections = any(term.startswith("\u00a7") for term in unknown)
        for number, (start, end) in enumerate(self._sentences.bounds()):
            if number not in self._words:
                said = self._text[start:end]
                has_term = any(map(said.casefold().__contains__, unknown))
                if not has_term and not (names_sections and named_sections(said)):
                    continue
                self._words.add(number, terms(said) | named_sections(said))
            for term in self._words[number].intersection(unknown):
                self._holders[term].append(number)

    @cached_property
    def _rows(self) -> dict[str, list[Span]]:
        """Rows of tables by their label."""
        rows: dict[str, list[Span]] = {}
        for table in self._document.tables:
            for row in table.rows[table.header_rows :]:
                if label := row_label(self._text[row.start : row.end]):
                    rows.setdefault(label, []).append(Span(row.start, row.end))
        return rows

    def candidates(
        self, statement: str, quotes: Sequence[Span], excluded: Iterable[Span], limit: int
    ) -> list[Qualifier]:
        """Up to `limit` passages for a statement that rests on `quotes`, best first; none lies in one of `excluded`.

        In a set the best of another document than the quotes' is proposed beside them: documents may disagree.
        """
        seen = list(excluded)
        texts = [self._text[quote.start : quote.end] for quote in quotes]
        telling = [text for quote, text in zip(quotes, texts, strict=True) if not self._is_header(quote)]
        found = [*self._other_values(statement, texts), *self._by_terms(statement, telling, self._own_parts(quotes))]
        quoted = {self._document.member_at(span.start) for span in (*quotes, *seen)}
        found += self._figures_elsewhere(statement, texts, quoted)
        ranked = sorted(found, key=lambda item: (-item.score, item.span.start))
        chosen = _take_apart(ranked, seen, limit)
        others = [item for item in ranked if self._document.member_at(item.span.start) not in quoted]
        if not any(item in others for item in chosen):
            chosen += _take_apart(others, [*seen, *(item.span for item in chosen)], 1)
        return chosen

    def _is_header(self, quote: Span) -> bool:
        """Whether a quote only names the columns of a table, or says in what its figures are given."""
        table, block = self._document.table_at(quote.end - 1), self._document.block_at(quote.start)
        in_header = table is not None and table.row_at(quote.end - 1) < table.header_rows
        return in_header or (table is None and block is not None and block.kind == "caption")

    def _figures_elsewhere(
        self, statement: str, quotes: Sequence[str], quoted: Set[Member | None]
    ) -> Iterator[Qualifier]:
        """The sentence or row of another document than those `quoted` that most plainly gives another figure for the
        same: most words before its first figure are those of the statement or its quotes, a telling one among them.
        """
        statement, quote = self._without_names(statement), " ".join(quotes)
        own, stated = terms(statement), _without_years(f"{statement} {quote}")
        said = own | terms(quote)
        if not self._document.members or _FIGURE.search(statement) is None:
            return
        self._find_holders(said)
        weights = {term: self._rarity(term) for term in own}
        least = SAME_SHARE * sum(weights.values())
        telling = self._telling(own - _MEASURES, terms(quote))
        numbers = sorted(set().union(*(self._holders[term] for term in own)))
        places = [
            self._sentences[number]
            for number in numbers
            if sum(weights.get(term, 0.0) for term in self._words[number]) >= least
        ]
        places += [span for term in own for span in self._labelled.get(term, ())]
        best: tuple[float, Span] | None = None
        for span in places:
            text = _PART_NUMBER.sub("", self._said(span))
            figure = _AMOUNT.search(text)
            if figure is None or self._document.member_at(span.start) in quoted:
                continue
            label = terms(text[: figure.start()])
            shared = label & said
            others = _without_years(text)
            is_another = telling.isdisjoint(label) or 2 * len(shared) < len(label)
            if is_another or not others or _say_the_same(stated, others):
                continue
            score = sum(weights[term] for term in shared & own) * len(shared) / len(label)
            if score >= least and (best is None or score > best[0]):
                best = score, span
        if best is not None:
            yield Qualifier(best[1], "another figure in another document", 1.0)

    @cached_property
    def _labelled(self) -> dict[str, list[Span]]:
        """Rows, and lines of a few words and a figure, whose label no other has, by the terms of the label."""
        labels = {label: list(spans) for label, spans in self._rows.items()}
        for match in re.finditer(r"[^\n\f]+", self._text):
            is_short = len(match[0].split()) < FEWEST_WORDS and _FIGURE.search(match[0])
            if is_short and self._document.table_at(match.start()) is None:
                labels.setdefault(row_label(match[0]), []).append(Span(match.start(), match.end()))
        found: dict[str, list[Span]] = {}
        for label, spans in labels.items():
            for term in terms(label) if len(spans) == 1 else ():
                found.setdefault(term, []).append(spans[0])
        return found

    def _by_terms(self, statement: str, quotes: Sequence[str], parts: Sequence["_OwnPart"]) -> list[Qualifier]:
        """The sentences that share enough of a statement's terms or name its part, and do not repeat its figures."""
        said = terms(self._without_names(statement)) | named_sections(statement)
        # What stands at many places, as the header of a table does, tells nothing of this statement.
        tells = (quote for quote in quotes if self._text.count(quote) <= FEW_NAMINGS)
        quoted = terms(" ".join(tells))
        own_keys = frozenset[str]().union(*(part.keys | part.outer for part in parts))
        sought = said | quoted | own_keys
        self._find_holders(sought)
        most_often = max(len(self._sentences) * EVERYWHERE, FEW_SENTENCES)
        subject = {term for term in said - _MEASURES if len(self._holders[term]) <= most_often}
        telling = self._telling(said - _MEASURES, quoted)
        weights = {term: self._rarity(term) for term in said}
        most = sum(weights.values()) or 1.0
        weights |= {term: QUOTED_WEIGHT * self._rarity(term) for term in quoted - said}
        figures = {figure for figure in _FIGURE.findall(statement) if len(figure) > 1}
        quoted_figures = _values(" ".join(quotes))
        found = []
        for number in sorted(set().union(*(self._holders[term] for term in sought))):
            span, words = self._sentences[number], self._words[number]
            shared = [term for term in words if term in weights]
            # Long sentences share terms by chance.
            score = sum(weights[term] for term in shared) / most
            score *= len(shared) / (len(shared) + LENGTH_WEIGHT * len(words)) if shared else 0
            is_limiting = self._limiting is not None and number in self._limiting
            if own_keys.isdisjoint(words) and not is_limiting and score * STRONG_CUE_WEIGHT < MIN_SCORE:
                continue  # as most do, so that no more is worked out of them
            text = self._said(span)
            cue = _cue_weight(text)
            if len(words - quoted) <= REPEATED * len(words) and _values(text) <= quoted_figures:
                continue  # it says what the quote says
            score *= cue
            has_subject = len(subject.intersection(shared)) >= SUBJECT_WORDS
            named = max((self._names(span, words, part, cue, has_subject) for part in parts), default=0.0)
            is_strong, points = cue == STRONG_CUE_WEIGHT, _POINTS_TO.search(text) is not None
            is_near = score >= MIN_SCORE and (is_strong or not points if has_subject else is_strong and not points)
            if _REFERS.match(text) or _BOX in text:
                continue
            if not (named or ((is_near or is_limiting) and not telling.isdisjoint(words))):
                continue
            if named or not figures or not figures <= set(_FIGURE.findall(text)):
                reason = "names its section" if named else f"shares {', '.join(sorted(shared)[:6])}"
                found.append(Qualifier(span, reason, score + named))
        return found

    def _telling(self, said: Set[str], quoted: Set[str]) -> frozenset[str]:
        """Of a statement's terms the rarest that its quotes have, too, or, if they have none, that the text has."""
        known = {term for term in said & quoted if self._holders[term]} or {t for t in said if self._holders[t]}
        least = TELLING * max(map(self._rarity, known), default=0.0)
        return frozenset(term for term in known if self._rarity(term) >= least) | {t for t in said if t[0] == "\u00a7"}

    def _own_parts(self, quotes: Sequence[Span]) -> list["_OwnPart"]:
        """The numbered parts in which the quotes stand, with the title of their document."""
        found = []
        for quote in quotes:
            member = self._document.member_at(quote.start)
            clause = self._document.clause_at(quote.start)
            if clause is not None:
                own = f"\u00a7{clause.key}"
                outer = frozenset(f"\u00a7{key}" for key in above(clause.key))
                found.append(_OwnPart(member, frozenset([own, f"{own}("]), outer))
        return found

    def _names(self, span: Span, words: frozenset[str], part: "_OwnPart", cue: float, has_subject: bool) -> float:
        """How surely a sentence speaks of a part: 1 if it names it, less if it names that around it.

        One that only points there does not, nor does the heading of the part itself. A long sentence, one that names a
        part which many name, or that around it, needs words of limits and of the subject beside the name. A sentence of
        another document counts by what it, or the beginning of that document, has of the title of the part's document;
        the sentence alone, where its own document has a part of that number.
        """
        keys = part.keys & words
        worth = 1.0 if keys else OUTER_PART_WEIGHT
        keys = keys or part.outer & words
        if not keys or (_POINTS_TO.search(self._said(span)) and cue < STRONG_CUE_WEIGHT):
            return 0.0
        member = self._document.member_at(span.start)
        is_few = all(len(self._holders[key]) <= FEW_NAMINGS for key in keys)
        is_about = len(words) <= SHORT_SENTENCE and is_few and (worth == 1 or member is not part.member)
        begun = (clause.start for clause in self._clauses(member) if f"\u00a7{clause.key}" in keys)
        if any(span.start <= start < span.end for start in begun) or not (is_about or (cue > 1 and has_subject)):
            return 0.0
        if member is part.member:
            return worth
        title, said = self._title(part.member), words
        if not any(f"\u00a7{clause.key}" in keys for clause in self._clauses(member)):
            said |= self._beginning(member)
        return worth * len(title & said) / max(len(title), 1)

    def _without_names(self, statement: str) -> str:
        """A statement without the names of the documents of the set, which say nothing of its subject."""
        for member in self._document.members:
            statement = statement.replace(member.name, " ")
        return statement

    def _clauses(self, member: Member | None) -> Sequence[Clause]:
        """The numbered parts of a document of the set, or of the document."""
        if member not in self._parts:
            bounds = (member.start, member.end) if member else (0, len(self._text))
            self._parts[member] = self._document.clauses_in(*bounds)
        return self._parts[member]

    def _beginning(self, member: Member | None, characters: int = BEGINNING_CHARS) -> frozenset[str]:
        start, end = (member.start, member.end) if member else (0, len(self._text))
        return terms(self._text[start : min(start + characters, end)])

    def _title(self, member: Member | None) -> frozenset[str]:
        """The terms of the first line of a document that has any."""
        start, end = (member.start, member.end) if member else (0, len(self._text))
        lines = self._text[start : min(start + BEGINNING_CHARS, end)].split("\n")
        return next((found for line in lines if (found := terms(line))), frozenset())

    def _rarity(self, term: str) -> float:
        """The weight of a term (inverse document frequency, Spärck Jones 1972); one that stands nowhere weighs most."""
        return math.log(1 + len(self._sentences) / (len(self._holders[term]) or 0.5))

    def _other_values(self, statement: str, quotes: Sequence[str]) -> list[Qualifier]:
        """Rows with the label of a quoted row in which none of the statement's figures stands."""
        stated = set(_FIGURE.findall(statement))
        found: dict[str, list[Qualifier]] = {}
        for quote in quotes:
            for line in quote.splitlines():
                label = row_label(line)
                if not label or label in found or stated.isdisjoint(_FIGURE.findall(line)):
                    continue
                others = [
                    span
                    for span in self._rows.get(label, ())
                    if not _say_the_same(stated, _FIGURE.findall(self._text, span.start, span.end))
                ]
                found[label] = [Qualifier(span, "the same label with another figure", 1.0) for span in others]
        # A label that stands in many tables is each table's own: of other parts, periods or companies.
        return [item for items in found.values() if len(items) <= SAME_LABELS for item in items]


def _take_apart(ranked: Sequence[Qualifier], taken: Sequence[Span], limit: int) -> list[Qualifier]:
    """The first `limit` passages that overlap with nothing `taken`, nor with each other."""
    chosen: list[Qualifier] = []
    for item in ranked:
        apart = [*taken, *(other.span for other in chosen)]
        if len(chosen) < limit and not any(item.span.start < it.end and it.start < item.span.end for it in apart):
            chosen.append(item)
    return chosen


def _values(text: str) -> set[float]:
    """The figures of a text as numbers, so that 20.0 is 20."""
    return {float(plain) for figure in _FIGURE.findall(text) if (plain := figure.replace(",", "")).count(".") < 2}


def _without_years(text: str) -> list[str]:
    """The figures of a text that are no years, which two statements may share that give other figures."""
    return [figure for figure in _FIGURE.findall(text) if not re.fullmatch("(?:19|20)\\d\\d", figure)]


def _say_the_same(stated: Iterable[str], row: Iterable[str]) -> bool:
    """Whether a figure of a row is one of those stated, or one is the other in thousands or millions, rounded."""
    values, others = _values(" ".join(stated)), _values(" ".join(row))
    return not (others.isdisjoint(_rounded(values) | values) and values.isdisjoint(_rounded(others)))


def _rounded(values: Iterable[float]) -> set[float]:
    """The values as they are, in thousands and in millions, each to none, one and two digits; no lone digit."""
    found = {round(value / scale, digits) for value in values for scale in (1, 1e3, 1e6) for digits in (0, 1, 2)}
    return {value for value in found if value >= LONE_DIGIT or value != int(value)}


def _cue_weight(text: str) -> float:
    folded = text.casefold()
    if not _CUES.search(folded):
        return 1.0  # as for most, in one search
    return STRONG_CUE_WEIGHT if STRONG_CUES.search(folded) else WEAK_CUE_WEIGHT


def terms(text: str) -> frozenset[str]:
    """The words of a text that say what it is about, without their endings."""
    return frozenset(map(_as_term, _WORD.findall(text))) - _NO_TERM


@lru_cache(maxsize=16_384)
def _as_term(word: str) -> str:
    """The word without its ending in small letters; empty if it says nothing."""
    folded = word.casefold()
    return "" if folded in _COMMON else _ENDING.sub("", folded)


_NO_TERM = frozenset([""])
_MEASURES = frozenset(map(_as_term, (*MONTHS, *NUMBER_WORDS, *SCALES, *FRACTIONS, *TIMES, *PACES, *PHYSICAL, *ABOUT)))
"""Terms that say how much or when, and nothing of what a statement is about."""


def named_sections(text: str) -> frozenset[str]:
    """The numbered parts that a text names, as terms: "\u00a72.1"."""
    return frozenset(f"\u00a7{key}" for key in named_clauses(text))


def row_label(row: str) -> str:
    """The label of a table's row, folded for comparing; empty if it has none."""
    match = _LABEL.match(row)
    return " ".join(match["label"].split()).casefold().strip(" :-") if match else ""
