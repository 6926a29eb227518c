"""The tags in a page's source before parsing: how deep they nest, and whether some are missing."""

import re
from collections import Counter

from ralph_cli.text.lexicon import pluralize

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_VOID_TAGS = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_TAGS.split())
_OPTIONAL_TAGS = "p li dt dd tr td th thead tbody tfoot option optgroup colgroup rb rt rtc rp"
# Elements whose end tag may be left out (HTML standard, 13.1.2.4).
_OPTIONAL = frozenset(_OPTIONAL_TAGS.split())

_PAGE = frozenset(["html", "body"])
# Elements that do not nest even if many are not closed.
_NOT_NESTING = frozenset(("head", *_VOID, *_OPTIONAL, *_PAGE))

_MARKUP = re.compile(r"<!--|<(/?)([a-z][^\s/>]*)(?>=\s*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))|[^>])*+(>?)", re.IGNORECASE)
_CLOSED = re.compile(rb"""<([A-Za-z][\w:.-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*?)/>""")
_COMMENT_END = re.compile("--!?>")
_QUOTED = re.compile("=\\s*(?:\"[^\"]*\"|'[^']*')")
_UNCLOSED = "is never closed, so what stands behind it is not read"
# Elements that contain no tags except their own end tag (HTML standard, 13.1.2).
_RAW_TEXT = frozenset(["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"])


def close_elements(source: bytes) -> bytes:
    """Convert XHTML elements like <title/> to the HTML form; unclosed in HTML, they would contain all that follows."""

    def close(match: "re.Match[bytes]") -> bytes:
        name = match[1]
        is_void = name.decode("ascii").lower() in _VOID
        return match[0] if is_void else b"<" + name + match[2] + b"></" + name + b">"

    return _CLOSED.sub(close, source)


def nesting_depth(source: str, limit: int) -> int:
    """Return the greatest nesting depth of the tags in the source; counting stops above `limit`.

    Check it before parsing, because the parser's time grows with the square of the depth.
    """
    depth = most = 0
    for match in _TAG.finditer(source):
        if match[2].lower() in _NOT_NESTING:
            continue
        depth = max(0, depth + (-1 if match[1] else 1))
        most = max(most, depth)
        if most > limit:
            break
    return most


def describe_damage(source: str) -> str:
    """Return what is wrong with the tags of a page's source, "" if nothing is; a browser would repair it silently.

    A page may omit `</html>`. It may be cut off if then some elements are unclosed, if it closes all others, or if
    text follows the last tag. An unclosed comment, tag, script or style hides the text that follows. If an element's
    start and end tags differ in number, some of the page may be missing.
    """
    begins: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    at = 0
    is_page = is_closed = False
    while match := _MARKUP.search(source, at):
        start, at = match.span()
        slash, name, closing = match.groups()
        if name is None:
            end = _COMMENT_END.search(source, start + 2)  # "<!-->" is also a comment
            if end is None:
                return _describe_place("a comment", source, start, _UNCLOSED)
            at = end.end()
            continue
        if not closing:
            return _describe_place("a tag", source, start, _UNCLOSED)
        if source.find("<", start + 1, at) > 0 and "<" in _QUOTED.sub("", match[0][1:]):
            why = "has another one in it, so some of the page may be gone"
            return _describe_place("a tag", source, start, why)
        name = name.lower()
        if name in _PAGE:
            is_page, is_closed = True, is_closed or bool(slash)
        elif name in _OPTIONAL or (name not in _NOT_NESTING and source[at - 2] != "/"):
            counts = ends if slash else begins
            counts[name] = counts.get(name, 0) + 1
        if name in _RAW_TEXT and not slash:
            close = re.compile(rf"</{name}(?![^\s/>])", re.IGNORECASE).search(source, at)
            if close is None:
                return _describe_place(f"<{name}>", source, start, _UNCLOSED)
            at = close.start()
    return _describe_uneven(begins, ends, is_page and not is_closed, bool(source[at:].strip()), is_closed)


def _describe_uneven(begins: Counter[str], ends: Counter[str], is_page: bool, has_words: bool, is_closed: bool) -> str:
    """Describe the damage that the counts of tags show, "" if there is none."""
    uneven = [name for name in begins | ends if name not in _OPTIONAL and begins[name] != ends[name]]
    is_open = any(begins[name] > ends[name] for name in uneven)
    closes_others = is_page and begins <= ends
    if not is_closed and (is_open or closes_others or (is_page and has_words)):
        return "the page ends without </html>, and not where a page may: the file may be cut off"
    for name in uneven:
        what = f"<{name[:40]}> begins {pluralize(begins[name], 'time')} and ends {pluralize(ends[name], 'time')}"
        return f"{what}: some of the page may be gone, the file may be damaged"
    return ""


def _describe_place(what: str, source: str, start: int, why: str) -> str:
    line = source.count("\n", 0, start) + 1
    return f"{what} in line {line:,} {why}: the file may be damaged"
