"""Marks that an author of a document cannot foresee, and that a resumed run can make again."""

import hashlib
import itertools
import threading


class Nonces:
    """Nonces of one run: each is fresh within it, and all follow from a random seed that the journal keeps.

    A resumed run must send the very requests that were recorded, so chance may enter a run only once. Of a seed with a
    dash only the part before it counts: runs that share it have the same nonces, and begin their prompts alike.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed.partition("-")[0]
        self._count = itertools.count(1)
        self._lock = threading.Lock()

    def __call__(self) -> str:
        """The next nonce, 12 hex digits."""
        with self._lock:
            number = next(self._count)
        return hashlib.sha256(f"{self._seed}:{number}".encode()).hexdigest()[:12]
