"""Names of months, parts of years, scales, times, units and currencies in five languages, with their English. Pure.

A row of the table has the English, then the phrases of German, French, Spanish, Italian and Portuguese. Phrases are
separated by "|". An ending in brackets is optional ("Tag(e)"); of letters in square brackets one is there ("erste[nr]").
A phrase with "#" before it is read only directly behind a figure. English is never longer than the phrase that it
replaces, so a row may have several
English words, the longest first, of which the first that fits is taken.

Months and units are those of the Unicode CLDR, in the forms that sentences give them.
"""

# ruff: noqa: E501

# The names of the months in order. A name of up to four letters is read only beside a figure.
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

# The columns of the table, behind the English.
LANGUAGES = ("de", "fr", "es", "it", "pt")

PHRASES = """
Q1 = 1. Quartal(s) | erste[nsr] Quartal(s) ; 1er trimestre | premier trimestre ; primer trimestre | 1T ; primo trimestre ; primeiro trimestre | 1(.)º trimestre | 1º tri. | 1T
Q2 = 2. Quartal(s) | zweite[nsr] Quartal(s) ; 2e trimestre | deuxième trimestre ; segundo trimestre | 2T ; secondo trimestre ; segundo trimestre | 2(.)º trimestre | 2º tri. | 2T
Q3 = 3. Quartal(s) | dritte[nsr] Quartal(s) ; 3e trimestre | troisième trimestre ; tercer trimestre | 3T ; terzo trimestre ; terceiro trimestre | 3(.)º trimestre | 3º tri. | 3T
Q4 = 4. Quartal(s) | vierte[nsr] Quartal(s) ; 4e trimestre | quatrième trimestre ; cuarto trimestre | 4T ; quarto trimestre ; quarto trimestre | 4(.)º trimestre | 4º tri. | 4T
H1 = 1. Halbjahr(es) | erste[nsr] Halbjahr(es) ; 1er semestre | premier semestre ; primer semestre ; primo semestre ; primeiro semestre
H2 = 2. Halbjahr(es) | zweite[nsr] Halbjahr(es) ; 2e semestre | second semestre | deuxième semestre ; segundo semestre ; secondo semestre ; segundo semestre
not = nicht ; pas | sans ; no ; non ; não
to = ; ; para | hasta ; ; para | até
over = über | mehr als ; plus de | supérieur(e)(s) à | dépasse(r) | dépassant | excède | excéder ; más de(l) | superior(es) a(l) | supera(r) | excede(r) ; almeno | oltre | più di | più del(la) | superior[ei] a | supera(re) | eccede(re) ; mais d[ea] | superior(es) a | acima de | excede(r) | supera(r) | ultrapassa(r)
under = unter | weniger als | knapp ; moins de | inférieur(e)(s) à ; menos de(l) | inferior(es) a(l) | casi el | casi un ; meno di | meno del | inferior[ei] a | al più | quasi ; menos de | inferior(es) a | quase
approx | about | ca = ungefähr | annähernd | rund | etwa | circa ; environ | près de | quelque ; aproximadamente | cerca de | alrededor de | en torno a | unos | unas ; circa | ca. ; aproximadamente | cerca de
percent = Prozent ; pour cent ; por ciento ; per cento ; por cento
pp = Prozentpunkt(e)(n) ; point(s) de pourcentage ; punto(s) porcentual(es) ; punt[oi] percentual[ei] ; ponto(s) porcentua(l)(is) | ponto(s) percentua(l)(is)
bps = Basispunkt(e)(n) ; point(s) de base ; punto(s) básico(s) ; punt[oi] base ; ponto(s) base | ponto(s)-base
times | x = ; # fois ; veces ; volte ; vezes | # vez
thousand | tsd = Tsd. | Tausend ; milliers de | milliers d['’] | milliers | # mille ; miles de | # mil ; migliaia di | migliaia | # mila ; milhares de | # mil
million | mn = Million(en) | Mio. | Mio ; million(s) de | million(s) d['’] | million(s) ; millones de | millones | millón de | millón | # mdp ; milion[ei] di | milion[ei] | mln di | mln ; milh(ões) de | milhões | milhão de | milhão | # mi
billion | bn = Milliarde(n) | Mrd. | Mrd ; milliard(s) de | milliard(s) d['’] | milliard(s) ; mil millones de | mil millones | miles de millones de | miles de millones ; miliard[io] di | miliard[io] | mld di | mld ; mil milhões de | mil milhões | bilhões de | bilhões | bilhão de | bilhão | # bi
trillion | tn = Billion(en) ; # billion(s) ; billones de | billones | billón de | billón ;  ; trilhões de | trilhões | trilhão de
year | yr = Jahr(e)(n)(s) ; an(s) | année(s) ; año(s) ; ann[io] ; ano(s)
month | mo = Monat(e)(n)(s) ; mois ; mes(es) ; mes[ei] ; mês | meses
week = Woche(n) ; semaine(s) ; semana(s) ; settiman[ae] ; semana(s)
day = Tag(e)(n)(s) ; jour(s) ; día(s) ; giorn[io] ; dia(s)
hour | hr = Stunde(n) ; heure(s) ; hora(s) ; or[ae] ; hora(s)
minute = Minute(n) ; minute(s) ; minuto(s) ; minut[io] ; minuto(s)
18 months = ; un an et demi ; (un )año y medio ; (un )anno e mezzo ; (um )ano e meio
a yr = ; chaque année ; al año | cada año ; all['’]anno | annu[aio] ; ao ano
a mo = ; chaque mois ; al mes | cada mes ; al mese | ogni mese ; ao mês
a day = am Tag ; chaque jour ; al día | cada día ; al giorno | ogni giorno ; ao dia
yearly | a yr = jährlich(e)(n) ; annuel(le)(s) ; anual(es) ; annual[ei] ; anua(l)(is)
monthly | a mo = monatlich(e)(n) ; mensuel(le)(s) ; mensual(es) ; mensil[ei] ; mensa(l)(is)
daily = täglich(e)(n) ; journali(er)(ère) ; diario(s) ; giornalier[oaie] ; diário(s)
per | / = pro | je ; par ; por ; per | per ogni ; por
quarter = Quartal(e)(n)(s) ; trimestre(s) ; trimestre(s) ; trimestr[ei] ; trimestre(s)
metre = Meter(n) ; mètre(s) ; metro(s) ; metr[io] ; metro(s)
km = Kilometer(n) ; kilomètre(s) ; kilómetro(s) ; chilometr[io] ; quilómetro(s) | quilômetro(s)
sqm = Quadratmeter(n)(s) ; mètre(s) carré(s) ; metro(s) cuadrado(s) ; metr[io] quadrat[io] | metr[io] quadr[io] ; metro(s) quadrado(s)
cu metre = Kubikmeter(n)(s) ; mètre(s) cube(s) ; metro(s) cúbico(s) ; metr[io] cub[io] ; metro(s) cúbico(s)
ha = Hektar ; hectare(s) ; hectárea(s) ; ettar[io] ; hectare(s)
kg = Kilogramm ; kilogramme(s) ; kilogramo(s) | kilos ; chilogramm[io] | chili ; quilograma(s) | quilos
tonne = Tonne(n) ; tonne(s) ; tonelada(s) ; tonnellat[ae] ; tonelada(s)
litre = Liter(n) ; litre(s) ; litro(s) ; litr[io] ; litro(s)
kWh = Kilowattstunde(n) ; kilowattheure(s) ; kilovatio(s)[ -]hora ; chilowattora ; quilowatt(s)-hora
MWh = Megawattstunde(n) ; mégawattheure(s) ; megavatio(s)[ -]hora ; megawattora ; megawatt(s)-hora
dollars | USD = US-Dollar(s) ; ; dólar(es) ; dollar[io] ; dólar(es)
CAD = kanadische(n) Dollar(s) ; dollar(s) canadien(s) ; dólar(es) canadiense(s) ; dollar[io] canades[ei] ; dólar(es) canadense(s) | dólar(es) canadiano(s)
AUD = australische(n) Dollar(s) ; dollar(s) australien(s) ; dólar(es) australiano(s) ; dollar[io] australian[io] ; dólar(es) australiano(s)
CHF = (Schweizer )Franken ; franc(s) suisse(s) ; franco(s) suizo(s) ; franc[oh](i) svizzer[io] ; franco(s) suíço(s)
GBP = Pfund Sterling ; livre(s) sterling ; libra(s) esterlina(s) ; sterlin[ae] ; libra(s) esterlina(s)
cents | cent = ; # centime(s) ; # céntimos ; # centesimi ; # cêntimos
ca 10 = ; une dizaine de | une dizaine d['’] ; una decena de ; una decina di ; uma dezena de
12 = Dutzend ; douzaine de | douzaine d['’] ; docena de ; dozzina di ; dúzia de
ca 20 = ; une vingtaine de | une vingtaine d['’] ; ; una ventina di
ca 50 = ; une cinquantaine de
ca 100 = ; une centaine de ; un centenar de ; un centinaio di ; uma centena de
1.5 = anderthalb | eineinhalb
2.5 = zweieinhalb
half = Hälfte ; moitié ; mitad ; metà ; metade
"""
