"""The tags of a page as they stand in its source, before it is parsed: how deep they nest, and where they end."""

import re

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_NOT_NESTING_TAGS = """
    area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option
    optgroup colgroup html head body rb rt rtc rp
"""
_NOT_NESTING = frozenset(_NOT_NESTING_TAGS.split())
"""Void elements and those whose end tag may be left out: many unclosed ones do not nest (HTML standard, 13.1.2.4)."""

_MARKUP = re.compile(r"<!--|<(/?)([a-z][^\s/>]*)(?>=\s*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))|[^>])*+(>?)", re.IGNORECASE)
_COMMENT_END = re.compile("--!?>")
_RAW_TEXT = frozenset(["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"])
"""Elements in which there are no tags but their own end tag (HTML standard, 13.1.2)."""


def nesting_depth(source: str, limit: int) -> int:
    """How deep the tags are nested at most, counted on the source; stops counting above `limit`.

    Checked before parsing because the parser's work grows with the square of the depth.
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


def describe_loose_end(source: str) -> str:
    """What is wrong with the end of a page's source, "" if nothing is.

    A page may leave out `</html>`; where elements are open then that have to be closed, or the last words are no tag,
    it may be cut off. Inside a comment, a tag, a script or a style that is never closed nothing is read as text.
    """
    at = depth = 0
    is_page = is_closed = False
    while match := _MARKUP.search(source, at):
        start, at = match.span()
        if match[2] is None:
            end = _COMMENT_END.search(source, start + 2)  # "<!-->" is a comment, too
            if end is None:
                return _say_unclosed("a comment", source, start)
            at = end.end()
            continue
        if not match[3]:
            return _say_unclosed("a tag", source, start)
        tag = match[2].lower()
        if tag in _RAW_TEXT and not match[1]:
            end = re.compile(rf"</{tag}(?![^\s/>])", re.IGNORECASE).search(source, at)
            if end is None:
                return _say_unclosed(f"<{tag}>", source, start)
            at = end.start()
        if tag in ("html", "body"):
            is_page, is_closed = True, is_closed or bool(match[1])
        if tag not in _NOT_NESTING and source[at - 2] != "/":
            depth = max(0, depth + (-1 if match[1] else 1))
    if is_closed or not (depth or (is_page and source[at:].strip())):
        return ""
    return "the page ends without </html>, and not where a page may: the file may be cut off"


def _say_unclosed(what: str, source: str, start: int) -> str:
    line = source.count("\n", 0, start) + 1
    return f"{what} in line {line:,} is never closed, so what stands behind it is not read: the file may be damaged"
