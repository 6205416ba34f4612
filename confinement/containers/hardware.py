"""Hardware of this machine: what it offers to containers, and the class that makes times comparable."""

import os
import platform
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path


def offered(cpus: float = 0, memory_mib: int = 0, gpus: Sequence[str] = ()) -> dict[str, object]:
    """Return the cores, memory and devices that this machine offers to containers.

    Parameters
    ----------
    cpus, memory_mib
        Offered amounts; 0 for all cores and three quarters of the memory.
    gpus
        Identifiers of offered devices.
    """
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "cpus": cpus or os.cpu_count() or 1,
        "memory_mib": memory_mib or pages * size * 3 // 4 // 1024**2,
        "gpus": list(gpus),
        "machine": platform.machine(),
        "host_class": host_class(),
    }


@cache
def host_class(proc: Path = Path("/proc")) -> str:
    """Describe the hardware that determines run times; machines of one class have the same description.

    It contains the architecture, the processor, the number of cores and the kinds of GPUs.

    Parameters
    ----------
    proc
        Folder in which the kernel and its drivers describe the machine.
    """
    cpu_info = _content_of(proc / "cpuinfo")
    model = re.search(r"^model name\s*:\s*(.+)$", cpu_info, re.MULTILINE)
    cores = os.cpu_count() or 1
    named = " ".join(model[1].split()) if model else platform.processor()
    files = sorted((proc / "driver/nvidia/gpus").glob("*/information"))
    devices = Counter(
        match[1] for file in files if (match := re.search(r"^Model:\s*(.+?)\s*$", _content_of(file), re.MULTILINE))
    )
    gpus = [f"{number} × {name}" for name, number in sorted(devices.items())]
    counted = "1 core" if cores == 1 else f"{cores} cores"
    return ", ".join(filter(None, [platform.machine(), named, counted, *gpus]))[:200]


def _content_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
