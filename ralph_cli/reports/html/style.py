"""The style sheet of the HTML report, which the page's security policy admits by its hash alone."""

import base64
import hashlib
from pathlib import Path

CSS = Path(__file__).with_name("report.css").read_text("utf-8")


def policy(css: str = CSS) -> str:
    """The security policy of a page with that style sheet: it may load nothing, run nothing and send nothing."""
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    source = f"'sha256-{digest}'"
    return f"default-src 'none'; img-src data:; style-src {source}; base-uri 'none'; form-action 'none'"
