from __future__ import annotations

import json
import re
import time
from contextlib import closing, suppress
from types import TracebackType
from typing import Any, Callable, Generator, Iterator, Literal, Mapping, Sequence, cast
from urllib.parse import quote
from weakref import WeakSet

import httpx

from .errors import InvoqError, connection_lost, error_of, refusal_of
from .retrying import retrying
from .sse import Frame, read_frames
from .wire import BatchCall, BatchResult, Envelope, EnvelopeError, Event, Job, JobPage, Progress, Result, Started, Trace

# The longest that one request waits for a job, seconds; the next request continues the wait.
_POLL_S = 30
# The gateway sends a comment every 15 seconds.
_SILENCE_S = 60.0
# Connections in a row that bring no event.
_MAX_RECONNECTS = 8
_RECONNECT_S = 0.3
_EVENTS = ("tool_progress", "tool_retrying", "tool_result", "tool_error")
_LAST_EVENTS = ("tool_result", "tool_error")

OnProgress = Callable[[Progress], None]


class Invoq:
    """Client of one gateway, as one caller. Every method raises `InvoqError`. It may be used from several threads.

    url: address of the gateway, such as `http://127.0.0.1:3000`; it may have a path.
    key: API key or JWT.
    retries: tries after the first of what was refused before it ran, or was lost and may be sent again.
    timeout: seconds that a call may take in all; the gateway itself gives up at the tool's own deadline.
    """

    def __init__(self, url: str, *, key: str | None = None, retries: int = 2, timeout: float = 600.0) -> None:
        headers = {"accept": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
        self._url = url.rstrip("/")
        self._retries = retries
        self._open: WeakSet[Generator[Event, None, None]] = WeakSet()
        self._http = httpx.Client(base_url=f"{self._url}/", headers=headers, timeout=httpx.Timeout(timeout, connect=10.0))

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
        headers = _headers(idempotency_key=idempotency_key, session_id=session_id, user_id=user_id)

        def once() -> Envelope:
            if on_progress is None:
                answer = self._json("POST", _call_path(name, version, options), body=dict(input or {}), headers=headers)
                return cast(Envelope, answer)
            path = _call_path(name, version, options, "/sse")
            with closing(self._own_events(path, dict(input or {}), headers)) as events:
                return _last_envelope(events, on_progress)

        return _result_of(retrying(once, times=self._retries, is_repeatable=idempotency_key is not None))

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
        headers = _headers(idempotency_key=idempotency_key, session_id=session_id, user_id=user_id)
        events = self._own_events(_call_path(name, version, options, "/sse"), dict(input or {}), headers)
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
        headers = {**_headers(idempotency_key=idempotency_key, session_id=session_id, user_id=user_id), "prefer": "respond-async"}
        path = _call_path(name, version, options)
        answer = retrying(
            lambda: self._json("POST", path, body=dict(input or {}), headers=headers),
            times=self._retries,
            is_repeatable=idempotency_key is not None,
        )
        if "job_id" in answer:
            return Started(job_id=answer["job_id"], trace_id=answer["trace_id"], result=None)
        return Started(job_id=None, trace_id=answer["metadata"]["trace_id"], result=_result_of(cast(Envelope, answer)))

    def batch(self, calls: Sequence[BatchCall], *, user_id: str | None = None) -> list[BatchResult]:
        """Up to 50 calls at once; one that fails does not stop the others. Results are in the order of the calls."""
        body = {"calls": [dict(call) for call in calls]}
        work = lambda: self._json("POST", "tools/batch", body=body, headers=_headers(user_id=user_id))  # noqa: E731
        return cast("list[BatchResult]", retrying(work, times=self._retries, is_repeatable=False)["results"])

    def wait(self, job_id: str, *, on_progress: OnProgress | None = None) -> Result:
        """Waits until a job ends. Raises its error when it failed or was cancelled."""
        if on_progress is not None:
            with closing(self._follow("GET", f"{_job_path(job_id)}/events")) as events:
                return _result_of(_last_envelope(events, on_progress))
        while True:
            job = self._get(f"{_job_path(job_id)}?wait={_POLL_S}")
            if job["result"] is not None:
                return _result_of(cast(Envelope, job["result"]))

    def job_events(self, job_id: str, *, after: str | None = None) -> Iterator[Event]:
        """The events of a job from its first, or those after an event that is known."""
        return self._follow("GET", f"{_job_path(job_id)}/events", after=after)

    def job(self, job_id: str) -> Job:
        return cast(Job, self._get(_job_path(job_id)))

    def jobs(
        self,
        *,
        state: str | None = None,
        tool: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> JobPage:
        """A page of the caller's own jobs, the newest first. limit: 1–100, default 20."""
        given = {"state": state, "tool": tool, "limit": limit, "cursor": cursor}
        query = str(httpx.QueryParams({name: value for name, value in given.items() if value is not None}))
        page = self._get(f"jobs?{query}")
        return JobPage(jobs=page["jobs"], next_cursor=page["pagination"]["next_cursor"])

    def cancel(self, job_id: str) -> None:
        """Raises CONFLICT when the job has ended already."""
        self._json("DELETE", _job_path(job_id))

    def tools(self, *, domain: str | None = None) -> list[dict[str, Any]]:
        """The definitions of the tools."""
        query = "" if domain is None else f"?{httpx.QueryParams({'domain': domain})}"
        return cast("list[dict[str, Any]]", self._get(f"tools{query}")["tools"])

    def tool(self, name: str, *, version: str | None = None) -> dict[str, Any]:
        query = "" if version is None else f"?{httpx.QueryParams({'version': version})}"
        return self._get(f"tools/{quote(name, safe='')}{query}")

    def trace(self, trace_id: str) -> Trace:
        """The spans of one call."""
        return cast(Trace, self._get(f"traces/{quote(trace_id, safe='')}"))

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
        answer = _parsed(response.content)
        if not response.is_success:
            raise refusal_of(response.status_code, response.headers, answer)
        if not isinstance(answer, dict):
            raise connection_lost("the answer is no JSON object")
        return answer

    def _own_events(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Generator[Event, None, None]:
        """The events of a call that is made here. A connection that breaks leaves nothing: the job goes on."""
        job_id: str | None = None
        try:
            with closing(self._follow("POST", path, body=body, headers=headers)) as events:
                for event in events:
                    job_id = job_of_event(event.id)
                    if event.event in _LAST_EVENTS:
                        job_id = None
                    yield event
        except Exception:
            raise
        except BaseException:
            # GeneratorExit, KeyboardInterrupt and their like: whoever called is leaving.
            if job_id is not None:
                self._cancel_left(job_id, headers)
            raise

    def _cancel_left(self, job_id: str, headers: Mapping[str, str]) -> None:
        """Raises InvoqError when the gateway could not be told: the job may go on then."""
        # A run with a key is this call's alone; any other may have been joined by somebody who still waits for it.
        path = _job_path(job_id) + ("" if "idempotency-key" in headers else "?unless_joined=true")
        try:
            retrying(lambda: self._json("DELETE", path, headers=headers), times=2, is_repeatable=True)
        except InvoqError as error:
            # It had ended, or it is a run that another caller began.
            if error.code not in ("CONFLICT", "RESOURCE_NOT_FOUND"):
                message = f"The job {job_id} could not be cancelled and may still run: {error.message}"
                told: EnvelopeError = {"code": error.code, "message": message, "retryable": error.retryable}
                raise InvoqError(told, status=error.status, envelope=error.envelope) from error

    def _follow(
        self,
        method: Literal["GET", "POST"],
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        after: str | None = None,
    ) -> Generator[Event, None, None]:
        """Every event once and in order, over as many connections as it takes.

        A call that was cut before its first event is not sent again: only the caller knows whether it may run twice.
        """
        last_id, cuts = after, 0
        while True:
            try:
                resume = {} if last_id is None else {"last-event-id": last_id}
                for frame in self._frames(method, path, body, {**(headers or {}), **resume}):
                    event = _event_of(frame)
                    last_id, cuts = frame.id or last_id, 0
                    if event is None:
                        continue
                    yield event
                    if event.event in _LAST_EVENTS:
                        return
                raise connection_lost("the stream ended before its last event")
            except InvoqError as error:
                is_resumable = last_id is not None or method == "GET"
                if not is_resumable or not error.retryable or cuts >= _MAX_RECONNECTS:
                    raise
                cuts += 1
                time.sleep(max((error.retry_after_ms or 0.0) / 1_000, _RECONNECT_S * cuts))

    def _frames(self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> Iterator[Frame]:
        timeout = httpx.Timeout(_SILENCE_S, connect=10.0)
        accepted = {**headers, "accept": "text/event-stream"}
        try:
            with self._http.stream(method, path, json=body, headers=accepted, timeout=timeout) as response:
                if response.status_code == 204:
                    raise InvoqError(
                        {"code": "RESOURCE_NOT_FOUND", "message": "There are no more events of this call", "retryable": False}, status=204
                    )
                if not response.is_success:
                    raise refusal_of(response.status_code, response.headers, _parsed(response.read()))
                yield from read_frames(response.iter_bytes())
        except httpx.TransportError as cause:
            raise connection_lost(cause, self._url) from cause


def job_of_event(event_id: str) -> str | None:
    """None for an answer from the cache and for a refusal, which have no job."""
    found = re.fullmatch(r"evt_(.+_[0-9a-f]{32})_\d+", event_id)
    return f"inv_{found[1]}" if found else None


def _event_of(frame: Frame) -> Event | None:
    """None for a kind that this client does not know."""
    if frame.event not in _EVENTS:
        return None
    data = _parsed(frame.data.encode())
    if not isinstance(data, dict):
        raise connection_lost(f"the data of the event {frame.id} is no JSON object")
    return Event(event=cast(Any, frame.event), id=frame.id, data=data)


def _last_envelope(events: Iterator[Event], on_progress: OnProgress) -> Envelope:
    for event in events:
        if event.event == "tool_progress":
            on_progress(cast(Progress, event.data))
        if event.event in _LAST_EVENTS:
            return cast(Envelope, event.data)
    raise connection_lost("the stream ended before its last event")


def _result_of(envelope: Envelope) -> Result:
    if not envelope["success"]:
        raise error_of(envelope, 200)
    return Result(data=envelope.get("data"), metadata=envelope["metadata"], debug_info=envelope.get("debug_info"))


def _call_path(name: str, version: str | None, options: Mapping[str, Any] | None, suffix: str = "") -> str:
    tool = quote(name if version is None else f"{name}@{version}", safe="")
    query = str(httpx.QueryParams({key: json.dumps(value) for key, value in (options or {}).items()}))
    return f"tools/{tool}{suffix}{'?' + query if query else ''}"


def _job_path(job_id: str) -> str:
    return f"jobs/{quote(job_id, safe='')}"


def _headers(
    *, idempotency_key: str | None = None, session_id: str | None = None, user_id: str | None = None
) -> dict[str, str]:
    given = {"idempotency-key": idempotency_key, "x-session-id": session_id, "x-user-id": user_id}
    return {name: value for name, value in given.items() if value is not None}


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
