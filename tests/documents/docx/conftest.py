"""What the tests of Word documents share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from document_fixtures import load_document
from word import docx

from ralph_cli.core.document import Document


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Document]:
    """Reads a document with this body, these references and these further parts."""

    def load(body: str, relations: dict[str, str] | None = None, **parts: str) -> Document:
        path = tmp_path / "a.docx"
        path.write_bytes(docx(body, relations, **parts))
        return load_document(path)

    return load
