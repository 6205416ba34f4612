"""podman, as it has to be called on a machine without systemd: every call with the same configuration of its own."""

import os
import shutil
import subprocess
from pathlib import Path

FOLDER = Path(os.environ.get("PODIUM_COMPOSITION", "/var/tmp/podium-composition"))
_CONFIGURATION = """[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
events_logger = "file"
cgroup_manager = "cgroupfs"
"""
PROGRAMS = ("podman", "runc", "debootstrap")


class EngineError(Exception):
    """A call that failed, with what the engine said."""


def lacking() -> list[str]:
    """Names of programs that are not on this machine."""
    return [name for name in PROGRAMS if shutil.which(name) is None] + ([] if os.geteuid() == 0 else ["root"])


def podman(
    *arguments: str, check: bool = True, seconds: float = 900, given: bytes | None = None
) -> subprocess.CompletedProcess[str]:
    """Run podman with the arguments and return what it said.

    Raises
    ------
    EngineError
        When it fails and `check` is set.
    """
    FOLDER.mkdir(parents=True, exist_ok=True)
    configuration = FOLDER / "containers.conf"
    if not configuration.exists() or configuration.read_text() != _CONFIGURATION:
        configuration.write_text(_CONFIGURATION)
    environment = {**os.environ, "CONTAINERS_CONF": str(configuration)}
    done = subprocess.run(
        ["podman", *arguments], env=environment, capture_output=True, input=given, timeout=seconds, check=False
    )
    said = subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )
    if check and said.returncode:
        raise EngineError(f"podman {' '.join(arguments)[:300]}\n{said.stdout[-2000:]}{said.stderr[-3000:]}")
    return said
