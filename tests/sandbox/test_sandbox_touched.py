"""The document remembers which slices were taken of it, and is in every other respect a str."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from baits import answers, both

from sandbox import Sandbox
from sandbox.guest.touched import MAX_SPANS, Text
from sandbox.host import _touched_spans
from sandbox.worker import Frame

DOCUMENT = "Annual report.\n" + "The rent is $48,000 a year. " * 40
Shared = Callable[..., Sandbox]


@pytest.fixture
def loaded(engine: str, shared: Shared) -> Sandbox:
    sandbox = shared(engine)
    sandbox.load(DOCUMENT, [(1, "i", 0, 400), (2, "1", 401, 800)])
    return sandbox


@both
@pytest.mark.parametrize(
    ("code", "touched"),
    [
        ("context[10:20]", ((10, 20),)),
        ("context[:5], context[5:9], context[100:]", ((0, 9), (100, len(DOCUMENT)))),
        ("[context[n:n + 300] for n in range(0, 900, 250)]", ((0, 1050),)),
        ("text = context\ntext[-10:]", ((len(DOCUMENT) - 10, len(DOCUMENT)),)),
        ("for number, label, start, end in pages:\n    context[start:end].count('rent')", ((0, 400), (401, 800))),
        ("context[4], context[9:9], context[::-1], 'rent' in context, context.find('rent'), context.split()", ()),
        ("context[10:20]\nraise ValueError('no')", ((10, 20),)),
        ("context[10:20] +", ()),
    ],
)
def test_slices_are_reported(loaded: Sandbox, code: str, touched: tuple[tuple[int, int], ...]) -> None:
    assert loaded.run(code, answers).touched == touched


@both
def test_a_snippet_reports_its_own_slices_only(loaded: Sandbox) -> None:
    loaded.run("kept = context\nkept[0:10]", answers)
    assert loaded.run("1", answers).touched == ()
    assert loaded.run("kept[5:20]", answers).touched == ((5, 20),)


SAME = """
import copy, json, pickle, re, io
plain = "".join(list(context))
assert isinstance(context, str) and context == plain and plain == context and hash(context) == hash(plain)
assert repr(type(context)) == repr(str) and type(str(context)) is str and type(context[2:9]) is str
assert f"{context}" == "%s" % context == "{}".format(context) == plain and f"{context:>5}" == plain
assert repr(context) == repr(plain) and json.loads(json.dumps({"a": context, context: 1}))["a"] == plain
for again in (pickle.loads(pickle.dumps(context)), copy.copy(context), copy.deepcopy([context])[0]):
    assert type(again) is str and again == plain
assert list(context) == list(plain) and context[-3] == plain[-3] and context[3:40:7] == plain[3:40:7]
assert len(context) == len(plain) and context + "x" == plain + "x" and "x".join([context, context]).count("x") == 1
assert re.search("rent", context).string == plain and re.findall("re.t", context) == re.findall("re.t", plain)
assert context.encode() == plain.encode() and io.StringIO(context).read() == plain and context in {plain: 1}
assert sorted([context, "A"])[0] == "A" and context.lower().upper() == plain.upper() and max(context) == max(plain)
match context:
    case str() as whole:
        assert whole == plain
for key in (1.5, "a", None):
    try:
        context[key]
        raise AssertionError(key)
    except TypeError:
        pass
try:
    context[len(context)]
    raise AssertionError
except IndexError:
    pass
print("the same")
"""


@both
def test_it_is_a_str_in_every_other_respect(loaded: Sandbox) -> None:
    result = loaded.run(SAME, answers)
    assert (result.error, result.stdout) == (None, "the same\n")


@both
def test_a_snippet_that_spoils_the_record_changes_nothing_but_the_record(loaded: Sandbox) -> None:
    spoilt = loaded.run("context._spans = [['a', 2], None]\nprint(context[:6])", answers)
    assert spoilt.stdout == "" or spoilt.stdout == "Annual\n"
    assert all(0 <= a < b <= len(DOCUMENT) for a, b in spoilt.touched)
    lied = loaded.run("context._spans = [[-5, 10 ** 9], [3, 4], [7, 5], [True, 9], [0.5, 2]]\nprint(1)", answers)
    assert lied.stdout == "1\n" and set(lied.touched) <= {(3, 4)}
    assert loaded.run("context[10:20]", answers).touched == ((10, 20),)


def test_what_the_guest_says_is_bounded() -> None:
    def read(value: object) -> tuple[tuple[int, int], ...]:
        return _touched_spans(Frame({"touched": value}, b""), 100)

    assert read([[0, 5], [7, 100]]) == ((0, 5), (7, 100))
    assert read([[0, 101], [-1, 3], [5, 5], [True, 3], ["a", 2], [1, 2, 3], None, {}]) == ()
    assert read(None) == read("spans") == read({"0": [1, 2]}) == ()
    assert len(read([[0, 5]] * (2 * MAX_SPANS))) == MAX_SPANS


def test_the_longest_of_many_slices_are_kept() -> None:
    text = Text("x" * 100_000)
    for start in range(0, 100_000, 5):
        text[start : start + 2]
    text[50_000:60_000]
    taken = text.take()
    assert (
        len(taken) == MAX_SPANS
        and [50_000, 60_000] in [[a, b] for a, b in taken if b - a > 5_000]
        and text.take() == []
    )
