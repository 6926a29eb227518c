"""A file's bytes as text: by the encoding that is given or declared, or else by the bytes themselves."""

import codecs

from ralph_cli.core.deferred import re
from ralph_cli.core.document import Caution
from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.plain.guessing import guess_multibyte, guess_utf16

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
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


def decode_text(
    data: bytes, *, name: str, encoding: str | None = None, declared: str | None = None
) -> tuple[str, tuple[Caution, ...]]:
    """Decode a file's bytes and say what had to be guessed or replaced.

    The ladder: the given encoding; byte order mark; the encoding that the file declares; ISO-2022-JP by its escapes;
    strict UTF-8; UTF-16 by its NUL bytes; UTF-8 in which fewer than 0.1 % of the bytes are wrong (they become U+FFFD);
    with a caution an East Asian encoding in which the bytes make common characters, and Windows-1252. Data without a
    single valid multi-byte UTF-8 sequence are not taken for damaged UTF-8: in them the odd bytes are something else.
    Names of encodings are those of the Encoding standard of the WHATWG, and Python's.
    Raises DocumentError "undecodable", or "unsupported" for binary data.
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
    """Python's codec for a label of the Encoding standard or for a codec's own name, None if it is neither."""
    import webencodings

    found = webencodings.lookup(label)
    named = found.codec_info.name if found is not None else label
    try:
        # The standard reads GBK as its successor, and knows codecs that Python has not.
        info = codecs.lookup("gb18030" if named == "gbk" else named)
        "".encode(info.name)
    except (LookupError, ValueError):
        return None
    return info.name


def _guess(data: bytes, name: str) -> tuple[str, tuple[Caution, ...]]:
    """Decode what is not UTF-8 and declares nothing."""
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
    """Decode as the file declares; None if it cannot be so. What can be read as bytes at all is not UTF-16."""
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
    # A mark says more of the order of bytes than a name does.
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
    """Decode data that carried a byte order mark; a few wrong bytes are replaced and counted."""
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
