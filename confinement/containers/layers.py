"""Layers of an image: digests recomputed, headers checked, layers stored again.

No layer is unpacked.
"""

import posixpath
import stat
import tarfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confinement.containers.archives import (
    Bound,
    Members,
    TakingError,
    Unpacked,
    ZstdFile,
    decompressed,
    entries,
    refusing,
)
from confinement.containers.limits import ImageLimits
from confinement.containers.manifests import AGAIN, ImageSource

_PATHS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
_NAME_LENGTH = 4_096
_MOST_LINKS = 40


@dataclass
class Tree:
    """Combined result of the layers, reduced to relevant entries: folders, links and programs."""

    entries: int = 0
    set_ids: int = 0
    modes: dict[str, int] = field(default_factory=dict)
    """Of folders and of files that may be executed."""
    links: dict[str, str] = field(default_factory=dict)

    def resolved(self, path: str) -> str:
        """Follow links of a path; empty when they lead in circles."""
        waiting, done = [part for part in path.split("/") if part], ""
        for _ in range(_MOST_LINKS * 8):
            if not waiting:
                return done
            part = waiting.pop(0)
            if part in (".", ".."):
                done = posixpath.dirname(done) if part == ".." else done
                continue
            done = f"{done}/{part}" if done else part
            if (target := self.links.get(done)) is not None:
                done = "" if target.startswith("/") else posixpath.dirname(done)
                waiting = [step for step in target.split("/") if step] + waiting
        return ""


def store_layers(
    members: Members, image: ImageSource, folder: Path, limits: ImageLimits, bound: Bound
) -> tuple[list[dict[str, Any]], Tree]:
    """Check each layer and write it to `folder` as `<diff_id>.tar.zst`.

    Raises
    ------
    TakingError
        Which names the layer.
    """
    tree = Tree()
    stored: dict[str, dict[str, Any]] = {}
    reports = []
    for number, (diff_id, source) in enumerate(zip(image.diff_ids, image.layers, strict=True), 1):
        name = f"Layer {number} of {len(image.layers)}"
        if diff_id not in stored:
            member = members.get(source.member)
            if source.size is not None and member.size != source.size:
                raise TakingError(f"{name}: the size of the content is not the one that is written down. {AGAIN}")
            window, start = members.window(source.member)
            copy = ZstdFile(folder / f"{diff_id.removeprefix('sha256:')}.tar.zst")
            before = tree.entries
            with refusing(f"{name} cannot be read ({{}}). {AGAIN}"), decompressed(window, start) as plain:
                stream = Unpacked(plain, bound, name)
                stream.copy_to(copy)
                _judge(stream, name, tree, limits)
            copy.close()
            # The digest of what was packed comes first: it is what a broken transfer changes.
            if source.digest and window.digest() != source.digest:
                raise TakingError(f"{name}: the content does not match its digest ({source.digest[:15]}…). {AGAIN}")
            if stream.digest != diff_id:
                raise TakingError(f"{name}: the content does not match its digest ({diff_id[:15]}…). {AGAIN}")
            stored[diff_id] = {
                "diff_id": diff_id,
                "size": stream.size,
                "entries": tree.entries - before,
                "stored_digest": copy.digest,
                "stored_size": copy.size,
            }
        else:
            # A layer that is there twice is unpacked twice.
            bound.add(stored[diff_id]["size"], name)
        reports.append(stored[diff_id])
    return reports, tree


def _judge(stream: Unpacked, layer: str, tree: Tree, limits: ImageLimits) -> None:
    links: set[str] = set()
    for _, entry in entries(stream):
        tree.entries += 1
        if tree.entries > limits.entries:
            raise TakingError(f"{layer}: the image has more than {limits.entries:,} files. Build it with fewer.")
        name = _name(entry.name, layer)
        if entry.ischr() or entry.isblk():
            raise TakingError(f"{layer}: {name[:120]} is a device. Build the image without it.")
        if entry.issparse():
            raise TakingError(f"{layer}: {name[:120]} is stored without its empty parts (“sparse”). {AGAIN}")
        if entry.islnk():
            _name(entry.linkname, layer)
        above = name
        while above := posixpath.dirname(above):
            if above in links:
                raise TakingError(f"{layer}: {name[:120]} lies behind the link {above[:120]}. Build the image again.")
        _note(entry, name, tree, links)


def _name(name: str, layer: str) -> str:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts or (name.startswith("/") and parts):
        raise TakingError(f"{layer}: {name[:120]} points outside of the image. Build the image again.")
    if len(name) > _NAME_LENGTH:
        raise TakingError(f"{layer}: a name is longer than {_NAME_LENGTH:,} characters. Build the image again.")
    return "/".join(parts)


def _note(entry: tarfile.TarInfo, name: str, tree: Tree, links: set[str]) -> None:
    tree.set_ids += bool(entry.isreg() and entry.mode & (stat.S_ISUID | stat.S_ISGID))
    base = posixpath.basename(name)
    if base.startswith(".wh."):
        hidden = posixpath.join(posixpath.dirname(name), base.removeprefix(".wh."))
        tree.modes.pop(hidden, None)
        tree.links.pop(hidden, None)
        return
    if entry.issym():
        links.add(name)
        tree.links[name] = entry.linkname
        tree.modes.pop(name, None)
        return
    links.discard(name)
    tree.links.pop(name, None)
    if entry.islnk():
        tree.modes[name] = tree.modes.get(_name(entry.linkname, ""), 0o755)
    elif entry.isdir() or entry.mode & 0o111:
        tree.modes[name] = entry.mode
    else:
        tree.modes.pop(name, None)


def entry_warnings(tree: Tree, command: Sequence[str], environment: Sequence[str], workdir: str) -> list[str]:
    """Return the reasons why a user other than root cannot start an entry point."""
    program = command[0]
    if "/" in program:
        places = [posixpath.join("/", workdir, program)]
    else:
        variables: Mapping[str, str] = dict(pair.split("=", 1) for pair in environment if "=" in pair)
        folders = variables["PATH"].split(":") if variables.get("PATH") else _PATHS
        places = [posixpath.join("/", folder, program) for folder in folders]
    resolved = [tree.resolved(path) for path in places]
    path = next((path for path in resolved if path in tree.modes), None)
    if path is None:
        return [
            f"No layer holds the entry point {program[:120]} as a file that may be executed: the algorithm cannot start."
        ]
    closed = [above for above in (path, *_above(path)) if not tree.modes.get(above, 0o755) & (stat.S_IXOTH)]
    if closed:
        return [
            (
                f"/{closed[0][:120]} may be executed or entered by its owner only, but algorithms run as user 65534 whatever "
                "USER says: the algorithm cannot start. Give others the rights (chmod o+rx)."
            )
        ]
    return []


def _above(path: str) -> list[str]:
    folders = []
    while path := posixpath.dirname(path):
        folders.append(path)
    return folders
