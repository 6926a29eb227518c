"""Typical snippets run on each engine as they would in a notebook."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import snippets
from baits import answers

from sandbox import Sandbox


@pytest.mark.parametrize("engine", ["pyodide", "native"])
def test_typical_snippets_run(engine: str, shared: Callable[..., Sandbox]) -> None:
    sandbox = shared(engine)
    sandbox.load(snippets.DOCUMENT, [(1, "i", 0, 400), (2, "1", 401, 800)])
    failed = {}
    for code in snippets.SNIPPETS:
        result = sandbox.run(code, answers)
        if result.error is not None or not result.stdout:
            failed[code] = result.error
    assert len(snippets.SNIPPETS) == 33
    assert len(failed) <= 2, failed
    assert all("No module named" in str(error) for error in failed.values()), failed
