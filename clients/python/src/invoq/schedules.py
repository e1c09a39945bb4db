"""Schedules, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, cast
from urllib.parse import quote, urlencode

from . import exchange
from .wire import NewSchedule, Schedule, SchedulePage, ScheduleRunPage

# Within the classes, `list` is a method.
Moments = list[str]


class Schedules:
    """Calls that are made again and again. Each is named by its own name, or by its id. The key needs the scope `schedules`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def create(self, schedule: NewSchedule) -> Schedule:
        """Raises CONFLICT when there is one of this name."""
        return cast(Schedule, self._send("POST", "schedules", body=schedule))

    def preview(self, schedule: NewSchedule) -> Moments:
        """Checks one, and makes none. Gives its first five moments, by the plan, ISO 8601."""
        return cast(Moments, (self._send("POST", "schedules?dry_run=true", body=schedule))["next"])

    def list(self, *, scope: str | None = None, cursor: str | None = None, limit: int | None = None) -> SchedulePage:
        """A page of the caller's own, by name. scope: `tenant` for administrators."""
        return _page_of(self._get(_listed("schedules", scope=scope, cursor=cursor, limit=limit)))

    def get(self, name: str) -> Schedule:
        return cast(Schedule, self._get(_path(name)))

    def change(self, name: str, change: NewSchedule) -> Schedule:
        """Changes what is given; None takes a bound away. It calls with the rights of this key from then on."""
        return cast(Schedule, self._send("PATCH", _path(name), body=change))

    def delete(self, name: str) -> Schedule:
        return cast(Schedule, self._send("DELETE", _path(name)))

    def run(self, name: str, *, idempotency_key: str | None = None) -> str:
        """Makes its call now. Gives the id of the job."""
        headers = exchange.headers_of(idempotency_key=idempotency_key)
        return cast(str, (self._send("POST", f"{_path(name)}/run", headers=headers))["job_id"])

    def runs(self, name: str, *, cursor: str | None = None, limit: int | None = None) -> ScheduleRunPage:
        """A page of what became of its moments, the newest first."""
        return _run_page_of(self._get(_listed(f"{_path(name)}/runs", cursor=cursor, limit=limit)))


class AsyncSchedules:
    """Calls that are made again and again, for asyncio. Each is named by its own name, or by its id. The key needs the scope `schedules`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def create(self, schedule: NewSchedule) -> Schedule:
        """Raises CONFLICT when there is one of this name."""
        return cast(Schedule, await self._send("POST", "schedules", body=schedule))

    async def preview(self, schedule: NewSchedule) -> Moments:
        """Checks one, and makes none. Gives its first five moments, by the plan, ISO 8601."""
        return cast(Moments, (await self._send("POST", "schedules?dry_run=true", body=schedule))["next"])

    async def list(self, *, scope: str | None = None, cursor: str | None = None, limit: int | None = None) -> SchedulePage:
        """A page of the caller's own, by name. scope: `tenant` for administrators."""
        return _page_of(await self._get(_listed("schedules", scope=scope, cursor=cursor, limit=limit)))

    async def get(self, name: str) -> Schedule:
        return cast(Schedule, await self._get(_path(name)))

    async def change(self, name: str, change: NewSchedule) -> Schedule:
        """Changes what is given; None takes a bound away. It calls with the rights of this key from then on."""
        return cast(Schedule, await self._send("PATCH", _path(name), body=change))

    async def delete(self, name: str) -> Schedule:
        return cast(Schedule, await self._send("DELETE", _path(name)))

    async def run(self, name: str, *, idempotency_key: str | None = None) -> str:
        """Makes its call now. Gives the id of the job."""
        headers = exchange.headers_of(idempotency_key=idempotency_key)
        return cast(str, (await self._send("POST", f"{_path(name)}/run", headers=headers))["job_id"])

    async def runs(self, name: str, *, cursor: str | None = None, limit: int | None = None) -> ScheduleRunPage:
        """A page of what became of its moments, the newest first."""
        return _run_page_of(await self._get(_listed(f"{_path(name)}/runs", cursor=cursor, limit=limit)))


def _path(name: str) -> str:
    return f"schedules/{quote(name, safe='')}"


def _listed(path: str, **given: str | int | None) -> str:
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return f"{path}?{query}" if query else path


def _page_of(answer: dict[str, Any]) -> SchedulePage:
    return SchedulePage(schedules=answer["schedules"], next_cursor=answer["pagination"]["next_cursor"])


def _run_page_of(answer: dict[str, Any]) -> ScheduleRunPage:
    return ScheduleRunPage(runs=answer["runs"], next_cursor=answer["pagination"]["next_cursor"])
