"""Limits on the size of a document and the cost of loading it."""

from dataclasses import dataclass
from typing import Literal

from ralph_cli.core.errors import DocumentError

# Order of a PDF page's text: by height in each column, by height on the whole page, or as in the file.
Layout = Literal["auto", "visual", "stream"]

MIB = 1 << 20
_MOST_MORE_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class LoadLimits:
    """Upper bounds for loading one document.

    `bytes` and `html_bytes` limit the file, and `memory` (bytes) the address space of the parser process. `seconds`
    plus `seconds_per_mebibyte` of the file (four minutes at most) limits its wall-clock time; once the pages are
    known, `seconds_per_page` does. `ocr_seconds` limits the time for each page that OCR reads. `characters` and
    `pages` limit the result, and `html_depth` the nesting of elements.
    """

    bytes: int = 200 * MIB
    html_bytes: int = 50 * MIB
    memory: int = 2048 * MIB
    seconds: float = 60.0
    seconds_per_mebibyte: float = 15.0
    seconds_per_page: float = 0.1
    ocr_seconds: float = 60.0
    characters: int = 150_000_000
    pages: int = 100_000
    html_depth: int = 2_000

    def seconds_for(self, size: int) -> float:
        """Return the seconds allowed for a file of `size` bytes while its number of pages is unknown."""
        return self.seconds + min(self.seconds_per_mebibyte * (size / MIB), _MOST_MORE_SECONDS)

    @property
    def json_bytes(self) -> int:
        """The most bytes that the result takes as JSON, where a character takes at most six."""
        return 6 * self.characters + 64 * MIB


class TooManyCharacters(DocumentError):
    """The document has more characters than the limit."""

    def __init__(self, name: str, limits: LoadLimits) -> None:
        what = f"{name} has more than {limits.characters:,} characters"
        super().__init__(what, code="too-big", hint="split the file")


DEFAULT_LIMITS = LoadLimits()
