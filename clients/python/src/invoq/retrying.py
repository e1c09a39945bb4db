from __future__ import annotations

import asyncio
import random
import time
from itertools import count
from typing import Awaitable, Callable, TypeVar

from .errors import InvoqError

T = TypeVar("T")

_BASE_MS = 250.0
_MAX_MS = 10_000.0


def doubled(first: float, failures: int, *, longest: float) -> float:
    """The first wait, doubled for each failure before. In the unit of `first`."""
    # Beyond 2^1023 a float overflows: a worker reaches that within hours without a gateway.
    return min(longest, first * 2.0 ** min(failures, 1_000))


def retrying(work: Callable[[], T], *, times: int, is_repeatable: bool) -> T:
    """Tries again what was refused before it ran and may be taken later.

    What was lost on the way is tried again only where a second sending is the same call. What ran is never sent again: the tool's own
    rules have retried it already. Waits as long as the answer asks, and at least an exponential backoff with jitter.
    """
    for tried in count():
        try:
            return work()
        except InvoqError as error:
            wait_s = _wait_before_next(error, tried, times=times, is_repeatable=is_repeatable)
            if wait_s is None:
                raise
            time.sleep(wait_s)
    raise AssertionError("it counts for ever")


async def retrying_async(work: Callable[[], Awaitable[T]], *, times: int, is_repeatable: bool) -> T:
    """The same for work that is awaited."""
    for tried in count():
        try:
            return await work()
        except InvoqError as error:
            wait_s = _wait_before_next(error, tried, times=times, is_repeatable=is_repeatable)
            if wait_s is None:
                raise
            await asyncio.sleep(wait_s)
    raise AssertionError("it counts for ever")


def _wait_before_next(error: InvoqError, tried: int, *, times: int, is_repeatable: bool) -> float | None:
    """Seconds; None where it must not be sent again."""
    is_lost = is_repeatable and error.envelope is None
    if not error.retryable or (error.may_have_run and not is_lost) or tried >= times:
        return None
    backoff = doubled(_BASE_MS, tried, longest=_MAX_MS) * (0.5 + random.random())
    return max(error.retry_after_ms or 0.0, backoff) / 1_000
