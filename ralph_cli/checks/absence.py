"""That something is not in a document: the record of the search, and whether a search of the text speaks against it.

What "refutes" can honestly mean without a model: there are places that bear on the question, and no model was shown
them. Whether they answer it is for the worker to say when it has seen them; its word then stands, as its word.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from operator import attrgetter

from ralph_cli.core.coverage import Spans, count_covered, format_ranges, merge_spans
from ralph_cli.core.document import Document, Member
from ralph_cli.core.run import (
    Absence,
    Attempt,
    Claim,
    Draft,
    DraftClaim,
    Evidence,
    Issue,
    Passage,
    Quote,
    Ruling,
    Search,
    Verdict,
)
from ralph_cli.core.structure import Span
from ralph_cli.retrieval.search.nearest import WINDOW, NearPassage, find_words, key_words, nearest_passages
from ralph_cli.retrieval.search.occurrences import SearchCounter, SearchTerm, Tally
from ralph_cli.text.lexicon import NEGATIONS
from ralph_cli.text.sentences import line_at, sentence_ends

NAME = "absence"
RARE_WORD_MAX_PLACES = 12
"""A word of the question that stands in no more places ought to have been looked for."""

VERY_FEW_PLACES = 2
"""Places up to which such a word is telling by itself; other ones are where several rare words stand together."""

FEW_PLACES = 8
"""A searched term that stands in no more places ought to have been looked at in all of them."""

ENOUGH_OTHERS = 2
"""Terms without a word of the question that were counted, from which on it was looked for in other words."""

SAME_LETTERS = 5
"""Letters at the beginning by which a word is taken for a form of another: "sublet", "subletting"."""

MIN_NEAR_SHARE = 0.4
"""Share of the question, by weight, that a passage must hold if nothing of what was searched is there: what the text
does not have weighs most, so its common words alone are no reason to look again."""

MAX_PLACES_SHOWN, MAX_PLACES_PER_TERM = 5, 2
"""Places that are pointed out at once, and places of one term among them."""

MAX_LINE_CHARS = 300
_BY_START = attrgetter("start")


_DOCUMENT = r"\b(?:document|filing|report|contract|agreement|lease|memo|text|file|notes?|10-[kq])\b"
_NOT_SAID = re.compile(
    rf"(?i){_DOCUMENT}[^.;]{{0,60}}?\b(?:do(?:es)?|did)(?: not|n['\u2019]t) (?:mention|disclose|state|say|specify"
    r"|contain|report|provide|identify|give|name|list|include|address|discuss|quantify|explain)\b"
    rf"|{_DOCUMENT} (?:gives|states|names|discloses|reports|provides|identifies|specifies) (?:no|none|nothing)\b"
    r"|\b(?:no|not any) (?:mention|disclosure|reference|statement|indication)\b"
    r"|\b(?:is|are|was|were)(?: not|n['\u2019]t) (?:mentioned|disclosed|stated|specified|identified|discussed|addressed"
    r"|quantified)\b|\b(?:found|find|located) (?:no|none|nothing)\b|\b(?:says?|said) nothing\b|\b(?:is|are) silent\b"
)
"""Words that speak of what the document says, and not of what it speaks of."""


_NOT_NAMED = re.compile(
    r"(?i)\b(?:not|never|nowhere|no)\b[^.;]{0,40}\b(?:mention|name|word|term)\w*|n['\u2019]t (?:mention|name)\b"
    r"|\b(?:mention|name|use|say)\w*\b[^.;]{0,40}\bnowhere\b"
)
"""Words that speak of a word, which stands in a text or does not, and not of what is meant by it."""

_NO = re.compile(
    rf"(?i)\b(?:{NEGATIONS}|silent|absent|missing|lacks?|omits?|omitted|unknown|unstated|undisclosed|unspecified)\b"
)
_BESIDE = r"but|while|whereas|although|though|however|yet"
_NEXT = re.compile(rf"(?i)[;\n]|,?\s+(?:{_BESIDE})\b")
_FIRST = re.compile(rf"(?i)\A\W*(?:{_BESIDE})\b[^,]*,")
"""What parts a statement from another one beside it, behind it or before it."""

_STATED = re.compile(r"\w+\W+\w+\W+\w+")
_SUM = re.compile(
    r"(?i)[$\u20ac\u00a3\u00a5]\s?(\d[\d.,]*)|(\d[\d.,]*)\s?(?:%|per\s?cent\b|thousand\b|[mb]illion\b|(?-i:[A-Z]{3})\b)"
)
"""A figure that is no year, date or number of a part."""


def find_positive_part(claim: DraftClaim | Claim, question: str) -> str:
    """The words of a claim that something is not there which say that something is; empty if there are none.

    They are a sentence or clause without a negation, or a sum or share that was neither asked for nor searched.
    """
    text = " ".join(claim.text.split())
    terms = claim.searched if isinstance(claim, DraftClaim) else tuple(search.term for search in claim.searches)
    ends = [0, *(end for end, _ in sentence_ends(text)), len(text)]
    for start, end in pairwise(ends):
        first = _FIRST.match(text[start:end])
        middle = start + first.end() if first else start
        for part in (text[start:middle], *_NEXT.split(text[middle:end])):
            if _STATED.search(part) and not _NO.search(part):
                return part.strip(" ,;")
    known = " ".join((question, *terms))
    return next((match[0] for match in _SUM.finditer(text) if (match[1] or match[2]) not in known), "")


def says_absent(text: str) -> bool:
    """Whether a claim says that the document does not say something."""
    return _NOT_SAID.search(text) is not None


def describe_searches(searches: Sequence[Search]) -> str:
    """What was searched, with the number of places as code counted them, in a line."""
    return f"counted by code: {', '.join(map(describe_count, searches))}"


def describe_count(search: Search) -> str:
    """One search in words, and in how many places it stands."""
    words = f"\u201c{search.words}\u201d" if search.pattern else search.words
    within = f" (in {search.within} only)" if search.within else ""
    return f"{words}{within}: {'not counted' if search.hits is None else search.hits}"


def _drop_same(tallies: Sequence[Tally]) -> tuple[Tally, ...]:
    """Each search once, by its words: what code searched as an expression, and was named as a word, has one count."""
    found: dict[tuple[str, str], Tally] = {}
    for tally in tallies:
        found.setdefault((tally.search.words.casefold(), tally.search.within), tally)
    return tuple(found.values())


def has_form(term: str, stem: str, word: str) -> bool:
    """Whether a term that was searched has a word of what was asked, by its `stem` or by how it begins."""
    begun = word[:SAME_LETTERS].casefold()
    is_long = len(begun) == SAME_LETTERS
    forms = (is_long and form.startswith(begun) for form in re.findall(r"\w+", term.casefold()))
    return bool(find_words({stem: word}, term)) or any(forms)


def rule_on_absence(claim: Claim, question: str) -> Ruling | None:
    """What stands in place of a judge's word on a claim that says only that something is not in the document; None for
    one that has quotes, or says something else, too."""
    if not claim.searches or claim.quotes or find_positive_part(claim, question):
        return None
    return Ruling(claim.id, Verdict.ABSENT, describe_searches(claim.searches), "code")


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the document that bears on the question, and by which word."""

    start: int
    end: int
    word: str


@dataclass
class AbsenceReview:
    """Looks at what a worker says is not there.

    `code_searches` gives what the worker's code searched, `shown_spans` what a model was shown; `again` is what is
    to be handed in if it is so. A statement about one document of a set, the `member`, is held to that one.

    A statement is sent back, with exact places that no model was shown, if
    - a term that the worker says it searched is there, and not one of its places was looked at (or, of a term that
      stands in few places, one on a page of which nothing was);
    - rare words of the question, or a very rare one, are there, and were neither searched for nor seen;
    - nothing of what was searched is there, or a word of the question is not: the document may use others.
    The refusal shows the lines themselves; whoever says so again has seen them, and the statement stands.
    """

    document: Document
    question: str
    code_searches: Callable[[], tuple[SearchTerm, ...]]
    shown_spans: Callable[[], Spans]
    again: str = "not_found again"
    member: Member | None = None
    is_of_words: bool = False
    _has_refused: bool = False
    _claim_reviews: dict[str, "AbsenceReview"] = field(default_factory=dict)
    _quoted: Spans = ()
    _told_claims: set[str] = field(default_factory=set)

    def issues(self, absence: Absence) -> tuple[Issue, ...]:
        """The refusal, if there are places to look at; it is made once in a run, as whoever says so again was told."""
        if self._has_refused:
            return ()
        tallies = self._tallies(absence)
        places: list[Place] = []
        for place in self._unseen_places(tallies):
            if all(place.end < other.start or other.end < place.start for other in places):
                places.append(place)
        places = places[:MAX_PLACES_SHOWN]
        words = self._words_to_replace(tallies)
        issue = (
            self._other_words_refusal(words, tallies, places) if words else self._refusal(places) if places else None
        )
        self._has_refused = issue is not None
        return (issue,) if issue else ()

    def _words_to_replace(self, tallies: Sequence[Tally]) -> list[str]:
        """The words of the question for which the document may use others: those that stand nowhere in it, or, if
        nothing that was searched does, the rare ones. None when all of the text was read, or enough other words were
        searched. What a worker searched tells which words name the subject: nobody searches for "drove" or "speaks".
        """
        low, high = self._bounds
        if self.is_of_words or count_covered(self.shown_spans(), low, high) >= high - low:
            return []
        places = Counter(stem for _, _, stem in self._question_places)
        has_hits = any(tally.search.hits for tally in tallies)
        counted = [tally.search.term for tally in tallies if tally.search.hits is not None]
        asked = self._question_words
        named = {stem: word for stem, word in asked.items() if any(has_form(term, stem, word) for term in counted)}
        named = named or asked
        words = [word for stem, word in named.items() if not places[stem]]
        if not words and not has_hits:
            rare = [word for stem, word in named.items() if places[stem] <= RARE_WORD_MAX_PLACES]
            words = rare or list(named.values()) or ["what was asked"]
        return words if sum(map(self._is_other_word, counted)) < ENOUGH_OTHERS else []

    def _is_other_word(self, term: str) -> bool:
        """Whether a term that was searched has none of the words of the question, in whatever form."""
        return not any(has_form(term, stem, word) for stem, word in self._question_words.items())

    def _other_words_refusal(self, words: Sequence[str], tallies: Sequence[Tally], places: Sequence[Place]) -> Issue:
        """The refusal of a search for words that the document does not have: it may say the same in others."""
        searched = [tally.search for tally in tallies if tally.search.by == "worker"]
        message = f"searched, {describe_searches(searched)}. " if searched else ""
        message += f"The document may say it without the words {', '.join(words)}: search for others that it may use. "
        if places:
            where = self._pages_of(places)
            message += f"Look at these places, which bear on it and which you have not seen{where}: at(offset) prints "
            message += "what stands around them. "
        message += f"If nothing answers it then, hand in {self.again}, with all that you searched for, and it stands"
        return Issue(NAME, message, material="\n".join(map(self._render_place, places)))

    def claim_issues(self, claims: Sequence[DraftClaim], quotes: Sequence[Quote] = ()) -> tuple[Issue, ...]:
        """What speaks against claims that something is not in the document: each is sent back once.

        The lines of `quotes`, which are handed in with them, were looked at.
        """
        self._quoted = tuple(map(self._line_of, quotes))
        found: list[Issue] = []
        for number, claim in enumerate(claims, 1):
            key = " ".join(claim.text.split())
            if claim.searched:
                positive = "" if claim.quotes else find_positive_part(claim, self.question)
                if positive and _NO.search(key):  # of one without any negation code cannot tell, and the judge is asked
                    message = (
                        f"claim {number} says that something is not in the document, and beside it that something is: "
                        "hand that in as a claim of its own, with its quotes"
                    )
                    found.append(Issue(NAME, message, number, positive))
                    continue
                for issue in self._review_of(key).issues(Absence(claim.searched)):
                    what = f"claim {number} says that something is not in the document; {issue.message}"
                    found.append(replace(issue, message=what, claim=number))
            elif says_absent(key) and key not in self._told_claims:
                self._told_claims.add(key)
                message = (
                    f"claim {number} says what the document does not say, which no quote can prove: hand it in with "
                    "`searched` in place of quotes. If the quoted words themselves say it, hand it in again"
                )
                found.append(Issue(NAME, message, number))
        return tuple(found)

    def _review_of(self, claim: str) -> "AbsenceReview":
        """The review of one claim: of the words that it has of the question, else of all that tell something."""
        if claim in self._claim_reviews:
            return self._claim_reviews[claim]
        asked = [word for stem, word in key_words(claim).items() if stem in self._question_words]
        about = " ".join(asked) or re.sub(rf"(?i){_DOCUMENT}", " ", _NOT_SAID.sub(" ", claim))
        member = self._member_named(claim)
        again, is_of_words = "the same claims again", _NOT_NAMED.search(claim) is not None
        review = AbsenceReview(self.document, about, tuple, self._seen_spans, again, member, is_of_words)
        self._claim_reviews[claim] = review
        return review

    def _member_named(self, claim: str) -> Member | None:
        """The one document of a set that a claim names by its whole name, ending included."""
        named = [member for member in self.document.members if member.name in claim]
        longest = [one for one in named if not any(one.name in other.name for other in named if other is not one)]
        return longest[0] if len(longest) == 1 else None

    def _line_of(self, quote: Quote) -> tuple[int, int]:
        page = self.document.page_at(quote.start)
        low, high = max(page.start, quote.start - MAX_LINE_CHARS), quote.end + MAX_LINE_CHARS
        return line_at(self.document.text, quote.start, quote.end, low, max(min(page.end, high), quote.end))

    def _seen_spans(self) -> Spans:
        return merge_spans(self.shown_spans(), self._quoted)

    def add_claim_searches(self, attempt: Attempt, draft: Draft) -> Attempt:
        """The attempt with what was searched for claims that something is not there, counted here."""
        if not any(claim.searched for claim in draft.claims):
            return attempt
        searches = [self._claim_searches(claim) if claim.searched else () for claim in draft.claims]
        claims = tuple(replace(claim, searches=searches[claim.id - 1]) for claim in attempt.claims)
        return replace(attempt, claims=claims)

    def _claim_searches(self, claim: DraftClaim) -> tuple[Search, ...]:
        """What its worker says that it searched for a claim: what its code searched was not for this claim alone."""
        tallies = self._review_of(" ".join(claim.text.split()))._tallies(Absence(claim.searched))
        return tuple(tally.search for tally in tallies)

    def __call__(self, attempt: Attempt) -> Evidence:
        """The same as a check of an attempt, for statements that no worker was there to be asked about."""
        return Evidence(NAME, self.issues(attempt.absence) if attempt.absence else ())

    def add_search_record(self, attempt: Attempt) -> Attempt:
        """The attempt with the record of its absence: what was searched, counted here, and the nearest passages."""
        if attempt.absence is None:
            return attempt
        counted = self.add_search_counts(attempt)
        nearest = [near for near in self._nearest_passages if near.share >= MIN_NEAR_SHARE]
        return replace(counted, nearest=tuple(map(self._passage, nearest)))

    def add_search_counts(self, attempt: Attempt) -> Attempt:
        """The attempt with what was searched for it, counted here."""
        tallies = self._tallies(attempt.absence or Absence(()))
        return replace(attempt, searches=tuple(tally.search for tally in tallies))

    def _tallies(self, absence: Absence) -> tuple[Tally, ...]:
        if self.member is None:
            return _drop_same(self._count(tuple(absence.searched), tuple(self.code_searches())))
        found = self._count((), tuple(SearchTerm(term, within=self.member.name) for term in absence.searched))
        return tuple(replace(tally, search=replace(tally.search, by="worker")) for tally in found)

    @property
    def _bounds(self) -> tuple[int, int]:
        """Where the text begins and ends of which something is said."""
        return (self.member.start, self.member.end) if self.member else (0, len(self.document.text))

    @cached_property
    def _count(self) -> Callable[[tuple[str, ...], tuple[SearchTerm, ...]], tuple[Tally, ...]]:
        return lru_cache(maxsize=1)(self.document.derive(SearchCounter).count)

    @cached_property
    def _nearest_passages(self) -> tuple[NearPassage, ...]:
        low, high = self._bounds
        found = nearest_passages(self.question, self.document.text[low:high])
        return tuple(replace(near, start=near.start + low, end=near.end + low) for near in found)

    @cached_property
    def _question_words(self) -> dict[str, str]:
        return key_words(self.question)

    @cached_property
    def _question_places(self) -> list[tuple[int, int, str]]:
        low, high = self._bounds
        found = find_words(self._question_words, self.document.text[low:high])
        return [(start + low, end + low, stem) for start, end, stem in found]

    def _passage(self, near: NearPassage) -> Passage:
        page, text = self.document.page_at(near.start), self.document.text[near.start : near.end]
        where = self.document.place_beside_pages(Span(near.start, near.end))
        return Passage(text, near.start, near.end, page.number, page.label, near.words, where)

    def _unseen_places(self, tallies: Sequence[Tally]) -> Iterator[Place]:
        """Places that bear on the question and were not looked at, those of the rarest words first."""
        shown = self.shown_spans()
        for tally in sorted(tallies, key=lambda tally: len(tally.places)):
            if tally.search.by == "worker":
                yield from self._unseen_places_of_term(tally, shown)
        yield from self._unseen_places_of_question(tallies, shown)
        if not any(tally.search.hits for tally in tallies):
            for near in self._nearest_passages:
                if near.share >= MIN_NEAR_SHARE and not count_covered(shown, near.start, near.end):
                    yield Place(near.start, near.end, ", ".join(near.words))

    def _unseen_places_of_term(self, tally: Tally, shown: Spans) -> Iterator[Place]:
        places = tally.places
        unseen = [place for place in places if not count_covered(shown, *place)]
        if len(unseen) < len(places):
            unseen = [place for place in unseen if self._is_page_unseen(place[0], shown)]
            unseen = unseen if len(places) <= FEW_PLACES else []
        yield from (Place(start, end, tally.search.term) for start, end in unseen[:MAX_PLACES_PER_TERM])

    def _unseen_places_of_question(self, tallies: Sequence[Tally], shown: Spans) -> Iterator[Place]:
        searched_terms = [tally.search.term.casefold() for tally in tallies]
        places: dict[str, list[tuple[int, int]]] = {stem: [] for stem in self._question_words}
        for start, end, stem in self._question_places:
            places[stem].append((start, end))
        rare = {stem: own for stem, own in places.items() if 0 < len(own) <= RARE_WORD_MAX_PLACES}
        unsearched = {stem for stem in rare if not any(stem.casefold() in term for term in searched_terms)}
        for stem in sorted(unsearched, key=lambda stem: len(rare[stem])):
            own = rare[stem]
            if not any(count_covered(shown, *place) for place in own):
                telling = [place for place in own if self._is_telling(place, stem, len(own), unsearched)]
                yield from (Place(*place, self._question_words[stem]) for place in telling[:MAX_PLACES_PER_TERM])

    def _is_telling(self, place: tuple[int, int], stem: str, count: int, unsearched: set[str]) -> bool:
        """Whether a place has a word of the question itself, or its plural, and rare words of it stand together there.

        One that stands in very few places, as it was asked, needs any other word of the question near it, if there is
        another one.
        """
        asked, said = self._question_words[stem].casefold(), self.document.text[slice(*place)].casefold()
        if asked.removesuffix("s") != said.removesuffix("s"):
            return False
        near = {other for start, _, other in self._question_places if abs(start - place[0]) <= WINDOW} - {stem}
        alone = count <= VERY_FEW_PLACES and asked == said and (bool(near) or len(self._question_words) < 2)
        return alone or not near.isdisjoint(unsearched)

    def _is_page_unseen(self, offset: int, shown: Spans) -> bool:
        page = self.document.page_at(offset)
        return self.document.paged and not count_covered(shown, page.start, page.end)

    def _refusal(self, places: Sequence[Place]) -> Issue:
        places = sorted(places, key=_BY_START)
        message = (
            f"there are places that bear on it and that you have not looked at{self._pages_of(places)}; here are their "
            "lines, and at(offset) prints what stands around them. If they answer it, hand in claims that say so; if "
            f"they do not, hand in {self.again}, and it stands"
        )
        return Issue(NAME, message, material="\n".join(map(self._render_place, places)))

    def _pages_of(self, places: Sequence[Place]) -> str:
        pages = dict.fromkeys(self.document.page_at(place.start).number for place in sorted(places, key=_BY_START))
        return f" (page{'' if len(pages) == 1 else 's'} {format_ranges(pages)})" if self.document.paged else ""

    def _render_place(self, place: Place) -> str:
        text = self.document.text
        page = self.document.page_at(place.start)
        first, last = line_at(text, place.start, place.end, page.start, page.end)
        low = max(first, place.start - MAX_LINE_CHARS // 2)
        high = min(last, max(place.end, low + MAX_LINE_CHARS))
        return f"page {page.number}, offset {low}: {' '.join(text[low:high].split())}\n(for: {place.word})"
