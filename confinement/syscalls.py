"""Filter in the kernel (seccomp) for system calls that are never needed to read a participant's file.

It refuses for one process the operations that a path rule cannot express: new processes, sockets of any kind, signals
to another process, changes of a file's owner, mode or times, inspection of other processes, and new namespaces.
Threads stay allowed, because numerical libraries use them. The filter is a list of numbers that the kernel keeps
stable, and it needs no installation.
"""

import ctypes
import errno
import os
import platform
import struct

_SET_SECCOMP, _FILTER = 22, 2
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _IS, _ABOVE, _HAS, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST = 0, 4, 16
"""Places in what the kernel shows to the filter: number of the call, architecture, lower half of its first argument."""
_THREAD = 0x00010000
_PR_SET_PDEATHSIG = 1
_NEWEST = 466
"""Calls that came into the kernel later are answered as if it did not have them."""

# By architecture as the kernel names it; the calls without number do not exist there.
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CALLS: dict[str, tuple[int | None, int | None]] = {
    # Processes and programs; `clone` is judged by its flags, below.
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    # Sockets, and what can make them without these calls.
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Signals, priorities and limits of others; `kill`, `tgkill` and `prlimit64` are judged by whom they mean, below.
    "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # Looking into processes and the kernel.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Namespaces and mounts.
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    # What a file is beside its content: not covered by rules about paths.
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    # Memory that no limit counts, or that stays when the process is gone.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
}
_CLONE, _CLONE3 = (56, 220), (435, 435)
_ONESELF = ((62, 129), (234, 131))
"""`kill`, `tgkill`: for the process itself only, as a library that aborts does."""
_PRLIMIT, _PRCTL = (302, 261), (157, 167)


def refuse() -> bool:
    """Refuse these calls to this process from now on; needs `PR_SET_NO_NEW_PRIVS`.

    Returns
    -------
    bool
        Whether it holds; False on another architecture, or where the kernel has no such filters.
    """
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        return False
    code = ctypes.create_string_buffer(_program(machine, os.getpid()))
    program = ctypes.create_string_buffer(struct.pack("HL", len(code) // 8, ctypes.addressof(code)))
    return bool(ctypes.CDLL(None, use_errno=True).prctl(_SET_SECCOMP, _FILTER, program, 0, 0) == 0)


def _program(machine: str, process: int) -> bytes:
    index = list(_ARCHITECTURES).index(machine)
    refused, absent = _REFUSE | errno.EPERM, _REFUSE | errno.ENOSYS
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IS, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_ABOVE, 0, 1, _NEWEST),
        (_RETURN, 0, 0, absent),
        # Its flags lie in memory, which a filter cannot see; without it, libraries call `clone`.
        (_IS, 0, 1, _CLONE3[index]),
        (_RETURN, 0, 0, absent),
    ]
    for numbers in _CALLS.values():
        if (number := numbers[index]) is not None:
            steps += [(_IS, 0, 1, number), (_RETURN, 0, 0, refused)]
    steps += _judged(_CLONE[index], [(_HAS, 1, 0, _THREAD), (_RETURN, 0, 0, refused)])
    for numbers in _ONESELF:
        steps += _judged(numbers[index], [(_IS, 1, 0, process), (_RETURN, 0, 0, refused)])
    steps += _judged(_PRLIMIT[index], [(_IS, 2, 0, process), (_IS, 1, 0, 0), (_RETURN, 0, 0, refused)])
    steps += _judged(_PRCTL[index], [(_IS, 0, 1, _PR_SET_PDEATHSIG), (_RETURN, 0, 0, refused)])
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, (_RETURN, 0, 0, _ALLOW)])


def _judged(number: int, steps: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Steps for one call that look at its first argument; all others pass them by."""
    whole = [(_LOAD, 0, 0, _FIRST), *steps, (_RETURN, 0, 0, _ALLOW)]
    return [(_IS, 0, len(whole), number), *whole]
