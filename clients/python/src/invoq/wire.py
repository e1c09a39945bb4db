"""What the gateway answers, by its wire contract. A later gateway may add fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Mapping, TypedDict


class _MetadataAlways(TypedDict):
    tool_name: str
    timestamp: str
    trace_id: str


class Metadata(_MetadataAlways, total=False):
    execution_time_ms: float
    performance: dict[str, float]
    cache: dict[str, Any]
    job_id: str
    attempts: int
    tool_version: str
    warnings: list[str]


class _ErrorAlways(TypedDict):
    code: str
    message: str
    retryable: bool


class EnvelopeError(_ErrorAlways, total=False):
    native_code: str
    hint: str
    details: list[dict[str, str]]
    retry_after_ms: float


class _EnvelopeAlways(TypedDict):
    success: bool
    status: Literal["success", "error"]
    metadata: Metadata


class Envelope(_EnvelopeAlways, total=False):
    data: Any
    error: EnvelopeError
    debug_info: dict[str, Any]


class BatchCall(TypedDict):
    id: str | int
    name: str
    arguments: Mapping[str, Any]


class BatchResult(Envelope):
    """The envelope of one call of a batch, with the id of that call."""

    id: str | int


class Progress(TypedDict):
    progress: float
    """0–100."""
    message: str


class Job(TypedDict):
    job_id: str
    tool_name: str
    trace_id: str
    state: Literal["waiting", "active", "delayed", "completed", "failed", "cancelled"]
    progress: Progress | None
    attempts_made: int
    max_attempts: int
    created_at: str
    started_at: str | None
    finished_at: str | None
    result: Envelope | None


class Trace(TypedDict):
    trace_id: str
    started_at: str
    duration_ms: float
    spans: list[dict[str, Any]]


@dataclass(frozen=True)
class Result:
    data: Any
    """The output of the tool, as its contract says."""
    metadata: Metadata
    debug_info: dict[str, Any] | None = None
    """With the option `debug`, outside production."""


@dataclass(frozen=True)
class Started:
    """A call that was started without waiting: a job, or an answer from the cache."""

    job_id: str | None
    trace_id: str
    result: Result | None


@dataclass(frozen=True)
class Event:
    event: Literal["tool_progress", "tool_retrying", "tool_result", "tool_error"]
    id: str
    data: dict[str, Any]


@dataclass(frozen=True)
class JobPage:
    jobs: list[Job]
    next_cursor: str | None
