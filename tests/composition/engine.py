"""Calls of podman for a machine without systemd, each with the same separate configuration.

Images, containers and volumes are in a separate folder, apart from those that the machine has otherwise.
"""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(os.environ.get("PODIUM_COMPOSITION", "/var/tmp/podium-composition"))
_CONFIGURATION = """[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
events_logger = "file"
cgroup_manager = "cgroupfs"
[network]
network_backend = "netavark"
"""
PROGRAMS = ("podman", "runc", "catatonit", "iptables")
OF_IMAGES = ("debootstrap",)
OF_MACHINE = ("caddy", "redis-server", "wget", "setpriv", "useradd")
POSTGRES = Path("/usr/lib/postgresql/15/bin")
"""Folder in which Debian keeps the programs of the version that the composition pins."""
# Where Debian keeps what the engine calls itself, and nobody else does.
_HELPERS = ("netavark", "aardvark-dns")
_PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_RUN = Path("/run/podium-composition")


class EngineError(Exception):
    """Error for a failed call, with the output of the engine."""


def program(name: str) -> str | None:
    """Return the path of a program, including programs that only administrators call."""
    return shutil.which(name, path=_PLACES)


def lacking(*, short: bool) -> list[str]:
    """Return what this machine lacks: for the engine, and for the images of either kind."""
    found = [name for name in (*PROGRAMS, *(OF_MACHINE if short else OF_IMAGES)) if not program(name)]
    found += [] if not short or POSTGRES.is_dir() else ["PostgreSQL 15"]
    found += [name for name in _HELPERS if not Path("/usr/lib/podman", name).exists()]
    return found + ([] if os.geteuid() == 0 else ["root"])


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other run of this machine has the images and names that all of them use."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def full_name(name: str) -> str:
    """Return the name of an image with its registry; without a registry, the default one is added."""
    return name if name.count("/") > 1 else f"docker.io/{name}" if "/" in name else f"docker.io/library/{name}"


def podman(
    *arguments: str, check: bool = True, seconds: float = 900, given: bytes | None = None
) -> subprocess.CompletedProcess[str]:
    """Run podman with the arguments and return its result.

    Raises
    ------
    EngineError
        When it fails and `check` is set.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    configuration = FOLDER / "containers.conf"
    if not configuration.exists() or configuration.read_text() != _CONFIGURATION:
        configuration.write_text(_CONFIGURATION)
    environment = {**os.environ, "CONTAINERS_CONF": str(configuration), "PATH": _PLACES}
    own = ["--root", str(FOLDER / "storage"), "--runroot", str(_RUN), "--tmpdir", str(_RUN / "tmp")]
    done = subprocess.run(
        ["podman", *own, *arguments], env=environment, capture_output=True, input=given, timeout=seconds, check=False
    )
    said = subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )
    if check and said.returncode:
        raise EngineError(f"podman {' '.join(arguments)[:300]}\n{said.stdout[-2000:]}{said.stderr[-3000:]}")
    return said


_BUILD = ("--network=host", "--ulimit=nofile=1024:1024", "--ulimit=nproc=512:512", "--pull=never", "--format=docker")


def build(
    name: str,
    containerfile: str,
    files: Mapping[str, Path | str] | Path,
    *,
    mounts: Iterable[Path] = (),
    more: Iterable[str] = (),
) -> None:
    """Build an image.

    Parameters
    ----------
    files
        Files that the Containerfile copies: contents, or their paths, by name; or a folder with everything.
    mounts
        Folders that its commands see under the same path.
    more
        Additional arguments for the engine.
    """
    words = [*_BUILD, *more, *(f"--volume={path}:{path}:ro" for path in mounts)]
    with tempfile.TemporaryDirectory(dir=FOLDER) as own:
        folder = Path(own)
        (folder / "Containerfile").write_text(containerfile)
        context = files if isinstance(files, Path) else folder
        for file, content in {} if isinstance(files, Path) else files.items():
            if isinstance(content, Path):
                shutil.copyfile(content, folder / file)
            else:
                (folder / file).write_text(content)
        podman("build", *words, "--file", str(folder / "Containerfile"), "--tag", name, str(context), seconds=1800)
