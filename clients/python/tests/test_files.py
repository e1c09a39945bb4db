"""Files in the answers of tools, without a gateway."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from typing import Any, Iterator

import pytest

from invoq.attempt import end_of
from invoq.files import MOST_FILE_BYTES, Content, send_file
from invoq.limits import LIMITS
from invoq.schema import json_of
from invoq.tool import Caller, Cancelled, Context, File, file, tool

PIECE = LIMITS["filePieceBytes"]


@dataclass
class Filed:
    files: list[File]
    one: File


def sent(content: Content) -> tuple[list[dict[str, Any]], bytes]:
    pieces: list[dict[str, Any]] = []

    def send(piece: dict[str, Any]) -> dict[str, Any]:
        pieces.append(piece)
        return {"file": {"file_id": "file_1"}}

    assert send_file(file(content, name="a.bin", type="image/png"), 1, send) == {"file_id": "file_1"}
    return pieces, b"".join(base64.b64decode(piece["data"]) for piece in pieces)


def chunks() -> Iterator[bytes]:
    yield b"x" * (PIECE - 1)
    yield b"yz"


@pytest.mark.parametrize("content, count, size", [
    (b"", 1, 0),
    ("\u62a5\u544a", 1, 6),
    (b"x" * PIECE, 1, PIECE),
    (b"x" * (PIECE + 1), 2, PIECE + 1),
    (io.BytesIO(b"x" * (2 * PIECE)), 2, 2 * PIECE),
    (chunks(), 2, PIECE + 1),
    ([b"x" * (3 * PIECE)], 3, 3 * PIECE),
    ((b"x" for _ in range(10)), 1, 10),
])  # fmt: skip
def test_content_goes_in_pieces(content: Content, count: int, size: int) -> None:
    pieces, whole = sent(content)
    assert (len(pieces), len(whole)) == (count, size)
    assert [piece["offset"] for piece in pieces] == [PIECE * at for at in range(count)]
    assert ["last" in piece for piece in pieces] == [False] * (count - 1) + [True]


def test_a_file_stands_anywhere_in_the_answer() -> None:
    numbers: list[str] = []

    @tool(effect="read", examples=[])
    def make() -> Filed:
        """Make files."""
        return Filed([file(b"a", name="a", type="a/b")], file("b", name="b", type="text/plain; charset=utf-8"))

    schema = make.contract["output"]["properties"]
    assert schema["one"]["properties"]["url"]["secret"] is True
    assert schema["files"]["items"] == schema["one"]
    context = Context(Caller("t", None, "pro"), "key", 1, "trace", None, [], "key.1", lambda _: None)
    context._send_file = lambda given: numbers.append(given.name) or {"file_id": given.name}
    assert end_of(make, {}, context) == {"type": "done", "data": {"files": [{"file_id": "a"}], "one": {"file_id": "b"}}}
    assert numbers == ["a", "b"]


def test_what_is_wrong_with_a_file_is_told() -> None:
    with pytest.raises(ValueError, match="1 to 255 characters"):
        file(b"", name="", type="a/b")
    with pytest.raises(ValueError, match="must be a media type"):
        file(b"", name="a", type="text/html\r\nx: y")
    with pytest.raises(ValueError, match="at most 20 files"):
        send_file(file(b"", name="a", type="a/b"), 21, lambda piece: piece)
    with pytest.raises(ValueError, match="more than 104857600 bytes"):
        file(bytes(MOST_FILE_BYTES + 1), name="a", type="a/b")
    with pytest.raises(ValueError, match="1 to 255 characters"):
        file(b"", name="\U0001f600" * 128, type="a/b")
    with pytest.raises(TypeError, match="bytes, a text"):
        file(7, name="a", type="a/b")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must give bytes, not str"):
        sent(io.StringIO("text"))  # type: ignore[arg-type]


def test_a_stream_that_is_too_large_fails_at_the_bound_and_is_closed() -> None:
    sizes, closed = list[int](), list[bool]()

    def endless() -> Iterator[bytes]:
        try:
            while True:
                yield bytes(PIECE)
        finally:
            closed.append(True)

    def send(piece: dict[str, Any]) -> dict[str, Any]:
        sizes.append(piece["offset"])
        return {}

    with pytest.raises(ValueError, match="more than 104857600 bytes"):
        send_file(file(endless(), name="a", type="a/b"), 1, send)
    assert (len(sizes), closed) == (MOST_FILE_BYTES // PIECE, [True])


def test_what_was_open_is_closed_when_the_gateway_stops_the_attempt() -> None:
    def stop(piece: dict[str, Any]) -> dict[str, Any]:
        raise Cancelled

    opened = io.BytesIO(b"x")
    with pytest.raises(Cancelled):
        send_file(file(opened, name="a", type="a/b"), 1, stop)
    assert opened.closed


def test_a_file_that_stands_twice_is_sent_once_and_one_in_a_step_is_an_error() -> None:
    numbers: list[str] = []
    one = file(iter([b"a"]), name="a", type="a/b")

    @tool(effect="read", examples=[])
    def make() -> Filed:
        """Make files."""
        return Filed([one, one], one)

    context = Context(Caller("t", None, "pro"), "key", 1, "trace", None, [], "key.1", lambda _: None)
    context._send_file = lambda given: numbers.append(given.name) or {"file_id": given.name}
    assert end_of(make, {}, context)["data"]["files"] == [{"file_id": "a"}] * 2
    assert numbers == ["a"]
    with pytest.raises(TypeError, match="in no step"):
        json_of({"file": one})
