"""Looks up quotes and memos in documents without a model, for `ralph check`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ralph_cli.checks.quotes import VisibilityPolicy, resolve_quotes
from ralph_cli.config import Settings, complete_settings
from ralph_cli.core.document import SKIPPED, Document
from ralph_cli.core.errors import ConfigError
from ralph_cli.core.events import EventSink, NoticeIssued
from ralph_cli.core.model import Model
from ralph_cli.core.results.memo import MemoCheck
from ralph_cli.core.run import Draft, DraftClaim, Issue, Quote
from ralph_cli.documents.sets.loading import load_each, load_source
from ralph_cli.documents.source import UNUSED_OPTIONS, DocumentLike, DocumentSource
from ralph_cli.memo.checking.check import check_quotations, check_visibility
from ralph_cli.memo.reading.read import read_memo
from ralph_cli.retrieval.quotes.index import QuoteIndex
from ralph_cli.retrieval.quotes.visibility import VisibilityChecker


@dataclass(frozen=True, slots=True)
class QuoteCheck:
    """The result of looking up one quote: the place found (`quote`), and a fault (`issue`).

    Without a `quote` it is not in the document. With a `quote` and an `issue` it is there, but a reader cannot see it.
    `cautions` are remarks, such as that the pages could not be rendered.
    """

    said: str
    quote: Quote | None
    issue: Issue | None
    cautions: tuple[str, ...] = ()


def check_quotes(
    document: DocumentLike, quotes: Sequence[str], *, settings: Settings | None = None
) -> tuple[QuoteCheck, ...]:
    """Look up quotes in a document, without a model or key; in their order. Raises DocumentError."""
    settings = complete_settings(settings)
    quotes = [quotes] if isinstance(quotes, str) else quotes
    source = load_source(DocumentSource.of(document).with_ocr(settings.ocr_options), settings.cache_folder)
    loaded = source.load()
    index = QuoteIndex(loaded)
    cautions: list[str] = []
    sight = VisibilityChecker(loaded, lambda code, message: cautions.append(message), source)
    visibility = VisibilityPolicy(sight, settings.allow_hidden_text)
    # All spans at once, so that the file is opened and its pages are rendered once.
    sight([match.span for match in map(index.find, quotes) if match])
    found = []
    for words in quotes:
        attempt = resolve_quotes(Draft((DraftClaim("", (words,)),)), loaded, index, visibility=visibility)
        quote, issue = next(iter(attempt.quotes), None), next(iter(attempt.refused), None)
        found.append(QuoteCheck(words, quote, issue, tuple(cautions)))
    return tuple(found)


def refuse_same_file(memo: str, documents: Sequence[str]) -> None:
    """Raise ConfigError if a memo would be checked against itself."""
    if memo != "-" and memo in documents:
        hint = "ralph check memo.md --doc contract.pdf"
        raise ConfigError("the memo and the document are the same file", code="same-file", hint=hint)


def load_documents(sources: Sequence[DocumentSource], settings: Settings, on_event: EventSink) -> list[DocumentSource]:
    """The sources with their documents loaded; a folder, an archive or a pattern gives all of its documents.

    `on_event` receives notices of skipped files. Raises DocumentError.
    """
    found: list[DocumentSource] = []
    for source in sources:
        loaded, skipped = load_each(source.with_ocr(settings.ocr_options), settings.cache_folder)
        found += loaded
        for item in skipped:
            on_event(NoticeIssued(SKIPPED, f"{item.name} was not read: {item.message}"))
    return found


# So many times longer than its documents a memo seldom is.
SWAPPED = 4


def check_memo(
    memo: DocumentLike,
    documents: Sequence[DocumentLike],
    *,
    judge: bool = False,
    strict: bool = False,
    settings: Settings | None = None,
    models: Mapping[str, Model] | None = None,
    sink: EventSink | None = None,
    password: str | None = None,
    encoding: str | None = None,
) -> MemoCheck:
    """Find the quotations and page references of a memo, and look them up in the documents; no model is asked.

    `MemoCheck.ok` is True only if something was checked and everything is right. Words that a reader of the pages
    cannot see count as a fault, unless the settings allow them. A folder, an archive or a pattern means all documents
    in it. With `judge` the judge model of the settings (or "judge" of `models`) decides for each sentence whether its
    quotations support it. With `strict` terms that are too short for a quotation count too, as do page references that
    cannot be checked. `password` and `encoding` are tried on all files. `sink` receives cautions and the judge's calls.
    Raises DocumentError, and ConfigError if the judge cannot be asked.
    """
    settings = complete_settings(settings)
    sources = _named_sources(memo, documents, password, encoding)
    files = [source.path for source in sources if source.document is None and source.path != "-"]
    on_event = sink or (lambda _event: None)
    read = sources[0].with_ocr(settings.ocr_options).loaded(settings.cache_folder)
    found = load_documents(sources[1:], settings, on_event)
    own = Path(read.path).absolute()  # the memo may be in the folder of its documents
    found = [source for source in found if source.path in files or Path(source.path).absolute() != own]
    sources = [read, *found]
    memo_document, *quoted = loaded = [source.load() for source in sources]
    _tell_cautions(loaded, on_event)
    if len(memo_document.text) > SWAPPED * sum(len(document.text) for document in quoted):
        hint = "ralph check MEMO --doc DOCUMENT"
        what = f"the memo is much longer than what it is checked against: are they swapped? {hint}"
        on_event(NoticeIssued("swapped", what))
    sights = [
        VisibilityChecker(source.load(), lambda code, message: on_event(NoticeIssued(code, message)), source)
        for source in sources[1:]
    ]
    quoted = [document.in_language(settings.language) for document in quoted]
    checked = check_quotations(read_memo(memo_document), memo_document.path, quoted, strict=strict)
    checked = check_visibility(checked, sights, hidden_allowed=settings.allow_hidden_text)
    if not judge:
        return checked
    # Importing the models takes long, and most memos are checked without one.
    from ralph_cli.memo.checking.judge import judge_support
    from ralph_cli.wiring.check import open_memo_judge

    with open_memo_judge(settings, on_event, models) as (judge_for, name):
        return replace(checked, support=judge_support(checked, judge_for), judge=name)


def _named_sources(
    memo: DocumentLike, documents: Sequence[DocumentLike], password: str | None, encoding: str | None
) -> list[DocumentSource]:
    """The memo and the documents that a caller names. Raises ConfigError if nothing can be checked."""
    documents = [documents] if isinstance(documents, str | Path) else documents
    if not documents:
        hint = "ralph check memo.md --doc contract.pdf"
        raise ConfigError("no document to check against", code="no-document", hint=hint)
    sources = [DocumentSource.of(document, password=password, encoding=encoding) for document in (memo, *documents)]
    if sum(source.path == "-" for source in sources) > 1:
        raise ConfigError("only one of memo and documents can be standard input", code="no-input", hint="name a file")
    if sources[0].document is None:
        refuse_same_file(sources[0].path, [source.path for source in sources[1:] if source.document is None])
    return sources


def _tell_cautions(documents: Sequence[Document], on_event: EventSink) -> None:
    """Sends the cautions of the memo and of the documents."""
    codes = [{caution.code for caution in document.cautions} for document in documents]
    # Password and encoding are tried on all files, so a caution that one file does not need them is left out.
    used = {code for code in UNUSED_OPTIONS if not all(code in found for found in codes)}
    for document in documents:
        for caution in document.cautions:
            if caution.code not in used:
                on_event(NoticeIssued(caution.code, f"{Path(document.path).name}: {caution.message}"))
