"""The offline model: its snippet really runs, its quotes are the document's own, and it says so when nothing fits."""

import io
import json
from contextlib import redirect_stdout
from typing import Any

import pytest
from fakes import document
from hypothesis import given, settings
from hypothesis import strategies as st
from reached import reached, reaches

from ralph_cli.core.errors import ProviderError
from ralph_cli.core.model import ModelTurn, Request, StopReason, ToolCall, ToolTurn, Turn, UserTurn
from ralph_cli.providers.offline.history import parse_search_output, refused_claims
from ralph_cli.providers.offline.model import OfflineModel
from ralph_cli.providers.offline.spans import LINE_MARK
from ralph_cli.rlm.bridge import list_tables

PAGES = [
    "The Harbour Ferry Company\nAnnual report for 2021\nThis report is addressed to all members of the company.\n",
    "Fleet\nThe company operates eleven ferries between the mainland and the islands. "
    "Two of the ferries were built in 1998.\nThe oldest ferry will be retired next year.\n",
    "Statement of revenue\n(thousands)  2021  2020\nPassenger tickets  4,210  3,377\nFreight charges  1,118  1,204\n"
    "Total revenue  5,328  4,581\n",
    "Crew\nThe crew consists of 84 sailors and 12 engineers. Training of new sailors takes six months.\n"
    "No sailor may serve for more than ten hours a day, except in an emergency.\n",
    "Outlook\nThe board expects fuel prices to rise. It has ordered one electric ferry for delivery in 2024.\n",
]
TEXT = "\f".join(PAGES)
LIMITS = {"bullets": [1, 7], "quotes": [1, 8], "quote_chars": [20, 160]}


def numbered(parts: list[str]) -> list[tuple[int, str, int, int]]:
    out, start = [], 0
    for number, part in enumerate(parts, 1):
        out.append((number, str(number), start, start + len(part)))
        start += len(part) + 1
    return out


class Desk:
    """A loop in small: runs the snippets in a plain namespace and keeps the conversation."""

    def __init__(self, question: str, pages: list[str] | None = None, **limits: Any) -> None:
        self.model = OfflineModel()
        self.pages = PAGES if pages is None else pages
        self.text = "\f".join(self.pages)
        self.inputs = {"question": question, **LIMITS, **limits}
        self.turns: list[Turn] = [UserTurn(f"Answer: {question}")]

    def sub(self, prompt: str, text: str) -> str:
        return self.model.complete(Request("subquery", "", (), inputs={"prompt": prompt, "text": text})).text

    def step(self) -> dict[str, Any]:
        reply = self.model.complete(Request("worker", "system", tuple(self.turns), inputs=self.inputs))
        assert reply.stop is StopReason.TOOL and len(reply.calls) == 1 and reply.calls[0].name == "act"
        self.turns.append(reply.turn)
        arguments = reply.calls[0].arguments
        assert arguments is not None and len(arguments) == 1
        return arguments

    def tell(self, text: str, error: bool = False) -> None:
        turn = self.turns[-1]
        assert isinstance(turn, ModelTurn)
        self.turns.append(ToolTurn(((turn.calls[0].id, text, error),)))

    def run(self, code: str) -> None:
        printed = io.StringIO()
        names = {"context": self.text, "pages": numbered(self.pages), "_tables": list_tables(document(self.text))}
        with redirect_stdout(printed):
            exec(compile(code, "<snippet>", "exec"), names)
        assert len(printed.getvalue()) <= 1900
        self.tell(f"[output]\n{printed.getvalue()}[end of output]")

    def answer(self) -> dict[str, Any]:
        for _ in range(5):
            act = self.step()
            if "code" not in act:
                return act
            self.run(act["code"])
        raise AssertionError("no answer in five steps")


def quotes(act: dict[str, Any]) -> list[str]:
    return [quote for claim in act["claims"] for quote in claim["quotes"]]


def test_the_first_act_is_a_snippet_that_runs() -> None:
    desk = Desk("How many sailors does the crew have?")
    act = desk.step()
    desk.run(act["code"])
    result = desk.turns[-1]
    assert isinstance(result, ToolTurn)
    heads, candidates = parse_search_output(result.results[0][1])
    assert heads[0]["coverage"] > 0.5 and candidates
    assert all(desk.text[c.start : c.end] == c.text for c in candidates)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("How many sailors does the crew have?", "The crew consists of 84 sailors and 12 engineers."),
        ("What was the total revenue in FY2021?", "Total revenue  5,328  4,581"),
        ("When were the ferries built?", "Two of the ferries were built in 1998."),
        ("What does the board expect of fuel prices?", "The board expects fuel prices to rise."),
    ],
)
def test_the_best_claim_is_the_quote(question: str, first: str) -> None:
    claims = Desk(question).answer()["claims"]
    assert claims[0]["quotes"][0] == first
    assert claims[0]["text"] == " ".join(first.split())
    assert all(claim["quotes"][0] in PAGES[claim["page"] - 1] for claim in claims)
    assert all(quote in TEXT for claim in claims for quote in claim["quotes"])


@pytest.mark.parametrize(
    "question",
    [
        "How many aircraft were leased from Norwegian banks?",
        "What is the dividend yield of Zenobia Shipyards?",
        "What was total revenue in 2035?",
        "What is it?",
        "",
    ],
)
def test_not_found_when_the_document_does_not_hold_it(question: str) -> None:
    act = Desk(question).answer()
    assert act["not_found"]["searched"] and act["not_found"]["note"]


def test_an_exception_is_never_cut_off_a_long_sentence() -> None:
    long = (
        "The licence covers every vessel of the fleet, and it covers the crews of the vessels while they are at sea, "
        "but it does not cover the passengers of the vessels or the freight that they carry.\n"
    )
    with pytest.raises(ProviderError, match="none has a quote of 20 to 110 characters") as caught:
        Desk("What does the licence of the fleet cover?", [long], quote_chars=[20, 110]).answer()
    assert "(available lengths: 191)" in caught.value.message and "--quote-chars" in caught.value.hint
    whole = Desk("What does the licence of the fleet cover?", [long], quote_chars=[20, 250]).answer()
    assert quotes(whole) == [long.strip()]


def test_bounds_on_number_and_length_are_kept() -> None:
    act = Desk("Which ferries does the company operate?", bullets=[1, 2], quotes=[1, 3], quote_chars=[20, 60]).answer()
    assert 1 <= len(act["claims"]) <= 2
    assert all(20 <= len(quote) <= 60 for quote in quotes(act))


def test_a_refused_claim_is_dropped_and_the_others_stay() -> None:
    desk = Desk("Which ferries does the company operate?", bullets=[2, 4])
    first = desk.answer()
    assert len(first["claims"]) >= 2
    bad = first["claims"][1]["text"]
    desk.tell(f'not accepted: "{bad}" does not answer the question', error=True)
    second = desk.answer()
    texts = [claim["text"] for claim in second["claims"]]
    assert bad not in texts and first["claims"][0]["text"] in texts


def test_when_everything_is_refused_it_searches_again_and_then_gives_up() -> None:
    desk = Desk("How many sailors does the crew have?")
    seen: set[str] = set()
    act = desk.answer()
    for _ in range(12):
        if "not_found" in act:
            break
        assert not seen & set(quotes(act))
        seen |= set(quotes(act))
        desk.tell("refused: no quote supports the answer", error=True)
        act = desk.answer()
    assert "not_found" in act


def test_feedback_of_a_later_iteration_is_obeyed() -> None:
    desk = Desk("Which ferries does the company operate?")
    first = desk.answer()
    desk.tell("accepted for checking")
    bad = first["claims"][0]["text"]
    desk.turns.append(UserTurn(f"The judge refused this claim:\nfailed: {bad}\n"))
    assert bad not in [claim["text"] for claim in desk.answer().get("claims", [])]


@pytest.mark.parametrize(
    ("feedback", "named"),
    [
        ("claim 2: quote not found", {"beta words here"}),
        ("claims 1 and 3 were refused", {"alpha words here", "gamma words here"}),
        ("claims[0].quotes: too short", {"alpha words here"}),
        ("refused: 'gamma words here'", {"gamma words here"}),
        ("something is wrong", {"alpha words here", "beta words here", "gamma words here"}),
        ("- an answer needs 3-7 claims (found 2)", set()),
        ("- claim 3 says the same as claim 1", {"gamma words here"}),
        ('claim 1, "alpha", is not proved\nAccepted as they are, keep them: claim 2, 3.', {"alpha words here"}),
        ("accepted: alpha words here\nrefused: beta words here", {"beta words here"}),
    ],
)
def test_what_a_refusal_names(feedback: str, named: set[str]) -> None:
    assert refused_claims(["alpha words here", "beta words here", "gamma words here"], feedback) == named


def test_a_search_that_is_lost_later_is_made_again() -> None:
    desk = Desk("How many sailors does the crew have?")
    desk.answer()
    desk.tell("refused: no quote supports the answer", error=True)
    assert "code" in desk.step()
    desk.tell("the sandbox was restarted; its variables are gone", error=True)
    assert "code" in desk.step()


def test_feedback_in_the_first_turn_is_obeyed_too() -> None:
    question = "How many sailors does the crew have?"
    best = quotes(Desk(question).answer())[0]
    desk = Desk(question)
    desk.turns = [UserTurn(f"Answer: {question}\nrefused last time: {best}\nkeep: nothing")]
    assert best not in quotes({"claims": [], **desk.answer()})


def test_a_second_search_leaves_room_for_what_was_not_shown() -> None:
    months = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "last"]
    pages = [
        f"Ferry number {n} carries {n * 17} cars and costs {n * 31} crowns to run each day of the {word} month "
        f"if {'very ' * 22}many guests come aboard.\n"
        f"It was built of the best {'steel ' * (40 + n)}.\n"
        for n, word in enumerate(months, 3)
    ]
    desk = Desk("How many cars does each ferry carry?", pages, bullets=[3, 3], quote_chars=[80, 400])
    seen: set[str] = set()
    for _ in range(3):
        found = quotes(desk.answer())
        assert len(found) == 3 and not seen & set(found)
        seen |= set(found)
        desk.tell("refused: no quote supports the answer", error=True)


def test_a_second_search_reads_further_passages() -> None:
    pages = [f"Ferry {n} carries {n * 17} cars.\n" + "Nothing else is known. " * 30 + "\n" for n in range(40)]
    desk = Desk("How many cars does each ferry carry?", pages)
    shown: list[str] = []
    for _ in range(8):
        shown += quotes(desk.answer())
        desk.tell("refused: no quote supports the answer", error=True)
    assert len({quote for quote in shown if quote.startswith("Ferry")}) > 14 and len(shown) == len(set(shown))


def test_what_is_printed_fits_into_an_observation() -> None:
    pages = [f"Ferry {n} " + f"carries car{n}x " * 14 + ".\n" for n in range(30)]
    desk = Desk("What does the ferry carry?", pages, quote_chars=[20, 400])
    desk.run(desk.step()["code"])  # asserts the length
    result = desk.turns[-1]
    assert isinstance(result, ToolTurn) and len(parse_search_output(result.results[0][1])[1]) >= 4


def test_an_answer_that_must_have_more_is_filled_up_from_beside_the_best_quote() -> None:
    desk = Desk("How many sailors does the crew have?", bullets=[3, 7])
    found = quotes(desk.answer())
    assert len(found) >= 3 and found[0] == "The crew consists of 84 sailors and 12 engineers."
    assert all(quote in PAGES[3] for quote in found)


def test_weak_quotes_are_left_out_once_there_are_enough() -> None:
    pages = [
        "The crew consists of 84 sailors and 12 engineers.\n",
        *(f"Room {n} of the crew is painted green.\n" for n in range(9)),
    ]
    few = Desk("How many sailors and engineers does the crew have?", pages, bullets=[1, 7]).answer()
    assert quotes(few)[0].startswith("The crew consists") and len(few["claims"]) == 1
    more = Desk("How many sailors and engineers does the crew have?", pages, bullets=[2, 7]).answer()
    assert len(more["claims"]) == 2


def test_a_lost_sandbox_gets_the_snippet_once_more_and_then_an_error() -> None:
    desk = Desk("How many sailors does the crew have?")
    code = desk.step()["code"]
    desk.tell("the sandbox was restarted; its variables are gone", error=True)
    assert desk.step()["code"] == code
    desk.tell("NameError: llm_query_batch", error=True)
    with pytest.raises(ProviderError) as caught:
        desk.step()
    assert caught.value.code == "offline-no-result"


def test_a_part_that_the_question_names_is_quoted_each_place_of_it_in_turn() -> None:
    """Whatever words the question has; and where no passage of it can be quoted, the whole text is searched."""
    places = [
        (TEXT.index(first), TEXT.index(last) + len(last)) for first, last in (("Crew", "months."), ("Fleet", "1998."))
    ]
    first, second, *_ = quotes(Desk("What does clause 5 say?", parts=places).answer())
    assert first == "The crew consists of 84 sailors and 12 engineers."
    assert second == "The company operates eleven ferries between the mainland and the islands."
    heading = [(TEXT.index("Crew"), TEXT.index("Crew") + 4)]
    assert "84" in quotes(Desk("How many sailors has the crew of clause 5?", parts=heading).answer())[0]


def test_the_same_request_gets_the_same_reply() -> None:
    one, two = Desk("What was the total revenue?"), Desk("What was the total revenue?")
    assert one.answer() == two.answer()
    assert one.turns == two.turns


def test_usage_counts_one_call_and_its_characters() -> None:
    request = Request("worker", "system", (UserTurn("abc"),), inputs={"question": "How many ferries?"})
    usage = OfflineModel().complete(request).usage
    assert (usage.calls, usage.characters, usage.input_tokens, usage.usd) == (1, 9, 0, 0.0)


def test_the_extractor_takes_the_printed_lines_of_the_trajectory() -> None:
    desk = Desk("How many sailors does the crew have?")
    desk.run(desk.step()["code"])
    result = desk.turns[-1]
    assert isinstance(result, ToolTurn)
    inputs = {
        "question": "How many sailors does the crew have?",
        "trajectory": f"step 1 printed\n{result.results[0][1]}",
    }
    act = OfflineModel().complete(Request("extractor", "", (), inputs=inputs)).calls[0].arguments
    assert act and act["claims"][0]["quotes"] == ["The crew consists of 84 sailors and 12 engineers."]
    empty = OfflineModel().complete(
        Request("extractor", "", (), inputs={"question": "How many sailors?", "trajectory": ""})
    )
    assert empty.calls[0].arguments == {
        "not_found": {"searched": ["sailors"], "note": "No passage contains enough of the question's terms."}
    }


def test_a_sub_query_that_is_not_its_own_is_answered_too() -> None:
    spans = json.loads(Desk("").sub("How many sailors are there?", PAGES[3]))
    assert spans[0]["text"] == "The crew consists of 84 sailors and 12 engineers."
    assert PAGES[3][spans[0]["start"] : spans[0]["end"]] == spans[0]["text"]


@pytest.mark.parametrize("agent", ["planner", "summarizer", ""])
def test_an_agent_that_must_understand_is_refused(agent: str) -> None:
    with pytest.raises(ProviderError) as caught:
        OfflineModel().complete(Request(agent, "", ()))
    assert caught.value.code == "offline-unsupported" and caught.value.hint and not caught.value.retryable


ODD = "ferry Ferries crew 1,204 (17) 5% 2021 not except which R&D x. $ \n \n\n \f . ; , \u2028 \u0130s \ufb01ne \u01c5"
WORDS = st.sampled_from(ODD.split(" "))
SENTENCES = st.lists(WORDS, min_size=2, max_size=8).map(lambda words: f"The ferry has a crew of {' '.join(words)} men.")
TEXTS = st.lists(SENTENCES | SENTENCES | WORDS | st.text(max_size=12), min_size=2, max_size=30).map(" ".join)
QUESTIONS = st.lists(WORDS, max_size=3).map(lambda words: " ".join(["ferry crew", *words]))


@reaches(quoted=0.1)
@settings(max_examples=60, deadline=None)
@given(TEXTS, QUESTIONS, st.integers(1, 40), st.integers(41, 200))
def test_every_quote_is_in_the_document_whatever_it_is(text: str, question: str, low: int, high: int) -> None:
    pages = text.split("\f")
    claims = []
    try:
        claims = Desk(question, pages, quote_chars=[low, high]).answer().get("claims", [])
    except ProviderError as error:
        assert error.code == "offline-no-quote"
    if not reached("quoted", claims):
        return
    for claim in claims:
        assert all(quote in text and low <= len(quote) <= high for quote in claim["quotes"])
        assert claim["text"] == " ".join(claim["quotes"][0].split())


def test_an_item_of_a_task_that_stands_in_several_places_ranks_by_its_best_place() -> None:
    rows: list[dict[str, Any]] = [{"coverage": 1.0, "needed": 0.3, "terms": ["ferry"], "passages": 3}]
    items = [("The ferry is old.", 0.9), ("The ferry is new.", 0.8), ("The  ferry is old.", 0.7)]
    rows += [
        {"page": n, "start": n, "end": n + 9, "score": score, "text": text} for n, (text, score) in enumerate(items)
    ]
    printed = "\n".join(LINE_MARK + json.dumps(row) for row in rows)
    call = ToolCall("1", "act", {"code": "..."})
    turns: list[Turn] = [
        UserTurn("task"),
        ModelTurn("", (call,)),
        ToolTurn((("1", printed, False),)),
        ModelTurn("", (call,)),
    ]
    turns.append(ToolTurn((("1", LINE_MARK + json.dumps(rows[0]), False),)))
    inputs = {"question": "List what is said of the ferry", **LIMITS}
    reply = OfflineModel().complete(Request("reader", "", tuple(turns), inputs=inputs))
    arguments = reply.calls[0].arguments
    assert arguments is not None
    assert [claim["text"] for claim in arguments["claims"]] == ["The ferry is old.", "The ferry is new."]
