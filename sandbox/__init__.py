"""Runs untrusted Python snippets on one document, in a process that can reach nothing else."""

from sandbox.engines import open_sandbox as open_sandbox
from sandbox.interface import Answer as Answer
from sandbox.interface import HostQuery as HostQuery
from sandbox.interface import Protections as Protections
from sandbox.interface import QueryFailure as QueryFailure
from sandbox.interface import ResourceLimits as ResourceLimits
from sandbox.interface import Result as Result
from sandbox.interface import Sandbox as Sandbox
from sandbox.interface import SandboxFailure as SandboxFailure
from sandbox.interface import SandboxUnavailable as SandboxUnavailable
from sandbox.interface import missing_walls as missing_walls
from sandbox.interface import refuse_to_delegate as refuse_to_delegate
