"""Permanent restrictions of a child that reads a participant's file, applied from inside the process.

The guarantees are those that bubblewrap gives a program which it starts. However, bubblewrap would start a new
program, and the child is forked to share data that its worker has prepared. Three kernel mechanisms overlap, because
not every machine has all of them: a container without privileges creates no namespaces, and an old kernel has no
Landlock. A test determines the guarantees on a machine (`confinement.guarantees`).

All content of the worker's memory is in the child's memory as well. The child cannot disclose it: it has no network,
it can write files only in a folder that is removed with it, and only possible values of its answer are accepted.
"""

import contextlib
import ctypes
import os
import resource
import signal
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from confinement import landlock, syscalls
from confinement.limits import ChildLimits

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CLONE_NEWUTS, _CLONE_NEWIPC, _CLONE_NEWUSER, _CLONE_NEWNET = 0x04000000, 0x08000000, 0x10000000, 0x40000000
_NAMESPACES = _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS
_CAPABILITY_VERSION_3 = 0x20080522
_ROOT = Path(__file__).resolve().parent.parent
_SIGNALS = (
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCHLD,
)


def enter(
    limits: ChildLimits,
    *,
    items: int,
    keeps: set[int],
    output: int,
    parent: int,
    reads: Sequence[Path],
    writes: Sequence[Path],
) -> None:
    """Confine this process, as far as the machine can.

    Parameters
    ----------
    limits, items
        Bounds, and the number of items to process.
    keeps
        Files that stay open.
    output
        Destination of standard output and error.
    parent
        Process with which this one ends.
    reads, writes
        Readable paths in addition to the interpreter and the libraries, and paths that are also writable.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    _close_all_but(keeps, output)
    os.environ.clear()
    # Permitted to root, else in a user namespace of its own where the system allows that.
    if libc.unshare(_NAMESPACES) != 0:
        libc.unshare(_CLONE_NEWUSER | _NAMESPACES)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _drop_capabilities(libc)
    # The child must not outlive a worker that is killed. Behind the changes of rights, which make the kernel forget it.
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    _limit(limits, items)
    landlock.allow_only(reading=[*_libraries(), *reads], writing=writes)
    syscalls.refuse()


def prepare() -> None:
    """Work out in the worker what is the same for every child."""
    _libraries()


@cache
def _libraries() -> tuple[Path, ...]:
    """Return the folders of the interpreter, the libraries and the platform's code.

    Folders in which an installation keeps its data are never included.
    """
    system = (
        "/usr/lib",
        "/usr/lib32",
        "/usr/lib64",
        "/usr/share",
        "/usr/local/lib",
        "/usr/local/share",
        "/lib",
        "/lib64",
    )
    prefixes = (Path(prefix) / part for prefix in (sys.prefix, sys.base_prefix) for part in ("lib", "lib64"))
    installed = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    own_code = (_ROOT / name for name in ("platform", "evaluation", "confinement"))
    files = ("/etc/ld.so.cache", "/dev/null", "/dev/urandom")
    readable: tuple[str | Path, ...] = (*system, *prefixes, *installed, *own_code, *files)
    wanted = {Path(path).resolve() for path in readable}
    paths = {path for path in wanted if os.access(path, os.R_OK)}
    return tuple(sorted(path for path in paths if not paths & set(path.parents)))


def _close_all_but(keeps: set[int], output: int) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 (a list, since closing changes the folder)
        if int(name) > 2 and int(name) not in keeps:
            with contextlib.suppress(OSError):
                os.close(int(name))


def _limit(limits: ChildLimits, items: int) -> None:
    seconds = int(limits.item_seconds * items) + 5
    for kind, value in (
        (resource.RLIMIT_AS, _address_space() + limits.memory_bytes),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # Processor time ends with a signal at the soft limit that says so; at the hard one it would be a plain kill.
        resource.setrlimit(kind, (bounded, bounded + 5 if kind == resource.RLIMIT_CPU else bounded))


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()
