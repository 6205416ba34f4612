"""Taking a container image from a stranger's archive: checked, normalised, stored layer by layer."""

import hashlib
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Self

from confinement.containers.archives import Bound, Members, TakingError
from confinement.containers.layers import Tree, entry_warnings, store_layers
from confinement.containers.limits import ImageLimits
from confinement.containers.manifests import image_of, inner_configuration
from confinement.limits import MIB, ChildLimits
from confinement.sandbox import Failure, answers

INTERFACES: Final = ("podium-exec-1", "podium-score-1")
"""Interfaces by which an image may be started, as stated in its label."""
ADAPTED: Final = "grand-challenge"
"""Interface used where it is registered, regardless of the image's label about Grand Challenge."""
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
_OTHER_FOLDERS = (
    "The image says that it was made for Grand Challenge, whose folders are not laid out here: what reads only "
    "/input/images finds nothing. Read /input/<case>/, write /output/<case>/, and try it with `podium try`."
)
_THEIR_FOLDERS = (
    "The label org.podium.interface is podium-exec-1, and Grand Challenge's folders are laid out here: /input/images and "
    "/output/images. Build the image for them, or without this label if it reads them already."
)
_LABEL, _METHOD = "org.podium.interface", "org.grand-challenge.api-method"
_BYTES_PER_SECOND = 5 * MIB
_KEPT_BYTES = 16 * 1024
_NOT_TO_BE_WORKED_IN = ("proc", "dev", "sys")


class ImageError(ValueError):
    """Error for a rejected image.

    The message to the team names the location and the remedy.
    """


def own_architecture() -> str:
    """Return the architecture of this machine, under the name that images use."""
    return _ARCHITECTURES.get(platform.machine(), platform.machine())


@dataclass(frozen=True)
class LayerReport:
    """A layer as it is stored."""

    diff_id: str
    """Digest of the uncompressed tar."""
    size: int
    """Of the uncompressed tar."""
    entries: int
    stored_digest: str
    """Of the compressed file that we write."""
    stored_size: int

    @property
    def stored_name(self) -> str:
        """Name of the compressed file in the folder that an image was taken into."""
        return f"{self.diff_id.removeprefix('sha256:')}.tar.zst"


@dataclass(frozen=True)
class ImageReport:
    """An image that was taken."""

    image_id: str
    architecture: str
    os: str
    layers: tuple[LayerReport, ...]
    """From the lowest up; a layer may be there twice."""
    size: int
    """Of all layers, uncompressed."""
    entries: int
    entrypoint: tuple[str, ...]
    cmd: tuple[str, ...]
    env: tuple[str, ...]
    user: str
    workdir: str
    labels: Mapping[str, str]
    interface: str
    grand_challenge: str
    """`exec` if the image was made for Grand Challenge according to its label, else empty."""
    warnings: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Back from JSON values."""
        fields = dict(values)
        fields["layers"] = tuple(LayerReport(**layer) for layer in fields["layers"])
        for name in ("entrypoint", "cmd", "env", "warnings"):
            fields[name] = tuple(fields[name])
        return cls(**fields)


def take_image(
    archive: Path,
    store: Path,
    *,
    limits: ImageLimits,
    architectures: Sequence[str] = (),
    interface: str = INTERFACES[0],
    child: ChildLimits | None = None,
    beat: Callable[[], None] = lambda: None,
) -> ImageReport:
    """Check an image archive in a confined child and store its parts.

    Parameters
    ----------
    archive
        The uploaded archive: OCI layout or the output of `docker save`, plain or compressed by gzip or zstd.
    store
        An empty folder. Afterwards it contains `config.json`, whose digest is the id of the image. It also
        contains each layer once, under `LayerReport.stored_name`, compressed in one uniform way.
    limits
        Bounds on the image.
    architectures
        Architectures of the machines that may run the image; by default, that of this machine.
    interface
        Interface of algorithms on this platform: podium-exec-1 or `ADAPTED`. A scoring image is identified by its
        label.
    child
        Bounds on the child; derived from the limits by default.
    beat
        Called at least every second.

    Raises
    ------
    ImageError
        If the image is rejected: one sentence for the team.
    """
    wanted = tuple(architectures) or (own_architecture(),)
    # The child that reads them works in a folder of its own.
    archive, store = archive.absolute(), store.absolute()
    size = archive.stat().st_size
    if size > limits.archive_bytes:
        raise ImageError(
            f"The archive has {size:,} bytes; at most {limits.archive_bytes:,} are taken. Make the image smaller."
        )

    def work(_item: str, scratch: Path) -> object:
        try:
            return {"image": _take(archive, store, scratch, limits, wanted, interface)}
        except TakingError as error:
            return {"problem": str(error)}

    bounds = child or child_limits(size, limits)
    [answer] = answers(["image"], work, limits=bounds, reads=[archive], beat=beat, hands_over=store)
    if answer.failure is not None or not isinstance(answer.value, dict):
        reason = {
            Failure.TIME: "takes longer than it may",
            Failure.MEMORY: "takes more memory than it may",
            Failure.SPACE: "unpacks to more than it may",
        }.get(answer.failure or Failure.CRASH, "broke off")
        raise ImageError(
            f"Reading the archive {reason}. Save the image again with an ordinary program, or make it smaller."
        )
    if "problem" in answer.value:
        raise ImageError(str(answer.value["problem"]))
    report = ImageReport.from_json(answer.value["image"])
    _check_stored(report, store)
    return report


def child_limits(archive_bytes: int, limits: ImageLimits) -> ChildLimits:
    """Bounds on the child that reads an image archive of that size."""
    return ChildLimits(
        memory_bytes=512 * MIB,
        file_bytes=limits.unpacked_bytes + 256 * MIB,
        folder_bytes=2 * limits.unpacked_bytes + 256 * MIB,
        folder_files=limits.layers + 100,
        item_seconds=120 + archive_bytes / _BYTES_PER_SECOND,
    )


def _check_stored(report: ImageReport, store: Path) -> None:
    """Check outside the child that its report matches the files that it wrote.

    A compromised child could report anything.
    """
    config = (store / "config.json").read_bytes()
    if f"sha256:{hashlib.sha256(config).hexdigest()}" != report.image_id:
        raise ImageError("The archive could not be read. Save the image again with an ordinary program.")
    for layer in report.layers:
        with (store / layer.stored_name).open("rb") as stream:
            if f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}" != layer.stored_digest:
                raise ImageError("The archive could not be read. Save the image again with an ordinary program.")


def _take(
    archive: Path, store: Path, scratch: Path, limits: ImageLimits, architectures: Sequence[str], wanted: str
) -> dict[str, Any]:
    size = archive.stat().st_size
    outer = Bound(most=limits.unpacked_bytes + 64 * MIB, packed=size, packing=limits.packing)
    members = Members(archive, scratch, outer)
    image = image_of(members, architectures, most_layers=limits.layers)
    inner = inner_configuration(image.configuration)
    command = [*(inner.get("Entrypoint") or []), *(inner.get("Cmd") or [])]
    if not command or not command[0]:
        raise TakingError(
            "The image says nothing to start: it has neither ENTRYPOINT nor CMD. Build it with one of them."
        )
    labels = {str(key): str(value) for key, value in (inner.get("Labels") or {}).items()}
    interface, grand_challenge = _interface(labels, wanted)
    workdir = _workdir(str(inner.get("WorkingDir") or ""))
    bound = Bound(most=limits.unpacked_bytes, packed=size, packing=limits.packing)
    layers, tree = store_layers(members, image, store, limits, bound)
    (store / "config.json").write_bytes(image.config)
    environment = [str(pair) for pair in inner.get("Env") or []]
    report = ImageReport(
        image_id=f"sha256:{hashlib.sha256(image.config).hexdigest()}",
        architecture=str(image.configuration["architecture"]),
        os="linux",
        layers=tuple(LayerReport(**layer) for layer in layers),
        size=sum(layer["size"] for layer in layers),
        entries=tree.entries,
        entrypoint=tuple(inner.get("Entrypoint") or ()),
        cmd=tuple(inner.get("Cmd") or ()),
        env=tuple(environment),
        user=str(inner.get("User") or ""),
        workdir=workdir,
        labels=_bounded(labels),
        interface=interface,
        grand_challenge=grand_challenge,
        warnings=(
            *([_OTHER_FOLDERS] if grand_challenge and _LABEL not in labels and interface != ADAPTED else []),
            *_warnings(tree, command, environment, workdir, inner),
        ),
    )
    return report.as_json()


def _interface(labels: Mapping[str, str], wanted: str) -> tuple[str, str]:
    interface = labels.get(_LABEL, wanted)
    method = next((value for key, value in labels.items() if key.lower() == _METHOD), "").strip().lower()
    if interface == "podium-invoke-1" or method == "invoke":
        raise TakingError(
            "This image serves `invoke`: it waits for calls instead of working through its input, which is not run here. Build "
            f"it for {INTERFACES[0]}, or for Grand Challenge's method `exec`."
        )
    if wanted == ADAPTED and interface == INTERFACES[0]:
        raise TakingError(_THEIR_FOLDERS)
    if interface not in (*INTERFACES, wanted):
        raise TakingError(
            f"The label {_LABEL} is {interface[:60]!r}; known are {' and '.join(INTERFACES)}. Build the image for one of them."
        )
    if method not in ("", "exec"):
        raise TakingError(f"The label {_METHOD} is {method[:60]!r}; `exec` is run here. Build the image for it.")
    return interface, method


def _workdir(path: str) -> str:
    """Return the folder to start in: the root if none is named.

    Raises
    ------
    TakingError
        For one in which nothing is to be started.
    """
    if not path:
        return "/"
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.startswith("/") or ".." in parts or parts[:1] in [[name] for name in _NOT_TO_BE_WORKED_IN]:
        raise TakingError(
            f"WORKDIR is {path[:80]!r}; it has to be an absolute path without `..` and not below /proc, /dev or /sys. Build the "
            "image with another."
        )
    return "/" + "/".join(parts)


def _bounded(labels: Mapping[str, str]) -> dict[str, str]:
    first_labels: dict[str, str] = {}
    for key, value in sorted(labels.items()):
        if sum(len(text) for pair in first_labels.items() for text in pair) + len(key) + len(value) > _KEPT_BYTES:
            break
        first_labels[key] = value
    return first_labels


def _warnings(
    tree: Tree, command: Sequence[str], environment: Sequence[str], workdir: str, inner: Mapping[str, Any]
) -> list[str]:
    warnings = entry_warnings(tree, command, environment, workdir)
    without_effect = [
        name
        for name, key in (
            ("VOLUME", "Volumes"),
            ("HEALTHCHECK", "Healthcheck"),
            ("ONBUILD", "OnBuild"),
            ("USER", "User"),
        )
        if inner.get(key)
    ]
    if without_effect:
        warnings.append(
            f"{', '.join(without_effect)} of the image {'has' if len(without_effect) == 1 else 'have'} no effect here."
        )
    if tree.set_ids:
        count = f"{tree.set_ids} program{'s' if tree.set_ids > 1 else ''}"
        warnings.append(f"The image has {count} with the setuid or setgid bit, which has no effect here.")
    return warnings
