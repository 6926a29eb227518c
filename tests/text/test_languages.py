"""Documents in other languages: which it is, where sentences end, what is searched for, and quotes to the letter."""

import random
import re
import time

import pytest
from fakes import FakeSandbox
from foreign_reports import REPORTS, ForeignReport

from ralph_cli.api import ask
from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.config import Settings
from ralph_cli.core.document import Document
from ralph_cli.core.run import Draft, DraftClaim
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.search.nearest import nearest_passages
from ralph_cli.text.languages.east_asian import PAD
from ralph_cli.text.languages.figures import in_english, language_of_figures
from ralph_cli.text.languages.words import has_unspaced, language_of, split_unspaced
from ralph_cli.text.quantities.reader import read_quantities
from ralph_cli.text.sentences import sentence_ends

by_language = pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.language)

QUOTES = 200


def load(report: ForeignReport) -> Document:
    return DocumentSource("report.txt").load_bytes(report.text.encode(), None)


@by_language
def test_the_language_is_told_of_a_report_and_of_a_question(report: ForeignReport) -> None:
    assert language_of(report.text) == report.language
    assert {language_of(question) for question in report.answers} == {report.language}


def test_english_and_what_has_no_words_are_english() -> None:
    for text in ("What was revenue in fiscal 2024, and why did it fall?", "Revenue 2024", "12,5 %", ""):
        assert language_of(text) == "en"


def test_words_without_spaces_are_parted_by_their_script() -> None:
    assert split_unspaced("有価証券報告書の提出はいつですか") == ["有価", "証券", "報告書", "提出"]
    assert split_unspaced("コミットメントラインの期限") == ["コミットメントライン", "期限"]
    assert split_unspaced("2024年的营业收入是多少") == ["2024", "营业收入"]


@by_language
def test_sentences_end_where_the_language_ends_them(report: ForeignReport) -> None:
    begins = [0, *(begin for _, begin in sentence_ends(report.text))]
    parts = [report.text[a:b].strip() for a, b in zip(begins, [*begins[1:], len(report.text)], strict=True)]
    # The heading, three sentences of the first paragraph, and the five or six of the second.
    assert 9 <= len([part for part in parts if part]) <= 11, parts
    for words in report.answers.values():
        assert any(words in part for part in parts), words


@by_language
def test_the_passage_nearest_to_a_question_holds_its_answer(report: ForeignReport) -> None:
    for question, words in report.answers.items():
        first = nearest_passages(question, report.text)[0]
        assert words in report.text[first.start : first.end]


@by_language
def test_the_built_in_engine_finds_the_sentence_that_answers(report: ForeignReport) -> None:
    for question, words in report.answers.items():
        found = ask(load(report), question, settings=Settings(), engine=FakeSandbox)
        assert found.quotes and words in found.quotes[0].text, (question, [quote.text for quote in found.quotes])


@by_language
def test_quotes_are_found_to_the_letter_and_changed_ones_are_not(report: ForeignReport) -> None:
    document, chance = load(report), random.Random(report.language)
    index, text = QuoteIndex(document), document.text
    words = [match.span() for match in re.finditer(r"\S+", text)]
    if has_unspaced(text):
        # Between characters that are written without spaces, and never within a figure.
        words = [match.span() for match in re.finditer(r"[0-9][0-9.,万億亿兆]*%?|[十八]+|[A-Z]+|[^\sA-Z0-9]", text)]
    kept = []
    for _ in range(QUOTES):
        length = chance.randint(6, 20) * (2 if has_unspaced(text) else 1)
        first = chance.randrange(len(words) - length)
        inside = words[first : first + length]
        quote = text[inside[0][0] : inside[-1][1]]
        found = index.find(quote)
        assert found is not None and any(quote.strip("., ") in text[a.start : a.end] for a in found.occurrences), quote
        changed = _change(text, inside, chance)
        kept += [changed] if is_taken_for_whole(changed, index, text) else []
    assert kept == []


def is_taken_for_whole(quote: str, index: QuoteIndex, text: str) -> bool:
    """Whether a quote is found as it is; where only its signs differ, the document's own words are shown instead."""
    found = index.find(quote)
    if found is None:
        return False
    shown = text[found.span.start : found.span.end]
    return found.tier != "recut" or letters(shown) != letters(quote)


def letters(words: str) -> str:
    return "".join(char for char in words if char.isalnum())


def _change(text: str, inside: list[tuple[int, int]], chance: random.Random) -> str:
    """The quote with a digit, a word or a character that says something changed, left out or put in."""
    start, end = inside[0][0], inside[-1][1]
    quote = text[start:end]
    telling = [(a - start, b - start) for a, b in inside[1:-1] if any(char.isalnum() for char in text[a:b])]
    digits = [at for at, char in enumerate(quote) if char in "0123456789"]
    a, b = chance.choice(telling)
    ways = ["drop", "double", "swap"] + ["digit"] * bool(digits)
    match chance.choice(ways):
        case "digit":
            at = chance.choice(digits)
            return quote[:at] + str((int(quote[at]) + chance.randint(1, 9)) % 10) + quote[at + 1 :]
        case "drop":
            return quote[:a] + quote[b:].lstrip(" ")
        case "double":
            return quote[:b] + ("" if has_unspaced(quote) else " ") + "nicht不" + quote[b:]
        case _:
            return quote[:a] + "anders他" + quote[b:]


FIGURES = {
    "de": ("um 8,4 % auf 1.284,6 Mio. € zum 31. Dezember 2024", "um 8.4 % auf 1,284.6 mn € zum 31 Dec 2024"),
    "fr": ("de 8,4 % à 1 284,6 millions d’euros au 30 juin 2028", "de 8.4 % à 1,284.6 million euros au 30 Jun 2028"),
    "es": ("1.284,6 mil millones de euros, 14 de mayo de 2025", "1,284.6 billion euros, 14 May 2025"),
    "it": ("1.284,6 milioni di euro, 6.482 dipendenti", "1,284.6 million euro, 6,482 dipendenti"),
    "pt": ("1,15 € por ação em 30 de junho de 2028", "1.15 € per ação em 30 Jun 2028"),
    "ja": ("令和6年3月31日の1,284億6,000万円、第3四半期", "31.3.2024の¥1,284.6億、Q3"),
    "zh": ("2024年12月31日 十八个月 1.1个百分点", "31.12.2024 18mo 1.1pp"),
}


@pytest.mark.parametrize("language", FIGURES)
def test_figures_are_read_as_english_ones_and_nothing_moves(language: str) -> None:
    written, wanted = FIGURES[language]
    english = in_english(written, language)
    assert len(english.text) == len(written)
    shown = " ".join(english.text.replace(PAD, "").split())
    assert shown.replace(" ", "") == wanted.replace(" ", "")


@pytest.mark.parametrize(
    ("language", "written", "wanted"),
    [
        ("de", "1.284. Auf 1.284,6. 3.100.2", "1,284. Auf 1,284.6. 3.100.2"),
        ("de", "1'284.60 1\u2019284'500.50 1'284", "1,284.60 1,284,500.50 1,284"),
        ("ja", "2024年0月", "2024 0月"),
        ("ja", "1億2,345万円", "¥1.2345億 "),
        ("ja", "226万8,000円", "¥2268000  "),
        ("ja", "３か月、平方メートル", "3mo、平方メートル"),
        ("zh", "万分之五、三成二", "5bp 、32%"),
        ("zh", "民國113年7月1日、112年度、113年7月", "1.7.2024  、2023 、Jul'24"),
        ("zh", "美元1.13亿元、1.13亿元人民币", "$1.13亿  、CNY1.13亿 "),
        ("zh", "一式六份,统一", "一式6份,统一"),
        ("ja", "令和元年五月、令和六年三月三十一日、毎年3月31日", "May'19、31.3.2024 、毎年31Mar"),
        ("ja", "金壱千壱百参拾四万円、五億二千万円、二千円", "金¥11340000、¥5.2億 、¥2千"),
        ("ja", "三千四百平方メートル、千二百名、2時間15分", "3400sqm   、1200、2h 15分"),
        ("ja", "60日以内、3割、3割5分", "≤60日 、3成、35% "),
        ("zh", "为人民币柒佰陆拾捌万元整、即人民币叁拾万元", "为   7680000整、即   30万 "),
        ("zh", "六成、八折、九五折、完成、一成员", "6成、8成、95%、完成、一成员"),
        ("de", "nicht\nmehr als 24 Mio. Stück", "  not\n    over 24   mn Stück"),
        ("de", "von 770,8 von 1.284,6; je Monat", "von 770.8 von 1,284.6;  / month"),
        ("de", "sechs von zehn, fünfundzwanzig Tage", "    six in ten,             25  day"),
        ("es", "uno de cada cinco, las tres cuartas partes", "      one in five, las       three fourths"),
        ("it", "due terzi dei soci, 5 mln di euro", "two thirds of soci, 5     mn euro"),
        ("fr", "entre 5 et 7 %, quatre-vingt-dix jours", "entre 5 et 7 %,               90   day"),
        ("fr", "6,45 M€ et 12 Md€", "6.45m € et 12bn €"),
        ("pt", "cento e vinte milhões de reais", "          120    million reais"),
        ("es", "un millón ciento cincuenta mil, dos mil", "                     1,150,000,   2,000"),
        ("fr", "(en K€), 2 Mds€, sans dépasser 3 %", "(en €k), 2bn  €,  not     over 3 %"),
        ("es", "entre tres y nueve, 5 mdp, al menos, 3", "entre    3 y     9, 5  mn, al menos, 3"),
        ("it", "120mila euro, 55 punti, un anno e mezzo", "120 tsd euro, 55 punti,       18 months"),
        ("pt", "1º de março de 2024, no máximo, seis", "1       Mar    2024, no máximo,    6"),
        ("pt", "dez/2031, 4T23, R$ 5 mil, em R$ mil", "Dec 2031, 4Q23, R$ 5 tsd, in R$ tsd"),
    ],
)
def test_figures_end_with_a_sentence_and_are_written_in_several_ways(language: str, written: str, wanted: str) -> None:
    assert in_english(written, language).text.replace(PAD, " ") == wanted


@pytest.mark.parametrize("part", ["1", "1,", "1億", "111 ", "111\u00a0", "1.", "Mai ", "一"])
@pytest.mark.parametrize("language", ["de", "fr", "ja"])
def test_the_time_grows_with_the_length_of_what_is_read(language: str, part: str) -> None:
    begun = time.process_time()
    in_english(part * (40_000 // len(part)), language)
    assert time.process_time() - begun < 2  # quadratic time would be more than ten seconds


def test_the_way_a_short_text_writes_figures_is_told_by_them_or_by_its_words() -> None:
    for text, otherwise, wanted in (
        ("Revenue was 1,284 in 2024", "de", "en"),
        ("Umsatz 1.284,6", "de", "de"),
        ("8,4 in 2024", "de", "de"),
        ("8,4 in 2024", "en", "en"),
        ("1.284", "fr", "fr"),
        ("Der Umsatz betrug in dem Jahr 1.284", "en", "de"),
        ("Umsatz in 2024: 1.284", "de", "de"),
    ):
        assert language_of_figures(text, otherwise) == wanted, text


@pytest.mark.parametrize(
    ("language", "written", "bound"),
    [
        ("en", "for \u2265 10 years", "over"),
        ("en", "with < 10 % of it", "under"),
        ("zh", "功率不超过10千瓦", "under"),
        ("zh", "培训人员不少于10名", "over"),
        ("ja", "10万円以上の修繕", "over"),
        ("ja", "10日以内に", "under"),
        ("ja", "10日後に", ""),
    ],
)
def test_what_limits_a_figure_is_told_by_signs_too(language: str, written: str, bound: str) -> None:
    assert [found.bound for found in read_quantities(in_english(written, language).text)] == [bound]


def test_each_passage_is_read_in_its_own_language_and_way_to_write_figures() -> None:
    german = "Der Umsatz des Konzerns betrug in dem Jahr 1.284 Mio. Euro."
    english = "The revenue of the group was 1,284 million euros in the year."
    table = "| Anzahl | 1.284 |"
    points = "La eficiencia de los pozos subió al 63.4% y se cobró a 104,218 tomas"
    for text, language, wanted in (
        (f"{german}\n\n{english}\n\n{table}", "de", ("1,284   mn Euro.", "1,284 million", "1,284 |")),
        (f"{english}\n\n{german}\n\n{table}", "en", ("1,284 million", "1,284   mn Euro.", "1.284 |")),
        (f"{points}\n\n| Tomas | 96,870 |", "es", ("63.4%", "104,218 tomas", "96,870 |")),
    ):
        read = in_english(text, language).text
        assert len(read) == len(text)
        assert [part for part in wanted if part not in read.replace(PAD, " ")] == []


def test_a_document_is_in_the_language_that_a_person_says() -> None:
    table = load(ForeignReport("", "Total | 1.284\nUnits | 6.482\n", {}))
    claim = resolve_quotes(Draft((DraftClaim("Total: 1284", ("Total | 1.284",)),)), table, QuoteIndex(table))
    assert NumbersCheck(table, "")(claim).issues
    assert not NumbersCheck(table.in_language("de"), "")(claim).issues


CLAIMS = {
    "de": (
        "Zum 31. Dezember 2024 beschäftigte der Konzern 6.482 Mitarbeiter, 214 mehr als zwölf Monate zuvor.",
        ("Ende 2024 waren es 6.482 Mitarbeiter.", "Ende 2024 waren es 6.842 Mitarbeiter."),
        ("There were 6,482 employees at December 31, 2024.", "There were 6,482 employees at November 30, 2024."),
    ),
    "fr": (
        "La ligne de crédit de 250 millions d’euros, conclue en juin 2023, vient à échéance le 30 juin 2028",
        ("La ligne s’élève à 250 millions d’euros.", "La ligne s’élève à 250 milliards d’euros."),
        ("Elle expire le 30.06.2028.", "Elle expire le 30.07.2028."),
    ),
    "es": (
        "La cifra de negocios aumentó un 8,4 % en 2024, hasta 1.284,6 millones de euros",
        ("Las ventas fueron de unos 1.285 millones de euros.", "Las ventas fueron de unos 1.385 millones de euros."),
    ),
    "it": (
        "Il margine operativo è sceso dall’8,6% al 7,5%.",
        ("Il margine è sceso al 7,5 per cento.", "Il margine è sceso al 5,7 per cento."),
    ),
    "pt": (
        "vence em 30 de junho de 2028",
        ("Vence em 30 de junho de 2028.", "Vence em 30 de junho de 2026."),
    ),
    "ja": (
        "2024年度の売上高は前年度比8.4%増の1,284億6,000万円となりました。",
        ("売上高は約1,285億円でした。", "売上高は約1,385億円でした。"),
        ("Revenue rose by 8.4%.", "Revenue rose by 4.8%."),
    ),
    "zh": (
        "授信额度为25亿元,有效期至2028年6月30日",
        ("授信额度有效期至2028年6月30日。", "授信额度有效期至2027年6月30日。"),
    ),
}


@by_language
def test_figures_of_a_claim_are_compared_in_its_own_language(report: ForeignReport) -> None:
    quote, *pairs = CLAIMS[report.language]
    document = load(report)
    check = NumbersCheck(document, next(iter(report.answers)))
    for right, wrong in pairs:
        for text, holds in ((right, True), (wrong, False)):
            attempt = resolve_quotes(Draft((DraftClaim(text, (quote,)),)), document, QuoteIndex(document))
            assert not attempt.refused
            evidence = check(attempt)
            assert holds == (not evidence.issues and not evidence.doubts), (text, evidence)
            assert PAD not in str(evidence)


def test_a_message_shows_figures_as_they_were_written() -> None:
    document = load(REPORTS[0])
    quote = "Der Umsatz stieg im Geschäftsjahr 2024 um 8,4 % auf 1.284,6 Mio. €"
    attempt = resolve_quotes(
        Draft((DraftClaim("Der Umsatz betrug 1.384,6 Mio. €.", (quote,)),)), document, QuoteIndex(document)
    )
    (issue,) = NumbersCheck(document, "Wie hoch war der Umsatz?")(attempt).issues
    assert '"1.384,6 Mio. €"' in issue.line and '"1.284,6 Mio. €"' in issue.line
    document = load(next(report for report in REPORTS if report.language == "ja"))
    claim = DraftClaim("売上高は1,385億円でした。", ("2024年度の売上高は前年度比8.4%増の1,284億6,000万円",))
    (issue,) = NumbersCheck(document, "売上高")(resolve_quotes(Draft((claim,)), document, QuoteIndex(document))).issues
    assert '"1,385億円"' in issue.line
