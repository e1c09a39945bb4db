"""Pauses by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, Invoq, NewPause
from scripted import Scripted, answer

PAUSE: NewPause = {"tool": "get_weather", "reason": "down"}
ROW = {"name": "all", **PAUSE}


def fill(server: Scripted) -> None:
    server.answers += [answer(200, {"pauses": [ROW]}), answer(200, ROW), answer(201, ROW), answer(200, ROW)]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("GET", "/pauses"),
        ("GET", "/pauses/a%2Fb"),
        ("PUT", "/pauses/all"),
        ("DELETE", "/pauses/all"),
    ]
    assert json.loads(server.asked[2][3]) == PAUSE


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.pauses.list()[0]["name"] == "all"
        invoq.pauses.get("a/b")
        assert invoq.pauses.put("all", PAUSE)["reason"] == "down"
        invoq.pauses.delete("all")
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.pauses.list())[0]["name"] == "all"
            await invoq.pauses.get("a/b")
            assert (await invoq.pauses.put("all", PAUSE))["reason"] == "down"
            await invoq.pauses.delete("all")

    fill(server)
    asyncio.run(use())
    check(server)
