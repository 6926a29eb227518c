"""Builds the Python code that runs in the sandbox: sources of this package, and a call of `search`."""

import re
from collections.abc import Sequence
from importlib.resources import files

DEFAULT_PASSAGES = 14


def guest_source(*names: str) -> str:
    """Return the sources of these modules after those that they need, without their imports of each other."""
    folder, texts = files("ralph_cli.providers.offline"), files("ralph_cli.text")
    shared = [texts / "languages" / "words.py", texts / "lexicon.py", texts / "sentences.py"]
    paths = [*shared, *(folder / f"{name}.py" for name in ("words", "rank", *names))]
    source = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return re.sub(r"^from ralph_cli\.[^\n(]*(?:\([^)]*\))?\n", "", source, flags=re.MULTILINE)


def build_snippet(
    question: str | None,
    length: tuple[int, int],
    known: Sequence[tuple[int, int]] = (),
    *,
    passages: int = DEFAULT_PASSAGES,
    parts: Sequence[Sequence[int]] = (),
) -> str:
    """Return code that searches the document and prints the spans.

    Without a question it searches for the most frequent words.
    """
    asked = repr(question) if question is not None else "frequent_words(context)"
    bounds = f"length={length!r}, passages={passages}, known={list(known)!r}, parts={list(map(tuple, parts))!r}"
    call = f"search({asked}, context, pages, globals().get('_tables', ()), {bounds})"
    return f"{guest_source('spans')}\n\nfor line in {call}:\n    print(line)\n"
