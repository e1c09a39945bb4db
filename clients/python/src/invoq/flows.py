"""Flows, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, cast
from urllib.parse import quote

from .wire import NewFlow, Flow


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


def _path(name: str) -> str:
    return f"flows/{quote(name, safe='')}"
