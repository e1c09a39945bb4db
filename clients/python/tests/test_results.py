"""Parts of results by both clients: what is sent, and what is made of the answers."""

from __future__ import annotations

import asyncio
import os

import pytest

from invoq import AsyncInvoq, Invoq, InvoqError
from scripted import Scripted, answer

PART = {"result_id": "inv_1", "tool_name": "t", "characters": 9, "offset": 4, "next_offset": None, "text": "b\":1}"}
PATHS = ["/results/inv_1?offset=0", "/results/a%2Fb?offset=4&limit=5"]


def test_the_client(server: Scripted) -> None:
    server.answers += [answer(200, PART), answer(200, PART)]
    with Invoq(server.url) as invoq:
        assert invoq.result("inv_1")["next_offset"] is None
        assert invoq.result("a/b", offset=4, limit=5)["text"] == "b\":1}"
    assert [path for _, path, _, _ in server.asked] == PATHS


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            await invoq.result("inv_1")
            await invoq.result("a/b", offset=4, limit=5)

    server.answers += [answer(200, PART), answer(200, PART)]
    asyncio.run(use())
    assert [path for _, path, _, _ in server.asked] == PATHS


def test_a_gateway_that_has_none() -> None:
    with Invoq(os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"]) as invoq, pytest.raises(InvoqError, match="RESOURCE_NOT_FOUND"):
        invoq.result("inv_none")
