"""A document from bytes is the document from the file."""

import os
import re
from pathlib import Path
from threading import Thread

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


def test_a_file_that_does_not_know_its_size_is_read_to_its_end(tmp_path: Path) -> None:
    def write(text: str) -> None:
        with path.open("w") as pipe:
            pipe.write(text)

    path = tmp_path / "pipe.txt"
    os.mkfifo(path)
    for text, limits in (("line\n" * 50_000, LoadLimits()), ("12345678901", LoadLimits(bytes=10))):
        writer = Thread(target=write, args=(text,))
        writer.start()
        if len(text) > limits.bytes:
            with pytest.raises(DocumentError, match="larger"):
                DocumentSource(str(path)).read(limits)
        else:
            assert DocumentSource(str(path)).read(limits) == text.encode()
        writer.join()


def test_the_reader_is_named_with_its_versions() -> None:
    assert re.fullmatch(r"pypdfium2 [\d.]+, loader \d+", describe_loader("pdf"))
    assert re.fullmatch(r"loader \d+", describe_loader("markdown")) and describe_loader("something else") == ""
