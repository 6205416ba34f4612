"""Provenance of a table of results: versions, metrics with all their options, and the assessment."""

from __future__ import annotations

import json
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from evaluation import durable
from evaluation.catalogue.registry import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment

_DISTRIBUTION: Final = "podium-evaluation"
_LIBRARIES: Final = ("numpy", "scipy", "edt", "pykdtree", "scikit-image")
SUFFIX: Final = ".provenance.json"


def provenance(assessment: Assessment) -> dict[str, Any]:
    """Describe what produces results under an assessment, ready for JSON.

    Returns
    -------
    dict
        ``versions`` of the catalogue, of this package, of Python and of the libraries that values depend on; ``metrics``
        with id and all options, by name; ``problem``, ``regions`` and ``digest`` of the assessment.
    """
    versions = {"catalogue": VERSION, "python": platform.python_version()}
    for name in (_DISTRIBUTION, *_LIBRARIES):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "schema": 1,
        "versions": versions,
        "assessment": assessment.digest,
        "problem": assessment.problem,
        "regions": {region.name: list(region.labels) for region in assessment.regions},
        "metrics": {use.name: {"id": use.id, "options": dict(use.options)} for use in assessment.metrics},
    }


def write_provenance(
    assessment: Assessment, results: Path, *, points: Sequence[Mapping[str, Any]] | None = None
) -> Path:
    """Write the provenance next to a results table, with the suffix ``.provenance.json``.

    The file name is the table's name followed by the suffix.

    Parameters
    ----------
    points
        Result of `evaluation.scoring.assembling.working_points`, if there are metrics at a target of another.
    """
    target = results.with_name(results.name + SUFFIX)
    document = provenance(assessment) | ({"working_points": list(points)} if points else {})
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    durable.write_text(target, text)
    return target
