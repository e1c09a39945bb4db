"""Kinds of error by both clients: what is asked for, and what is made of the answer."""

from __future__ import annotations

import asyncio

from invoq import AsyncInvoq, ErrorsFilter, Invoq
from scripted import Scripted, answer

PAGE = {"errors": [{"code": "TIMEOUT", "count": 3}], "total": {"caller": 0, "system": 3}}
FILTER: ErrorsFilter = {"scope": "all", "cause": "system", "from": "2026-01-31T00:00:00+01:00"}


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("GET", "/errors?"),
        ("GET", "/errors?scope=all&cause=system&from=2026-01-31T00%3A00%3A00%2B01%3A00"),
    ]


def test_the_client(server: Scripted) -> None:
    server.answers += [answer(200, PAGE), answer(200, PAGE)]
    with Invoq(server.url) as invoq:
        assert invoq.errors()["errors"][0]["count"] == 3
        assert invoq.errors(FILTER)["total"]["system"] == 3
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.errors())["errors"][0]["count"] == 3
            await invoq.errors(FILTER)

    server.answers += [answer(200, PAGE), answer(200, PAGE)]
    asyncio.run(use())
    check(server)
