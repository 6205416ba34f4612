"""An engine of one's own on this machine, and images in it: checked and loaded as the platform does."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from podium_client.errors import ClientError

_MIB = 1024**2
_DAY = 86_400.0


def load_image(engine: Any, folder: Path, archive: Path, tell: Callable[[str], None], *, interface: str = "") -> Any:
    """Check an image as the platform does and load it into an engine; returns what was read of it.

    Raises
    ------
    ClientError
        With one line, when it is not taken.
    """
    from confinement.containers.images import INTERFACES, ImageError, take_image
    from confinement.containers.limits import ImageLimits

    store = folder / "store"
    store.mkdir()
    tell("Checking the image …")
    if not archive.is_file():
        raise ClientError(f"There is no file {archive}.")
    try:
        report = take_image(archive, store, limits=ImageLimits(), interface=interface or INTERFACES[0])
    except ImageError as error:
        raise ClientError(str(error)) from error
    tell(f"Image {report.image_id}: {len(report.layers)} layers, {report.size / _MIB:,.0f} MiB.")
    load_parts(engine, folder, store, report.image_id, report.layers)
    return report


def load_parts(engine: Any, folder: Path, store: Path, image: str, layers: Sequence[Any]) -> None:
    """Load an image into an engine from its parts: `config.json`, and each layer under its `stored_name`.

    Raises
    ------
    ClientError
        With one line, when the engine does not take it.
    """
    from confinement.containers.engine import EngineError
    from confinement.containers.layout import write_layout

    layout = folder / "layout"
    layout.mkdir()
    stored = {layer.diff_id: store / layer.stored_name for layer in layers}
    try:
        write_layout(layout, (store / "config.json").read_bytes(), layers, stored.__getitem__)
        engine.load(layout, image)
    except EngineError as error:
        raise ClientError(str(error)) from error


def open_engine(name: str, folder: Path) -> Any:
    """An engine of one's own in a folder.

    Raises
    ------
    ClientError
        With one line, where there is none that works.
    """
    from confinement.containers.engine import EngineError
    from confinement.containers.engines import engine_named

    if sys.platform != "linux":
        raise ClientError("Containers are run on Linux only; try it there, or in a virtual machine.")
    engine = engine_named(name, folder / "engine")
    if engine is None:
        raise ClientError(f"{name} is not installed. On Debian or Ubuntu: sudo apt install {name} runc uidmap.")
    try:
        engine.versions()
    except EngineError as error:
        raise ClientError(f"{name} does not work here: {error}") from error
    return engine


def not_held(engine: Any) -> list[str]:
    """Return notes on limits and measurements of the platform that do not apply on this machine."""
    if engine.is_root:
        return []
    version = engine.versions().get("control_groups", "")
    notes = ["time and memory are not measured from control groups: podman runs without root"]
    if version != "v2":
        notes.append("memory, processors and processes are not limited here: control groups of version 1 without root")
    return notes


def run_limits(limits: dict[str, Any], *, limited: bool) -> Any:
    from confinement.containers.limits import RunLimits

    usual = RunLimits()
    if not limited:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        cpus = float(os.cpu_count() or 1)
        return replace(usual, case_seconds=_DAY, memory_bytes=memory, cpus=cpus, pids=4096, output_bytes=16 * 1024**3)
    overrides = {key: value for key, value in limits.items() if value is not None and hasattr(usual, key)}
    # Nobody has more processors at home than there are.
    overrides["cpus"] = min(float(overrides.get("cpus", usual.cpus)), float(os.cpu_count() or 1))
    return replace(usual, **{**overrides, "gpus": 0})
