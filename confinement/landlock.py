"""Restriction by Landlock of the files that one process may see and change.

It needs no privileges and keeps prepared data.

A wrapper like bubblewrap confines a program that it starts. The children of scoring start no program. They are
forked, which avoids reading prepared references again. They therefore confine themselves by the same kernel
functions.
"""

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
"""Numbers of the system calls; the same on all architectures."""
_VERSION = 1
_PATH_BENEATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER, _REFER, _TRUNCATE, _DEVICES = 1 << 0, 1 << 2, 1 << 3, 1 << 13, 1 << 14, 1 << 15
_WRITE = 1 << 1 | sum(1 << bit for bit in range(4, 13))
"""Rights to write to files, and to create or remove any named entry."""
_TCP = 1 << 0 | 1 << 1
"""Listening and connecting; from version 4 on."""
_SCOPES = 1 << 0 | 1 << 1
"""Abstract sockets and signals of processes outside; from version 6 on."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


def version() -> int:
    """Return the version that the kernel has; 0 where it has none, or it is switched off."""
    return max(0, _call(_CREATE, None, 0, _VERSION))


def allow_only(*, reading: Iterable[Path], writing: Iterable[Path]) -> bool:
    """Let this process and its descendants read and write only beneath these paths, and start no program; for good.

    What is open already stays usable. Where the kernel can, they neither use TCP nor signal processes outside. Needs
    `PR_SET_NO_NEW_PRIVS`.

    Returns
    -------
    bool
        Whether it holds; False where the kernel has no Landlock.
    """
    abi_version = version()
    if abi_version < 1:
        return False
    changing = _WRITE | (_REFER if abi_version >= 2 else 0) | (_TRUNCATE if abi_version >= 3 else 0)
    seeing = _READ_FILE | _READ_FOLDER
    ruleset = _Ruleset(changing | seeing | _EXECUTE | (_DEVICES if abi_version >= 5 else 0), _TCP, _SCOPES)
    size = ctypes.sizeof(ctypes.c_uint64) * (1 + (abi_version >= 4) + (abi_version >= 6))
    rules = _call(_CREATE, ctypes.byref(ruleset), size, 0)
    if rules < 0:
        return False
    try:
        added = [_add(rules, path, seeing if path.is_dir() else _READ_FILE) for path in reading]
        added += [_add(rules, folder, changing | seeing) for folder in writing]
        return all(added) and _call(_RESTRICT, rules, 0) == 0
    finally:
        os.close(rules)


def _add(rules: int, path: Path, access: int) -> bool:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        beneath = _Beneath(access, descriptor)
        return _call(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(beneath), 0) == 0
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    given = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = libc.syscall(ctypes.c_long(number), *given)
    return result
