"""The engine docker, by its command line: second choice, and only on a machine that runs nothing else.

Access to its socket is root on that machine. What its command line lacks against podman's is made up for here where it can be
(volumes of an image, names, proxies) and tried by the probe where it cannot (users of the container, which the daemon's
`userns-remap` maps; set it, or R7 does not hold).
"""

import contextlib
import hashlib
import io
import json
import os
import platform
import tarfile
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from confinement.archive import BLOCK
from confinement.containers import cgroups
from confinement.containers.client import GROUPS, LOAD_SECONDS, USER, CommandLine, bounds, with_prefix
from confinement.containers.engine import LABEL_BATCH, LABEL_FOLDER, LABEL_LEASE, EngineError, Remains, Start
from confinement.limits import MIB
from evaluation import durable

_WITHOUT_EFFECT = ("Volumes", "Healthcheck", "OnBuild", "ExposedPorts")
_SUBUIDS = Path("/etc/subuid")
_REMAPPED = "dockremap"


class Docker(CommandLine):
    """Calls docker; the daemon's storage is the machine's."""

    name = "docker"
    separates_output = True

    def __init__(self, folder: Path, *, program: str = "docker", runtime: str = "", subuids: Path = _SUBUIDS) -> None:
        super().__init__(folder, program)
        self._runtime = runtime
        self._base = _first_of(subuids, _REMAPPED)
        self.owner = self._base + USER
        self._info: dict[str, Any] = {}

    def versions(self) -> dict[str, str]:
        """Return the versions of engine, runtime and kernel."""
        info = self._told()
        return {
            "engine": f"docker {info.get('ServerVersion', '')}",
            "runtime": self._runtime or str(info.get("DefaultRuntime", "")),
            "kernel": platform.release(),
            "control_groups": f"v{info.get('CgroupVersion', '')}",
        }

    def images(self) -> list[str]:
        """Ids of the images that were loaded for us and are there still."""
        docker_ids = {
            with_prefix(line) for line in self.call("images", "--all", "--quiet", "--no-trunc").stdout.split()
        }
        return sorted(image_id for image_id, docker_id in self._known().items() if docker_id in docker_ids)

    def load(self, layout: Path, image_id: str) -> None:
        """Load an image from a layout of ours, without volumes, which docker would make in spite of a read-only root.

        That changes the id by which docker knows it: which one belongs to which is kept in a file.

        Raises
        ------
        EngineError
            When it fails or what it loaded is another image.
        """
        config, layers = _parts(layout)
        if f"sha256:{hashlib.sha256(config).hexdigest()}" != image_id:
            raise EngineError(f"the layout is not that of {image_id}")
        changed = _without_effect(config)
        docker_id = f"sha256:{hashlib.sha256(changed).hexdigest()}"
        archive = self.folder("temporary") / f"{docker_id.removeprefix('sha256:')}.tar"
        try:
            _write(archive, changed, layers)
            self.call("load", "--quiet", "--input", str(archive), seconds=LOAD_SECONDS)
        finally:
            archive.unlink(missing_ok=True)
        docker_ids = {
            with_prefix(line) for line in self.call("images", "--all", "--quiet", "--no-trunc").stdout.split()
        }
        if docker_id not in docker_ids:
            raise EngineError(f"docker did not load {docker_id} for {image_id}")
        self._remember(self._known() | {image_id: docker_id})

    def remove_image(self, image_id: str) -> None:
        """Forget an image; nothing happens when it is not there or in use."""
        id_by_image = self._known()
        if docker_id := id_by_image.pop(image_id, ""):
            done = self.call("rmi", docker_id, check=False)
            if not done.returncode:
                self._remember(id_by_image)

    def containers(self) -> list[Remains]:
        """All containers of this folder; those of another installation that uses the same daemon are not among them."""
        wanted = "{{json .Names}} {{json .State}} {{json (.Label %s)}} {{json (.Label %s)}}"
        form = wanted % (json.dumps(LABEL_BATCH), json.dumps(LABEL_LEASE))
        done = self.call(
            "ps", "--all", "--no-trunc", "--filter", f"label={LABEL_FOLDER}={self._own()}", "--format", form
        )
        remains = []
        for line in done.stdout.splitlines():
            name, state, batch, lease = (json.loads(word) for word in line.split())
            remains.append(Remains(name, batch, lease, state in ("running", "paused")))
        return remains

    def remove(self, name: str) -> None:
        """End and remove a container by its name, and its control group."""
        self.call("rm", "--force", "--volumes", name, check=False)
        if (group := self.group(name)) is not None:
            group.remove()

    def is_alone(self, name: str) -> bool:
        """Return whether no other group of the platform has a process.

        Returns False if groups cannot be inspected.
        """
        return self.group(name) is not None and not any(
            cgroups.Group(f"{GROUPS}/{group_name}").processes()
            for group_name in cgroups.names(GROUPS)
            if group_name != name
        )

    def group(self, name: str) -> cgroups.Group | None:
        """Return the control group around a container; as root, and where the daemon makes groups itself."""
        is_ours = self.is_root and self._told().get("CgroupDriver") == "cgroupfs"
        return cgroups.Group(f"{GROUPS}/{name}") if is_ours else None

    def command(self, start: Start) -> list[str]:
        """Return the call that starts a container.

        Raises
        ------
        EngineError
            When the image was not loaded.
        """
        docker_id = self._known().get(start.image_id)
        if docker_id is None:
            raise EngineError(f"docker does not hold {start.image_id}")
        flags = ["run", "--name", start.name, "--label", f"{LABEL_BATCH}={start.batch}"]
        flags += ["--label", f"{LABEL_LEASE}={start.lease}", "--label", f"{LABEL_FOLDER}={self._own()}", *bounds(start)]
        flags += ["--mount", f"type=bind,source={start.output},target=/output"]
        for mount in start.mounts:
            flags += ["--mount", f"type=bind,source={mount.source},target={mount.target},readonly"]
        if start.gpus:
            flags += ["--gpus", f'"device={",".join(start.gpus)}"']
        if self._runtime:
            flags += ["--runtime", self._runtime]
        if self.group(start.name) is not None:
            flags += ["--cgroup-parent", f"/{GROUPS}/{start.name}"]
        return [*flags, docker_id]

    def environment(self) -> dict[str, str]:
        """Return the environment of a call; an empty configuration, since the user's may name proxies with passwords."""
        variables = super().environment() | {"DOCKER_CONFIG": str(self.folder("configuration"))}
        return variables | ({"DOCKER_HOST": os.environ["DOCKER_HOST"]} if "DOCKER_HOST" in os.environ else {})

    def _own(self) -> str:
        return hashlib.sha256(str(self._folder).encode()).hexdigest()[:16]

    def _told(self) -> dict[str, Any]:
        if not self._info:
            self._info = json.loads(self.call("info", "--format", "{{json .}}").stdout)
        return self._info

    def _known(self) -> dict[str, str]:
        with contextlib.suppress(OSError, ValueError):
            id_by_image: dict[str, str] = json.loads((self._folder / "images.json").read_text())
            return id_by_image
        return {}

    def _remember(self, id_by_image: dict[str, str]) -> None:
        durable.write_text(self._folder / "images.json", json.dumps(id_by_image, sort_keys=True))


def _without_effect(config: bytes) -> bytes:
    document = json.loads(config)
    inner = document.get("config") or {}
    if not any(inner.get(name) for name in _WITHOUT_EFFECT):
        return config
    document["config"] = {key: value for key, value in inner.items() if key not in _WITHOUT_EFFECT}
    return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def _parts(layout: Path) -> tuple[bytes, list[Path]]:
    """Configuration and layers of a layout of ours."""
    blobs = layout / "blobs" / "sha256"

    def blob(entry: dict[str, Any]) -> Path:
        return blobs / str(entry["digest"]).removeprefix("sha256:")

    index = json.loads((layout / "index.json").read_bytes())
    manifest = json.loads(blob(index["manifests"][0]).read_bytes())
    return blob(manifest["config"]).read_bytes(), [blob(layer) for layer in manifest["layers"]]


def _write(archive: Path, config: bytes, layers: list[Path]) -> None:
    """Write what `docker load` of every version reads: the layers without compression."""
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:

        def add(name: str, content: IO[bytes], size: int) -> None:
            info = tarfile.TarInfo(name)
            info.size = size
            tar.addfile(info, content)

        names = []
        for number, layer in enumerate(layers):
            names.append(f"{number}/layer.tar")
            size = 0
            with pa.input_stream(str(layer), compression="zstd") as plain:
                while piece := plain.read(MIB):
                    size += len(piece)
            with pa.input_stream(str(layer), compression="zstd", buffer_size=BLOCK) as plain:
                add(names[-1], plain, size)
        name = f"{hashlib.sha256(config).hexdigest()}.json"
        add(name, io.BytesIO(config), len(config))
        listed = json.dumps([{"Config": name, "RepoTags": None, "Layers": names}]).encode()
        add("manifest.json", io.BytesIO(listed), len(listed))


def _first_of(subuids: Path, user: str) -> int:
    """Return the first number of the users that the daemon maps containers to; 0 where it maps none."""
    with contextlib.suppress(OSError, ValueError):
        for line in subuids.read_text().splitlines():
            name, first, _ = line.split(":")
            if name == user:
                return int(first)
    return 0
