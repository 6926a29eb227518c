"""Claims in other languages: their numbers, scales, units and dates are read as English ones are."""

import pytest

from ralph_cli.checks.figures.check import NumbersCheck
from ralph_cli.checks.quotes import resolve_quotes
from ralph_cli.core.run import Draft, DraftClaim, Evidence
from ralph_cli.documents.source import DocumentSource
from ralph_cli.retrieval.quotes.index import QuoteIndex


def check(
    language: str, quotes: tuple[str, ...], claim: str, calculations: tuple[str, ...] = (), before: str = ""
) -> Evidence:
    text = before + "\n\n".join(quotes)
    document = DocumentSource("report.txt").load_bytes(text.encode(), None).in_language(language)
    attempt = resolve_quotes(Draft((DraftClaim(claim, quotes, calculations),)), document, QuoteIndex(document))
    assert not attempt.refused
    return NumbersCheck(document, "")(attempt)


UNREAD = {
    "a time of day": (
        "it",
        "Dalle ore 20.45 alle 23.10.",
        "Due ore e 25 minuti.",
        ("23.10 - 20.45 = 2 ore e 25 minuti",),
    ),
    "a unit of the claim": ("zh", "发电量为38.2亿千瓦时。", "发电38.2亿度。"),
    "a day that a time leads to": (
        "pt",
        "Vale por 120 dias a contar de 1º de março de 2024.",
        "Termina em 29 de junho de 2024.",
    ),
    "a bound that is denied": ("ja", "10名未満では開会できない。", "開会には10名以上が必要である。"),
    "other words for the same": ("fr", "Sur 240 ont été rejetés 10 dossiers.", "Environ 12 demandes ont été refusées."),
    "another column": ("de", "| | 2023 | 2022 |\n| EBITDA | 154,2 | 161,6 |", "2023 lag das EBITDA bei 161,6."),
    "a bound": ("fr", "L'indemnité ne saurait être inférieure à 600 euros.", "L'indemnité est d'au plus 600 euros."),
}

SURE = {
    "a result": (
        "de",
        "Es waren 742,5 nach 655,0 im Vorjahr.",
        "Ein Plus von 11,8 %.",
        ("742,5 / 655,0 - 1 = 11,8 %",),
    ),
    "a unit": ("pt", "A permanência média é de 3,6 dias.", "A permanência média é de 3,6 semanas."),
    "a scale": ("de", "Geplant sind 104 Mio. € für den Bau.", "Geplant sind 104 Mrd. € für den Bau."),
    "a scale above a table": (
        "fr",
        "(en K€)\n\n| | 2023 |\n|---|---:|\n| Dette | 120 620 |",
        "La dette est de 120,6 Md€.",
    ),
    "another number": ("it", "Le spese sono di 81.473,30 euro.", "Le spese sono di 84.173,30 euro."),
    "a day": ("fr", "Le semis a eu lieu le 19 octobre 2022.", "Le semis a eu lieu le 29 octobre 2022."),
    "a share": ("zh", "其中日本占六成。", "日本占40%。"),
}


@pytest.mark.parametrize("case", UNREAD)
def test_what_needs_reading_is_no_objection(case: str) -> None:
    language, quote, claim, *calculations = UNREAD[case]
    evidence = check(language, (quote,), claim, *calculations)
    assert not evidence.issues and bool(evidence.doubts) is bool(calculations), evidence


@pytest.mark.parametrize("case", SURE)
def test_what_code_reads_for_sure_is_objected_to(case: str) -> None:
    language, quote, claim, *calculations = SURE[case]
    assert check(language, (quote,), claim, *calculations).issues


def test_a_scale_above_a_table_that_code_does_not_know_is_no_other_one() -> None:
    before = "(en millions d'euros)\n\n| | 2023 |\n|---|---:|\n| Ventes | 486 |\n\n"
    rows = "| | Moins d'un an | Total |\n|---|---:|---:|\n| Total | 14 220 | 120 620 |"
    evidence = check("fr", (f"(en kilo-euros)\n\n{rows}",), "La dette est de 120,6 M€.", before=before)
    assert not evidence.issues, evidence


@pytest.mark.parametrize(
    ("language", "quote", "claim"),
    [
        ("fr", "Une panne est réparée sous quarante-huit (48) heures.", "Une panne est réparée en 48 heures."),
        ("fr", "un programme de 6,4 millions\nd'euros hors taxes", "Le programme coûte 6,4 millions d'euros."),
        ("ja", "敷金として金壱千壱百参拾四万円を預託する", "敷金は1,134万円である。"),
        ("zh", "预付款为合同总价的三成，即人民币叁拾万元整。", "预付30万元，占总价的30%。"),
        ("es", "El saldo insoluto es de 173.4 mdp.", "Faltan por pagar 173.4 millones."),
        ("it", "Il punteggio è di almeno 55 punti.", "The score is at least 55 points."),
        ("pt", "Vigora até 1º de março de 2024.", "Vigora até 1 de março de 2024."),
        ("ja", "| 区分 | 増減 |\n|---|---|\n| 患者数（人） | △3,242 |", "患者は3,242人減った。"),
        ("de", "| | Veränderung |\n|---|---|\n| EBIT | –10,3 % |", "Das EBIT ging um 10,3 % zurück."),
        ("de", "Gegen Aufpreis gilt die Zusage anderthalb Jahre.", "Die Zusage gilt 18 Monate."),
    ],
)
def test_forms_of_a_language_are_read(language: str, quote: str, claim: str) -> None:
    evidence = check(language, (quote,), claim)
    assert not evidence.issues and not evidence.doubts, evidence


def test_months_and_years_of_a_language_are_reasons_for_a_twelve() -> None:
    for language, quote, claim, calculation in (
        ("fr", "Le loyer est de 4 500 € par mois.", "Le loyer est de 54 000 € par an.", "4 500 * 12 = 54 000"),
        ("zh", "月租金为4.5万元。", "年租金为54万元。", "4.5 × 12 = 54"),
    ):
        evidence = check(language, (quote,), claim, (calculation,))
        assert not evidence.issues and not evidence.doubts, evidence


def test_words_of_two_languages_tell_no_figures_apart_for_sure() -> None:
    table = "| 区分 | 2030年度 | 2031年度 | 増減 |\n| 船（隻） | 1,204 | 1,310 | 106 |"
    assert not check("ja", (table,), "In 2031 it had 1,310 ships, 106 more than in the year before.").issues
