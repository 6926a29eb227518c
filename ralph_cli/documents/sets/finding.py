"""Finds the files that paths, folders and patterns refer to, and names each one."""

import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from ralph_cli.core.errors import DocumentError
from ralph_cli.documents.sniff import display_name

# The most files in a set.
MAX_FILES = 10_000

# The most characters of a document's name in a set: every location repeats it.
MAX_NAME = 200

# Names of files for programs, not people: hidden files, lock files of Office, system files.
_LEFT_OUT = re.compile(r"\.(?!\.?$)|~\$|__MACOSX$|Thumbs\.db$|desktop\.ini$")

_HIDDEN = "it is hidden, or of a program's own"


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file with its name in the set, its path, and its names within an archive there."""

    name: str
    path: str
    inner: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is not in the set although it was named or found, and the reason."""

    name: str
    code: str
    message: str
    hint: str = ""


def is_set(path: str) -> bool:
    """Whether a path refers to several documents: a folder, an archive, or a pattern that is not an existing file."""
    return _is_folder(path) or _is_pattern(path) or (_exists(path) and path.lower().endswith(".zip"))


def find_files(paths: Sequence[str], leave_out: Sequence[Path] = ()) -> tuple[list[FoundFile], list[Skipped]]:
    """Return the files that the paths refer to, in order, those of a folder sorted by name; and the skipped ones.

    Folders are searched recursively; links to folders are not followed. Hidden files, and the folders and files in
    `leave_out`, are skipped. Raises DocumentError: missing for a path that does not exist, too-big for too many
    files.
    """
    found: list[FoundFile] = []
    skipped: list[Skipped] = []
    apart = {folder.resolve() for folder in leave_out}
    for path in paths:
        roots = _match_pattern(path) if _is_pattern(path) else [path]
        if not roots:
            raise DocumentError(f"no file fits {display_name(path)}", code="missing", hint="check the pattern")
        for root in roots:
            if root != "-" and not _exists(root):
                raise DocumentError(f"{display_name(root)} does not exist", code="missing", hint="check the path")
            named = [(root, PurePath(root).name or root, _HIDDEN if _is_hidden_match(root, path) else "")]
            for place, name, why in _walk(Path(root), apart) if _is_folder(root) else named:
                why = why or ("it says what is asked" if Path(place).resolve() in apart else "")
                if why:
                    skipped.append(Skipped(display_name(name), "left-out", why))
                else:
                    found.append(FoundFile(name, place))
                if len(found) > MAX_FILES:
                    what = f"more than {MAX_FILES:,} files were found under {display_name(path)}"
                    raise DocumentError(what, code="too-big", hint="name fewer files")
    return name_files(found), skipped


def leave_out_hidden(file: FoundFile) -> Skipped | None:
    """Return why a file of an archive is skipped, by the rule for hidden files in folders; None if it is not."""
    return Skipped(file.name, "left-out", _HIDDEN) if is_hidden(PurePath(file.inner[-1])) else None


def is_hidden(path: PurePath) -> bool:
    """Whether a part of the path is a name for programs, not people."""
    return any(map(_LEFT_OUT.match, path.parts))


def name_files(files: Sequence[FoundFile]) -> list[FoundFile]:
    """Return the files with unique names on one line.

    Files that share a name are named with their folders, but without the folders common to all, which might reveal
    facts about the machine.
    """
    taken: set[str] = set()
    places: dict[str, set[str]] = {}
    for file in files:
        places.setdefault(file.name, set()).add(_full_path(file))
    named = []
    for file in files:
        alike = places[file.name]
        name = file.name
        if len(alike) > 1:
            shared = os.path.commonpath([Path(place).parent for place in alike])
            name = PurePath(os.path.relpath(_full_path(file), shared)).as_posix()
        named.append(FoundFile(take_name(display_name(name), taken), file.path, file.inner))
    return named


def _full_path(file: FoundFile) -> str:
    return os.path.normpath(Path("/".join((file.path, *file.inner))).absolute())


def take_name(wanted: str, taken: set[str], fold: Callable[[str], str] = str) -> str:
    """Return a unique name, with its middle cut if it is long and a number if it is taken; add it to `taken`.

    Names are equal if `fold` makes them equal.
    """
    if len(wanted) > MAX_NAME:
        wanted = f"{wanted[: MAX_NAME // 2 - 3]}...{wanted[-MAX_NAME // 2 :]}"
    stem, dot, ending = wanted.rpartition(".")
    if not dot or "/" in ending:
        stem, dot, ending = wanted, "", ""
    name, number = wanted, 1
    while fold(name) in taken:
        number += 1
        name = f"{stem} ({number}){dot}{ending}"
    taken.add(fold(name))
    return name


def _walk(root: Path, leave_out: set[Path]) -> Iterator[tuple[str, str, str]]:
    """Yield the files under a folder: path, name relative to the folder, and why the file is skipped, or ""."""
    waiting: list[tuple[Path, str]] = [(root, "")]
    while waiting:
        path, name = waiting.pop()
        if not path.is_dir():
            yield str(path), name, "" if path.is_file() else "it is no regular file"
            continue
        why = _reason_to_leave_out(path, leave_out) if name else ""
        if why:
            yield str(path), name, why
            continue
        try:
            names = sorted((entry.name for entry in path.iterdir()), key=_natural, reverse=True)
        except OSError as error:
            yield str(path), name or str(path), f"it cannot be read: {error.strerror}"
            continue
        hidden = [entry for entry in names if _LEFT_OUT.match(entry)]
        yield from ((str(path), f"{name}/{entry}".lstrip("/"), _HIDDEN) for entry in hidden)
        shown = (entry for entry in names if not _LEFT_OUT.match(entry))
        waiting += [(path / entry, f"{name}/{entry}".lstrip("/")) for entry in shown]


def _reason_to_leave_out(folder: Path, leave_out: set[Path]) -> str:
    if folder.is_symlink():
        return "it is a link to a folder"
    return "it holds the records of ralph's own runs" if folder.resolve() in leave_out else ""


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key for the natural order of names: "2.pdf" before "10.pdf"."""
    parts = [part.lstrip("0") if part.isdecimal() else part for part in re.split(r"(\d+)", name.casefold())]
    return [(0, len(part), part) if part.isdecimal() else (1, 0, part) for part in parts]


def _is_pattern(path: str) -> bool:
    return glob.has_magic(path) and not _exists(path)


def _match_pattern(pattern: str) -> list[str]:
    root = Path(pattern).anchor
    return sorted(map(str, Path(root or ".").glob(pattern.removeprefix(root))), key=_natural)


def _is_hidden_match(path: str, pattern: str) -> bool:
    """Whether a file found by a pattern is hidden although the pattern does not ask for hidden files."""
    parts = PurePath(pattern).parts
    fixed = next((at for at, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    found = PurePath(*PurePath(path).parts[fixed:])
    return is_hidden(found) and not is_hidden(PurePath(*parts[fixed:]))


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # not a valid path
        return False


def _is_folder(path: str) -> bool:
    return _exists(path) and Path(path).is_dir()
