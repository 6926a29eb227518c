"""The table of settings in docs/settings.md, made from their declarations.

python tests/support/settings_table.py     # writes it into that page
"""

import re
from pathlib import Path

from ralph_cli.config import OPTIONS, Settings, describe_settings

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
BETWEEN = re.compile(
    r"(?<=<!-- settings: made by tests/support/settings_table.py -->\n\n).*?(?=\n\n<!-- /settings -->)", re.S
)


def table() -> str:
    """A row for each setting: its name, its variables, its default, what it is."""
    rows = ["| setting (`ralph.toml`, flag) | environment | default | |", "| --- | --- | --- | --- |"]
    texts = describe_settings()
    for name, option in OPTIONS.items():
        label = "" if option.secret else f"`{name}`" + (f" (flag `{option.flag}`)" if option.flag else "")
        first, *others = [f"`{variable}`" for variable in option.environment] or [""]
        others += [f"old: `{variable}`" for variable in option.old_environment]
        variables = first + (f" ({', '.join(others)})" if others else "")
        value = Settings.model_fields[name].default
        default = option.describe_default(value)
        if isinstance(value, str | Path) and not option.default_words:
            default = f"`{default}`"
        rows.append(f"| {label} | {variables} | {default} | {texts[name]} |")
    return "\n".join(rows)


def with_table(page: str) -> str:
    """The text of the page with the table of today. Raises ValueError without its place."""
    if not BETWEEN.search(page):
        raise ValueError("docs/settings.md has no place for the table of settings")
    return BETWEEN.sub(lambda _: table(), page)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
