"""Webhooks by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, Invoq, NewWebhook
from scripted import Scripted, answer

HOOK: NewWebhook = {"url": "https://hooks.example/", "events": ["call.failed"]}
ROW = {**HOOK, "id": "w"}


def fill(server: Scripted) -> None:
    server.answers += [
        answer(201, {**ROW, "secret": "whsec_a"}),
        answer(200, {"webhooks": [ROW]}),
        answer(200, ROW),
        answer(200, ROW),
        answer(200, {**ROW, "secret": "whsec_b"}),
        answer(200, {"id": "d", "state": "succeeded"}),
        answer(200, {"deliveries": [{"id": "d"}], "pagination": {"has_more": True, "next_cursor": "next"}}),
        answer(202, {"id": "d", "state": "waiting"}),
        answer(200, ROW),
    ]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("POST", "/webhooks"),
        ("GET", "/webhooks"),
        ("GET", "/webhooks/a%2Fb"),
        ("PATCH", "/webhooks/w"),
        ("POST", "/webhooks/w/rotate"),
        ("POST", "/webhooks/w/test"),
        ("GET", "/webhooks/w/deliveries?state=failed&limit=5"),
        ("POST", "/webhooks/w/deliveries/d/retry"),
        ("DELETE", "/webhooks/w"),
    ]
    assert json.loads(server.asked[0][3]) == HOOK
    assert json.loads(server.asked[3][3]) == {"enabled": True, "filter": None}


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.webhooks.create(HOOK)["secret"] == "whsec_a"
        assert invoq.webhooks.list()[0]["id"] == "w"
        invoq.webhooks.get("a/b")
        invoq.webhooks.change("w", {"enabled": True, "filter": None})
        assert invoq.webhooks.rotate("w")["secret"] == "whsec_b"
        assert invoq.webhooks.test("w")["state"] == "succeeded"
        page = invoq.webhooks.deliveries("w", state="failed", limit=5)
        assert (page.deliveries[0]["id"], page.next_cursor) == ("d", "next")
        assert invoq.webhooks.retry("w", "d")["state"] == "waiting"
        invoq.webhooks.delete("w")
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    fill(server)

    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.webhooks.create(HOOK))["secret"] == "whsec_a"
            assert (await invoq.webhooks.list())[0]["id"] == "w"
            await invoq.webhooks.get("a/b")
            await invoq.webhooks.change("w", {"enabled": True, "filter": None})
            assert (await invoq.webhooks.rotate("w"))["secret"] == "whsec_b"
            assert (await invoq.webhooks.test("w"))["state"] == "succeeded"
            assert (await invoq.webhooks.deliveries("w", state="failed", limit=5)).next_cursor == "next"
            assert (await invoq.webhooks.retry("w", "d"))["state"] == "waiting"
            await invoq.webhooks.delete("w")

    asyncio.run(use())
    check(server)
