"""Policies by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, Invoq, NewPolicy
from scripted import Scripted, answer

RULE: NewPolicy = {"when": "args.amount > 100", "then": "ask", "message": "May it?"}
ROW = {"name": "large", **RULE}
VERDICT = {"outcome": "ask", "policy": "large", "message": "May it?", "policies": []}


def fill(server: Scripted) -> None:
    server.answers += [answer(200, {"policies": [ROW]}), answer(200, ROW), answer(201, ROW), answer(200, VERDICT), answer(200, ROW)]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("GET", "/policies"),
        ("GET", "/policies/a%2Fb"),
        ("PUT", "/policies/large"),
        ("POST", "/policies/test"),
        ("DELETE", "/policies/large"),
    ]
    assert json.loads(server.asked[2][3]) == RULE
    assert json.loads(server.asked[3][3]) == {"tool": "refund", "arguments": {"amount": 500}, "caller": {"tier": "free"}}


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.policies.list()[0]["name"] == "large"
        invoq.policies.get("a/b")
        assert invoq.policies.put("large", RULE)["then"] == "ask"
        assert invoq.policies.test("refund", {"amount": 500}, caller={"tier": "free"})["outcome"] == "ask"
        invoq.policies.delete("large")
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.policies.list())[0]["name"] == "large"
            await invoq.policies.get("a/b")
            assert (await invoq.policies.put("large", RULE))["then"] == "ask"
            assert (await invoq.policies.test("refund", {"amount": 500}, caller={"tier": "free"}))["outcome"] == "ask"
            await invoq.policies.delete("large")

    fill(server)
    asyncio.run(use())
    check(server)
