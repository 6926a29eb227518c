"""The words of questions: which are uninformative, and which forms of the others are searched for.

The source of this module runs as guest code in the sandbox, before that of `rank`.
"""

import re

from ralph_cli.text.lexicon import STOP_WORDS

# In addition to the function words of the language: words of asking, and words that refer to time.
_ASKING = """
    answer anyone anything ask assume current currently describe ever explain find following get give given identify
    last latest let list mention name per please previous provide question recent recently regarding relying response
    shown someone something state summarize tell us use used using versus via vs within year years yes yet
"""
STOP = STOP_WORDS | frozenset(_ASKING.split())
# Longest first; the rest must keep four letters (five before the shortest ones), so "rate" never becomes "r".
_SUFFIXES = """
    izations ization isation ational ations ation ators ating ality ative ments tions ingly ively fully ated
    ator ates tion edly ness ment ings ives ally ity ing ily ive ful ion ate ed ly es
"""
SUFFIXES = tuple(_SUFFIXES.split())


def stem(word: str) -> str:
    """Cut the endings of inflection and common derivation. Matching is by prefix, so little must be restored."""
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
            return _undouble(word[: -len(suffix)])
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word[:-1] if len(word) > 5 and word[-1] in "ey" else word


def _undouble(word: str) -> str:
    """Undo the doubling before an ending: "occurr" (occurred) is searched as "occur"."""
    return word[:-1] if word[-1] == word[-2] and word[-1] in "bdgmnprt" else word


# The primary statements of accounts, by the titles that are printed over them and that people ask for them by
# (IAS 1.10, Regulation S-X articles 3 and 5).
_STATEMENTS = {
    "balance": r"balance sheets?|statements? of (?:consolidated )?financial (?:position|condition)",
    "income": r"income statements?|profit and loss|p&l|statements? of (?:consolidated )?(?:income|operations|earnings)",
    "cash": r"cash flows? statements?|statements? of (?:consolidated )?cash flows?",
}
# Measures of analysts that statements rarely name: the words that ask for one, the statements that it is computed from,
# and the lines of those.
_MEASURES = r"""
    gross (?:profit )?margin|gross profit: income: cost of sales, cost of goods sold, gross profit, net sales,
        total revenue
    operating (?:profit )?margin|operating profit|ebit(?:da)?\b: income: operating income, earnings from operations,
        income from operations, net sales, total revenue
    net (?:profit )?margin|profit margin|net profit: income: net income, net earnings, net sales, total revenue
    effective tax|tax rate: : income before income tax, earnings before income tax, provision for income tax
    (?:quick|current|acid[- ]test) ratio|working capital: balance: total current assets, total current liabilities,
        inventories, cash and cash equivalents
    (?:largest|total) (?:asset|liabilit): balance: total assets, total liabilities
    capital[- ]intensi: balance cash: capital expenditures, purchases of property,
        property plant and equipment, total assets
    capex|capital expenditure: cash: capital expenditures, purchases of property
    pp(?:n|&)?e\b|fixed assets?: balance: property plant and equipment
    inventory turnover|days inventory: balance income: inventories, cost of sales, cost of goods sold
    days payable: balance income: accounts payable, cost of sales
    days sales: balance income: accounts receivable, net sales
    operating cash flow|free cash flow: cash: net cash provided by operating activities, purchases of property
    payout ratio: cash income: dividends paid, net income
    return on assets: balance income: net income, total assets
    return on equity: balance income: net income, total equity
    debt[- ]to[- ]equity|leverage ratio: balance: total debt, long-term debt, total equity
"""


def statements_for(question: str) -> tuple[list[re.Pattern[str]], list[str]]:
    """Return the titles of the statements that a question names or needs, and the lines of them that it needs.

    A line is the stems of its words. Both are empty unless the question names a statement or a known measure.
    """
    question = question.lower().replace("\u2019", "'")
    entries = [" ".join(entry.split()).split(": ", 2) for entry in re.split(r"\n {4}(?=\S)", _MEASURES)[1:]]
    asked = [(statements, lines) for names, statements, lines in entries if re.search(rf"\b(?:{names})", question)]
    needed = {statement for statements, _ in asked for statement in statements.split()}
    titles = [re.compile(t) for key, t in _STATEMENTS.items() if key in needed or re.search(rf"\b(?:{t})", question)]
    lines = [" ".join(map(stem, re.findall(r"\w+", line))) for _, found in asked for line in found.split(",")]
    return titles, list(dict.fromkeys(lines))
