"""Providers of accounts, and the accounts of users there, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Literal, Sequence, cast
from urllib.parse import quote, urlencode

from .wire import Connection, ConnectionAddress, NewProvider, Provider, RemovedConnection


class Providers:
    """At whom users have accounts that tools act with. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(self) -> list[Provider]:
        return cast("list[Provider]", self._get("providers")["providers"])

    def get(self, name: str) -> Provider:
        return cast(Provider, self._get(_path("providers", name)))

    def put(self, name: str, provider: NewProvider) -> Provider:
        """Sets one up, or puts it in the place of another."""
        return cast(Provider, self._send("PUT", _path("providers", name), body=provider))

    def delete(self, name: str) -> Provider:
        """Deletes one with the accounts that are connected there."""
        return cast(Provider, self._send("DELETE", _path("providers", name)))


class Connections:
    """Accounts of the caller at providers."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(self, *, scope: Literal["mine", "tenant"] = "mine", provider: str | None = None) -> list[Connection]:
        """scope: `tenant`, with the scope `tenant:admin`, has all of the tenant."""
        return cast("list[Connection]", self._get(_listed(scope, provider))["connections"])

    def create(self, provider: str, *, return_to: str | None = None, scopes: Sequence[str] = ()) -> ConnectionAddress:
        """Begins to connect an account: the browser of its user goes to the `url`."""
        return cast(ConnectionAddress, self._send("POST", "connections", body=_asked(provider, return_to, scopes)))

    def delete(self, id: str) -> RemovedConnection:
        """Deletes one, and has its tokens revoked at the provider."""
        return cast(RemovedConnection, self._send("DELETE", _path("connections", id)))


class AsyncProviders:
    """At whom users have accounts that tools act with, for asyncio. The key needs the scope `tenant:admin`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(self) -> list[Provider]:
        return cast("list[Provider]", (await self._get("providers"))["providers"])

    async def get(self, name: str) -> Provider:
        return cast(Provider, await self._get(_path("providers", name)))

    async def put(self, name: str, provider: NewProvider) -> Provider:
        """Sets one up, or puts it in the place of another."""
        return cast(Provider, await self._send("PUT", _path("providers", name), body=provider))

    async def delete(self, name: str) -> Provider:
        """Deletes one with the accounts that are connected there."""
        return cast(Provider, await self._send("DELETE", _path("providers", name)))


class AsyncConnections:
    """Accounts of the caller at providers, for asyncio."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(self, *, scope: Literal["mine", "tenant"] = "mine", provider: str | None = None) -> list[Connection]:
        """scope: `tenant`, with the scope `tenant:admin`, has all of the tenant."""
        return cast("list[Connection]", (await self._get(_listed(scope, provider)))["connections"])

    async def create(self, provider: str, *, return_to: str | None = None, scopes: Sequence[str] = ()) -> ConnectionAddress:
        """Begins to connect an account: the browser of its user goes to the `url`."""
        return cast(ConnectionAddress, await self._send("POST", "connections", body=_asked(provider, return_to, scopes)))

    async def delete(self, id: str) -> RemovedConnection:
        """Deletes one, and has its tokens revoked at the provider."""
        return cast(RemovedConnection, await self._send("DELETE", _path("connections", id)))


def _path(place: str, name: str) -> str:
    return f"{place}/{quote(name, safe='')}"


def _listed(scope: str, provider: str | None) -> str:
    return f"connections?{urlencode({'scope': scope, **({} if provider is None else {'provider': provider})})}"


def _asked(provider: str, return_to: str | None, scopes: Sequence[str]) -> dict[str, Any]:
    return {"provider": provider, **({} if return_to is None else {"return_to": return_to}), **({"scopes": list(scopes)} if scopes else {})}
