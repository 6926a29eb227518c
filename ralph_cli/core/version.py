"""The version of ralph."""

__version__ = "0.1.0"
