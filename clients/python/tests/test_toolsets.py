"""Sets of tools by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, Invoq, NewToolset
from scripted import Scripted, answer

TOOLSET: NewToolset = {"tools": ["crm__*"], "prefix": "x_"}
ROW = {"name": "support", **TOOLSET}
SEEN = {"tools": [], "tokens": 7, "problems": []}


def fill(server: Scripted) -> None:
    server.answers += [answer(200, {"toolsets": [ROW]}), answer(200, ROW), answer(201, ROW), answer(200, SEEN), answer(200, SEEN), answer(200, ROW)]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("GET", "/toolsets"),
        ("GET", "/toolsets/a%2Fb"),
        ("PUT", "/toolsets/support"),
        ("GET", "/toolsets/support/preview?format=mcp"),
        ("POST", "/toolsets/preview?format=openai"),
        ("DELETE", "/toolsets/support"),
    ]
    assert json.loads(server.asked[2][3]) == TOOLSET


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.toolsets.list()[0]["name"] == "support"
        invoq.toolsets.get("a/b")
        assert invoq.toolsets.put("support", TOOLSET)["prefix"] == "x_"
        assert invoq.toolsets.preview("support")["tokens"] == 7
        invoq.toolsets.preview(TOOLSET, format="openai")
        invoq.toolsets.delete("support")
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.toolsets.list())[0]["name"] == "support"
            await invoq.toolsets.get("a/b")
            assert (await invoq.toolsets.put("support", TOOLSET))["prefix"] == "x_"
            assert (await invoq.toolsets.preview("support"))["tokens"] == 7
            await invoq.toolsets.preview(TOOLSET, format="openai")
            await invoq.toolsets.delete("support")

    fill(server)
    asyncio.run(use())
    check(server)
