"""Runs one attempt of a tool: whichever way it ends is a message to the gateway."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import traceback
from math import ceil
from typing import Any, Mapping

import httpx

from .files import sent_once
from .limits import LIMITS, cut
from .schema import InvalidValue, json_of
from .steps import HookTimeout
from .tool import Cancelled, Context, Failure, FailureKind, Refused, Tool


def end_of(tool: Tool, input: Mapping[str, Any], context: Context) -> dict[str, Any] | None:
    """None when the result is not wanted any more. Never raises."""
    try:
        arguments = tool.arguments(input, context)
    except InvalidValue as error:
        faults = [
            {"path": cut(path, LIMITS["path"]), "message": cut(f"Parameter '{path}': {message}")}
            for path, message in error.faults[: LIMITS["faults"]]
        ]
        return {"type": "invalid", "faults": faults}
    try:
        result = _called(tool, arguments, context)
        if context._steps.waits:
            return _rest(context)
        data = json_of(result, sent_once(context._send_file))
        if not isinstance(data, dict):
            raise TypeError(f"{tool.name} must return an object, not {type(data).__name__}")
        json.dumps(data, allow_nan=False)
        return {"type": "done", "data": data, **context._said}
    except Refused as error:
        if context._steps.waits:
            return _rest(context)
        return {"type": "refused", "error": error.error, "message": cut(error.message)}
    except BaseException as error:
        # Whatever it raised: it may have caught what told it to rest.
        if context._steps.waits:
            return _rest(context)
        if context.is_cancelled and isinstance(error, (Cancelled, asyncio.CancelledError)):
            return None
        return failed(error)


def _rest(context: Context) -> dict[str, Any]:
    return {"type": "rest", "waits": list(context._steps.waits)}


def failed(error: BaseException, kind: FailureKind | None = None) -> dict[str, Any]:
    message: dict[str, Any] = {
        "type": "failed",
        "failure": kind or _kind_of(error),
        "retryable": error.retryable if isinstance(error, Failure) else not isinstance(error, HookTimeout),
        "cause": {
            "type": cut(type(error).__name__, LIMITS["causeType"]),
            "message": cut(str(error)),
            "stack": cut("".join(traceback.format_exception(error))[-LIMITS["stack"] :], LIMITS["stack"]),
        },
    }
    if isinstance(error, Failure) and error.retry_after_ms is not None:
        message["hint_ms"] = ceil(min(LIMITS["waitMs"], max(0, error.retry_after_ms)))
    return message


def _called(tool: Tool, arguments: dict[str, Any], context: Context) -> Any:
    if not inspect.iscoroutinefunction(tool.function):
        return tool.function(**arguments)

    async def cancellable() -> Any:
        loop, task = asyncio.get_running_loop(), asyncio.ensure_future(tool.function(**arguments))

        def stop() -> None:
            # The loop is closed once the task has ended.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)

        context._on_stop = stop
        if context.is_cancelled:
            task.cancel()
        return await task

    return asyncio.run(cancellable())


def _kind_of(error: BaseException) -> FailureKind:
    if isinstance(error, Failure):
        return error.kind
    if isinstance(error, HookTimeout):
        return "timeout"
    if isinstance(error, httpx.HTTPStatusError):
        status = error.response.status_code
        return "rate-limit" if status == 429 else "service" if status >= 500 else "internal"
    if isinstance(error, (TimeoutError, asyncio.TimeoutError, httpx.TimeoutException)):
        return "timeout"
    if isinstance(error, (ConnectionError, httpx.TransportError)):
        return "network"
    return "internal"
