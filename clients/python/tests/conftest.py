from __future__ import annotations

import threading
from typing import Iterator

import pytest

from scripted import Scripted


@pytest.fixture
def server() -> Iterator[Scripted]:
    with Scripted() as scripted:
        threading.Thread(target=scripted.serve_forever, args=(0.02,), daemon=True).start()
        yield scripted
        scripted.shutdown()
