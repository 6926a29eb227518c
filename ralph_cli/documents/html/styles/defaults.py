"""Default styles of elements in a browser, and the styles set by old HTML attributes.

Rules from the HTML standard, section 15 (Rendering).
"""

from collections.abc import Mapping

from ralph_cli.documents.html.styles.css import Declarations, Style

_HIDDEN = """
    area base datalist head link meta noembed noframes param rp script style template title noscript canvas audio video
    progress meter
"""
_BY_STYLE: tuple[tuple[Style, str], ...] = (
    ({"display": "none"}, _HIDDEN),
    ({"text-decoration-line": "line-through"}, "s strike del"),
    ({"white-space": "pre"}, "pre listing xmp plaintext"),
    ({"list-style-type": "disc"}, "ul menu dir"),
    ({"list-style-type": "decimal"}, "ol"),
    ({"color": "black", "background-color": "#efefef"}, "button input"),
    ({"color": "black", "background-color": "white", "white-space": "pre-line"}, "select textarea"),
    ({"color": "black", "background-color": "yellow"}, "mark"),
    ({"vertical-align": "super"}, "sup"),
    ({"vertical-align": "sub"}, "sub"),
    ({"background-image": "unknown"}, "svg"),
)
_STYLES = {tag: tuple(style.items()) for style, tags in _BY_STYLE for tag in tags.split()}
_LIST_TYPES = {"1": "decimal", "a": "lower-alpha", "A": "upper-alpha", "i": "lower-roman", "I": "upper-roman"}
_DRAWN = frozenset(("svg", "g", "text", "tspan", "a"))
_DRAWN_NAMES = {"fill": "color", "display": "display", "visibility": "visibility", "opacity": "opacity"}
_DRAWN_NAMES |= {"fill-opacity": "opacity", "font-size": "font-size"}
# Attributes that affect the look.
_LOOKS = frozenset(
    ("hidden", "popover", "href", "color", "bgcolor", "background", "text", "type", "dir", *_DRAWN_NAMES)
)

_COLOURED = frozenset(("body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"))


def default_style(tag: str, attributes: Mapping[str, str | None]) -> Declarations:
    """Return the declarations that an element has by default and by attributes other than `style`."""
    style = _STYLES.get(tag, ())
    if tag != "dialog" and _LOOKS.isdisjoint(attributes):
        return style
    return style + tuple(_from_attributes(tag, attributes).items())


def _from_attributes(tag: str, attributes: Mapping[str, str | None]) -> dict[str, str]:
    found: dict[str, str] = {}
    if "hidden" in attributes:
        until_found = (attributes["hidden"] or "").lower() == "until-found"
        found |= {"content-visibility": "hidden"} if until_found else {"display": "none"}
    if "popover" in attributes or (tag == "dialog" and "open" not in attributes):
        found["display"] = "none"
    if tag == "a" and "href" in attributes:
        found["color"] = "#0000ee"
    elif tag == "font" and attributes.get("color"):
        found["color"] = (attributes["color"] or "").strip().lower()
    elif tag in _COLOURED:
        found |= _grounds(tag, attributes)
    elif tag == "bdo":
        found |= {"unicode-bidi": "isolate-override", "direction": (attributes.get("dir") or "").lower()}
    elif tag in _DRAWN:
        found |= _drawn(attributes)
    elif tag in ("ol", "ul", "li") and attributes.get("type"):
        kind = (attributes["type"] or "").strip()
        found["list-style-type"] = _LIST_TYPES.get(kind, kind.lower())
    return found


def _drawn(attributes: Mapping[str, str | None]) -> dict[str, str]:
    """Return the look of a part of a drawing from its attributes, by CSS property."""
    named = {_DRAWN_NAMES[name]: (value or "").lower() for name, value in attributes.items() if name in _DRAWN_NAMES}
    return named | ({"color": "transparent"} if named.get("color") == "none" else {})


def _grounds(tag: str, attributes: Mapping[str, str | None]) -> dict[str, str]:
    """Return the background, and the text colour of a body, from the attributes."""
    found: dict[str, str] = {}
    if attributes.get("bgcolor"):
        found["background-color"] = (attributes["bgcolor"] or "").strip().lower()
    if attributes.get("background"):
        found["background-image"] = "unknown"
    if tag == "body" and attributes.get("text"):
        found["color"] = (attributes["text"] or "").strip().lower()
    return found
