"""A read-only file system for one process, by Landlock: no privileges, no other program, and what was prepared is kept.

A wrapper like bubblewrap confines a program that it starts. The children of scoring are forked so that prepared references
need not be read again, and start no program; so they confine themselves by the same means of the kernel.
"""

import ctypes
import os
from pathlib import Path

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
"""Numbers of the system calls; the same on all architectures."""
_VERSION = 1
_PATH_BENEATH = 1
_EXECUTE, _REFER, _TRUNCATE = 1 << 0, 1 << 13, 1 << 14
_WRITE = 1 << 1 | sum(1 << bit for bit in range(4, 13))
"""Writing to files, and making or removing whatever has a name."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64),)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Return the version that the kernel has; 0 where it has none, or it is switched off."""
    return max(0, _call(_CREATE, None, 0, _VERSION))


def allow_writing_only_in(*folders: Path) -> bool:
    """Let this process and its descendants write in `folders` alone and start no program; for good.

    What is open already stays usable. Needs `PR_SET_NO_NEW_PRIVS`.

    Returns
    -------
    bool
        Whether it holds; False where the kernel has no Landlock.
    """
    known = version()
    if known < 1:
        return False
    writing = _WRITE | (_REFER if known >= 2 else 0) | (_TRUNCATE if known >= 3 else 0)
    ruleset = _Ruleset(writing | _EXECUTE)
    rules = _call(_CREATE, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    if rules < 0:
        return False
    try:
        added = all(_add(rules, folder, writing) for folder in folders)
        return added and _call(_RESTRICT, rules, 0) == 0
    finally:
        os.close(rules)


def _add(rules: int, folder: Path, access: int) -> bool:
    place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    try:
        beneath = _Beneath(access, place)
        return _call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(beneath), 0) == 0
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *given)
    return result
