"""The frames in which a parser process answers: kind, length, payload."""

import struct
from typing import IO

PROGRESS = b"P"
RESULT = b"R"
FAILURE = b"E"
EXIT_MEMORY = 77
"""Exit status of a parser process that ran out of memory."""

_HEADER = struct.Struct(">cQ")
_PROGRESS = struct.Struct(">II")


def encode_frame(kind: bytes, payload: bytes) -> bytes:
    """One frame as bytes."""
    return _HEADER.pack(kind, len(payload)) + payload


def encode_progress(done: int, total: int) -> bytes:
    """A frame that says: `done` of `total` pages."""
    return encode_frame(PROGRESS, _PROGRESS.pack(done, total))


def read_progress(payload: bytes) -> tuple[int, int]:
    """Pages done and in all; ValueError if the payload is not that."""
    try:
        done, total = _PROGRESS.unpack(payload)
    except struct.error as error:
        raise ValueError("malformed progress") from error
    return done, total


def read_frame(pipe: IO[bytes], max_bytes: int) -> tuple[bytes, bytes] | None:
    """The next frame, or None when the stream ends, be it inside a frame.

    ValueError for an unknown kind or a payload of more than `max_bytes` bytes.
    """
    header = pipe.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    kind, length = _HEADER.unpack(header)
    if kind not in (PROGRESS, RESULT, FAILURE) or length > max_bytes:
        raise ValueError("unknown or oversized frame")
    payload = pipe.read(length)
    return (kind, payload) if len(payload) == length else None
