"""The machine of a runner: its folder, its engine, the guarantees that hold, and its hardware."""

import argparse
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from confinement.containers import hardware
from confinement.containers.engine import Engine, EngineError
from confinement.containers.engines import CLUSTERS, cluster_named, engine_named
from confinement.containers.probe import Probe, probe
from podium_client.base import __version__
from podium_client.errors import ClientError

PROTOCOL = 1


@dataclass
class Machine:
    """The machine of a runner.

    Attributes
    ----------
    folder
        Folder of the runner. No other program uses it.
    holds, findings
        Guarantees that apply, and what is wrong with the others.
    slots
        Cores, memory and devices that it offers.
    """

    folder: Path
    engine: Engine
    slots: Mapping[str, Any]
    holds: Mapping[str, bool] = field(default_factory=dict)
    findings: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""

    def part(self, name: str) -> Path:
        """Return a folder below that of the runner; users of containers can enter it."""
        path = self.folder / name
        path.mkdir(exist_ok=True, mode=0o711)
        return path

    def state(self) -> dict[str, Any]:
        """Return the report to the platform."""
        return {
            "protocol": PROTOCOL,
            "version": __version__,
            "engine": self.engine.name,
            "versions": dict(self.versions),
            "holds": dict(self.holds),
            "findings": {name: text[:300] for name, text in self.findings.items()},
            "problem": self.problem[:500],
            "hardware": dict(self.slots),
        }


def open_machine(options: argparse.Namespace) -> Machine:
    """Open the engine of this machine and test which guarantees hold.

    Raises
    ------
    ClientError
        If the folder belongs to another user, or the engine cannot be opened.
    """
    if sys.platform != "linux":
        raise ClientError("Algorithms are run on Linux only. Start the runner there, or in a virtual machine.")
    folder = _folder(options.folder)
    try:
        engine = _engine(options, folder)
    except (EngineError, ValueError, OSError) as error:
        raise ClientError(f"{options.engine} does not work here: {error}") from error
    gpus = [name.strip() for name in options.gpus.split(",") if name.strip()]
    machine = Machine(folder, engine, hardware.offered(options.cpus, options.memory_mib, gpus))
    take_probe(machine, probe(engine, machine.part("probe")))
    return machine


def take_probe(machine: Machine, result: Probe) -> None:
    """Take the results of the probe over."""
    machine.holds, machine.problem = dict(result.holds), result.error
    machine.versions = dict(result.versions)
    machine.findings = {
        name: result.told.get(name, "") or "does not hold" for name, holds in result.holds.items() if not holds
    }


def _folder(given: Path | None) -> Path:
    path = given or Path(f"/var/tmp/podium-runner-{os.getuid()}")  # noqa: S108 (checked below)
    path = path.absolute()
    path.mkdir(parents=True, exist_ok=True, mode=0o711)
    if path.is_symlink() or path.stat().st_uid != os.getuid():
        raise ClientError(f"{path} belongs to another user. Choose another folder with --folder.")
    path.chmod(0o711)
    return path


def _engine(options: argparse.Namespace, folder: Path) -> Engine:
    name = options.engine
    if name in CLUSTERS:
        properties = json.loads(options.cluster.read_text("utf-8")) if options.cluster else {}
        if not isinstance(properties, dict):
            raise ValueError(f"{options.cluster} must contain an object")
        return cluster_named(name, folder, properties)
    engine = engine_named(name, folder / "engine")
    if engine is None:
        raise EngineError(f"it is not installed (on Debian or Ubuntu: sudo apt install {name} runc uidmap)")
    return engine
