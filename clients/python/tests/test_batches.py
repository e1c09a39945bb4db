"""Batches by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

import pytest

from invoq import AsyncInvoq, Invoq, InvoqError, NewBatchCall
from scripted import METADATA, Scripted, answer, drop, failure

CALLS: list[NewBatchCall] = [{"id": 1, "name": "a"}, {"name": "b", "arguments": {"x": "\n"}}]
SHOWN = {"batch_id": "b", "state": "running", "total": 3, "completed": 0, "finished_at": None}


def line(index: int) -> str:
    return json.dumps({"id": None, "index": index, "success": True, "status": "success", "metadata": METADATA}) + "\n"


def fill(server: Scripted) -> None:
    server.answers += [
        answer(202, SHOWN),
        answer(202, SHOWN),
        answer(200, {"count": 7}),
        answer(200, {"batches": [SHOWN], "pagination": {"has_more": True, "next_cursor": "next"}}),
        answer(202, {**SHOWN, "state": "cancelled"}),
        answer(200, SHOWN),
        answer(200, line(0)),
        answer(503, failure("NETWORK_ERROR", retryable=True, retry_after_ms=1)),
        drop,
        answer(200, line(1) + "\n" + line(2)),
    ]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("POST", "/batches"),
        ("POST", "/batches"),
        ("POST", "/batches?dry_run=true"),
        ("GET", "/batches?state=running&limit=5"),
        ("DELETE", "/batches/a%2Fb"),
        ("GET", "/batches/b"),
        ("GET", "/batches/b/results?after=-1&wait=30"),
        ("GET", "/batches/b/results?after=0&wait=30"),
        ("GET", "/batches/b/results?after=0&wait=30"),
        ("GET", "/batches/b/results?after=0&wait=30"),
    ]
    assert json.loads(server.asked[0][3]) == {"calls": CALLS, "rate_per_s": 5}
    assert server.asked[0][2].get("idempotency-key") == "k"
    assert json.loads(server.asked[1][3]) == {"replay": {"from": "2026-01-01T00:00:00Z"}}
    assert json.loads(server.asked[2][3]) == {"replay": {"job_ids": ["inv_1"]}}


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.batches.create(CALLS, rate_per_s=5, idempotency_key="k") == "b"
        assert invoq.batches.replay({"from": "2026-01-01T00:00:00Z"}) == "b"
        assert invoq.batches.count_replays({"job_ids": ["inv_1"]}) == 7
        page = invoq.batches.list(state="running", limit=5)
        assert (page.batches[0]["batch_id"], page.next_cursor) == ("b", "next")
        assert invoq.batches.cancel("a/b")["state"] == "cancelled"
        assert [result["index"] for result in invoq.batches.results("b")] == [0, 1, 2]
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    fill(server)

    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert await invoq.batches.create(CALLS, rate_per_s=5, idempotency_key="k") == "b"
            assert await invoq.batches.replay({"from": "2026-01-01T00:00:00Z"}) == "b"
            assert await invoq.batches.count_replays({"job_ids": ["inv_1"]}) == 7
            page = await invoq.batches.list(state="running", limit=5)
            assert (page.batches[0]["batch_id"], page.next_cursor) == ("b", "next")
            assert (await invoq.batches.cancel("a/b"))["state"] == "cancelled"
            assert [result["index"] async for result in invoq.batches.results("b")] == [0, 1, 2]

    asyncio.run(use())
    check(server)


def test_a_batch_that_is_not_there(server: Scripted) -> None:
    server.answers += [answer(200, SHOWN), answer(404, failure("RESOURCE_NOT_FOUND"))]
    with Invoq(server.url) as invoq, pytest.raises(InvoqError, match="no"):
        list(invoq.batches.results("b"))
    assert len(server.asked) == 2
