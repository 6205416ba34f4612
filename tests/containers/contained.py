"""Checks that a hostile program was contained: its effects on its batch, and its remains on this machine."""

import hashlib
import select
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from confinement.containers import making
from confinement.containers.client import USER
from tests.containers.hostile import Hostile, contents, outcomes
from tests.containers.machine import COPY, Machine

_TREES = ("/etc", "/usr/bin", "/root/.ssh", "/var/spool/cron")
_SLOW_SECONDS = 60.0
_SPARE_BYTES = 200 * 1024**2


@dataclass
class Listener:
    """A port of this machine that no connection may reach."""

    port: int = 0
    reached: list[str] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Listener]:
    """Listen for connections and datagrams."""
    own, ends = Listener(), threading.Event()
    with socket.create_server(("0.0.0.0", 0)) as stream, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        own.port = stream.getsockname()[1]
        datagrams.bind(("0.0.0.0", own.port))

        def listen() -> None:
            while not ends.is_set():
                ready, _, _ = select.select([stream, datagrams], [], [], 0.1)
                for line in ready:
                    own.reached.append(str(line.accept()[1] if line is stream else line.recvfrom(10)[1]))

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield own
        ends.set()
        thread.join()


def problems(machine: Machine, own: Hostile, line: Listener, *, is_alone: bool = False) -> list[str]:
    """Run a hostile program and return the violations; `is_alone` if nothing else writes to the disk."""
    image, model = _image(machine, own, line)
    before, free = _watched(), shutil.disk_usage(machine.folder).free
    began = time.monotonic()
    report = machine.run(image, cases=own.cases, limits=own.limits, model=model)
    seconds = time.monotonic() - began
    said = []
    if report.fault:
        return [f"a fault of ours: {report.fault}"]
    for case, outcome in outcomes(report).items():
        if outcome not in own.expected:
            said.append(f"{case}: {outcome} (exit {report.exit_code}, log {report.log.text()[-200:]!r})")
        path = report.files[case]["out.txt"].path
        if path is not None and path.stat().st_size and path.read_text() not in contents(case):
            said.append(f"{case}: other content than it may have")
    said += own.check(report)
    # Other legs of the suite want the same cores: there it only has to end.
    most = own.seconds if is_alone else _SLOW_SECONDS
    if seconds > most:
        said.append(f"took {seconds:.1f} s, more than {most:g} s")
    if len(report.log.first) + len(report.log.last) > 600_000:
        said.append("the log is not bounded")
    if line.reached:
        said.append(f"reached this machine: {line.reached}")
    if _watched() != before:
        said.append("files of this machine changed")
    if is_alone and shutil.disk_usage(machine.folder).free < free - _SPARE_BYTES:
        said.append("the disk is fuller than before")
    return said + left(machine)


def left(machine: Machine) -> list[str]:
    """Return what remains on this machine of containers that have ended; it must be nothing."""
    said = [f"container {own.name} is left" for own in machine.engine.containers()]
    said += [f"{own} is left" for own in machine.folder.glob("lease-*/working")]
    for row in Path("/proc/self/mountinfo").read_text().splitlines():
        if f"{machine.folder}/lease-" in row:
            said.append(f"mounted: {row}")
    users = range(machine.engine.owner - USER, machine.engine.owner + 1)
    for status in Path("/proc").glob("[0-9]*"):
        try:
            if status.stat().st_uid in users:
                said.append(f"process {status.name} is left")
        except OSError:
            continue
    return said


def good_run(machine: Machine) -> list[str]:
    """Return the problems of a run of an ordinary program; empty if it still works."""
    report = machine.run(machine.image(COPY), cases=2)
    return [] if set(outcomes(report).values()) == {"ok"} else [f"a good run failed: {report}"]


def _image(machine: Machine, own: Hostile, line: Listener) -> tuple[str, Path | None]:
    """Its image, and a folder with its script where the image is one for all scripts."""
    options = dict(own.image)
    if options.pop("setuid", False):
        program = making.Entry("opt/id", Path("/bin/busybox").read_bytes(), 0o6755)
        return machine.image(own.script, files=[program]), None
    if options:
        return machine.image(own.script, **options), None
    script = own.script.replace("PORT", str(line.port)).replace("HOST", _address())
    return machine.runs(script, base=own.base)


def _address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        try:
            line.connect(("192.0.2.1", 9))
            return str(line.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def _watched() -> str:
    """Digest of names, sizes and times of files of this machine."""
    digest = hashlib.sha256()
    for tree in _TREES:
        for path in sorted(Path(tree).glob("*")):
            status = path.lstat()
            digest.update(f"{path} {status.st_size} {status.st_mtime_ns} {status.st_mode}\n".encode())
    return digest.hexdigest()
