"""A process that ends in the middle of an attempt loses no call, at a running gateway (see test_worker.py)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from invoq import Invoq, InvoqError


def start_worker() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(Path(__file__).with_name("dying_worker.py"))], stderr=subprocess.PIPE)


def until(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


@pytest.mark.parametrize("how", ["exit", "kill"])
def test_the_attempt_comes_back_and_runs_elsewhere(tmp_path: Path, how: str) -> None:
    mark = tmp_path / "mark"
    with Invoq(os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"]) as invoq:

        def is_served() -> bool:
            try:
                return bool(invoq.tool("die_once"))
            except InvoqError:
                return False

        first = start_worker()
        until(is_served)
        job_id = invoq.start("die_once", {"mark": str(mark), "how": how}).job_id
        assert job_id is not None
        until(mark.exists)
        if how == "kill":
            first.kill()
        assert first.wait(60) == (1 if how == "exit" else -signal.SIGKILL)
        second = start_worker()
        try:
            found = invoq.wait(job_id).data
            assert found["effect_key"] == mark.read_text()
        finally:
            second.terminate()
            assert second.wait(60) == 0
