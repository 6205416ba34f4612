"""Files that are read later appear complete or not at all."""

import errno
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from evaluation import durable


def test_a_file_is_replaced_as_a_whole_and_nothing_else_stays(tmp_path):
    path = tmp_path / "kept.json"
    durable.write_text(path, "first")
    with durable.replacing(path) as stream:
        stream.write(b"sec")
        assert path.read_text() == "first"
        stream.write(b"ond")

    assert path.read_text() == "second"
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.json"]


def test_an_error_keeps_the_file_as_it_was_and_removes_the_temporary_one(tmp_path):
    path = tmp_path / "kept.json"
    durable.write_text(path, "first")

    def interrupted():
        with durable.replacing(path) as stream:
            stream.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        interrupted()
    assert path.read_text() == "first"
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept.json"]


def test_content_and_name_are_flushed_to_the_disk_in_this_order(tmp_path, monkeypatch):
    done = []
    fsync, path = os.fsync, tmp_path / "kept"

    def noted(handle):
        kind = "folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "content"
        done.append((kind, path.exists()))
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    durable.write_bytes(path, b"content")

    assert done == [("content", False), ("folder", True)]


def test_a_link_is_followed_and_a_device_is_written_directly(tmp_path):
    (tmp_path / "real").write_text("before")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    durable.write_text(tmp_path / "link", "after")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "after"
    durable.write_text(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()


def test_permissions_are_those_that_were_asked_for(tmp_path):
    durable.write_text(tmp_path / "secret", "key", mode=0o600)
    durable.copy(tmp_path / "secret", tmp_path / "copied", mode=0o600)
    durable.move(tmp_path / "copied", tmp_path / "moved")

    assert {stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()} == {0o600}
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["moved", "secret"]


def test_the_first_writer_wins(tmp_path):
    assert durable.write_first(tmp_path / "key", b"mine")
    assert not durable.write_first(tmp_path / "key", b"yours")
    assert (tmp_path / "key").read_bytes() == b"mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["key"]


def test_a_move_between_file_systems_is_a_copy_that_appears_complete(tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    (tmp_path / "sent").write_bytes(b"content")
    settle = durable.settle

    def refused(part, path):
        if part.parent != path.parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        settle(part, path)

    monkeypatch.setattr(durable, "settle", refused)
    durable.move(tmp_path / "sent", tmp_path / "there" / "kept", mode=0o600)

    assert (tmp_path / "there" / "kept").read_bytes() == b"content"
    assert not (tmp_path / "sent").exists()
    assert [entry.name for entry in (tmp_path / "there").iterdir()] == ["kept"]


def test_an_incomplete_last_line_is_neither_read_nor_added_to(tmp_path):
    path = tmp_path / "journal"
    durable.append_line(path, "one")
    with path.open("ab") as stream:
        stream.write(b"tw")
    assert durable.complete_lines(path) == ["one"]
    durable.append_line(path, "two")
    assert path.read_bytes() == b"one\ntwo\n"


def test_lines_are_added_on_a_system_without_locks_of_files(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    durable.append_line(tmp_path / "journal", "one")
    durable.append_line(tmp_path / "journal", "two")
    assert durable.complete_lines(tmp_path / "journal") == ["one", "two"]


def test_left_temporary_files_are_deleted_after_a_day_and_others_never(tmp_path):
    for name, age in ((f"{durable.PREFIX}old", 2), (f"{durable.PREFIX}new", 0), ("kept", 9)):
        (tmp_path / name).write_text("content")
        moment = time.time() - age * 24 * 3600
        os.utime(tmp_path / name, (moment, moment))

    assert durable.remove_leftovers(tmp_path) == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [f"{durable.PREFIX}new", "kept"]


def test_a_temporary_file_that_another_process_deletes_is_ignored(tmp_path, monkeypatch):
    (tmp_path / f"{durable.PREFIX}gone").symlink_to(tmp_path / "nowhere")  # its stat fails as that of a deleted file

    assert durable.remove_leftovers(tmp_path, older_than=0) == 0
