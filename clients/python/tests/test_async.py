"""The client for asyncio: broken ways over a scripted server, and calls at a running gateway (INVOQ_URL, INVOQ_API_KEY)."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import threading
from typing import Any, Awaitable, Callable

import pytest

from invoq import AsyncInvoq, Invoq, InvoqError, Trace
from scripted import SUCCESS, Handler, Scripted, answer, drop, failure, frame, stream

BODY = {"height_cm": 175, "weight_kg": 70, "age": 30, "gender": "male", "activity_level": "moderate"}
EVENT_ID = f"evt_profile_{'0' * 32}"
progress = lambda seq, at: frame("tool_progress", seq, {"progress": at, "message": "é"})  # noqa: E731


@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Waits that the client asked for, in seconds. They are not waited for."""
    asked: list[float] = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        # Of the loop's own parts, which let others have their turn.
        if seconds > 0:
            asked.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", note)
    return asked


def test_has_the_methods_of_the_other_client() -> None:
    for name, method in inspect.getmembers(Invoq, inspect.isfunction):
        if not name.startswith("_"):
            assert inspect.signature(getattr(AsyncInvoq, name)).parameters.keys() == inspect.signature(method).parameters.keys()


def test_a_cut_stream_is_taken_up_after_its_last_event(server: Scripted, delays: list[float]) -> None:
    server.answers += [
        stream(progress(1, 0), progress(2, 40), "event: tool_progress\nid: evt_3\nda", promised=10_000),
        drop,
        stream(progress(3, 80), frame("tool_dancing", 4, {}), frame("tool_result", 5, SUCCESS)),
    ]
    seen: list[float] = []

    async def on_progress(one: Any) -> None:
        seen.append(one["progress"])

    async def main() -> Any:
        async with AsyncInvoq(server.url) as invoq:
            return await invoq.call("t", {"a": 1}, on_progress=on_progress)

    assert (asyncio.run(main()).data, seen, delays) == ({"bmi": 22.86}, [0, 40, 80], [0.3, 0.6])
    assert [headers.get("last-event-id") for _, _, headers, _ in server.asked] == [None, "evt_2", "evt_2"]


def test_only_what_did_not_run_is_sent_again(server: Scripted, delays: list[float]) -> None:
    ran = failure("TIMEOUT", retryable=True, metadata={"job_id": "inv_1"})
    server.answers += [
        answer(429, failure("RATE_LIMITED", retryable=True, retry_after_ms=2_000)),
        answer(200, {"job_id": "inv_1", "trace_id": "trace_1"}),
        answer(504, ran),
        drop,
    ]

    async def main() -> None:
        async with AsyncInvoq(server.url) as invoq:
            assert (await invoq.start("t", {})).job_id == "inv_1"
            for error in ("TIMEOUT", "NETWORK_ERROR"):
                with pytest.raises(InvoqError, match=error):
                    await invoq.call("t", {})

    asyncio.run(main())
    assert (delays, len(server.asked)) == ([2.0], 4)


async def when(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("key", [None, "once"])
def test_cancelling_the_task_cancels_a_call_that_is_read_as_a_stream(server: Scripted, key: str | None) -> None:
    gone = threading.Event()

    def waiting(handler: Handler) -> None:
        stream(f"event: tool_progress\nid: {EVENT_ID}_1\ndata: {json.dumps({'progress': 1, 'message': ''})}\n\n")(handler)
        handler.wfile.flush()
        gone.wait(30)

    server.answers += [waiting, answer(200, {"success": True})]

    async def main() -> None:
        async with AsyncInvoq(server.url) as invoq:
            told = asyncio.Event()
            task = asyncio.create_task(invoq.call("t", idempotency_key=key, on_progress=lambda _: told.set()))
            await told.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    try:
        asyncio.run(main())
    finally:
        gone.set()
    suffix = "?unless_joined=true" if key is None else ""
    assert [asked[:2] for asked in server.asked] == [("POST", "/tools/t/sse"), ("DELETE", f"/jobs/inv_profile_{'0' * 32}{suffix}")]


def test_cancelling_the_task_closes_the_connection_of_a_plain_call(server: Scripted) -> None:
    closed = threading.Event()

    def waiting(handler: Handler) -> None:
        # Empty once the other side has closed the connection.
        if handler.connection.recv(1) == b"":
            closed.set()

    server.answers += [waiting]

    async def main() -> None:
        async with AsyncInvoq(server.url) as invoq:
            task = asyncio.create_task(invoq.call("t", {}))
            await when(lambda: len(server.asked) == 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(main())
    assert closed.wait(30)


def at_gateway(work: Callable[[AsyncInvoq], Awaitable[None]]) -> None:
    async def main() -> None:
        async with AsyncInvoq(os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"]) as invoq:
            await work(invoq)

    asyncio.run(main())


async def trace_of(invoq: AsyncInvoq, trace_id: str) -> Trace:
    """Spans are written a moment after the answer."""
    for _ in range(300):
        try:
            return await invoq.trace(trace_id)
        except InvoqError:
            await asyncio.sleep(0.1)
    return await invoq.trace(trace_id)


def test_calls_many_at_once_at_a_gateway() -> None:
    async def work(invoq: AsyncInvoq) -> None:
        results = await asyncio.gather(*(invoq.call("calc_metrics", {**BODY, "age": 60 + n}) for n in range(5)))
        assert {one.data["bmi"] for one in results} == {22.86}
        batch = await invoq.batch([{"id": 1, "name": "calc_metrics", "arguments": BODY}])
        assert [(one["id"], one["success"]) for one in batch] == [(1, True)]
        assert (await invoq.tool("calc_metrics"))["read_only"] is True
        assert "calc_metrics" in [tool["name"] for tool in await invoq.tools(domain="profile")]
        assert (await trace_of(invoq, results[0].metadata["trace_id"]))["spans"] != []

    at_gateway(work)


def test_starts_and_follows_jobs_at_a_gateway() -> None:
    async def work(invoq: AsyncInvoq) -> None:
        job_id = (await invoq.start("calc_metrics", {**BODY, "age": 71})).job_id
        assert job_id is not None
        assert (await invoq.wait(job_id)).data["bmi"] == 22.86
        assert (await invoq.wait(job_id, on_progress=lambda _: None)).data["bmi"] == 22.86
        assert [event.event async for event in invoq.job_events(job_id)][-1] == "tool_result"
        assert [event.event async for event in invoq.stream("calc_metrics", {**BODY, "age": 72})][-1] == "tool_result"
        assert (await invoq.job(job_id))["state"] == "completed"
        assert job_id in [job["job_id"] for job in (await invoq.jobs(state="completed", limit=50)).jobs]
        with pytest.raises(InvoqError, match="CONFLICT"):
            await invoq.cancel(job_id)

    at_gateway(work)
