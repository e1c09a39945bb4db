"""The steps of one attempt: what is done once for a call, and what a call rests for."""

from __future__ import annotations

import base64
import hashlib
import hmac
import inspect
import json
import unicodedata
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from math import ceil
from typing import Any, Awaitable, Callable, Literal, Mapping, NoReturn, Sequence, TypeVar, cast

from .schema import json_of

T = TypeVar("T")
Keep = Callable[[str, Any], None]

_NAME_CHARACTERS = 200
_STEP_BYTES = 1_048_576
_LONGEST = timedelta(days=366)


class Resting(BaseException):
    """Ends the attempt of a tool that rests. No `except Exception` catches it; what follows it in the tool is done after the rest."""


class Hook:
    """Something that somebody outside does while the call rests."""

    def __init__(self, steps: Steps, name: str, url: str) -> None:
        self._steps, self._name = steps, name
        self.url = url
        """For one `POST`, whose JSON body is what `wait` gives. Whoever has it may call it."""

    def wait(self, timeout: float | timedelta = timedelta(days=1)) -> Any:
        """Rests until it is called, and gives the body. One that was called before is over at once.

        timeout: in seconds, at most a year. Raises HookTimeout when nobody calls it in time.
        """
        return self._steps.answer(self._name, timeout)


class HookTimeout(Exception):
    """Nobody called a hook, or answered a question, in time."""


@dataclass(frozen=True)
class Answer:
    """What the caller says to a question."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, Any] = field(default_factory=dict)
    """What the schema of the question asks for; empty where they declined."""


class Steps:
    """The steps of one attempt."""

    def __init__(
        self,
        earlier: Sequence[Mapping[str, Any]] = (),
        keep: Keep | None = None,
        *,
        job_id: str = "",
        hooks: Mapping[str, str] | None = None,
        asks: bool = True,
    ) -> None:
        """keep: sends a step, and returns when it is kept; None where the gateway keeps none. hooks: where they are called. asks: whether it asks callers."""
        self._job_id, self._hooks, self._asks = job_id, hooks, asks
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

    def hook(self, name: str) -> Hook:
        self._take(name)
        if self._hooks is None:
            raise RuntimeError("This gateway knows no hooks: it is of an older version")
        said = _base64(json.dumps([self._job_id, name], ensure_ascii=False, separators=(",", ":")).encode())
        signature = _base64(hmac.new(self._hooks["key"].encode(), said.encode(), hashlib.sha256).digest())
        return Hook(self, name, f"{self._hooks['url']}/hooks/{said}.{signature}")

    def answer(self, name: str, timeout: float | timedelta) -> Any:
        if self._waits:
            raise Resting
        earlier = self._find(name, "hook")
        if earlier is not None and earlier["state"] == "called":
            return earlier.get("data")
        self._wait({"name": name, "reason": "event"}, earlier, timeout, f'Nobody called the hook "{name}" in time')

    def ask(self, name: str, message: str, schema: Mapping[str, Any] | None, timeout: float | timedelta) -> Answer:
        self._take(name)
        if not self._asks:
            raise RuntimeError("This gateway asks no callers: it is of an older version")
        earlier = self._find(name, "question")
        if earlier is not None and earlier["state"] == "answered":
            data = earlier.get("data") or {}
            return Answer(data.get("action", "cancel"), data.get("content", {}))
        asked = {"message": message, "schema": dict(schema or {"type": "object", "properties": {}})}
        self._wait({"name": name, "reason": "question", **asked}, earlier, timeout, f'Nobody answered the question "{name}" in time')

    def _wait(self, wait: dict[str, Any], earlier: Mapping[str, Any] | None, timeout: float | timedelta, over: str) -> NoReturn:
        if earlier is not None and earlier["state"] == "timeout":
            raise HookTimeout(over)
        delay = timeout if isinstance(timeout, timedelta) else timedelta(seconds=timeout)
        if delay > _LONGEST:
            raise ValueError(f'"{wait["name"]}" waits for at most a year')
        # By the gateway's clock. What is waited for already is known there.
        self.rest(wait if earlier is not None else {**wait, "delay_ms": max(0, ceil(delay.total_seconds() * 1_000))})

    def rest(self, wait: dict[str, Any]) -> NoReturn:
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
        if not 1 <= len(name) <= _NAME_CHARACTERS or any(unicodedata.category(one) == "Cc" for one in name):
            raise ValueError(f"The name of a step has 1 to {_NAME_CHARACTERS} characters, and no control characters")
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
        # As the gateway writes and counts it: no blanks, and UTF-8 in the place of escapes.
        text = json.dumps(json_of(result), allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        if len(text.encode(errors="backslashreplace")) > _STEP_BYTES:
            raise ValueError(f'The step "{name}" gave more than {_STEP_BYTES} bytes of JSON')
        data = json.loads(text)
        assert self._keep is not None
        self._keep(name, data)
        return data


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
