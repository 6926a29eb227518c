"""Where a document comes from and how it is read: one value, handed on whole to everything that reads it again."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from ralph_cli.core.document import Document
from ralph_cli.documents.limits import DEFAULT_LIMITS, Layout, LoadLimits
from ralph_cli.documents.load import load_document

OnLoading = Callable[[int, int], None]
"""Called with the pages that are read, and the pages in all."""


@dataclass(frozen=True, slots=True)
class DocumentSource:
    """A document's path ("-" for standard input) with the options that it is read with.

    `standard_input` gives the bytes of "-" and is called once; without it the program's own standard input is read.
    `layout` is that of a PDF's text, `encoding` that of a text file. `document` is what was loaded from it before.
    """

    path: str
    password: str | None = field(default=None, repr=False)
    encoding: str | None = None
    layout: Layout = "auto"
    standard_input: Callable[[], bytes] | None = field(default=None, repr=False)
    on_loading: OnLoading | None = field(default=None, repr=False)
    document: Document | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.standard_input is not None:
            # A pipe is read once, and a document often more than once: for its pages, and for pictures of them.
            object.__setattr__(self, "standard_input", cache(self.standard_input))

    @classmethod
    def of(
        cls, document: "DocumentLike", *, password: str | None = None, encoding: str | None = None
    ) -> "DocumentSource":
        """The source that `document` is, or names; `password` and `encoding` are added to a path or a document."""
        if isinstance(document, DocumentSource):
            return document
        if isinstance(document, Document):
            return cls(document.path, password, encoding, document=document)
        return cls(str(document), password, encoding)

    def load(self, cache: Path | None = None, limits: LoadLimits = DEFAULT_LIMITS) -> Document:
        """The document, loaded unless it was before. Raises DocumentError as `documents.load.load` does."""
        if self.document is not None:
            return self.document
        return load_document(
            self.path,
            stdin=self.standard_input,
            password=self.password,
            encoding=self.encoding,
            layout=self.layout,
            cache=cache,
            limits=limits,
            on_progress=self.on_loading,
        )

    def loaded(self, cache: Path | None = None) -> "DocumentSource":
        """The same source with its document loaded. Raises DocumentError."""
        return replace(self, document=self.load(cache))


DocumentLike = str | Path | Document | DocumentSource
"""What a caller may name a document with."""
