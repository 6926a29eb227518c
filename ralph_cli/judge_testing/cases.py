"""The claims of a judge test: true ones, and each of them made false in every way that code can."""

import hashlib
import random
import tomllib
from collections import Counter
from collections.abc import Sequence
from importlib import resources

from ralph_cli.core.document import Document
from ralph_cli.core.errors import DocumentError
from ralph_cli.core.results.judge_test import FALSEHOOD_KINDS, TRUE_KIND, Case
from ralph_cli.documents.limits import DEFAULT_LIMITS
from ralph_cli.documents.parsed import assemble
from ralph_cli.documents.plain.reader import parse_text
from ralph_cli.judge_testing.mutations import DocumentFacts, TrueClaim, mutate
from ralph_cli.judge_testing.true_claims import true_claims
from ralph_cli.retrieval.quotes.index import QuoteIndex

# Claims that the judge gets in one call: as many as an answer may have.
BATCH_SIZE = 7

NAME = "judge_test.md"
_CANDIDATES_PER_CLAIM = 6
# Of this many claims from a document with sentences, one at most comes from a row of a table.
_CLAIMS_PER_ROW_CLAIM = 4


def load_built_in() -> tuple[Document, tuple[TrueClaim, ...]]:
    """The document of a test without `--document`, and the claims written about it."""
    folder = resources.files("ralph_cli.judge_testing")
    data = folder.joinpath(NAME).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    parsed = parse_text(data, name=NAME, kind="markdown", encoding=None, limits=DEFAULT_LIMITS)
    document = assemble(parsed, path=NAME, kind="markdown", sha256=digest, fingerprint=digest)
    written = tomllib.loads(folder.joinpath("judge_test.toml").read_text("utf-8"))["claims"]
    return document, tuple(TrueClaim(claim["text"], tuple(claim["quotes"])) for claim in written)


def sample_claims(claims: Sequence[TrueClaim], count: int, seed: int) -> tuple[TrueClaim, ...]:
    """`count` of the claims, which `seed` chooses, in their order; all of them if there are no more."""
    places = random.Random(f"{seed}:some").sample(range(len(claims)), min(count, len(claims)))
    return tuple(claims[place] for place in sorted(places))


def choose_claims(
    document: Document, index: QuoteIndex, facts: DocumentFacts, count: int, seed: int
) -> tuple[TrueClaim, ...]:
    """`count` claims made from the document, which `seed` chooses so that each kind of falsehood has its share.

    Raises DocumentError if the document has no sentence or row to make a claim from.
    """
    rng = random.Random(f"{seed}:claims")
    claims = true_claims(document, index)
    sentences, rows = [c for c in claims if not c.subject], [c for c in claims if c.subject]
    most_rows = count // _CLAIMS_PER_ROW_CLAIM if sentences else count
    pool = rng.sample(sentences, min(len(sentences), count * _CANDIDATES_PER_CLAIM))
    pool += rng.sample(rows, min(len(rows), most_rows * _CANDIDATES_PER_CLAIM))
    ways = {claim: [kind for kind in FALSEHOOD_KINDS if _falsify(claim, kind, facts, seed)] for claim in pool}
    chosen: list[TrueClaim] = []
    counts: Counter[str] = Counter()
    left = [claim for claim in pool if ways[claim]]
    while left and len(chosen) < count:
        # Kinds that are rare so far weigh most.
        best = max(left, key=lambda claim: sum(1 / (1 + counts[kind]) for kind in ways[claim]))
        left.remove(best)
        chosen.append(best)
        counts.update(ways[best])
        if sum(bool(claim.subject) for claim in chosen) >= most_rows:
            left = [claim for claim in left if not claim.subject]
    if not chosen:
        needed = "full sentences of 50 to 260 characters, or tables with years as column headers"
        hint = f"the document needs {needed}; or omit --document"
        raise DocumentError("cannot generate test claims from the document", code="no-claims", hint=hint)
    return tuple(chosen)


def make_cases(claims: Sequence[TrueClaim], facts: DocumentFacts, seed: int) -> tuple[Case, ...]:
    """Each claim as it is, and once for each kind of falsehood that it allows; the same for the same seed."""
    found: list[Case] = []
    for claim in claims:
        texts = {TRUE_KIND: claim.text} | {kind: _falsify(claim, kind, facts, seed) for kind in FALSEHOOD_KINDS}
        for kind, text in texts.items():
            if text is not None:
                found.append(Case(len(found) + 1, kind, text, claim.text, claim.quotes))
    return tuple(found)


def _falsify(claim: TrueClaim, kind: str, facts: DocumentFacts, seed: int) -> str | None:
    return mutate(claim, kind, facts, random.Random(f"{seed}:{kind}:{claim.text}"))


def make_batches(cases: Sequence[Case], seed: int) -> tuple[tuple[int, ...], ...]:
    """The numbers of the cases in batches of up to seven, in an order that `seed` chooses.

    A batch never has two cases of one claim: they contradict each other, so a judge would see that one is false.
    """
    rng = random.Random(f"{seed}:batches")
    groups: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for case in cases:
        groups.setdefault((case.truth, case.quotes), []).append(case.number)
    shuffled = list(groups.values())
    rng.shuffle(shuffled)
    for group in shuffled:
        rng.shuffle(group)
    count = max([-(-len(cases) // BATCH_SIZE), *map(len, shuffled)])
    # Dealing the cases in turn puts those of a claim into neighbouring batches, and fills all batches alike.
    batches: list[list[int]] = [[] for _ in range(count)]
    for place, number in enumerate(number for group in shuffled for number in group):
        batches[place % count].append(number)
    for batch in batches:
        rng.shuffle(batch)
    rng.shuffle(batches)
    return tuple(map(tuple, batches))
