"""What the client does when the way to the gateway breaks: over real connections to a server that answers as it is told."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from invoq import Invoq, InvoqError
from invoq.errors import parse_retry_after
from invoq.retrying import doubled
from invoq.sender import Sender
from invoq.session import Session
from invoq.sse import Frame, read_frames
from invoq.worker import Worker, tool
from scripted import METADATA, SUCCESS, Scripted, answer, drop, failure, frame, stream

@pytest.fixture
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Waits that the client asked for, in seconds. They are not waited for."""
    asked: list[float] = []
    monkeypatch.setattr("time.sleep", asked.append)
    return asked


def test_frames_are_the_same_whatever_the_chunks() -> None:
    text = "\ufeff: hello\r\nevent: a\rid: 1\ndata: one\u2028two\x85\r\ndata:three\n\nid: 2\n\ndata: last\r\n\r\nevent: cut\ndata: never"
    frames = [Frame("a", "1", "one\u2028two\x85\nthree"), Frame("message", "2", "last")]
    content = text.encode()
    assert list(read_frames([content])) == frames
    assert list(read_frames(content[at : at + 1] for at in range(len(content)))) == frames


def test_a_cut_stream_is_taken_up_after_its_last_event(server: Scripted, delays: list[float]) -> None:
    progress = lambda seq, at: frame("tool_progress", seq, {"progress": at, "message": "é\u2028"})  # noqa: E731
    server.answers += [
        stream(progress(1, 0), progress(2, 40), "event: tool_progress\nid: evt_3\nda", promised=10_000),
        drop,
        answer(503, failure("OVERLOADED", retryable=True, retry_after_ms=9_000)),
        stream(progress(3, 80), frame("tool_dancing", 4, {}), frame("tool_result", 5, SUCCESS)),
    ]
    seen: list[float] = []
    with Invoq(server.url) as invoq:
        result = invoq.call("t", {"a": 1}, on_progress=lambda one: seen.append(one["progress"]))
    assert (result.data, seen) == ({"bmi": 22.86}, [0, 40, 80])
    assert [headers.get("last-event-id") for _, _, headers, _ in server.asked] == [None, "evt_2", "evt_2", "evt_2"]
    assert {(method, path, body.replace(" ", "")) for method, path, _, body in server.asked} == {("POST", "/tools/t/sse", '{"a":1}')}
    assert delays == [0.3, 0.6, 9.0]


def test_a_stream_that_breaks_before_its_first_event_is_not_sent_again_without_a_key(server: Scripted, delays: list[float]) -> None:
    server.answers += [drop, drop, stream(frame("tool_result", 1, SUCCESS))]
    with Invoq(server.url) as invoq:
        with pytest.raises(InvoqError) as lost:
            invoq.call("t", on_progress=lambda _: None)
        assert (lost.value.code, lost.value.status, lost.value.may_have_run) == ("NETWORK_ERROR", 0, True)
        assert invoq.call("t", idempotency_key="k", on_progress=lambda _: None).data == {"bmi": 22.86}
    assert len(server.asked) == 3


def test_nine_connections_without_an_event_are_enough(server: Scripted, delays: list[float]) -> None:
    server.answers += [stream(": nothing\n\n") for _ in range(20)]
    with Invoq(server.url) as invoq, pytest.raises(InvoqError, match="ended before its last event"):
        list(invoq.job_events("inv_1", after="evt_7"))
    assert len(server.asked) == 9


def test_only_what_did_not_run_is_sent_again(server: Scripted, delays: list[float]) -> None:
    ran = failure("TIMEOUT", retryable=True, metadata={"job_id": "inv_1"})
    server.answers += [
        answer(429, failure("RATE_LIMITED", retryable=True, retry_after_ms=2_000)),
        answer(502, "<html>", {"retry-after": "3"}),
        answer(200, SUCCESS),
        answer(504, ran),
    ]
    with Invoq(server.url, key="k") as invoq:
        assert invoq.call("a tool", {}, idempotency_key="once", version="^2", options={"debug": True}).data == {"bmi": 22.86}
        with pytest.raises(InvoqError) as failed:
            invoq.call("t", {}, idempotency_key="twice")
    assert (failed.value.code, failed.value.may_have_run, failed.value.trace_id) == ("TIMEOUT", True, "trace_1")
    assert delays == [2.0, 3.0]
    method, path, headers, _ = server.asked[0]
    assert (method, path) == ("POST", "/tools/a%20tool%40%5E2?debug=true")
    assert (headers["idempotency-key"], headers["authorization"]) == ("once", "Bearer k")


def test_waiting_outlasts_many_requests_and_lost_answers(server: Scripted, delays: list[float]) -> None:
    server.answers += [answer(200, {"job_id": "inv/1", "result": None}), drop, answer(200, {"job_id": "inv/1", "result": SUCCESS})]
    with Invoq(server.url) as invoq:
        assert invoq.wait("inv/1").data == {"bmi": 22.86}
    assert [path for _, path, _, _ in server.asked] == ["/jobs/inv%2F1?wait=30"] * 3


@pytest.mark.parametrize("body", ["no JSON", "[]", "null"])
def test_an_answer_that_is_no_object_is_a_lost_one(server: Scripted, body: str) -> None:
    server.answers += [answer(200, body)]
    with Invoq(server.url, retries=0) as invoq, pytest.raises(InvoqError, match="gave no answer"):
        invoq.call("t", {})


def test_nobody_there_is_told_with_the_address() -> None:
    with Invoq("http://127.0.0.1:1", retries=0) as invoq, pytest.raises(InvoqError, match=r"at http://127\.0\.0\.1:1 gave no answer"):
        invoq.tools()


@pytest.mark.parametrize(
    ("value", "ms"),
    [(None, None), ("0", 0), ("7", 7_000), ("-1", None), ("soon", None), ("٣", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)
def test_retry_after(value: str | None, ms: float | None) -> None:
    assert parse_retry_after(value) == ms


@pytest.mark.parametrize(("failures", "wait"), [(0, 0.2), (1, 0.4), (5, 6.4), (6, 10.0), (5_000, 10.0)])
def test_a_wait_doubles_up_to_its_longest_however_long_an_outage_is(failures: int, wait: float) -> None:
    assert doubled(0.2, failures, longest=10.0) == pytest.approx(wait)


def test_a_file_name_that_is_no_utf_8_holds_up_nothing(server: Scripted) -> None:
    taken = {"settled": ["a"], "unknown": []}
    server.answers += [answer(200, taken)] * 3
    with httpx.Client(base_url=server.url) as http:
        nothing: dict[str, Any] = {"on_unknown": print, "on_gone": print, "on_beat": lambda: None}
        sender = Sender(http, "workers/w/messages", heartbeat_s=60, **nothing)
        # As `os.listdir` gives the bytes b"caf\xe9 \xf0", and half of a character of two halves.
        sender.end({"type": "done", "attempt": "a", "data": {"files": ["caf\udce9 \udcf0", "\ud83d\ude00"]}})
        flushed = threading.Thread(target=sender.flush, daemon=True)
        flushed.start()
        flushed.join(5)
        hangs = flushed.is_alive()
        sender.stop()
    assert not hangs
    assert json.loads(server.asked[0][3])["messages"][0]["data"] == {"files": ["caf\ufffd \ufffd", "\U0001f600"]}


def test_a_worker_that_breaks_tells_its_caller(server: Scripted) -> None:
    server.answers += [stream("event: welcome\ndata: {}\n\n")]
    with pytest.raises(KeyError, match="silence_ms"):
        Worker([], url=server.url, key="k", domain="sales").run()


def test_a_worker_makes_no_address_of_an_id_that_is_none(server: Scripted) -> None:
    welcome = {"worker": "../../keys?x=", "heartbeat_ms": 10, "silence_ms": 60_000, "tools": []}
    server.answers += [stream(f"event: welcome\ndata: {json.dumps(welcome)}\n\n")]
    with pytest.raises(ValueError, match="names no worker"):
        Worker([], url=server.url, key="k", domain="sales").run()
    assert [path for _, path, _, _ in server.asked] == ["/workers"]


def test_a_worker_runs_no_more_at_once_than_it_announced() -> None:
    gone, counts = threading.Event(), {"running": 0, "most": 0}
    lock = threading.Lock()

    @tool(effect="read", examples=[{"input": {}, "output": {"done": True}}])
    def wait_for_it() -> Done:
        """Wait until the test lets it go."""
        with lock:
            counts["running"] += 1
            counts["most"] = max(counts.values())
        gone.wait(60)
        with lock:
            counts["running"] -= 1
        return Done(True)

    session = Session(httpx.Client(), b"", {"wait_for_it@1.0.0": wait_for_it}, lambda _: None, concurrency=4)
    session._sender = sender = Said()  # type: ignore[assignment]
    frame = {"tool": "wait_for_it", "version": "1.0.0", "input": {}, "effect_key": "e", "number": 1, "trace_id": "t"}
    frame |= {"session_id": None, "timeout_ms": 60_000, "caller": {"tenant_id": "t", "user_id": None, "tier": "pro"}}

    def send(name: str) -> None:
        for number in range(50):
            session._take("attempt", {**frame, "attempt": f"{name}{number}"}, lambda: None, lambda: None)

    send("a")
    assert len(sender.returned) == 46
    # Those that are stopped go on here: their tool does not heed it.
    for number in range(50):
        session._take("stop", {"attempt": f"a{number}"}, lambda: None, lambda: None)
    send("b")
    assert len(sender.returned) == 92
    gone.set()
    assert counts["most"] <= 8


class Said:
    """A sender that keeps what is said."""

    def __init__(self) -> None:
        self.returned: list[str] = []

    def say(self, message: dict[str, Any], waits: bool = False) -> None:
        if message["type"] == "return":
            self.returned.append(message["attempt"])

    def end(self, message: dict[str, Any]) -> None:
        pass


@dataclass
class Done:
    done: bool
