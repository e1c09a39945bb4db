"""Serves tools from anywhere: the worker connects out to a gateway, and connects again whenever the connection ends.

    from invoq.worker import Context, serve, tool

    @tool(effect="read", examples=[{"input": {"units": 2}, "output": {"total": 20}}])
    def make_quote(units: int, context: Context) -> Quote: ...

    serve([make_quote], url="https://invoq.example", key=os.environ["INVOQ_API_KEY"], domain="sales")
"""

from __future__ import annotations

import json
import random
import signal
import sys
import threading
from typing import Any, Sequence

import httpx

from .retrying import doubled
from .schema import Field
from .steps import Answer, Hook, HookTimeout
from .session import ConnectionRefused, OnEvent, Session
from .tool import Cancelled, Caller, Context, Failure, File, Refused, SchemaError, Tool, file, tool

_FIRST_DELAY_S = 0.2
_LONGEST_DELAY_S = 10.0


def _print(event: dict[str, Any]) -> None:
    print(json.dumps(event), file=sys.stderr, flush=True)


class Worker:
    """A worker of one domain. `run` serves until `stop` is called from another thread."""

    def __init__(
        self,
        tools: Sequence[Tool],
        *,
        url: str,
        key: str,
        domain: str,
        concurrency: int = 8,
        name: str | None = None,
        on_event: OnEvent = _print,
    ) -> None:
        """url: of the gateway. key: an API key with the scope `tools:serve`. concurrency: attempts at the same time, 1–256."""
        announcement = {"protocol": 1, "domain": domain, "concurrency": concurrency, "tools": [dict(one.contract) for one in tools]}
        self._announcement = json.dumps({**announcement, **({} if name is None else {"name": name})}).encode()
        self._tools = {f"{one.name}@{one.contract['version']}": one for one in tools}
        self._url, self._key, self._on_event, self._concurrency = url, key, on_event, concurrency
        self._stopping = threading.Event()
        self._sessions = list[Session]()
        self._threads = list[threading.Thread]()
        self._failure: Exception | None = None

    def run(self) -> None:
        """Raises ConnectionRefused when no gateway will ever let the worker in, such as for its key, and what else ended it."""
        headers = {"authorization": f"Bearer {self._key}"}
        with httpx.Client(base_url=f"{self._url.rstrip('/')}/", headers=headers) as http:
            self._connect(http)
            while self._threads:
                self._threads.pop(0).join()
        if self._failure:
            raise self._failure

    def stop(self) -> None:
        """Takes no more calls, ends those that run, and leaves."""
        self._stopping.set()
        for session in list(self._sessions):
            session.drain()

    def _connect(self, http: httpx.Client) -> None:
        thread = threading.Thread(target=self._keep_connected, args=(http,), daemon=True)
        self._threads.append(thread)
        thread.start()

    def _keep_connected(self, http: httpx.Client) -> None:
        failures, is_replaced = 0, False

        def on_welcome() -> None:
            nonlocal failures
            failures = 0

        def on_drain() -> None:
            nonlocal is_replaced
            if not is_replaced:
                is_replaced = True
                self._connect(http)

        while not self._stopping.is_set():
            session = Session(http, self._announcement, self._tools, self._on_event, concurrency=self._concurrency)
            cause = "the connection has ended"
            self._sessions.append(session)
            try:
                session.run(on_welcome, on_drain)
            except ConnectionRefused as error:
                if not error.retryable:
                    self._failure = error
                    return
                cause = str(error)
            except httpx.TransportError as error:
                cause = f"{type(error).__name__}: {error}"
            except Exception as error:
                # Such as of `on_event`, or an answer that is no gateway's. A thread has nobody to tell it to.
                self._failure = error
                return
            finally:
                self._sessions.remove(session)
            if is_replaced or self._stopping.is_set():
                return
            failures += 1
            delay = doubled(_FIRST_DELAY_S, failures - 1, longest=_LONGEST_DELAY_S) * (0.75 + random.random() / 2)
            self._on_event({"kind": "disconnected", "cause": cause, "again_in_s": round(delay, 2)})
            self._stopping.wait(delay)


def serve(
    tools: Sequence[Tool],
    *,
    url: str,
    key: str,
    domain: str,
    concurrency: int = 8,
    name: str | None = None,
    on_event: OnEvent = _print,
) -> None:
    """Serves until SIGTERM or SIGINT: then what runs is ended first. Of the main thread; elsewhere use `Worker`."""
    worker = Worker(tools, url=url, key=key, domain=domain, concurrency=concurrency, name=name, on_event=on_event)
    for number in (signal.SIGTERM, signal.SIGINT):
        # In a thread: a handler of signals must not wait.
        signal.signal(number, lambda *_: threading.Thread(target=worker.stop).start())
    worker.run()


__all__ = [
    "Answer",
    "Cancelled",
    "Caller",
    "ConnectionRefused",
    "Context",
    "Failure",
    "Field",
    "File",
    "Hook",
    "HookTimeout",
    "Refused",
    "SchemaError",
    "Tool",
    "Worker",
    "file",
    "serve",
    "tool",
]
