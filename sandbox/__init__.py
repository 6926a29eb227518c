"""Runs untrusted Python snippets over one document, in a process that can reach nothing else."""

from sandbox.engines import open_sandbox
from sandbox.interface import (
    Answer,
    HostQuery,
    Limits,
    QueryFailure,
    Result,
    Sandbox,
    SandboxFailure,
    SandboxUnavailable,
    Walls,
)

__all__ = [
    "Answer",
    "HostQuery",
    "Limits",
    "QueryFailure",
    "Result",
    "Sandbox",
    "SandboxFailure",
    "SandboxUnavailable",
    "Walls",
    "open_sandbox",
]
