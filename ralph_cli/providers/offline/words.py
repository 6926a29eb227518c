"""Words of questions: which carry nothing, which only say how one asks, and what is searched for in the others.

The source of this module runs as guest code in the sandbox, before that of `rank`. Standard library only.
"""

import re

# Function words, question words, words that point in time, and the verbs of instructions; no nouns of any field.
_STOP = """
    a about above after again against all also am among an and answer any anyone anything approximately are
    aren't as ask asked assume at be because been before being below between both but by can cannot could
    current currently describe did do does doing done down during each either else etc ever every explain few
    find following for from further get give given had has have having he her here hers him his how however i
    identify if in into is isn't it its just last latest let like list many may me mention might mine more most
    much must my name neither next no nor not now of off on one only or other our out over own per please
    previous provide question recent recently regarding relying respond response say see shall she should show
    shown so some someone something state such summarize tell than that the their them then there these they
    this those through to too under until up upon us use used using versus very via vs was we were what when
    where whether which while who whom whose why will with within without would year years yes yet you your
"""
STOP = frozenset(_STOP.split())
# How one asks and not what for: measures, words for any thing and any doing. They are searched for like all others, but
# what answers need not hold them: "how long ...?" is answered by "thirty days".
_GENERAL = """
    affect amount big biggest break bring change come count figure file get go going happen hold keep kind
    know large largest last late long look lose low high make manner matter mean mention money much need
    number old own people quantity reason result run say set short size small sort stay stop take tell thing
    think time total turn type want way wide work
"""
# Longest first; the rest must keep four letters (five before the shortest ones), so "rate" never becomes "r".
_SUFFIXES = """
    izations ization isation ational ations ation ators ating ality ative ments tions ingly ively fully ated
    ator ates tion edly ness ment ings ives ally ity ing ily ive ful ion ate ed ly es
"""
SUFFIXES = tuple(_SUFFIXES.split())
# Irregular forms of common English verbs, each with the form whose stem is searched beside it.
_IRREGULAR = """
    arose:arise became:become began:begin begun:begin bought:buy broke:break brought:bring built:build came:come
    chose:choose chosen:choose drawn:draw drew:draw driven:drive drove:drive fallen:fall fell:fall felt:feel
    fought:fight found:find gave:give gone:go grew:grow grown:grow held:hold hidden:hide kept:keep knew:know
    known:know laid:lay led:lead left:leave lent:lend lost:lose made:make meant:mean met:meet paid:pay ran:run
    risen:rise rose:rise said:say saw:see seen:see sent:send shown:show shrank:shrink shrunk:shrink sold:sell
    sought:seek spent:spend spoke:speak stood:stand taken:take taught:teach thought:think threw:throw
    thrown:throw told:tell took:take understood:understand went:go withdrawn:withdraw withdrew:withdraw won:win
    written:write wrote:write
"""
IRREGULAR = {form: verb for form, _, verb in (entry.partition(":") for entry in _IRREGULAR.split())}


def stem(word: str) -> str:
    """Cut the endings of inflection and of common derivation; matching is by prefix, so little must be put back."""
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


_GENERAL_STEMS = frozenset(map(stem, _GENERAL.split()))


def is_general(word: str) -> bool:
    """Whether a word says how one asks ("how long", "made") rather than what for."""
    return not _GENERAL_STEMS.isdisjoint((stem(word), stem(IRREGULAR.get(word.lower(), ""))))


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
    """The titles of the statements that a question names or needs, and the lines of them that it needs.

    A line is the stems of its words. Both are empty unless the question names a statement or a known measure.
    """
    question = question.lower().replace("\u2019", "'")
    entries = [" ".join(entry.split()).split(": ", 2) for entry in re.split(r"\n {4}(?=\S)", _MEASURES)[1:]]
    asked = [(statements, lines) for names, statements, lines in entries if re.search(rf"\b(?:{names})", question)]
    needed = {statement for statements, _ in asked for statement in statements.split()}
    titles = [re.compile(t) for key, t in _STATEMENTS.items() if key in needed or re.search(rf"\b(?:{t})", question)]
    lines = [" ".join(map(stem, re.findall(r"\w+", line))) for _, found in asked for line in found.split(",")]
    return titles, list(dict.fromkeys(lines))
