"""Tools of a worker: a function with type hints becomes a contract and its handler."""

from __future__ import annotations

import inspect
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Callable, Iterator, Literal, Mapping, Sequence, TypeVar, get_type_hints, overload

from .files import File, SendFile, file, no_file
from .limits import LIMITS, cut
from .schema import InvalidValue, SchemaError, fields_of, is_model, object_schema, schema_of, value_of
from .steps import Answer, Hook, Steps

T = TypeVar("T")

FailureKind = Literal["network", "timeout", "rate-limit", "service", "internal"]
Say = Callable[[dict[str, Any]], None]


class Refused(Exception):
    """Raised by a tool: a result, and nothing is tried again. error: a literal of the contract's `errors`."""

    def __init__(self, error: str, message: str) -> None:
        super().__init__(message)
        self.error, self.message = error, message


class Failure(Exception):
    """Raised by a tool that may be tried again by its `retry`. retry_after_ms: how long the other side asked to be left alone."""

    def __init__(self, kind: FailureKind, message: str, *, retryable: bool = True, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        self.kind, self.retryable, self.retry_after_ms = kind, retryable, retry_after_ms


class Cancelled(Exception):
    """The call was cancelled, has timed out, or is not this worker's any more: the result is not wanted."""


@dataclass(frozen=True)
class Caller:
    tenant_id: str
    user_id: str | None
    tier: str


@dataclass
class Context:
    """What a tool knows of its call. A tool gets it in a parameter of this type."""

    caller: Caller
    effect_key: str
    """The same for all attempts of a call: key what the tool changes by it."""
    attempt: int
    """From 1."""
    trace_id: str
    session_id: str | None
    earlier_output: list[Any]
    """Of a streaming tool: what earlier attempts gave."""
    _id: str
    _say: Say
    _stopped: threading.Event = field(default_factory=threading.Event)
    _said: dict[str, Any] = field(default_factory=dict)
    _network_s: float = 0.0
    _cost_micros: int = 0
    _takes_costs: bool = True
    _steps: Steps = field(default_factory=Steps)
    _ask_token: Callable[[str | None, list[str]], str] | None = None
    _on_stop: Callable[[], object] = lambda: None
    _send_file: SendFile = no_file

    @property
    def is_cancelled(self) -> bool:
        return self._stopped.is_set()

    def _stop(self) -> None:
        self._stopped.set()
        self._on_stop()

    def check(self) -> None:
        """Raises Cancelled when the result is not wanted any more. Long work calls it from time to time."""
        if self._stopped.is_set():
            raise Cancelled

    def step(self, name: str, work: Callable[[], T]) -> T:
        """Does something once for the call: what it gives is kept, and every later attempt gets it back at once.

        What it raises is not kept. Each step of a tool has a name of its own, and gives JSON of at most 1 MB. Where `work` is an
        async function, await the step.
        """
        self.check()
        return self._steps.step(name, work)

    @overload
    def sleep(self, seconds: float, /) -> None: ...
    @overload
    def sleep(self, name: str, time: float | timedelta | datetime, /) -> None: ...
    def sleep(self, first: float | str, time: float | timedelta | datetime | None = None, /) -> None:
        """`sleep(seconds)` waits here; it raises Cancelled as soon as the result is not wanted any more.

        `sleep(name, time)` rests for so many seconds, or until a time, also in an async tool: the attempt ends, and afterwards the tool
        runs again from its top. Finished steps and sleeps are over at once then; what is not done through them is done again.
        """
        if isinstance(first, str):
            if time is None:
                raise TypeError(f'The sleep "{first}" needs a time')
            self.check()
            self._steps.sleep(first, time)
        elif self._stopped.wait(first):
            raise Cancelled

    def ask(
        self, name: str, message: str, schema: Mapping[str, Any] | None = None, timeout: float | timedelta = timedelta(days=1)
    ) -> Answer:
        """Asks the caller, and rests until they answer, also in an async tool.

        schema: JSON Schema of an object of plain fields: texts, numbers, truth values, lists of choices. Without one it is a yes or a no.
        timeout: in seconds, at most a year. Raises HookTimeout when nobody answers in time.
        """
        self.check()
        return self._steps.ask(name, message, schema, timeout)

    def hook(self, name: str) -> Hook:
        """An address for somebody outside: `hook.url` takes one `POST`, and `hook.wait()` rests until then and gives its body.

        Send the address within a step.
        """
        self.check()
        return self._steps.hook(name)

    def token(self, refused: str | None = None, scopes: Sequence[str] = ()) -> str:
        """A short-lived access token of the caller's account at the provider that the contract names (`connection`).

        It is for the API of the provider, and for nothing else. Rests until the account is connected, where it is not. Ask for one before
        each request: it is renewed as need be. refused: a token that the API has just answered 401 to; another one is given, once.
        scopes: rights that this request needs besides those of the contract. Where the account lacks them the call rests until its user has
        granted them, as far as the provider lets tools ask.
        """
        self.check()
        if self._ask_token is None:
            raise RuntimeError("This gateway knows no accounts: it is of an older version")
        return self._ask_token(refused, list(scopes))

    @contextmanager
    def network(self) -> Iterator[None]:
        """Counts the time within as waiting for another service: `with context.network(): …`. It is the `network_ms` of the answer."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._network_s += time.monotonic() - begun

    def cost(self, micros: int) -> None:
        """Adds to what the call costs, in millionths of a US dollar: what another service charged. It counts over all attempts.

        Raises ValueError for what is no whole number from 0 to 1,000,000,000.
        """
        if isinstance(micros, bool) or not isinstance(micros, int) or not 0 <= micros <= LIMITS["costMicros"]:
            raise ValueError(f"A cost is a whole number of millionths of a US dollar, 0 to {LIMITS['costMicros']}, not {micros}")
        if not self._takes_costs:
            raise RuntimeError("This gateway counts no costs of tools: it is of an older version")
        if self._cost_micros + micros > LIMITS["reportedMicros"]:
            raise ValueError(f"An attempt reports costs of at most {LIMITS['reportedMicros']} millionths of a US dollar")
        if micros > 0:
            self._cost_micros += micros
            self._tell({"type": "cost", "micros": self._cost_micros})

    def progress(self, percent: float, message: str = "") -> None:
        self._tell({"type": "progress", "progress": max(0.0, min(100.0, percent)), "message": cut(message, LIMITS["progressText"])})

    def output(self, *events: Any) -> None:
        """Events of a streaming tool."""
        self._tell({"type": "output", "data": list(events)})

    def log(self, level: Literal["debug", "info", "warn", "error"], message: str) -> None:
        """A line in the gateway's log: at most 100 of an attempt."""
        self._tell({"type": "log", "level": level, "message": cut(message)})

    def warn(self, warning: str) -> None:
        """Adds to the warnings of the answer, which has at most 20."""
        warnings = self._said.setdefault("warnings", [])
        if len(warnings) < LIMITS["warnings"]:
            warnings.append(cut(warning))

    def set_message(self, message: str) -> None:
        """A sentence for people beside the data."""
        self._said["message"] = cut(message)

    def _tell(self, message: dict[str, Any]) -> None:
        if not self.is_cancelled:
            self._say({**message, "attempt": self._id})


@dataclass(frozen=True)
class Tool:
    """A contract as data, and the function that does it."""

    contract: Mapping[str, Any]
    function: Callable[..., Any]
    arguments: Callable[[Mapping[str, Any], Context], dict[str, Any]]
    """Arguments of the function. Raises InvalidValue."""

    @property
    def name(self) -> str:
        return str(self.contract["name"])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function itself, for unit tests."""
        return self.function(*args, **kwargs)


def tool(
    *,
    effect: Literal["read", "write"],
    examples: Sequence[Mapping[str, Any]],
    version: str = "1.0.0",
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    timeout_ms: int = 30_000,
    errors: Mapping[str, str] | None = None,
    retry: Mapping[str, Mapping[str, float]] | None = None,
    **more: Any,
) -> Callable[[Callable[..., Any]], Tool]:
    """Makes a tool of a function. Its parameters are the tool's, or those of one parameter that is a dataclass or a pydantic model; what
    it returns is a dataclass, a TypedDict or a pydantic model. Name and description default to those of the function.

    examples: `{"input": …, "output": …}` each. errors: literal → code. more: further fields of a contract in docs/worker-protocol.md.
    Raises SchemaError, a TypeError, for hints without a JSON Schema.
    """

    def made(function: Callable[..., Any]) -> Tool:
        hints = get_type_hints(function, include_extras=True)
        if "return" not in hints:
            raise SchemaError(f"{function.__name__} must say what it returns")
        schema, arguments = _input_of(function, hints)
        called = name or function.__name__
        optional = {"errors": dict(errors or {}), "retry": retry and {kind: dict(rule) for kind, rule in retry.items()}, **more}
        contract = {
            "name": called,
            "version": version,
            "title": title or called.replace("_", " ").capitalize(),
            "description": description or inspect.getdoc(function) or "",
            "input": schema,
            "output": schema_of(hints["return"]),
            "effect": effect,
            "timeout_ms": timeout_ms,
            "examples": [dict(example) for example in examples],
            **{key: value for key, value in optional.items() if value is not None},
        }
        return Tool(contract, function, arguments)

    return made


def _input_of(
    function: Callable[..., Any], hints: Mapping[str, Any]
) -> tuple[dict[str, Any], Callable[[Mapping[str, Any], Context], dict[str, Any]]]:
    parameters = inspect.signature(function).parameters.values()
    contexts = [one.name for one in parameters if hints.get(one.name) is Context]
    given = [one for one in parameters if one.name not in contexts]
    untyped = [one.name for one in given if one.name not in hints or one.kind is one.VAR_POSITIONAL or one.kind is one.VAR_KEYWORD]
    if untyped:
        raise SchemaError(f"{function.__name__}: the parameter {untyped[0]} must have a type hint")
    if len(given) == 1 and _is_object(hints[given[0].name]):
        whole, hint = given[0].name, hints[given[0].name]
        return schema_of(hint), lambda input, context: {whole: value_of(hint, input), **{one: context for one in contexts}}
    wanted = {one.name: hints[one.name] for one in given}
    required = {one.name for one in given if one.default is one.empty}

    def arguments(input: Mapping[str, Any], context: Context) -> dict[str, Any]:
        values = {one: value_of(hint, input[one], one) for one, hint in wanted.items() if one in input}
        return {**values, **{one: context for one in contexts}}

    return object_schema(wanted, required), arguments


def _is_object(hint: Any) -> bool:
    if is_model(hint):
        return True
    try:
        fields_of(hint)
    except (TypeError, AttributeError):
        return False
    return True


__all__ = ["Cancelled", "Caller", "Context", "Failure", "File", "InvalidValue", "Refused", "SchemaError", "Tool", "file", "tool"]
