"""A service on the loopback for each test, and nothing of this machine's own clouds."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cloud_services import CloudService


@pytest.fixture
def cloud() -> Iterator[CloudService]:
    service = CloudService()
    yield service
    service.close()


@pytest.fixture(autouse=True)
def _nobody_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The SDKs find no keys, files or machines of their own, and whatever they find in the environment is wrong."""
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "CLOUDSDK_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Gateway: from-the-environment")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")
