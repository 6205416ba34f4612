"""Confinement of malicious child processes: it forbids at least the same actions as bubblewrap."""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from confinement import guarantees, landlock, syscalls
from confinement.limits import MIB, ChildLimits
from confinement.sandbox import ChildError, answers

LIMITS = ChildLimits(memory_bytes=300 * MIB, file_bytes=2 * MIB, item_seconds=60.0)
needs_landlock = pytest.mark.skipif(landlock.version() < 1, reason="the kernel has no Landlock")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Data folder of an installation, with files that a child must not read or change."""
    for name in ("secret.key", "references.key", "podium.sqlite3", "run/broker.url", "storage/references/a.nii.gz.age"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("as it was")
    return tmp_path


def outcome(act: Callable[[], object]) -> str:
    """Return the outcome of an action, in a child or outside."""
    try:
        act()
    except OSError as error:
        return type(error).__name__
    return "done"


def tried(acts: dict[str, Callable[[], object]], **more) -> dict[str, str]:
    """Return the outcome of each action in a child."""
    found = list(answers(list(acts), lambda name, _: outcome(acts[name]), limits=LIMITS, **more))
    return {answer.item: answer.value or f"{answer.failure}" for answer in found}


@needs_landlock
def test_a_child_reads_nothing_that_is_stored(data: Path):
    files = [path for path in data.rglob("*") if path.is_file()]
    acts = {str(path): path.read_bytes for path in files}
    acts["names of files"] = lambda: list(data.iterdir())
    acts["what the worker was started with"] = Path(f"/proc/{os.getpid()}/environ").read_bytes
    acts["what it was started with itself"] = Path("/proc/self/environ").read_bytes
    acts["settings beside the code"] = Path(__file__).read_bytes
    acts["accounts of the machine"] = Path("/etc/passwd").read_bytes
    assert len(acts) == 10
    assert set(tried(acts).values()) == {"PermissionError"}


@needs_landlock
def test_a_child_reads_what_it_is_given_and_libraries(data: Path):
    given = data / "storage" / "references" / "a.nii.gz.age"
    assert tried({"given": given.read_bytes, "module": Path(os.__file__).read_bytes}, reads=[given]) == {
        "given": "done",
        "module": "done",
    }


@needs_landlock
def test_a_child_writes_in_its_folder_alone(data: Path):
    kept, mode = data / "secret.key", (data / "secret.key").stat()
    acts = {
        "overwrite": lambda: kept.write_text("spoiled"),
        "truncate": lambda: os.truncate(kept, 0),
        "make": (data / "new.txt").touch,
        "make a folder": (data / "new").mkdir,
        "remove": kept.unlink,
        "move in": lambda: kept.rename("kept.txt"),
        "link": lambda: Path("kept.txt").hardlink_to(kept),
        "rights": lambda: kept.chmod(0o666),
        "owner": lambda: os.chown(kept, 1, 1),
        "times": lambda: os.utime(kept, (0, 0)),
        "attributes": lambda: os.setxattr(kept, "user.x", b"x"),
        "elsewhere": Path("/dev/shm/podium-test").touch,
    }
    assert set(tried(acts).values()) <= {"PermissionError", "OSError"}
    assert tried({"own": lambda: Path("own.txt").write_text("x")}) == {"own": "done"}
    assert kept.read_text() == "as it was"
    assert (kept.stat().st_mode, kept.stat().st_mtime) == (mode.st_mode, mode.st_mtime)
    assert not (data / "new.txt").exists()


@pytest.mark.usefixtures("data")
def test_a_child_starts_nothing():
    def fork() -> None:
        if os.fork() == 0:
            os._exit(0)

    acts = {
        "program": lambda: subprocess.run(["/bin/true"], check=False),
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "become another": lambda: os.execv("/bin/true", ["true"]),
        "fork": fork,
    }
    assert set(tried(acts).values()) == {"PermissionError"}


@pytest.mark.usefixtures("data")
def test_a_child_has_threads_for_its_numbers():
    def count() -> None:
        thread = threading.Thread(target=lambda: None)
        thread.start()
        thread.join()

    assert tried({"thread": count}) == {"thread": "done"}


@pytest.mark.usefixtures("data")
def test_a_child_talks_to_nobody():
    with socket.create_server(("127.0.0.1", 0)) as line:
        port = line.getsockname()[1]
        acts = {
            "connect": lambda: socket.create_connection(("127.0.0.1", port), timeout=1),
            "listen": lambda: socket.create_server(("127.0.0.1", 0)),
            "names": lambda: socket.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM)[0] and socket.socket(),
            "socket of this machine": lambda: socket.socket(socket.AF_UNIX),
            "pair": socket.socketpair,
        }
        found = tried(acts)
    assert set(found.values()) <= {"PermissionError", "gaierror"}


@pytest.mark.usefixtures("data")
def test_a_child_reaches_no_other_process():
    worker = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True)

    def refused(call: Callable[[], int]) -> Callable[[], None]:
        def act() -> None:
            if call() != 0:
                raise OSError(ctypes.get_errno(), "refused")

        return act

    acts = {
        "ask": lambda: os.kill(worker, 0),
        "stop": lambda: os.kill(worker, signal.SIGSTOP),
        "its group": lambda: os.kill(0, 0),
        "everybody": lambda: os.kill(-1, 0),
        "handle": lambda: os.pidfd_open(worker),
        "priority": lambda: os.setpriority(os.PRIO_PROCESS, worker, 19),
        "memory": Path(f"/proc/{worker}/mem").read_bytes,
        "trace": refused(lambda: libc.ptrace(16, worker, 0, 0)),
        "outlive": refused(lambda: libc.prctl(1, 0, 0, 0, 0)),
        "space": refused(lambda: libc.unshare(0x10000000)),
    }
    assert set(tried(acts).values()) <= {"PermissionError", "OSError"}


def test_what_is_tried_on_this_machine_is_what_a_worker_tells(data: Path):
    assert dict(guarantees.found(data)) == dict.fromkeys(guarantees.NAMES, True)


def test_a_machine_that_offers_less_is_told_and_where_required_no_worker_starts(data: Path, monkeypatch):
    """Without Landlock and without the filter, a child does what it likes; that is seen and not assumed."""
    monkeypatch.setattr(landlock, "allow_only", lambda **_: False)
    monkeypatch.setattr(syscalls, "refuse", lambda: False)
    monkeypatch.setattr(guarantees, "_known", {})
    guarantees.check(data, required=False)
    assert not any(guarantees.known()[name] for name in ("writes", "reads", "programs"))
    with pytest.raises(SystemExit, match=r"does not start.*starts no process: no.*Landlock"):
        guarantees.check(data, required=True)


@pytest.mark.usefixtures("data")
def test_one_of_the_means_is_enough_to_keep_the_network_away(monkeypatch):
    """In a container without privileges there are no namespaces, and the filter of system calls remains."""
    monkeypatch.setattr("confinement.restrictions._NAMESPACES", 0)
    monkeypatch.setattr(landlock, "allow_only", lambda **_: False)
    with socket.create_server(("127.0.0.1", 0)) as line:
        address = line.getsockname()
        found = tried({"connect": lambda: socket.create_connection(address, timeout=1)})
    assert found == {"connect": "PermissionError"}


@needs_landlock
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed, nothing to compare with")
def test_what_bubblewrap_forbids_is_forbidden_here(data: Path):
    """The same script under ``bwrap --unshare-all --ro-bind / / --tmpfs DATA`` and in a child of ours."""
    script = (
        "import os, pathlib, socket, sys\n"
        "secret, port, worker = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])\n"
        "acts = {'read': secret.read_bytes, 'write': lambda: secret.write_text('x'), 'make': lambda: open('/usr/new', 'w'),\n"
        "  'connect': lambda: socket.create_connection(('127.0.0.1', port), timeout=1), 'signal': lambda: os.kill(worker, 0)}\n"
        "def kept_off(act):\n"
        "    try:\n"
        "        act()\n"
        "    except OSError:\n"
        "        return True\n"
        "    return False\n"
        "found = sorted(name for name, act in acts.items() if kept_off(act))\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as line:
        arguments = ["-", str(data / "secret.key"), str(line.getsockname()[1]), str(os.getpid())]
        wrapped = subprocess.run(
            [
                *("bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc", "/proc"),
                *("--tmpfs", str(data), sys.executable, "-I", "-S", "-c", f"{script}print(*found)", *arguments[1:]),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if wrapped.returncode:
            pytest.skip(f"bubblewrap does not work here: {wrapped.stderr.strip()[:200]}")

        def work(_: str, __: Path) -> list[str]:
            sys.argv = arguments
            names: dict[str, object] = {}
            exec(script, names)
            return names["found"]

        [ours] = answers(["script"], work, limits=LIMITS)
    forbidden = set(wrapped.stdout.split())
    assert forbidden >= {"read", "make", "connect", "signal"}
    assert forbidden <= set(ours.value)


@pytest.mark.usefixtures("data")
def test_an_own_mistake_about_files_is_a_fault_of_the_platform():
    """The participant is never blamed if the work reads a file that it did not receive."""
    with pytest.raises(ChildError, match="PermissionError"):
        list(answers(["a"], lambda *_: Path("/etc/passwd").read_text(), limits=LIMITS))
