"""Children that misbehave: each failure belongs to its item, and the rest goes on."""

import contextlib
import gc
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from confinement.limits import MIB, ChildLimits
from confinement.sandbox import ChildError, Failure, Usage, answers, usage

# Long enough for whatever else this machine does: only the test of the time has to wait for its end.
LIMITS = ChildLimits(memory_bytes=300 * MIB, file_bytes=2 * MIB, item_seconds=60.0)
SHORT = replace(LIMITS, item_seconds=3.0)


def open_files() -> dict[int, str]:
    """Number and target of the open files of this process."""
    found = {}
    for number in range(256):  # a child may not list them
        with contextlib.suppress(OSError):
            found[number] = str(Path(f"/proc/self/fd/{number}").readlink())
    return found


def run(items, work, **more):
    return list(answers(items, work, limits=more.pop("limits", LIMITS), **more))


def test_answers_come_in_order():
    found = run(["a", "b", "c"], lambda item, _: item.upper())
    assert [(answer.item, answer.value, answer.failure) for answer in found] == [
        ("a", "A", None),
        ("b", "B", None),
        ("c", "C", None),
    ]


def test_numbers_come_back_exactly():
    value = 0.1 + 0.2
    assert run(["a"], lambda _item, _: value)[0].value == value


@pytest.mark.parametrize(
    ("misdeed", "failure"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), Failure.CRASH),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), Failure.CRASH),
        (lambda: os._exit(0), Failure.CRASH),
        (lambda: bytearray(10_000 * MIB), Failure.MEMORY),
        (lambda: time.sleep(120), Failure.TIME),
    ],
    ids=["segmentation fault", "killed", "left", "memory", "time"],
)
def test_a_child_that_dies_costs_one_item(misdeed, failure):
    def work(item: str, _: Path) -> str:
        if item == "bad":
            misdeed()
        return item

    found = run(["first", "bad", "last"], work, limits=SHORT if failure == Failure.TIME else LIMITS)
    assert [(answer.item, answer.failure) for answer in found] == [("first", None), ("bad", failure), ("last", None)]


def test_writing_more_than_allowed_ends_the_child():
    def work(item: str, folder: Path) -> str:
        if item == "bad":
            with (folder / "large").open("wb") as stream:
                stream.write(bytes(5 * MIB))
        return item

    with pytest.raises(ChildError, match="File too large"):
        run(["bad"], work)


def many_small_files(folder: Path) -> None:
    for number in range(100_000):
        (folder / str(number)).touch()


def many_folders(folder: Path) -> None:
    for number in range(100_000):
        (folder / f"{number % 10}" / str(number)).mkdir(parents=True)


def many_bytes(folder: Path) -> None:
    for number in range(100):
        (folder / str(number)).write_bytes(bytes(MIB))
        time.sleep(0.02)


def many_nameless_bytes(folder: Path) -> None:
    """Write files that are invisible in the folder: open, and with their name removed."""
    streams = []
    for _ in range(40):
        streams.append((folder / "open").open("wb", buffering=0))
        streams[-1].write(bytes(MIB))
        (folder / "open").unlink()
        time.sleep(0.02)
    time.sleep(60)


@pytest.mark.parametrize("misdeed", [many_small_files, many_folders, many_bytes, many_nameless_bytes])
def test_a_child_whose_folder_grows_beyond_its_bounds_is_killed(misdeed):
    """Each file within its own bound, and all together not."""

    def work(item: str, folder: Path) -> str:
        if item == "bad":
            time.sleep(1)  # what grows in the moment in which the item before is taken counts as that one's
            misdeed(folder)
        return item

    began = time.monotonic()
    bounded = replace(LIMITS, folder_bytes=10 * MIB, folder_files=50)
    found = run(["first", "bad", "last"], work, limits=bounded)
    assert [(answer.item, answer.failure) for answer in found] == [
        ("first", None),
        ("bad", Failure.SPACE),
        ("last", None),
    ]
    assert "The child had" in found[1].details
    assert time.monotonic() - began < 30, "while it works, not when it is done"


def test_what_it_hands_over_counts_and_what_lay_there_before_does_not(tmp_path: Path):
    (tmp_path / "before").write_bytes(bytes(20 * MIB))

    def work(item: str, _: Path) -> str:
        for number in range(int(item)):
            (tmp_path / f"file-{number}").write_bytes(bytes(MIB))
        return item

    bounded = replace(LIMITS, folder_bytes=10 * MIB)
    found = [run([item], work, limits=bounded, hands_over=tmp_path)[0].failure for item in ("5", "30")]
    assert found == [None, Failure.SPACE]


def test_a_file_with_holes_takes_what_it_takes(tmp_path: Path):
    with (tmp_path / "holes").open("wb") as stream:
        stream.truncate(10**12)
    assert usage([tmp_path], most=10) == Usage(1, 0)


def test_a_link_is_not_followed(tmp_path: Path):
    (tmp_path / "away").symlink_to("/usr")
    assert usage([tmp_path], most=10).files == 1


def test_an_error_of_the_work_itself_is_a_fault_of_the_platform():
    def work(item: str, _: Path) -> str:
        raise KeyError(item)

    with pytest.raises(ChildError, match="KeyError"):
        run(["a"], work)


def test_a_child_has_no_open_files_of_the_worker(tmp_path: Path):
    with (tmp_path / "secret").open("w") as secret:
        assert str(tmp_path / "secret") in open_files().values(), secret

        def work(_item: str, _: Path) -> list[str]:
            return sorted(open_files().values())

        found = run(["a"], work)[0].value
    assert not any("secret" in path for path in found)


def test_a_child_has_no_environment():
    os.environ["PODIUM_TEST_SECRET"] = "hidden"
    try:
        assert run(["a"], lambda _item, _: dict(os.environ))[0].value == {}
    finally:
        del os.environ["PODIUM_TEST_SECRET"]


def test_what_a_child_prints_reaches_the_log_of_a_crash():
    def work(_item: str, _: Path) -> None:
        os.write(2, b"last words")
        os._exit(3)

    [answer] = run(["a"], work)
    assert "last words" in answer.details
    assert "exit status 3" in answer.details


def test_an_answer_that_is_too_long_is_a_fault():
    limits = ChildLimits(memory_bytes=300 * MIB, file_bytes=MIB, item_seconds=60, message_bytes=100)
    with pytest.raises(ChildError, match="too long"):
        run(["a"], lambda _item, _: "x" * 1000, limits=limits)


def test_frames_that_a_hijacked_child_writes_are_not_believed(monkeypatch):
    """A child that writes its own frames to the pipe gets no further than a failure of its item."""

    def work(_item: str, _: Path) -> str:
        for number, path in open_files().items():
            if path.startswith("pipe"):
                os.write(number, b"\xff\xff\xff\xff")
        return "x"

    assert run(["a"], work)[0].failure == Failure.CRASH


def test_a_heart_beats_while_a_child_works():
    beats = []

    def work(item: str, _: Path) -> str:
        time.sleep(1.5)  # three times as long as between two beats
        return item

    run(["a"], work, beat=lambda: beats.append(time.monotonic()))
    assert len(beats) >= 2


def test_when_time_is_over_the_rest_is_handed_back():
    def work(item: str, _: Path) -> str:
        time.sleep(0.6)
        return item

    assert len(run(["a", "b", "c", "d", "e"], work, seconds=1.0)) in (1, 2)


def test_nothing_is_left_behind(tmp_path: Path):
    def work(item: str, folder: Path) -> str:
        (folder / "litter").write_text(item)
        return item

    scratch = tmp_path / "work"
    scratch.mkdir()
    before = open_files()
    run(["a", "b"], work, limits=replace(LIMITS, scratch=scratch))
    assert list(scratch.iterdir()) == []
    assert open_files() == before


def test_the_worker_goes_on_throwing_away_what_it_needs_no_more():
    apart = gc.get_freeze_count()

    def work(*_):
        return gc.get_freeze_count() > apart and gc.isenabled()

    gc.collect()
    gc.collect(1)
    gc.collect(1)
    assert [answer.value for answer in answers(["a"], work, limits=LIMITS)] == [True], "the child copies no page"
    # Objects that were set apart here would come back as the oldest, and those count anew until they are looked through.
    assert (gc.get_freeze_count(), gc.isenabled(), gc.get_count()[2] >= 2) == (apart, True, True)
