"""Guarantees that apply to containers on this machine, determined by test images that try to break each.

The engine's own statements are not used, since engines accept bounds that they do not apply. A test container either
got through or it did not.
"""

import contextlib
import os
import select
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from confinement.containers import making
from confinement.containers.batches import Batch, BatchReport, CaseInput, Expected, Taken
from confinement.containers.engine import Engine, EngineError
from confinement.containers.images import ImageError, take_image
from confinement.containers.layout import write_layout
from confinement.containers.limits import ImageLimits, RunLimits
from confinement.containers.removing import remove_tree
from confinement.containers.runner import run_batch
from confinement.containers.space import release
from confinement.limits import MIB

REQUIREMENTS: Mapping[str, str] = {
    "R1": "no network but its own loopback",
    "R2": "writes only to /output, /tmp and /dev/shm, each bounded",
    "R3": "memory is bounded, without swap, and a kill for memory is seen",
    "R4": "the number of processes and threads is bounded",
    "R5": "processor time is bounded",
    "R6": "no capabilities, no new privileges, system calls are filtered",
    "R7": "its users are no users of this machine",
    "R8": "sees only its own files and processes, and a host name of its own",
    "R9": "ends at the time limit whatever it does",
    "R10": "what it prints is bounded",
    "R11": "no device but those that every program needs",
}
ALWAYS = tuple(REQUIREMENTS)[:9]
"""Guarantees that every installation requires."""
_LIMITS = RunLimits(
    case_seconds=15,
    start_seconds=15,
    memory_bytes=64 * MIB,
    cpus=0.5,
    pids=40,
    output_bytes=4 * MIB,
    output_files=50,
    scratch_bytes=8 * MIB,
    shm_bytes=4 * MIB,
    log_bytes=MIB,
)
_DEVICES = {"full", "null", "ptmx", "pts", "random", "shm", "tty", "urandom", "zero", "console", "mqueue", "core"}
_DEVICES |= {"fd", "stdin", "stdout", "stderr"}
_BUSY_SECONDS = 1.5
_MOST_PROCESSES = 12
_SCRIPT = "try.sh"
_LOOK = r"""
told() { echo "$@" >> /output/c1/report.txt; }
mkdir /output/c1
told interfaces $(tail -n +3 /proc/net/dev | cut -d: -f1)
for address in $ADDRESSES; do nc -w 1 $address $PORT < /dev/null > /dev/null 2>&1 && told reached $address; done
for folder in / /bin /dev /etc /home /input /model /mnt /opt /proc /proc/sys /root /run /sys /usr /var; do
  (: > $folder/podium-try) 2> /dev/null && told wrote $folder
done
dd if=/dev/zero of=/tmp/x bs=1M count=64 2> /dev/null; told scratch $(du -k /tmp/x | cut -f1); rm /tmp/x
dd if=/dev/zero of=/dev/shm/x bs=1M count=64 2> /dev/null; told shm $(du -k /dev/shm/x | cut -f1); rm /dev/shm/x
told status $(grep -E '^(Seccomp|CapEff|CapPrm|CapBnd|NoNewPrivs):' /proc/self/status)
told users $(cat /proc/self/uid_map)
told host $(hostname)
told processes $(ls /proc | grep -c '^[0-9]')
for path in $SECRETS; do [ -e $path ] && told saw $path; done
told devices $(ls /dev)
(while :; do :; done) & one=$!
(while :; do :; done) & two=$!
sleep 1.5
told busy $(cut -d' ' -f14,15 /proc/$one/stat /proc/$two/stat)
kill -9 $one $two
(i=0; while [ $i -lt 200 ]; do sleep 20 & i=$((i+1)); echo $i > /tmp/n; done) 2> /dev/null
read n < /tmp/n; told tasks $n; told done
"""
_SCRIPTS = {
    "look": _LOOK,
    "memory": "exec tail /dev/zero",
    "time": "trap '' TERM INT HUP; sh -c 'kill -STOP $$' & while :; do sleep 1000; done",
    "bytes": "dd if=/dev/zero of=/output/x bs=65536; dd if=/dev/zero of=/output/y bs=65536; sleep 20",
    "files": "i=0; while [ $i -lt 5000 ]; do : > /output/$i; i=$((i+1)); done; sleep 20",
    "log": "yes",
}


@dataclass(frozen=True)
class Probe:
    """Result of the probe."""

    holds: Mapping[str, bool] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    """Observations where a guarantee is not met."""
    error: str = ""
    """Reason why nothing could be tested."""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if all guarantees are met."""
        return self.holds_all(REQUIREMENTS)

    def holds_all(self, required: Collection[str]) -> bool:
        """Return whether the guarantees that an installation requires are met.

        `ALWAYS` is always among them.
        """
        return not self.error and all(self.holds.get(name, False) for name in {*ALWAYS, *required})

    def sentence(self) -> str:
        """Return a sentence for operators about guarantees that are not met."""
        if self.error:
            return self.error
        lacking = [
            f"{name} ({REQUIREMENTS[name]}): {self.told.get(name, 'not tried')}"
            for name in REQUIREMENTS
            if not self.holds.get(name)
        ]
        return "; ".join(lacking) if lacking else "all guarantees hold"


def probe(engine: Engine, folder: Path) -> Probe:
    """Start test containers that try to exceed each bound, and return the guarantees that are met.

    Parameters
    ----------
    engine
        The engine to test.
    folder
        Folder in which batches will have their folders; its requirements are tested there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    probe_folder = Path(tempfile.mkdtemp(prefix=f"probe-{os.getpid()}-", dir=folder))
    probe_folder.chmod(0o711)
    image = ""
    try:
        versions = engine.versions()
        with _listener() as (port, reached):
            environment = {
                "PORT": str(port),
                "ADDRESSES": " ".join(_addresses()),
                "SECRETS": f"{probe_folder} {Path.cwd()}",
            }
            image = _loaded(engine, probe_folder / "image")
            reports = {name: _run(engine, probe_folder, name, image, environment) for name in _SCRIPTS}
        if faults := [report.fault for report in reports.values() if report.fault]:
            return Probe(error=f"{engine.name} cannot run a container: {faults[0]}", versions=versions)
        violations = _judged(reports, reached)
        return Probe({name: name not in violations for name in REQUIREMENTS}, violations, versions=versions)
    except (EngineError, ImageError, OSError) as error:
        return Probe(error=f"{engine.name} cannot be tried: {error}")
    finally:
        if image:
            with contextlib.suppress(EngineError):
                engine.remove_image(image)
        release(probe_folder)
        remove_tree(probe_folder)


def _sweep(folder: Path) -> None:
    """Remove what probes of processes that were killed have left, mounted file systems too."""
    for left in folder.glob("probe-*-*"):
        process = left.name.split("-")[1]
        if process.isdecimal() and not Path("/proc", process).exists():
            release(left)
            remove_tree(left)


def _run(engine: Engine, folder: Path, name: str, image: str, environment: Mapping[str, str]) -> BatchReport:
    limits = replace(_LIMITS, case_seconds=0.5, start_seconds=0.5) if name == "time" else _LIMITS
    if name == "look":
        # What it reports has to have room where the bounds on output are tried.
        limits = replace(limits, output_bytes=16 * MIB)
    script = folder / f"{name}.sh"
    script.write_text(_SCRIPTS[name])
    unique = f"probe-{name}-{os.getpid()}-{time.monotonic_ns()}"
    batch = Batch(
        batch=unique,
        attempt=1,
        lease=unique,
        image_id=image,
        cases=[CaseInput("c1", {_SCRIPT: script})],
        outputs=[Expected("report.txt")],
        interface={"interface": "podium-exec-1"},
        limits=limits,
        environment=environment if name == "look" else {},
    )
    return run_batch(engine, batch, folder / name)


def _judged(reports: Mapping[str, BatchReport], reached: list[str]) -> dict[str, str]:
    """Return the guarantees that are not met, with the observation for each."""
    violations: dict[str, str] = {}
    look = reports["look"].files["c1"]["report.txt"]
    lines = look.path.read_text().splitlines() if look.taken is Taken.TAKEN and look.path else []
    seen: dict[str, list[str]] = {}
    for line in lines:
        name, *words = line.split()
        seen.setdefault(name, []).extend(words)
    if "done" not in seen:
        log_text = reports["look"].log.text()[-300:]
        return dict.fromkeys(REQUIREMENTS, f"the program that tries did not come to its end ({log_text.strip()})")

    def judge(name: str, holds: Callable[[], bool], what: str) -> None:
        with contextlib.suppress(KeyError, ValueError, IndexError):
            if holds():
                return
        violations.setdefault(name, what)

    interfaces = [name for name in seen["interfaces"] if name != "lo"]
    judge("R1", lambda: not interfaces and "reached" not in seen and not reached, f"has {interfaces or 'a way out'}")
    judge("R2", lambda: "wrote" not in seen, f"wrote to {', '.join(seen.get('wrote', []))}")
    judge("R2", lambda: int(seen["scratch"][0]) * 1024 <= _LIMITS.scratch_bytes, "scratch is not bounded")
    judge("R2", lambda: int(seen["shm"][0]) * 1024 <= _LIMITS.shm_bytes, "shared memory is not bounded")
    for name in ("bytes", "files"):
        judge("R2", lambda name=name: bool(reports[name].output_bound), f"the {name} of /output are not bounded")  # type: ignore[misc]
    memory = reports["memory"]
    judge(
        "R3",
        lambda: memory.out_of_memory and memory.exit_code != 0,
        "took more memory than it may, or its end is not seen",
    )
    judge(
        "R4", lambda: int(seen["tasks"][0]) < _LIMITS.pids, f"started {seen.get('tasks')} processes of {_LIMITS.pids}"
    )
    allowed = (_LIMITS.cpus * _BUSY_SECONDS * 1.4 + 0.1) * os.sysconf("SC_CLK_TCK")
    judge(
        "R5", lambda: sum(map(int, seen["busy"])) <= allowed, f"two loops took {seen.get('busy')} ticks of {allowed:g}"
    )
    judge("R6", lambda: _is_without_rights(seen["status"]), f"has {' '.join(seen.get('status', []))}")
    judge("R7", lambda: _is_mapped(seen["users"]), f"its users are {' '.join(seen.get('users', []))}")
    judge("R8", lambda: "saw" not in seen, f"saw {', '.join(seen.get('saw', []))}")
    judge("R8", lambda: seen["host"] == ["podium"], f"its host name is {' '.join(seen.get('host', []))}")
    judge("R8", lambda: int(seen["processes"][0]) <= _MOST_PROCESSES, f"sees {seen.get('processes')} processes")
    judge("R9", lambda: reports["time"].timed and reports["time"].wall_seconds < 5, "did not end at its time limit")
    judge("R10", lambda: reports["log"].log_bound and len(reports["log"].log.first) <= MIB, "printed without end")
    devices = sorted(set(seen["devices"]) - _DEVICES)
    judge("R11", lambda: not devices, f"has {', '.join(devices[:10])}")
    return violations


def _is_without_rights(status: list[str]) -> bool:
    values = dict(zip(status[::2], status[1::2], strict=True))
    return (
        values["Seccomp:"] == "2"
        and values["NoNewPrivs:"] == "1"
        and all(int(values[f"{name}:"], 16) == 0 for name in ("CapEff", "CapPrm", "CapBnd"))
    )


def _is_mapped(users: list[str]) -> bool:
    """Return whether no user of the container is root or an ordinary user of this machine."""
    rows = [tuple(map(int, users[first : first + 3])) for first in range(0, len(users), 3)]
    return bool(rows) and all(outside > 0 and not outside <= 65_534 < outside + count for _, outside, count in rows)


def _loaded(engine: Engine, folder: Path) -> str:
    folder.mkdir()
    for name in ("store", "layout"):
        (folder / name).mkdir()
    image = making.image([making.busybox()], entrypoint=["/bin/sh", f"/input/c1/{_SCRIPT}"], tag="")
    making.write(folder / "image.tar", image)
    report = take_image(folder / "image.tar", folder / "store", limits=ImageLimits())
    stored = {layer.diff_id: folder / "store" / layer.stored_name for layer in report.layers}
    config = (folder / "store" / "config.json").read_bytes()
    write_layout(folder / "layout", config, report.layers, stored.__getitem__)
    engine.load(folder / "layout", report.image_id)
    return report.image_id


@contextlib.contextmanager
def _listener() -> Iterator[tuple[int, list[str]]]:
    """Listen on this machine, and note who reaches it."""
    reached: list[str] = []
    ends = threading.Event()
    with socket.create_server(("0.0.0.0", 0)) as line:  # noqa: S104 (the addresses that a container might reach)

        def listen() -> None:
            while not ends.is_set():
                if select.select([line], [], [], 0.2)[0]:
                    connection, address = line.accept()
                    reached.append(str(address))
                    connection.close()

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        try:
            yield line.getsockname()[1], reached
        finally:
            ends.set()
            thread.join()


def _addresses() -> list[str]:
    """Addresses of this machine at which a container could reach it."""
    addresses = {"127.0.0.1"}
    with contextlib.suppress(OSError):
        addresses |= {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(("192.0.2.1", 9))
        addresses.add(str(line.getsockname()[0]))
    return sorted(addresses)
