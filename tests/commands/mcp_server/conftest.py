"""A folder that clients may read, a secret beside it, and a server whose models are scripted."""

from pathlib import Path
from typing import Any

import pytest
from fakes import FakeSandbox
from mcp_clients import LEASE, SECRET, MakeFront, models

from ralph_cli.commands.mcp.fence import Fence
from ralph_cli.commands.mcp.server import Front
from ralph_cli.commands.mcp.tools import Toolbox
from ralph_cli.config import Settings
from ralph_cli.core.model import Model


@pytest.fixture
def deal(tmp_path: Path) -> Path:
    """The folder that is allowed."""
    folder = tmp_path / "deal"
    (folder / "inner").mkdir(parents=True)
    (folder / "lease.txt").write_text(LEASE)
    (folder / "inner" / "note.txt").write_text("The note says that the roof is new.\n")
    (tmp_path / "secret.txt").write_text(SECRET)
    return folder


@pytest.fixture
def make_front(deal: Path, tmp_path: Path) -> MakeFront:
    """Makes servers for that folder; settings are given by name."""

    def make(given: dict[str, Model] | None = None, **more: Any) -> Front:
        settings = Settings(
            **{"out": tmp_path / "out", "cache": tmp_path / "cache", "max_iterations": 1, "retry": "fresh", **more}
        )
        fence = Fence([deal], apart=(settings.out, settings.cache))
        return Front(Toolbox(settings, fence, models=given or models(), engine=FakeSandbox))

    return make
