"""What a document may cost before it is refused."""

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

    `bytes` and `html_bytes` bound the file, `memory` (bytes) the address space of the parser process, `seconds` plus
    `seconds_per_mebibyte` of the file (four minutes at most), or `seconds_per_page` once the pages are known, its
    wall-clock time, `ocr_seconds` that of each page that is read by OCR, `characters` and `pages` the result,
    `html_depth` the nesting of elements.
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
        """Seconds that a file of so many bytes may take, as long as the number of its pages is not known."""
        return self.seconds + min(self.seconds_per_mebibyte * (size / MIB), _MOST_MORE_SECONDS)

    @property
    def json_bytes(self) -> int:
        """Bytes that the result may take as JSON, in which a character takes at most six."""
        return 6 * self.characters + 64 * MIB


class TooManyCharacters(DocumentError):
    """The document has more text than it may have."""

    def __init__(self, name: str, limits: LoadLimits) -> None:
        what = f"{name} has more than {limits.characters:,} characters"
        super().__init__(what, code="too-big", hint="split the file")


DEFAULT_LIMITS = LoadLimits()
