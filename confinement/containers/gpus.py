"""Counters of NVIDIA's driver for the devices of one container: memory, utilization and energy.

They are read through the driver's own library (NVML). Without that library, or where the driver does not give a counter,
its value is None and never 0.
"""

import contextlib
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

_Value = TypeVar("_Value")


class Gpus:
    """Devices of one container.

    Parameters
    ----------
    library
        The module `pynvml`, initialized.
    handles
        Handle of each device.
    """

    def __init__(self, library: Any, handles: Sequence[Any]) -> None:
        self._library, self._handles = library, handles
        self._energy_at_start = self._energy()

    @classmethod
    def opened(cls, devices: Sequence[str]) -> "Gpus | None":
        """Return the counters of devices.

        Parameters
        ----------
        devices
            Each by its identifier (``GPU-…``, ``MIG-…``) or its number.

        Returns
        -------
        Gpus | None
            None without the library `nvidia-ml-py`, without a driver, and if a device does not exist.
        """
        try:
            import pynvml
        except ImportError:
            return None
        try:
            pynvml.nvmlInit()
            handles = [
                pynvml.nvmlDeviceGetHandleByIndex(int(device))
                if device.isdecimal()
                else pynvml.nvmlDeviceGetHandleByUUID(device)
                for device in devices
            ]
        except pynvml.NVMLError:
            return None
        return cls(pynvml, handles) if handles else None

    def memory_bytes(self, pids: Collection[int]) -> int | None:
        """Return the device memory of processes in bytes, 0 if none of them uses a device.

        Parameters
        ----------
        pids
            Numbers of the processes on this machine.
        """
        total = 0
        for handle in self._handles:
            processes = self._asked(self._library.nvmlDeviceGetComputeRunningProcesses, handle)
            if processes is None:
                return None
            for process in processes:
                if process.pid in pids:
                    if process.usedGpuMemory is None:
                        return None
                    total += int(process.usedGpuMemory)
        return total

    def utilization(self) -> float | None:
        """Return the share of time in which the devices computed, their mean, from 0 to 1."""
        rates = [self._asked(self._library.nvmlDeviceGetUtilizationRates, handle) for handle in self._handles]
        values = [rate.gpu / 100 for rate in rates if rate is not None]
        return sum(values) / len(values) if values and len(values) == len(rates) else None

    def energy_joule(self) -> float | None:
        """Return the energy in joules that the devices have used since this object was created.

        It is that of whole devices, whoever uses them.
        """
        now = self._energy()
        if now is None or self._energy_at_start is None or now < self._energy_at_start:
            return None
        return now - self._energy_at_start

    def _energy(self) -> float | None:
        total = 0.0
        for handle in self._handles:
            millijoules = self._asked(self._library.nvmlDeviceGetTotalEnergyConsumption, handle)
            if millijoules is None:
                return None
            total += millijoules / 1000
        return total

    def _asked(self, function: Callable[[Any], _Value], handle: Any) -> _Value | None:
        with contextlib.suppress(self._library.NVMLError):
            return function(handle)
        return None
