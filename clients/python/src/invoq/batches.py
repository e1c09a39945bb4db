"""Batches, for both clients."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing, closing
from typing import Any, AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence, cast
from urllib.parse import quote, urlencode

from . import exchange
from .errors import InvoqError
from .wire import Batch, BatchLine, BatchPage, NewBatchCall, ReplaySelection

# Requests in a row that bring no result because the gateway is away.
_MOST_LOST = 20
_LOST_S = 0.5
_MOST_PAUSE_S = 10.0


class Batches:
    """Many calls that are given together, and made by the gateway some at a time."""

    def __init__(
        self,
        get: Callable[..., dict[str, Any]],
        send: Callable[..., dict[str, Any]],
        lines: Callable[[str], Generator[dict[str, Any], None, None]],
    ) -> None:
        self._get = get
        self._send = send
        self._lines = lines

    def create(self, calls: Sequence[NewBatchCall], *, rate_per_s: float | None = None, idempotency_key: str | None = None) -> str:
        """Has up to 10,000 calls made. Gives the id of the batch. rate_per_s: calls that begin in a second at the most."""
        headers = exchange.headers_of(idempotency_key=idempotency_key)
        return cast(str, self._send("POST", "batches", body=_body(calls, rate_per_s), headers=headers)["batch_id"])

    def replay(self, selection: ReplaySelection | Mapping[str, Any], *, rate_per_s: float | None = None) -> str:
        """Tries failed calls again, each as a replay that names its origin. Gives the id of the batch."""
        return cast(str, self._send("POST", "batches", body=_replay(selection, rate_per_s))["batch_id"])

    def count_replays(self, selection: ReplaySelection | Mapping[str, Any]) -> int:
        """How many calls `replay` would try again."""
        return cast(int, self._send("POST", "batches?dry_run=true", body=_replay(selection, None))["count"])

    def list(self, *, state: str | None = None, cursor: str | None = None, limit: int | None = None) -> BatchPage:
        """A page of the caller's own, the newest first."""
        return _page_of(self._get(_listed(state=state, cursor=cursor, limit=limit)))

    def get(self, batch_id: str) -> Batch:
        return cast(Batch, self._get(_path(batch_id)))

    def cancel(self, batch_id: str) -> Batch:
        """Cancels the calls that have not ended. Raises CONFLICT when all have."""
        return cast(Batch, self._send("DELETE", _path(batch_id)))

    def results(self, batch_id: str, *, after: int = -1) -> Generator[BatchLine, None, None]:
        """The results in the order of the calls, each when it is there, to the last.

        A gateway that is away for a while is waited for. after: the index of the last result that was read.
        """
        reading = _Reading(batch_id, after, self.get(batch_id)["total"])
        while not reading.is_over:
            try:
                with closing(self._lines(reading.path)) as lines:
                    for line in lines:
                        yield reading.saw(line)
            except InvoqError as error:
                time.sleep(reading.wait_after(error))


class AsyncBatches:
    """Many calls that are given together, and made by the gateway some at a time, for asyncio."""

    def __init__(
        self,
        get: Callable[..., Awaitable[dict[str, Any]]],
        send: Callable[..., Awaitable[dict[str, Any]]],
        lines: Callable[[str], AsyncGenerator[dict[str, Any], None]],
    ) -> None:
        self._get = get
        self._send = send
        self._lines = lines

    async def create(
        self, calls: Sequence[NewBatchCall], *, rate_per_s: float | None = None, idempotency_key: str | None = None
    ) -> str:
        """Has up to 10,000 calls made. Gives the id of the batch. rate_per_s: calls that begin in a second at the most."""
        headers = exchange.headers_of(idempotency_key=idempotency_key)
        return cast(str, (await self._send("POST", "batches", body=_body(calls, rate_per_s), headers=headers))["batch_id"])

    async def replay(self, selection: ReplaySelection | Mapping[str, Any], *, rate_per_s: float | None = None) -> str:
        """Tries failed calls again, each as a replay that names its origin. Gives the id of the batch."""
        return cast(str, (await self._send("POST", "batches", body=_replay(selection, rate_per_s)))["batch_id"])

    async def count_replays(self, selection: ReplaySelection | Mapping[str, Any]) -> int:
        """How many calls `replay` would try again."""
        return cast(int, (await self._send("POST", "batches?dry_run=true", body=_replay(selection, None)))["count"])

    async def list(self, *, state: str | None = None, cursor: str | None = None, limit: int | None = None) -> BatchPage:
        """A page of the caller's own, the newest first."""
        return _page_of(await self._get(_listed(state=state, cursor=cursor, limit=limit)))

    async def get(self, batch_id: str) -> Batch:
        return cast(Batch, await self._get(_path(batch_id)))

    async def cancel(self, batch_id: str) -> Batch:
        """Cancels the calls that have not ended. Raises CONFLICT when all have."""
        return cast(Batch, await self._send("DELETE", _path(batch_id)))

    async def results(self, batch_id: str, *, after: int = -1) -> AsyncGenerator[BatchLine, None]:
        """The results in the order of the calls, each when it is there, to the last.

        A gateway that is away for a while is waited for. after: the index of the last result that was read.
        """
        reading = _Reading(batch_id, after, (await self.get(batch_id))["total"])
        while not reading.is_over:
            try:
                async with aclosing(self._lines(reading.path)) as lines:
                    async for line in lines:
                        yield reading.saw(line)
            except InvoqError as error:
                await asyncio.sleep(reading.wait_after(error))


class _Reading:
    """Where one reads the results of a batch."""

    def __init__(self, batch_id: str, after: int, total: int) -> None:
        self._batch_id, self._last, self._total, self._lost = batch_id, after, total, 0

    @property
    def is_over(self) -> bool:
        return self._last >= self._total - 1

    @property
    def path(self) -> str:
        return f"{_path(self._batch_id)}/results?" + urlencode({"after": self._last, "wait": exchange.POLL_S})

    def saw(self, line: dict[str, Any]) -> BatchLine:
        self._last, self._lost = line["index"], 0
        return cast(BatchLine, line)

    def wait_after(self, error: InvoqError) -> float:
        """Seconds until the next request. Raises the error where there must be none."""
        self._lost += 1
        if not error.retryable or self._lost >= _MOST_LOST:
            raise error
        return max((error.retry_after_ms or 0.0) / 1_000, min(_MOST_PAUSE_S, _LOST_S * self._lost))


def _path(batch_id: str) -> str:
    return f"batches/{quote(batch_id, safe='')}"


def _listed(**given: str | int | None) -> str:
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return f"batches?{query}" if query else "batches"


def _body(calls: Sequence[NewBatchCall], rate_per_s: float | None) -> dict[str, Any]:
    return {"calls": [dict(call) for call in calls], **({} if rate_per_s is None else {"rate_per_s": rate_per_s})}


def _replay(selection: ReplaySelection | Mapping[str, Any], rate_per_s: float | None) -> dict[str, Any]:
    return {"replay": dict(selection), **({} if rate_per_s is None else {"rate_per_s": rate_per_s})}


def _page_of(answer: dict[str, Any]) -> BatchPage:
    return BatchPage(batches=answer["batches"], next_cursor=answer["pagination"]["next_cursor"])
