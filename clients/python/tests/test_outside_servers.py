"""Outside servers by both clients: what is sent, what is made of the answers, and what a gateway says."""

from __future__ import annotations

import asyncio
import json
import os

import pytest

from invoq import AsyncInvoq, Invoq, InvoqError, NewOutsideServer
from scripted import Scripted, answer

SERVER: NewOutsideServer = {"name": "pets", "kind": "openapi", "url": "https://pets.example.com/openapi.json", "include": ["get*"]}
ROW = {"name": "pets"}


def fill(server: Scripted) -> None:
    server.answers += [answer(201, ROW), answer(200, {"servers": [ROW]}), answer(200, ROW), answer(200, ROW)]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("POST", "/mcp/servers"),
        ("GET", "/mcp/servers"),
        ("GET", "/mcp/servers/a%2Fb"),
        ("DELETE", "/mcp/servers/pets"),
    ]
    assert json.loads(server.asked[0][3]) == SERVER


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.outside_servers.register(SERVER)["name"] == "pets"
        assert [one["name"] for one in invoq.outside_servers.list()] == ["pets"]
        invoq.outside_servers.get("a/b")
        invoq.outside_servers.remove("pets")
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.outside_servers.register(SERVER))["name"] == "pets"
            assert [one["name"] for one in await invoq.outside_servers.list()] == ["pets"]
            await invoq.outside_servers.get("a/b")
            await invoq.outside_servers.remove("pets")

    fill(server)
    asyncio.run(use())
    check(server)


def test_a_key_without_the_scope_is_refused() -> None:
    with Invoq(os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"]) as invoq:
        with pytest.raises(InvoqError, match="PERMISSION_DENIED"):
            invoq.outside_servers.list()
