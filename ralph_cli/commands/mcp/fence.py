"""Which files a client may name: those in the folders that a person has allowed, wherever a path seems to lead."""

import os
from collections.abc import Sequence
from pathlib import Path, PurePath

from ralph_cli.core.errors import ConfigError, UserError
from ralph_cli.documents.sets.finding import is_hidden
from ralph_cli.reports.safe_text import one_line

SHOWN = 120
"""Characters of a client's path that are repeated to it."""


class Fence:
    """The folders that were allowed, but for what is hidden in them and for those `apart`, which hold ralph's own.

    A path is what the system makes of it once every link and `..` in it is followed, and nothing else: no home folder,
    no address and no escape is read into it. What is refused is refused in the same words whether it is there or not.
    """

    def __init__(self, folders: Sequence[Path], apart: Sequence[Path] = ()) -> None:
        if not folders:
            what = "no folder is allowed, so a client could read nothing"
            raise ConfigError(what, code="no-folder", hint="ralph mcp --allow FOLDER")
        for folder in folders:
            if not folder.is_dir():
                what = f"{folder} is not a folder that is there"
                raise ConfigError(what, code="no-folder", hint="ralph mcp --allow FOLDER")
        self.folders = tuple(folder.resolve() for folder in folders)
        self.apart = tuple(folder.expanduser().resolve() for folder in apart)

    def find_document(self, named: str) -> Path:
        """The file or folder that a client names as a document. Raises UserError."""
        path = self._find(named)
        if any(path.is_relative_to(folder) for folder in self.apart):
            raise self._refusal(named, "holds ralph's own records, which are no documents")
        return path

    def find_table(self, named: str) -> Path:
        """The folder that a client names as a table. Raises UserError."""
        path = self._find(named, with_hidden=True)
        if not path.is_dir():
            raise self._refusal(named, "is no folder")
        return path

    def _find(self, named: str, *, with_hidden: bool = False) -> Path:
        """The real path, in an allowed folder; no link in it leads out of them. What is hidden in a folder is no
        document, but a table would read it.
        """
        inside = []
        for root in self.folders:  # an absolute path is the same under each
            try:
                path = (root / named).resolve()
            except (OSError, ValueError, RuntimeError):  # no path at all, or links in a circle
                continue
            if self._is_inside(path):
                inside.append(path)
        if not named or not inside:
            raise self._refusal(named, "is not in an allowed folder")
        there = [path for path in inside if path.is_dir() or path.is_file()]
        if not there:
            raise self._refusal(named, "is no file or folder that is there")
        for folder, folders, files in os.walk(there[0]):
            seen = [name for name in (*folders, *files) if with_hidden or not is_hidden(PurePath(name))]
            folders[:] = [name for name in folders if name in seen]
            for link in (entry for name in seen if (entry := Path(folder, name)).is_symlink()):
                # Path.resolve raises for links in a circle, until Python 3.13.
                if not self._is_inside(Path(os.path.realpath(link))):
                    raise self._refusal(named, f"holds a link that leads out of what is allowed: {link.name}")
        return there[0]

    def _is_inside(self, path: Path) -> bool:
        return any(path.is_relative_to(root) and not is_hidden(path.relative_to(root)) for root in self.folders)

    def _refusal(self, named: str, why: str) -> UserError:
        hint = f"name a document in {' or '.join(one_line(str(folder)) for folder in self.folders)}"
        return UserError(f"{one_line(named, SHOWN) or 'an empty path'} {why}", code="refused-path", hint=hint)
