"""The same drill with Docker itself: its engine, and its compose reads the file, `.env` and conditions.

Debian's packages `docker.io` and `docker-compose` are enough. This run has a separate engine, with a
separate folder and socket, so that it sees nothing of another engine on the machine. Images are those
that podman built: no registry is contacted.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.composition.engine import FOLDER, EngineError, full_name, podman, program

PROGRAMS = ("dockerd", "docker-compose")
_DATA = FOLDER / "docker"
_SOCKET = "/run/podium-docker.sock"


def lacking() -> list[str]:
    """Programs that this machine has not."""
    return [name for name in PROGRAMS if not program(name)]


@contextmanager
def daemon(patience: float = 60) -> Iterator[None]:
    """Docker's engine, for as long as this runs."""
    _DATA.mkdir(parents=True, exist_ok=True)
    words = ["dockerd", "--host", f"unix://{_SOCKET}", "--data-root", str(_DATA / "data")]
    words += ["--exec-root", "/run/podium-docker", "--pidfile", "/run/podium-docker.pid"]
    with (_DATA / "log").open("w") as log:
        running = subprocess.Popen(words, stdout=log, stderr=log)
        try:
            end = time.monotonic() + patience
            while _docker("info", check=False).returncode:
                if running.poll() is not None or time.monotonic() > end:
                    raise EngineError(f"Docker does not start:\n{(_DATA / 'log').read_text()[-2000:]}")
                time.sleep(0.5)
            yield
        finally:
            running.terminate()
            running.wait(60)


def take_over(names: Sequence[str], application: str) -> None:
    """Hand images from podman to Docker.

    Parameters
    ----------
    names
        Names as `docker-compose.yml` has them.
    application
        Name of the platform's own image.
    """
    for name, there in {**{name: full_name(name) for name in names}, application: f"localhost/{application}"}.items():
        archive = _DATA / "image.tar"
        archive.unlink(missing_ok=True)
        podman("save", "--format", "docker-archive", "--output", str(archive), there)
        loaded = _docker("load", "--input", str(archive)).stdout
        archive.unlink()
        if told := re.search(r"Loaded image: (\S+)", loaded):
            _docker("tag", told[1], name)


class Docker:
    """The services of a compose file under the name of a project; same interface as `launcher.Composition`.

    Parameters
    ----------
    file
        ``docker-compose.yml``.
    project
        Prefix of the names of containers, volumes and the network.
    folder
        Folder with ``.env`` and ``references.env``; the file and ``deploy`` are copied into it, as on an
        operator's machine.
    """

    def __init__(self, file: Path, project: str, folder: Path) -> None:
        self.project, self.folder = project, folder
        # Debian's compose is older than the key by which the file names its project.
        (folder / file.name).write_text(re.sub(r"(?m)^name: .*\n", "", file.read_text()))
        shutil.copytree(file.parent / "deploy", folder / "deploy", dirs_exist_ok=True)

    def name(self, service: str) -> str:
        """Container of a service."""
        return f"{self.project}_{service}_1"

    def _compose(self, *words: str, check: bool = True) -> None:
        done = _run(["docker-compose", "--project-name", self.project, *words], cwd=self.folder, seconds=1200)
        if check and done.returncode:
            raise EngineError(f"docker-compose {' '.join(words)}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")

    def up(self, *only: str, patience: float = 600) -> None:
        """Start services, and wait until Docker calls all healthy that have a health check."""
        self._compose("up", "--detach", "--no-build", *only)
        end = time.monotonic() + patience
        while waiting := [service for service, health in self._health().items() if health != "healthy"]:
            if time.monotonic() > end:
                logs = _docker("logs", "--tail", "40", self.name(waiting[0]), check=False)
                raise EngineError(f"not healthy: {', '.join(waiting)}\n{logs.stdout[-2000:]}{logs.stderr[-2000:]}")
            time.sleep(1)

    def _health(self) -> dict[str, str]:
        names = _docker("ps", "--all", "--quiet", "--filter", f"label=com.docker.compose.project={self.project}")
        containers: list[dict[str, Any]] = json.loads(_docker("inspect", *names.stdout.split()).stdout)
        return {
            own["Config"]["Labels"]["com.docker.compose.service"]: own["State"]["Health"]["Status"]
            for own in containers
            if "Health" in own["State"]
        }

    def inside(self, service: str, *words: str, check: bool = True) -> str:
        """Run a command in a running service and return what it printed."""
        done = _docker("exec", self.name(service), *words, check=check)
        return done.stdout + done.stderr

    def copy_out(self, service: str, inside: str, path: Path) -> None:
        """Copy a file out of a service."""
        _docker("cp", f"{self.name(service)}:{inside}", str(path))

    def cut_power(self, *services: str) -> None:
        """Kill these containers at once, and have compose start them again."""
        _docker("kill", *map(self.name, services))
        self._compose("up", "--detach", "--no-build")

    def down(self) -> None:
        """Remove containers, volumes and network."""
        self._compose("down", "--volumes", "--timeout", "0", check=False)


def _docker(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    # Debian's own program, where another one stands before it.
    client = "/usr/bin/docker" if Path("/usr/bin/docker").exists() else "docker"
    done = _run([client, *words], cwd=None, seconds=900)
    if check and done.returncode:
        raise EngineError(f"docker {' '.join(words)[:300]}\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    return done


def _run(words: list[str], *, cwd: Path | None, seconds: float) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DOCKER_HOST": f"unix://{_SOCKET}", "COMPOSE_HTTP_TIMEOUT": "900"}
    return subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, timeout=seconds, check=False)
