"""Prompts are package files with `{{name}}` places; a place or a value without its other half is an error."""

import hashlib
import re
from functools import cache
from importlib import resources

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_INCLUDE = re.compile(r"\{\{include (\w+)\}\}")


@cache
def prompt_text(name: str) -> str:
    """The text of `texts/<name>.md`, with the texts that it includes."""
    text = resources.files("ralph_cli.core.prompts").joinpath("texts", f"{name}.md").read_text("utf-8").strip()
    return _INCLUDE.sub(lambda match: prompt_text(match[1]), text)


@cache
def prompt_digests() -> dict[str, str]:
    """The SHA-256 of each prompt's text, by name: which wording a run was made with."""
    folder = resources.files("ralph_cli.core.prompts").joinpath("texts")
    names = sorted(item.name.removesuffix(".md") for item in folder.iterdir() if item.name.endswith(".md"))
    return {name: hashlib.sha256(prompt_text(name).encode()).hexdigest() for name in names}


def render_prompt(name: str, **values: object) -> str:
    """The prompt with its places filled in one pass, so that a value never has its own braces read as places."""
    text = prompt_text(name)
    placeholders = set(_PLACEHOLDER.findall(text))
    if placeholders != set(values):
        raise ValueError(f"prompt {name!r} has places {sorted(placeholders)}, got {sorted(values)}")
    return _PLACEHOLDER.sub(lambda match: str(values[match.group(1)]), text)
