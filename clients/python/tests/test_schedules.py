"""Schedules by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, Invoq, NewSchedule
from scripted import Scripted, answer

NIGHTLY: NewSchedule = {"name": "nightly", "tool": "get_weather", "arguments": {"location": "Berlin"}, "cron": "0 2 * * *"}
PAGE = {"has_more": True, "next_cursor": "next"}


def fill(server: Scripted) -> None:
    server.answers += [
        answer(201, NIGHTLY),
        answer(200, {"schedules": [NIGHTLY], "pagination": PAGE}),
        answer(200, NIGHTLY),
        answer(200, NIGHTLY),
        answer(202, {"job_id": "inv_1"}),
        answer(200, {"runs": [{"state": "called"}], "pagination": {**PAGE, "next_cursor": None}}),
        answer(200, NIGHTLY),
        answer(200, {"next": ["2030-01-01T02:00:00.000Z"]}),
    ]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("POST", "/schedules"),
        ("GET", "/schedules?scope=tenant&limit=5"),
        ("GET", "/schedules/a%2Fb"),
        ("PATCH", "/schedules/nightly"),
        ("POST", "/schedules/nightly/run"),
        ("GET", "/schedules/nightly/runs?cursor=c"),
        ("DELETE", "/schedules/nightly"),
        ("POST", "/schedules?dry_run=true"),
    ]
    assert json.loads(server.asked[0][3]) == NIGHTLY
    assert json.loads(server.asked[3][3]) == {"paused": True, "ends_at": None}
    assert server.asked[4][2].get("idempotency-key") == "k"


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.schedules.create(NIGHTLY)["name"] == "nightly"
        page = invoq.schedules.list(scope="tenant", limit=5)
        assert (page.schedules[0]["name"], page.next_cursor) == ("nightly", "next")
        invoq.schedules.get("a/b")
        invoq.schedules.change("nightly", {"paused": True, "ends_at": None})
        assert invoq.schedules.run("nightly", idempotency_key="k") == "inv_1"
        runs = invoq.schedules.runs("nightly", cursor="c")
        assert (runs.runs[0]["state"], runs.next_cursor) == ("called", None)
        invoq.schedules.delete("nightly")
        assert invoq.schedules.preview(NIGHTLY) == ["2030-01-01T02:00:00.000Z"]
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    fill(server)

    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.schedules.create(NIGHTLY))["name"] == "nightly"
            assert (await invoq.schedules.list(scope="tenant", limit=5)).next_cursor == "next"
            await invoq.schedules.get("a/b")
            await invoq.schedules.change("nightly", {"paused": True, "ends_at": None})
            assert await invoq.schedules.run("nightly", idempotency_key="k") == "inv_1"
            assert (await invoq.schedules.runs("nightly", cursor="c")).next_cursor is None
            await invoq.schedules.delete("nightly")
            assert await invoq.schedules.preview(NIGHTLY) == ["2030-01-01T02:00:00.000Z"]

    asyncio.run(use())
    check(server)
