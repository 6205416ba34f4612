"""``summary.json`` of nnU-Net, versions 1 and 2: values per case and label, one file per method.

Structure: ``save_summary_json`` in nnunetv2/evaluation/evaluate_predictions.py, and ``aggregate_scores`` in
nnunet/evaluation/evaluator.py of version 1 (MIC-DKFZ/nnUNet).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from evaluation.importing.formats.building import ONE_METHOD, Table, repeated
from evaluation.importing.formats.parts import distinct_names, is_plain
from evaluation.importing.sheets import TableError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.importing.formats.parts import Part
    from evaluation.importing.sheets import SheetLimits

_COUNTS: Final = (
    *("FP", "TP", "FN", "TN", "n_pred", "n_ref"),
    *("Total Positives Test", "Total Positives Reference"),
)
_NO_CASES: Final = (
    "this is nnU-Net's summary.json, and it holds means without values of single cases",
    "Send the file that nnUNetv2_evaluate_folder writes, with entries under “metric_per_case”.",
)


class NnUNet:
    """Reader of ``summary.json``."""

    name = "nnU-Net summary.json"

    def recognizes(self, part: Part, limits: SheetLimits) -> bool:  # noqa: ARG002 (the signature)
        """Return whether the file has the keys that nnU-Net writes."""
        if not part.looks_like_json or len(part.lines or ()) > 1:
            return False
        document = part.document
        if not isinstance(document, dict):
            return False
        results = document.get("results")
        return (
            "metric_per_case" in document
            or "foreground_mean" in document
            or (isinstance(results, dict) and {"all", "mean"} <= set(results))
        )

    def read(self, parts: Sequence[Part], limits: SheetLimits) -> Table:  # noqa: ARG002 (the signature)
        """Read one file per method; labels are regions."""
        table = Table(roles={"algorithm": "algorithm", "case": "case", "region": "region"})
        table.roles |= dict.fromkeys(_COUNTS, "ignore")
        names = distinct_names([part.path for part in parts])
        if len(parts) == 1:
            table.question = ONE_METHOD
        for name, part in zip(names, parts, strict=True):
            _add(table, part, {} if len(parts) == 1 else {"algorithm": name})
        table.notes.append(
            "nnU-Net writes NaN if a label is absent from reference and prediction: such a value is read as missing."
        )
        return table


def _add(table: Table, part: Part, start: Mapping[str, Any]) -> None:
    entries = _entries(part)
    cases = [_case(part, number, entry) for number, (entry, _) in enumerate(entries, start=1)]
    if twice := repeated(cases):
        raise TableError(part.path, f"two entries are of the case {shown(twice)}", "Keep one of them.")
    for case, (_, labels) in zip(cases, entries, strict=True):
        for label, metrics in labels.items():
            if not isinstance(metrics, dict) or not all(is_plain(value) for value in metrics.values()):
                problem = f"the case {shown(case)} has no values under the label {shown(str(label))}"
                raise TableError(part.path, problem, "Export the file again with nnUNetv2_evaluate_folder.")
            table.add({**start, "case": case, "region": _region(str(label)), **metrics})


def _entries(part: Part) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each entry of a case, with its labels."""
    document = part.document
    old = document.get("results")
    cases = old.get("all") if isinstance(old, dict) else document.get("metric_per_case")
    if not isinstance(cases, list) or not cases:
        raise TableError(part.path, *_NO_CASES)
    entries: list[tuple[Mapping[str, Any], Mapping[str, Any]]] = []
    for number, entry in enumerate(cases, start=1):
        labels = entry.get("metrics") if isinstance(entry, dict) and not isinstance(old, dict) else entry
        if isinstance(old, dict) and isinstance(entry, dict):
            labels = {key: value for key, value in entry.items() if key not in ("reference", "test")}
        if not isinstance(entry, dict) or not isinstance(labels, dict) or not labels:
            raise TableError(part.path, f"entry {number} of the cases has no metrics", "Export the file again.")
        entries.append((entry, labels))
    return entries


def _case(part: Part, number: int, entry: Mapping[str, Any]) -> str:
    """The name of the reference's file, which all methods share."""
    for key in ("reference_file", "reference", "prediction_file", "test"):
        path = entry.get(key)
        if isinstance(path, str) and path.strip():
            name = PurePosixPath(path.strip().replace("\\", "/")).name
            return re.sub(r"\.(nii(\.gz)?|mha|mhd|nrrd|tiff?|png|npz|npy)$", "", name, flags=re.IGNORECASE)
    raise TableError(part.path, f"entry {number} of the cases names no file", "Add “reference_file”.")


def _region(label: str) -> str:
    """A label, or several of a region, without the brackets of a Python tuple.

    Examples
    --------
    >>> _region("1"), _region("(1, 2, 3)"), _region("(1,)")
    ('1', '1, 2, 3', '1')
    """
    return ", ".join(step.strip() for step in label.strip("()").split(",") if step.strip()) or label
