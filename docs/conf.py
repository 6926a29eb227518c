"""How docs/ becomes a site: `python -m sphinx -W -n -b html docs site`. It asks no network for anything."""

import re
from pathlib import Path

_VERSION = re.search(
    r'__version__ = "([^"]+)"', (Path(__file__).parent.parent / "ralph_cli/core/version.py").read_text("utf-8")
)
assert _VERSION

project = "ralph"
author = "The ralph authors"
copyright = author
version = release = _VERSION.group(1)

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["images/*"]
nitpicky = True

myst_heading_anchors = 3
"""A link such as `check.md#what-is-read` leads to a heading."""

html_theme = "furo"
html_title = f"ralph {release}"
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False
