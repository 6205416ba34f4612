"""Tests of containers exclude each other between processes if one of them measures costs."""

import fcntl
import itertools
import multiprocessing
import time
from pathlib import Path

from tests.engines import engine_in_use


def _use(folder: Path, alone: bool, seconds: float, begun: "multiprocessing.Queue[tuple[float, float]]") -> None:
    with engine_in_use(alone=alone, folder=folder):
        start = time.monotonic()
        time.sleep(seconds)
        begun.put((start, time.monotonic()))


def _spans(folder: Path, *alone: bool) -> list[tuple[float, float]]:
    context = multiprocessing.get_context("spawn")
    begun: multiprocessing.Queue[tuple[float, float]] = context.Queue()
    processes = [context.Process(target=_use, args=(folder, kind, 0.5, begun)) for kind in alone]
    for process in processes:
        process.start()
    spans = sorted(begun.get(timeout=60) for _ in processes)
    for process in processes:
        process.join()
    return spans


def _wait_for_a_process_at_the_gate(folder: Path) -> None:
    """Wait until a process waits for the engine, which it does while it keeps the gate locked."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with next(folder.glob("*-gate.lock")).open() as gate:
            try:
                fcntl.flock(gate, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
        time.sleep(0.02)
    raise AssertionError("No process waits for the engine.")


def test_one_that_is_alone_overlaps_no_other(tmp_path: Path) -> None:
    spans = _spans(tmp_path, True, False, True)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


def test_others_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with engine_in_use(alone=False, folder=tmp_path), engine_in_use(alone=False, folder=tmp_path):
        pass


def test_one_that_waits_goes_before_those_that_come_later(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    waiting: multiprocessing.Queue[tuple[float, float]] = context.Queue()
    later: multiprocessing.Queue[tuple[float, float]] = context.Queue()
    with engine_in_use(alone=False, folder=tmp_path):
        first = context.Process(target=_use, args=(tmp_path, True, 0.2, waiting))
        first.start()
        _wait_for_a_process_at_the_gate(tmp_path)
        second = context.Process(target=_use, args=(tmp_path, False, 0.0, later))
        second.start()
        time.sleep(0.5)
        assert later.empty()
    assert waiting.get(timeout=60)[1] <= later.get(timeout=60)[0]
    first.join()
    second.join()
