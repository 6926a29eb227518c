"""A document from bytes is the document from the file."""

from pathlib import Path

import pytest

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.limits import LoadLimits
from ralph_cli.documents.load import describe_loader
from ralph_cli.documents.source import DocumentSource


@pytest.mark.parametrize("name", ["contract.md", "notice.html", "report.pdf"])
def test_bytes_give_the_same_document_as_their_file(samples: Path, name: str) -> None:
    path = samples / name
    assert DocumentSource(str(path)).load_bytes(path.read_bytes()) == DocumentSource(str(path)).load()


def test_bytes_are_bounded_like_files() -> None:
    with pytest.raises(DocumentError, match="larger"):
        DocumentSource("a.txt").load_bytes(b"x" * 11, limits=LoadLimits(bytes=10))


def test_the_reader_is_named_with_its_versions() -> None:
    assert describe_loader("pdf").startswith("pypdfium2 ") and describe_loader("pdf").endswith(", loader 3")
    assert describe_loader("markdown") == "loader 1" and describe_loader("something else") == ""
