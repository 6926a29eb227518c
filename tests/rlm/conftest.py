"""The fixtures of the sandbox, for what runs in one."""

from baits import cache, opener, shared

__all__ = ["cache", "opener", "shared"]
