"""Tidying ignores what is gone, and leaves what another installation or a living process uses."""

import multiprocessing
import os
import shutil
import time
from pathlib import Path

import pytest
from django.test import override_settings

from datastore.test_sets import vault
from datastore.uploads.storage import scratch
from submissions.services import sweeping
from web import storing

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """A place for passing folders that several installations share."""
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(storing, "MEMORY", folder)
    return folder


def aged(path: Path, hours: float = 30) -> Path:
    """Set the modification time of a file or folder to `hours` hours ago."""
    moment = time.time() - hours * 3600
    os.utime(path, (moment, moment))
    return path


def left(parent: Path, kind: str = "open") -> Path:
    """Leave a folder as a killed process of this installation does."""
    folder = parent / f"{storing.own_prefix(kind)}-abc"
    folder.mkdir()
    (folder / "reference.nii.gz").write_bytes(b"plain")
    return aged(folder)


def test_what_killed_processes_left_is_removed(memory):
    folders = [left(memory), left(memory, "scan"), left(scratch("open")), left(scratch("scans"), "scan")]
    files = []
    for kind in ("work", "copies", "incoming", "backup", "forms"):
        files.append(scratch(kind) / "old")
        files[-1].write_bytes(b"x")
        aged(files[-1])
    sweeping.sweep()
    assert not any(path.exists() for path in (*folders, *files))


def test_what_is_new_in_use_or_of_another_installation_is_left(memory):
    new = storing.own_prefix("open") + "-new"
    (memory / new).mkdir()
    with override_settings(SECRET_KEY="another installation"):
        other = left(memory)
    stranger = memory / "podium-open-of-an-earlier-version"
    stranger.mkdir()
    aged(stranger)
    with vault.open_folder(1) as used:
        assert used.parent == memory
        aged(used)
        sweeping.sweep()
        assert used.exists()
    assert not used.exists()
    assert other.exists()
    assert stranger.exists()
    assert (memory / new).exists()


def test_folders_that_vanish_between_two_looks_are_ignored(memory, monkeypatch):
    for path in (left(memory), left(scratch("open"))):
        assert path.exists()
    gone = scratch("work") / "gone"
    gone.write_bytes(b"x")
    aged(gone)
    look = Path.stat

    def vanishing(path, **options):
        """Another process is faster, just before this one looks."""
        if path.name.startswith(storing.own_prefix()):
            shutil.rmtree(path, ignore_errors=True)
        elif path == gone:
            path.unlink(missing_ok=True)
        return look(path, **options)

    monkeypatch.setattr(Path, "stat", vanishing)
    sweeping.sweep()
    assert list(memory.iterdir()) == []


def _sweep_often(parent: Path, times: int) -> None:
    for _ in range(times):
        storing.remove_abandoned(parent, older_than=-1)
        storing.remove_old(parent, older_than=-1)


def test_two_processes_that_tidy_the_same_place_do_not_disturb_each_other(memory):
    for number in range(200):
        folder = memory / f"{storing.own_prefix('open')}-{number}"
        folder.mkdir()
        (folder / "reference.nii.gz").write_bytes(b"plain")
    fork = multiprocessing.get_context("fork")
    others = [fork.Process(target=_sweep_often, args=(memory, 20)) for _ in range(3)]
    for process in others:
        process.start()
    for process in others:
        process.join()
    assert [process.exitcode for process in others] == [0, 0, 0]
    assert list(memory.iterdir()) == []
