"""Encodings that are known by the characters that come out: UTF-16 without a mark, and those of East Asia.

Bytes that are read in a wrong one of these make characters too, but hardly ever common ones.
"""

from collections.abc import Mapping

from ralph_cli.core.deferred import re

_SAMPLE = 1 << 16
_KANA = "".join(map(chr, (*range(0x3041, 0x3097), *range(0x30A1, 0x30FD))))
_CHINESE = """
    的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過
    发發后後作里裡用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心
    本前开開但因只从從想实實公司合第条條及或由日月元与與文件请請无無此数數将將被内內等项項
"""
_KOREAN = "이다는을의에가고하지로를한은도사인기아어자리나대과해서시일그라수정보만게전들니장원있여부구습"
_COMMON: Mapping[str, frozenset[str]] = {
    "cp932": frozenset(_KANA),
    "euc_jp": frozenset(_KANA),
    "gb18030": frozenset(_CHINESE),
    "big5hkscs": frozenset(_CHINESE),
    "cp949": frozenset(_KOREAN),
}
_LEAST_SHARE, _LEAST_CHARACTERS, _LEAST_LEAD = 0.15, 8, 1.5

_WRITTEN = re.compile(
    "[\t\n\f\r -~\xa0-\u024f\u0370-\u10ff\u1e00-\u206f\u20a0-\u20bf\u2100-\u22ff\u2500-\u25ff\u3000-\u30ff"
    "\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]"
)
_ENDS = re.compile("[ \n\r\t\u3000\u3001\u3002\uff0c]")
_CONTROL = re.compile(b"[\x01-\x08\x0e-\x1a\x1c-\x1f]")


def guess_utf16(data: bytes) -> str | None:
    """The codec of UTF-16 text without a byte order mark, None if it is none.

    Of the two byte orders the one that makes characters of living scripts, with spaces or line ends between them.
    """
    sample = data[: _SAMPLE - _SAMPLE % 2]
    if len(data) % 2 or b"\0" not in sample or _is_plain_with_nul(sample):
        return None
    scores = {codec: _score_utf16(sample, codec) for codec in ("utf-16-le", "utf-16-be")}
    codec = max(scores, key=lambda each: scores[each])
    return codec if scores[codec] >= 0.95 else None


def guess_multibyte(data: bytes) -> str | None:
    """The codec of Japanese, Chinese or Korean text in an encoding of its own; None if none is likely.

    A share of the characters must be among the most common of the language, and clearly more than in any other.
    """
    shares: dict[str, float] = {}
    for codec, common in _COMMON.items():
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        sample = [character for character in text[:_SAMPLE] if character > "\x7f"]
        if len(sample) >= _LEAST_CHARACTERS:
            shares[codec] = sum(character in common for character in sample) / len(sample)
    ranked = sorted(shares, key=lambda each: -shares[each])
    if not ranked or shares[ranked[0]] < _LEAST_SHARE:
        return None
    if len(ranked) > 1 and shares[ranked[0]] < _LEAST_LEAD * shares[ranked[1]]:
        return None
    return ranked[0]


def _is_plain_with_nul(sample: bytes) -> bool:
    """Whether the sample is text of one byte a character in which a few NUL bytes stand."""
    nuls = sample.count(0)
    return nuls < 0.3 * len(sample) and sample.isascii() and len(_CONTROL.findall(sample)) < 0.02 * len(sample)


def _score_utf16(sample: bytes, codec: str) -> float:
    """The share of characters that are written in living scripts; 0 without any space or end of a line or sentence."""
    text = sample.decode(codec, "replace")
    return len(_WRITTEN.findall(text)) / len(text) if _ENDS.search(text) else 0.0
