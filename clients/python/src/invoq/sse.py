"""Reads `text/event-stream` (WHATWG HTML, section 9.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator


@dataclass(frozen=True)
class Frame:
    event: str
    id: str
    data: str


def read_frames(chunks: Iterable[bytes]) -> Iterator[Frame]:
    """The events of a stream, whatever the boundaries of its chunks. An unfinished event at the end is dropped."""
    event, last_id, data = "", "", list[str]()
    for line in _lines(chunks):
        if line == "":
            if data:
                yield Frame(event or "message", last_id, "\n".join(data))
            event, data = "", []
            continue
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            event = value
        elif name == "data":
            data.append(value)
        elif name == "id" and "\0" not in value:
            last_id = value


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Lines end with CR, LF or both. `str.splitlines` also breaks at characters that JSON has in its texts."""
    rest = b""
    is_first = True
    for chunk in chunks:
        rest += chunk
        while (end := _end_of_line(rest)) is not None:
            line, rest = rest[: end[0]], rest[end[1] :]
            text = line.decode("utf-8", errors="replace")
            yield text.removeprefix("\ufeff") if is_first else text
            is_first = False


def _end_of_line(text: bytes) -> tuple[int, int] | None:
    """Where the first line ends, and where the next begins. A CR at the very end may be the first half of CRLF."""
    ends = [at for at in (text.find(b"\n"), text.find(b"\r")) if at >= 0]
    if not ends:
        return None
    at = min(ends)
    if text[at : at + 1] == b"\n":
        return at, at + 1
    if at + 1 == len(text):
        return None
    return at, at + 2 if text[at + 1 : at + 2] == b"\n" else at + 1
