from __future__ import annotations

from email.utils import parsedate_to_datetime
from datetime import datetime, timezone
from typing import Any, Mapping, cast

from .wire import Envelope, EnvelopeError

# Statuses by which a proxy says that it could not reach the gateway, or that there are too many requests.
_RETRYABLE = (429, 502, 503, 504)


class InvoqError(Exception):
    """An error of a tool, of the gateway, or of the way to it (`NETWORK_ERROR` with status 0 when no answer came)."""

    def __init__(self, error: EnvelopeError, *, status: int, envelope: Envelope | None = None) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]
        self.message = error["message"]
        self.retryable = error["retryable"]
        self.native_code = error.get("native_code")
        """The literal of the tool's own source contract."""
        self.retry_after_ms = error.get("retry_after_ms")
        self.details = error.get("details", [])
        """One entry a faulty parameter."""
        self.status = status
        """HTTP status; 0 when there was no answer."""
        self.envelope = envelope
        """None when the gateway did not answer itself."""
        self.trace_id = envelope["metadata"]["trace_id"] if envelope else None
        self.may_have_run = envelope is None or "job_id" in envelope["metadata"]
        """False when the gateway refused the call before it was queued. True also where nobody knows."""


def error_of(envelope: Envelope, status: int) -> InvoqError:
    """The error of an envelope that tells a failure."""
    nothing: EnvelopeError = {"code": "EXECUTION_ERROR", "message": "The answer tells a failure without an error", "retryable": False}
    return InvoqError(envelope.get("error", nothing), status=status, envelope=envelope)


def refusal_of(status: int, headers: Mapping[str, str], body: Any) -> InvoqError:
    """The error of an answer whose status is no success; without an envelope a proxy gave it."""
    if is_envelope(body):
        return error_of(cast(Envelope, body), status)
    retryable = status in _RETRYABLE
    error: EnvelopeError = {
        "code": "NETWORK_ERROR" if retryable else "EXECUTION_ERROR",
        "message": f"The answer has status {status} and is not the gateway's",
        "retryable": retryable,
    }
    after = parse_retry_after(headers.get("retry-after"))
    if retryable and after is not None:
        error["retry_after_ms"] = after
    return InvoqError(error, status=status)


def connection_lost(cause: object, address: str | None = None) -> InvoqError:
    """No answer came, or it broke off."""
    at = f" at {address}" if address else ""
    reason = str(cause) or type(cause).__name__
    return InvoqError({"code": "NETWORK_ERROR", "message": f"The gateway{at} gave no answer ({reason})", "retryable": True}, status=0)


def is_envelope(body: Any) -> bool:
    return isinstance(body, dict) and isinstance(body.get("success"), bool) and isinstance(body.get("metadata"), dict)


def parse_retry_after(value: str | None) -> float | None:
    """`Retry-After` in ms: whole seconds or an HTTP date (RFC 9110, section 10.2.3); None for anything else."""
    if value is None:
        return None
    if value.isascii() and value.isdigit() and len(value) < 10:
        return int(value) * 1_000
    try:
        at = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds() * 1_000)
