"""Files that stand in the text of a mail itself, uuencoded: POSIX.1-2017, uuencode, historical algorithm."""

import binascii

from ralph_cli.core.deferred import re

_BLOCK = re.compile(
    r"(?m)^begin [0-7]{3,4} ([^\n]{1,200})\n((?:[!-M`][!-`\x20]{0,84}\n)*)[`\x20]?\n?end[ \t]*(?:\n|\Z)"
)


def take_files(text: str) -> tuple[str, list[tuple[str, bytes]]]:
    """The text without the files in it, and their names and contents; what cannot be decoded is left in it."""
    files: list[tuple[str, bytes]] = []

    def take(block: re.Match[str]) -> str:
        try:
            content = b"".join(binascii.a2b_uu(line) for line in block[2].encode("ascii").split(b"\n") if line)
        except binascii.Error:
            return block[0]
        files.append((block[1].strip(), content))
        return ""

    return _BLOCK.sub(take, text) if "\nend" in text else text, files
