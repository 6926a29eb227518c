"""The style sheet of the HTML report, which the page's security policy admits by its hash alone."""

import base64
import hashlib
from pathlib import Path

CSS = Path(__file__).with_name("report.css").read_text("utf-8")

SOURCE = "'sha256-" + base64.b64encode(hashlib.sha256(CSS.encode()).digest()).decode() + "'"
"""The style sheet as a source of the policy's `style-src`."""

POLICY = f"default-src 'none'; img-src data:; style-src {SOURCE}; base-uri 'none'; form-action 'none'"
"""The page may load nothing, run nothing and send nothing."""
