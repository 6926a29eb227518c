"""Characters by which a text says something else than it shows."""

import pytest

from ralph_cli.documents.invisible import OVERRIDE, PRIVATE, SELECTORS, TAGS, unreadable_reason


def why(text: str, words: str) -> str:
    at = text.index(words)
    return unreadable_reason(text, at, at + len(words))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("rent\U000e0041\U000e0042 is due", TAGS),
        ("rent\U000e0001", TAGS),
        ("a\ufe0fb", SELECTORS),
        ("\ufe01rent", SELECTORS),
        ("rent \ufe01is", SELECTORS),
        ("❤\ufe0f\ufe0f", SELECTORS),
        ("x\U000e0101", SELECTORS),
        ("10\ufe0f%", SELECTORS),
        ("\u202e000,1\u202c", OVERRIDE),
        ("rent\u202d is due", OVERRIDE),
        ("\u2067rent 1 2\u2069", OVERRIDE),
        ("\u202brent 1 2", OVERRIDE),
        ("re\ue000nt", PRIVATE),
        ("\ue000\ue001\ue002\ue003", PRIVATE),
        ("re\U000f0000nt", PRIVATE),
    ],
)
def test_flagged(text: str, reason: str) -> None:
    assert why(text, text) == reason


@pytest.mark.parametrize(
    "text",
    [
        "plain words, 4,711 (net) - 10%",
        "“typographic” – ½ × 10² … é e\u0301 ﬁ soft\u00adhyphen zero\u200bwidth",
        "❤\ufe0f \u2611\ufe0e \u203c\ufe0f \u3030\ufe0f 葛\U000e0100城 1\ufe0f\u20e3 #\ufe0f\u20e3",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\u2067שלום 5\u2069 and \u202bשלום\u202c",
        "\u200fשלום\u200e rent \u2066rent\u2069 \u2068rent\u2069 \u202a+49 30 1\u202c",
        "\uf0b7 Revenue \uf0b7Revenue Symantec\uf0d2",
    ],
)
def test_left_alone(text: str) -> None:
    assert why(text, text) == ""


def test_what_begins_before_the_words_reaches_into_them_until_the_paragraph_or_the_override_ends() -> None:
    text = "\u202ethe rent is\u202c 100\n\u202edue\nnow"
    assert [why(text, word) for word in ("rent", "100", "due", "now")] == [OVERRIDE, "", OVERRIDE, ""]


def test_only_the_quoted_words_count() -> None:
    text = "rent\U000e0041 is due"
    assert why(text, "is due") == "" and why(text, "rent\U000e0041") == TAGS
