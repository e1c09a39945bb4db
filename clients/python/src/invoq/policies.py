"""Policies, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Mapping, cast
from urllib.parse import quote

from .wire import NewPolicy, Policy, PolicyVerdict


class Policies:
    """Rules of the tenant for the calls of its callers, looked at in the order of their names. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(self) -> list[Policy]:
        return cast("list[Policy]", self._get("policies")["policies"])

    def get(self, name: str) -> Policy:
        return cast(Policy, self._get(_path(name)))

    def put(self, name: str, policy: NewPolicy) -> Policy:
        """Makes one, or puts it in the place of another."""
        return cast(Policy, self._send("PUT", _path(name), body=policy))

    def delete(self, name: str) -> Policy:
        return cast(Policy, self._send("DELETE", _path(name)))

    def test(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        policy: Mapping[str, Any] | None = None,
        caller: Mapping[str, Any] | None = None,
        at: str | None = None,
    ) -> PolicyVerdict:
        """What they say of a call that is not made. policy: instead of the stored ones. caller: what differs from this one. at: ISO 8601."""
        return cast(PolicyVerdict, self._send("POST", "policies/test", body=_call(tool, arguments, policy=policy, caller=caller, at=at)))


class AsyncPolicies:
    """Rules of the tenant for the calls of its callers, for asyncio. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(self) -> list[Policy]:
        return cast("list[Policy]", (await self._get("policies"))["policies"])

    async def get(self, name: str) -> Policy:
        return cast(Policy, await self._get(_path(name)))

    async def put(self, name: str, policy: NewPolicy) -> Policy:
        """Makes one, or puts it in the place of another."""
        return cast(Policy, await self._send("PUT", _path(name), body=policy))

    async def delete(self, name: str) -> Policy:
        return cast(Policy, await self._send("DELETE", _path(name)))

    async def test(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        *,
        policy: Mapping[str, Any] | None = None,
        caller: Mapping[str, Any] | None = None,
        at: str | None = None,
    ) -> PolicyVerdict:
        """What they say of a call that is not made. policy: instead of the stored ones. caller: what differs from this one. at: ISO 8601."""
        body = _call(tool, arguments, policy=policy, caller=caller, at=at)
        return cast(PolicyVerdict, await self._send("POST", "policies/test", body=body))


def _path(name: str) -> str:
    return f"policies/{quote(name, safe='')}"


def _call(tool: str, arguments: Mapping[str, Any], **others: object) -> dict[str, Any]:
    return {"tool": tool, "arguments": dict(arguments), **{name: value for name, value in others.items() if value is not None}}
