"""Decodes a file's bytes: by the given or declared encoding, or else by the bytes themselves.

UTF-16 without a mark and East Asian encodings are recognized by the characters they give: bytes decoded in a wrong
one also give characters, but rarely common ones.
"""

import codecs
import re
from collections.abc import Mapping

from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, because the mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BAD_SHARE = 0.001
_SURROGATE = re.compile("[\ud800-\udfff]")
_BAD_BYTE = re.compile("[\udc80-\udcff]")
_CONTROL = re.compile(b"[\x01-\x08\x0e-\x1a\x1c-\x1f]")
_JAPANESE_ESCAPE = re.compile(rb"\x1b\$[@B]|\x1b\([IJ]")
_ENCODING_HINT = "give its encoding with --encoding, such as utf-8, cp1252 or utf-16"

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


def decode_text(
    data: bytes, *, name: str, encoding: str | None = None, declared: str | None = None
) -> tuple[str, tuple[Caution, ...]]:
    """Decode a file's bytes; return the text, and cautions about guesses and replacements.

    The first that applies of: the given encoding; a byte order mark; the encoding that the file declares; ISO-2022-JP
    by its escapes; strict UTF-8; UTF-16 by its NUL bytes; UTF-8 with fewer than 0.1 % wrong bytes (they become
    U+FFFD); with a caution, an East Asian encoding in which the bytes give common characters; with a caution,
    Windows-1252. Data without a valid multi-byte UTF-8 sequence do not count as damaged UTF-8. Names of encodings are
    those of the WHATWG Encoding standard, and Python's. Raises DocumentError "undecodable", or "unsupported" for
    binary data.
    """
    if encoding is not None:
        return _decode_as(data, encoding, name), ()
    for mark, marked in _BOMS:
        if data.startswith(mark):
            return _decode_with_mark(data[len(mark) :], marked, name)
    if declared is not None and (found := _decode_declared(data, declared)) is not None:
        return found
    is_japanese = data.isascii() and _JAPANESE_ESCAPE.search(data)
    if is_japanese and (text := _try_to_decode(data, "iso2022_jp_ext")) is not None:
        return text, ()
    text = _try_to_decode(data, "utf-8")
    if text is not None and "\0" not in text:
        if _is_binary(data):
            raise _binary_error(name)
        return text, ()
    return _guess(data, name)


def python_codec(label: str) -> str | None:
    """Return Python's codec for a label of the Encoding standard or for a codec's own name, None for other names."""
    import webencodings

    found = webencodings.lookup(label)
    named = found.codec_info.name if found is not None else label
    try:
        # The standard replaces GBK by its successor, and has codecs that Python lacks.
        info = codecs.lookup("gb18030" if named == "gbk" else named)
        "".encode(info.name)
    except (LookupError, ValueError):
        return None
    return info.name


def _guess(data: bytes, name: str) -> tuple[str, tuple[Caution, ...]]:
    """Decode data that are not UTF-8 and declare no encoding."""
    order = guess_utf16(data)
    if order is not None:
        return _decode_as(data, order, name), ()
    if b"\0" in data or _is_binary(data):
        raise _binary_error(name)
    text = data.decode("utf-8", "surrogateescape")
    bad = len(_BAD_BYTE.findall(text))
    has_sequences = any(c > "\x7f" and not "\udc80" <= c <= "\udcff" for c in set(text))
    if bad < len(data) * _BAD_SHARE and has_sequences:
        return _BAD_BYTE.sub("\ufffd", text), _replacement_cautions(bad)
    codec = guess_multibyte(data)
    if codec is not None:
        message = f"not UTF-8; read as {codec}, of which its characters are typical: a guess; if it is wrong, "
        return data.decode(codec), (Caution("encoding-guessed", message + _ENCODING_HINT),)
    western = _try_to_decode(data, "cp1252")
    if western is None:
        message = f"the encoding of {name} cannot be determined"
        raise DocumentError(message, code="undecodable", hint=_ENCODING_HINT)
    message = "not UTF-8; read as Windows-1252, so characters other than English letters and digits may be wrong: "
    return western, (Caution("encoding-guessed", message + _ENCODING_HINT),)


def _try_to_decode(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _decode_declared(data: bytes, label: str) -> tuple[str, tuple[Caution, ...]] | None:
    """Decode in the declared encoding; None if that is impossible.

    A file whose declaration was readable as bytes is not UTF-16.
    """
    codec = python_codec(label)
    if codec is None or codec.startswith(("utf-8", "utf-16", "utf-32")):
        return None
    text = data.decode(codec, "replace")
    bad = text.count("\ufffd")
    if "\0" in text or bad > len(data) * _BAD_SHARE:
        return None
    return _SURROGATE.sub("\ufffd", text), _replacement_cautions(bad)


def _decode_as(data: bytes, encoding: str, name: str) -> str:
    codec = python_codec(encoding)
    if codec is None:
        raise DocumentError(f"unknown encoding {encoding!r}", code="undecodable", hint=_ENCODING_HINT)
    # A mark is more reliable about the byte order than a name.
    codec = next((marked for mark, marked in _BOMS if codec[:6] == marked[:6] and data.startswith(mark)), codec)
    try:
        text = data.decode(codec)
    except UnicodeError as error:
        where = f" at byte {error.start}" if isinstance(error, UnicodeDecodeError) else ""
        raise DocumentError(f"{name} is not {encoding}{where}", code="undecodable", hint=_ENCODING_HINT) from None
    if "\0" in text:
        raise _binary_error(name)
    return _SURROGATE.sub("\ufffd", text).removeprefix("\ufeff")


def _decode_with_mark(data: bytes, encoding: str, name: str) -> tuple[str, tuple[Caution, ...]]:
    """Decode data that had a byte order mark; a few wrong bytes are replaced and counted."""
    text = data.decode(encoding, "replace")
    bad = text.count("\ufffd")
    if bad and bad >= max(1, len(text)) * _BAD_SHARE:
        return _decode_as(data, encoding, name), ()
    if "\0" in text:
        raise _binary_error(name)
    return text, _replacement_cautions(bad)


def _replacement_cautions(count: int) -> tuple[Caution, ...]:
    message = f"{count} bytes are not valid text and were replaced by U+FFFD"
    return (Caution("bytes-replaced", message),) if count else ()


def _is_binary(data: bytes) -> bool:
    sample = data[: 1 << 16]
    return len(_CONTROL.findall(sample)) > 0.02 * len(sample)


def _binary_error(name: str) -> DocumentError:
    hint = f"if it is text, {_ENCODING_HINT}"
    return DocumentError(f"{name} is a binary file, not text", code="unsupported", hint=hint)


def guess_utf16(data: bytes) -> str | None:
    """Return the codec of UTF-16 text without a byte order mark, None if it is not UTF-16.

    Of the two byte orders, it is the one that gives characters of living scripts, with spaces or line ends between
    them.
    """
    sample = data[: _SAMPLE - _SAMPLE % 2]
    if len(data) % 2 or b"\0" not in sample or _is_plain_with_nul(sample):
        return None
    scores = {codec: _score_utf16(sample, codec) for codec in ("utf-16-le", "utf-16-be")}
    codec = max(scores, key=lambda each: scores[each])
    return codec if scores[codec] >= 0.95 else None


def guess_multibyte(data: bytes) -> str | None:
    """Return the codec of Japanese, Chinese or Korean text in a regional encoding; None if none is likely.

    Enough of the characters must be among the most common of the language, and clearly more than for any other codec.
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
    """Whether the sample is single-byte text with a few NUL bytes."""
    nuls = sample.count(0)
    return nuls < 0.3 * len(sample) and sample.isascii() and len(_CONTROL.findall(sample)) < 0.02 * len(sample)


def _score_utf16(sample: bytes, codec: str) -> float:
    """Return the share of characters in living scripts; 0 without any space, line end or sentence end."""
    text = sample.decode(codec, "replace")
    return len(_WRITTEN.findall(text)) / len(text) if _ENDS.search(text) else 0.0
