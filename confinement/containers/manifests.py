"""Declared content of an image archive: OCI index and manifest, docker's `manifest.json`, configuration."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from confinement.containers.archives import Members, TakingError
from confinement.limits import MIB

_INDEX_BYTES, _MANIFEST_BYTES, _CONFIG_BYTES = MIB, 4 * MIB, MIB
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_INDEXES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
_LAYERS = (
    "application/vnd.oci.image.layer.v1.tar",
    "application/vnd.oci.image.layer.v1.tar+gzip",
    "application/vnd.oci.image.layer.v1.tar+zstd",
    "application/vnd.docker.image.rootfs.diff.tar",
    "application/vnd.docker.image.rootfs.diff.tar.gzip",
    "application/vnd.docker.image.rootfs.diff.tar.zstd",
)
_TAG_KEYS = ("io.containerd.image.name", "org.opencontainers.image.ref.name")
AGAIN = "Save the image again with `docker save` or `podman save`."


@dataclass(frozen=True)
class LayerSource:
    """A layer in the archive."""

    member: str
    digest: str = ""
    """Digest of the member in its stored form, if the archive states it."""
    size: int | None = None


@dataclass(frozen=True)
class ImageSource:
    """The one image of an archive."""

    config: bytes
    configuration: Mapping[str, Any]
    diff_ids: tuple[str, ...]
    layers: tuple[LayerSource, ...]


def image_of(members: Members, architectures: Sequence[str], *, most_layers: int) -> ImageSource:
    """Return the image that an archive contains.

    Raises
    ------
    TakingError
        If the archive contains no image or several images for these architectures, or if its parts do not match.
    """
    if "index.json" in members:
        parts = _of_layout(members, architectures)
    elif "manifest.json" in members:
        parts = _of_docker(members)
    else:
        raise TakingError(f"The archive holds no image: there is neither index.json nor manifest.json. {AGAIN}")
    config, layers = parts
    configuration = _object(_json(config, "the configuration"), "the configuration")
    _same_keys(configuration, ("architecture", "os", "rootfs", "config"), "the configuration")
    diff_ids = _diff_ids(configuration)
    if len(diff_ids) != len(layers):
        raise TakingError(f"The configuration names {len(diff_ids)} layers, but the image has {len(layers)}. {AGAIN}")
    if not layers:
        raise TakingError(f"The image has no layers. {AGAIN}")
    if len(layers) > most_layers:
        raise TakingError(
            f"The image has {len(layers)} layers; at most {most_layers} are taken. Build it with fewer steps."
        )
    _check_platform(configuration, architectures)
    return ImageSource(config, configuration, diff_ids, layers)


def _of_layout(members: Members, architectures: Sequence[str]) -> tuple[bytes, tuple[LayerSource, ...]]:
    index = _object(_json(members.content("index.json", _INDEX_BYTES), "index.json"), "index.json")
    wanted: dict[str, list[str]] = {}
    others: list[str] = []
    for entry in _descriptors(members, index, architectures, others, depth=0):
        annotations = entry.get("annotations") or {}
        tags = [str(annotations[key]) for key in _TAG_KEYS if key in annotations][:1]
        wanted.setdefault(_digest(entry, "index.json"), []).extend(tags)
    if not wanted:
        other_platforms = f" It holds one for {', '.join(sorted(set(others)))[:120]}." if others else ""
        raise TakingError(
            f"The archive holds no image for {_either(architectures)}.{other_platforms} Build it with "
            f"`docker build --platform linux/{architectures[0]}`."
        )
    sources = {digest: _of_manifest(members, digest) for digest in wanted}
    if len({config for config, _ in sources.values()}) > 1:
        raise _several([tag for tags in wanted.values() for tag in tags], len(wanted))
    return next(iter(sources.values()))


def _descriptors(
    members: Members, index: Mapping[str, Any], architectures: Sequence[str], others: list[str], *, depth: int
) -> list[Mapping[str, Any]]:
    """Descriptors of manifests for one of the architectures; an index may point to an index once."""
    descriptors: list[Mapping[str, Any]] = []
    for value in _list(index, "manifests", "index.json"):
        entry = _object(value, "index.json")
        if entry.get("mediaType") in _INDEXES:
            if depth:
                raise TakingError(f"index.json points to an index that points to an index. {AGAIN}")
            digest = _digest(entry, "index.json")
            inner = _object(_json(_blob(members, digest, _MANIFEST_BYTES, entry), "an index"), "an index")
            below = _descriptors(members, inner, architectures, others, depth=1)
            descriptors += [
                {**descriptor, "annotations": (entry.get("annotations") or {}) | (descriptor.get("annotations") or {})}
                for descriptor in below
            ]
            continue
        platform = entry.get("platform") or {}
        if not isinstance(platform, Mapping) or not isinstance(entry.get("annotations") or {}, Mapping):
            raise TakingError(f"index.json has an entry that cannot be read. {AGAIN}")
        if (entry.get("annotations") or {}).get("vnd.docker.reference.type") == "attestation-manifest":
            continue
        if platform and (platform.get("os"), platform.get("architecture")) not in [
            ("linux", name) for name in architectures
        ]:
            others.append(f"{str(platform.get('os'))[:20]}/{str(platform.get('architecture'))[:20]}")
            continue
        descriptors.append(entry)
    return descriptors


def _of_manifest(members: Members, digest: str) -> tuple[bytes, tuple[LayerSource, ...]]:
    manifest = _object(_json(_blob(members, digest, _MANIFEST_BYTES), "the manifest"), "the manifest")
    described = _object(manifest.get("config"), "the manifest")
    config = _blob(members, _digest(described, "the manifest"), _CONFIG_BYTES, described)
    layers = []
    entries = _list(manifest, "layers", "the manifest")
    for number, value in enumerate(entries, 1):
        name = f"Layer {number} of {len(entries)}"
        entry = _object(value, "the manifest")
        kind = str(entry.get("mediaType"))
        if entry.get("urls") or "nondistributable" in kind or "foreign" in kind:
            raise TakingError(
                f"{name} is not in the archive but at an address. Save an image that holds all its layers."
            )
        if kind not in _LAYERS:
            raise TakingError(f"{name} is of the unknown kind {kind[:80]}. {AGAIN}")
        layer_digest = _digest(entry, "the manifest")
        size = entry.get("size")
        if not isinstance(size, int) or isinstance(size, bool):
            raise TakingError(f"{name} has no size in the manifest. {AGAIN}")
        layers.append(LayerSource(_path(layer_digest), layer_digest, size))
    return config, tuple(layers)


def _of_docker(members: Members) -> tuple[bytes, tuple[LayerSource, ...]]:
    listed = _json(members.content("manifest.json", _INDEX_BYTES), "manifest.json")
    if not isinstance(listed, list) or not listed:
        raise TakingError(f"manifest.json names no image. {AGAIN}")
    images = [_object(value, "manifest.json") for value in listed]
    if len({(str(image.get("Config")), str(image.get("Layers"))) for image in images}) > 1:
        raise _several([str(tag) for image in images for tag in image.get("RepoTags") or []], len(images))
    name, layers = images[0].get("Config"), images[0].get("Layers")
    if not isinstance(name, str) or not isinstance(layers, list) or not all(isinstance(layer, str) for layer in layers):
        raise TakingError(f"manifest.json names no configuration or no layers. {AGAIN}")
    config = members.content(name.removeprefix("./"), _CONFIG_BYTES)
    return config, tuple(LayerSource(layer.removeprefix("./")) for layer in layers)


def _several(tags: Sequence[str], count: int) -> TakingError:
    names = ", ".join(tag[:80] for tag in tags[:5])
    return TakingError(
        f"The archive holds {count} images{f' ({names})' if names else ''}; one is taken. Save the one that is meant."
    )


def _check_platform(configuration: Mapping[str, Any], architectures: Sequence[str]) -> None:
    system, architecture = configuration.get("os"), configuration.get("architecture")
    if system != "linux":
        raise TakingError(f"The image is for {str(system)[:40]}; only Linux is run. Build it for linux.")
    if architecture not in architectures:
        raise TakingError(
            f"The image is for {str(architecture)[:40]}, but the machines here are {_either(architectures)}. Build it with "
            f"`docker build --platform linux/{architectures[0]}`."
        )


def _diff_ids(configuration: Mapping[str, Any]) -> tuple[str, ...]:
    files = _object(configuration.get("rootfs"), "the configuration")
    _same_keys(files, ("type", "diff_ids"), "the configuration")
    listed = _list(files, "diff_ids", "the configuration")
    if not all(isinstance(diff_id, str) and _DIGEST.fullmatch(diff_id) for diff_id in listed):
        raise TakingError(f"The configuration names a layer by something that is no SHA-256 digest. {AGAIN}")
    return tuple(listed)


def _same_keys(values: Mapping[str, Any], expected_keys: Sequence[str], what: str) -> None:
    """Refuse keys that other programs would take for known ones: they read them without regard to case."""
    for key in values:
        if key not in expected_keys and key.casefold() in [expected_key.casefold() for expected_key in expected_keys]:
            raise TakingError(f"In {what}, the key {key[:40]!r} can be mistaken for another. {AGAIN}")


def inner_configuration(configuration: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an image's own configuration of how it is started.

    Raises
    ------
    TakingError
        When a value has an unexpected form.
    """
    inner = _object(configuration.get("config") or {}, "the configuration")
    expected_keys = (
        "Entrypoint",
        "Cmd",
        "Env",
        "User",
        "WorkingDir",
        "Labels",
        "Volumes",
        "Healthcheck",
        "OnBuild",
        "StopSignal",
    )
    _same_keys(inner, expected_keys, "the configuration")
    for key in ("Entrypoint", "Cmd", "Env"):
        value = inner.get(key)
        if value is not None and not (isinstance(value, list) and all(isinstance(part, str) for part in value)):
            raise TakingError(f"{key} of the image has to be a list of texts. Build it with the form in brackets.")
        if value and any("\0" in part for part in value):
            raise TakingError(f"{key} of the image has a zero byte. Build it again.")
    for key in ("User", "WorkingDir"):
        if not isinstance(inner.get(key) or "", str):
            raise TakingError(f"{key} of the image has to be a text. Build it again.")
    labels = inner.get("Labels")
    if labels is not None and not (
        isinstance(labels, dict) and all(isinstance(value, str) for value in labels.values())
    ):
        raise TakingError("Labels of the image have to be texts. Build it again.")
    return inner


def _blob(members: Members, digest: str, most: int, described: Mapping[str, Any] | None = None) -> bytes:
    import hashlib

    content = members.content(_path(digest), most)
    if f"sha256:{hashlib.sha256(content).hexdigest()}" != digest:
        raise TakingError(f"The content of {_path(digest)} does not match its digest. {AGAIN}")
    if described is not None and described.get("size") != len(content):
        raise TakingError(f"The size of {_path(digest)} is not the one that is written down. {AGAIN}")
    return content


def _path(digest: str) -> str:
    return f"blobs/sha256/{digest.removeprefix('sha256:')}"


def _digest(entry: Mapping[str, Any], what: str) -> str:
    digest = entry.get("digest")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise TakingError(f"In {what}, something is named by no SHA-256 digest. {AGAIN}")
    return digest


def _json(content: bytes, what: str) -> Any:
    try:
        return json.loads(content, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        if isinstance(error, TakingError):
            raise
        raise TakingError(f"{what[:1].upper()}{what[1:]} is no JSON that can be read. {AGAIN}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise TakingError(f"A JSON document of the image has a key twice. {AGAIN}")
    return values


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TakingError(f"{what[:1].upper()}{what[1:]} does not have the form of an image. {AGAIN}")
    return value


def _list(values: Mapping[str, Any], key: str, what: str) -> list[Any]:
    value = values.get(key)
    if not isinstance(value, list):
        raise TakingError(f"{what[:1].upper()}{what[1:]} has no list {key}. {AGAIN}")
    return value


def _either(names: Sequence[str]) -> str:
    return " or ".join(names)
