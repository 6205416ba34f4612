"""Replacement for `docker compose` on a machine without Docker.

It starts services in order, checks their health, and fails with logs. podman's own compose starts
services before their database, and its health checks need systemd. This module knows the keys that the
file uses and refuses any other by name, so that no line is skipped silently.
"""

import json
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.composition.engine import EngineError, podman

_FLAGS = {"mem_limit": "--memory", "cpus": "--cpus", "pids_limit": "--pids-limit"}
_KNOWN = {
    *_FLAGS,
    *("build", "image", "restart", "init", "read_only", "tmpfs", "cap_drop", "cap_add", "security_opt", "environment"),
    *("env_file", "depends_on", "stop_grace_period", "volumes", "healthcheck", "command", "ports", "profiles"),
}


class Composition:
    """The services of a compose file under the name of a project.

    Parameters
    ----------
    file
        ``docker-compose.yml``.
    project
        Prefix of the names of containers, volumes and the network.
    folder
        Folder with ``.env`` and ``references.env``, whose values fill in the file.
    mounts
        Folders that every container sees under the same path, in addition to those in the file.
    """

    def __init__(self, file: Path, project: str, folder: Path, mounts: Sequence[Path] = ()) -> None:
        self.root, self.project, self.folder, self.mounts = file.parent, project, folder, mounts
        document = yaml.safe_load(file.read_text())
        variables = read_env(folder / ".env")
        self.services: dict[str, dict[str, Any]] = filled(document["services"], variables)
        self.usual = tuple(name for name, service in self.services.items() if "profiles" not in service)
        self.volumes = list(document["volumes"])
        for name, service in self.services.items():
            if unknown := set(service) - _KNOWN:
                raise EngineError(f"{name}: {', '.join(sorted(unknown))} is not understood here")

    def name(self, service: str) -> str:
        """Container of a service."""
        return f"{self.project}_{service}_1"

    def up(self, *only: str, patience: float = 600) -> None:
        """Start services in the order in which they wait for each other, until all that have a health check are well."""
        podman("network", "create", self.project, check=False)
        wanted = self._in_order(only or self.usual)
        for service in wanted:
            for other, how in self.services[service].get("depends_on", {}).items():
                self.wait(other, how["condition"], patience)
            self._start(service)
        for service in wanted:
            if "healthcheck" in self.services[service]:
                self.wait(service, "service_healthy", patience)

    def _in_order(self, wanted: tuple[str, ...]) -> list[str]:
        """Return these services and their dependencies, those with the fewest levels of dependencies first.

        This order lets other services start while one of them waits for its dependencies.
        """
        depths: dict[str, int] = {}

        def depth(service: str) -> int:
            if service not in depths:
                needed = self.services[service].get("depends_on", {})
                depths[service] = 1 + max(map(depth, needed), default=0)
            return depths[service]

        for service in wanted:
            depth(service)
        return sorted(depths, key=depths.__getitem__)

    def _start(self, name: str) -> None:
        service = self.services[name]
        words = ["run", "--detach", "--replace", "--name", self.name(name), "--network", self.project, "--pull=never"]
        words += ["--network-alias", name, "--hostname", f"{name}-1", "--no-healthcheck", "--http-proxy=false"]
        for key, value in self._environment(service).items():
            words += ["--env", f"{key}={value}"]
        words += [f"--publish={port}" for port in service.get("ports", [])]
        for volume in service.get("volumes", []):
            source, _, rest = volume.partition(":")
            own = str((self.root / source).resolve()) if source.startswith("./") else f"{self.project}_{source}"
            words += ["--volume", f"{own}:{rest}"]
        words += [f"--volume={path}:{path}:ro" for path in self.mounts]
        words += [f"--tmpfs={place}" for place in service.get("tmpfs", [])]
        words += [f"--cap-drop={own}" for own in service.get("cap_drop", [])]
        words += [f"--cap-add={own}" for own in service.get("cap_add", [])]
        words += [f"--security-opt={own.removesuffix(':true')}" for own in service.get("security_opt", [])]
        words += ["--init"] if service.get("init") else []
        words += ["--read-only"] if service.get("read_only") else []
        for key, flag in _FLAGS.items():
            words += [f"{flag}={service[key]}"] if key in service else []
        podman(*words, service["image"], *service.get("command", []))

    def _environment(self, service: dict[str, Any]) -> dict[str, str]:
        found: dict[str, str] = {}
        for name in service.get("env_file", []):
            found |= read_env(self.folder / name)
        return found | {key: str(value) for key, value in service.get("environment", {}).items()}

    def state(self, service: str) -> dict[str, Any]:
        """Return the state of a container as the engine reports it."""
        return json.loads(podman("inspect", self.name(service)).stdout)[0]["State"]

    def wait(self, service: str, condition: str, patience: float) -> None:
        """Wait until a service is healthy, or has ended well.

        Raises
        ------
        EngineError
            With its last lines, when it ends badly or does not get there.
        """
        end, said = time.monotonic() + patience, ""
        while time.monotonic() < end:
            asked = time.monotonic()
            state = self.state(service)
            if condition == "service_completed_successfully":
                if state["Status"] == "exited":
                    if state["ExitCode"]:
                        self._fail(service, f"ended with {state['ExitCode']}")
                    return
            elif state["Status"] != "running":
                self._fail(service, f"is {state['Status']} ({state['ExitCode']})")
            else:
                done = self.check(service)
                if done.returncode == 0:
                    return
                said = done.stdout + done.stderr
            # A check that takes long keeps what it asks for from getting there.
            time.sleep(max(0.3, time.monotonic() - asked))
        self._fail(service, f"is not {condition} after {patience:.0f} s: {said[-500:]}")

    def check(self, service: str) -> Any:
        """Run the health check of a service inside it."""
        test = self.services[service]["healthcheck"]["test"]
        words = test[1:] if test[0] == "CMD" else ["sh", "-c", test[1]]
        return podman("exec", self.name(service), *words, check=False, seconds=60)

    def inside(self, service: str, *words: str, check: bool = True) -> str:
        """Run a command in a running service and return what it printed."""
        done = podman("exec", self.name(service), *words, check=check, seconds=600)
        return done.stdout + done.stderr

    def copy_out(self, service: str, inside: str, path: Path) -> None:
        """Copy a file out of a service."""
        podman("cp", f"{self.name(service)}:{inside}", str(path))

    def cut_power(self, *services: str) -> None:
        """Kill these containers at once, and start them again in the order in which they need each other."""
        podman("kill", *map(self.name, services))
        for service in self._in_order(services):
            if service in services:
                podman("start", self.name(service))

    def _fail(self, service: str, why: str) -> None:
        logs = podman("logs", "--tail", "40", self.name(service), check=False)
        raise EngineError(f"{service} {why}\n{logs.stdout[-3000:]}{logs.stderr[-3000:]}")

    def down(self) -> None:
        """Remove containers, volumes and network."""
        podman("rm", "--force", "--ignore", "--time", "0", *map(self.name, self.services), check=False)
        podman("volume", "rm", "--force", *(f"{self.project}_{volume}" for volume in self.volumes), check=False)
        podman("network", "rm", "--force", self.project, check=False)


def read_env(path: Path) -> dict[str, str]:
    """Read a file of ``NAME=value`` lines."""
    lines = path.read_text().splitlines() if path.exists() else []
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {key.strip(): value.strip().strip('"') for key, value in pairs}


def filled(value: Any, variables: dict[str, str]) -> Any:
    """Fill in ``${NAME}``, ``${NAME:-default}`` and ``${NAME:?message}`` as compose does; ``$$`` is a dollar sign."""
    if isinstance(value, dict):
        return {key: filled(own, variables) for key, own in value.items()}
    if isinstance(value, list):
        return [filled(own, variables) for own in value]
    if not isinstance(value, str):
        return value

    def one(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        if variables.get(match["name"]):
            return variables[match["name"]]
        if match["how"] == ":?":
            raise EngineError(f"{match['name']} {match['rest']}")
        return match["rest"] or ""

    return re.sub(r"\$\$|\$\{(?P<name>\w+)(?:(?P<how>:[-?])(?P<rest>[^}]*))?\}", one, value)
