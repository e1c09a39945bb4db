"""A server that answers as a test tells it, over real connections."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

Answer = Callable[["Handler"], None]
METADATA = {"tool_name": "t", "timestamp": "2026-01-01T00:00:00.000Z", "trace_id": "trace_1"}
SUCCESS = {"success": True, "status": "success", "data": {"bmi": 22.86}, "metadata": METADATA}


class Handler(BaseHTTPRequestHandler):
    server: Scripted
    # A connection for each request: it ends where the answer ends.
    protocol_version = "HTTP/1.0"

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.asked.append((self.command, self.path, dict(self.headers.items()), body.decode()))
        self.server.answers.pop(0)(self)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve

    def log_message(self, *_: Any) -> None:
        pass


class Scripted(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str, dict[str, str], str]] = []
        self.answers: list[Answer] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


def answer(status: int, body: Any, headers: dict[str, str] | None = None) -> Answer:
    def send(handler: Handler) -> None:
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write((body if isinstance(body, str) else json.dumps(body)).encode())

    return send


def failure(code: str, *, retryable: bool = False, **facts: Any) -> dict[str, Any]:
    metadata = {**METADATA, **facts.pop("metadata", {})}
    return {"success": False, "status": "error", "error": {"code": code, "message": "no", "retryable": retryable, **facts}, "metadata": metadata}


def frame(event: str, seq: int, data: Any) -> str:
    return f"event: {event}\nid: evt_{seq}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def stream(*frames: str, promised: int | None = None) -> Answer:
    """promised: a length that the answer says and does not have, so that it breaks off."""
    headers = {"content-type": "text/event-stream", **({} if promised is None else {"content-length": str(promised)})}
    return answer(200, "".join(frames), headers)


def drop(handler: Handler) -> None:
    handler.connection.close()
