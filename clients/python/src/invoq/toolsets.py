"""Sets of tools, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, cast
from urllib.parse import quote

from .wire import NewToolset, Toolset, ToolsetPreview


class Toolsets:
    """Named sets of tools: what agents see and call, under which names. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(self) -> list[Toolset]:
        return cast("list[Toolset]", self._get("toolsets")["toolsets"])

    def get(self, name: str) -> Toolset:
        return cast(Toolset, self._get(_path(name)))

    def put(self, name: str, toolset: NewToolset) -> Toolset:
        """Makes one, or puts it in the place of another."""
        return cast(Toolset, self._send("PUT", _path(name), body=toolset))

    def delete(self, name: str) -> Toolset:
        return cast(Toolset, self._send("DELETE", _path(name)))

    def preview(self, toolset: str | NewToolset, format: str = "mcp") -> ToolsetPreview:
        """What an agent sees of a set, by its name or as it would be, and how many tokens that takes."""
        if isinstance(toolset, str):
            return cast(ToolsetPreview, self._get(f"{_path(toolset)}/preview?format={quote(format, safe='')}"))
        return cast(ToolsetPreview, self._send("POST", f"toolsets/preview?format={quote(format, safe='')}", body=toolset))


class AsyncToolsets:
    """Named sets of tools: what agents see and call, under which names, for asyncio. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(self) -> list[Toolset]:
        return cast("list[Toolset]", (await self._get("toolsets"))["toolsets"])

    async def get(self, name: str) -> Toolset:
        return cast(Toolset, await self._get(_path(name)))

    async def put(self, name: str, toolset: NewToolset) -> Toolset:
        """Makes one, or puts it in the place of another."""
        return cast(Toolset, await self._send("PUT", _path(name), body=toolset))

    async def delete(self, name: str) -> Toolset:
        return cast(Toolset, await self._send("DELETE", _path(name)))

    async def preview(self, toolset: str | NewToolset, format: str = "mcp") -> ToolsetPreview:
        """What an agent sees of a set, by its name or as it would be, and how many tokens that takes."""
        if isinstance(toolset, str):
            return cast(ToolsetPreview, await self._get(f"{_path(toolset)}/preview?format={quote(format, safe='')}"))
        return cast(ToolsetPreview, await self._send("POST", f"toolsets/preview?format={quote(format, safe='')}", body=toolset))


def _path(name: str) -> str:
    return f"toolsets/{quote(name, safe='')}"
