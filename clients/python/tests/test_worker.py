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


def test_a_key_that_may_not_serve_ends_the_worker() -> None:
    with pytest.raises(ConnectionRefused, match="403"):
        Worker([order_python], url=os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"], domain="py").run()
