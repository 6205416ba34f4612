"""Groups of the kernel: those that end while they are looked through, and the most memory that was held in one."""

from pathlib import Path

import pytest

from confinement.containers import cgroups
from confinement.limits import MIB


def test_a_group_that_has_just_ended_has_none_within(tmp_path):
    assert list(cgroups._below(tmp_path / "ended")) == [tmp_path / "ended"]
    (tmp_path / "inner").mkdir()
    assert list(cgroups._below(tmp_path)) == [tmp_path, tmp_path / "inner"]


class Told:
    """A group of version 1 whose files and process memory are set by a test."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "memory" / "own"
        self.folder.mkdir(parents=True)
        self.peak = cgroups.Peak(cgroups.Group("own", folder))
        self.held = self.mark = 0
        monkeypatch.setattr(cgroups, "held_bytes", lambda *_: self.held)

    def says(self, *, used: int, mark: int) -> None:
        self.mark = max(self.mark, mark)
        (self.folder / "memory.usage_in_bytes").write_text(str(used * MIB))
        (self.folder / "memory.max_usage_in_bytes").write_text(str(self.mark * MIB))

    def look(self, held: int, *, beside: int, mark: int = 0) -> None:
        self.held = held * MIB
        self.says(used=held + beside, mark=max(mark, held + beside))
        self.peak.look([1], (0, 0))

    def end(self, *, left: int, mark: int = 0) -> float:
        self.says(used=left, mark=mark)
        return self.peak.end() / MIB


@pytest.fixture
def group(tmp_path, monkeypatch):
    return Told(tmp_path, monkeypatch)


def test_what_is_held_at_a_look_counts_without_what_is_beside(group):
    group.look(20, beside=3)
    group.look(90, beside=3)
    group.look(30, beside=40)
    assert group.end(left=40) == 90


def test_what_was_held_between_two_looks_is_known_from_the_mark(group):
    group.look(20, beside=3)
    group.look(20, beside=4, mark=104)
    group.look(20, beside=4)
    assert group.end(left=2) == 100


def test_what_was_held_after_the_last_look_is_known_from_the_mark(group):
    group.look(20, beside=3)
    group.look(375, beside=3)
    assert group.end(left=1, mark=410) == 407


def test_files_that_came_into_memory_are_not_held(group):
    group.look(20, beside=3)
    group.look(20, beside=303)
    group.look(20, beside=403)
    assert group.end(left=500, mark=523) == 23


def test_a_look_while_memory_is_given_back_does_not_hide_what_was_held(group):
    group.look(7, beside=2)
    group.look(7, beside=53)
    assert group.end(left=0) == 58


def test_a_mark_that_did_not_rise_says_nothing_of_the_time_since(group):
    group.look(20, beside=3, mark=200)
    group.look(20, beside=3)
    assert group.end(left=3) == 20


def test_without_the_kernels_mark_what_was_looked_at_counts(group):
    for number in (10, 60, 5):
        group.held = number * MIB
        group.peak.look([1], (0, 0))
    assert group.peak.end() == 60 * MIB
