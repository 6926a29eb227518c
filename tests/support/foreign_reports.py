"""Short annual reports in seven languages, each with a question and the words of its answer."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ForeignReport:
    """A report; `answers` has, by question, words that the passage found for it must hold."""

    language: str
    text: str
    answers: dict[str, str]


GERMAN = """Geschäftsbericht 2024 der Hallwerk Fördertechnik AG

Der Umsatz stieg im Geschäftsjahr 2024 um 8,4 % auf 1.284,6 Mio. € (Vorjahr: 1.185,1 Mio. €). Die Marge sank von 8,6 \
% auf 7,5 %. Zum 31. Dezember 2024 beschäftigte der Konzern 6.482 Mitarbeiter, 214 mehr als zwölf Monate zuvor.

Der Vorstand schlägt der Hauptversammlung am 14. Mai 2025 eine Dividende von 1,15 € je Aktie vor. Eine \
Sonderdividende ist nicht vorgesehen. Die im Juni 2023 vereinbarte Kreditlinie über 250 Mio. € läuft bis zum 30. \
Juni 2028 und war am Bilanzstichtag nicht in Anspruch genommen. Eine Rückstellung wurde nicht gebildet, weil der \
Vorstand ein Bußgeld für unwahrscheinlich hält. Der Mietvertrag für das Werk kann mit einer Frist von achtzehn \
Monaten gekündigt werden.
"""

FRENCH = """Rapport annuel 2024 de la société Moulins de Brévannes

Le chiffre d’affaires a progressé de 8,4 % à 1 284,6 millions d’euros en 2024, contre 1 185,1 millions un an plus \
tôt. La marge opérationnelle est revenue de 8,6 % à 7,5 %. Au 31 décembre 2024, le groupe employait 6 482 personnes, \
soit 214 de plus qu’à la fin de l’exercice précédent.

Le conseil d’administration proposera un dividende de 1,15 € par action à l’assemblée générale du 14 mai 2025. Aucun \
dividende exceptionnel n’est prévu. La ligne de crédit de 250 millions d’euros, conclue en juin 2023, vient à \
échéance le 30 juin 2028 et n’était pas utilisée à la clôture. Aucune provision n’a été constituée, car une amende \
est jugée peu probable. Le bail de l’usine peut être résilié avec un préavis de dix-huit mois.
"""

SPANISH = """Informe anual 2024 de Bodegas del Arroyo Hondo, S.A.

La cifra de negocios aumentó un 8,4 % en 2024, hasta 1.284,6 millones de euros, frente a 1.185,1 millones en el \
ejercicio anterior. El margen operativo bajó del 8,6 % al 7,5 %. A 31 de diciembre de 2024 el grupo empleaba a 6.482 \
personas, 214 más que doce meses antes.

El consejo de administración propondrá a la junta general del 14 de mayo de 2025 un dividendo de 1,15 € por acción. \
No está previsto ningún dividendo extraordinario. La línea de crédito de 250 millones de euros, firmada en junio de \
2023, vence el 30 de junio de 2028 y no estaba dispuesta al cierre. No se ha dotado ninguna provisión, porque se \
considera poco probable una multa. El arrendamiento de la fábrica puede resolverse con un preaviso de dieciocho \
meses.
"""

ITALIAN = """Relazione annuale 2024 di Officine Valdrina S.p.A.

Il fatturato è cresciuto dell’8,4% nel 2024, a 1.284,6 milioni di euro, contro i 1.185,1 milioni dell’anno \
precedente. Il margine operativo è sceso dall’8,6% al 7,5%. Al 31 dicembre 2024 il gruppo contava 6.482 dipendenti, \
214 in più rispetto a dodici mesi prima.

Il consiglio di amministrazione proporrà all’assemblea del 14 maggio 2025 un dividendo di 1,15 € per azione. Non è \
previsto alcun dividendo straordinario. La linea di credito da 250 milioni di euro, sottoscritta nel giugno 2023, \
scade il 30 giugno 2028 e non era utilizzata alla chiusura. Non è stato costituito alcun accantonamento, perché una \
sanzione è ritenuta improbabile. La locazione dello stabilimento può essere disdetta con un preavviso di diciotto \
mesi.
"""

PORTUGUESE = """Relatório anual de 2024 da Tecelagem Serra Alta, S.A.

A receita cresceu 8,4% em 2024, para 1.284,6 milhões de euros, contra 1.185,1 milhões no ano anterior. A margem \
operacional caiu de 8,6% para 7,5%. Em 31 de dezembro de 2024 o grupo empregava 6.482 pessoas, mais 214 do que doze \
meses antes.

O conselho de administração proporá à assembleia geral de 14 de maio de 2025 um dividendo de 1,15 € por ação. Não \
está previsto qualquer dividendo extraordinário. A linha de crédito de 250 milhões de euros, contratada em junho de \
2023, vence em 30 de junho de 2028 e não estava utilizada no fecho do exercício. Não foi constituída qualquer \
provisão, porque uma multa é considerada improvável. O arrendamento da fábrica pode ser denunciado com um aviso \
prévio de dezoito meses.
"""

JAPANESE = """2024年度 有価証券報告書 霧島精機株式会社

2024年度の売上高は前年度比8.4%増の1,284億6,000万円となりました。営業利益率は8.6%から7.5%へ低下しました。2025年\
3月31日現在の従業員数は6,482名で、前年度末より214名増加しています。

取締役会は、2025年6月24日開催の定時株主総会に、1株当たり42円の期末配当を提案します。特別配当は実施しません。2023年6月に締結し\
たコミットメントライン契約(極度額250億円)の期限は2028年6月30日で、期末日現在の借入残高はありません。課徴金の可能性は低いと判断し\
、引当金を計上していません。大隅工場の賃貸借契約は18か月前の通知により解約できます。
"""

CHINESE = """云岭机械股份有限公司2024年年度报告

2024年公司营业收入为128.46亿元,同比增长8.4%。营业利润率由8.6%下降至7.5%。截至2024年12月31日,公司员工总数为6\
,482人,比上年末增加214人。

董事会拟向2025年5月14日召开的股东大会提出每股派发现金红利0.42元的方案。公司不派发特别红利。2023年6月签订的授信额度为25亿元\
,有效期至2028年6月30日,期末尚未使用。公司认为罚款的可能性较低,未计提预计负债。工厂租赁合同可提前十八个月通知解除。
"""

REPORTS = (
    ForeignReport(
        "de",
        GERMAN,
        {
            "Wie hoch war der Umsatz im Geschäftsjahr 2024?": "1.284,6 Mio. €",
            "Wann läuft die Kreditlinie aus?": "bis zum 30. Juni 2028",
        },
    ),
    ForeignReport(
        "fr",
        FRENCH,
        {
            "Quel était le chiffre d’affaires en 2024 ?": "1 284,6 millions",
            "Quand la ligne de crédit vient-elle à échéance ?": "30 juin 2028",
        },
    ),
    ForeignReport(
        "es",
        SPANISH,
        {
            "¿Cuál fue la cifra de negocios de 2024?": "1.284,6 millones",
            "¿Cuándo vence la línea de crédito?": "30 de junio de 2028",
        },
    ),
    ForeignReport(
        "it",
        ITALIAN,
        {
            "Qual è stato il fatturato nel 2024?": "1.284,6 milioni",
            "Quando scade la linea di credito?": "30 giugno 2028",
        },
    ),
    ForeignReport(
        "pt",
        PORTUGUESE,
        {
            "Qual foi a receita em 2024?": "1.284,6 milhões",
            "Quando vence a linha de crédito?": "30 de junho de 2028",
        },
    ),
    ForeignReport(
        "ja",
        JAPANESE,
        {
            "2024年度の売上高はいくらですか": "1,284億6,000万円",
            "コミットメントラインの期限はいつですか": "2028年6月30日",
        },
    ),
    ForeignReport(
        "zh", CHINESE, {"2024年的营业收入是多少?": "128.46亿元", "授信额度的有效期到什么时候?": "2028年6月30日"}
    ),
)
