"""Restricts clients to files in the allowed folders, wherever a path or a link leads."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from ralph_cli.core.errors import ConfigError, UserError
from ralph_cli.documents.sets.finding import is_hidden
from ralph_cli.reports.safe_text import one_line

# Characters of a client's path that an error repeats.
SHOWN = 120


class Fence:
    """The allowed folders, except hidden files in them and the folders `apart`, which hold ralph's own files.

    A path means what the system resolves it to, with every link and `..` followed. No home folder, address or escape is
    expanded. A refusal has the same words whether the file exists or not.
    """

    def __init__(self, folders: Sequence[Path], apart: Sequence[Path] = ()) -> None:
        if not folders:
            raise ConfigError("no folder is allowed", code="no-folder", hint="ralph mcp --allow FOLDER")
        for folder in folders:
            if not folder.is_dir():
                raise ConfigError(f"there is no folder {folder}", code="no-folder", hint="ralph mcp --allow FOLDER")
        self.folders = tuple(folder.resolve() for folder in folders)
        self.apart = tuple(folder.expanduser().resolve() for folder in apart)

    def find_document(self, named: str) -> Path:
        """Return the file or folder that a client names as a document. Raises UserError."""
        path = self._find(named)
        if any(path.is_relative_to(folder) for folder in self.apart):
            raise self._refusal(named, "holds ralph's own records, not documents")
        return path

    def find_table(self, named: str) -> Path:
        """Return the folder that a client names as a table. Raises UserError."""
        path = self._find(named, with_hidden=True)
        if not path.is_dir():
            raise self._refusal(named, "is no folder")
        return path

    def _find(self, named: str, *, with_hidden: bool = False) -> Path:
        """Return the real path, in an allowed folder, if no link in it leads out of them.

        Hidden files in a folder are no documents, but a table would read them.
        """
        inside = []
        for root in self.folders:  # an absolute path stays the same
            try:
                path = (root / named).resolve()
            except (OSError, ValueError, RuntimeError):  # no valid path, or a loop of links
                continue
            if self._is_inside(path):
                inside.append(path)
        if not named or not inside:
            raise self._refusal(named, "is not in an allowed folder")
        there = [path for path in inside if path.is_dir() or path.is_file()]
        if not there:
            raise self._refusal(named, "is not a file or folder")
        for folder, folders, files in os.walk(there[0]):
            seen = [name for name in (*folders, *files) if with_hidden or not is_hidden(PurePath(name))]
            folders[:] = [name for name in folders if name in seen]
            for link in (entry for name in seen if (entry := Path(folder, name)).is_symlink()):
                # Until Python 3.13, Path.resolve raises for a loop of links.
                if not self._is_inside(Path(os.path.realpath(link))):
                    raise self._refusal(named, f"holds a link that leads out of the allowed folders: {link.name}")
        return there[0]

    def _is_inside(self, path: Path) -> bool:
        return any(path.is_relative_to(root) and not is_hidden(path.relative_to(root)) for root in self.folders)

    def _refusal(self, named: str, why: str) -> UserError:
        hint = f"name a document in {' or '.join(one_line(str(folder)) for folder in self.folders)}"
        return UserError(f"{one_line(named, SHOWN) or 'an empty path'} {why}", code="refused-path", hint=hint)
