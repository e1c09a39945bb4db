"""The client against a running gateway: INVOQ_URL and INVOQ_API_KEY name it."""

from __future__ import annotations

import os
from typing import Iterator

import pytest

from invoq import Invoq, InvoqError

BODY = {"height_cm": 175, "weight_kg": 70, "age": 30, "gender": "male", "activity_level": "moderate"}


@pytest.fixture(scope="module")
def invoq() -> Iterator[Invoq]:
    with Invoq(os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"]) as client:
        yield client


def test_calls_a_tool(invoq: Invoq) -> None:
    result = invoq.call("calc_metrics", BODY)
    assert (result.data["bmi"], result.metadata["tool_name"]) == (22.86, "calc_metrics")
    assert "calc_metrics" in [tool["name"] for tool in invoq.tools(domain="profile")]
    assert invoq.tool("calc_metrics")["read_only"] is True


def test_raises_what_the_gateway_refuses(invoq: Invoq) -> None:
    with pytest.raises(InvoqError) as wrong:
        invoq.call("calc_metrics", {**BODY, "shoe_size": 43})
    error = wrong.value
    assert (error.code, error.status, error.retryable, error.may_have_run) == ("INVALID_PARAMS", 400, False, False)
    assert error.details[0]["path"] == "shoe_size"
    with pytest.raises(InvoqError, match="UNAUTHORIZED"), Invoq(os.environ["INVOQ_URL"], key="wrong") as stranger:
        stranger.tools()


def test_streams_a_call_and_tells_its_progress(invoq: Invoq) -> None:
    events = list(invoq.stream("calc_metrics", {**BODY, "age": 41}))
    assert [events[0].event, events[-1].event] == ["tool_progress", "tool_result"]
    told: list[float] = []
    assert invoq.call("calc_metrics", {**BODY, "age": 42}, on_progress=lambda one: told.append(one["progress"])).data["bmi"] == 22.86
    assert told[0] == 0


def test_starts_and_finds_jobs(invoq: Invoq) -> None:
    started = invoq.start("calc_metrics", {**BODY, "age": 51})
    assert started.job_id is not None and started.trace_id.startswith("trace_")
    assert invoq.wait(started.job_id).data["bmi"] == 22.86
    last = invoq.job_events(started.job_id)
    assert [event.event for event in last][-1] == "tool_result"
    assert invoq.job(started.job_id)["state"] == "completed"
    assert started.job_id in [job["job_id"] for job in invoq.jobs(state="completed", limit=50).jobs]
    with pytest.raises(InvoqError, match="CONFLICT"):
        invoq.cancel(started.job_id)
    with pytest.raises(InvoqError, match="RESOURCE_NOT_FOUND"):
        invoq.job("inv_profile_00000000000000000000000000000000")


def test_makes_many_calls_at_once(invoq: Invoq) -> None:
    results = invoq.batch([{"id": 1, "name": "calc_metrics", "arguments": BODY}, {"id": "two", "name": "calc_metrics", "arguments": {}}])
    assert [(one["id"], one["success"]) for one in results] == [(1, True), ("two", False)]
