from __future__ import annotations

import time
from contextlib import closing, suppress
from types import TracebackType
from typing import Any, Callable, Generator, Iterator, Literal, Mapping, Sequence, cast
from urllib.parse import urlencode
from weakref import WeakSet

import httpx

from . import exchange
from .errors import InvoqError, connection_lost
from .retrying import retrying
from .batches import Batches
from .input_requests import InputRequests
from .budgets import Budgets
from .toolsets import Toolsets
from .flows import Flows
from .outside_servers import OutsideServers
from .pauses import Pauses
from .accounts import Connections, Providers
from .policies import Policies
from .schedules import Schedules
from .webhooks import Webhooks
from .sse import Frame, read_frames
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

OnProgress = Callable[[Progress], None]


class Invoq:
    """Client of one gateway, as one caller. Every method raises `InvoqError`. It may be used from several threads.

    url: address of the gateway, such as `http://127.0.0.1:3000`; it may have a path.
    key: API key or JWT.
    retries: tries after the first of what was refused before it ran, or was lost and may be sent again.
    timeout: seconds that a call may take in all; the gateway itself gives up at the tool's own deadline.
    """

    def __init__(self, url: str, *, key: str | None = None, retries: int = 2, timeout: float = 600.0) -> None:
        self._url = url.rstrip("/")
        self._retries = retries
        self._open: WeakSet[Generator[Event, None, None]] = WeakSet()
        self._http = httpx.Client(**exchange.http_options(url, key, timeout))
        self.batches = Batches(self._get, self._json, self._lines)
        """Many calls that are given together."""
        self.input_requests = InputRequests(self._get, self._json)
        """What people are asked while calls rest."""
        self.budgets = Budgets(self._get, self._json)
        """What calls of the tenant may cost."""
        self.outside_servers = OutsideServers(self._get, self._json)
        """Servers whose tools the tenant has."""
        self.toolsets = Toolsets(self._get, self._json)
        """Named sets of tools, for agents of the tenant."""
        self.flows = Flows(self._get, self._json)
        """Calls that wait for each other in lines by a key."""
        self.pauses = Pauses(self._get, self._json)
        """Calls that wait, or are refused, until somebody ends it."""
        self.policies = Policies(self._get, self._json)
        """Rules of the tenant for the calls of its callers."""
        self.providers = Providers(self._get, self._json)
        """At whom users have accounts."""
        self.connections = Connections(self._get, self._json)
        """Accounts that tools act with."""
        self.schedules = Schedules(self._get, self._json)
        """Calls that are made again and again."""
        self.webhooks = Webhooks(self._get, self._json)
        """Addresses that are told what becomes of calls."""

    def close(self) -> None:
        """Ends the connections. A call whose events are still being read is cancelled."""
        for events in list(self._open):
            with suppress(ValueError):  # another thread is reading it
                events.close()
        self._http.close()

    def __enter__(self) -> Invoq:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(
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

        What `on_progress` raises, and an interrupt, cancels the call.

        idempotency_key: a second sending with the same key is the same call, for tools that change something.
        user_id: act for this user; needs a key with the scope act-as.
        version: a range, such as `^2.0.0`. options: of the gateway, such as `{"enable_cache": False}`.
        """
        headers = exchange.headers_of(idempotency_key=idempotency_key, session_id=session_id, user_id=user_id)

        def once() -> Envelope:
            if on_progress is None:
                answer = self._json("POST", exchange.call_path(name, version, options), body=dict(input or {}), headers=headers)
                if "job_id" not in answer:
                    return cast(Envelope, answer)
                # It has gone to rest, and ends later.
                return self._end_of(answer["job_id"], headers)
            path = exchange.call_path(name, version, options, "/sse")
            with closing(self._own_events(path, dict(input or {}), headers)) as events:
                return _last_envelope(events, on_progress)

        return exchange.result_of(retrying(once, times=self._retries, is_repeatable=idempotency_key is not None))

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
    ) -> Generator[Event, None, None]:
        """Calls a tool and gives its events, the last of which has the envelope. Cut connections are taken up again.

        Who leaves the events before the last one cancels the call: by `close()`, by an exception or an interrupt, or by leaving the loop
        that has them. A call that goes on by itself is `start` and `job_events`.
        """
        headers = exchange.headers_of(idempotency_key=idempotency_key, session_id=session_id, user_id=user_id)
        events = self._own_events(exchange.call_path(name, version, options, "/sse"), dict(input or {}), headers)
        self._open.add(events)
        return events

    def start(
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
        answer = retrying(
            lambda: self._json("POST", path, body=dict(input or {}), headers=headers),
            times=self._retries,
            is_repeatable=idempotency_key is not None,
        )
        return exchange.started_of(answer)

    def batch(self, calls: Sequence[BatchCall], *, user_id: str | None = None) -> list[BatchResult]:
        """Up to 50 calls at once; one that fails does not stop the others. Results are in the order of the calls."""
        body = {"calls": [dict(call) for call in calls]}
        work = lambda: self._json("POST", "tools/batch", body=body, headers=exchange.headers_of(user_id=user_id))  # noqa: E731
        return cast("list[BatchResult]", retrying(work, times=self._retries, is_repeatable=False)["results"])

    def wait(self, job_id: str, *, on_progress: OnProgress | None = None) -> Result:
        """Waits until a job ends. Raises its error when it failed or was cancelled."""
        if on_progress is not None:
            with closing(self._follow("GET", f"{exchange.job_path(job_id)}/events")) as events:
                return exchange.result_of(_last_envelope(events, on_progress))
        return exchange.result_of(self._end_of(job_id))

    def _end_of(self, job_id: str, headers: Mapping[str, str] | None = None) -> Envelope:
        path = f"{exchange.job_path(job_id)}?wait={exchange.POLL_S}"
        while True:
            job = retrying(lambda: self._json("GET", path, headers=headers), times=self._retries, is_repeatable=True)
            if job["result"] is not None:
                return cast(Envelope, job["result"])

    def job_events(self, job_id: str, *, after: str | None = None) -> Iterator[Event]:
        """The events of a job from its first, or those after an event that is known."""
        return self._follow("GET", f"{exchange.job_path(job_id)}/events", after=after)

    def job(self, job_id: str) -> Job:
        return cast(Job, self._get(exchange.job_path(job_id)))

    def result(self, result_id: str, *, offset: int = 0, limit: int | None = None) -> ResultPart:
        """A part of the JSON of a result, for a model that was given the beginning.

        result_id: that of what was cut: the id of the job, or `result_id` of the metadata. offset: 0, then `next_offset` of the part before.
        """
        return cast(ResultPart, self._get(exchange.result_path(result_id, offset, limit)))

    def jobs(
        self,
        *,
        state: str | None = None,
        tool: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> JobPage:
        """A page of the caller's own jobs, the newest first. limit: 1–100, default 20."""
        return exchange.job_page_of(self._get(exchange.jobs_path(state=state, tool=tool, limit=limit, cursor=cursor)))

    def cancel(self, job_id: str) -> None:
        """Raises CONFLICT when the job has ended already."""
        self._json("DELETE", exchange.job_path(job_id))

    def cancel_all(self, filter: OpenFilter | None = None) -> int:
        """Cancels all of the caller's own calls that have not ended and meet each filter. Gives how many."""
        cancelled, rest = 0, cast(dict[str, Any], filter or {})
        while True:
            done = cast(CancelledCalls, self._json("POST", "jobs/cancel", body=rest))
            cancelled += done["cancelled"]
            if done["next_to"] is None:
                return cancelled
            rest = {**rest, "to": done["next_to"]}

    def count_open(self, filter: OpenFilter | None = None) -> int:
        """How many calls `cancel_all` would cancel. Of more than 20,000 only the newest are counted."""
        return cast(int, self._json("POST", "jobs/cancel?dry_run=true", body=cast(dict[str, Any], filter or {}))["count"])

    def tools(self, *, domain: str | None = None) -> list[dict[str, Any]]:
        """The definitions of the tools."""
        return cast("list[dict[str, Any]]", self._get(exchange.tools_path(domain))["tools"])

    def tool(self, name: str, *, version: str | None = None) -> dict[str, Any]:
        return self._get(exchange.tool_path(name, version))

    def trace(self, trace_id: str) -> Trace:
        """The spans of one call."""
        return cast(Trace, self._get(exchange.trace_path(trace_id)))

    def errors(self, filter: ErrorsFilter | None = None) -> ErrorsPage:
        """A page of the kinds of error in a time, the most frequent first. The key needs the scope `tenant:admin`."""
        return cast(ErrorsPage, self._get(f"errors?{urlencode(filter or {})}"))

    def call_sums(self, filter: CallSumsFilter | None = None) -> CallSumsPage:
        """A page of the sums of calls that have ended, with their costs."""
        answer = self._get(f"usage/calls?{urlencode(filter or {})}")
        return CallSumsPage(sums=answer["sums"], next_cursor=answer["pagination"]["next_cursor"])

    def _get(self, path: str) -> dict[str, Any]:
        """Reading may be repeated whenever an answer was lost."""
        return retrying(lambda: self._json("GET", path), times=self._retries, is_repeatable=True)

    def _json(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        try:
            response = self._http.request(method, path, json=body, headers=headers)
        except httpx.TransportError as cause:
            raise connection_lost(cause, self._url) from cause
        return exchange.body_of(response)

    def _lines(self, path: str) -> Generator[dict[str, Any], None, None]:
        """The JSON of each line of an answer, as it comes."""
        try:
            with self._http.stream("GET", path, timeout=exchange.STREAM_TIMEOUT) as response:
                if not response.is_success:
                    raise exchange.stream_refusal(response.status_code, response.headers, response.read())
                for line in response.iter_lines():
                    if line.strip():
                        yield exchange.line_of(line)
        except httpx.TransportError as cause:
            raise connection_lost(cause, self._url) from cause

    def _own_events(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Generator[Event, None, None]:
        """The events of a call that is made here. A connection that breaks leaves nothing: the job goes on."""
        left = exchange.LeftCall(headers)
        try:
            with closing(self._follow("POST", path, body=body, headers=headers)) as events:
                for event in events:
                    left.saw(event)
                    yield event
        except Exception:
            raise
        except BaseException:
            # GeneratorExit, KeyboardInterrupt and their like: whoever called is leaving.
            if left.job_id is not None:
                self._cancel_left(left, headers)
            raise

    def _cancel_left(self, left: exchange.LeftCall, headers: Mapping[str, str]) -> None:
        """Raises InvoqError when the gateway could not be told: the job may go on then."""
        try:
            retrying(lambda: self._json("DELETE", left.path, headers=headers), times=2, is_repeatable=True)
        except InvoqError as error:
            if fault := left.fault_of(error):
                raise fault from error

    def _follow(
        self,
        method: Literal["GET", "POST"],
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        after: str | None = None,
    ) -> Generator[Event, None, None]:
        following = exchange.Following(method, after)
        while True:
            try:
                for frame in self._frames(method, path, body, {**(headers or {}), **following.headers}):
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
                time.sleep(wait_s)

    def _frames(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> Iterator[Frame]:
        try:
            with self._http.stream(method, path, json=body, headers=headers, timeout=exchange.STREAM_TIMEOUT) as response:
                if response.status_code == 204 or not response.is_success:
                    raise exchange.stream_refusal(response.status_code, response.headers, response.read())
                yield from read_frames(response.iter_bytes())
        except httpx.TransportError as cause:
            raise connection_lost(cause, self._url) from cause


def _last_envelope(events: Iterator[Event], on_progress: OnProgress) -> Envelope:
    for event in events:
        if event.event in exchange.LAST_EVENTS:
            return cast(Envelope, event.data)
        if event.event == "tool_progress":
            on_progress(cast(Progress, event.data))
    raise connection_lost("the stream ended before its last event")
