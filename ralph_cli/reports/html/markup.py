"""Builds HTML that foreign text cannot break out of: all text that is not Markup is made visible and escaped."""

import base64
import hashlib
import html
from collections.abc import Iterable
from pathlib import Path

from ralph_cli.reports.safe_text import make_visible

_VOID = frozenset({"img", "meta", "br", "hr", "input", "link"})


class Markup(str):
    """Text that is HTML. Only `el`, `escape` and `join` make it, and constants and files of ralph."""

    __slots__ = ()


Child = str | Markup | None


def escape(value: str) -> Markup:
    """Foreign text as HTML: every character is visible, and a browser reads it as text only."""
    return Markup(html.escape(make_visible(value), quote=True))


def el(tag: str, /, *children: Child, **attributes: str | int | bool | None) -> Markup:
    """One element. Children and attribute values are escaped unless they are Markup; None and False are left out.

    A trailing underscore of an attribute's name is dropped (`class_`); other underscores become hyphens (`aria_label`).
    """
    rendered_attributes = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    start = Markup(f"<{tag}{rendered_attributes}>")
    return start if tag in _VOID else Markup(f"{start}{join(*children)}</{tag}>")


def bullets(items: Iterable[Child]) -> Markup:
    """A list of the items; empty without items."""
    lines = [el("li", item) for item in items]
    return el("ul", *lines) if lines else Markup("")


def join(*children: Child) -> Markup:
    """The children joined into one Markup."""
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children if child))


CSS = Path(__file__).with_name("report.css").read_text("utf-8")


def policy(css: str = CSS) -> str:
    """The content security policy of a page with this style sheet: it loads, runs and sends nothing."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    source = f"'sha256-{digest}'"
    return f"default-src 'none'; img-src data:; style-src {source}; base-uri 'none'; form-action 'none'"
