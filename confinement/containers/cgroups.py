"""Kernel statistics of the processes of a container: control groups of version 1 and 2, and `/proc`."""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
_KB = 1024
_PAGE = 4_096
_LOOKS = 4
_ANON = re.compile(rb"^Pss_Anon:\s+(\d+) kB", re.MULTILINE)
_SHMEM = re.compile(rb"^Pss_Shmem:\s+(\d+) kB", re.MULTILINE)


def is_unified() -> bool:
    """Return whether this machine has control groups of version 2 only."""
    return (ROOT / "cgroup.controllers").exists()


class Group:
    """The group in which an engine puts the containers of a batch."""

    def __init__(self, name: str, root: Path = ROOT) -> None:
        self._root, self._name = root, name.strip("/")
        self.is_unified = (root / "cgroup.controllers").exists()

    def processes(self) -> list[int]:
        """Processes of the container, without those of the engine that look after it."""
        pids: list[int] = []
        for group in self._inner(self._folder("memory")):
            with contextlib.suppress(OSError, ValueError):
                pids += [int(line) for line in (group / "cgroup.procs").read_text().split()]
        return pids

    def cpu_seconds(self) -> float | None:
        """Processor time of all that ran in the group."""
        with contextlib.suppress(OSError, ValueError):
            if self.is_unified:
                return _field(self._folder("cpu") / "cpu.stat", "usage_usec") / 1e6
            return int((self._folder("cpuacct") / "cpuacct.usage").read_text()) / 1e9
        return None

    def high_water_bytes(self) -> int | None:
        """Most memory that the group had at once, files that the kernel keeps in memory included."""
        name = "memory.peak" if self.is_unified else "memory.max_usage_in_bytes"
        with contextlib.suppress(OSError, ValueError):
            return int((self._folder("memory") / name).read_text())
        return None

    def used_bytes(self) -> int | None:
        """Memory that the group has now, files that the kernel keeps in memory included."""
        name = "memory.current" if self.is_unified else "memory.usage_in_bytes"
        with contextlib.suppress(OSError, ValueError):
            return int((self._folder("memory") / name).read_text())
        return None

    def shared_bytes(self) -> int:
        """Files in memory (/tmp, /dev/shm)."""
        with contextlib.suppress(OSError, ValueError):
            return _field(self._folder("memory") / "memory.stat", "shmem" if self.is_unified else "total_shmem")
        return 0

    def memory_kills(self) -> int:
        """Return the number of the group's processes that the kernel killed for memory.

        It is 0 on control groups of version 1, which do not report it.
        """
        with contextlib.suppress(OSError, ValueError):
            if self.is_unified:
                return _field(self._folder("memory") / "memory.events", "oom_kill")
        return 0

    def remove(self) -> None:
        """Remove the group, which is empty when its container is gone."""
        tops = [self._root] if self.is_unified else [folder for folder in self._root.iterdir() if folder.is_dir()]
        for top in tops:
            group_folder = top / self._name
            if group_folder.is_dir():
                for group in sorted(_below(group_folder), key=lambda path: len(path.parts), reverse=True):
                    with contextlib.suppress(OSError):
                        group.rmdir()

    def _folder(self, controller: str) -> Path:
        return self._root / self._name if self.is_unified else self._root / controller / self._name

    def _inner(self, folder: Path) -> Iterator[Path]:
        with contextlib.suppress(OSError):
            for child in folder.iterdir():
                if child.is_dir() and "conmon" not in child.name:
                    yield from _below(child)


def names(group: str, root: Path = ROOT) -> list[str]:
    """Names of the groups in a group."""
    folder = root / group if (root / "cgroup.controllers").exists() else root / "memory" / group
    with contextlib.suppress(OSError):
        return [child.name for child in folder.iterdir() if child.is_dir()]
    return []


def held_bytes(group: Group, pids: list[int], sizes: tuple[int, int]) -> int:
    """Memory that processes hold, what they share counted once; files that the kernel could drop are not.

    Parameters
    ----------
    group
        Of the processes.
    pids
        The processes.
    sizes
        Of the file systems in memory at /tmp and /dev/shm, by which they are recognised.
    """
    private = shared = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            content = Path(f"/proc/{pid}/smaps_rollup").read_bytes()
            private += sum(int(value) for value in _ANON.findall(content)) * _KB
            shared += sum(int(value) for value in _SHMEM.findall(content)) * _KB
    # Files in memory count whether a process has them mapped or not. The kernel tells of them late (version 1), or only of
    # those that are mapped, or only of those with a name: the largest of the three is not larger than what there is.
    return private + max(shared, group.shared_bytes(), _in_memory(pids[0], sizes))


class Peak:
    """Peak memory of the processes of a group, including peaks between two samples.

    Sampling shows the memory that processes use at one moment, but misses peaks between two samples. The kernel's
    high-water mark of the group includes them. It also includes memory that does not count: files cached in
    memory, the kernel's own tables, and the engine's processes. Each sample shows how much memory this additional
    part has. A mark that has risen since the previous sample therefore shows the peak. The result is too high
    only where files entered the cache and left it again between two samples.
    """

    def __init__(self, group: Group) -> None:
        self._group = group
        self._looks: list[tuple[int, int]] = []
        """The last samples: the high-water mark, and the maximum of memory outside the processes."""
        self.bytes = 0

    def look(self, pids: list[int], sizes: tuple[int, int]) -> int:
        """Look at what processes hold now, and return it; `sizes` as of `held_bytes`."""
        before = self._group.used_bytes()
        held = held_bytes(self._group, pids, sizes)
        after, mark = self._group.used_bytes(), self._group.high_water_bytes()
        self.bytes = max(self.bytes, held)
        if before is not None and after is not None and mark is not None:
            beside = max(0, max(before, after) - held)
            self._tell_last(beside)
            self._looks = [*self._looks[1 - _LOOKS :], (mark, beside)]
        return held

    def end(self) -> int:
        """Most that was held, when no process is left."""
        left, mark = self._group.used_bytes(), self._group.high_water_bytes()
        if self._looks and left is not None and mark is not None:
            self._tell_last(left)
            last, _ = self._looks[-1]
            if mark > last:
                usual = min(beside for _, beside in self._looks)
                self.bytes = max(self.bytes, mark - max(usual, left))
        return self.bytes

    def _tell_last(self, next_beside: int) -> None:
        """Update the peak between the last two samples.

        The memory outside the processes after these samples is known now.

        Memory that processes allocate or release during a sample seems to be outside them. The neighbouring
        samples do not show this effect.
        """
        if len(self._looks) > 1:
            (earlier, _), (mark, beside) = self._looks[-2:]
            if mark > earlier:
                around = max(min(before for _, before in self._looks[:-1]), next_beside)
                self.bytes = max(self.bytes, mark - min(beside, around))


def _in_memory(pid: int, sizes: tuple[int, int]) -> int:
    total = 0
    for name, size in zip(("tmp", "dev/shm"), sizes, strict=True):
        with contextlib.suppress(OSError):
            file_system = os.statvfs(f"/proc/{pid}/root/{name}")
            # Before the container's own file systems are there, this would be another one.
            if abs(file_system.f_blocks * file_system.f_frsize - size) <= _PAGE:
                total += (file_system.f_blocks - file_system.f_bfree) * file_system.f_frsize
    return total


def _field(path: Path, name: str) -> int:
    for line in path.read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    raise ValueError(name)


def _below(folder: Path) -> Iterator[Path]:
    yield folder
    inner: list[Path] = []  # a group may end while it is looked through
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        inner = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    for child in inner:
        yield from _below(child)
