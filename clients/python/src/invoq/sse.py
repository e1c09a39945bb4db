"""Reads `text/event-stream` (WHATWG HTML, section 9.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import AsyncIterable, AsyncIterator, Iterable, Iterator


@dataclass(frozen=True)
class Frame:
    event: str
    id: str
    data: str


def read_frames(chunks: Iterable[bytes]) -> Iterator[Frame]:
    """The events of a stream, whatever the boundaries of its chunks. An unfinished event at the end is dropped."""
    reader = _Reader()
    for chunk in chunks:
        yield from reader.frames_of(chunk)


async def read_frames_async(chunks: AsyncIterable[bytes]) -> AsyncIterator[Frame]:
    """The same, of a stream that is awaited."""
    reader = _Reader()
    async for chunk in chunks:
        for frame in reader.frames_of(chunk):
            yield frame


class _Reader:
    def __init__(self) -> None:
        self._rest = b""
        self._is_first = True
        self._event, self._last_id, self._data = "", "", list[str]()

    def frames_of(self, chunk: bytes) -> Iterator[Frame]:
        """The events that end in this chunk."""
        for line in self._lines_of(chunk):
            if line == "":
                if self._data:
                    yield Frame(self._event or "message", self._last_id, "\n".join(self._data))
                self._event, self._data = "", []
                continue
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "event":
                self._event = value
            elif name == "data":
                self._data.append(value)
            elif name == "id" and "\0" not in value:
                self._last_id = value

    def _lines_of(self, chunk: bytes) -> Iterator[str]:
        """Lines end with CR, LF or both. `str.splitlines` also breaks at characters that JSON has in its texts."""
        self._rest += chunk
        while (end := _end_of_line(self._rest)) is not None:
            line, self._rest = self._rest[: end[0]], self._rest[end[1] :]
            text = line.decode("utf-8", errors="replace")
            yield text.removeprefix("\ufeff") if self._is_first else text
            self._is_first = False


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
