"""The engine podman, by its command line: no daemon, no socket, a storage of the platform's own."""

import json
import os
import platform
import tempfile
from pathlib import Path

from confinement.containers import cgroups
from confinement.containers.client import (
    BACKSTOP_SECONDS,
    GROUPS,
    LOAD_SECONDS,
    USER,
    CommandLine,
    bounds,
    with_prefix,
)
from confinement.containers.engine import LABEL_BATCH, LABEL_LEASE, EngineError, Remains, Start
from evaluation import durable

_BASE_UID = 1_048_576
_UIDS = 65_536
_LOADED = "podium-image"
CONFIGURATION = """[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
volumes = []
devices = []
env = []
[engine]
events_logger = "file"
hooks_dir = []
"""


class Podman(CommandLine):
    """Engine that calls podman and stores everything below one folder.

    As root, the users of a container match no user of this machine. Without root (`podium try` at home), the
    container's user is the calling user. The bound on /output is then enforced by checking its size, and resource
    use is not measured.
    """

    name = "podman"

    def __init__(
        self, folder: Path, *, runtime: str = "runc", base_uid: int = _BASE_UID, program: str = "podman"
    ) -> None:
        super().__init__(folder, program)
        self._runtime, self._base = runtime, base_uid
        self.separates_output = self.is_root
        self.owner = base_uid + USER if self.is_root else os.geteuid()
        self._versions: dict[str, str] = {}

    def versions(self) -> dict[str, str]:
        """Return the versions of engine, runtime and kernel."""
        if not self._versions:
            info = json.loads(self.call("info", "--format", "json").stdout)
            runtime = info["host"]["ociRuntime"]
            self._versions = {
                "engine": f"podman {info['version']['Version']}",
                "runtime": f"{runtime['name']} {str(runtime.get('version', '')).splitlines()[0].split()[-1]}",
                "kernel": platform.release(),
                "control_groups": str(info["host"].get("cgroupVersion", "")),
            }
        return self._versions

    def images(self) -> list[str]:
        """Ids of the images that it holds."""
        listed = json.loads(self.call("images", "--all", "--no-trunc", "--format", "json").stdout or "[]")
        return sorted({with_prefix(image["Id"]) for image in listed})

    def load(self, layout: Path, image_id: str) -> None:
        """Load an image from a layout of ours and compare its id.

        Raises
        ------
        EngineError
            When it fails or what it loaded is another image.
        """
        # podman makes a name of the path: the path is one that can be a name, and the name is taken away again.
        with tempfile.TemporaryDirectory(dir=self.folder("temporary")) as folder:
            (Path(folder) / _LOADED).symlink_to(layout.resolve())
            done = self.call("pull", "--quiet", f"oci:{_LOADED}", seconds=LOAD_SECONDS, cwd=Path(folder))
        loaded = with_prefix(done.stdout.strip().splitlines()[-1]) if done.stdout.strip() else ""
        if loaded != image_id:
            raise EngineError(f"podman loaded {loaded[:100] or 'nothing'} instead of {image_id}")
        self.call("untag", image_id.removeprefix("sha256:"))

    def remove_image(self, image_id: str) -> None:
        """Forget an image, with all its names; nothing happens when it is not there or in use."""
        self.call("rmi", image_id.removeprefix("sha256:"), check=False)

    def containers(self) -> list[Remains]:
        """All containers with a label of ours."""
        done = self.call("ps", "--all", "--filter", f"label={LABEL_LEASE}", "--format", "json")
        return [
            Remains(
                container["Names"][0],
                container["Labels"].get(LABEL_BATCH, ""),
                container["Labels"].get(LABEL_LEASE, ""),
                container["State"] in ("running", "paused"),
            )
            for container in json.loads(done.stdout or "[]")
        ]

    def remove(self, name: str) -> None:
        """End and remove a container by its name, and its control group."""
        self.call("rm", "--force", "--time", "0", "--ignore", name, check=False)
        if (group := self.group(name)) is not None:
            group.remove()

    def is_alone(self, name: str) -> bool:
        """Return whether no other group of the platform has a process.

        Returns False if groups cannot be inspected.
        """
        return self.is_root and not any(
            cgroups.Group(f"{GROUPS}/{group_name}").processes()
            for group_name in cgroups.names(GROUPS)
            if group_name != name
        )

    def group(self, name: str) -> cgroups.Group | None:
        """Return the control group around a container; as root only."""
        return cgroups.Group(f"{GROUPS}/{name}") if self.is_root else None

    def command(self, start: Start) -> list[str]:
        """Return the call that starts a container."""
        flags = ["run", "--name", start.name, "--label", f"{LABEL_BATCH}={start.batch}"]
        flags += ["--label", f"{LABEL_LEASE}={start.lease}", *bounds(start), *self._users()]
        flags += ["--read-only-tmpfs=false", "--image-volume", "ignore", "--no-hosts"]
        flags += ["--http-proxy=false", "--systemd=false", "-v", f"{start.output}:/output:rw,nosuid,nodev"]
        for mount in start.mounts:
            flags += ["-v", f"{mount.source}:{mount.target}:ro,nosuid,nodev"]
        for gpu in start.gpus:
            flags += ["--device", f"nvidia.com/gpu={gpu}"]
        if self.is_root:
            flags += ["--cgroup-parent", f"/{GROUPS}/{start.name}"]
        timeout = int(start.seconds) + BACKSTOP_SECONDS
        return [*flags, "--timeout", str(timeout), start.image_id.removeprefix("sha256:")]

    def _users(self) -> list[str]:
        if self.is_root:
            mapped = f"0:{self._base}:{_UIDS}"
            return ["--uidmap", mapped, "--gidmap", mapped]
        return ["--userns", f"keep-id:uid={USER},gid={USER}"]

    def base(self) -> list[str]:
        """Return how each call begins: storage, runtime and control groups."""
        arguments = [self.program, "--root", str(self._folder / "storage"), "--runroot", str(self._folder / "run")]
        arguments += ["--runtime", self._runtime] if self._runtime else []
        return [*arguments, "--cgroup-manager", "cgroupfs"] if self.is_root else arguments

    def environment(self) -> dict[str, str]:
        """Return the environment of a call."""
        for name in ("storage", "run"):
            self.folder(name)
        configuration = self._folder / "containers.conf"
        if not configuration.exists():
            durable.write_text(configuration, CONFIGURATION)
        variables = super().environment() | {"CONTAINERS_CONF": str(configuration)}
        if self.is_root:
            return variables | {"XDG_RUNTIME_DIR": str(self._folder / "run")}
        return variables | (
            {"XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"]} if "XDG_RUNTIME_DIR" in os.environ else {}
        )
