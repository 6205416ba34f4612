"""Counters of the driver, read by NVIDIA's own module through a stand-in for the driver's library."""

import ctypes
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pynvml
import pytest

from confinement.containers.batches import Batch, BatchReport, CaseInput, Collected, Expected, Taken
from confinement.containers.engine import Ending, Sample
from confinement.containers.gpus import Gpus
from confinement.containers.limits import RunLimits
from confinement.containers.runner import run_batch
from tests.containers import gpu
from tests.containers.stand_in_engine import StandInContainer, StandInEngine, Work, copies

MIB = 1024**2


class Driver:
    """Functions of `libnvidia-ml.so.1` with two devices, filling the structures that the module passes."""

    def __init__(self) -> None:
        self.processes: dict[int, list[tuple[int, int]]] = {0: [], 1: []}
        self.millijoules = {0: 5_000_000, 1: 7_000_000}
        self.utilization = {0: 50, 1: 100}
        self.lacks: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        if name not in ("nvmlInitWithFlags", *_FUNCTIONS):
            raise AttributeError(name)
        if name in self.lacks:
            return lambda *_: pynvml.NVML_ERROR_NOT_SUPPORTED
        return {"nvmlInitWithFlags": lambda _: 0, **{own: getattr(self, f"_{own}") for own in _FUNCTIONS}}[name]

    def _nvmlDeviceGetHandleByIndex_v2(self, index: Any, device: Any) -> int:  # noqa: N802
        return self._handle(index.value, device)

    def _nvmlDeviceGetHandleByUUID(self, uuid: Any, device: Any) -> int:  # noqa: N802
        return self._handle({b"GPU-a": 0, b"GPU-b": 1}.get(uuid.value, 9), device)

    def _handle(self, index: int, device: Any) -> int:
        if index not in self.processes:
            return pynvml.NVML_ERROR_NOT_FOUND
        ctypes.cast(device, ctypes.POINTER(ctypes.c_void_p))[0] = index + 1
        return 0

    def _nvmlDeviceGetComputeRunningProcesses_v3(self, handle: Any, count: Any, array: Any) -> int:  # noqa: N802
        rows = self.processes[_index(handle)]
        if array is None:
            count._obj.value = len(rows)
            return pynvml.NVML_ERROR_INSUFFICIENT_SIZE if rows else 0
        for row, (pid, memory) in zip(array, rows, strict=False):
            row.pid, row.usedGpuMemory = pid, memory
        count._obj.value = len(rows)
        return 0

    def _nvmlDeviceGetUtilizationRates(self, handle: Any, rates: Any) -> int:  # noqa: N802
        rates._obj.gpu = self.utilization[_index(handle)]
        return 0

    def _nvmlDeviceGetTotalEnergyConsumption(self, handle: Any, energy: Any) -> int:  # noqa: N802
        energy._obj.value = self.millijoules[_index(handle)]
        return 0


_FUNCTIONS = [name.removeprefix("_") for name in vars(Driver) if name.startswith("_nvml")]


def _index(handle: Any) -> int:
    return int(ctypes.cast(handle, ctypes.c_void_p).value) - 1


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    own = Driver()
    monkeypatch.setattr(pynvml, "_LoadNvmlLibrary", lambda: None)
    monkeypatch.setattr(pynvml, "nvmlLib", own)
    pynvml._nvmlGetFunctionPointer_cache.clear()
    yield own
    pynvml._nvmlGetFunctionPointer_cache.clear()


def test_memory_of_the_processes_of_a_container_on_its_devices(driver: Driver) -> None:
    driver.processes = {0: [(10, 300 * MIB), (99, 4_000 * MIB)], 1: [(11, 200 * MIB)]}

    both, one = Gpus.opened(["GPU-a", "GPU-b"]), Gpus.opened(["0"])

    assert both is not None
    assert one is not None
    assert both.memory_bytes({10, 11}) == 500 * MIB
    assert one.memory_bytes({10, 11}) == 300 * MIB
    assert one.memory_bytes({12}) == 0
    assert both.utilization() == pytest.approx(0.75)


def test_energy_is_that_since_the_start(driver: Driver) -> None:
    own = Gpus.opened(["0", "1"])
    driver.millijoules = {0: 5_012_500, 1: 7_002_500}

    assert own is not None
    assert own.energy_joule() == pytest.approx(15.0)
    driver.millijoules[0] = 3
    assert own.energy_joule() is None


def test_what_the_driver_does_not_give_is_unknown_and_not_zero(driver: Driver) -> None:
    driver.lacks = {name for name in _FUNCTIONS if "Handle" not in name}
    own = Gpus.opened(["0"])

    assert own is not None
    assert (own.memory_bytes({10}), own.utilization(), own.energy_joule()) == (None, None, None)
    pynvml._nvmlGetFunctionPointer_cache.clear()
    driver.lacks, driver.processes = set(), {0: [(10, 2**64 - 1)], 1: []}
    assert own.memory_bytes({10}) is None


def test_without_a_device_a_driver_or_the_module_there_are_no_counters(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Gpus.opened(["GPU-other"]) is None
    assert Gpus.opened([]) is None
    monkeypatch.undo()
    if not Path("/proc/driver/nvidia").exists():
        assert Gpus.opened(["0"]) is None
    monkeypatch.setitem(sys.modules, "pynvml", None)
    assert Gpus.opened(["0"]) is None


def _reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, samples: list[Sample], alone: bool) -> BatchReport:
    waiting = iter(samples)
    ending = StandInContainer.ending

    def with_energy(container: StandInContainer) -> Ending:
        own = ending(container)
        return Ending(own.exit_code, own.started, own.finished, energy_joule=42.0)

    def slowly(work: Work) -> None:
        work.sleep(0.5)
        copies(work)

    monkeypatch.setattr(StandInContainer, "ending", with_energy)
    monkeypatch.setattr(StandInContainer, "sample", lambda _: next(waiting, None))
    monkeypatch.setattr(StandInEngine, "is_alone", lambda *_: alone)
    case = tmp_path / "in.txt"
    case.write_text("x")
    limits = RunLimits(case_seconds=20, gpus=1)
    document = {"outputs": [{"file": "out.txt"}]}
    batch = Batch(
        "b", 1, "l", "i", [CaseInput("c1", {"in.txt": case})], [Expected("out.txt")], document, limits, gpus=["0"]
    )
    return run_batch(StandInEngine(slowly), batch, tmp_path / "lease")


def test_counters_become_costs_of_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [Sample(0.0, 1, 100 * MIB, 0.5), Sample(1.0, 1, 300 * MIB, 1.0), Sample(2.0, 1, 0, None)]
    report = _reported(tmp_path, monkeypatch, samples=samples, alone=True)

    assert report.gpu_peak_memory_bytes == 300 * MIB
    assert report.gpu_memory_time == pytest.approx(400.0)
    assert report.gpu_utilization == pytest.approx(0.75)
    assert report.energy_joule == 42.0


def test_energy_of_a_machine_with_other_runs_is_unknown_and_so_is_memory_without_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = _reported(tmp_path, monkeypatch, samples=[], alone=False)

    assert report.fault == ""
    assert report.gpu_seconds is not None
    assert (report.energy_joule, report.gpu_peak_memory_bytes, report.gpu_memory_time) == (None, None, None)


def test_the_command_for_a_card_judges_its_report(tmp_path: Path) -> None:
    result = tmp_path / "out.json"
    result.write_text('{"devices": 2, "passes": 10, "last": [9, 9, 9, 8]}')
    files = {"c1": {"out.json": Collected(Taken.TAKEN, result)}}
    wrong = gpu.problems(BatchReport(files=files, gpu_seconds=3.0, gpu_peak_memory_bytes=100 * MIB))

    assert [text.split()[0] for text in wrong] == ["the", "the", f"{100 * MIB}"]
    result.write_text('{"devices": 1, "passes": 10, "last": [9, 9, 9, 9]}')
    good = BatchReport(files=files, gpu_seconds=3.0, gpu_peak_memory_bytes=700 * MIB)
    assert gpu.problems(good) == []
    assert gpu.problems(BatchReport(fault="no card")) == ["the run did not start: no card"]
