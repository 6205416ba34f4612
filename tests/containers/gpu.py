"""A real run on a GPU, end to end: one device in a container, a computation by the driver alone, counters and guarantees."""

import json
import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

from confinement.containers.batches import BatchReport, Expected, Taken
from confinement.containers.gpus import Gpus
from confinement.containers.probe import probe
from confinement.limits import GIB, MIB
from tests.containers.machine import SMALL, Machine

ALLOCATED = 512 * MIB
_SPECIFICATIONS = (Path("/etc/cdi"), Path("/var/run/cdi"))
_PROGRAM = """
import ctypes, json, os, time
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status:
        raise SystemExit(f"{name}: error {status}")
count, device, context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
call("cuInit", 0)
call("cuDeviceGetCount", ctypes.byref(count))
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
size = %d
memory = ctypes.c_uint64()
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
until = time.monotonic() + 3
passes = 0
while time.monotonic() < until:
    call("cuMemsetD8_v2", memory, ctypes.c_ubyte(passes %% 251), ctypes.c_size_t(size))
    call("cuCtxSynchronize")
    passes += 1
last = (ctypes.c_ubyte * 4)()
call("cuMemcpyDtoH_v2", last, ctypes.c_uint64(memory.value + size - 4), ctypes.c_size_t(4))
os.mkdir("/output/c1")
with open("/output/c1/out.json", "w") as stream:
    json.dump({"devices": count.value, "passes": passes, "last": list(last)}, stream)
"""


def lacking() -> list[str]:
    """Return what this machine lacks for a run on a GPU."""
    missing = [] if Path("/proc/driver/nvidia/version").exists() else ["the NVIDIA driver (/proc/driver/nvidia)"]
    named = [path for folder in _SPECIFICATIONS if folder.is_dir() for path in folder.iterdir()]
    if not any("nvidia" in path.name for path in named):
        missing.append("a CDI specification (nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml)")
    return missing


def device() -> str:
    """Return the identifier of the card to use: the first of `PODIUM_RUN_GPUS`, else the first of the machine."""
    if named := os.environ.get("PODIUM_RUN_GPUS", "").split(",")[0].strip():
        return named
    listed = subprocess.run(
        ["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"], capture_output=True, text=True, check=False
    )
    return listed.stdout.split("\n")[0].strip() or "0"


def problems(report: BatchReport) -> list[str]:
    """Return everything that is wrong with the report of the run."""
    if report.fault:
        return [f"the run did not start: {report.fault}"]
    collected = report.files["c1"]["out.json"]
    if collected.taken is not Taken.TAKEN or collected.path is None:
        return [f"no output ({report.exit_code}): {report.log.text()[-400:]}"]
    result = json.loads(collected.path.read_text())
    expected = (result["passes"] - 1) % 251
    memory = report.gpu_peak_memory_bytes
    return [
        text
        for holds, text in (
            (result["devices"] == 1, f"the container sees {result['devices']} devices instead of 1"),
            (result["passes"] > 0 and result["last"] == [expected] * 4, f"the card computed {result}"),
            (memory is not None, "the driver reports no memory of the container's processes"),
            (
                memory is None or ALLOCATED <= memory <= ALLOCATED + 2 * GIB,
                f"{memory} bytes of {ALLOCATED} are reported",
            ),
            (report.gpu_seconds is not None and report.gpu_seconds > 2, f"GPU time is {report.gpu_seconds}"),
        )
        if not holds
    ]


def verify(machine: Machine) -> int:
    """Run on a card and print what was found; return the number of problems."""
    if missing := lacking():
        print(f"not there for a GPU: {', '.join(missing)}")
        return 2
    card, began = device(), time.monotonic()
    counters = Gpus.opened([card])
    print(f"card {card}, counters: {'yes' if counters else 'no (nvidia-ml-py, or the driver)'}", flush=True)
    image, model = machine.runs(_PROGRAM % ALLOCATED, base="python")
    limits = replace(SMALL, memory_bytes=4 * GIB, case_seconds=60, start_seconds=60, gpus=1, pids=256)
    report = machine.run(image, model=model, limits=limits, gpus=[card], outputs=[Expected("out.json")])
    wrong = problems(report)
    guarantees = probe(machine.engine, machine.folder / "probe")
    wrong += [] if guarantees.ok else [guarantees.sentence()]
    for name, value in (
        ("GPU time, s", report.gpu_seconds),
        ("peak memory, MiB", report.gpu_peak_memory_bytes and report.gpu_peak_memory_bytes / MIB),
        ("utilization", report.gpu_utilization),
        ("energy, J", report.energy_joule),
    ):
        print(f"{name}: {'not reported' if value is None else f'{value:.1f}'}")
    print("\n".join(wrong) if wrong else "the card runs algorithms, and all guarantees apply")
    print(f"{time.monotonic() - began:.0f} s")
    return len(wrong)
