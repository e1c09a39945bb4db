"""The steps of one attempt: what is done once for a call, and what a call rests for."""

from __future__ import annotations

import inspect
import json
import threading
from datetime import datetime, timedelta, timezone
from math import ceil
from typing import Any, Awaitable, Callable, Mapping, Sequence, TypeVar, cast

from .schema import json_of

T = TypeVar("T")
Keep = Callable[[str, Any], None]

_NAME_CHARACTERS = 200
_STEP_BYTES = 1_048_576
_LONGEST = timedelta(days=366)


class Resting(BaseException):
    """Ends the attempt of a tool that rests. No `except Exception` catches it; what follows it in the tool is done after the rest."""


class Steps:
    """The steps of one attempt."""

    def __init__(self, earlier: Sequence[Mapping[str, Any]] = (), keep: Keep | None = None) -> None:
        """keep: sends a step, and returns when it is kept; None where the gateway keeps none."""
        self._earlier = {str(one["name"]): one for one in earlier}
        self._keep = keep
        self._names = set[str]()
        self._within = threading.local()
        self._waits: list[dict[str, Any]] = []

    @property
    def waits(self) -> Sequence[Mapping[str, Any]]:
        """What the attempt rests for, once it does."""
        return self._waits

    def step(self, name: str, work: Callable[[], T]) -> T:
        self._take(name)
        if inspect.iscoroutinefunction(work):
            return cast(T, self._step_async(name, cast("Callable[[], Awaitable[Any]]", work)))
        earlier = self._find(name, "step")
        if earlier is not None:
            return cast(T, earlier.get("data"))
        self._within.name = name
        try:
            result = work()
        finally:
            self._within.name = None
        if inspect.isawaitable(result):
            raise TypeError(f'The step "{name}" needs the async function itself, such as functools.partial(charge, order)')
        return cast(T, self._kept(name, result))

    async def _step_async(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        earlier = self._find(name, "step")
        return earlier.get("data") if earlier is not None else self._kept(name, await work())

    def sleep(self, name: str, time: float | timedelta | datetime) -> None:
        self._take(name)
        earlier = self._find(name, "sleep")
        if earlier is not None and earlier.get("over"):
            return
        if isinstance(time, datetime):
            delay = time - datetime.now(timezone.utc if time.tzinfo else None)
        else:
            delay = time if isinstance(time, timedelta) else timedelta(seconds=time)
        if delay > _LONGEST:
            raise ValueError(f'The sleep "{name}" is longer than a year')
        # By the gateway's clock. A sleep that goes on is known there.
        told = {} if earlier is not None else {"delay_ms": max(0, ceil(delay.total_seconds() * 1_000))}
        self.rest({"name": name, "reason": "sleep", **told})

    def rest(self, wait: dict[str, Any]) -> None:
        self._waits.append(wait)
        raise Resting

    def _take(self, name: str) -> None:
        if self._waits:
            # A tool has caught it, and goes on.
            raise Resting
        if self._keep is None:
            raise RuntimeError("This gateway keeps no steps: it is of an older version")
        outer = getattr(self._within, "name", None)
        if outer is not None:
            raise RuntimeError(f'"{name}" is within the step "{outer}": what a step does is done in one go')
        if not 1 <= len(name) <= _NAME_CHARACTERS:
            raise ValueError(f"The name of a step has 1 to {_NAME_CHARACTERS} characters")
        if name in self._names:
            raise ValueError(f'This attempt has two steps with the name "{name}": a name says which step it is, so each has its own')
        self._names.add(name)

    def _find(self, name: str, kind: str) -> Mapping[str, Any] | None:
        earlier = self._earlier.get(name)
        if earlier is not None and earlier["kind"] != kind:
            raise ValueError(f'"{name}" is a {kind} now and was a {earlier["kind"]} in an earlier attempt: give it another name')
        return earlier

    def _kept(self, name: str, result: Any) -> Any:
        # This attempt gets what a later one would.
        text = json.dumps(json_of(result), allow_nan=False)
        if len(text.encode(errors="replace")) > _STEP_BYTES:
            raise ValueError(f'The step "{name}" gave more than {_STEP_BYTES} bytes of JSON')
        data = json.loads(text)
        assert self._keep is not None
        self._keep(name, data)
        return data
