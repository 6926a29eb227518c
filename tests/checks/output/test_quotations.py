"""Quotations are found in every kind of marks, and what a gap may leave out is bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_cli.checks.output.grounding import GroundingSources
from ralph_cli.checks.output.quotations import quotations
from ralph_cli.checks.output.shape import pieces

QUOTE = (
    "4.2 The Supplier shall complete the migration within forty-five days of delivery of the copy. The parties’ rights "
    "under this clause don’t lapse; the Customer’s consent is not needed."
)


def misses(text: str) -> list[str]:
    return [miss.message for miss in GroundingSources((QUOTE,)).find_unsupported(pieces(text, "md"))]


TRUE = "complete the migration within forty-five days"
FALSE = "complete the migration in forty-five days"


@pytest.mark.parametrize(
    "marked",
    [
        "‘{}’", "‚{}‘", "‹{}›", "›{}‹", "»{}«", "«{}»", "<q>{}</q>", '<q cite="x">{}</q>',
        "<blockquote>{}</blockquote>",
        "”{}”", "*”{}”*", "(”{}”)", "»{}»", "’{}’", "He wrote ’{}’, and that was all.",
        "“{}\n\n“of delivery of the copy”",
        "`{}`", "'{}'", "&ldquo;{}&rdquo;", "&quot;{}&quot;", "「{}」", "He wrote: '{}', and that was all.", "('{}')",
        "the parties' duty to '{}'", "the parties’ duty to ‘{}’", "it doesn't say '{}'.", "*'{}'*", "'{}'\nand more",
    ],
)  # fmt: skip
def test_a_quotation_in_any_marks_is_looked_up(marked: str) -> None:
    assert misses(marked.format(TRUE)) == []
    (message,) = misses(marked.format(FALSE))
    assert message.startswith(f'the quotation "{FALSE}" is in no quote')


@pytest.mark.parametrize(
    "text",
    [
        "the parties' and the Customer's rights don't lapse, and the Supplier's won't",
        "the parties’ and the Customer’s rights don’t lapse, and the Suppliers’ do",
        "the `output` and `--format json` of it, 'in short' and 'so to speak'",
        "the '90s and the parties' rights of the Suppliers' staff",
        "the ‘90s and the parties’ rights",
        "rock 'n' roll, 6' 2 tall, o'clock",
        "‘The parties’ rights under this clause don’t lapse’",
        "'The parties' rights under this clause don't lapse'",
        "‘the parties’ rights’ and ‘the Customer’s consent’",
        "‘The parties’ rights’ of the Suppliers’ staff",
        "'the Customer's consent is not needed' but the parties' rights remain",
    ],
)
def test_an_apostrophe_opens_no_quotation_and_closes_none_that_stands_so(text: str) -> None:
    assert [miss for miss in misses(text) if "quotation" in miss] == []


@pytest.mark.parametrize(
    "text",
    [
        "‘The parties’ rights under that clause don’t lapse’",
        "'The parties' rights under that clause don't lapse'",
        "‘The parties’ rights lapse’",
    ],
)
def test_words_behind_an_apostrophe_belong_to_the_quotation(text: str) -> None:
    assert len(misses(text)) == 1


@pytest.mark.parametrize("marks", ["“{}”", '"{}"', "”{}”", "»{}«", "«{}»", "「{}」", "<q>{}</q>", "&quot;{}&quot;"])
def test_a_quotation_runs_over_the_end_of_a_paragraph(marks: str) -> None:
    for end in ("\n\n", "\n \n", "\n\n\n"):
        over = TRUE.replace("migration ", f"migration{end}")
        assert misses(f"It says {marks.format(over)}.") == []
        (message,) = misses(f"It says {marks.format(FALSE.replace('migration ', f'migration{end}'))}.")
        assert message.startswith(f'the quotation "{FALSE}" is in no quote')


@pytest.mark.parametrize(
    "text",
    [
        "“one” and “two”, then ”",
        'a pipe of 6" and\n\none of 8" more',
        'he said "yes.\n\nThen "no" she said',
        "’tis so, and the parties’ own",
    ],
)
def test_marks_that_do_not_pair_quote_nothing_between(text: str) -> None:
    for found in quotations(text):
        assert len(found.words.split()) == 1


def test_a_quotation_within_a_quotation_is_named_once() -> None:
    assert len(misses("“he said ‘that nothing was so’ there”")) == 1
    assert [found.words for found in quotations("“a ‘b c’ d” and ‘e “f” g’")] == ["a ‘b c’ d", "e “f” g"]
    assert [found.words for found in quotations("“a “b” c” and “d”, «a «b» c»")] == ["a “b” c", "d", "a «b» c"]


def test_a_block_quotation_with_terms_in_marks_is_looked_up_whole() -> None:
    assert misses("> The “Supplier” shall never complete the migration") != []
    assert misses(f"> “{TRUE}” - the contract says") == []


LIMITED = (
    "The Supplier shall not, without the Customer’s consent, pay a fee of No. 5 rate. The fee is due in May. "
    "Liability is capped, except for fraud, at the fees paid, subject to clause 9; it isn't shared by both parties. "
    "The fee is due in June.",
)


@pytest.mark.parametrize(
    ("quotation", "word"),
    [
        ("“The Supplier shall … pay a fee”", "not"),
        ("“The Supplier shall [...] pay a fee”", "not"),
        ("“Liability is capped ... at the fees paid”", "except"),
        ("“at the fees paid [. . .] it isn't shared”", "subject to"),
        ("“at the fees paid, subject to clause 9; it ... shared by both parties”", "isn't"),
        ("“The Supplier shall not … consent … pay a fee”", "without"),
    ],
)
def test_a_gap_may_not_leave_out_a_negation_or_a_limit(quotation: str, word: str) -> None:
    (miss,) = GroundingSources(LIMITED).find_unsupported(pieces(quotation, "md"))
    assert f'leaves out "{word}"' in miss.message


@pytest.mark.parametrize(
    "quotation",
    [
        "“The Supplier shall not, without the … consent, pay”",
        "“pay a fee … rate. The fee is due”",
        "“except for fraud … subject to clause 9”",
        "“The Supplier shall not, without … consent”",
        "“The fee is due in … subject”",
        "“… pay a fee …”",
        "“The fee … in June”",
        "“The fee ... is due in ... June”",
    ],
)
def test_a_gap_may_leave_out_other_words(quotation: str) -> None:
    quotes = (
        "The fee is due in May, not before. The fee is due in part in June.",
        *LIMITED,
        "The fee is due in bits, subject to",
    )
    assert GroundingSources(quotes).find_unsupported(pieces(quotation, "md")) == ()


@given(
    st.lists(st.sampled_from([*"'‘’“”\"`<>«»‹›.…\n s", "word", "not", "<q>", "</q>", "[...]", "parties'"]), max_size=40)
)
def test_any_text_can_be_read_for_quotations(parts: list[str]) -> None:
    text = "".join(parts)
    found = quotations(text)
    assert all(text[quotation.start : end] for quotation in found for end, _ in quotation.readings)
    GroundingSources((text, QUOTE)).find_unsupported(pieces(text, "md"))


def test_what_is_in_very_many_pieces_is_no_quotation() -> None:
    assert misses('He wrote: "{}"'.format(" ... ".join(["the"] * 2))) == []
    (message,) = misses('He wrote: "{}"'.format(" ... ".join(["t"] * 3_000)))
    assert "is in no quote" in message
