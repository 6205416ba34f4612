r"""Write a container image as a file, with nothing but Python: no registry, no engine, no root.

An image is a base (`busybox`, `python` or `scratch`) and files of one's own, written as an OCI image layout
(`--format oci`) or as what `docker save` writes (`--format docker`), plain or compressed (`.gz`, `.zst` by the name).
The same input gives the same bytes: entries are sorted, times are 0, owners are root. The probe of an engine, the example
algorithms and the tests are made so.

    python -m confinement.containers.making algorithm.tar --base busybox --add run.sh:/opt/run.sh \\
        --entrypoint '["/bin/sh", "/opt/run.sh"]'
    python -m confinement.containers.making scorer.tar.gz --base python --packages numpy,nibabel --add scorer.py:/opt/scorer.py \\
        --entrypoint '["/usr/bin/python3", "/opt/scorer.py"]' --label org.podium.interface=podium-score-1

`busybox` takes the static program of Debian's package `busybox-static`. `python` takes the interpreter that runs this
program, its standard library and the shared libraries that `ldd` names, and on request installed distributions with all
files that their metadata list. For hostile images in tests, `Entry` takes any name, kind and size, and `archive` writes
any list of parts.
"""

import argparse
import gzip
import hashlib
import importlib.metadata
import io
import json
import re
import stat
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar"
_PATH = "PATH=/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Entry:
    """One member of a layer; `name` is taken as it is, so tests can write names that no honest tool would."""

    name: str
    data: bytes = b""
    mode: int = 0o644
    kind: bytes = tarfile.REGTYPE
    target: str = ""
    major: int = 0
    minor: int = 0
    uid: int = 0
    gid: int = 0


@dataclass(frozen=True)
class Layer:
    """A layer: its uncompressed tar."""

    tar: bytes

    @property
    def diff_id(self) -> str:
        return _digest(self.tar)


@dataclass(frozen=True)
class Image:
    """Layers and configuration, and the digests that follow from them."""

    layers: Sequence[Layer]
    config: bytes
    tag: str = "localhost/podium-test:latest"
    gzip_layers: bool = False

    @property
    def image_id(self) -> str:
        """Digest of the configuration, which names the uncompressed layers: the same however the archive is packed."""
        return _digest(self.config)

    def blobs(self) -> list[bytes]:
        """Layers as they are stored."""
        return [
            gzip.compress(image_layer.tar, 6, mtime=0) if self.gzip_layers else image_layer.tar
            for image_layer in self.layers
        ]

    def manifest(self) -> bytes:
        kind = _LAYER + ("+gzip" if self.gzip_layers else "")
        return _json(
            {
                "schemaVersion": 2,
                "mediaType": _MANIFEST,
                "config": {"mediaType": _CONFIG, "digest": self.image_id, "size": len(self.config)},
                "layers": [{"mediaType": kind, "digest": _digest(blob), "size": len(blob)} for blob in self.blobs()],
            }
        )


def layer(entries: Iterable[Entry], *, ordered: bool = False) -> Layer:
    """Make a layer from entries; sorted by name unless `ordered` keeps their order."""
    entries = list(entries)
    if not ordered:
        entries = sorted({entry.name: entry for entry in entries}.values(), key=lambda entry: entry.name)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for entry in entries:
            info = tarfile.TarInfo(entry.name)
            info.type, info.mode, info.mtime = entry.kind, entry.mode, 0
            info.uid, info.gid = entry.uid, entry.gid
            info.linkname, info.devmajor, info.devminor = entry.target, entry.major, entry.minor
            info.size = len(entry.data) if entry.kind == tarfile.REGTYPE else 0
            tar.addfile(info, io.BytesIO(entry.data) if info.size else None)
    return Layer(out.getvalue())


def image(
    layers: Sequence[Layer],
    *,
    entrypoint: Sequence[str] = (),
    cmd: Sequence[str] = (),
    env: Sequence[str] = (_PATH,),
    labels: Mapping[str, str] | None = None,
    user: str = "",
    workdir: str = "",
    architecture: str = "amd64",
    more: Mapping[str, Any] | None = None,
    tag: str = "localhost/podium-test:latest",
    gzip_layers: bool = False,
) -> Image:
    """Make an image; `more` goes into the inner configuration as it is (Volumes, Healthcheck, OnBuild …)."""
    inner: dict[str, Any] = {"Env": list(env)}
    named = {"Entrypoint": list(entrypoint), "Cmd": list(cmd), "User": user, "WorkingDir": workdir}
    inner |= {key: value for key, value in named.items() if value}
    if labels:
        inner["Labels"] = dict(labels)
    inner |= more or {}
    config = {
        "architecture": architecture,
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": inner,
        "rootfs": {"type": "layers", "diff_ids": [image_layer.diff_id for image_layer in layers]},
        "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "make_image"} for _ in layers],
    }
    return Image(list(layers), _json(config), tag, gzip_layers)


def parts(built_image: Image, kind: str) -> list[tuple[str, bytes]]:
    """The members of the archive of an image, by name: a test changes one and writes them with `archive`."""
    blobs = built_image.blobs()
    if kind == "docker":
        names = [f"{_hex(blob)}/layer.tar" for blob in blobs]
        config = f"{built_image.image_id.removeprefix('sha256:')}.json"
        listed = [{"Config": config, "RepoTags": [built_image.tag] if built_image.tag else None, "Layers": names}]
        return [(config, built_image.config), *zip(names, blobs, strict=True), ("manifest.json", _json(listed))]
    manifest = built_image.manifest()
    entry: dict[str, Any] = {
        "mediaType": _MANIFEST,
        "digest": _digest(manifest),
        "size": len(manifest),
        "platform": {"architecture": json.loads(built_image.config)["architecture"], "os": "linux"},
    }
    if built_image.tag:
        entry["annotations"] = {"org.opencontainers.image.ref.name": built_image.tag}
    index = _json({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry]})
    return [
        ("oci-layout", _json({"imageLayoutVersion": "1.0.0"})),
        ("index.json", index),
        *((f"blobs/sha256/{_hex(blob)}", blob) for blob in dict.fromkeys([built_image.config, *blobs, manifest])),
    ]


def archive(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write members to a tar, compressed by what the name ends with."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(data), 0o644, 0
            tar.addfile(info, io.BytesIO(data))
    data = out.getvalue()
    if path.suffix == ".gz":
        data = gzip.compress(data, 6, mtime=0)
    elif path.suffix == ".zst":
        data = _zstd(data)
    path.write_bytes(data)


def write(path: Path, built_image: Image, *, kind: str = "oci") -> str:
    """Write an image and return its id."""
    archive(path, parts(built_image, kind))
    return built_image.image_id


def busybox(program: str = "/bin/busybox") -> Layer:
    """A layer with the static busybox, its commands and the folders that the interface mounts."""
    data = Path(program).read_bytes()
    names = subprocess.run(  # noqa: S603 (a program of this machine)
        [program, "--list"], check=True, capture_output=True, text=True
    ).stdout.split()
    links = [
        Entry(f"bin/{name}", kind=tarfile.SYMTYPE, target="busybox", mode=0o777) for name in names if name != "busybox"
    ]
    return layer([*_folders(), Entry("bin/busybox", data, 0o755), *links])


def python(packages: Sequence[str] = ()) -> Layer:
    """A layer with this interpreter as /usr/bin/python3, its standard library, and named distributions."""
    program = Path(sys.base_prefix, "bin", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    program = (program if program.exists() else Path(sys.executable)).resolve()
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    home = f"usr/lib/{version}"
    entries: dict[str, Entry] = {"usr/bin/python3": Entry("usr/bin/python3", program.read_bytes(), 0o755)}
    libraries = set(_needs(program))
    for path in _standard_library(Path(sysconfig.get_path("stdlib"))):
        name = f"{home}/{path.relative_to(sysconfig.get_path('stdlib'))}"
        entries[name] = Entry(name, path.read_bytes())
        if path.suffix == ".so":
            libraries |= set(_needs(path))
    for package in packages:
        for path, name in _distribution(package):
            target = f"{home}/site-packages/{name}"
            entries[target] = Entry(target, path.read_bytes(), 0o755 if ".so" in path.name else 0o644)
            if ".so" in path.name:
                libraries |= {library for library in _needs(path) if "site-packages" not in str(library)}
    for path in sorted(libraries):
        name = str(path).lstrip("/")
        entries[name] = Entry(name, path.resolve().read_bytes(), 0o755)
    # Python looks for its library beside the program, two levels up; Debian's own program knows `dist-packages` only.
    site = Entry(f"{home}/sitecustomize.py", f'import sys\nsys.path.append("/{home}/site-packages")\n'.encode())
    return layer([*_folders(), *entries.values(), *([site] if packages else [])])


def _folders() -> list[Entry]:
    names = ("bin", "dev", "etc", "input", "model", "opt", "output", "proc", "sys", "tmp", "usr", "usr/bin")
    modes = {"tmp": 0o1777, "output": 0o777}
    users = b"root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"
    return [
        *(Entry(name, kind=tarfile.DIRTYPE, mode=modes.get(name, 0o755)) for name in names),
        Entry("etc/passwd", users),
        Entry("etc/group", b"root:x:0:\nnogroup:x:65534:\n"),
    ]


def _standard_library(folder: Path) -> Iterator[Path]:
    left_out = {"test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "__pycache__"}
    left_out |= {"site-packages", "dist-packages"}
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder).parts
        if left_out.isdisjoint(inner) and not inner[0].startswith("config-") and path.is_file() and path.suffix != ".a":
            yield path


def _distribution(name: str) -> Iterator[tuple[Path, str]]:
    for package_path in importlib.metadata.files(name) or []:
        path = Path(str(package_path.locate()))
        if ".." not in package_path.parts and "__pycache__" not in package_path.parts and path.is_file():
            yield path, str(package_path)


def _needs(path: Path) -> list[Path]:
    """The shared libraries that a program or library is linked with, the loader included."""
    lines = subprocess.run(  # noqa: S603 (libraries of this machine)
        ["ldd", str(path)],  # noqa: S607
        check=False,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    matches = (re.match(r"\s*(?:\S+ => )?(/\S+) \(0x", line) for line in lines)
    return [Path(match[1]) for match in matches if match]


def _zstd(data: bytes) -> bytes:
    import pyarrow as pa

    return bytes(pa.Codec("zstd", compression_level=3).compress(data, asbytes=True))


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _added(places: Sequence[str]) -> Iterator[Entry]:
    folders = set()
    for mapping in places:
        source, _, target = mapping.rpartition(":")
        root = Path(source)
        for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
            if path.is_file():
                name = target.lstrip("/") + (f"/{path.relative_to(root)}" if root.is_dir() else "")
                folders |= {str(parent) for parent in Path(name).parents if str(parent) != "."}
                mode = 0o755 if path.stat().st_mode & stat.S_IXUSR else 0o644
                yield Entry(name, path.read_bytes(), mode)
    yield from (Entry(name, kind=tarfile.DIRTYPE, mode=0o755) for name in sorted(folders))


def main(arguments: Sequence[str] | None = None) -> None:
    """Write an image according to the command line."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("output", type=Path, help="NAME.tar, .tar.gz or .tar.zst")
    parser.add_argument("--format", choices=("oci", "docker"), default="oci")
    parser.add_argument("--base", choices=("busybox", "python", "scratch"), default="busybox")
    parser.add_argument("--packages", default="", help="installed distributions for the Python base, by commas")
    parser.add_argument("--add", action="append", default=[], metavar="SOURCE:TARGET")
    parser.add_argument("--entrypoint", type=json.loads, default=[], metavar="JSON")
    parser.add_argument("--cmd", type=json.loads, default=[], metavar="JSON")
    parser.add_argument("--env", action="append", default=[_PATH])
    parser.add_argument("--label", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--user", default="")
    parser.add_argument("--workdir", default="")
    parser.add_argument("--tag", default="localhost/podium-test:latest")
    parser.add_argument("--gzip-layers", action="store_true")
    parser.add_argument(
        "--pad", type=int, default=0, metavar="MIB", help="a layer of that many MiB that does not compress"
    )
    options = parser.parse_args(arguments)
    bases: dict[str, Callable[[], Layer]] = {
        "busybox": busybox,
        "scratch": lambda: layer(_folders()),
        "python": lambda: python([name for name in options.packages.split(",") if name]),
    }
    everything = [bases[options.base]()]
    if options.add:
        everything.append(layer(_added(options.add)))
    if options.pad:
        noise = b"".join(hashlib.shake_128(number.to_bytes(8)).digest(2**20) for number in range(options.pad))
        everything.append(layer([Entry("opt/padding", noise)]))
    built_image = image(
        everything,
        entrypoint=options.entrypoint,
        cmd=options.cmd,
        env=options.env,
        labels=dict(pair.split("=", 1) for pair in options.label),
        user=options.user,
        workdir=options.workdir,
        tag=options.tag,
        gzip_layers=options.gzip_layers,
    )
    sys.stdout.write(f"{write(options.output, built_image, kind=options.format)}\n")


if __name__ == "__main__":
    main()
