"""Unicode characters for those of symbol fonts, as far as they are certain: Symbol, Wingdings, Wingdings 2, Webdings.

The codes of Symbol follow Adobe's Symbol encoding. The tables of the picture fonts contain only boxes, ticks,
crosses, bullets, arrows and figures in circles.
"""

_GREEK = "\u0391\u0392\u03a7\u0394\u0395\u03a6\u0393\u0397\u0399\u03d1\u039a\u039b\u039c\u039d\u039f\u03a0\u0398\u03a1\u03a3\u03a4\u03a5\u03c2\u03a9\u039e\u03a8\u0396"  # noqa: E501
_SMALL_GREEK = "\u03b1\u03b2\u03c7\u03b4\u03b5\u03c6\u03b3\u03b7\u03b9\u03d5\u03ba\u03bb\u03bc\u03bd\u03bf\u03c0\u03b8\u03c1\u03c3\u03c4\u03c5\u03d6\u03c9\u03be\u03c8\u03b6"  # noqa: E501
_SYMBOL = {code: chr(code) for code in range(0x20, 0x40)}
_SYMBOL |= {0x22: "\u2200", 0x24: "\u2203", 0x27: "\u220b", 0x2A: "\u2217", 0x2D: "\u2212", 0x40: "\u2245"}
_SYMBOL |= dict(enumerate(_GREEK, 0x41)) | dict(enumerate(_SMALL_GREEK, 0x61))
_SYMBOL |= {0x5B: "[", 0x5C: "\u2234", 0x5D: "]", 0x5E: "\u22a5", 0x5F: "_", 0x7B: "{", 0x7C: "|", 0x7D: "}", 0x7E: "~"}
_SIGNS = (
    "\u20ac\u03d2\u2032\u2264\u2044\u221e\u0192\u2663\u2666\u2665\u2660\u2194\u2190\u2191\u2192\u2193"
    "\u00b0\u00b1\u2033\u2265\u00d7\u221d\u2202\u2022\u00f7\u2260\u2261\u2248\u2026\ufffd\ufffd\u21b5"
    "\u2135\u2111\u211c\u2118\u2297\u2295\u2205\u2229\u222a\u2283\u2287\u2284\u2282\u2286\u2208\u2209"
    "\u2220\u2207\u00ae\u00a9\u2122\u220f\u221a\u22c5\u00ac\u2227\u2228\u21d4\u21d0\u21d1\u21d2\u21d3"
    "\u25ca\u27e8\u00ae\u00a9\u2122\u2211"
)
_SYMBOL |= dict(enumerate(_SIGNS, 0xA0))
_SYMBOL |= {0xF1: "\u27e9", 0xF2: "\u222b"}
_WINGDINGS = {
    0x20: " ", 0x6C: "\u25cf", 0x6E: "\u25a0", 0x6F: "\u2610", 0x71: "\u2751", 0x72: "\u2752", 0x75: "\u25c6",
    0x76: "\u2756", 0x78: "\u2612", 0x80: "\u24ea", 0x9F: "\u2022", 0xA7: "\u25aa", 0xA8: "\u2610", 0xD8: "\u27a2",
    0xDF: "\u2190", 0xE0: "\u2192", 0xE1: "\u2191", 0xE2: "\u2193", 0xFB: "\u2717", 0xFC: "\u2713", 0xFD: "\u2612",
    0xFE: "\u2611",
}  # fmt: skip
_WINGDINGS |= {0x81 + at: chr(0x2460 + at) for at in range(10)} | {0x8C + at: chr(0x2776 + at) for at in range(10)}
_WINGDINGS_2 = {
    0x20: " ", 0x4F: "\u2717", 0x50: "\u2713", 0x51: "\u2612", 0x52: "\u2611", 0x53: "\u2612", 0xA3: "\u2610",
}  # fmt: skip
_WEBDINGS = {0x20: " ", 0x61: "\u2713", 0x63: "\u2610", 0x72: "\u2717"}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2, "webdings": _WEBDINGS}
_PICTURES = frozenset({"wingdings 3"})
# Word writes a character of a symbol font as its code, or in the private area as this number plus its code.
_PRIVATE = 0xF000

UNKNOWN = "\ufffd"
CHECKED, UNCHECKED = "\u2612", "\u2610"


def is_symbol_font(font: str) -> bool:
    """Whether letters in the font of this name, in lower case, represent other characters."""
    return font in _FONTS or font in _PICTURES


def translate_symbol(character: str, font: str) -> str:
    """Return the character that a symbol font shows, U+FFFD if uncertain; in other fonts, the character itself.

    A private-use character in an unknown font becomes U+FFFD, because it means nothing to a reader of the text.
    """
    code = ord(character)
    code -= _PRIVATE if _PRIVATE <= code <= _PRIVATE + 0xFF else 0
    if is_symbol_font(font) and code <= 0xFF:
        return _FONTS.get(font, {}).get(code, UNKNOWN)
    return character if character.isprintable() else UNKNOWN


def symbol_of_code(code: str, font: str) -> str:
    """Return what a symbol (w:sym) with this hexadecimal code shows."""
    try:
        return translate_symbol(chr(int(code, 16)), font)
    except (ValueError, OverflowError):
        return UNKNOWN
