"""Malicious programs: the attack of each program and the expected result.

The first twenty come from the specification, the others were added by the project. Numbers 17 to 20 are archives that
never reach an engine. They are tested in tests/unit/containers/test_images.py.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from confinement.containers import making
from confinement.containers.batches import BatchReport, Taken
from confinement.containers.limits import RunLimits
from confinement.limits import MIB
from evaluation.running.outcomes import Files, Observation, RunOutcome, decide

LIMITS = RunLimits(
    case_seconds=1,
    start_seconds=1,
    memory_bytes=96 * MIB,
    cpus=1,
    pids=64,
    output_bytes=16 * MIB,
    scratch_bytes=16 * MIB,
    shm_bytes=8 * MIB,
    log_bytes=4 * MIB,
)
LONGER = replace(LIMITS, case_seconds=8)
GOOD = "good() { mkdir -p /output/$1; cp /input/$1/in.txt /output/$1/out.txt; }\n"


def outcomes(report: BatchReport) -> dict[str, RunOutcome]:
    """Outcome of each case, by the rules of the platform; valid is a file with one of the contents that it may have."""
    seen = Observation(
        report.exit_code,
        report.timed,
        report.out_of_memory,
        report.output_bound,
        report.log_bound,
        report.not_started,
        report.fault,
    )
    kinds = {Taken.TAKEN: Files.VALID, Taken.REFUSED: Files.BAD, Taken.ABSENT: Files.NONE}
    decided = {}
    for case, files in report.files.items():
        own = files["out.txt"]
        is_valid = own.path is None or own.path.read_bytes().decode(errors="replace") in contents(case)
        outcome = decide(seen, kinds[own.taken] if is_valid else Files.BAD, own.reason).outcome
        assert outcome is not None, report.fault
        decided[case] = outcome
    return decided


def contents(case: str) -> set[str]:
    """Return the permitted contents of a prediction: the input of its case, or the text of some programs."""
    return {f"case {case.removeprefix('c')}\n", "fine\n"}


Check = Callable[[BatchReport], list[str]]


def logged(report: BatchReport) -> list[str]:
    """Return the lines that the program logged as `BAD …`, one for each attack that succeeded."""
    return [line for line in report.log.text().splitlines() if line.startswith("BAD")]


def ended(word: str) -> Check:
    """Return a check that the program reached its end and that none of its attacks succeeded."""
    return lambda report: (
        logged(report) + ([] if f"END {word}" in report.log.text() else [f"did not end: {report.log.text()[-300:]}"])
    )


@dataclass(frozen=True)
class Hostile:
    """A program, and what is expected."""

    number: int
    name: str
    script: str
    expected: tuple[RunOutcome, ...]
    """Outcomes, one of which each case has to have."""
    limits: RunLimits = LIMITS
    cases: int = 1
    base: str = "busybox"
    image: dict[str, Any] = field(default_factory=dict)
    """Options of a custom image."""
    files: tuple[making.Entry, ...] = ()
    seconds: float = 15.0
    """Within which it is over, all included."""
    check: Check = logged


OK, TIME, MEMORY = RunOutcome.OK, RunOutcome.TIME_EXCEEDED, RunOutcome.MEMORY_EXCEEDED
INVALID, CRASHED, NOTHING = RunOutcome.INVALID_OUTPUT, RunOutcome.CRASHED, RunOutcome.NO_OUTPUT

_REFUSED = r"""
refused() { if "$@" > /dev/null 2>&1; then echo "BAD $*"; fi; }
"""
_SYSTEM_CALLS = r"""
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
calls = {"bpf": (321, 0, 0, 0), "keyctl": (250, 0, -3, 1), "io_uring_setup": (425, 8, 0), "ptrace init": (101, 16, 1, 0, 0),
         "clone user": (56, 0x10000011, 0, 0, 0, 0), "clone3": (435, b"\0" * 88, 88), "unshare": (272, 0x10000000), "unshare net": (272, 0x40000000), "mount": (165, b"none", b"/tmp", b"tmpfs", 0, 0),
         "setns": (308, 0, 0), "reboot": (169, 0xfee1dead, 672274793, 0x1234567, 0), "swapoff": (168, b"/dev/sda"),
         "init_module": (175, 0, 0, b""), "kexec_load": (246, 0, 0, 0, 0), "perf_event_open": (298, 0, 0, -1, -1, 0),
         "userfaultfd": (323, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "open_by_handle_at": (304, -1, 0, 0),
         "add_key": (248, b"user", b"x", b"x", 1, -3), "chroot": (161, b"/tmp"), "settimeofday": (164, b"\1" * 16, 0), "vsock": (41, 40, 1, 0), "alg": (41, 38, 5, 0),
         "sethostname": (170, b"x", 1), "setuid root": (105, 0), "mknod": (133, b"/tmp/sda", 0o60666, 0x800)}
for name, arguments in calls.items():
    result = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if result >= 0:
        print("BAD", name, result)
print("END calls")
"""
_SHARED_MEMORY = r"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
for number in range(64):
    own = libc.shmget(0, 8 << 20, 0o1600)
    if own < 0:
        break
    at = libc.shmat(own, None, 0)
    if at in (None, ctypes.c_void_p(-1).value):
        break
    ctypes.memset(at, 1, 8 << 20)
print("END without bound")
"""
_OPENS = r"""
import os
files = []
try:
    for number in range(100000):
        files.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    pass
print("BAD files" if len(files) > 4096 else "END files", len(files))
"""
_SOCKET = r"""
import os, socket
os.mkdir("/output/c1")
socket.socket(socket.AF_UNIX).bind("/output/c1/out.txt")
"""
_NETWORK = r"""
import socket
for family, kind, address in ((2, 1, ("127.0.0.1", PORT)), (2, 1, ("HOST", PORT)), (2, 1, ("169.254.169.254", 80)),
                              (2, 2, ("HOST", PORT)), (2, 2, ("8.8.8.8", 53)), (10, 1, ("::1", PORT)), (10, 2, ("2001:4860:4860::8888", 53))):
    try:
        own = socket.socket(family, kind)
        own.settimeout(0.5)
        own.connect(address)
        own.send(b"x")
        print("BAD sent to", address)
    except OSError:
        pass
try:
    socket.getaddrinfo("example.org", 80)
    print("BAD resolved")
except OSError:
    pass
for family in (16, 17, 40):
    try:
        socket.socket(family, socket.SOCK_RAW if family != 40 else socket.SOCK_STREAM)
        if family == 17:
            print("BAD packet socket")
        if family == 40:
            socket.socket(40, 1).connect((2, 1024))
            print("BAD vsock")
    except (OSError, TypeError):
        pass
print("END network")
"""

ALL = (
    Hostile(1, "fork bomb", "bomb() { bomb | bomb & }; bomb; wait; sleep 9", (NOTHING, CRASHED, TIME)),
    Hostile(2, "takes all memory", "", (MEMORY,), limits=LONGER, image={"entrypoint": ["/bin/tail", "/dev/zero"]}),
    Hostile(
        3, "a child takes all memory, outputs are there", GOOD + "good c1; tail /dev/zero; exit 0", (OK,), limits=LONGER
    ),
    Hostile(
        4,
        "fills /tmp, /dev/shm and /output",
        "for f in /tmp/x /dev/shm/x /output/x /output/y; do dd if=/dev/zero of=$f bs=64k; done 2> /dev/null; sleep 9",
        (INVALID,),
        limits=LONGER,
    ),
    Hostile(
        5,
        "a file of a TiB with nothing in it",
        "mkdir /output/c1; dd if=/dev/zero of=/output/c1/out.txt bs=1 count=1 seek=1099511627775",
        (INVALID, CRASHED, NOTHING),
    ),
    Hostile(
        6,
        "three hundred thousand files",
        "mkdir /output/c1; i=0; while [ $i -lt 300000 ]; do : > /output/c1/$i; i=$((i+1)); done; sleep 9",
        (INVALID,),
        limits=LONGER,
    ),
    Hostile(
        7,
        "links as predictions",
        "for c in c1 c2 c3; do mkdir /output/$c; done; ln -s /etc/shadow /output/c1/out.txt; "
        "ln -s /proc/self/mem /output/c2/out.txt; echo x > /output/c4; ln -s ../c4 /output/c3/out.txt",
        (INVALID,),
        cases=3,
    ),
    Hostile(8, "a pipe as prediction", "mkdir /output/c1; mkfifo /output/c1/out.txt", (INVALID,), seconds=2),
    Hostile(
        9,
        "three thousand nested folders",
        GOOD + "good c1; good c2; cd /output; i=0; while [ $i -lt 3000 ]; do mkdir d; cd d; i=$((i+1)); done",
        (OK,),
        cases=2,
        limits=replace(LONGER, output_files=5_000, output_bytes=64 * MIB),
        seconds=9,
    ),
    Hostile(10, "ignores signals", "trap '' TERM INT HUP QUIT; while :; do :; done", (TIME,), seconds=4),
    Hostile(
        11, "writes after its end", "(sleep 1; mkdir /output/c1; echo late > /output/c1/out.txt) & exit 0", (NOTHING,)
    ),
    Hostile(12, "prints without end", "yes", (CRASHED,), limits=LONGER),
    Hostile(
        13, "wants the network", _NETWORK, (NOTHING,), limits=LONGER, base="python", check=ended("network"), seconds=20
    ),
    Hostile(
        14,
        "system calls of root",
        _SYSTEM_CALLS,
        (NOTHING,),
        limits=LONGER,
        base="python",
        check=ended("calls"),
        seconds=20,
    ),
    Hostile(
        15,
        "a setuid program",
        '[ "$(/opt/id -u)" = 65534 ] || echo BAD $(/opt/id); /opt/id -u > /dev/null; grep -q "Uid:.65534.65534.65534" /proc/self/status || echo BAD uid; echo END setuid',
        (NOTHING,),
        image={"setuid": True},
        check=ended("setuid"),
    ),
    Hostile(
        16,
        "VOLUME, HEALTHCHECK, USER root",
        "(: > /x/a) 2> /dev/null && echo BAD /x; (: > /input/a) 2> /dev/null && echo BAD /input; "
        "[ $(id -u) = 65534 ] || echo BAD user; sleep 1; [ -e /tmp/checked ] && echo BAD health; echo END volumes",
        (NOTHING,),
        limits=LONGER,
        image={
            "user": "root",
            "more": {
                "Volumes": {"/input": {}, "/output": {}, "/x": {}},
                "Healthcheck": {"Test": ["CMD-SHELL", "touch /tmp/checked"], "Interval": 100_000_000},
            },
        },
        check=ended("volumes"),
    ),
    Hostile(
        21,
        "a large file that has no name any more",
        "exec 3> /output/x; rm /output/x; dd if=/dev/zero bs=64k >&3 2> /dev/null; dd if=/dev/zero of=/output/y bs=64k; sleep 9",
        (INVALID,),
        limits=LONGER,
    ),
    Hostile(
        22,
        "one file under the names of two cases",
        "mkdir /output/c1 /output/c2; echo x > /output/c1/out.txt; ln /output/c1/out.txt /output/c2/out.txt",
        (INVALID,),
        cases=2,
    ),
    Hostile(23, "kills everything that it can see", "kill -9 -1; kill -9 1; kill -9 $PPID; exit 5", (CRASHED,)),
    Hostile(
        24, "stops itself", "(sleep 0.3; kill -STOP -1) & kill -STOP $$; while :; do sleep 9; done", (TIME,), seconds=4
    ),
    Hostile(
        25,
        "memory as files in memory",
        "dd if=/dev/zero of=/tmp/x bs=64k; tail /dev/zero",
        (MEMORY, CRASHED, NOTHING),
        limits=replace(LONGER, memory_bytes=48 * MIB, scratch_bytes=64 * MIB),
    ),
    Hostile(
        26,
        "message queues without end",
        "i=0; while [ $i -lt 2000 ]; do : > /dev/mqueue/$i || break; i=$((i+1)); done; [ $i -gt 1000 ] && echo BAD $i; echo END queues",
        (NOTHING, CRASHED),
        limits=LONGER,
    ),
    Hostile(
        27, "shared memory without end", _SHARED_MEMORY, (MEMORY, CRASHED), limits=LONGER, base="python", seconds=20
    ),
    Hostile(
        28,
        "a log for terminals and browsers",
        r"printf '\033[2J\033]0;owned\007<script>alert(1)</script>\r\n\302\233'; exit 3",
        (CRASHED,),
        check=lambda report: (
            ["BAD control characters"]
            if any((ord(c) < 32 and c not in "\n\t") or ord(c) == 0x9B for c in report.log.text())
            else []
        ),
    ),
    Hostile(29, "one line without end", "tr '\\0' 'x' < /dev/zero", (CRASHED,), limits=LONGER),
    Hostile(
        30,
        "a link as the folder of a case",
        "mkdir /output/z; echo x > /output/z/out.txt; ln -s z /output/c1; ln -s /etc /output/c2",
        (INVALID,),
        cases=2,
    ),
    Hostile(31, "a socket as prediction", _SOCKET, (INVALID,), limits=LONGER, base="python", seconds=20),
    Hostile(
        32,
        "files of the kernel",
        _REFUSED
        + r"""
for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /sys/fs/cgroup/memory/memory.limit_in_bytes \
  /sys/fs/cgroup/memory/cgroup.procs /sys/fs/cgroup/devices/devices.allow /sys/fs/cgroup/memory/release_agent /proc/1/oom_score_adj; do
  (echo 1 > $f) 2> /dev/null && [ $f != /proc/1/oom_score_adj ] && echo BAD wrote $f
done
for f in /proc/kcore /proc/kmsg /dev/mem /dev/kmsg /proc/1/mem /sys/kernel/debug /sys/firmware/dmi; do
  [ -n "$(head -c 1 $f 2> /dev/null)" ] && echo BAD read $f
done
dmesg 2> /dev/null | grep -q . && echo BAD dmesg
echo END kernel
""",
        (NOTHING,),
        check=ended("kernel"),
    ),
    Hostile(
        33,
        "looks for secrets in its environment",
        "env | grep -iE 'secret|proxy|token|key|podium_data' && echo BAD environment; cat /proc/1/environ | tr '\\0' '\\n' | grep -iE 'secret|proxy' && echo BAD init; echo END environment",
        (NOTHING,),
        check=ended("environment"),
    ),
    Hostile(
        34,
        "opens files without end",
        _OPENS,
        (NOTHING,),
        limits=LONGER,
        base="python",
        check=ended("files"),
        seconds=20,
    ),
    Hostile(
        35,
        "leaves children that hold the log open",
        "i=0; while [ $i -lt 20 ]; do setsid sleep 60 & i=$((i+1)); done; exit 0",
        (NOTHING,),
        seconds=3,
    ),
    Hostile(
        36,
        "swaps its prediction for a link all the time",
        "mkdir /output/c1; cd /output/c1; while :; do echo fine > out.txt; rm out.txt; ln -s /etc/shadow out.txt; rm out.txt; done",
        (TIME, OK),
    ),
    Hostile(
        37,
        "names that hurt",
        GOOD
        + "good c1; cd /output; mkdir \"$(printf 'a\\nb')\" \"$(printf '\\377\\376')\" -- '-rf' ' ' '<b>' \"$(head -c 250 /dev/zero | tr '\\0' n)\"; touch '; rm -rf ~' '$(id)' '..x'",
        (OK,),
    ),
    Hostile(38, "takes all rights from its files", GOOD + "good c1; chmod 0 /output/c1/out.txt /output/c1", (OK,)),
    Hostile(
        39,
        "wants all processors",
        "i=0; while [ $i -lt 40 ]; do (while :; do :; done) & i=$((i+1)); done; wait",
        (TIME,),
        check=lambda report: (
            [f"BAD {report.cpu_seconds} s of processors in {report.wall_seconds} s"]
            if (report.cpu_seconds or 0) > 1.3 * report.wall_seconds + 0.3
            else []
        ),
    ),
    Hostile(
        40,
        "an administrator's programs",
        _REFUSED
        + "refused reboot -f; refused hostname x; date -s 2001-01-01 > /dev/null 2>&1; [ $(date +%Y) -gt 2001 ] || echo BAD date; refused swapoff -a; refused mount -t tmpfs x /tmp; "
        "refused umount -l /input; refused chroot /tmp /bin/true; refused mknod /tmp/sda b 8 0; refused ip link add x type dummy; "
        "refused nsenter -t 1 -m true; refused unshare -m true; refused renice -n -5 1; refused insmod /x; echo END administrator",
        (NOTHING,),
        limits=LONGER,
        check=ended("administrator"),
    ),
)
