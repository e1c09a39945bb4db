"""Calls that are cancelled together, and sums of calls, by both clients."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, CallSumsFilter, Invoq, OpenFilter
from scripted import Scripted, answer

OPEN: OpenFilter = {"tool": "report", "state": "waiting", "from": "2026-01-31T00:00:00Z"}
SUMS: CallSumsFilter = {"by": "model,conversation", "from": "2026-01-31"}
PAGE = {"sums": [{"model": None, "conversation_id": "c", "cost_micros": 7}], "pagination": {"has_more": True, "next_cursor": "next"}}


def fill(server: Scripted) -> None:
    server.answers += [
        answer(200, {"count": 5}),
        answer(200, {"cancelled": 3, "next_to": "2026-02-01T00:00:00.000Z"}),
        answer(200, {"cancelled": 2, "next_to": None}),
        answer(200, {"cancelled": 0, "next_to": None}),
        answer(200, PAGE),
    ]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("POST", "/jobs/cancel?dry_run=true"),
        ("POST", "/jobs/cancel"),
        ("POST", "/jobs/cancel"),
        ("POST", "/jobs/cancel"),
        ("GET", "/usage/calls?by=model%2Cconversation&from=2026-01-31"),
    ]
    bodies = [json.loads(body) for _, _, _, body in server.asked[:4]]
    assert bodies == [OPEN, OPEN, {**OPEN, "to": "2026-02-01T00:00:00.000Z"}, {}]


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.count_open(OPEN) == 5
        assert invoq.cancel_all(OPEN) == 5
        assert invoq.cancel_all() == 0
        page = invoq.call_sums(SUMS)
        assert (page.sums[0]["cost_micros"], page.next_cursor) == (7, "next")
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    fill(server)

    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert await invoq.count_open(OPEN) == 5
            assert await invoq.cancel_all(OPEN) == 5
            assert await invoq.cancel_all() == 0
            page = await invoq.call_sums(SUMS)
            assert (page.sums[0]["cost_micros"], page.next_cursor) == (7, "next")

    asyncio.run(use())
    check(server)
