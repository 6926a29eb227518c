"""Currencies of ISO 4217 with their signs and English names: made by tools/currency_table.py, not by hand.

The data are those of the Unicode CLDR as Babel 2.18.0 has them (BSD licence, Unicode licence).
"""

# fmt: off
# ruff: noqa: SIM905
CODES = ("AED AFN ANG AOA ARS AUD AWG AZN BBD BDT BGN BHD BIF BMD BRL BTN BWP BYN BYR BZD CAD CHF CLP CNY "
 "CUC CZK DJF DKK DZD EGP ETB EUR FJD FKP GBP GHS GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR "
 "IQD ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LBP LKR LRD LYD MDL MKD MMK MNT MRU MUR "
 "MVR MWK MXN MYR MZN NGN NOK NPR NZD OMR PAB PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SEK "
 "SGD SLE SLL SRD STN SYP SZL THB TJS TND TRY TTD TWD TZS UAH UGX USD UYU UZS VEF VES VND VUV WST "
 "XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL").split()
"""Codes that mean a currency beside a figure, in capitals."""

SIGNS = ("֏AMD ؋AFN ৳BDT ฿THB ៛KHR ₡CRC ₦NGN ₩KRW ₪ILS ₫VND €EUR ₭LAK ₮MNT ₱PHP ₲PYG ₴UAH ₸KZT ₹INR ₺TRY "
 "₼AZN ₽RUB ₾GEL ￦KRW").split()
"""Signs of one currency alone, each before its code."""

NAMES = {
    "AED": "united arab emirates dirham|uae dirham|uae dirhams", "AFN": "afghan afghani|afghan afghanis",
    "ALL": "albanian lek|albanian lekë", "AMD": "armenian dram|armenian drams",
    "ANG": "netherlands antillean guilder|netherlands antillean guilders", "AOA": "angolan kwanza|angolan kwanzas",
    "ARS": "argentine peso|argentine pesos", "AUD": "australian dollar|australian dollars", "AWG": "aruban florin",
    "AZN": "azerbaijani manat|azerbaijani manats",
    "BAM": "bosnia-herzegovina convertible mark|bosnia-herzegovina convertible marks",
    "BBD": "barbadian dollar|barbadian dollars", "BDT": "bangladeshi taka|bangladeshi takas",
    "BGN": "bulgarian lev|bulgarian leva", "BHD": "bahraini dinar|bahraini dinars",
    "BIF": "burundian franc|burundian francs", "BMD": "bermudan dollar|bermudan dollars",
    "BND": "brunei dollar|brunei dollars", "BOB": "bolivian boliviano|bolivian bolivianos",
    "BRL": "brazilian real|brazilian reals", "BSD": "bahamian dollar|bahamian dollars",
    "BTN": "bhutanese ngultrum|bhutanese ngultrums", "BWP": "botswanan pula|botswanan pulas",
    "BYN": "belarusian ruble|belarusian rubles", "BZD": "belize dollar|belize dollars",
    "CAD": "canadian dollar|canadian dollars", "CDF": "congolese franc|congolese francs",
    "CHF": "swiss franc|swiss francs", "CLP": "chilean peso|chilean pesos", "CNY": "chinese yuan|yuan",
    "COP": "colombian peso|colombian pesos", "CRC": "costa rican colón|costa rican colóns",
    "CUC": "cuban convertible peso|cuban convertible pesos", "CUP": "cuban peso|cuban pesos",
    "CVE": "cape verdean escudo|cape verdean escudos", "CZK": "czech koruna|koruna|czech korunas|korunas",
    "DJF": "djiboutian franc|djiboutian francs", "DKK": "danish krone|danish kroner",
    "DOP": "dominican peso|dominican pesos", "DZD": "algerian dinar|algerian dinars",
    "EGP": "egyptian pound|egyptian pounds", "ERN": "eritrean nakfa|eritrean nakfas",
    "ETB": "ethiopian birr|ethiopian birrs", "EUR": "euro|euros", "FJD": "fijian dollar|fijian dollars",
    "FKP": "falkland islands pound|falkland islands pounds", "GBP": "british pound|british pounds",
    "GEL": "georgian lari|georgian laris", "GHS": "ghanaian cedi|ghanaian cedis",
    "GIP": "gibraltar pound|gibraltar pounds", "GMD": "gambian dalasi|gambian dalasis",
    "GNF": "guinean franc|guinean francs", "GTQ": "guatemalan quetzal|guatemalan quetzals",
    "GYD": "guyanaese dollar|guyanaese dollars", "HKD": "hong kong dollar|hong kong dollars",
    "HNL": "honduran lempira|honduran lempiras", "HRK": "croatian kuna|croatian kunas",
    "HTG": "haitian gourde|haitian gourdes", "HUF": "hungarian forint|forint|hungarian forints|forints",
    "IDR": "indonesian rupiah|rupiah|indonesian rupiahs|rupiahs",
    "ILS": "israeli new shekel|shekel|israeli new shekels|shekels", "INR": "indian rupee|indian rupees",
    "IQD": "iraqi dinar|iraqi dinars", "IRR": "iranian rial|iranian rials", "ISK": "icelandic króna|icelandic krónur",
    "JMD": "jamaican dollar|jamaican dollars", "JOD": "jordanian dinar|jordanian dinars", "JPY": "japanese yen|yen",
    "KES": "kenyan shilling|kenyan shillings", "KGS": "kyrgystani som|kyrgystani soms",
    "KHR": "cambodian riel|cambodian riels", "KMF": "comorian franc|comorian francs", "KPW": "north korean won",
    "KRW": "south korean won", "KWD": "kuwaiti dinar|kuwaiti dinars",
    "KYD": "cayman islands dollar|cayman islands dollars", "KZT": "kazakhstani tenge|tenge|kazakhstani tenges|tenges",
    "LAK": "laotian kip|laotian kips", "LBP": "lebanese pound|lebanese pounds",
    "LKR": "sri lankan rupee|sri lankan rupees", "LRD": "liberian dollar|liberian dollars",
    "LSL": "lesotho loti|lesotho lotis", "LYD": "libyan dinar|libyan dinars", "MAD": "moroccan dirham|moroccan dirhams",
    "MDL": "moldovan leu|moldovan lei", "MGA": "malagasy ariary|malagasy ariaries",
    "MKD": "macedonian denar|macedonian denari", "MMK": "myanmar kyat|myanmar kyats",
    "MNT": "mongolian tugrik|mongolian tugriks", "MOP": "macanese pataca|macanese patacas",
    "MRU": "mauritanian ouguiya|mauritanian ouguiyas", "MUR": "mauritian rupee|mauritian rupees",
    "MVR": "maldivian rufiyaa|maldivian rufiyaas", "MWK": "malawian kwacha|malawian kwachas",
    "MXN": "mexican peso|mexican pesos", "MYR": "malaysian ringgit|ringgit|malaysian ringgits|ringgits",
    "MZN": "mozambican metical|mozambican meticals", "NAD": "namibian dollar|namibian dollars",
    "NGN": "nigerian naira|naira|nigerian nairas|nairas", "NIO": "nicaraguan córdoba|nicaraguan córdobas",
    "NOK": "norwegian krone|norwegian kroner", "NPR": "nepalese rupee|nepalese rupees",
    "NZD": "new zealand dollar|new zealand dollars", "OMR": "omani rial|omani rials",
    "PAB": "panamanian balboa|panamanian balboas", "PEN": "peruvian sol|peruvian soles",
    "PGK": "papua new guinean kina", "PHP": "philippine peso|philippine pesos",
    "PKR": "pakistani rupee|pakistani rupees", "PLN": "polish zloty|zloty|polish zlotys|zlotys",
    "PYG": "paraguayan guarani|paraguayan guaranis", "QAR": "qatari riyal|qatari riyals",
    "RON": "romanian leu|romanian lei", "RSD": "serbian dinar|serbian dinars", "RUB": "russian ruble|russian rubles",
    "RWF": "rwandan franc|rwandan francs", "SAR": "saudi riyal|saudi riyals",
    "SBD": "solomon islands dollar|solomon islands dollars", "SCR": "seychellois rupee|seychellois rupees",
    "SDG": "sudanese pound|sudanese pounds", "SEK": "swedish krona|swedish kronor",
    "SGD": "singapore dollar|singapore dollars", "SHP": "st. helena pound|st. helena pounds",
    "SLE": "sierra leonean leone|sierra leonean leones", "SOS": "somali shilling|somali shillings",
    "SRD": "surinamese dollar|surinamese dollars", "SSP": "south sudanese pound|south sudanese pounds",
    "STN": "são tomé & príncipe dobra|são tomé & príncipe dobras", "SYP": "syrian pound|syrian pounds",
    "SZL": "swazi lilangeni|swazi emalangeni", "THB": "thai baht|baht", "TJS": "tajikistani somoni|tajikistani somonis",
    "TMT": "turkmenistani manat", "TND": "tunisian dinar|tunisian dinars", "TOP": "tongan paʻanga",
    "TRY": "turkish lira", "TTD": "trinidad & tobago dollar|trinidad & tobago dollars",
    "TWD": "new taiwan dollar|new taiwan dollars", "TZS": "tanzanian shilling|tanzanian shillings",
    "UAH": "ukrainian hryvnia|hryvnia|ukrainian hryvnias|hryvnias", "UGX": "ugandan shilling|ugandan shillings",
    "USD": "us dollar|us dollars", "UYU": "uruguayan peso|uruguayan pesos", "UZS": "uzbekistani som",
    "VES": "venezuelan bolívar|venezuelan bolívars", "VND": "vietnamese dong", "VUV": "vanuatu vatu|vanuatu vatus",
    "WST": "samoan tala", "XAF": "central african cfa franc|central african cfa francs",
    "XCD": "east caribbean dollar|east caribbean dollars", "XCG": "caribbean guilder|caribbean guilders",
    "XOF": "west african cfa franc|west african cfa francs", "XPF": "cfp franc|cfp francs",
    "YER": "yemeni rial|yemeni rials", "ZAR": "south african rand", "ZMW": "zambian kwacha|zambian kwachas",
}
"""For each code its names in lower case, apart by "|"."""
