"""The events for an open page: first the lists, the matrix or the run, and then their changes."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool

from ralph_cli.core import clock
from ralph_cli.core.errors import RalphError
from ralph_cli.reports.view import RUNNING
from ralph_cli.table.record import TableRecord
from ralph_cli.view.catalog import Catalog, LastUsed, RunAddress, State
from ralph_cli.view.summaries import Values, describe_shape, fail_run, summarize_row, summarize_run, summarize_table

# Seconds between two looks for changes, at least.
SECONDS_BETWEEN_LOOKS = 0.7

# A pause lasts this many times as long as the look before it, so a large folder uses no more CPU than a small one.
IDLE_SHARE = 10

# Seconds of reading after which an event is sent.
SECONDS_TOLD = 0.2

# Values of one event, at most: a browser is blocked while it takes them in.
MOST_TOLD = 50

# Lines of lists and rows of tables that are kept, so that a page which is opened again reads no record.
MOST_KEPT = 20_000

Told = AsyncIterator[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class _Item:
    """A part of a page: its key, the state of its records, and the function that reads them."""

    key: Hashable
    state: object
    read: Callable[[], Values]


class Follower:
    """Yields for each open page what is new to it, as kinds and values of events."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._kept = LastUsed[Hashable, tuple[object, Values]](MOST_KEPT)
        self._has_ended = False

    def end(self) -> None:
        """End the events of all pages."""
        self._has_ended = True

    async def follow_lists(self) -> Told:
        """Yield all runs, newest first, and all tables."""
        known: dict[Hashable, object] = {}
        tables: list[Values] = []
        while not self._has_ended:
            begun = clock.monotonic()
            items = await run_in_threadpool(self._list_items)
            for gone in known.keys() - {item.key for item in items}:
                assert isinstance(gone, RunAddress)
                yield "gone", gone.path
            async for values in self._tell(items, known):
                yield "runs", values
            now = await run_in_threadpool(self._summarize_tables)
            if now != tables:
                yield "tables", now
                tables = now
            yield "read", len(known)
            await self._pause(clock.monotonic() - begun)

    async def follow_cells(self, name: str) -> Told:
        """Yield the cells of a table by row, and its "shape": a hash of its questions and documents.

        Raises RalphError if the table cannot be read.
        """
        known: dict[Hashable, object] = {}
        shape = ""
        while record := await run_in_threadpool(self._catalog.open_table, name):
            if self._has_ended:
                return
            begun = clock.monotonic()
            if describe_shape(record) != shape:
                shape = describe_shape(record)
                yield "shape", shape
            async for values in self._tell(await run_in_threadpool(self._row_items, name, record), known):
                yield "rows", values
            yield "read", len(known)
            await self._pause(clock.monotonic() - begun)
        yield "gone", name

    async def follow_run(self, address: RunAddress) -> Told:
        """Yield the state of a run, and whether it is running, now and after each change."""
        known: State = ()
        while state := await run_in_threadpool(self._catalog.state_of, address):
            if state != known:
                run = await run_in_threadpool(self._catalog.read, address)
                yield "state", {"running": bool(run and run.view.halt == RUNNING), "state": describe_state(state)}
            known = state
            await self._pause()
            if self._has_ended:
                return
        yield "gone", address.run

    async def _tell(self, items: Iterable[_Item], known: dict[Hashable, object]) -> AsyncIterator[list[Values]]:
        """Yield the values of items whose states differ from the `known` ones, in parts; then update `known`."""
        items = list(items)
        changed = deque(item for item in items if known.get(item.key) != item.state)
        while changed and not self._has_ended:
            yield await run_in_threadpool(self._read_some, changed)
        known.clear()
        known.update((item.key, item.state) for item in items)

    async def _pause(self, looked: float = 0.0) -> None:
        """Wait after a look that took this many seconds."""
        until = clock.monotonic() + max(SECONDS_BETWEEN_LOOKS, IDLE_SHARE * looked)
        while not self._has_ended and (left := until - clock.monotonic()) > 0:
            await asyncio.sleep(min(left, SECONDS_TOLD))

    def _read_some(self, items: deque[_Item]) -> list[Values]:
        """Remove the first items and return their values."""
        begun = clock.monotonic()
        found: list[Values] = []
        while items and len(found) < MOST_TOLD and clock.monotonic() - begun < SECONDS_TOLD:
            item = items.popleft()
            state, values = self._kept.get(item.key) or (None, {})
            if state != item.state:
                values = self._kept.keep(item.key, (item.state, item.read()))[1]
            found.append(values)
        return found

    def _list_items(self) -> list[_Item]:
        def reader(address: RunAddress) -> Callable[[], Values]:
            return lambda: self._summarize(address)

        states = self._catalog.list_runs()
        return [_Item(address, state, reader(address)) for address, state in reversed(states.items())]

    def _row_items(self, name: str, record: TableRecord) -> list[_Item]:
        def reader(number: int, runs: dict[str, State]) -> Callable[[], Values]:
            return lambda: {"row": number, "cells": summarize_row(name, record, record.rows[number], runs)}

        states = self._catalog.list_cells(record)
        items = []
        for number, row in enumerate(record.rows):
            runs = states.get(record.runs_of(row.sha256).name, {}) if row.sha256 else {}
            items.append(_Item((name, number), (record.questions, row, runs), reader(number, runs)))
        return items

    def _summarize(self, address: RunAddress) -> Values:
        try:
            run = self._catalog.read(address)
        except RalphError as error:
            return fail_run(address, error.message)
        return summarize_run(address, run) if run else fail_run(address, "it is gone")

    def _summarize_tables(self) -> list[Values]:
        return [summarize_table(name, self._catalog) for name in self._catalog.tables()]


def describe_state(state: State) -> str:
    """Return the state of a run as text for a page."""
    return "-".join(f"{time:x}.{size:x}" for time, size in state)
