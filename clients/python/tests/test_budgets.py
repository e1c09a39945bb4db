"""Budgets by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, Invoq, NewBudget
from scripted import Scripted, answer

BUDGET: NewBudget = {"period": "day", "limit_micros": 1_000_000, "user": "anna"}
ROW = {"name": "all", **BUDGET}


def fill(server: Scripted) -> None:
    server.answers += [answer(200, {"budgets": [ROW]}), answer(200, ROW), answer(201, ROW), answer(200, ROW)]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("GET", "/budgets"),
        ("GET", "/budgets/a%2Fb"),
        ("PUT", "/budgets/all"),
        ("DELETE", "/budgets/all"),
    ]
    assert json.loads(server.asked[2][3]) == BUDGET


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.budgets.list()[0]["name"] == "all"
        invoq.budgets.get("a/b")
        assert invoq.budgets.put("all", BUDGET)["user"] == "anna"
        invoq.budgets.delete("all")
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.budgets.list())[0]["name"] == "all"
            await invoq.budgets.get("a/b")
            assert (await invoq.budgets.put("all", BUDGET))["user"] == "anna"
            await invoq.budgets.delete("all")

    fill(server)
    asyncio.run(use())
    check(server)
