"""Input requests by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import json

from invoq import AsyncInvoq, Invoq
from scripted import Scripted, answer

ROW = {"id": "a", "state": "accepted"}


def fill(server: Scripted) -> None:
    page = {"has_more": True, "next_cursor": "next"}
    server.answers += [answer(200, {"input_requests": [ROW], "pagination": page}), answer(200, ROW), answer(200, ROW), answer(200, ROW)]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("GET", "/input-requests?state=open&limit=5"),
        ("GET", "/input-requests/a%2Fb"),
        ("POST", "/input-requests/a"),
        ("POST", "/input-requests/a"),
    ]
    assert json.loads(server.asked[2][3]) == {"action": "accept", "content": {"arguments": {"n": 1}}}
    assert json.loads(server.asked[3][3]) == {"action": "decline", "reason": "too dear"}


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        page = invoq.input_requests.list(state="open", limit=5)
        assert (page.input_requests[0]["id"], page.next_cursor) == ("a", "next")
        invoq.input_requests.get("a/b")
        assert invoq.input_requests.decide("a", "accept", content={"arguments": {"n": 1}})["state"] == "accepted"
        invoq.input_requests.decide("a", "decline", reason="too dear")
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    fill(server)

    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            page = await invoq.input_requests.list(state="open", limit=5)
            assert (page.input_requests[0]["id"], page.next_cursor) == ("a", "next")
            await invoq.input_requests.get("a/b")
            await invoq.input_requests.decide("a", "accept", content={"arguments": {"n": 1}})
            await invoq.input_requests.decide("a", "decline", reason="too dear")

    asyncio.run(use())
    check(server)
