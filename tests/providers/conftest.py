"""One fault server for all tests of this folder, and adapters that point at it."""

from collections.abc import Iterator

import pytest
from fault_server import FAULTS, FaultServer
from provider_wires import WIRES, opened

from ralph_cli.commands.app import SDK_PACKAGES
from ralph_cli.core.deferred.packages import defer_reexports

defer_reexports(*SDK_PACKAGES)  # the SDKs are asked here as the command line imports them


@pytest.fixture(scope="session")
def server() -> Iterator[FaultServer]:
    running = FaultServer({name: act for name, (act, _) in FAULTS.items()})
    yield running
    running.close()


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close the connections of every adapter a test made."""
    yield
    while opened:
        opened.pop().close()


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> str:
    return str(request.param)
