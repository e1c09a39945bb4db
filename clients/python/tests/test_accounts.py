"""Providers and connections by both clients, and tokens of a tool."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

import pytest

from invoq import AsyncInvoq, Invoq, NewProvider
from invoq.attempt import end_of
from invoq.tool import Caller, Cancelled, Context, tool
from scripted import Scripted, answer

@dataclass
class Found:
    first: str
    second: str


GIVEN: NewProvider = {"preset": "github", "client_id": "id"}
ROW = {"name": "github"}
ACCOUNT = {"id": "c1", "state": "connected"}


def fill(server: Scripted) -> None:
    server.answers += [
        answer(200, {"providers": [ROW]}),
        answer(201, ROW),
        answer(200, ROW),
        answer(200, ROW),
        answer(201, {"url": "https://gateway/connections/begin/x"}),
        answer(200, {"connections": [ACCOUNT]}),
        answer(200, {**ACCOUNT, "revoked": None}),
    ]


def check(server: Scripted) -> None:
    assert [(method, path) for method, path, _, _ in server.asked] == [
        ("GET", "/providers"),
        ("PUT", "/providers/github"),
        ("GET", "/providers/a%2Fb"),
        ("DELETE", "/providers/github"),
        ("POST", "/connections"),
        ("GET", "/connections?scope=tenant&provider=github"),
        ("DELETE", "/connections/c1"),
    ]
    assert json.loads(server.asked[1][3]) == GIVEN
    assert json.loads(server.asked[4][3]) == {"provider": "github", "return_to": "https://app.example", "scopes": ["repo"]}


def test_the_client(server: Scripted) -> None:
    fill(server)
    with Invoq(server.url) as invoq:
        assert invoq.providers.list()[0]["name"] == "github"
        invoq.providers.put("github", GIVEN)
        invoq.providers.get("a/b")
        invoq.providers.delete("github")
        assert "/begin/" in invoq.connections.create("github", return_to="https://app.example", scopes=["repo"])["url"]
        assert invoq.connections.list(scope="tenant", provider="github")[0]["id"] == "c1"
        assert invoq.connections.delete("c1")["revoked"] is None
    check(server)


def test_the_client_for_asyncio(server: Scripted) -> None:
    async def use() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.providers.list())[0]["name"] == "github"
            await invoq.providers.put("github", GIVEN)
            await invoq.providers.get("a/b")
            await invoq.providers.delete("github")
            assert "/begin/" in (await invoq.connections.create("github", return_to="https://app.example", scopes=["repo"]))["url"]
            assert (await invoq.connections.list(scope="tenant", provider="github"))[0]["id"] == "c1"
            assert (await invoq.connections.delete("c1"))["revoked"] is None

    fill(server)
    asyncio.run(use())
    check(server)


def test_a_tool_gets_tokens_of_its_caller() -> None:
    asked: list[tuple[str | None, list[str]]] = []

    def token(refused: str | None, scopes: list[str]) -> str:
        asked.append((refused, scopes))
        if len(asked) > 2:
            context._stop()
            raise Cancelled
        return f"token-{len(asked)}"

    @tool(description="Mail.", effect="read", examples=[], connection={"provider": "mail", "scopes": ["mail.read"]})
    def mails(context: Context) -> Found:
        return Found(context.token(), context.token(refused="token-1", scopes=["mail.send"]))

    assert mails.contract["connection"] == {"provider": "mail", "scopes": ["mail.read"]}
    context = Context(Caller("t", None, "pro"), "key", 1, "trace", None, [], "key.1", lambda _: None)
    with pytest.raises(RuntimeError, match="older version"):
        context.token()
    context._ask_token = token
    assert end_of(mails, {}, context) == {"type": "done", "data": {"first": "token-1", "second": "token-2"}}
    assert asked == [(None, []), ("token-1", ["mail.send"])]
    # The call rests for the account: its attempt is stopped, and nothing is said of it.
    assert end_of(mails, {}, context) is None
