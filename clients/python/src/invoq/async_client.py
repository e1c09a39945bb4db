from __future__ import annotations

import asyncio
import inspect
from contextlib import aclosing, suppress
from types import TracebackType
from typing import Any, AsyncGenerator, AsyncIterator, Awaitable, Callable, Literal, Mapping, Sequence, TypeVar, cast
from urllib.parse import urlencode
from weakref import WeakSet

import httpx

from . import exchange
from .errors import InvoqError, connection_lost
from .retrying import retrying_async
from .batches import AsyncBatches
from .input_requests import AsyncInputRequests
from .budgets import AsyncBudgets
from .toolsets import AsyncToolsets
from .flows import AsyncFlows
from .outside_servers import AsyncOutsideServers
from .pauses import AsyncPauses
from .accounts import AsyncConnections, AsyncProviders
from .policies import AsyncPolicies
from .schedules import AsyncSchedules
from .webhooks import AsyncWebhooks
from .sse import Frame, read_frames_async
from .wire import (
    BatchCall,
    BatchResult,
    CallSumsFilter,
    CallSumsPage,
    CancelledCalls,
    Envelope,
    ErrorsFilter,
    ErrorsPage,
    Event,
    Job,
    JobPage,
    OpenFilter,
    Progress,
    Result,
    ResultPart,
    Started,
    Trace,
)


T = TypeVar("T")
OnProgress = Callable[[Progress], "Awaitable[None] | None"]


class AsyncInvoq:
    """`Invoq` for asyncio: the same methods, awaited. It belongs to one event loop.

    Cancelling the task that waits for `call`, or reads the events of `stream`, cancels the call.

    url: address of the gateway, such as `http://127.0.0.1:3000`; it may have a path.
    key: API key or JWT.
    retries: tries after the first of what was refused before it ran, or was lost and may be sent again.
    timeout: seconds that a call may take in all; the gateway itself gives up at the tool's own deadline.
    """

    def __init__(self, url: str, *, key: str | None = None, retries: int = 2, timeout: float = 600.0) -> None:
        self._url = url.rstrip("/")
        self._retries = retries
        self._open: WeakSet[AsyncGenerator[Event, None]] = WeakSet()
        self._http = httpx.AsyncClient(**exchange.http_options(url, key, timeout))
        self.batches = AsyncBatches(self._get, self._json, self._lines)
        """Many calls that are given together."""
        self.input_requests = AsyncInputRequests(self._get, self._json)
        """What people are asked while calls rest."""
        self.budgets = AsyncBudgets(self._get, self._json)
        """What calls of the tenant may cost."""
        self.outside_servers = AsyncOutsideServers(self._get, self._json)
        """Servers whose tools the tenant has."""
        self.toolsets = AsyncToolsets(self._get, self._json)
        """Named sets of tools, for agents of the tenant."""
        self.flows = AsyncFlows(self._get, self._json)
        """Calls that wait for each other in lines by a key."""
        self.pauses = AsyncPauses(self._get, self._json)
        """Calls that wait, or are refused, until somebody ends it."""
        self.policies = AsyncPolicies(self._get, self._json)
        """Rules of the tenant for the calls of its callers."""
        self.providers = AsyncProviders(self._get, self._json)
        """At whom users have accounts."""
        self.connections = AsyncConnections(self._get, self._json)
        """Accounts that tools act with."""
        self.schedules = AsyncSchedules(self._get, self._json)
        """Calls that are made again and again."""
        self.webhooks = AsyncWebhooks(self._get, self._json)
        """Addresses that are told what becomes of calls."""

    async def close(self) -> None:
        """Ends the connections. A call whose events are still being read is cancelled."""
        for events in list(self._open):
            with suppress(RuntimeError):  # another task is reading it
                await events.aclose()
        await self._http.aclose()

    async def __aenter__(self) -> AsyncInvoq:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def call(
        self,
        name: str,
        input: Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        session_id: str | None = None,
        user_id: str | None = None,
        version: str | None = None,
        options: Mapping[str, Any] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Result:
        """Calls a tool and waits for its result; with `on_progress` the call is read as a stream.

        What `on_progress` raises, and cancelling the task, cancels the call. `on_progress` may be a coroutine function.

        idempotency_key: a second sending with the same key is the same call, for tools that change something.
        user_id: act for this user; needs a key with the scope act-as.
        version: a range, such as `^2.0.0`. options: of the gateway, such as `{"enable_cache": False}`.
        """
        headers = exchange.headers_of(idempotency_key=idempotency_key, session_id=session_id, user_id=user_id)

        async def once() -> Envelope:
            # Closing the connection cancels a plain call. One with a key may be asked for again, so it is cancelled by its id, which a
            # stream tells.
            if on_progress is None and idempotency_key is None:
                answer = await self._json("POST", exchange.call_path(name, version, options), body=dict(input or {}), headers=headers)
                if "job_id" not in answer:
                    return cast(Envelope, answer)
                # It has gone to rest, and ends later.
                return await self._end_of(answer["job_id"], headers)
            path = exchange.call_path(name, version, options, "/sse")
            async with aclosing(self._own_events(path, dict(input or {}), headers)) as events:
                return await _last_envelope(events, on_progress)

        return exchange.result_of(await self._retrying(once, is_repeatable=idempotency_key is not None))

    def stream(
        self,
        name: str,
        input: Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        session_id: str | None = None,
        user_id: str | None = None,
        version: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Calls a tool and gives its events, the last of which has the envelope. Cut connections are taken up again.

        Who leaves the events before the last one cancels the call: by `aclose()`, by cancelling the task that reads them, or by leaving the
        loop that has them, then once the events are collected; `contextlib.aclosing` does it at once. A call that goes on by itself is `start` and `job_events`.
        """
        headers = exchange.headers_of(idempotency_key=idempotency_key, session_id=session_id, user_id=user_id)
        events = self._own_events(exchange.call_path(name, version, options, "/sse"), dict(input or {}), headers)
        self._open.add(events)
        return events

    async def start(
        self,
        name: str,
        input: Mapping[str, Any] | None = None,
        *,
        idempotency_key: str | None = None,
        session_id: str | None = None,
        user_id: str | None = None,
        version: str | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Started:
        """Calls a tool without waiting: the job goes on by itself. An answer from the cache has a result and no job."""
        headers = {**exchange.headers_of(idempotency_key=idempotency_key, session_id=session_id, user_id=user_id), "prefer": "respond-async"}
        path = exchange.call_path(name, version, options)
        work = lambda: self._json("POST", path, body=dict(input or {}), headers=headers)  # noqa: E731
        return exchange.started_of(await self._retrying(work, is_repeatable=idempotency_key is not None))

    async def batch(self, calls: Sequence[BatchCall], *, user_id: str | None = None) -> list[BatchResult]:
        """Up to 50 calls at once; one that fails does not stop the others. Results are in the order of the calls."""
        body = {"calls": [dict(call) for call in calls]}
        work = lambda: self._json("POST", "tools/batch", body=body, headers=exchange.headers_of(user_id=user_id))  # noqa: E731
        return cast("list[BatchResult]", (await self._retrying(work, is_repeatable=False))["results"])

    async def wait(self, job_id: str, *, on_progress: OnProgress | None = None) -> Result:
        """Waits until a job ends. Raises its error when it failed or was cancelled."""
        if on_progress is not None:
            async with aclosing(self._follow("GET", f"{exchange.job_path(job_id)}/events")) as events:
                return exchange.result_of(await _last_envelope(events, on_progress))
        return exchange.result_of(await self._end_of(job_id))

    async def _end_of(self, job_id: str, headers: Mapping[str, str] | None = None) -> Envelope:
        path = f"{exchange.job_path(job_id)}?wait={exchange.POLL_S}"
        while True:
            job = await self._retrying(lambda: self._json("GET", path, headers=headers), is_repeatable=True)
            if job["result"] is not None:
                return cast(Envelope, job["result"])

    def job_events(self, job_id: str, *, after: str | None = None) -> AsyncGenerator[Event, None]:
        """The events of a job from its first, or those after an event that is known."""
        return self._follow("GET", f"{exchange.job_path(job_id)}/events", after=after)

    async def job(self, job_id: str) -> Job:
        return cast(Job, await self._get(exchange.job_path(job_id)))

    async def result(self, result_id: str, *, offset: int = 0, limit: int | None = None) -> ResultPart:
        """A part of the JSON of a result, for a model that was given the beginning.

        result_id: that of what was cut: the id of the job, or `result_id` of the metadata. offset: 0, then `next_offset` of the part before.
        """
        return cast(ResultPart, await self._get(exchange.result_path(result_id, offset, limit)))

    async def jobs(
        self,
        *,
        state: str | None = None,
        tool: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> JobPage:
        """A page of the caller's own jobs, the newest first. limit: 1–100, default 20."""
        return exchange.job_page_of(await self._get(exchange.jobs_path(state=state, tool=tool, limit=limit, cursor=cursor)))

    async def cancel(self, job_id: str) -> None:
        """Raises CONFLICT when the job has ended already."""
        await self._json("DELETE", exchange.job_path(job_id))

    async def cancel_all(self, filter: OpenFilter | None = None) -> int:
        """Cancels all of the caller's own calls that have not ended and meet each filter. Gives how many."""
        cancelled, rest = 0, cast(dict[str, Any], filter or {})
        while True:
            done = cast(CancelledCalls, await self._json("POST", "jobs/cancel", body=rest))
            cancelled += done["cancelled"]
            if done["next_to"] is None:
                return cancelled
            rest = {**rest, "to": done["next_to"]}

    async def count_open(self, filter: OpenFilter | None = None) -> int:
        """How many calls `cancel_all` would cancel. Of more than 20,000 only the newest are counted."""
        return cast(int, (await self._json("POST", "jobs/cancel?dry_run=true", body=cast(dict[str, Any], filter or {})))["count"])

    async def tools(self, *, domain: str | None = None) -> list[dict[str, Any]]:
        """The definitions of the tools."""
        return cast("list[dict[str, Any]]", (await self._get(exchange.tools_path(domain)))["tools"])

    async def tool(self, name: str, *, version: str | None = None) -> dict[str, Any]:
        return await self._get(exchange.tool_path(name, version))

    async def trace(self, trace_id: str) -> Trace:
        """The spans of one call."""
        return cast(Trace, await self._get(exchange.trace_path(trace_id)))

    async def errors(self, filter: ErrorsFilter | None = None) -> ErrorsPage:
        """A page of the kinds of error in a time, the most frequent first. The key needs the scope `tenant:admin`."""
        return cast(ErrorsPage, await self._get(f"errors?{urlencode(filter or {})}"))

    async def call_sums(self, filter: CallSumsFilter | None = None) -> CallSumsPage:
        """A page of the sums of calls that have ended, with their costs."""
        answer = await self._get(f"usage/calls?{urlencode(filter or {})}")
        return CallSumsPage(sums=answer["sums"], next_cursor=answer["pagination"]["next_cursor"])

    async def _get(self, path: str) -> dict[str, Any]:
        """Reading may be repeated whenever an answer was lost."""
        return await self._retrying(lambda: self._json("GET", path), is_repeatable=True)

    async def _retrying(self, work: Callable[[], Awaitable[T]], *, is_repeatable: bool) -> T:
        return await retrying_async(work, times=self._retries, is_repeatable=is_repeatable)

    async def _json(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        try:
            response = await self._http.request(method, path, json=body, headers=headers)
        except httpx.TransportError as cause:
            raise connection_lost(cause, self._url) from cause
        return exchange.body_of(response)

    async def _lines(self, path: str) -> AsyncGenerator[dict[str, Any], None]:
        """The JSON of each line of an answer, as it comes."""
        try:
            async with self._http.stream("GET", path, timeout=exchange.STREAM_TIMEOUT) as response:
                if not response.is_success:
                    raise exchange.stream_refusal(response.status_code, response.headers, await response.aread())
                async for line in response.aiter_lines():
                    if line.strip():
                        yield exchange.line_of(line)
        except httpx.TransportError as cause:
            raise connection_lost(cause, self._url) from cause

    async def _own_events(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> AsyncGenerator[Event, None]:
        """The events of a call that is made here. A connection that breaks leaves nothing: the job goes on."""
        left = exchange.LeftCall(headers)
        try:
            async with aclosing(self._follow("POST", path, body=body, headers=headers)) as events:
                async for event in events:
                    left.saw(event)
                    yield event
        except Exception:
            raise
        except BaseException:
            # GeneratorExit, CancelledError and their like: whoever called is leaving.
            if left.job_id is not None:
                await self._cancel_left(left, headers)
            raise

    async def _cancel_left(self, left: exchange.LeftCall, headers: Mapping[str, str]) -> None:
        """Raises InvoqError when the gateway could not be told: the job may go on then."""
        try:
            await retrying_async(lambda: self._json("DELETE", left.path, headers=headers), times=2, is_repeatable=True)
        except InvoqError as error:
            if fault := left.fault_of(error):
                raise fault from error

    async def _follow(
        self,
        method: Literal["GET", "POST"],
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        after: str | None = None,
    ) -> AsyncGenerator[Event, None]:
        following = exchange.Following(method, after)
        while True:
            try:
                async with aclosing(self._frames(method, path, body, {**(headers or {}), **following.headers})) as frames:
                    async for frame in frames:
                        event = following.event_of(frame)
                        if event is None:
                            continue
                        yield event
                        if event.event in exchange.LAST_EVENTS:
                            return
                raise connection_lost("the stream ended before its last event")
            except InvoqError as error:
                wait_s = following.wait_after(error)
                if wait_s is None:
                    raise
                await asyncio.sleep(wait_s)

    async def _frames(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> AsyncGenerator[Frame, None]:
        try:
            async with self._http.stream(method, path, json=body, headers=headers, timeout=exchange.STREAM_TIMEOUT) as response:
                if response.status_code == 204 or not response.is_success:
                    raise exchange.stream_refusal(response.status_code, response.headers, await response.aread())
                async for frame in read_frames_async(response.aiter_bytes()):
                    yield frame
        except httpx.TransportError as cause:
            raise connection_lost(cause, self._url) from cause


async def _last_envelope(events: AsyncIterator[Event], on_progress: OnProgress | None) -> Envelope:
    async for event in events:
        if event.event in exchange.LAST_EVENTS:
            return cast(Envelope, event.data)
        if event.event == "tool_progress" and on_progress is not None:
            told = on_progress(cast(Progress, event.data))
            if inspect.isawaitable(told):
                await told
    raise connection_lost("the stream ended before its last event")
