"""Command that scans a folder of references, and predictions if any, and writes the findings as JSON.

``python -m evaluation.advice.pitfalls ASSESSMENT.json REFERENCES [PREDICTIONS]``. It is intended for callers that
read untrusted files in a separate process, which may be bounded and may die. The assessment needs ``problem`` and
``regions`` only.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from evaluation import problems
from evaluation.advice.pitfalls.kept import to_document
from evaluation.assessment.model import Region
from evaluation.readers import ReadError


def scan(problem: str, regions: list[Region], references: Path, predictions: Path | None) -> dict[str, Any]:
    """Scan what the kind of problem has as references.

    Raises
    ------
    evaluation.readers.ReadError
        If the references cannot be read.
    """
    folders = sorted(path for path in predictions.iterdir() if path.is_dir()) if predictions else []
    of_references, of_predictions = problems.get(problem).plausibility.scan(regions, references, folders)
    return {"references": to_document(of_references), "predictions": [to_document(entry) for entry in of_predictions]}


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
