from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable

import httpx

from .limits import cut
from .retrying import doubled

# An end that nobody has confirmed is sent again after this time, seconds.
_AGAIN_S = 3.0
_MOST_MESSAGES = 100
# Of one request. The gateway takes 8 MiB.
_MOST_CHARACTERS = 2 * 1024 * 1024


@dataclass
class _Waiting:
    text: str
    attempt: str | None
    sent: threading.Event = field(default_factory=threading.Event)


@dataclass
class _Unkept:
    """A step that the gateway has not kept yet."""

    text: str
    at: float
    attempt: str
    said: Any = None
    refusal: str | None = None


class Sender:
    """Sends messages in their order, those of one moment together. The end of an attempt is sent until it is confirmed."""

    def __init__(
        self,
        http: httpx.Client,
        path: str,
        *,
        heartbeat_s: float,
        on_unknown: Callable[[str], None],
        on_gone: Callable[[], None],
        on_beat: Callable[[], None],
    ) -> None:
        self._http, self._path = http, path
        self._beat_s = min(heartbeat_s, _AGAIN_S)
        self._on_unknown, self._on_gone, self._on_beat = on_unknown, on_gone, on_beat
        self._queue = deque[_Waiting]()
        self._unsettled: dict[str, tuple[str, float]] = {}
        self._unkept: dict[tuple[str, str], _Unkept] = {}
        self._changed = threading.Condition()
        self._is_over = False
        threading.Thread(target=self._run, daemon=True).start()

    def say(self, message: dict[str, Any], *, waits: bool = False) -> None:
        """waits: until the gateway has it."""
        waiting = self._push(_text(message), message.get("attempt"))
        if waits:
            waiting.sent.wait()

    def end(self, message: dict[str, Any]) -> None:
        attempt, text = str(message["attempt"]), _text(message)
        with self._changed:
            self._unsettled[attempt] = (text, time.monotonic())
        self._push(text, attempt)

    def keep(self, message: dict[str, Any], name: str, is_cancelled: Callable[[], bool]) -> Any:
        """Sends a step or a piece of a file, or asks for a token, until the gateway has answered, and gives what it said. None: its attempt is over.

        Raises ValueError where the gateway does not take it.

        name: its own within the attempt.
        """
        attempt, text = str(message["attempt"]), _text(message)
        one = _Unkept(text, time.monotonic(), attempt)
        key = (attempt, name)
        with self._changed:
            self._unkept[key] = one
        self._push(text, attempt)
        with self._changed:
            while not (one.said or one.refusal or self._is_over or is_cancelled()):
                self._changed.wait(timeout=0.5)
            self._unkept.pop(key, None)
        if one.refusal:
            raise ValueError(f"the gateway does not take what the tool gave: {one.refusal}")
        return one.said

    def kept(self, attempt: str, name: str, said: Any = True) -> None:
        """The gateway has kept it. said: what it gave for it."""
        with self._changed:
            one = self._unkept.get((attempt, name))
            if one:
                one.said = said
                self._changed.notify_all()

    def settle(self, attempts: list[str]) -> None:
        with self._changed:
            for attempt in attempts:
                self._unsettled.pop(attempt, None)
            self._changed.notify_all()

    def flush(self) -> None:
        """Waits until all ends are confirmed, or the worker is known no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or not (self._unsettled or self._queue))

    def stop(self) -> None:
        with self._changed:
            self._is_over = True
            for waiting in self._queue:
                waiting.sent.set()
            self._queue.clear()
            self._changed.notify_all()

    def _push(self, text: str, attempt: str | None) -> _Waiting:
        waiting = _Waiting(text, attempt)
        with self._changed:
            if self._is_over:
                waiting.sent.set()
            else:
                self._queue.append(waiting)
                self._changed.notify_all()
        return waiting

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_over or self._queue, timeout=self._beat_s)
                if self._is_over:
                    return
                self._repeat_late()
                batch = self._batch()
            self._on_beat()
            self._post(batch)
            with self._changed:
                self._changed.notify_all()

    def _repeat_late(self) -> None:
        now = time.monotonic()
        for attempt, (text, at) in self._unsettled.items():
            if now - at > _AGAIN_S:
                self._unsettled[attempt] = (text, now)
                self._queue.append(_Waiting(text, attempt))
        for one in self._unkept.values():
            if now - one.at > _AGAIN_S:
                one.at = now
                self._queue.append(_Waiting(one.text, one.attempt))

    def _batch(self) -> list[_Waiting]:
        batch, characters = list[_Waiting](), 0
        while self._queue and len(batch) < _MOST_MESSAGES:
            characters += len(self._queue[0].text)
            if batch and characters > _MOST_CHARACTERS:
                break
            batch.append(self._queue.popleft())
        return batch

    def _post(self, batch: list[_Waiting]) -> None:
        """Tries until the gateway answers."""
        body = f'{{"messages":[{",".join(one.text for one in batch)}]}}'
        failures = 0
        while not self._is_over:
            try:
                response = self._http.post(self._path, content=body.encode(), headers={"content-type": "application/json"}, timeout=10.0)
                if self._take(response, batch):
                    break
            except (httpx.TransportError, RuntimeError, ValueError):
                # No answer, or none of a gateway; a RuntimeError is that of a worker that has left meanwhile.
                pass
            with self._changed:
                self._changed.wait_for(lambda: self._is_over, timeout=doubled(0.05, failures, longest=2.0))
            failures += 1
        for one in batch:
            one.sent.set()

    def _take(self, response: httpx.Response, batch: list[_Waiting]) -> bool:
        """False: it has to be sent again."""
        if response.status_code in (401, 404):
            self._on_gone()
        elif response.status_code in (400, 413):
            self._replace(batch, response.text)
        elif response.status_code == 200:
            received = response.json()
            self.settle([*received["settled"], *received["unknown"]])
            for attempt in received["unknown"]:
                self._on_unknown(attempt)
        elif not response.is_success:
            return False
        return True

    def _replace(self, batch: list[_Waiting], why: str) -> None:
        """What the gateway does not take would be refused again: alone it is told as a failure, in company each is sent by itself."""
        if len(batch) > 1:
            for one in batch:
                self._post([one])
            return
        with self._changed:
            steps = [one for one in self._unkept.values() if batch and one.text == batch[0].text]
            for step in steps:
                step.refusal = _reason_in(why)
            self._changed.notify_all()
        if steps:
            return
        attempt = batch[0].attempt if batch else None
        if attempt is not None and attempt in self._unsettled:
            message = f"the gateway does not take the answer of the tool: {_reason_in(why)}"
            cause = {"type": "AnswerRefused", "message": cut(message)}
            self.end({"type": "failed", "attempt": attempt, "failure": "internal", "retryable": False, "cause": cause})


def _reason_in(answer: str) -> str:
    """The message of an answer of the gateway; the answer as it is where it has none."""
    try:
        return str(json.loads(answer)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return answer


def _text(message: dict[str, Any]) -> str:
    text = json.dumps(message, ensure_ascii=False, allow_nan=False)
    # A str may have halves of characters, such as in names of files that are no UTF-8. UTF-8 cannot tell them.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
