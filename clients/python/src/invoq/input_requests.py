"""What people are asked while calls rest, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Literal, Mapping, cast
from urllib.parse import quote, urlencode

from .wire import InputRequest, InputRequestPage

Action = Literal["accept", "decline", "cancel"]


class InputRequests:
    """What people are asked while calls rest."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def list(
        self,
        *,
        scope: str | None = None,
        state: str | None = None,
        kind: str | None = None,
        tool: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> InputRequestPage:
        """A page, newest first. scope: `tenant` with the scope `approvals`."""
        path = _listed(scope=scope, state=state, kind=kind, tool=tool, cursor=cursor, limit=limit)
        return _page_of(self._get(path))

    def get(self, id: str) -> InputRequest:
        return cast(InputRequest, self._get(_path(id)))

    def decide(self, id: str, action: Action, *, content: Mapping[str, Any] | None = None, reason: str | None = None) -> InputRequest:
        """Raises CONFLICT where somebody has decided already, and EXPIRED after its end. content: with `accept`, such as `{"arguments": {…}}`."""
        return cast(InputRequest, self._send("POST", _path(id), body=_decision(action, content, reason)))


class AsyncInputRequests:
    """What people are asked while calls rest, for asyncio."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def list(
        self,
        *,
        scope: str | None = None,
        state: str | None = None,
        kind: str | None = None,
        tool: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> InputRequestPage:
        """A page, newest first. scope: `tenant` with the scope `approvals`."""
        path = _listed(scope=scope, state=state, kind=kind, tool=tool, cursor=cursor, limit=limit)
        return _page_of(await self._get(path))

    async def get(self, id: str) -> InputRequest:
        return cast(InputRequest, await self._get(_path(id)))

    async def decide(self, id: str, action: Action, *, content: Mapping[str, Any] | None = None, reason: str | None = None) -> InputRequest:
        """Raises CONFLICT where somebody has decided already, and EXPIRED after its end. content: with `accept`, such as `{"arguments": {…}}`."""
        return cast(InputRequest, await self._send("POST", _path(id), body=_decision(action, content, reason)))


def _path(id: str) -> str:
    return f"input-requests/{quote(id, safe='')}"


def _listed(**given: str | int | None) -> str:
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return f"input-requests?{query}" if query else "input-requests"


def _decision(action: Action, content: Mapping[str, Any] | None, reason: str | None) -> dict[str, Any]:
    given = {"action": action, "content": content, "reason": reason}
    return {name: value for name, value in given.items() if value is not None}


def _page_of(answer: dict[str, Any]) -> InputRequestPage:
    return InputRequestPage(input_requests=answer["input_requests"], next_cursor=answer["pagination"]["next_cursor"])
