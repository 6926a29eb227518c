"""The CSS declarations that decide what is seen, with their lengths and colours.

Rules from CSS Cascading and Inheritance 4, CSS Values and Units 3 and CSS Color 4. Values are in lower case.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any

import tinycss2
from tinycss2 import color4

Style = Mapping[str, str]
# A style that can be a dictionary key.
Declarations = tuple[tuple[str, str], ...]


_DECIDING = """
    display visibility opacity color background-color background-image background-clip -webkit-background-clip font-size
    clip clip-path position left right top bottom text-indent margin-left transform scale translate overflow overflow-x
    overflow-y width height max-width max-height content-visibility -webkit-text-fill-color -webkit-text-security
    animation animation-name animation-fill-mode filter zoom
"""
# Properties that can hide text, or show what another rule hides.
DECIDING = frozenset(_DECIDING.split())

_MORE = """
    vertical-align white-space list-style-type text-decoration-line content direction unicode-bidi padding-left
"""
_READ = DECIDING | frozenset(_MORE.split())
_SIDES = ("top", "right", "bottom", "left")
_LIST_STYLES = re.compile(
    r"(?:^|\s)(none|disc|circle|square|decimal|decimal-leading-zero|(?:lower|upper)-(?:alpha|latin|roman|greek))(?=\s|$)"
)

# The most characters of a value that may be a colour.
_LONGEST = 100

_PLAIN = re.compile(r"""[^\\@{}/"'(]*(?:\([^\\@{}/"'();]*\)[^\\@{}/"'(]*)*""")
_QUOTED_FONT = re.compile(r"""font-family\s*:[^;\\@{}/(]*""", re.IGNORECASE)
_IMPORTANT = re.compile(r"\s*!\s*important\s*$")
_LENGTH = re.compile(
    r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?)\s*(px|pt|pc|r?em|ch|ex|[ds]?vw|[ds]?vh|in|cm|mm|q|%)?"
)
_CALC = re.compile(r"calc\(\s*([^()]*?)\s*\)")
_PIXELS_PER_UNIT = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "rem": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78}
_PIXELS_PER_UNIT |= {"q": 0.94} | dict.fromkeys(("vw", "dvw", "svw", "vh", "dvh", "svh"), 10.0)
"""For a window of about 1,000 pixels: lengths that hide something are zero or thousands of pixels."""

_FUNCTION = re.compile(r"\b(?:url|image|image-set|element|cross-fade|paint|[a-z-]*gradient)\(")
_DISPLAY_WORDS = """
    none contents block inline inline-block flow flow-root flex inline-flex grid inline-grid list-item run-in table
    inline-table table-row table-cell table-column table-caption table-row-group table-header-group table-footer-group
    table-column-group ruby ruby-base ruby-text ruby-base-container ruby-text-container math -webkit-box
    -webkit-inline-box -webkit-flex -webkit-inline-flex
"""
_WORDS = {
    "display": frozenset(_DISPLAY_WORDS.split()),
    "visibility": frozenset(("visible", "hidden", "collapse")),
    "position": frozenset(("static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky")),
    "content-visibility": frozenset(("visible", "hidden", "auto")),
}
_GLOBAL = frozenset(("inherit", "initial", "unset", "revert", "revert-layer"))
_VARIABLE = re.compile(r"var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)")


@lru_cache(maxsize=4_096)
def parse_inline_style(text: str) -> tuple[Style, Style]:
    """Return the declarations of a `style` attribute: the normal and the important ones."""
    if _PLAIN.fullmatch(_QUOTED_FONT.sub("", text)):
        # Pages often have thousands of simple styles that need no tokenizer.
        pairs = (part.partition(":") for part in _QUOTED_FONT.sub("", text).split(";") if ":" in part)
        return collect_declarations((name, value, None) for name, _, value in pairs)
    try:
        return declarations_of(tinycss2.parse_blocks_contents(text))
    except RecursionError:
        return {}, {}


def declarations_of(contents: Iterable[Any]) -> tuple[Style, Style]:
    """Return the declarations in parsed contents of a rule or attribute. Raises RecursionError for hostile nesting."""
    return collect_declarations(
        (item.name, tinycss2.serialize([token for token in item.value if token.type != "comment"]), item.important)
        for item in contents
        if item.type == "declaration" and _is_read(item.lower_name)
    )


def collect_declarations(found: Iterable[tuple[str, str, bool | None]]) -> tuple[Style, Style]:
    """Return the declarations that take effect, normal and important ones, without shorthands.

    `found` are (name, value, important). If `important` is None, the value itself says whether it is important.
    """
    plain: dict[str, str] = {}
    marked: dict[str, str] = {}
    for raw_name, raw_value, important in found:
        name = raw_name.strip()
        name = name if name.startswith("--") else name.lower()
        if not _is_read(name):
            continue
        value = raw_value.strip() if name == "content" else raw_value.strip().lower()
        if important is None:
            bare = _IMPORTANT.sub("", value)
            important, value = bare != value, bare
        for longhand, part in _SHORTHANDS[name](value) if name in _SHORTHANDS else ((name, value),):
            if _is_valid(longhand, part):
                (marked if important else plain)[longhand] = part
    return plain, marked


def substitute_variables(value: str, variables: Style) -> str:
    """Return a value with its variables replaced; "" if one is unknown, because the value is then invalid."""
    for _ in range(8):
        if "var(" not in value:
            return value.strip()
        missing = [name for name, other in _VARIABLE.findall(value) if name not in variables and not other]
        if missing or not _VARIABLE.search(value):
            return ""
        value = _VARIABLE.sub(lambda found: variables.get(found[1], found[2] or ""), value)[:_LONGEST]
    return ""


def pixels(value: str, em: float = 16.0, whole: float = 1_000.0) -> float | None:
    """Return the approximate length in pixels, None if unknown; `em` is the font size, `whole` the length for 100 %."""
    if value.startswith("calc("):
        return _calculate(value, em, whole)
    length = _LENGTH.fullmatch(value)
    if length is None:
        return None
    number, unit = float(length[1]), length[2] or ""
    if unit == "%":
        return number * whole / 100
    return number * (em if unit == "em" else em / 2 if unit in ("ch", "ex") else _PIXELS_PER_UNIT[unit])


def points(pixels: float | None) -> float | None:
    """Convert pixels, 96 to an inch, to points."""
    return None if pixels is None else pixels * 0.75


def fraction(value: str) -> float | None:
    """Return a number or percentage, such as an opacity, as a float; None for anything else."""
    number = _LENGTH.fullmatch(value)
    if number is None or number[2] not in (None, "%"):
        return None
    return float(number[1]) / (100 if number[2] else 1)


@lru_cache(maxsize=4_096)
def colour(value: str) -> tuple[int | None, float]:
    """Return a colour as 0xRRGGBB, None if unknown, and its opacity from 0 to 1."""
    if len(value) > _LONGEST:
        return None, 1.0
    # Old HTML attributes may omit the # before a colour's digits.
    parsed = _parse_colour(value) or _parse_colour(f"#{value}")
    if not isinstance(parsed, color4.Color):
        return None, 1.0
    try:
        red, green, blue = (round(255 * min(max(level, 0.0), 1.0)) for level in parsed.to("srgb").coordinates)
    except NotImplementedError:  # a colour space that no screen has
        return None, parsed.alpha
    return red << 16 | green << 8 | blue, parsed.alpha


@lru_cache(maxsize=4_096)
def _parse_colour(value: str) -> Any:
    try:
        return color4.parse_color(value)
    except (ValueError, ArithmeticError, RecursionError):
        return None


def _is_read(name: str) -> bool:
    return name in _READ or name in _SHORTHANDS or name.startswith("--")


def _expand_background(value: str) -> Iterable[tuple[str, str]]:
    image = _FUNCTION.search(value)
    words = re.findall(r"[^\s(]+(?:\([^()]*\))?", value)[:20]
    colours = [word for word in words if "/" not in word and _parse_colour(word) is not None]
    if "var(" in value:
        colours = [value]
    yield "background-image", "unknown" if image else "none"
    yield "background-color", colours[-1] if colours and not image else "transparent"
    if image and "text" in words:
        yield "background-clip", "text"


def _expand_font(value: str) -> Iterable[tuple[str, str]]:
    size = re.search(
        r"(?:^|\s)(0|[\d.]+(?:px|pt|r?em|%|pc|in|cm|mm|vw|vh)|(?:xx?-)?(?:small|large)|medium)(?=[\s/]|$)", value
    )
    if size:
        yield "font-size", size[1]


def _expand_inset(value: str) -> Iterable[tuple[str, str]]:
    sides = value.split()
    return zip(_SIDES, (sides * 4)[:4] if len(sides) != 3 else [*sides, sides[1]], strict=False)


def _expand_left(name: str, value: str) -> Iterable[tuple[str, str]]:
    return [(f"{name}-left", left) for side, left in _expand_inset(value) if side == "left"]


def _expand_list_style(value: str) -> Iterable[tuple[str, str]]:
    found = _LIST_STYLES.search(value)
    yield "list-style-type", found[1] if found else "disc"


_SHORTHANDS: dict[str, Callable[[str], Iterable[tuple[str, str]]]] = {
    "background": _expand_background,
    "font": _expand_font,
    "inset": _expand_inset,
    "margin": partial(_expand_left, "margin"),
    "padding": partial(_expand_left, "padding"),
    "list-style": _expand_list_style,
    "text-decoration": lambda value: [("text-decoration-line", value)],
    "all": lambda value: [(name, value) for name in ("color", "background-color", "visibility", "font-size")],
}


def _is_valid(name: str, value: str) -> bool:
    """Whether a browser accepts a value. A browser ignores unknown values, so an earlier value stays in effect."""
    if not value:
        return False
    if value in _GLOBAL or "var(" in value or name.startswith("--"):
        return True
    if name in ("color", "background-color", "-webkit-text-fill-color"):
        function = value.startswith(("light-dark(", "color-mix(", "rgb", "hsl", "oklch(", "lab(", "lch(", "color("))
        return len(value) <= _LONGEST and (function or _parse_colour(value) is not None)
    if name == "font-size":
        return value[0].isalpha() or (pixels(value) or 0.0) >= 0
    if name == "opacity":
        return fraction(value) is not None or value.startswith("calc(")
    return name not in _WORDS or _WORDS[name].issuperset(value.split())


def _calculate(value: str, em: float, whole: float) -> float | None:
    """Return the pixels of one length, or of a sum, difference, product or quotient of two; None for more."""
    inner = _CALC.fullmatch(value)
    parts = re.split(r"\s+([-+])\s+|\s*([*/])\s*", inner[1]) if inner else []
    parts = [part for part in parts if part]
    if len(parts) == 1:
        return pixels(parts[0], em, whole)
    if len(parts) != 3:
        return None
    left, sign, right = pixels(parts[0], em, whole), parts[1], pixels(parts[2], em, whole)
    if left is None or right is None or (sign == "/" and not right):
        return None
    return {"+": left + right, "-": left - right, "*": left * right, "/": left / (right or 1.0)}[sign]
