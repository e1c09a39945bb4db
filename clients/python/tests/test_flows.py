"""Flows by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, Invoq, NewFlow
from scripted import Scripted, answer

FLOW: NewFlow = {"tool": "get_weather", "concurrency": 1}
ROW = {"name": "all", **FLOW}


def fill(server: Scripted) -> None:
    server.answers += [answer(200, {"flows": [ROW]}), answer(200, ROW), answer(201, ROW), answer(200, ROW), answer(200, {"lines": [], "total": 0})]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("GET", "/flows"),
        ("GET", "/flows/a%2Fb"),
        ("PUT", "/flows/all"),
        ("DELETE", "/flows/all"),
        ("GET", "/flow-lines?limit=5&flow=a+b"),
    ]
    assert json.loads(server.asked[2][3]) == FLOW


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.flows.list()[0]["name"] == "all"
        invoq.flows.get("a/b")
        assert invoq.flows.put("all", FLOW)["concurrency"] == 1
        invoq.flows.delete("all")
        assert invoq.flows.lines("a b", limit=5) == []
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.flows.list())[0]["name"] == "all"
            await invoq.flows.get("a/b")
            assert (await invoq.flows.put("all", FLOW))["concurrency"] == 1
            await invoq.flows.delete("all")
            assert await invoq.flows.lines("a b", limit=5) == []

    fill(server)
    asyncio.run(use())
    check(server)
