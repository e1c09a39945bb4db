"""The worker at a running gateway: INVOQ_URL and INVOQ_API_KEY name it, and INVOQ_WORKER_KEY may serve and approve."""

from __future__ import annotations

import asyncio
import os
import threading
from dataclasses import dataclass
from typing import Annotated, Any, Iterator

import pytest

from invoq import Invoq, InvoqError
from invoq.worker import ConnectionRefused, Context, Failure, Field, Refused, Worker, tool


@dataclass
class Order:
    number: str
    attempts: int


EXAMPLES = [{"input": {"thing": "book"}, "output": {"number": "1", "attempts": 1}}]
stopped = threading.Event()


@tool(
    effect="write",
    examples=EXAMPLES,
    errors={"SOLD_OUT": "CONFLICT"},
    retry={"service": {"times": 2, "base_ms": 1}},
)
def order_python(thing: Annotated[str, Field("What is ordered.", pattern="^[a-z]+$")], context: Context, units: int = 1) -> Order:
    """Order one thing. Refuses what is sold out."""
    if thing == "gold":
        raise Refused("SOLD_OUT", "There is none left")
    if thing == "rare" and context.attempt == 1:
        raise Failure("service", "not yet")
    return Order(context.effect_key, context.attempt)


@tool(effect="write", examples=EXAMPLES, timeout_ms=60_000)
async def order_slowly(thing: Annotated[str, Field("What is ordered.")], context: Context) -> Order:
    """Order one thing and wait for it until the call is cancelled."""
    context.progress(10, "waiting")
    try:
        await asyncio.sleep(60)
    finally:
        stopped.set()
    return Order("late", 1)


@pytest.fixture(scope="module")
def invoq() -> Iterator[Invoq]:
    serving = threading.Event()

    def on_event(event: dict[str, Any]) -> None:
        if event["kind"] == "serving" and len(event["tools"]) == 2:
            serving.set()

    worker = Worker(
        [order_python, order_slowly], url=os.environ["INVOQ_URL"], key=os.environ["INVOQ_WORKER_KEY"], domain="py", on_event=on_event
    )
    thread = threading.Thread(target=worker.run)
    thread.start()
    assert serving.wait(60)
    with Invoq(os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"]) as client:
        yield client
    worker.stop()
    thread.join(60)
    assert not thread.is_alive()


def test_serves_a_tool(invoq: Invoq) -> None:
    result = invoq.call("order_python", {"thing": "book"})
    assert result.data == {"number": result.metadata["job_id"], "attempts": 1}
    assert invoq.call("order_python", {"thing": "rare"}).data["attempts"] == 2


def test_refuses(invoq: Invoq) -> None:
    with pytest.raises(InvoqError) as refused:
        invoq.call("order_python", {"thing": "gold"})
    assert (refused.value.code, refused.value.native_code) == ("CONFLICT", "SOLD_OUT")
    with pytest.raises(InvoqError) as invalid:
        invoq.call("order_python", {"thing": "GOLD"})
    assert (invalid.value.code, invalid.value.details[0]["path"]) == ("INVALID_PARAMS", "thing")


def test_stops_what_is_cancelled(invoq: Invoq) -> None:
    job_id = invoq.start("order_slowly", {"thing": "book"}).job_id
    assert job_id is not None
    while (job := invoq.job(job_id))["progress"] is None or job["progress"]["progress"] < 10:
        pass
    invoq.cancel(job_id)
    assert stopped.wait(60)


@pytest.mark.parametrize("how", ["progress raises", "interrupt", "break", "close", "client closed", "with a key"])
def test_leaving_a_call_cancels_it(invoq: Invoq, how: str) -> None:
    stopped.clear()
    thing = {"thing": how.replace(" ", "")}
    key = {"idempotency_key": os.urandom(8).hex()} if how == "with a key" else {}

    def leave(progress: Any) -> None:
        if progress["progress"] >= 10:
            raise KeyboardInterrupt if how == "interrupt" else RuntimeError("no longer wanted")

    if how in ("progress raises", "interrupt", "with a key"):
        with pytest.raises((RuntimeError, KeyboardInterrupt)):
            invoq.call("order_slowly", thing, on_progress=leave, **key)
    elif how == "client closed":
        with pytest.raises(RuntimeError), Invoq(os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"]) as other:
            for event in other.stream("order_slowly", thing):
                leave(event.data)
    else:
        events = invoq.stream("order_slowly", thing)
        while next(events).data["progress"] < 10:
            pass
        if how == "close":
            events.close()
        del events
    assert stopped.wait(60)
    assert invoq.jobs(tool="order_slowly", limit=1).jobs[0]["state"] == "cancelled"


def test_leaving_after_the_end_cancels_nothing(invoq: Invoq) -> None:
    events = invoq.stream("order_python", {"thing": "pen"})
    last = [event for event in events][-1]
    events.close()
    assert last.event == "tool_result"
    for event in invoq.stream("order_python", {"thing": "ink"}):
        if event.event == "tool_result":
            break
    assert [job["state"] for job in invoq.jobs(tool="order_python", limit=2).jobs] == ["completed", "completed"]


def test_a_cancellation_that_fails_is_told(invoq: Invoq) -> None:
    stopped.clear()
    events = invoq.stream("order_slowly", {"thing": "lost"})
    while next(events).data["progress"] < 10:
        pass
    job_id = invoq.jobs(tool="order_slowly", limit=1).jobs[0]["job_id"]
    key = invoq._http.headers.pop("authorization")
    with pytest.raises(InvoqError, match=f"UNAUTHORIZED: The job {job_id} could not be cancelled and may still run"):
        events.close()
    invoq._http.headers["authorization"] = key
    invoq.cancel(job_id)
    assert stopped.wait(60)


def test_a_key_that_may_not_serve_ends_the_worker() -> None:
    with pytest.raises(ConnectionRefused, match="403"):
        Worker([order_python], url=os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"], domain="py").run()
