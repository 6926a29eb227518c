"""The installed OCR program: its path, its version, and its languages."""

import hashlib
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from ralph_cli.core.errors import DocumentError

# The pages of a PDF or picture that OCR reads: those without text, none, or all.
OcrMode = Literal["auto", "never", "force"]

DEFAULT_LANGUAGE = "eng"
INSTALL_HINT = "install tesseract to read it: apt install tesseract-ocr, or brew install tesseract"

_PROGRAM = "tesseract"
_VERSION = re.compile(r"tesseract\s+v?([\w.+-]+)")
_FOLDER = re.compile(r'languages[^"\n]*"([^"\n]+)"')
_LANGUAGE = re.compile(r"[A-Za-z0-9_]+(?:/[A-Za-z0-9_]+)?(?:\+[A-Za-z0-9_]+(?:/[A-Za-z0-9_]+)?)*")
_SECONDS = 20


@dataclass(frozen=True, slots=True)
class OcrOptions:
    """Which pages OCR reads, and in which languages ("eng", or "eng+deu")."""

    mode: OcrMode = "auto"
    language: str = DEFAULT_LANGUAGE

    @classmethod
    def recorded(cls, record: object) -> "OcrOptions":
        """Return the options in a run's record; without options, the text was not read by OCR."""
        if isinstance(record, dict):
            mode, language = record.get("mode"), record.get("language")
            if mode in ("auto", "force") and isinstance(language, str):
                return cls(mode, language)
        return cls("never")

    def record(self) -> dict[str, str]:
        """Return the options for a run's record."""
        return {"mode": self.mode, "language": self.language}


DEFAULT_OCR = OcrOptions()


@dataclass(frozen=True, slots=True)
class OcrEngine:
    """An OCR engine: the program at `path` and the folder `data` with its language data.

    `description` identifies everything that affects the recognized text: the program's version and the hash of the
    language data.
    """

    path: str
    data: str
    language: str
    description: str


def find_engine(language: str) -> OcrEngine | None:
    """Return the engine for this language; None if the program is not on the path.

    Raises DocumentError "unsupported" if the language is not installed or the program does not answer.
    """
    path = shutil.which(_PROGRAM)
    return _inspect(path, language) if path else None


@cache
def _inspect(path: str, language: str) -> OcrEngine:
    if not _LANGUAGE.fullmatch(language):
        what = f"{language!r} is no language of tesseract"
        raise DocumentError(what, code="unsupported", hint="such as eng, or eng+deu: see tesseract --list-langs")
    version = _VERSION.search(_ask(path, "--version"))
    listed = _ask(path, "--list-langs")
    folder = _FOLDER.search(listed)
    if version is None or folder is None:
        hint = "check it with tesseract --list-langs, or use --ocr never"
        raise DocumentError(f"{path} does not answer as tesseract does", code="unsupported", hint=hint)
    installed = [line.strip() for line in listed[folder.end() :].splitlines()[1:] if line.strip()]
    hashes = []
    for name in language.split("+"):
        file = Path(folder[1], f"{name}.traineddata")
        if not file.is_file():
            what = f"tesseract has no data for the language {name}; installed are {', '.join(installed) or 'none'}"
            hint = f"apt install tesseract-ocr-{name.replace('_', '-')}, or choose one with --ocr-language"
            raise DocumentError(what, code="unsupported", hint=hint)
        hashes.append(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()[:12]}")
    return OcrEngine(path, folder[1], language, f"tesseract {version[1]}, {', '.join(hashes)}")


def _ask(path: str, question: str) -> str:
    """Return the program's answer to an option; it gets no document here, and no environment."""
    try:
        done = subprocess.run(
            [path, question], capture_output=True, text=True, errors="replace", timeout=_SECONDS, env={}, check=False
        )
    except (OSError, subprocess.SubprocessError) as error:
        what = f"{path} cannot be run: {getattr(error, 'strerror', None) or type(error).__name__}"
        raise DocumentError(what, code="unsupported", hint="install it again, or use --ocr never") from None
    return done.stdout + done.stderr
