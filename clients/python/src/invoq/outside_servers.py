"""Outside servers, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, cast
from urllib.parse import quote

from .wire import NewOutsideServer, OutsideServer


class OutsideServers:
    """Servers whose tools the tenant uses: of MCP, of REST, services with an OpenAPI document, and databases. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(self) -> list[OutsideServer]:
        return cast("list[OutsideServer]", self._get("mcp/servers")["servers"])

    def get(self, name: str) -> OutsideServer:
        return cast(OutsideServer, self._get(_path(name)))

    def register(self, server: NewOutsideServer) -> OutsideServer:
        """Registers one, or approves what it has now."""
        return cast(OutsideServer, self._send("POST", "mcp/servers", body=server))

    def remove(self, name: str) -> OutsideServer:
        return cast(OutsideServer, self._send("DELETE", _path(name)))


class AsyncOutsideServers:
    """Servers whose tools the tenant uses: of MCP, of REST, services with an OpenAPI document, and databases, for asyncio. The key needs
    the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(self) -> list[OutsideServer]:
        return cast("list[OutsideServer]", (await self._get("mcp/servers"))["servers"])

    async def get(self, name: str) -> OutsideServer:
        return cast(OutsideServer, await self._get(_path(name)))

    async def register(self, server: NewOutsideServer) -> OutsideServer:
        """Registers one, or approves what it has now."""
        return cast(OutsideServer, await self._send("POST", "mcp/servers", body=server))

    async def remove(self, name: str) -> OutsideServer:
        return cast(OutsideServer, await self._send("DELETE", _path(name)))


def _path(name: str) -> str:
    return f"mcp/servers/{quote(name, safe='')}"
