"""What both clients send and make of answers, whichever way they wait for them."""

from __future__ import annotations

import json
import re
from typing import Any, Mapping, cast
from urllib.parse import quote

import httpx

from .errors import InvoqError, connection_lost, error_of, refusal_of
from .sse import Frame
from .wire import Envelope, EnvelopeError, Event, JobPage, Result, Started

# The longest that one request waits for a job, seconds; the next request continues the wait.
POLL_S = 30
# Connections in a row that bring no event.
_MAX_RECONNECTS = 8
_RECONNECT_S = 0.3
EVENTS = ("tool_progress", "tool_retrying", "tool_resting", "tool_resumed", "tool_result", "tool_error")
LAST_EVENTS = ("tool_result", "tool_error")

# Of a stream: the gateway sends a comment every 15 seconds.
STREAM_TIMEOUT = httpx.Timeout(60.0, connect=10.0)


def http_options(url: str, key: str | None, timeout: float) -> dict[str, Any]:
    """Of a client of httpx."""
    headers = {"accept": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
    return {"base_url": f"{url.rstrip('/')}/", "headers": headers, "timeout": httpx.Timeout(timeout, connect=10.0)}


def body_of(response: httpx.Response) -> dict[str, Any]:
    """Of an answer that is read. Raises the error that it tells."""
    answer = parsed(response.content)
    if not response.is_success:
        raise refusal_of(response.status_code, response.headers, answer)
    if not isinstance(answer, dict):
        raise connection_lost("the answer is no JSON object")
    return answer


def stream_refusal(status: int, headers: Mapping[str, str], content: bytes) -> InvoqError:
    """Why an answer is no stream of events."""
    if status == 204:
        return InvoqError(
            {"code": "RESOURCE_NOT_FOUND", "message": "There are no more events of this call", "retryable": False}, status=204
        )
    return refusal_of(status, headers, parsed(content))


def line_of(text: str) -> dict[str, Any]:
    """The JSON object of one line. Raises the error of a connection that broke within it."""
    line = parsed(text.encode())
    if not isinstance(line, dict):
        raise connection_lost("a line is no JSON object")
    return cast("dict[str, Any]", line)


class Following:
    """Every event of a job once and in order, over as many connections as it takes.

    A call that was cut before its first event is not sent again: only the caller knows whether it may run twice.
    """

    def __init__(self, method: str, after: str | None) -> None:
        self._method, self._last_id, self._cuts = method, after, 0

    @property
    def headers(self) -> dict[str, str]:
        return {"accept": "text/event-stream", **({} if self._last_id is None else {"last-event-id": self._last_id})}

    def event_of(self, frame: Frame) -> Event | None:
        """None for a kind that this client does not know."""
        event = event_of(frame)
        self._last_id, self._cuts = frame.id or self._last_id, 0
        return event

    def wait_after(self, error: InvoqError) -> float | None:
        """Seconds until the next connection; None where there must be none."""
        is_resumable = self._last_id is not None or self._method == "GET"
        if not is_resumable or not error.retryable or self._cuts >= _MAX_RECONNECTS:
            return None
        self._cuts += 1
        return max((error.retry_after_ms or 0.0) / 1_000, _RECONNECT_S * self._cuts)


class LeftCall:
    """Which job has to be cancelled when whoever called leaves its events."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers
        self.job_id: str | None = None

    def saw(self, event: Event) -> None:
        self.job_id = None if event.event in LAST_EVENTS else job_of_event(event.id)

    @property
    def path(self) -> str:
        """A run with a key is this call's alone; any other may have been joined by somebody who still waits for it."""
        return job_path(self.job_id or "") + ("" if "idempotency-key" in self._headers else "?unless_joined=true")

    def fault_of(self, error: InvoqError) -> InvoqError | None:
        """What to raise when the gateway could not be told: the job may go on then. None where it had ended, or belongs to another caller."""
        if error.code in ("CONFLICT", "RESOURCE_NOT_FOUND"):
            return None
        message = f"The job {self.job_id} could not be cancelled and may still run: {error.message}"
        told: EnvelopeError = {"code": error.code, "message": message, "retryable": error.retryable}
        return InvoqError(told, status=error.status, envelope=error.envelope)


def started_of(answer: dict[str, Any]) -> Started:
    if "job_id" in answer:
        return Started(job_id=answer["job_id"], trace_id=answer["trace_id"], result=None)
    return Started(job_id=None, trace_id=answer["metadata"]["trace_id"], result=result_of(cast(Envelope, answer)))


def result_path(result_id: str, offset: int, limit: int | None) -> str:
    return f"results/{quote(result_id, safe='')}?" + _query({"offset": offset, "limit": limit})


def jobs_path(*, state: str | None, tool: str | None, limit: int | None, cursor: str | None) -> str:
    return "jobs?" + _query({"state": state, "tool": tool, "limit": limit, "cursor": cursor})


def job_page_of(answer: dict[str, Any]) -> JobPage:
    return JobPage(jobs=answer["jobs"], next_cursor=answer["pagination"]["next_cursor"])


def tools_path(domain: str | None) -> str:
    return "tools" if domain is None else "tools?" + _query({"domain": domain})


def tool_path(name: str, version: str | None) -> str:
    return f"tools/{quote(name, safe='')}" + ("" if version is None else "?" + _query({"version": version}))


def trace_path(trace_id: str) -> str:
    return f"traces/{quote(trace_id, safe='')}"


def _query(given: Mapping[str, Any]) -> str:
    return str(httpx.QueryParams({name: value for name, value in given.items() if value is not None}))


def job_of_event(event_id: str) -> str | None:
    """None for an answer from the cache and for a refusal, which have no job."""
    found = re.fullmatch(r"evt_(.+_[0-9a-f]{32})_\d+", event_id)
    return f"inv_{found[1]}" if found else None


def event_of(frame: Frame) -> Event | None:
    """None for a kind that this client does not know."""
    if frame.event not in EVENTS:
        return None
    data = parsed(frame.data.encode())
    if not isinstance(data, dict):
        raise connection_lost(f"the data of the event {frame.id} is no JSON object")
    return Event(event=cast(Any, frame.event), id=frame.id, data=data)


def result_of(envelope: Envelope) -> Result:
    if not envelope["success"]:
        raise error_of(envelope, 200)
    return Result(data=envelope.get("data"), metadata=envelope["metadata"], debug_info=envelope.get("debug_info"))


def call_path(name: str, version: str | None, options: Mapping[str, Any] | None, suffix: str = "") -> str:
    tool = quote(name if version is None else f"{name}@{version}", safe="")
    query = str(httpx.QueryParams({key: value if isinstance(value, str) else json.dumps(value) for key, value in (options or {}).items()}))
    return f"tools/{tool}{suffix}{'?' + query if query else ''}"


def job_path(job_id: str) -> str:
    return f"jobs/{quote(job_id, safe='')}"


def headers_of(
    *, idempotency_key: str | None = None, session_id: str | None = None, user_id: str | None = None
) -> dict[str, str]:
    given = {"idempotency-key": idempotency_key, "x-session-id": session_id, "x-user-id": user_id}
    return {name: value for name, value in given.items() if value is not None}


def parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
