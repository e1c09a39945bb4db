"""What the gateway takes of the messages of a worker. `npm run format` of the product writes limits.json."""

from __future__ import annotations

import json
import pkgutil


def _read() -> dict[str, int]:
    data = pkgutil.get_data(__package__ or "invoq", "limits.json")
    return dict(json.loads(data or b"{}"))


LIMITS = _read()


def cut(text: str, most: int = LIMITS["text"]) -> str:
    """The beginning of a text at whole characters. The gateway counts UTF-16 units: what lies beyond U+FFFF counts as two."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * most].decode("utf-16-le", "ignore")
