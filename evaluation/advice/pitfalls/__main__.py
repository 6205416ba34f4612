"""Scan a folder of references, and predictions if there are any, and write what was found as JSON.

``python -m evaluation.advice.pitfalls ASSESSMENT.json REFERENCES [PREDICTIONS]``; for callers that read files of other
people in a process of its own, which may be bounded and may die. The assessment needs ``problem`` and ``regions`` only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from evaluation.advice.pitfalls.kept import to_document
from evaluation.advice.pitfalls.scan import (
    PredictionScan,
    ReferenceScan,
    scan_predictions,
    scan_references,
)
from evaluation.advice.pitfalls.scan_tables import scan_labels, scan_objects
from evaluation.assessment import Region
from evaluation.readers import ReadError
from evaluation.readers.object_tables import read_objects
from evaluation.readers.tables import LABELS_FILE, read_reference_labels


def scan(problem: str, regions: list[Region], references: Path, predictions: Path | None) -> dict[str, Any]:
    """Scan what the kind of problem has as references.

    Raises
    ------
    evaluation.readers.ReadError
        If the references cannot be read.
    """
    if problem == "image_classification":
        return _document(scan_labels(read_reference_labels(references / LABELS_FILE)), [])
    if problem == "object_detection":
        files = [references / name for name in ("objects.csv", "objects.json")]
        table = next((path for path in files if path.is_file()), files[0])
        return _document(scan_objects(read_objects(table, scored=False)), [])
    instances = problem == "instance_segmentation"
    found = scan_references(references, regions, instances=instances)
    folders = sorted(path for path in predictions.iterdir() if path.is_dir()) if predictions else []
    return _document(
        found,
        [scan_predictions(path.name, path, references, regions, instances=instances) for path in folders],
    )


def _document(references: ReferenceScan, predictions: list[PredictionScan]) -> dict[str, Any]:
    return {"references": to_document(references), "predictions": [to_document(entry) for entry in predictions]}


def main(arguments: list[str]) -> int:
    """Run it; 2 with one line on standard error for files that cannot be read."""
    plan = json.loads(Path(arguments[0]).read_text("utf-8"))
    regions = [Region(entry["name"], tuple(entry.get("labels", ()))) for entry in plan.get("regions", ())]
    predictions = Path(arguments[2]) if len(arguments) > 2 else None
    try:
        document = scan(plan["problem"], regions, Path(arguments[1]), predictions)
    except ReadError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(json.dumps(document))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
