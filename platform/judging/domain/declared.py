"""What a phase declares for its scoring image, and how it is told so."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from confinement.containers.limits import RunLimits
from confinement.limits import MIB
from evaluation.assessment import Assessment
from evaluation.assessment.scorers import LIMITS, declared_metrics
from evaluation.canonical import sha256
from evaluation.running.identity import SCORER_INTERFACE
from evaluation.running.interface import Socket, interface_document
from evaluation.running.scorer_rows import Declared, DeclaredMetric

LABELS: Final = "labels"
"""Stem of the one file of a reference, and of a prediction, whatever each was called when it came."""
_OUTPUT_BYTES: Final = 64 * MIB


def declared_of(assessment: Assessment) -> dict[str, Any]:
    """What an assessment declares: metrics, regions and limits, as JSON values."""
    return {
        "metrics": declared_metrics(assessment.metrics),
        "regions": [{"name": region.name, "labels": list(region.labels)} for region in assessment.regions],
        "limits": {name: assessment.scorer[name] for name in LIMITS},
    }


def digest_of(declared: Mapping[str, Any]) -> str:
    """Digest of a declaration."""
    return sha256(declared)


def expected(declared: Mapping[str, Any], cases: Sequence[str]) -> Declared:
    """What rows have to be there."""
    metrics = [DeclaredMetric.read(entry) for entry in declared["metrics"]]
    return Declared(metrics, [region["name"] for region in declared["regions"]], cases)


def limits_of(declared: Mapping[str, Any]) -> RunLimits:
    """Bounds on a start of the image."""
    own = declared["limits"]
    return RunLimits(
        case_seconds=own["case_seconds"],
        start_seconds=own["start_seconds"],
        memory_bytes=int(own["memory_mib"]) * MIB,
        cpus=own["cpus"],
        pids=256,
        output_bytes=_OUTPUT_BYTES,
        scratch_bytes=256 * MIB,
        shm_bytes=64 * MIB,
    )


def interface_of(declared: Mapping[str, Any], cases: Sequence[str], *, ending: str) -> dict[str, Any]:
    """The document `interface.json` that the image finds."""
    return interface_document(
        [Socket(LABELS, "label_image", ending)],
        [Socket("rows", "file", ".jsonl")],
        limits=limits_of(declared).described(),
        cases=[{"case": name, "inputs": {}} for name in cases],
        interface=SCORER_INTERFACE,
        more={"metrics": list(declared["metrics"]), "regions": list(declared["regions"])},
    )
