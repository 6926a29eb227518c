"""The store at an address that speaks S3: a server of moto on the loopback."""

from collections.abc import Iterator

import pytest

from ralph_cli.cluster.store import open_store
from ralph_cli.core.errors import JournalError


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of an empty bucket."""
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    yield "s3://bucket/ralph"
    server.stop()


@pytest.mark.full
@pytest.mark.filterwarnings("default")
def test_an_object_store_keeps_files_by_hash_and_gives_no_others(bucket: str) -> None:
    store, other = open_store(bucket), open_store(bucket)
    kept = {data: store.put("documents", data) for data in (b"the contract", b"", bytes(range(256)) * 40_000)}
    assert all(other.get("documents", sha256) == data for data, sha256 in kept.items())
    assert store.put("documents", b"the contract") == kept[b"the contract"]
    with pytest.raises(JournalError, match="is not in the store"):
        other.get("bundles", kept[b"the contract"])
    name = f"bucket/ralph/documents/{kept[b'']:.2}/{kept[b'']}"
    store._files.filesystem.pipe_file(name, b"another one!")  # type: ignore[attr-defined]
    with pytest.raises(JournalError, match="not what its name says"):
        other.get("documents", kept[b""])
