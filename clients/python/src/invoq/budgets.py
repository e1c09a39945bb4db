"""Budgets, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, cast
from urllib.parse import quote

from .wire import Budget, NewBudget


class Budgets:
    """What calls of the tenant may cost, or how many there may be. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(self) -> list[Budget]:
        return cast("list[Budget]", self._get("budgets")["budgets"])

    def get(self, name: str) -> Budget:
        return cast(Budget, self._get(_path(name)))

    def put(self, name: str, budget: NewBudget) -> Budget:
        """Makes one, or puts it in the place of another."""
        return cast(Budget, self._send("PUT", _path(name), body=budget))

    def delete(self, name: str) -> Budget:
        return cast(Budget, self._send("DELETE", _path(name)))


class AsyncBudgets:
    """What calls of the tenant may cost, or how many there may be, for asyncio. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(self) -> list[Budget]:
        return cast("list[Budget]", (await self._get("budgets"))["budgets"])

    async def get(self, name: str) -> Budget:
        return cast(Budget, await self._get(_path(name)))

    async def put(self, name: str, budget: NewBudget) -> Budget:
        """Makes one, or puts it in the place of another."""
        return cast(Budget, await self._send("PUT", _path(name), body=budget))

    async def delete(self, name: str) -> Budget:
        return cast(Budget, await self._send("DELETE", _path(name)))


def _path(name: str) -> str:
    return f"budgets/{quote(name, safe='')}"
