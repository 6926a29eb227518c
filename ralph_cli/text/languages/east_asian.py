"""Write Japanese and Chinese figures and dates as in English, with the same number of characters. Pure.

Years of the Japanese eras become Gregorian years: Reiwa 1 is 2019, Heisei 1 is 1989. Taiwan counts years from 1912,
often without naming the era.
"""

import re
from collections.abc import Callable
from decimal import Decimal

# Stands for the characters that the English has fewer: places in the text stay where they are. It is a space to
# patterns, and one that parts no cells of a table.
PAD = "\u2002"

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民国": 1911, "民國": 1911, "": 1911}
_DIGITS = dict(zip("一二三四五六七八九", range(1, 10), strict=True)) | {"两": 2, "兩": 2}
# Numerals of contracts and cheques, which cannot be altered.
_CAPITALS = dict(zip("壱壹弐贰貳参叁參肆伍陆陸柒漆捌玖拾零", "一一二二二三三三四五六六七七八九十〇", strict=True))

_FULL_WIDTH = str.maketrans("０１２３４５６７８９％，．仟佰", "0123456789%,.千百")
_POWERS = dict(zip("十百千万萬亿億兆", (1, 2, 3, 4, 4, 8, 8, 12), strict=True))
_SCALES = "".join(_POWERS)
_FIGURE = r"\d+(?:,\d{3})*(?:\.\d+)?"
# It begins where a figure does: a pattern that is tried from each digit of a long run would take quadratic time.
_AMOUNT = rf"(?<![\d{_SCALES}])(?<!\d,){_FIGURE}(?:[{_SCALES}]+(?:{_FIGURE}[{_SCALES}]+)*)?"
_HAN = "一二两兩三四五六七八九"
_BELOW_HUNDRED = rf"(?:[{_HAN}]?十[{_HAN}]?|[{_HAN}])"
_MONTH = rf"(?P<month>1[0-2]|0?[1-9]|{_BELOW_HUNDRED})月"
_DAY = rf"(?P<day>\d{{1,2}}|{_BELOW_HUNDRED})日"
_COUNTED = "か月|ヶ月|カ月|ケ月|个月|個月"
# Behind a number in Han characters, which without them may be a part of a word.
_COUNTERS = (
    "名|人|份|個|个|次|条|條|件|台|臺|批|项|項|株|回|社|棟|室|枚|天|日間|期|カ所|か所|頭|冊|部|家|座|辆|輛|席|位"
)


def _names(table: str) -> dict[str, str]:
    """The English of each of the words behind it, by the word, the longest first."""
    lines = (line.split(" = ") for line in table.strip().split("\n"))
    found = {word: english for english, words in lines for word in words.split()}
    return dict(sorted(found.items(), key=lambda item: -len(item[0])))


_CURRENCIES = _names("""
¥ = 円 日元 日圓
$ = 米ドル ドル 美元 美金
€ = ユーロ 欧元 歐元
£ = ポンド 英镑 英鎊
HK$ = 港元 港币 港幣
CNY = 人民币 人民幣
TWD = 新臺幣 新台幣 新台币
""")
# What is measured, behind a figure.
_UNITS = _names("""
sqm = 平方メートル 平方米
km = キロメートル 公里
cm = センチメートル 厘米 公分
mm = ミリメートル 毫米
kg = キログラム 公斤 千克
gram = グラム
t = トン 公噸 吨
ha = ヘクタール 公顷 公頃
kWh = キロワット時 千瓦时 千瓦時
kW = キロワット 千瓦
MW = メガワット 兆瓦
hr = 時間 小时 小時
yr = 年間 年间
pp = パーセントポイント ポイント 个百分点 個百分點
bp = ベーシスポイント 个基点 個基點
% = パーセント
x = 倍
""")

_BOUNDS = _names("""
≤ = 不超过 不超過 不得超过 不得超過 不高于 不高於 不多于 不多於 不大于 至多 最多 最高 最大 最长 最長
≥ = 不少于 不少於 不低于 不低於 不得少于 不得少於 不得低于 不得低於 不小于 至少 最低 最少 少なくとも
> = 超过 超過 高于 多于 逾
< = 低于 低於 少于 少於 不足
""")
# Signs for what limits a figure, before it and behind it.
_BOUNDS_BEHIND = _names("""
≥ = 以上
≤ = 以下 以内
< = 未満 未满
> = 超
""")

_CURRENCY, _UNIT = "|".join(_CURRENCIES), "|".join(_UNITS)

_PARTS = re.compile(rf"({_FIGURE})([{_SCALES}]*)")

Replace = Callable[[re.Match[str]], str]


def _number(han: str) -> int:
    """Return a number written in Han characters: 十八, 二十, 三, 一百二十, 壱千壱百参拾四万."""
    value = group = digit = 0
    for char in (_CAPITALS.get(char, char) for char in han):
        power = _POWERS.get(char, 0)
        if not power:
            digit = _DIGITS.get(char, 0)
        elif power >= _POWERS["万"]:
            value, group, digit = value + (group + digit) * 10**power, 0, 0
        else:
            group, digit = group + max(digit, 1) * 10**power, 0
    return value + group + digit


def _read_number(word: str) -> int:
    """Return a number of a date: in digits, in Han characters, or a year by its four digits.

    The first of an era is 元.
    """
    if word.isdecimal():
        return int(word)
    if len(word) == len("2024") and not set(word) & set("十百"):
        return int("".join(str(_DIGITS.get(char, 0)) for char in word))
    return 1 if word == "元" else _number(word)


def _day(match: re.Match[str]) -> str:
    return f"{_read_number(match['day'])}.{_read_number(match['month'])}.{_year(match)}"


def _day_of_month(match: re.Match[str]) -> str:
    return f"{_read_number(match['day'])}{_MONTHS[_read_number(match['month']) - 1]}"


def _month(match: re.Match[str]) -> str:
    year, month = _year(match), _read_number(match["month"])
    named = f"{_MONTHS[month - 1]} {year}"
    return named if len(named) <= len(match[0]) else f"{_MONTHS[month - 1]}'{year % 100:02}"


def _year(match: re.Match[str]) -> int:
    era = match.groupdict().get("era")
    return _read_number(match["year"]) + (_ERAS[era] if era is not None else 0)


def _share(match: re.Match[str]) -> str:
    whole, part = (word if word.isdecimal() else str(_number(word)) for word in match.groups())
    return f"{part}/{whole}"


def _amount(match: re.Match[str]) -> str:
    return _CURRENCIES[match["currency"].removeprefix("元")] + _in_one_scale(match["amount"])


def _bound(match: re.Match[str]) -> str:
    return _BOUNDS_BEHIND[match["bound"]] + match["figure"]


def _in_one_scale(amount: str) -> str:
    """Return an amount in the largest of its scales: 1億2,345万 is 1.2345億."""
    parts = [(Decimal(figure.replace(",", "")), scales) for figure, scales in _PARTS.findall(amount)]
    if len(parts) < 2:
        return amount
    powers = [sum(map(_POWERS.__getitem__, scales)) for _, scales in parts]
    value = sum(figure * 10**power for (figure, _), power in zip(parts, powers, strict=True)) / 10 ** powers[0]
    return f"{value.normalize():,f}{parts[0][1]}"


def _in_digits(match: re.Match[str]) -> str:
    """Return an amount in several scales whose last part has none: 226万8,000."""
    value = 0
    for figure, scales in _PARTS.findall(match["amount"]):
        value += int(figure.replace(",", "")) * 10 ** sum(map(_POWERS.__getitem__, scales))
    return _CURRENCIES.get(match["currency"], "") + str(value)


def _part(match: re.Match[str]) -> str:
    """Return parts of a hundred, a thousand or ten thousand: 百分之五, 万分之五."""
    part = match["part"] if match["part"].isdecimal() else str(_number(match["part"]))
    if match["whole"] in "万萬":
        return f"{part}bp"
    return f"{part}%" if match["whole"] == "百" else f"0.{part}%" if len(part) == 1 else match[0]


def _tenths(match: re.Match[str]) -> str:
    """Return tenths of a whole, as a percentage if there is space: 六成 and 6割, and 八折 of a price."""
    figure = Decimal(str(_DIGITS.get(match["figure"], match["figure"])))
    percent = f"{(figure * 10).normalize():f}%"
    return percent if len(percent) <= len(match[0]) else f"{figure}成"


def _in_full(match: re.Match[str]) -> str:
    """Return an amount in numerals of contracts: in digits, or in a scale if it has too many digits."""
    value = _number(match["han"])
    sign, first, scales = _CURRENCIES.get(match["currency"], ""), match["han"][0], match["han"][1:]
    ways = [f"{value}", *(f"{(Decimal(value) / 10 ** _POWERS[scale]).normalize():f}{scale}" for scale in "兆億万")]
    if first in _DIGITS and _POWERS.keys() >= set(scales):
        ways.append(f"{_DIGITS[first]}{scales}")  # 五千万元
    return next((sign + way for way in ways if len(sign + way) <= len(match[0])), match[0])


def _percent_of_tenths(match: re.Match[str]) -> str:
    """Return tenths followed by hundredths: 三成二 and 3割2分 are 32%, 九五折 is 95% of a price."""
    return f"{_DIGITS.get(match[1], match[1])}{_DIGITS.get(match[2], match[2])}%"


def _in_counted(match: re.Match[str]) -> str:
    """Return a number in Han characters before the thing it counts. "One" is often not a number."""
    if match["han"] == "一":
        return match[0]
    number = str(_number(match["han"])).ljust(len(match["han"]), PAD)
    has_room = len(number) <= len(match["han"]) or match["unit"] not in _COUNTERS.split("|")
    return number + match["unit"] if has_room else number


def _dated(rest: str, bare: str = "") -> tuple[re.Pattern[str], ...]:
    """Return the pattern of a date for each way to write a year; `bare` follows a year of Taiwan."""
    era = rf"(?P<era>{'|'.join(filter(None, _ERAS))})(?P<year>\d{{1,3}}|元|(?:[{_HAN}]?百)?{_BELOW_HUNDRED})年"
    taiwan = r"(?<!\d)(?P<era>)(?P<year>1[0-4]\d)年"
    return tuple(
        map(re.compile, (rf"(?<!\d)(?P<year>\d{{4}}|[〇零{_HAN}]{{4}})年{rest}", era + rest, taiwan + (bare or rest)))
    )


_NUMERALS = "".join((_HAN, *_CAPITALS, "〇十百千万萬億亿"))
_TENTH = rf"(?P<figure>(?<![\d.,])\d(?:\.\d)?|(?<![{_HAN}十百千第])[{_HAN}])"
_OF_TAIWAN = r"(?:度|(?![间間以之来來历歷]))"
_COUNT = rf"(?:[{_HAN}]?千)?(?:[{_HAN}]?百)?[{_HAN}]?十?[{_HAN}]?"
_SCALED = rf"{_FIGURE}[{_SCALES}]+(?:{_FIGURE}[{_SCALES}]+)*"
_MEASURED = "(?:%|pp|[a-z]{1,4}|[件名人個个社日年月天])?"
_MIXED = rf"{_SCALED}\d[\d,]*(?![\d.{_SCALES}])"
_RULES: list[tuple[re.Pattern[str], Replace]] = [
    *((pattern, _day) for pattern in _dated(_MONTH + _DAY)),
    (re.compile(rf"(?<![\d.])(?<![{_HAN}十]){_MONTH}{_DAY}"), _day_of_month),
    *((pattern, _month) for pattern in _dated(rf"{_MONTH}末?(?!期)")),
    *((pattern, lambda match: str(_year(match))) for pattern in _dated(r"(?:度|\d{1,2}月期|(?![间間]))", _OF_TAIWAN)),
    (re.compile(r"第([1-4一二三四])(?:四半期|季度)"), lambda match: f"Q{_DIGITS.get(match[1], match[1])}"),
    (
        re.compile(rf"(?<![{_HAN}十百千第〇和成国國月])(?P<han>{_COUNT})(?<=[{_HAN}十百千])(?P<unit>{_COUNTED}|年[间間]|日|{_COUNTERS}|{_UNIT})"),
        _in_counted,
    ),
    (re.compile(rf"(?P<whole>[百千万萬])分[之の](?P<part>\d+|[{_HAN}十]+)"), _part),
    (re.compile(rf"([{_HAN}\d])(?:成|割(?=.分))([{_HAN}\d])分?"), _percent_of_tenths),
    (re.compile(rf"(?<![{_HAN}十\d.])([{_HAN}\d])([{_HAN}\d])折"), _percent_of_tenths),
    (re.compile(rf"{_TENTH}(?:成(?![员員立为為果本品功分长長])|割|折(?![叠疊]))"), _tenths),
    (re.compile(rf"(?<![{_NUMERALS}])(?P<han>[{_NUMERALS}]{{2,}})(?P<currency>{_CURRENCY}|元)"), _in_full),
    (re.compile(rf"((?<!\d)\d+|[{_HAN}十])分[の之](\d+|[{_HAN}])"), _share),
    (re.compile(rf"(?<![\d{_SCALES}])(?<!\d,)(?P<amount>{_MIXED})(?P<currency>{_CURRENCY}|)"), _in_digits),
    (re.compile(rf"(?P<amount>{_AMOUNT})(?P<currency>{_CURRENCY}|元(?:{_CURRENCY}))"), _amount),
    (re.compile(rf"(?P<currency>{_CURRENCY})(?P<amount>{_AMOUNT})元?"), _amount),
    (re.compile("人民[币幣]|新[臺台][幣币]"), lambda match: _CURRENCIES[match[0]]),
    (re.compile(rf"(?<=[\d{PAD}])(?:{_COUNTED})"), lambda match: "mo"),
    (re.compile(r"(?<=\d)(?:時間|小时|小時)(?=\d)"), lambda match: "h"),
    (re.compile(rf"(?<=[\d{PAD}{_SCALES}])(?:{_UNIT})"), lambda match: _UNITS[match[0]]),
    (re.compile("(?:[△▲]|マイナス)(?=\\d)"), lambda match: "-"),
    (re.compile(rf"(?:{'|'.join(_BOUNDS)})(?=[\d¥$€£])"), lambda match: _BOUNDS[match[0]]),
    (re.compile(rf"(?P<figure>[A-Z¥$€£]{{0,3}}{_AMOUNT}{_MEASURED})(?P<bound>{'|'.join(_BOUNDS_BEHIND)})"), _bound),
    (re.compile("(?:[約约]|およそ|ほぼ)(?=[\\d¥$€])"), lambda match: "~"),
]  # fmt: skip


def figures_in_english(text: str) -> str:
    """Return the text with its figures and dates written as in English, of the same length."""
    text = text.translate(_FULL_WIDTH)
    for pattern, replace in _RULES:

        def fitting(match: re.Match[str], replace: Replace = replace) -> str:
            found = replace(match)
            if found[:3].isupper() and match.string[max(0, match.start() - 1) : match.start()].isalpha():
                # A code of a currency begins a word; where there is no room, it is that of the country.
                found = (
                    PAD + found if len(found) < len(match[0]) else found.replace("CNY", PAD * 3).replace("TWD", PAD * 3)
                )
            return found.ljust(len(match[0]), PAD) if len(found) <= len(match[0]) else match[0]

        text = pattern.sub(fitting, text)
    return text
