"""Figures and dates of Japanese and Chinese as English writes them, in as many characters. Pure.

Years of the Japanese eras are counted as the Gregorian ones that they began in: Reiwa 1 is 2019, Heisei 1 is 1989.
"""

from collections.abc import Callable

from ralph_cli.core.deferred import re

PAD = "\u200b"
"""Stands for the characters that the English has fewer: places in the text stay where they are."""

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()  # noqa: SIM905
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_DIGITS = dict(zip("一二三四五六七八九", range(1, 10), strict=True))
_FULL_WIDTH = str.maketrans("０１２３４５６７８９％，．", "0123456789%,.")
_SCALES = "十百千万萬亿億兆"
_FIGURE = r"\d+(?:,\d{3})*(?:\.\d+)?"
# It begins where a figure does: a pattern that is tried from each digit of a long run would take quadratic time.
_AMOUNT = rf"(?<![\d{_SCALES}])(?<!\d,){_FIGURE}(?:[{_SCALES}]+(?:{_FIGURE}[{_SCALES}]+)*)?"
_MONTH = r"(?P<month>1[0-2]|0?[1-9])月"
_CURRENCIES = {"円": "¥", "米ドル": "$", "ドル": "$", "ユーロ": "€", "美元": "$", "欧元": "€", "日元": "¥", "英镑": "£"}
_COUNTED = "か月|ヶ月|カ月|ケ月|个月|個月"

Replace = Callable[[re.Match[str]], str]


def _number(han: str) -> int:
    """A number below one hundred that is written in Han characters: 十八, 二十, 三."""
    tens, ten, ones = han.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)


def _day(match: re.Match[str]) -> str:
    return f"{int(match['day'])}.{int(match['month'])}.{_year(match)}"


def _month(match: re.Match[str]) -> str:
    year, month = _year(match), int(match["month"])
    named = f"{_MONTHS[month - 1]} {year}"
    return named if len(named) <= len(match[0]) else f"{_MONTHS[month - 1]} '{year % 100:02}"


def _year(match: re.Match[str]) -> int:
    era = match.groupdict().get("era")
    return int(match["year"]) + (_ERAS[era] if era else 0)


def _share(match: re.Match[str]) -> str:
    whole, part = (word if word.isdecimal() else str(_number(word)) for word in match.groups())
    return f"{part}/{whole}"


def _amount(match: re.Match[str]) -> str:
    return _CURRENCIES[match["currency"]] + match["amount"]


def _dated(rest: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The pattern of a date for each of the ways to write a year."""
    era = rf"(?P<era>{'|'.join(_ERAS)})(?P<year>\d{{1,2}})年"
    return re.compile(rf"(?<!\d)(?P<year>\d{{4}})年{rest}"), re.compile(era + rest)


_RULES: list[tuple[re.Pattern[str], Replace]] = [
    *((pattern, _day) for pattern in _dated(rf"{_MONTH}(?P<day>\d{{1,2}})日")),
    *((pattern, _month) for pattern in _dated(rf"{_MONTH}末?(?!期)")),
    *((pattern, lambda match: str(_year(match))) for pattern in _dated(r"(?:度|\d{1,2}月期|(?![间間]))")),
    (re.compile(r"第([1-4一二三四])(?:四半期|季度)"), lambda match: f"Q{_DIGITS.get(match[1], match[1])}"),
    (
        re.compile(rf"(?P<han>[一二三四五六七八九]?十?[一二三四五六七八九]?)(?<=[一二三四五六七八九十])(?P<unit>{_COUNTED}|年间|年間)"),
        lambda match: str(_number(match["han"])).ljust(len(match["han"]), PAD) + match["unit"],
    ),
    (re.compile(r"((?<!\d)\d+|[一二三四五六七八九十])分[の之](\d+|[一二三四五六七八九])"), _share),
    (re.compile(r"(?<![\d,])(?P<yen>\d[\d,]*)円(?P<sen>\d\d)銭"), lambda match: f"¥{match['yen']}.{match['sen']}"),
    (re.compile(rf"(?P<amount>{_AMOUNT})(?P<currency>{'|'.join(_CURRENCIES)})"), _amount),
    (re.compile(rf"(?<=[\d{PAD}])(?:{_COUNTED})"), lambda match: "mo"),
    (re.compile("(?<=\\d)(?:年間|年间)"), lambda match: "yr"),
    (re.compile("(?<=\\d)(?:パーセントポイント|ポイント|个百分点)"), lambda match: "pp"),
    (re.compile("(?<=\\d)(?:ベーシスポイント|个基点)"), lambda match: "bp"),
    (re.compile("(?<=\\d)パーセント"), lambda match: "%"),
    (re.compile("(?<=\\d)倍"), lambda match: "x"),
    (re.compile("(?:[△▲]|マイナス)(?=\\d)"), lambda match: "-"),
    (re.compile("[約约](?=[\\d¥$€])"), lambda match: "~"),
    (re.compile("[1１]株(?:当たり|あたり|につき|(?=[¥\\d]))|每股"), lambda match: "share" if len(match[0]) > 4 else ""),
]  # fmt: skip


def figures_in_english(text: str) -> str:
    """The text with its figures and dates as in English, of the same length."""
    text = text.translate(_FULL_WIDTH)
    for pattern, replace in _RULES:

        def fitting(match: re.Match[str], replace: Replace = replace) -> str:
            found = replace(match)
            return found.ljust(len(match[0]), PAD) if len(found) <= len(match[0]) else match[0]

        text = pattern.sub(fitting, text)
    return text
