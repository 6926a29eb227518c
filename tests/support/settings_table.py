"""The lists of settings in docs/settings.md, made from their declarations.

python tests/support/settings_table.py     # writes them into that page
"""

import re
from pathlib import Path

from ralph_cli.config import OPTIONS, Settings, describe_settings
from ralph_cli.core.option import Group

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
BETWEEN = re.compile(
    r"(?<=<!-- settings: made by tests/support/settings_table.py -->\n\n).*?(?=\n\n<!-- /settings -->)", re.S
)


def settings_list() -> str:
    """For each group a list with a line per setting, then the old names of variables.

    A line has the name with each variable that is not `RALPH_` and the name, the default, and the text. A secret has
    variables only.
    """
    parts = [part for group in Group if (part := _group_list(group))]
    old = [f"`{variable}`" for option in OPTIONS.values() for variable in option.old_environment]
    return "\n\n".join([*parts, f"`ralph` still reads old names of variables, with a warning: {', '.join(old)}."])


def _group_list(group: Group) -> str:
    """The heading and the lines of a group; empty for a group without settings."""
    lines = [_line(name) for name, option in OPTIONS.items() if option.group is group]
    return "\n".join([f"### {group.value}", "", *lines]) if lines else ""


def _line(name: str) -> str:
    """The line of a setting."""
    option = OPTIONS[name]
    words = [] if option.secret else [f"`{name}`"]
    words += [f"flag `{option.flag}`"] if option.flag else []
    words += [f"`{variable}`" for variable in option.environment if variable != f"RALPH_{name.upper()}"]
    value = Settings.model_fields[name].default
    default = option.describe_default(value)
    if value is False:
        default = ""
    if isinstance(value, str | Path) and not option.default_words:
        default = f"`{default}`"
    text = describe_settings()[name].removesuffix("Never in `ralph.toml`.").strip()
    return f"- {', '.join(words)}" + (f" ({default})" if default else "") + (f": {text}" if text else "")


def with_settings(page: str) -> str:
    """The text of the page with the lists of today. Raises ValueError without their place."""
    if not BETWEEN.search(page):
        raise ValueError("docs/settings.md has no place for the settings")
    return BETWEEN.sub(lambda _: settings_list(), page)


if __name__ == "__main__":
    PAGE.write_text(with_settings(PAGE.read_text("utf-8")), "utf-8")
