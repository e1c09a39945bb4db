"""Files that a tool gives in its answer."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Mapping, Protocol

from .limits import LIMITS

MOST_FILE_BYTES = 100 * 1024 * 1024
_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(?: ?; ?[\w.+-]+=[\w.+-]+)*", re.ASCII)


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


Content = bytes | bytearray | str | Readable | Iterable[bytes]


# Compared by identity: one that stands twice in an answer is sent once.
@dataclass(frozen=True, eq=False)
class File:
    """A file in the answer of a tool: `file(...)` makes it. In a return type it says that a file stands there."""

    content: Content
    name: str
    type: str


def file(content: Content, *, name: str, type: str) -> File:
    """content: bytes, a text in UTF-8, something open for reading bytes, or an iterable of bytes; at most 100 MB and 20 files an answer. What is read is closed.

    name: with its ending, `report.pdf`, at most 255 characters. type: a media type, `application/pdf`. Raises ValueError and TypeError for others.
    """
    # In UTF-16, as the gateway counts.
    if not 1 <= len(name.encode("utf-16-le", "surrogatepass")) // 2 <= LIMITS["fileName"]:
        raise ValueError(f"the name of a file has 1 to {LIMITS['fileName']} characters")
    if len(type) > LIMITS["contentType"] or not _TYPE.fullmatch(type):
        raise ValueError(f"the type of the file {name!r} must be a media type, such as image/png")
    if isinstance(content, str):
        content = content.encode()
    if not (isinstance(content, (bytes, bytearray)) or hasattr(content, "read") or hasattr(content, "__iter__")):
        raise TypeError(f"the file {name!r} must be bytes, a text, something open for reading, or an iterable of bytes")
    if isinstance(content, (bytes, bytearray)) and len(content) > MOST_FILE_BYTES:
        raise _too_large(name)
    # What no store of the gateway takes.
    return File(content, name.replace("\0", " ").encode("utf-8", "replace").decode(), type)


def _too_large(name: str) -> ValueError:
    return ValueError(f"the file {name!r} has more than {MOST_FILE_BYTES} bytes")


FILE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "file_id": {"type": "string"},
        "filename": {"type": "string"},
        "content_type": {"type": "string"},
        "size_bytes": {"type": "integer", "minimum": 0},
        "url": {"type": "string", "format": "uri", "secret": True, "description": "Where the file can be downloaded until expires_at."},
        "expires_at": {"type": "string", "format": "date-time"},
        "content_base64": {
            "type": "string",
            "description": "The file itself, when it is smaller than 1 MiB and the answer is read over HTTP.",
        },
    },
    "required": ["file_id", "filename", "content_type", "size_bytes", "url", "expires_at"],
    "additionalProperties": False,
}

SendFile = Callable[[File], dict[str, Any]]
SendPiece = Callable[[dict[str, Any]], dict[str, Any]]


def no_file(given: File) -> dict[str, Any]:
    raise TypeError(f"the file {given.name!r} can stand in the answer of a tool alone, in no step and no output event")


def sent_once(send: SendFile) -> SendFile:
    sent = dict[File, dict[str, Any]]()

    def send_once(given: File) -> dict[str, Any]:
        if given not in sent:
            sent[given] = send(given)
        return sent[given]

    return send_once


def send_file(given: File, number: int, send: SendPiece) -> dict[str, Any]:
    """Sends a file piece by piece, and gives what the answer says of it. send: gives the word of the gateway. Raises ValueError for a file that is too large."""
    if number > LIMITS["files"]:
        raise ValueError(f"an answer has at most {LIMITS['files']} files")
    try:
        return _send_pieces(given, number, send)
    finally:
        close = getattr(given.content, "close", None)
        if close:
            close()


def _send_pieces(given: File, number: int, send: SendPiece) -> dict[str, Any]:
    offset, pieces = 0, _pieces(given)
    piece = next(pieces, b"")
    while True:
        following = next(pieces, None)
        if offset + len(piece) > MOST_FILE_BYTES:
            raise _too_large(given.name)
        message = {
            "type": "file",
            "number": number,
            "name": given.name,
            "content_type": given.type,
            "offset": offset,
            "data": base64.b64encode(piece).decode(),
        }
        taken = send({**message, "last": True} if following is None else message)
        if following is None:
            whole: dict[str, Any] = taken["file"]
            return whole
        offset, piece = offset + len(piece), following


def _pieces(given: File) -> Iterator[bytes]:
    most, rest = LIMITS["filePieceBytes"], b""
    for chunk in _chunks(given.content, most):
        if not isinstance(chunk, (bytes, bytearray)):
            raise TypeError(f"the file {given.name!r} must give bytes, not {type(chunk).__name__}: open it in the mode 'rb'")
        # Cut here, so that a large one is not copied for each piece.
        for at in range(0, len(chunk), most):
            rest += chunk[at : at + most]
            if len(rest) >= most:
                yield rest[:most]
                rest = rest[most:]
    if rest:
        yield rest


def _chunks(content: Content, size: int) -> Iterator[Any]:
    if isinstance(content, (bytes, bytearray)):
        yield content
    elif isinstance(content, str):
        yield content.encode()
    elif hasattr(content, "read"):
        while chunk := content.read(size):
            yield chunk
    else:
        yield from content
