"""What a worker's code searched for, read off the code."""

import ast
import gc
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.providers.offline.snippet import build_snippet
from ralph_cli.retrieval.search.occurrences import SearchTerm
from ralph_cli.rlm.searches import MAX_SEARCHES, SearchTracker, parse_code
from sandbox import Sandbox


def extract_searches(codes: Iterable[str]) -> tuple[SearchTerm, ...]:
    """What these snippets search for if all of each is run."""
    tracker = SearchTracker()
    for code in codes:
        planned = tracker.plan(code)
        tracker.record(planned, planned)
    return tracker.terms


def pattern(*terms: str) -> tuple[SearchTerm, ...]:
    return tuple(SearchTerm(term, True) for term in terms)


def plain(*terms: str) -> tuple[SearchTerm, ...]:
    return tuple(SearchTerm(term) for term in terms)


@pytest.mark.parametrize(
    ("code", "sought"),
    [
        ("find('base rent|annual rent', after=1)", pattern("base rent|annual rent")),
        ("import re\nprint(re.findall(r'\\$\\d+', context))", pattern(r"\$\d+")),
        ("for m in re.finditer('notice', context, re.I):\n    print(m.start())", pattern("notice")),
        ("p = re.compile('not(?:ice)?')\nprint([m.group() for m in p.finditer(context)])", pattern("not(?:ice)?")),
        ("print('rent' in context, context.count('deposit'))", plain("rent", "deposit")),
        ("for word in ['rent', 'deposit']:\n    print(word, context.lower().count(word))", plain("deposit", "rent")),
        ("words = ('rent', 'fee')\nprint({w: context.find(w) for w in words})", plain("fee", "rent")),
        ("for w in ['Fee']:\n    print(context.lower().count(w.lower()))", plain("Fee")),
        ("print(re.findall('|'.join(['rent', 'fee']), context))", pattern("fee", "rent")),
        ("for p in [r're.t']:\n    print(len(re.findall(p, context)))", pattern("re.t")),
        ("for line in context.splitlines():\n    if 'rent' in line: print(line)", plain("rent")),
        ("text = context.lower()\nif 'rent' not in text: print('no')", plain("rent")),
        ("[l for l in context.split('\\n') if re.search('rent', l)]", pattern("rent")),
        ("for n, label, a, b in pages:\n    if 'rent' in context[a:b]: print(n)", plain("rent")),
        ("if (i := context.find('rent')) >= 0: print(i)", plain("rent")),
        ("print(context.replace('a', 'b')[:10], 'x' in 'xyz', [1].count('one'), re.findall('a', 'abc'))", ()),
        ("print(context.count('\\n'), context.split('\\f'), context.count('  '))", ()),
        ("def f(t):\n    return 'rent' in context\nf(1)", ()),
        ("find(", ()),
        ("find('rent', doc='mail')", (SearchTerm("rent", True, "mail"),)),
        (
            "for d in ('a.txt', 'b.txt'): find('rent', doc=d)",
            (SearchTerm("rent", True, "a.txt"), SearchTerm("rent", True, "b.txt")),
        ),
        ("find('rent', 6, 1, 2, 0, False, 2)", (SearchTerm("rent", True, "2"),)),
        ("find(word)\nfind(f'{1}rent')\nfind()", ()),
    ],
)
def test_searches_are_read_off_the_code(code: str, sought: tuple[SearchTerm, ...]) -> None:
    assert extract_searches([code]) == sought


def test_names_are_known_from_snippet_to_snippet_and_each_search_is_told_once() -> None:
    codes = ["words = ['rent']\nlow = context.lower()", "find('rent')", "[low.count(w) for w in words]", "find('rent')"]
    assert extract_searches(codes) == (SearchTerm("rent", True), SearchTerm("rent"))


def test_the_latest_of_many_are_kept() -> None:
    found = extract_searches(f"find('word{n}')" for n in range(3 * MAX_SEARCHES))
    assert len(found) == MAX_SEARCHES and found[-1].term == f"word{3 * MAX_SEARCHES - 1}"
    assert extract_searches(["find('" + "x" * 1_000 + "')"]) == ()


def test_the_engine_without_a_model_searches_by_its_own_means() -> None:
    assert extract_searches([build_snippet("What is the rent?", (20, 300))]) == ()


@given(st.text(max_size=60), st.sampled_from(["find({!r})", "context.count({!r})", "{}", "re.findall({!r}, context"]))
def test_whatever_a_model_writes_it_never_raises(text: str, code: str) -> None:
    assert isinstance(extract_searches([code.format(text)]), tuple)


@pytest.mark.parametrize("engine", ["pyodide", "native"])
def test_a_search_counts_when_it_ran(engine: str, shared: Callable[..., Sandbox]) -> None:
    code = """
import re
find = re.findall
if False: context.find('never')
print(f"{context.count('rent')} of {'due' in context}")
print([w for w in ('fee', 'sum') if w in context or re.search(w, context)])
for line in context.split('\\n'):
    if len(line) > 99 and 'long' in line: print(line)
'x' if context.index('rent') else context.find('else')
(lambda: context.find('later'))
1 / 0
context.find('after')
"""
    tracker = SearchTracker()
    sandbox = shared(engine)
    sandbox.load("the rent is due", [])
    planned = tracker.plan(code)
    assert {"never", "long", "else", "after"} <= {term.term for terms in planned.values() for term in terms}
    result = sandbox.run(code, lambda pairs: [], watched=planned)
    assert result.error is not None and "ZeroDivisionError" in result.error and '"<snippet>", line 11' in result.error
    tracker.record(planned, result.reached)
    assert tracker.terms == (*plain("rent", "due", "fee", "sum"), *pattern("fee", "sum"))
    assert sandbox.run("__evaluated__(7, 1)", lambda pairs: [], watched=[7]).reached in ((), (7,))
    assert sandbox.run("'__evaluated__' in globals()", lambda pairs: [], watched=[]).reached == ()


class Litter:
    """Garbage that lets another thread go on when it is collected, which may be in the middle of a parse."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.sleep(0)


def test_code_is_parsed_in_many_threads_at_once() -> None:
    code = "x = " + " + ".join(f"f({n}, [g(h({n})) for _ in y])" for n in range(40))

    def parse(_: int) -> str:
        for _ in range(3):
            Litter()
        return ast.dump(parse_code(code))

    before = gc.get_threshold()
    gc.set_threshold(5, 2, 2)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(parse, range(60)))) == 1
    finally:
        gc.set_threshold(*before)
