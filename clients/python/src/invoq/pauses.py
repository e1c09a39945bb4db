"""Pauses, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, cast
from urllib.parse import quote

from .wire import NewPause, Pause


class Pauses:
    """Calls that wait, or are refused, until somebody ends it. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(self) -> list[Pause]:
        return cast("list[Pause]", self._get("pauses")["pauses"])

    def get(self, name: str) -> Pause:
        return cast(Pause, self._get(_path(name)))

    def put(self, name: str, pause: NewPause) -> Pause:
        """Makes one, or puts it in the place of another."""
        return cast(Pause, self._send("PUT", _path(name), body=pause))

    def delete(self, name: str) -> Pause:
        """Ends it: the calls that wait for it go on."""
        return cast(Pause, self._send("DELETE", _path(name)))


class AsyncPauses:
    """Calls that wait, or are refused, until somebody ends it, for asyncio. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(self) -> list[Pause]:
        return cast("list[Pause]", (await self._get("pauses"))["pauses"])

    async def get(self, name: str) -> Pause:
        return cast(Pause, await self._get(_path(name)))

    async def put(self, name: str, pause: NewPause) -> Pause:
        """Makes one, or puts it in the place of another."""
        return cast(Pause, await self._send("PUT", _path(name), body=pause))

    async def delete(self, name: str) -> Pause:
        """Ends it: the calls that wait for it go on."""
        return cast(Pause, await self._send("DELETE", _path(name)))


def _path(name: str) -> str:
    return f"pauses/{quote(name, safe='')}"
