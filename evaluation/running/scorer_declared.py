"""Declaration of an assessment for its scoring image, the same on a platform and on your own machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.scorers import LIMITS, declared_metrics
from evaluation.canonical import sha256
from evaluation.running.identity import SCORER_INTERFACE
from evaluation.running.interface import Socket, interface_document
from evaluation.running.scorer_rows import Declared, DeclaredMetric

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluation.assessment.model import Assessment

_ENDINGS: Final = {"csv": ".csv", "label_image": ".nii.gz", "image": ".nii.gz"}
_MIB: Final = 1024**2


def declared_of(assessment: Assessment) -> dict[str, Any]:
    """Return the declaration of an assessment: metrics, regions and limits, as JSON values."""
    return {
        "metrics": declared_metrics(assessment.metrics),
        "regions": [{"name": region.name, "labels": list(region.labels)} for region in assessment.regions],
        "limits": {name: assessment.scorer[name] for name in LIMITS},
    }


def digest_of(declared: Mapping[str, Any]) -> str:
    """Digest of a declaration."""
    return sha256(declared)


def expected(declared: Mapping[str, Any], cases: Sequence[str]) -> Declared:
    """Return the declaration of the rows that the scorer must write."""
    metrics = [DeclaredMetric.read(entry) for entry in declared["metrics"]]
    return Declared(metrics, [region["name"] for region in declared["regions"]], cases)


def bounds_of(declared: Mapping[str, Any]) -> dict[str, Any]:
    """Bounds on a start of the image, by their names in `confinement.containers.limits.RunLimits`."""
    limits = declared["limits"]
    return {
        "case_seconds": limits["case_seconds"],
        "start_seconds": limits["start_seconds"],
        "memory_bytes": int(limits["memory_mib"]) * _MIB,
        "cpus": limits["cpus"],
        "pids": 256,
        "output_bytes": 64 * _MIB,
        "scratch_bytes": 256 * _MIB,
        "shm_bytes": 64 * _MIB,
    }


def interface_of(
    declared: Mapping[str, Any],
    cases: Sequence[str],
    *,
    stems_and_kinds: Sequence[tuple[str, str]],
    files: Iterable[str],
    limits: Mapping[str, float | None],
) -> dict[str, Any]:
    """Return the document `interface.json` for the scoring image.

    Parameters
    ----------
    stems_and_kinds
        Stem and kind of each possible file of a reference or a prediction (`ScorerFiles.stems_and_kinds`).
    files
        Names of the existing files, from which the file extensions are read.
    limits
        `RunLimits.described()`.
    """
    endings = {stem: name[len(stem) :] for name in files for stem, _ in stems_and_kinds if name.startswith(f"{stem}.")}
    return interface_document(
        [Socket(stem, kind, endings.get(stem, _ENDINGS[kind])) for stem, kind in stems_and_kinds],
        [Socket("rows", "file", ".jsonl")],
        limits=limits,
        cases=[{"case": name, "inputs": {}} for name in cases],
        interface=SCORER_INTERFACE,
        more={"metrics": list(declared["metrics"]), "regions": list(declared["regions"])},
    )
