"""Words of questions: stop words and stems.

The source of this module runs as guest code in the sandbox, before that of `rank`.
"""

from ralph_cli.text.lexicon import STOP_WORDS

# Words of requests, and words that point in time. They are searched for in no document.
_ASKING = """
    answer anyone anything ask assume bullet bullets current currently describe document entire ever explain find
    following get give given highlights identify key last latest let list main mention name overview paragraph
    paragraphs per please points previous provide question recent recently regarding relying response sentence sentences
    shown someone something state summarise summarize summary tell us use used using versus via vs whole within words
    year years yes yet
"""
STOP = STOP_WORDS | frozenset(_ASKING.split())
# Longest first. The stem keeps at least four letters, or five before the shortest suffixes.
_SUFFIXES = """
    izations ization isation ational ations ation ators ating ality ative ments tions ingly ively fully ated
    ator ates tion edly ness ment ings ives ally ity ing ily ive ful ion ate ed ly es
"""
SUFFIXES = tuple(_SUFFIXES.split())


def stem(word: str) -> str:
    """The word without endings of inflection and common derivation. Terms are matched by prefix."""
    word = word.lower()
    if len(word) <= 4 or not word.isalpha():
        return word
    if word.endswith(("ies", "ied")):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is", "es")):
        word = word[:-1]
    for suffix in SUFFIXES:
        keep = 5 if len(suffix) <= 3 else 4
        if word.endswith(suffix) and len(word) - len(suffix) >= keep:
            word = word[: -len(suffix)]  # "occurred" is searched as "occur"
            return word[:-1] if word[-1] == word[-2] and word[-1] in "bdgmnprt" else word
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word[:-1] if len(word) > 5 and word[-1] in "ey" else word
