"""Webhooks, for both clients."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, cast
from urllib.parse import quote, urlencode

from .wire import NewWebhook, Webhook, WebhookChange, WebhookDelivery, WebhookDeliveryPage, WebhookWithSecret


class Webhooks:
    """Addresses that are told what becomes of the calls of the tenant. The key needs the scope `webhooks`."""

    def __init__(self, get: Callable[..., dict[str, Any]], send: Callable[..., dict[str, Any]]) -> None:
        self._get = get
        self._send = send

    def create(self, webhook: NewWebhook) -> WebhookWithSecret:
        """The answer has the secret, this once."""
        return cast(WebhookWithSecret, self._send("POST", "webhooks", body=webhook))

    def list(self) -> list[Webhook]:
        """All of the tenant, the oldest first."""
        return cast("list[Webhook]", (self._get("webhooks"))["webhooks"])

    def get(self, id: str) -> Webhook:
        return cast(Webhook, self._get(_path(id)))

    def change(self, id: str, change: WebhookChange) -> Webhook:
        """Changes what is given; None takes the filter away."""
        return cast(Webhook, self._send("PATCH", _path(id), body=change))

    def delete(self, id: str) -> Webhook:
        return cast(Webhook, self._send("DELETE", _path(id)))

    def rotate(self, id: str) -> WebhookWithSecret:
        """Gives it another secret, told this once; the one before signs too for 24 hours."""
        return cast(WebhookWithSecret, self._send("POST", f"{_path(id)}/rotate"))

    def test(self, id: str) -> WebhookDelivery:
        """Sends a test now. Gives the delivery, with what came of it."""
        return cast(WebhookDelivery, self._send("POST", f"{_path(id)}/test"))

    def deliveries(
        self, id: str, *, state: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> WebhookDeliveryPage:
        """A page of what was sent, the newest first."""
        return _page_of(self._get(_listed(f"{_path(id)}/deliveries", state=state, cursor=cursor, limit=limit)))

    def retry(self, id: str, delivery_id: str) -> WebhookDelivery:
        """Has a delivery sent again, under the same `webhook-id`."""
        path = f"{_path(id)}/deliveries/{quote(delivery_id, safe='')}/retry"
        return cast(WebhookDelivery, self._send("POST", path))


class AsyncWebhooks:
    """Addresses that are told what becomes of the calls of the tenant, for asyncio. The key needs the scope `webhooks`."""

    def __init__(self, get: Callable[..., Awaitable[dict[str, Any]]], send: Callable[..., Awaitable[dict[str, Any]]]) -> None:
        self._get = get
        self._send = send

    async def create(self, webhook: NewWebhook) -> WebhookWithSecret:
        """The answer has the secret, this once."""
        return cast(WebhookWithSecret, await self._send("POST", "webhooks", body=webhook))

    async def list(self) -> list[Webhook]:
        """All of the tenant, the oldest first."""
        return cast("list[Webhook]", (await self._get("webhooks"))["webhooks"])

    async def get(self, id: str) -> Webhook:
        return cast(Webhook, await self._get(_path(id)))

    async def change(self, id: str, change: WebhookChange) -> Webhook:
        """Changes what is given; None takes the filter away."""
        return cast(Webhook, await self._send("PATCH", _path(id), body=change))

    async def delete(self, id: str) -> Webhook:
        return cast(Webhook, await self._send("DELETE", _path(id)))

    async def rotate(self, id: str) -> WebhookWithSecret:
        """Gives it another secret, told this once; the one before signs too for 24 hours."""
        return cast(WebhookWithSecret, await self._send("POST", f"{_path(id)}/rotate"))

    async def test(self, id: str) -> WebhookDelivery:
        """Sends a test now. Gives the delivery, with what came of it."""
        return cast(WebhookDelivery, await self._send("POST", f"{_path(id)}/test"))

    async def deliveries(
        self, id: str, *, state: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> WebhookDeliveryPage:
        """A page of what was sent, the newest first."""
        return _page_of(await self._get(_listed(f"{_path(id)}/deliveries", state=state, cursor=cursor, limit=limit)))

    async def retry(self, id: str, delivery_id: str) -> WebhookDelivery:
        """Has a delivery sent again, under the same `webhook-id`."""
        path = f"{_path(id)}/deliveries/{quote(delivery_id, safe='')}/retry"
        return cast(WebhookDelivery, await self._send("POST", path))


def _path(id: str) -> str:
    return f"webhooks/{quote(id, safe='')}"


def _listed(path: str, **given: str | int | None) -> str:
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return f"{path}?{query}" if query else path


def _page_of(answer: dict[str, Any]) -> WebhookDeliveryPage:
    return WebhookDeliveryPage(deliveries=answer["deliveries"], next_cursor=answer["pagination"]["next_cursor"])
