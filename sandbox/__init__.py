"""Runs untrusted Python snippets over one document, in a process that can reach nothing else."""

from sandbox.engines import open_sandbox
from sandbox.interface import (
    Answer,
    HostQuery,
    Protections,
    QueryFailure,
    ResourceLimits,
    Result,
    Sandbox,
    SandboxFailure,
    SandboxUnavailable,
)

__all__ = [
    "Answer",
    "HostQuery",
    "Protections",
    "QueryFailure",
    "ResourceLimits",
    "Result",
    "Sandbox",
    "SandboxFailure",
    "SandboxUnavailable",
    "open_sandbox",
]
