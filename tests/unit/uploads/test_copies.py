"""Copies of files in object storage: each machine throws its own away, the longest unused first, never one in use."""

import os
import time
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage

from datastore.uploads import storage

HOUR = 3600


class Objects(Storage):
    """Object storage: what it holds has no path on this machine."""

    def _open(self, name: str, mode: str = "rb") -> ContentFile:
        return ContentFile(name.encode())

    def size(self, name: str) -> int:
        return len(name)


@pytest.fixture
def copies(settings, tmp_path: Path, monkeypatch) -> dict[str, Path]:
    """Copies of files that were used an hour, two hours, two days and a minute ago."""
    settings.PODIUM_SCRATCH = tmp_path
    monkeypatch.setattr(storage, "private", Objects)
    ages = {"hour": HOUR, "two hours": 2 * HOUR, "days": 48 * HOUR, "minute": 60}
    found = {name: storage.local_path(name) for name in ages}
    for name, age in ages.items():
        os.utime(found[name], (time.time() - age, time.time() - age))
    return found


def left(copies: dict[str, Path]) -> set[str]:
    return {name for name, path in copies.items() if path.exists()}


def test_a_copy_that_nobody_used_for_a_day_goes_when_another_comes(copies):
    assert storage.local_path("next").read_bytes() == b"next"
    assert left(copies) == {"hour", "two hours", "minute"}


def test_for_want_of_room_the_longest_unused_go_but_none_that_may_be_open(copies, monkeypatch):
    monkeypatch.setattr(storage, "free_bytes", lambda: 0)
    storage.local_path("next")
    assert left(copies) == {"minute"}


def test_no_more_go_than_are_needed(copies, settings, monkeypatch):
    settings.PODIUM_WORK_RESERVE_BYTES = 100
    monkeypatch.setattr(storage, "free_bytes", lambda: 200 if not copies["two hours"].exists() else 0)
    storage.local_path("next")
    assert left(copies) == {"hour", "minute"}
