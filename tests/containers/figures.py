"""Figures of the real engine: how long starts take, and how well time and memory of programs of known size are measured."""

import statistics
import time
from dataclasses import dataclass

from confinement.containers.batches import BatchReport, Taken
from confinement.containers.limits import RunLimits
from confinement.limits import MIB
from tests.containers.machine import COPY, Machine

CASES = 45
_ALLOCATES = r"""
import re, time
held = b"\1" * (SIZE << 20)
text = open("/proc/self/smaps_rollup").read()
print(sum(int(re.search(rf"{name}:\s+(\d+) kB", text)[1]) for name in ("Pss_Anon", "Pss_Shmem")) * 1024, flush=True)
with open("/output/x", "wb") as file:
    file.write(memoryview(held)[: WRITES << 20])
time.sleep(HOLDS)
"""
_WORKS = r"""
import time
end = time.process_time() + SECONDS
while time.process_time() < end:
    pass
"""
LIMITS = RunLimits(case_seconds=60, start_seconds=60, memory_bytes=2048 * MIB, cpus=2, pids=64, output_bytes=512 * MIB)


@dataclass(frozen=True)
class Measured:
    """A program of known size, and what was measured of it."""

    what: str
    known: float
    measured: float

    @property
    def is_within(self) -> bool:
        """Within 3 % for memory, 5 % or 0.2 s for time."""
        off = abs(self.measured - self.known)
        return off <= 0.03 * self.known if "MiB" in self.what else off <= max(0.05 * self.known, 0.2)


def _checked(report: BatchReport) -> BatchReport:
    assert report.fault == "", report.fault
    return report


def starts(machine: Machine, *, together: bool) -> float:
    """Return the seconds for 45 small cases, each in a separate container or all in one."""
    image = machine.image(COPY)
    machine.run(image)
    began = time.monotonic()
    if together:
        reports = [machine.run(image, cases=CASES)]
    else:
        reports = [machine.run(image, cases=[case]) for case in machine.case_files(CASES)]
    seconds = time.monotonic() - began
    taken = [own["out.txt"].taken for report in reports for own in report.files.values()]
    assert taken == [Taken.TAKEN] * CASES
    return seconds


def memory(machine: Machine, mib: int, holds: float, *, writes: int = 0) -> Measured:
    """Measure the peak memory of a program that allocates `mib` MiB, next to the program's own figure.

    With `writes`, the program also writes this number of MiB to a file.
    """
    script = _ALLOCATES.replace("SIZE", str(mib)).replace("HOLDS", str(holds)).replace("WRITES", str(writes))
    image, model = machine.runs(script, base="python")
    report = _checked(machine.run(image, limits=LIMITS, model=model))
    known = int(report.log.first.split()[0])
    beside = f", {writes} MiB written" if writes else ""
    return Measured(f"{mib} MiB held {holds:g} s{beside}", known / MIB, (report.peak_memory_bytes or 0) / MIB)


def wall(machine: Machine, seconds: float) -> Measured:
    """Wall time of a program that sleeps so long."""
    image, model = machine.runs(f"sleep {seconds}")
    report = _checked(machine.run(image, limits=LIMITS, model=model))
    return Measured(f"{seconds:g} s of wall time", seconds, report.wall_seconds)


def processor(machine: Machine, seconds: float) -> Measured:
    """Processor time of a program that computes so long."""
    image, model = machine.runs(_WORKS.replace("SECONDS", str(seconds)), base="python")
    report = _checked(machine.run(image, limits=LIMITS, model=model))
    return Measured(f"{seconds:g} s of processor time", seconds, report.cpu_seconds or 0)


def all_measured(machine: Machine, repeats: int) -> list[Measured]:
    """Everything of known size, so often."""
    found = []
    for _ in range(repeats):
        found += [
            memory(machine, 100, 0.5),
            memory(machine, 400, 0.5),
            memory(machine, 400, 0),
            memory(machine, 200, 0, writes=200),
            memory(machine, 1000, 0),
        ]
        found += [wall(machine, 0.5), wall(machine, 3), processor(machine, 1), processor(machine, 3)]
    return found


def table(found: list[Measured]) -> list[str]:
    """One line for each program: known, and least, median and most of what was measured."""
    lines = []
    for what in dict.fromkeys(own.what for own in found):
        own = [one for one in found if one.what == what]
        values = [one.measured for one in own]
        within = sum(one.is_within for one in own)
        known = statistics.median(one.known for one in own)
        lines.append(
            f"{what:36} known {known:8.2f}   measured {min(values):8.2f} {statistics.median(values):8.2f} {max(values):8.2f}"
            f"   within the bound {within} of {len(own)}"
        )
    return lines
