"""The fixtures of the sandbox tests."""

from baits import bait, cache, opener, shared

__all__ = ["bait", "cache", "opener", "shared"]
