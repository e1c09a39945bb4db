"""Flows, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, List, cast
from urllib.parse import quote, urlencode

from .wire import NewFlow, Flow, WaitingLine


class Flows:
    """Calls that wait for each other in lines by a key. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(self) -> list[Flow]:
        return cast("list[Flow]", self._get("flows")["flows"])

    def get(self, name: str) -> Flow:
        return cast(Flow, self._get(_path(name)))

    def put(self, name: str, flow: NewFlow) -> Flow:
        """Makes one, or puts it in the place of another."""
        return cast(Flow, self._send("PUT", _path(name), body=flow))

    def delete(self, name: str) -> Flow:
        """The calls that wait in its lines go on."""
        return cast(Flow, self._send("DELETE", _path(name)))

    def lines(self, flow: str | None = None, limit: int = 50) -> List[WaitingLine]:
        """The lines in which calls wait, the longest first: of one flow, or of all. `limit` is at most 100."""
        return cast("list[WaitingLine]", self._get(_lines(flow, limit))["lines"])


class AsyncFlows:
    """Calls that wait for each other in lines by a key, for asyncio. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(self) -> list[Flow]:
        return cast("list[Flow]", (await self._get("flows"))["flows"])

    async def get(self, name: str) -> Flow:
        return cast(Flow, await self._get(_path(name)))

    async def put(self, name: str, flow: NewFlow) -> Flow:
        """Makes one, or puts it in the place of another."""
        return cast(Flow, await self._send("PUT", _path(name), body=flow))

    async def delete(self, name: str) -> Flow:
        """The calls that wait in its lines go on."""
        return cast(Flow, await self._send("DELETE", _path(name)))

    async def lines(self, flow: str | None = None, limit: int = 50) -> List[WaitingLine]:
        """The lines in which calls wait, the longest first: of one flow, or of all. `limit` is at most 100."""
        return cast("list[WaitingLine]", (await self._get(_lines(flow, limit)))["lines"])


def _path(name: str) -> str:
    return f"flows/{quote(name, safe='')}"


def _lines(flow: str | None, limit: int) -> str:
    return "flow-lines?" + urlencode({"limit": str(limit), **({} if flow is None else {"flow": flow})})
