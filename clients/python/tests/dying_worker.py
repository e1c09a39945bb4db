"""A worker whose tool ends or stops its process in the first attempt: a program of test_dying_worker.py."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from invoq.worker import Context, serve, tool


@dataclass
class Found:
    effect_key: str
    attempt: int


@tool(effect="write", timeout_ms=60_000, examples=[{"input": {"mark": "m", "how": "exit"}, "output": {"effect_key": "e", "attempt": 1}}])
def die_once(mark: str, how: str, context: Context) -> Found:
    """End the process at the first attempt, and answer at the second."""
    if not Path(mark).exists():
        Path(mark).write_text(context.effect_key)
        if how == "exit":
            os._exit(1)
        time.sleep(60)
    return Found(context.effect_key, context.attempt)


serve([die_once], url=os.environ["INVOQ_URL"], key=os.environ["INVOQ_WORKER_KEY"], domain="dying")
