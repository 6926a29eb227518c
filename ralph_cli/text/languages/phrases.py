"""Scales, units, dates and joints of figures in German, French, Spanish, Italian and Portuguese, with the English of it. Pure.

Each line is English and what it is written for: alternatives behind "|", endings in brackets that may lack ("Tag(e)")
or one of which stands there ("salit[oae]"). A "#" before or behind a phrase is the figure beside it. English is never
longer than what it stands for, which else is left as it is: so it is the shortest word that means the same to a reader
of figures ("mo" for a month).

Months and units are those of the Unicode CLDR, in the forms that sentences give them.
"""

# ruff: noqa: E501

MONTHS = {
    "de": "Januar|Jänner|Jan Februar|Feber|Feb März|Mär|Mrz April|Apr Mai Juni|Jun Juli|Jul August|Aug "
    "September|Sept|Sep Oktober|Okt November|Nov Dezember|Dez",
    "fr": "janvier|janv février|févr mars avril|avr mai juin juillet|juil août septembre|sept octobre|oct novembre|nov "
    "décembre|déc",
    "es": "enero|ene febrero|feb marzo|mar abril|abr mayo|may junio|jun julio|jul agosto|ago "
    "septiembre|setiembre|sept|sep octubre|oct noviembre|nov diciembre|dic",
    "it": "gennaio|gen febbraio|feb marzo|mar aprile|apr maggio|mag giugno|giu luglio|lug agosto|ago settembre|set "
    "ottobre|ott novembre|nov dicembre|dic",
    "pt": "janeiro|jan fevereiro|fev março|mar abril|abr maio|mai junho|jun julho|jul agosto|ago setembro|set "
    "outubro|out novembro|nov dezembro|dez",
}
"""The names of the months in order. Those of up to four letters are read beside a figure alone."""

PHRASES = {
    "de": """
Q1 = 1. Quartal(s) | erste[nsr] Quartal(s)
Q2 = 2. Quartal(s) | zweite[nsr] Quartal(s)
Q3 = 3. Quartal(s) | dritte[nsr] Quartal(s)
Q4 = 4. Quartal(s) | vierte[nsr] Quartal(s)
H1 = 1. Halbjahr(es) | erste[nsr] Halbjahr(es)
H2 = 2. Halbjahr(es) | zweite[nsr] Halbjahr(es)
fiscal = Geschäftsjahr(es) | Wirtschaftsjahr(es) | Haushaltsjahr(es)
and = und
to = auf # | bis #
not = nicht | nie | niemals | ohne
between = zwischen #
over = über # | mehr als die | mehr als
under = weniger als | knapp # | unter #
ca = rund # | etwa # | circa | gut #
about = ungefähr | annähernd
pp = Prozentpunkt(e)n | Prozentpunkt(e)
bps = Basispunkt(e)n | Basispunkt(e)
percent = Prozent
mn = Mio. | Mio
bn = Mrd. | Mrd
tsd = Tsd. | Tausend
million = Million(en)
billion = Milliarde(n)
tn = Billion(en)
USD = US-Dollar(s)
CHF = Schweizer Franken | Franken
year = Jahr(e) | Jahr(e)n | Jahr(e)s
month = Monat(e) | Monat(e)n | Monat(e)s
week = Woche(n)
day = Tag(e) | Tag(e)n | Tag(e)s
hour = Stunde(n)
minute = Minute(n)
quarter = Quartal(e) | Quartal(e)n | Quartals
yearly = jährlich(e) | pro Jahr | je Jahr
monthly = monatlich(e) | pro Monat | je Monat
weekly = wöchentlich(e) | pro Woche | je Woche
daily = täglich(e)
a day = pro Tag | je Tag | am Tag
sqm = Quadratmeter(n) | Quadratmeters
cu metre = Kubikmeter(n) | Kubikmeters
metre = Meter(n)
km = Kilometer(n)
ha = Hektar
kg = Kilogramm
gram = Gramm
litre = Liter(n)
tonne = Tonne(n)
pounds = # Pfund Sterling
CAD = kanadische(n) Dollar(s)
AUD = australische(n) Dollar(s)
kWh = Kilowattstunde(n)
MWh = Megawattstunde(n)
12 = ein Dutzend | Dutzend
1.5 = anderthalb | eineinhalb
2.5 = zweieinhalb
3.5 = dreieinhalb
half = Hälfte
per = pro
/ = je
""",
    "fr": """
Q1 = 1er trimestre | premier trimestre
Q2 = 2e trimestre | deuxième trimestre
Q3 = 3e trimestre | troisième trimestre
Q4 = 4e trimestre | quatrième trimestre
H1 = 1er semestre | premier semestre
H2 = 2e semestre | second semestre | deuxième semestre
fiscal = exercice
to = à # | à la
from = passe de # | passé de # | passée de # | passant de # | passer de #
between = comprise entre | compris entre
, = et
not = pas | sans
no = jamais | ne
over = plus de la | plus de | supérieur(e)(s) | au-delà | excédant | dépasse | dépassant | dépasser | excéder | dépassent | excède(nt)
under = moins de | inférieur(e)(s)
ca = environ | près de # | quelque | autour
x = # fois
pp = point(s) de pourcentage
bps = point(s) de base
percent = pour cent
million = million(s) de | million(s) d['’] | million(s)
billion = milliard(s) de | milliard(s) d['’] | milliards | milliard
tn = # billion(s)
tsd = # mille
thousand = milliers de | milliers d['’] | milliers
yr = ans | an
year = années | année
mo = mois
week = semaine(s)
day = jours | jour
hour = heure(s)
minute = minutes
quarter = trimestre(s)
per yr = par an
per mo = par mois
annual = annuel(le)(s)
monthly = mensuel(le)(s)
a day = chaque jour | par jour | journalier
a week = chaque semaine | par semaine
a mo = chaque mois
a yr = chaque année
sqm = mètre(s) carré(s)
cu metre = mètre(s) cube(s)
metre = mètre(s)
km = kilomètre(s)
kg = kilogramme(s)
gram = gramme(s)
tonne = tonnes
cents = # centimes
cent = # centime
GBP = livre(s) sterling
CHF = franc(s) suisse(s)
CAD = dollar(s) canadien(s)
AUD = dollar(s) australien(s)
kWh = kilowattheure(s)
MWh = mégawattheure(s)
18 months = un an et demi
ca 12 = une douzaine de | une douzaine d'
ca 10 = une dizaine de | une dizaine d'
ca 20 = une vingtaine de | une vingtaine d'
ca 30 = une trentaine de
ca 50 = une cinquantaine de
ca 100 = une centaine de
half = moitié
per = par
""",
    "es": """
Q1 = primer trimestre | 1T
Q2 = segundo trimestre | 2T
Q3 = tercer trimestre | 3T
Q4 = cuarto trimestre | 4T
H1 = primer semestre
H2 = segundo semestre
from = pasó de # | pasaron de # | pasa de # | pasó del # | pasa del #
fiscal = ejercicio
no = sin | nunca
to = hasta #
, = y
over = más de la | más de | superior(es) a | superior(es) al | supera | excede | superar(á) | exceder(á) | rebasar(á) | superen | excedan
under = menos del | menos de | inferior(es) a | inferior(es) al | casi el # | casi un #
ca = unos | unas | cerca de | alrededor de | en torno a
about = aproximadamente
times = veces
pp = puntos porcentuales | punto porcentual
bps = puntos básicos
percent = por ciento
billion = mil millones de | mil millones | miles de millones de | miles de millones
million = millones de | millones | millón de
trillion = billones de | billones
tn = billón de | billón
mn = # millón | # mdp
thousand = miles de
tsd = # mil
yr = años | año
month = meses
mo = mes
week = semana(s)
day = días | día
hour = hora(s)
minute = minuto(s)
quarter = trimestre(s)
a yr = al año | por año | anual(es)
a mo = al mes | por mes | cada mes
monthly = mensual(es)
a day = al día | por día | diario(s) | cada día
a hour = por hora | a la hora
sqm = metro(s) cuadrado(s)
cu metre = metro(s) cúbico(s)
metre = metro(s)
km = kilómetro(s)
kg = kilogramo(s) | kilos
hectare = hectárea(s)
tonne = tonelada(s)
litre = litro(s)
CAD = dólares canadienses
AUD = dólares australianos
CHF = francos suizos
GBP = libras esterlinas
dollars = dólares
USD = dólar
cents = # céntimos
kWh = kilovatio(s) hora | kilovatios-hora
MWh = megavatio(s) hora | megavatios-hora
18 months = un año y medio | año y medio
12 = una docena de | docena de
ca 10 = una decena de
half = mitad
per = por
""",
    "it": """
Q1 = primo trimestre
Q2 = secondo trimestre
Q3 = terzo trimestre
Q4 = quarto trimestre
H1 = primo semestre
H2 = secondo semestre
fiscal = esercizio
from = passa da # | passato da # | passata da # | passano da # | passati da # | passa dal # | passato dal # | passata dal #
, = e | ed
not = non
to = al # | ad #
no = senza | mai
over = almeno | oltre | più della | più del | più di | superior[ei] a | superare | superano | eccedere | eccede
under = meno di | meno del | non oltre | al più | quasi # | inferior[ei] a
ca = circa
times = volte
pp = punti percentuali | punto percentuale
bps = punti base
percent = per cento
billion = miliardi di | miliardo di | miliardi | miliardo
bn = mld di | mld
mn = mln di | mln
million = milioni di | milione di | milioni | milione
thousand = migliaia di | migliaia
tsd = # mila
year = anni | anno
mo = mesi | mese
week = settimane | settimana
day = giorni | giorno
hr = ore | ora
minute = minuti | minuto
quarter = trimestre | trimestri
a yr = all['’]anno | annu[aio] | annue
a mo = al mese | ogni mese
monthly = mensile | mensili
a day = al giorno | ogni giorno
a week = a settimana | alla settimana
sqm = metri quadrati | metro quadrato | metri quadri | metro quadro
cu metre = metri cubi | metro cubo
metre = metri | metro
km = chilometri | chilometro
kg = chilogrammi | chilogrammo | chili
ha = ettari | ettaro
tonne = tonnellat[ae]
litre = litri | litro
CAD = dollari canadesi
AUD = dollari australiani
CHF = franchi svizzeri
GBP = sterline
dollars = dollari
dollar = dollaro
cents = # centesimi
kWh = chilowattora
MWh = megawattora
18 months = un anno e mezzo | anno e mezzo
12 = una dozzina di | dozzina di
ca 10 = una decina di
ca 20 = una ventina di
ca 100 = un centinaio di
half = metà
per = per ogni
""",
    "pt": """
Q1 = primeiro trimestre | 1.º trimestre | 1º trimestre | 1º tri. | 1T
Q2 = segundo trimestre | 2.º trimestre | 2º trimestre | 2º tri. | 2T
Q3 = terceiro trimestre | 3.º trimestre | 3º trimestre | 3º tri. | 3T
Q4 = quarto trimestre | 4.º trimestre | 4º trimestre | 4º tri. | 4T
H1 = primeiro semestre
H2 = segundo semestre
from = passou de # | passaram de # | passa de #
to = para # | até #
, = e
not = não
fiscal = exercício
no = sem | nunca
under = menos de | inferior(es) a | quase #
over = mais da | mais de | superior(es) a | acima de | excede | ultrapassa | ultrapassar | exceder | superar | ultrapasse | exceda
ca = cerca de
about = aproximadamente
times = vezes
x = # vez
pp = pontos percentuais | ponto percentual
bps = pontos base | pontos-base | ponto base
percent = por cento
billion = mil milhões de | mil milhões | bilhões de | bilhões | bilhão de
bn = bilhão | # bi
million = milhões de | milhões | milhão de
mn = milhão | # mi
trillion = trilhões de | trilhões | trilhão de
thousand = milhares de
tsd = # mil
year = anos
yr = ano
month = meses
mo = mês
week = semana(s)
day = dias
hour = hora(s)
minute = minuto(s)
quarter = trimestre(s)
a yr = ao ano | por ano | anual | anuais | a.a.
a mo = ao mês | por mês
monthly = mensais
a day = ao dia | por dia | diário(s)
a hour = por hora
sqm = metro(s) quadrado(s)
cu metre = metro(s) cúbico(s)
metre = metro(s)
km = quilómetro(s) | quilômetro(s)
kg = quilograma(s) | quilos
tonne = tonelada(s)
litre = litro(s)
CAD = dólares canadenses | dólares canadianos
AUD = dólares australianos
CHF = francos suíços
GBP = libras esterlinas
dollars = dólares
USD = dólar
cents = # cêntimos
kWh = quilowatt(s)-hora
MWh = megawatt(s)-hora
18 months = um ano e meio | ano e meio
12 = uma dúzia de | dúzia de
ca 10 = uma dezena de
half = metade
per = por
""",
}
"""By the language's code (ISO 639-1)."""
