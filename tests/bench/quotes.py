"""Do true quotes pass and false ones fail? Sentences and rows of documents, typed as models type them, then mutated.

    python tests/bench/quotes.py DOCUMENT_OR_FOLDER... [--true N] [--false N] [--seed S] [--generated N]

Prints, for quotes as models type them, how many are found at which tier; for mutated quotes, how many are found that
are not in the text, by kind and tier; and the time of a look-up beside that of `str.find` in the same text. A mutated
quote that by chance is in the text, white space aside, is left out.
"""

import argparse
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median

from ralph_cli.core.document import Document
from ralph_cli.core.structure import Page
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.quotes.index import QuoteIndex

PLAIN = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014\u2212\u2011\xa0", "''\"\"---- ") | str.maketrans(
    {"\ufb01": "fi", "\ufb02": "fl", "\xad": ""}
)
SENTENCE = re.compile(r"(?<=[.!?]\s)[A-Z][^.!?]*(?:\.\d[^.!?]*)*[.!?](?=\s)")
ROW = re.compile(r"^[^\n]*[A-Za-z]{3}[^\n]*?  [^\n]*\d[^\n]*$", re.MULTILINE)
HOMOGLYPHS = {"a": "\u0430", "e": "\u0435", "o": "\u043e", "c": "\u0441", "p": "\u0440", "x": "\u0445", "i": "\u0456"}
Mutation = Callable[[str, random.Random], "str | None"]


def typed(text: str, chance: random.Random) -> str:
    """A passage as a model types it: line ends closed up, single spaces, mostly plain signs."""
    text = re.sub(r"(?<=[a-z])-\n(?=[a-z])", "", text) if chance.random() < 0.7 else text
    text = " ".join(text.split())
    return text.translate(PLAIN) if chance.random() < 0.8 else text


def bare(row: str, chance: random.Random) -> str:
    """A row of a table as a model types it: as it is, or without currency signs, or without brackets too."""
    row = typed(row, chance)
    kind = chance.randrange(3)
    row = row if kind == 0 else " ".join(row.replace("$", " ").split())
    return row if kind < 2 else " ".join(re.sub(r"[()]", " ", row).split())


def passages(document: Document) -> list[tuple[str, str]]:
    """("sentence" or "row", passage) of a document, as they stand there."""
    found = []
    for page in document.pages:
        text = document.text[page.start : page.end]
        found += [("sentence", m[0]) for m in SENTENCE.finditer(text) if 40 <= len(m[0]) <= 400 and "  " not in m[0]]
        found += [("row", m[0]) for m in ROW.finditer(text) if 20 <= len(m[0].strip()) <= 300]
    return found


def generated(number: int, seed: int) -> Document:
    """A document of random prose over pages with running heads and feet, divided words and typographic signs."""
    chance = random.Random(seed * 7919 + number)
    words = (
        "revenue of the group rose fell by not in fiscal and its lenders agreed waiver facility under which no dividend"
    )
    words = [*words.split(), "company\u2019s", "\u201cagreement\u201d", "long-term", "o\ufb03ce"]
    pages: list[Page] = []
    texts: list[str] = []
    at = 0
    for page in range(1, 31):
        lines = [f"Sample {number} plc \u2013 annual report"]
        for _ in range(25):
            line = " ".join(chance.choice(words) for _ in range(11))
            figure = f"{chance.randrange(1, 9_999_999):,}"
            line += chance.choice([f" ${figure} million.", f" ({figure}).", f" {chance.random() * 9:.1f}%.", "", ""])
            lines.append(line[0].upper() + line[1:] if chance.random() < 0.5 else line)
        lines.append(str(page + 4))
        text = "\n".join(lines)
        pages.append(Page(page, str(page + 4), at, at + len(text)))
        texts.append(text)
        at += len(text) + 1
    return Document("g", f"generated {number}", "pdf", "", "", "\f".join(texts), tuple(pages))


def over_page_ends(document: Document) -> Iterator[tuple[str, str]]:
    """Passages of a generated document that run over a page's end, without the running lines."""
    for upper, lower in zip(document.pages, document.pages[1:], strict=False):
        last = document.text[upper.start : upper.end].split("\n")[-2]
        first = document.text[lower.start : lower.end].split("\n")[1]
        yield "over a page's end", f"{last}\n{first}"


def replace_one(pattern: str, change: Callable[[str, random.Random], str]) -> Mutation:
    """A mutation of one match of `pattern`, chosen by chance; None when there is none, or nothing changes."""
    compiled = re.compile(pattern)

    def mutate(text: str, chance: random.Random) -> str | None:
        places = list(compiled.finditer(text))
        if not places:
            return None
        match = chance.choice(places)
        out = text[: match.start()] + change(match[0], chance) + text[match.end() :]
        return out if out != text else None

    return mutate


def inner_words(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"\S+", text))[1:-1]


def drop_word(text: str, chance: random.Random) -> str | None:
    words = [word for word in inner_words(text) if re.search(r"\w", word[0])]
    if not words:
        return None
    word = chance.choice(words)
    return text[: word.start()] + text[word.end() :].lstrip()


def swap_words(text: str, chance: random.Random) -> str | None:
    words = text.split()
    at = [i for i in range(len(words) - 1) if re.sub(r"\W", "", words[i]) != re.sub(r"\W", "", words[i + 1])]
    if not at:
        return None
    i = chance.choice(at)
    return " ".join([*words[:i], words[i + 1], words[i], *words[i + 2 :]])


def negate(text: str, chance: random.Random) -> str | None:
    inner = re.compile(r"(?<=\S )(?:not|no|never) (?=\S)")
    if inner.search(text):
        return inner.sub("", text, count=1)
    words = inner_words(text)
    if not words:
        return None
    at = chance.choice(words).start()
    return f"{text[:at]}not {text[at:]}"


def move_point(text: str, chance: random.Random) -> str | None:
    def moved(number: str, chance: random.Random) -> str:
        digits = number.replace(".", "")
        cuts = [i for i in range(1, len(digits)) if i != number.index(".")] or [0]
        cut = chance.choice([*cuts, 0])
        return digits if cut == 0 else f"{digits[:cut]}.{digits[cut:]}"

    return replace_one(r"(?<![\d.,])\d+\.\d+(?![\d.,])", moved)(text, chance)


def flip_sign(text: str, chance: random.Random) -> str | None:
    out = replace_one(r"\(\$? ?[\d,.]+\d%?\)|(?<!\S)-\$?[\d,.]+\d", lambda m, _: m.strip("()-"))(text, chance)
    return out or replace_one(r"(?<!\S)\$?\d[\d,.]*\d(?=\s)", lambda m, _: f"({m})")(text, chance)


def currency(text: str, chance: random.Random) -> str | None:
    return replace_one(r"[$\u20ac\u00a3\u00a5]", lambda m, c: c.choice([s for s in "$\u20ac\u00a3\u00a5" if s != m]))(
        text, chance
    )


def entity(text: str, chance: random.Random) -> str | None:
    names = ["Acme", "Velmoor", "Northwind", "Jones", "Boston", "Canada"]
    return replace_one(r"(?<=\w )[A-Z][a-z]{2,}\b", lambda m, c: c.choice([n for n in names if n != m]))(text, chance)


MUTATIONS: dict[str, Mutation] = {
    "digit": replace_one(r"\d", lambda m, c: c.choice([d for d in "0123456789" if d != m])),
    "decimal point": move_point,
    "sign": flip_sign,
    "currency": currency,
    "negation": negate,
    "entity": entity,
    "word order": swap_words,
    "deletion": drop_word,
    "homoglyph": replace_one("[aeocpxi]", lambda m, _: HOMOGLYPHS[m]),
    "zero-width": replace_one(r"(?<=\w)(?=\w)", lambda _, c: c.choice("\u200b\u200c\u200d\u2060\ufeff")),
    "case": replace_one(r"(?<=\w)[A-Za-z]", lambda m, _: m.swapcase()),
}
SPLICE = "splice"


def measure(job: tuple[str, int, int, int]) -> dict[str, object]:
    """All of one document: counts by kind and tier, samples of what went wrong, and times."""
    name, true, false, seed = job
    chance = random.Random(f"{name} {seed}")
    made = name.startswith("generated ")
    document = generated(int(name.split()[1]), seed) if made else DocumentSource.of(name).load()
    pool = passages(document) + (list(over_page_ends(document)) if made else [])
    result: dict[str, object] = {"name": name, "characters": len(document.text)}
    found, fooled, unmarked, missed, lucky = Counter(), Counter(), Counter(), [], 0
    if not pool:
        return result
    index = QuoteIndex(document)
    begun = time.process_time()
    index.find("a quote that is nowhere to be found 12345")
    result["first"] = time.process_time() - begun
    flats = [" ".join(text.translate(PLAIN).split()) for text in (document.text, *(passage for _, passage in pool))]
    flat = "\n".join(flats)  # what runs over a page's end stands in the passages only
    times, plain = [], []
    for _ in range(true):
        kind, passage = chance.choice(pool)
        quote = bare(passage, chance) if kind == "row" else typed(passage, chance)
        begun = time.process_time()
        match = index.find(quote)
        times.append(time.process_time() - begun)
        begun = time.process_time()
        document.text.find(quote)
        plain.append(time.process_time() - begun)
        found[kind, match.tier if match else "refused"] += 1
        if match is None and len(missed) < 5:
            missed.append((kind, quote))
    kinds = [*MUTATIONS, SPLICE]
    made_up = 0
    for number in range(false * 20):
        if made_up == false:
            break
        mutation = kinds[number % len(kinds)]
        kind, passage = chance.choice(pool)
        quote = typed(passage, chance)
        if mutation == SPLICE:
            other = typed(chance.choice(pool)[1], chance)
            half = quote.split()[: max(2, len(quote.split()) // 2)]
            changed: str | None = " ".join([*half, *other.split()[len(other.split()) // 2 :]])
        else:
            changed = MUTATIONS[mutation](quote, chance)
        if changed is None:
            continue
        if " ".join(changed.translate(PLAIN).split()) in flat:
            lucky += 1
            continue
        made_up += 1
        match = index.find(changed)
        tier = match.tier if match else "refused"
        fooled[mutation, tier] += 1
        marked = match is None or bool(index.describe_departures(changed, match.span, match.tier))
        if match is not None and (match.tier != "recut" or not marked):
            unmarked[mutation] += 1
            if len(missed) < 10:
                missed.append((f"ACCEPTED {mutation} {tier}", changed))
    return result | {"found": found, "fooled": fooled, "unmarked": unmarked, "missed": missed, "lucky": lucky,
                     "times": times, "plain": plain}  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("documents", nargs="*", type=Path)
    parser.add_argument("--true", type=int, default=10_000)
    parser.add_argument("--false", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generated", type=int, default=4)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    wanted = parser.parse_args()
    files = [f for path in wanted.documents for f in (sorted(path.glob("**/*.pdf")) if path.is_dir() else [path])]
    names = [*map(str, files), *(f"generated {n}" for n in range(wanted.generated))]
    share = [(name, -(-wanted.true // len(names)), -(-wanted.false // len(names)), wanted.seed) for name in names]
    found, fooled, unmarked = Counter(), Counter(), Counter()
    lucky = 0
    with ProcessPoolExecutor(wanted.processes) as pool:
        for result in pool.map(measure, share):
            if "found" not in result:
                print(f"{result['name']}: nothing to quote", file=sys.stderr)
                continue
            found += result["found"]
            fooled += result["fooled"]
            unmarked += result["unmarked"]
            lucky += result["lucky"]
            for kind, quote in result["missed"]:
                print(f"{Path(result['name']).name}: {kind}: {quote[:160]!r}", file=sys.stderr)
            times = sorted(result["times"])
            slow, ratio = times[len(times) * 99 // 100], median(times) / max(median(result["plain"]), 1e-9)
            print(
                f"{Path(result['name']).name:40.40} {result['characters']:>9,} characters; "
                f"first {result['first'] * 1e3:5.0f} ms; a quote {median(times) * 1e3:5.2f} ms, "
                f"slowest of 100 {slow * 1e3:5.2f} ms; {ratio:4.1f} x str.find"
            )
    print(f"\nseed {wanted.seed}; {len(names)} documents")
    total = sum(found.values())
    refused = sum(count for (_, tier), count in found.items() if tier == "refused")
    print(f"true quotes: {total - refused:,} of {total:,} accepted ({(total - refused) / total:.4%})")
    for (kind, tier), count in sorted(found.items()):
        print(f"  {kind:20} {tier:8} {count:>9,}")
    wrong = sum(count for (_, tier), count in fooled.items() if tier in ("exact", "folded"))
    print(
        f"mutated quotes: {sum(fooled.values()):,}; exact or folded {wrong}; "
        f"accepted without a mark {sum(unmarked.values())}; by chance in the text and left out {lucky:,}"
    )
    for (kind, tier), count in sorted(fooled.items()):
        print(f"  {kind:20} {tier:8} {count:>9,}")


if __name__ == "__main__":
    main()
