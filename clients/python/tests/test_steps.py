"""Steps and sleeps of an attempt, without a gateway."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any, Mapping, Sequence

import pytest

from invoq.attempt import end_of
from invoq.steps import Resting, Steps
from invoq.tool import Caller, Context, Tool, tool


@dataclass
class Answer:
    n: int


def context_with(earlier: Sequence[Mapping[str, Any]] = (), kept: list[tuple[str, Any]] | None = None) -> Context:
    found = [] if kept is None else kept
    context = Context(Caller("t", None, "pro"), "key", 1, "trace", None, [], "key.1", lambda _: None)
    context._steps = Steps(earlier, lambda name, data: found.append((name, data)))
    return context


def test_a_step_is_done_once() -> None:
    kept: list[tuple[str, Any]] = []
    assert context_with(kept=kept).step("one", lambda: {"n": (1, 2)}) == {"n": [1, 2]}
    assert kept == [("one", {"n": [1, 2]})]
    earlier = [{"name": "one", "kind": "step", "data": {"n": [1, 2]}}]
    assert context_with(earlier).step("one", lambda: pytest.fail("it was done again")) == {"n": [1, 2]}


def test_a_step_of_an_async_tool_is_awaited() -> None:
    async def double(n: int) -> int:
        return 2 * n

    async def use(context: Context) -> list[int]:
        never = asyncio.get_running_loop().create_future()
        with pytest.raises(TypeError, match="needs the async function itself"):
            context.step("wrong", lambda: never)
        return [await context.step("one", partial(double, 21)), context.step("plain", lambda: 7)]

    assert asyncio.run(use(context_with())) == [42, 7]


def test_names() -> None:
    context = context_with([{"name": "nap", "kind": "sleep", "over": True}])
    context.step("one", lambda: 1)
    with pytest.raises(ValueError, match='two steps with the name "one"'):
        context.step("one", lambda: 2)
    with pytest.raises(ValueError, match="1 to 200 characters"):
        context.step("x" * 201, lambda: 2)
    with pytest.raises(ValueError, match='"nap" is a step now and was a sleep'):
        context.step("nap", lambda: 2)
    with pytest.raises(RuntimeError, match='"inner" is within the step "outer"'):
        context.step("outer", lambda: context.step("inner", lambda: 1))
    with pytest.raises(RuntimeError, match="keeps no steps"):
        Steps().step("one", lambda: 1)
    with pytest.raises(ValueError, match="more than 1048576 bytes"):
        context.step("large", lambda: "x" * 1_048_577)


@pytest.mark.parametrize(
    ("most", "more"),
    [
        ("x" * 1_048_574, "x"),
        # Three bytes of UTF-8 each, and six as an escape.
        ("\u4e2d" * 349_524, "\u4e2d"),
        # Text that is none is an escape for the gateway, too.
        ("\ud800" * 174_762, "\ud800"),
        ([1] * 524_287, 1),
    ],
)
def test_a_step_gives_as_many_bytes_as_the_gateway_keeps(most: Any, more: Any) -> None:
    context_with().step("one", lambda: most)
    with pytest.raises(ValueError, match="more than 1048576 bytes"):
        context_with().step("one", lambda: most + ([more] if isinstance(most, list) else more) + ([] if isinstance(most, list) else "x"))


@pytest.mark.parametrize("time", [1.5, timedelta(seconds=1.5), datetime.now(timezone.utc) + timedelta(hours=1)])
def test_a_sleep_rests(time: float | timedelta | datetime) -> None:
    context = context_with()
    with pytest.raises(Resting):
        context.sleep("nap", time)
    (wait,) = context._steps.waits
    assert (wait["name"], wait["reason"]) == ("nap", "sleep")
    assert wait["delay_ms"] == 1_500 or 3_000_000 < wait["delay_ms"] <= 3_600_000
    context_with([{"name": "nap", "kind": "sleep", "over": True}]).sleep("nap", time)
    again = context_with([{"name": "nap", "kind": "sleep", "over": False}])
    with pytest.raises(Resting):
        again.sleep("nap", time)
    assert again._steps.waits == [{"name": "nap", "reason": "sleep"}]


def test_a_sleep_is_a_year_at_most() -> None:
    with pytest.raises(ValueError, match="longer than a year"):
        context_with().sleep("nap", timedelta(days=367))


@pytest.mark.parametrize("answers", [True, False])
def test_a_tool_that_catches_everything_rests_all_the_same(answers: bool) -> None:
    done: list[str] = []

    def run(context: Context) -> Answer:
        """Sleep."""
        try:
            context.sleep("nap", 60)
        except BaseException:
            pass
        try:
            context.step("after", lambda: done.append("after"))
        except BaseException:
            if not answers:
                raise ValueError("of its own") from None
        return Answer(1)

    sleeper: Tool = tool(effect="write", examples=[{"input": {}, "output": {"n": 1}}])(run)
    assert end_of(sleeper, {}, context_with()) == {"type": "rest", "waits": [{"name": "nap", "reason": "sleep", "delay_ms": 60_000}]}
    assert done == []


def test_a_hook() -> None:
    from invoq.worker import HookTimeout

    def steps(*earlier: Mapping[str, Any]) -> Steps:
        return Steps(earlier, lambda *_: None, job_id="inv_1", hooks={"url": "http://gateway", "key": "key"})

    waiting = steps()
    hook = waiting.hook("päid")
    # What `hookToken` of TypeScript gives.
    assert hook.url == "http://gateway/hooks/WyJpbnZfMSIsInDDpGlkIl0.QYhRXtloy-63WIf4e78phFaQGnffbIrO-m9zQb7Atuo"
    with pytest.raises(Resting):
        hook.wait(2)
    assert waiting.waits == [{"name": "päid", "reason": "event", "delay_ms": 2_000}]
    assert steps({"name": "paid", "kind": "hook", "state": "called", "data": {"ok": True}}).hook("paid").wait() == {"ok": True}
    with pytest.raises(HookTimeout):
        steps({"name": "paid", "kind": "hook", "state": "timeout"}).hook("paid").wait()


def test_a_question_rests_and_gives_the_answer() -> None:
    def run(context: Context) -> Answer:
        """Asks first."""
        said = context.ask("size", "Which size?", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}, timedelta(hours=1))
        return Answer(said.content["n"] if said.action == "accept" else -1)

    buy: Tool = tool(effect="write", examples=[{"input": {}, "output": {"n": 1}}])(run)
    told = end_of(buy, {}, context_with())
    assert told["type"] == "rest"
    assert told["waits"] == [
        {
            "name": "size",
            "reason": "question",
            "message": "Which size?",
            "schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            "delay_ms": 3_600_000,
        }
    ]
    waiting = [{"name": "size", "kind": "question", "state": "waiting"}]
    assert "delay_ms" not in end_of(buy, {}, context_with(waiting))["waits"][0]
    answered = [{"name": "size", "kind": "question", "state": "answered", "data": {"action": "accept", "content": {"n": 7}}}]
    assert end_of(buy, {}, context_with(answered))["data"] == {"n": 7}
    declined = [{"name": "size", "kind": "question", "state": "answered", "data": {"action": "decline"}}]
    assert end_of(buy, {}, context_with(declined))["data"] == {"n": -1}
    over = end_of(buy, {}, context_with([{"name": "size", "kind": "question", "state": "timeout"}]))
    assert (over["type"], over["failure"], over["retryable"]) == ("failed", "timeout", False)
