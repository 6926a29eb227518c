"""What is word for word a quote, and what is not."""

import json

from ralph_cli.text.verbatim import departure, strip_marks, unquoted_parts

QUOTES = ["Total revenue  5,328", "The lease ends in May"]


def test_a_claim_is_one_of_its_quotes_or_the_reason_is_told() -> None:
    assert departure("Total revenue 5,328", QUOTES) == ""
    assert departure("Total revenue 5,329", QUOTES) == "in no quote: 5,329"
    assert departure("Total revenue", QUOTES).startswith("the claim is not word for word")
    assert departure("", QUOTES) == "the claim is empty"
    assert departure("Total revenue", [""]) == "the claim has no quote"


def test_every_part_of_an_output_is_looked_for_in_the_quotes() -> None:
    assert unquoted_parts("- Total revenue 5,328 (p. 3)\n\n2. The lease ends in May", "markdown", QUOTES) == []
    assert [part.split(" is")[0] for part in unquoted_parts("- The lease\n- ends in June", "", QUOTES)] == ["line 2"]
    rows = json.dumps([{"quote": "The lease ends in May", "page": 77}, {"quote": "in July"}])
    assert [part.split(" is")[0] for part in unquoted_parts(rows, "json", QUOTES)] == ["the value at $[1].quote"]
    table = "quote,page\nThe lease,9\nthe rent,9\n"
    assert [part.split(" is")[0] for part in unquoted_parts(table, "csv", QUOTES)] == ["row 2, column 'quote'"]


def test_marks_and_pages_are_no_words() -> None:
    assert strip_marks("  - 1. The lease (p. 12) ") == "The lease"
