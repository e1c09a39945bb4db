from __future__ import annotations

import base64
import json
import re
import socket
import threading
import time
from functools import partial
from itertools import count
from typing import Any, Callable, Iterator, Mapping

import httpx

from .attempt import end_of, failed
from .files import File, send_file
from .sender import Sender
from .sse import read_frames
from .steps import Steps
from .tool import Caller, Cancelled, Context, Tool

# Until the gateway says how long it may be silent, seconds.
_SILENCE_S = 60.0

# A part of an address.
_WORKER_ID = re.compile(r"[A-Za-z0-9_-]{1,120}")

OnEvent = Callable[[dict[str, Any]], None]


class ConnectionRefused(Exception):
    """The gateway did not let the worker in. retryable: False when connecting again would be refused again."""

    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"the gateway answered {status}: {body[:500]}")
        self.status = status
        self.retryable = status in (408, 429) or status >= 500


class Session:
    """One connection to a gateway, from its welcome to its end, and the attempts that came over it."""

    def __init__(
        self, http: httpx.Client, announcement: bytes, tools: Mapping[str, Tool], on_event: OnEvent, *, concurrency: int = 8
    ) -> None:
        """concurrency: attempts at the same time, as announced."""
        self._http, self._announcement, self._tools, self._on_event = http, announcement, tools, on_event
        self._concurrency = concurrency
        self._running: dict[str, Context] = {}
        # Threads of attempts, also of those that were stopped: some tools do not heed it.
        self._alive = 0
        self._changed = threading.Condition()
        self._sender: Sender | None = None
        self._socket: socket.socket | None = None
        self._heard_at, self._silence_s = time.monotonic(), _SILENCE_S
        # Older gateways refuse an output with a number, an end with `network_ms`, and steps.
        self._numbers_outputs = self._takes_network = self._keeps_steps = self._asks = self._has_accounts = self._asks_scopes = self._takes_costs = self._takes_files = False
        self._is_draining = self._is_over = False

    def run(self, on_welcome: Callable[[], None], on_drain: Callable[[], None]) -> None:
        """Serves until the connection ends. Raises ConnectionRefused, or what the network raised.

        on_drain: called when the gateway is about to stop: a new connection is to be made beside this one.
        """
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        timeout = httpx.Timeout(_SILENCE_S, connect=10.0)
        try:
            with self._http.stream("POST", "workers", content=self._announcement, headers=headers, timeout=timeout) as response:
                if not response.is_success:
                    raise ConnectionRefused(response.status_code, response.read().decode(errors="replace"))
                self._socket = response.extensions["network_stream"].get_extra_info("socket")
                if self._is_over:
                    return
                for frame in read_frames(response.iter_raw()):
                    self._heard_at = time.monotonic()
                    self._take(frame.event, json.loads(frame.data), on_welcome, on_drain)
        except httpx.TransportError:
            if not self._is_over:
                raise
        finally:
            self.close()

    def drain(self) -> None:
        """Takes no more attempts, ends those that run, and leaves."""
        with self._changed:
            self._is_draining = True
        if self._sender:
            self._sender.say({"type": "drain"})
            with self._changed:
                self._changed.wait_for(lambda: self._is_over or not self._running)
            self._sender.flush()
        self.close()

    def close(self) -> None:
        with self._changed:
            self._is_over = True
            running = list(self._running.values())
            self._running.clear()
            self._changed.notify_all()
        for context in running:
            context._stop()
        if self._sender:
            self._sender.stop()
        if self._socket:
            # Wakes the thread that reads. Past TLS, whose own end would wait for the other side.
            try:
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:
                pass

    def _take(self, event: str, data: dict[str, Any], on_welcome: Callable[[], None], on_drain: Callable[[], None]) -> None:
        if event == "welcome":
            self._welcome(data)
            on_welcome()
        elif event == "attempt":
            self._begin(data)
        elif event == "stop":
            self._stop(data["attempt"])
        elif event == "settled" and self._sender:
            self._sender.settle(data["attempts"])
        elif event == "kept" and self._sender:
            self._sender.kept(data["attempt"], data["name"])
        elif event == "token" and self._sender:
            self._sender.kept(data["attempt"], _token_name(data["number"]), data["access_token"])
        elif event == "file" and self._sender:
            self._sender.kept(data["attempt"], _piece_name(data["number"], data["received"], "file" in data), data)
        elif event == "tools":
            self._on_event({"kind": "serving", "tools": data["served"]})
        elif event == "drain":
            on_drain()

    def _welcome(self, data: dict[str, Any]) -> None:
        self._silence_s = data["silence_ms"] / 1_000
        self._numbers_outputs = bool(data.get("output_numbers", False))
        self._takes_network = bool(data.get("network_times", False))
        self._keeps_steps = bool(data.get("steps", False))
        self._asks = bool(data.get("questions", False))
        self._has_accounts = bool(data.get("accounts", False))
        self._asks_scopes = bool(data.get("account_scopes", False))
        self._takes_costs = bool(data.get("costs", False))
        self._takes_files = bool(data.get("files", False))
        if not _WORKER_ID.fullmatch(str(data["worker"])):
            raise ValueError("the gateway names no worker that an address could have")
        self._sender = Sender(
            self._http,
            f"workers/{data['worker']}/messages",
            heartbeat_s=data["heartbeat_ms"] / 1_000,
            on_unknown=self._stop,
            on_gone=self.close,
            on_beat=self._watch,
        )
        self._on_event({"kind": "connected", "worker": data["worker"], "tools": data["tools"]})
        if self._is_draining:
            self._sender.say({"type": "drain"})

    def _begin(self, frame: dict[str, Any]) -> None:
        attempt, tool = frame["attempt"], self._tools.get(f"{frame['tool']}@{frame['version']}")
        sender = self._sender
        assert sender is not None
        if tool is None or self._is_draining:
            sender.say({"type": "return", "attempt": attempt})
            return
        caller = frame["caller"]
        context = Context(
            caller=Caller(caller["tenant_id"], caller["user_id"], caller["tier"]),
            effect_key=frame["effect_key"],
            attempt=frame["number"],
            trace_id=frame["trace_id"],
            session_id=frame["session_id"],
            earlier_output=frame.get("earlier_output", []),
            _id=attempt,
            _takes_costs=self._takes_costs,
            _say=partial(_say, sender, count(1) if self._numbers_outputs else None),
        )
        if self._keeps_steps:
            context._steps = Steps(
                frame.get("earlier_steps", ()),
                partial(_keep, sender, context),
                job_id=frame["effect_key"],
                hooks=frame.get("hooks"),
                asks=self._asks,
            )
        if self._has_accounts:
            context._ask_token = partial(self._token, sender, context, count(1))
        if self._takes_files:
            context._send_file = partial(self._file, sender, context, count(1))
        else:
            context._send_file = _old_gateway
        with self._changed:
            # It was delivered twice.
            if attempt in self._running or self._is_over:
                return
            # Whatever the gateway sends, no more runs than was announced; as much again may run that was stopped and goes on.
            is_full = len(self._running) >= self._concurrency or self._alive >= 2 * self._concurrency
            if not is_full:
                self._running[attempt] = context
                self._alive += 1
        if is_full:
            sender.say({"type": "return", "attempt": attempt})
            return
        # A thread each: a tool that does not heed its cancellation takes the place of no other.
        threading.Thread(target=self._run_attempt, args=(tool, frame, context, sender), daemon=True).start()

    def _token(self, sender: Sender, context: Context, numbers: Iterator[int], refused: str | None, scopes: list[str]) -> str:
        if scopes and not self._asks_scopes:
            raise RuntimeError("This gateway asks for no more rights of an account: it is of an older version")
        number = next(numbers)
        message: dict[str, Any] = {"type": "token", "attempt": context._id, "number": number}
        if refused is not None:
            message["refused"] = refused
        if scopes:
            message["scopes"] = scopes
        # Where there is no account the gateway rests the call, and stops the attempt.
        token: str | None = sender.keep(message, _token_name(number), lambda: context.is_cancelled)
        if token is None:
            raise Cancelled
        return token

    def _file(self, sender: Sender, context: Context, numbers: Iterator[int], given: File) -> dict[str, Any]:
        number = next(numbers)

        def send(piece: dict[str, Any]) -> dict[str, Any]:
            until = piece["offset"] + len(base64.b64decode(piece["data"]))
            name = _piece_name(number, until, "last" in piece)
            taken: dict[str, Any] | None = sender.keep({**piece, "attempt": context._id}, name, lambda: context.is_cancelled)
            if taken is None:
                raise Cancelled
            return taken

        return send_file(given, number, send)

    def _run_attempt(self, tool: Tool, frame: dict[str, Any], context: Context, sender: Sender) -> None:
        limit_ms = frame["timeout_ms"]

        def expire() -> None:
            self._end(context, sender, failed(TimeoutError(f"not done in {limit_ms} ms"), "timeout"), tool)
            context._stop()

        timer = threading.Timer(limit_ms / 1_000, expire)
        timer.daemon = True
        timer.start()
        message = end_of(tool, frame["input"], context)
        timer.cancel()
        with self._changed:
            self._alive -= 1
        self._end(context, sender, message, tool)

    def _end(self, context: Context, sender: Sender, message: dict[str, Any] | None, tool: Tool) -> None:
        with self._changed:
            # It was stopped, or has ended by its time limit.
            if self._running.get(context._id) is not context:
                return
            if message is not None:
                waited = {"network_ms": round(context._network_s * 1_000, 2)} if self._tells_network(context, message) else {}
                sender.end({**message, **waited, "attempt": context._id})
            del self._running[context._id]
            self._changed.notify_all()
        if message is not None and message["type"] == "failed":
            self._on_event({"kind": "failed", "tool": tool.name, "trace_id": context.trace_id, "cause": message["cause"]["stack"]})

    def _tells_network(self, context: Context, message: Mapping[str, Any]) -> bool:
        # Of parameters that the tool did not take there is nothing to tell.
        return self._takes_network and context._network_s > 0 and message["type"] != "invalid"

    def _stop(self, attempt: str) -> None:
        with self._changed:
            context = self._running.pop(attempt, None)
            self._changed.notify_all()
        if context:
            context._stop()

    def _watch(self) -> None:
        """The gateway says something every few seconds."""
        if time.monotonic() - self._heard_at > self._silence_s:
            self.close()


def _keep(sender: Sender, context: Context, name: str, data: Any) -> None:
    message = {"type": "step", "attempt": context._id, "name": name, "data": data}
    if not sender.keep(message, name, lambda: context.is_cancelled):
        raise Cancelled


def _piece_name(number: int, until: int, is_last: bool) -> str:
    return f"file {number} until {until}{' whole' if is_last else ''}"


def _old_gateway(given: File) -> dict[str, Any]:
    raise RuntimeError(f"This gateway takes no files of tools, such as {given.name!r}: it is of an older version")


def _token_name(number: int) -> str:
    return f"token {number}"


def _say(sender: Sender, numbers: Iterator[int] | None, message: dict[str, Any]) -> None:
    # What is sent again, because its answer was lost, is taken once.
    if numbers is not None and message["type"] == "output":
        message = {**message, "number": next(numbers)}
    # A tool gives no more output than the gateway takes.
    sender.say(message, waits=message["type"] == "output")
