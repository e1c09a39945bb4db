"""Contracts from type hints, and values from JSON, without a gateway."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, Optional, TypedDict

import pytest

from invoq.attempt import end_of
from invoq.limits import LIMITS, cut
from invoq.schema import InvalidValue, schema_of, value_of
from invoq.worker import Caller, Context, Failure, Field, Refused, SchemaError, Tool, tool


class Colour(Enum):
    RED = "red"


@dataclass
class Line:
    thing: Annotated[str, Field("What.", pattern="^[a-z]+$")]
    units: int = 1


class Quote(TypedDict):
    total: float


class Order:
    """As a model of pydantic 2 looks from outside."""

    def __init__(self, number: int) -> None:
        self.number = number

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        return {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}

    @classmethod
    def model_validate(cls, obj: Any) -> Order:
        if obj["number"] > 9:
            raise ValueError("too large")
        return cls(obj["number"])

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        return {"number": self.number}


def context() -> Context:
    return Context(Caller("t", None, "pro"), "key", 1, "trace_1", None, [], "key.1", lambda message: None)


EXAMPLE = {"input": {}, "output": {"total": 1.0}}


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (int, {"type": "integer"}),
        (Optional[str], {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (list[bool], {"type": "array", "items": {"type": "boolean"}}),
        (dict[str, float], {"type": "object", "additionalProperties": {"type": "number"}}),
        (Literal["a", 2], {"enum": ["a", 2]}),
        (Colour, {"enum": ["red"]}),
        (Annotated[int, Field("One.", minimum=1, sensitive=True)], {"type": "integer", "description": "One.", "minimum": 1, "sensitive": True}),
        (
            Line,
            {
                "type": "object",
                "properties": {"thing": {"type": "string", "description": "What.", "pattern": "^[a-z]+$"}, "units": {"type": "integer"}},
                "required": ["thing"],
                "additionalProperties": False,
            },
        ),
        (Order, {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}),
    ],
)
def test_schema(hint: Any, schema: dict[str, Any]) -> None:
    assert schema_of(hint) == schema


@pytest.mark.parametrize("hint", [set, bytes, complex, list, tuple[int, str], dict[int, str]])
def test_what_has_no_schema_is_refused(hint: Any) -> None:
    with pytest.raises(SchemaError, match="JSON Schema"):
        schema_of(hint)


def test_values_become_what_the_hints_say() -> None:
    assert value_of(list[Line], [{"thing": "a", "units": 2}]) == [Line("a", 2)]
    assert value_of(Optional[Colour], None) is None
    assert value_of(Optional[Line], {"thing": "b"}) == Line("b")
    assert value_of(Order, {"number": 2}).number == 2
    with pytest.raises(InvalidValue) as wrong:
        value_of(list[Line], [{"thing": "a"}, {"thing": "B"}])
    assert wrong.value.faults == [("1.thing", "must match ^[a-z]+$")]
    with pytest.raises(InvalidValue, match="too large"):
        value_of(Order, {"number": 10})


def test_a_function_becomes_a_contract() -> None:
    @tool(effect="read", examples=[EXAMPLE], errors={"SOLD_OUT": "CONFLICT"}, priority=3)
    def make_quote(lines: list[Line], context: Context, rebate: float = 0) -> Quote:
        """Price an order."""
        return {"total": 1}

    assert make_quote.contract["title"] == "Make quote"
    assert {key: make_quote.contract[key] for key in ("name", "description", "errors", "priority", "timeout_ms")} == {
        "name": "make_quote",
        "description": "Price an order.",
        "errors": {"SOLD_OUT": "CONFLICT"},
        "priority": 3,
        "timeout_ms": 30_000,
    }
    assert make_quote.contract["input"]["required"] == ["lines"]
    assert list(make_quote.contract["input"]["properties"]) == ["lines", "rebate"]
    assert make_quote([], context()) == {"total": 1}
    with pytest.raises(SchemaError, match="must say what it returns"):
        tool(effect="read", examples=[EXAMPLE])(lambda: None)
    with pytest.raises(SchemaError, match="the parameter units must have a type hint"):

        @tool(effect="read", examples=[EXAMPLE])
        def broken(units) -> Quote:  # type: ignore[no-untyped-def]
            return {"total": 1}


@tool(effect="read", examples=[EXAMPLE])
def work(order: Order, context: Context) -> Quote:
    if order.number == 1:
        raise Refused("SOLD_OUT", "none left")
    if order.number == 2:
        raise Failure("rate-limit", "slower", retry_after_ms=50)
    if order.number == 3:
        raise ConnectionError("no route")
    if order.number == 4:
        return {"total": float("nan")}
    if order.number == 5:
        context._stop()
        context.check()
    context.warn("only once")
    return {"total": order.number}


@tool(effect="read", examples=[EXAMPLE])
async def later(order: Order) -> Quote:
    return {"total": order.number}


@pytest.mark.parametrize(
    ("of", "number", "end"),
    [
        (work, 0, {"type": "done", "data": {"total": 0}, "warnings": ["only once"]}),
        (later, 7, {"type": "done", "data": {"total": 7}}),
        (work, 1, {"type": "refused", "error": "SOLD_OUT", "message": "none left"}),
        (work, 2, {"type": "failed", "failure": "rate-limit", "retryable": True, "hint_ms": 50}),
        (work, 3, {"type": "failed", "failure": "network", "retryable": True}),
        (work, 4, {"type": "failed", "failure": "internal", "retryable": True}),
        (work, 10, {"type": "invalid", "faults": [{"path": "", "message": "Parameter '': too large"}]}),
    ],
)
def test_every_way_in_which_an_attempt_ends_is_a_message(of: Tool, number: int, end: dict[str, Any]) -> None:
    message = end_of(of, {"number": number}, context())
    assert message is not None
    cause = message.pop("cause", None)
    assert message == end
    assert (cause is not None) == (end["type"] == "failed")
    assert cause is None or "Traceback" in cause["stack"]


@tool(effect="write", examples=[EXAMPLE])
def talk(order: Order, context: Context) -> Quote:
    if order.number == 1:
        raise Failure("rate-limit", "slower", retry_after_ms=12.5)  # type: ignore[arg-type]
    for line in range(25):
        context.warn(f"line {line} is odd")
    return {"total": 1}


def test_what_a_tool_says_is_no_more_than_the_gateway_takes() -> None:
    done, failed = (end_of(talk, {"number": number}, context()) for number in (0, 1))
    assert done is not None and done["warnings"] == [f"line {line} is odd" for line in range(20)]
    assert failed is not None and json.dumps(failed["hint_ms"]) == "13"


def test_what_was_stopped_has_no_end() -> None:
    assert end_of(work, {"number": 5}, context()) is None


@pytest.mark.parametrize(
    ("text", "most", "shown"),
    [("short", 10, "short"), ("too long", 3, "too"), ("x😀", 3, "x😀"), ("x😀y", 2, "x"), ("😀" * 3, 4, "😀😀"), ("a\ud83db", 3, "ab")],
)
def test_a_text_is_cut_at_whole_characters_as_the_gateway_counts_them(text: str, most: int, shown: str) -> None:
    assert cut(text, most) == shown


def test_the_limits_are_those_of_the_gateway() -> None:
    assert len(cut("😀" * 2_000).encode("utf-16-le")) == 2 * LIMITS["text"]


def test_costs_are_told_as_a_sum_and_what_is_none_is_refused() -> None:
    told: list[dict[str, Any]] = []
    one = Context(Caller("t", None, "pro"), "key", 1, "trace_1", None, [], "key.1", told.append)
    one.cost(5)
    one.cost(0)
    one.cost(7)
    assert told == [{"type": "cost", "micros": 5, "attempt": "key.1"}, {"type": "cost", "micros": 12, "attempt": "key.1"}]
    wrong: list[Any] = [-1, 0.5, float("nan"), float("inf"), True, "5", 1_000_000_001]
    for micros in wrong:
        with pytest.raises(ValueError, match="whole number"):
            one.cost(micros)
    assert one._cost_micros == 12
