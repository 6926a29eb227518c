"""Currencies of ISO 4217 with their signs and English names: made by tools/currency_table.py, not by hand.

The data are those of the Unicode CLDR as Babel 2.18.0 has them (BSD licence, Unicode licence).
"""

# fmt: off
# ruff: noqa: SIM905
# Codes that mean a currency beside a figure, in capitals.
CODES = ("AED AFN ANG AOA ARS AUD AWG AZN BBD BDT BGN BHD BIF BMD BRL BTN BWP BYN BYR BZD CAD CHF CLP CNY "
 "CUC CZK DJF DKK DZD EGP ETB EUR FJD FKP GBP GHS GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR "
 "IQD ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LBP LKR LRD LYD MDL MKD MMK MNT MRU MUR "
 "MVR MWK MXN MYR MZN NGN NOK NPR NZD OMR PAB PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SEK "
 "SGD SLE SLL SRD STN SYP SZL THB TJS TND TRY TTD TWD TZS UAH UGX USD UYU UZS VEF VES VND VUV WST "
 "XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL").split()

# Signs of one currency alone, each before its code.
SIGNS = ("֏AMD ؋AFN ৳BDT ฿THB ៛KHR ₡CRC ₦NGN ₩KRW ₪ILS ₫VND €EUR ₭LAK ₮MNT ₱PHP ₲PYG ₴UAH ₸KZT ₹INR ₺TRY "
 "₼AZN ₽RUB ₾GEL ￦KRW").split()

# For each code its names in lower case, separated by "|", without the plurals that add an s.
NAMES = {
    "AED": "united arab emirates dirham|uae dirham", "AFN": "afghan afghani", "ALL": "albanian lek|albanian lekë",
    "AMD": "armenian dram", "ANG": "netherlands antillean guilder", "AOA": "angolan kwanza", "ARS": "argentine peso",
    "AUD": "australian dollar", "AWG": "aruban florin", "AZN": "azerbaijani manat",
    "BAM": "bosnia-herzegovina convertible mark", "BBD": "barbadian dollar", "BDT": "bangladeshi taka",
    "BGN": "bulgarian lev|bulgarian leva", "BHD": "bahraini dinar", "BIF": "burundian franc", "BMD": "bermudan dollar",
    "BND": "brunei dollar", "BOB": "bolivian boliviano", "BRL": "brazilian real", "BSD": "bahamian dollar",
    "BTN": "bhutanese ngultrum", "BWP": "botswanan pula", "BYN": "belarusian ruble", "BZD": "belize dollar",
    "CAD": "canadian dollar", "CDF": "congolese franc", "CHF": "swiss franc", "CLP": "chilean peso",
    "CNY": "chinese yuan|yuan", "COP": "colombian peso", "CRC": "costa rican colón", "CUC": "cuban convertible peso",
    "CUP": "cuban peso", "CVE": "cape verdean escudo", "CZK": "czech koruna|koruna", "DJF": "djiboutian franc",
    "DKK": "danish krone|danish kroner", "DOP": "dominican peso", "DZD": "algerian dinar", "EGP": "egyptian pound",
    "ERN": "eritrean nakfa", "ETB": "ethiopian birr", "EUR": "euro", "FJD": "fijian dollar",
    "FKP": "falkland islands pound", "GBP": "british pound", "GEL": "georgian lari", "GHS": "ghanaian cedi",
    "GIP": "gibraltar pound", "GMD": "gambian dalasi", "GNF": "guinean franc", "GTQ": "guatemalan quetzal",
    "GYD": "guyanaese dollar", "HKD": "hong kong dollar", "HNL": "honduran lempira", "HRK": "croatian kuna",
    "HTG": "haitian gourde", "HUF": "hungarian forint|forint", "IDR": "indonesian rupiah|rupiah",
    "ILS": "israeli new shekel|shekel", "INR": "indian rupee", "IQD": "iraqi dinar", "IRR": "iranian rial",
    "ISK": "icelandic króna|icelandic krónur", "JMD": "jamaican dollar", "JOD": "jordanian dinar",
    "JPY": "japanese yen|yen", "KES": "kenyan shilling", "KGS": "kyrgystani som", "KHR": "cambodian riel",
    "KMF": "comorian franc", "KPW": "north korean won", "KRW": "south korean won", "KWD": "kuwaiti dinar",
    "KYD": "cayman islands dollar", "KZT": "kazakhstani tenge|tenge", "LAK": "laotian kip", "LBP": "lebanese pound",
    "LKR": "sri lankan rupee", "LRD": "liberian dollar", "LSL": "lesotho loti", "LYD": "libyan dinar",
    "MAD": "moroccan dirham", "MDL": "moldovan leu|moldovan lei", "MGA": "malagasy ariary|malagasy ariaries",
    "MKD": "macedonian denar|macedonian denari", "MMK": "myanmar kyat", "MNT": "mongolian tugrik",
    "MOP": "macanese pataca", "MRU": "mauritanian ouguiya", "MUR": "mauritian rupee", "MVR": "maldivian rufiyaa",
    "MWK": "malawian kwacha", "MXN": "mexican peso", "MYR": "malaysian ringgit|ringgit", "MZN": "mozambican metical",
    "NAD": "namibian dollar", "NGN": "nigerian naira|naira", "NIO": "nicaraguan córdoba",
    "NOK": "norwegian krone|norwegian kroner", "NPR": "nepalese rupee", "NZD": "new zealand dollar",
    "OMR": "omani rial", "PAB": "panamanian balboa", "PEN": "peruvian sol|peruvian soles",
    "PGK": "papua new guinean kina", "PHP": "philippine peso", "PKR": "pakistani rupee", "PLN": "polish zloty|zloty",
    "PYG": "paraguayan guarani", "QAR": "qatari riyal", "RON": "romanian leu|romanian lei", "RSD": "serbian dinar",
    "RUB": "russian ruble", "RWF": "rwandan franc", "SAR": "saudi riyal", "SBD": "solomon islands dollar",
    "SCR": "seychellois rupee", "SDG": "sudanese pound", "SEK": "swedish krona|swedish kronor",
    "SGD": "singapore dollar", "SHP": "st. helena pound", "SLE": "sierra leonean leone", "SOS": "somali shilling",
    "SRD": "surinamese dollar", "SSP": "south sudanese pound", "STN": "são tomé & príncipe dobra",
    "SYP": "syrian pound", "SZL": "swazi lilangeni|swazi emalangeni", "THB": "thai baht|baht",
    "TJS": "tajikistani somoni", "TMT": "turkmenistani manat", "TND": "tunisian dinar", "TOP": "tongan paʻanga",
    "TRY": "turkish lira", "TTD": "trinidad & tobago dollar", "TWD": "new taiwan dollar", "TZS": "tanzanian shilling",
    "UAH": "ukrainian hryvnia|hryvnia", "UGX": "ugandan shilling", "USD": "us dollar", "UYU": "uruguayan peso",
    "UZS": "uzbekistani som", "VES": "venezuelan bolívar", "VND": "vietnamese dong", "VUV": "vanuatu vatu",
    "WST": "samoan tala", "XAF": "central african cfa franc", "XCD": "east caribbean dollar",
    "XCG": "caribbean guilder", "XOF": "west african cfa franc", "XPF": "cfp franc", "YER": "yemeni rial",
    "ZAR": "south african rand", "ZMW": "zambian kwacha",
}
