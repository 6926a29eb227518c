"""The Python that runs in the sandbox: sources of this package, and the call of them that a worker wants to make."""

import re
from collections.abc import Sequence
from importlib.resources import files

DEFAULT_PASSAGES = 14


def guest_source(*names: str) -> str:
    """The sources of these modules, behind that of languages, without their imports of each other."""
    folder, texts = files("ralph_cli.providers.offline"), files("ralph_cli.text")
    paths = [texts / "languages" / "words.py", *(folder / f"{name}.py" for name in names)]
    source = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return re.sub(r"^from ralph_cli\.[^\n(]*(?:\([^)]*\))?\n", "", source, flags=re.MULTILINE)


def build_snippet(
    question: str | None,
    length: tuple[int, int],
    known_spans: list[tuple[int, int]],
    *,
    passages: int = DEFAULT_PASSAGES,
    without_subqueries: bool = False,
    parts: Sequence[Sequence[int]] = (),
) -> str:
    """A search of the document that prints what it found.

    With `without_subqueries` the spans are extracted there too, for a run whose sub-queries are used up or fail. If the
    question is None, the document's most frequent terms are looked for. With `parts`, which the question names, these
    are searched first.
    """
    if without_subqueries or parts:
        source = guest_source("words", "pages", "rank", "spans", "search")
        ask = "lambda items: [answer_subquery(*item) for item in items]"
    else:
        source, ask = guest_source("words", "pages", "rank", "search"), "llm_query_batch"
    asked = repr(question) if question is not None else "frequent_words(context)"
    arguments = (
        f"length={length!r}, passages={passages}, known_spans={known_spans!r}, tables=globals().get('_tables', ())"
    )
    found = f"search({asked}, context, pages, {ask}, {arguments})"
    if parts:
        found = f"search_parts({asked}, context, pages, {parts!r}, {length!r}) or {found}"
    return f"{source}\n\nfor line in {found}:\n    print(line)\n"
