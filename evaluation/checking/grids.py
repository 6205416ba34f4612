"""Grids of predictions over all cases, and equality of predictions: questions that every kind with images asks."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.checking.sentences import finding
from evaluation.readers import ReadError, metaimage, nifti, nrrd
from evaluation.readers.geometry import NO_SHIFT, Shift, align
from evaluation.readers.images import case_name, read_geometry
from evaluation.readers.limits import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.checking.findings import Finding
    from evaluation.readers import Geometry, Issue
    from evaluation.readers.limits import Limits

_FEWEST_CASES: Final = 3
"""Cases from which on equal predictions are no coincidence."""
_SAME_FAULTS: Final = {
    "axes": "swapped_axes",
    "origin": "same_place",
    "orientation": "same_orientation",
    "not_integer": "probabilities_as_labels",
}


def shift_of(path: Path, expected: Geometry, *, vectors: bool = False, limits: Limits = DEFAULT) -> Shift:
    """Return the displacement between the grid of a file and the expected grid.

    Parameters
    ----------
    path
        File of a prediction that was read.
    expected
        Grid of the case.
    vectors
        True for a displacement field.
    limits
        Limits on the resources that the file may require.

    Returns
    -------
    Shift
        No shift where the file or the case has no position.
    """
    if expected.affine is None:
        return NO_SHIFT
    try:
        grid = _grid_of_vectors(path, limits) if vectors else read_geometry(path, limits=limits)
        return NO_SHIFT if grid is None else align(expected, grid, file=path.name).shift
    except ReadError:
        return NO_SHIFT


def _grid_of_vectors(path: Path, limits: Limits) -> Geometry | None:
    case_and_ending = case_name(path)
    ending = "" if case_and_ending is None else case_and_ending[1]
    if ending in (".nii", ".nii.gz"):
        return nifti.read_vector_header(path, limits).geometry
    if ending == ".mha":
        return metaimage.read_header(path, limits, vectors=True).geometry
    return nrrd.read_header(path, limits, vectors=True).geometry if ending == ".nrrd" else None


def checksum_of(array: NDArray[Any]) -> int:
    """Return a checksum of shape and values, independent of the order of the axes in memory."""
    return zlib.crc32(np.ascontiguousarray(array.T).data, zlib.crc32(repr(array.shape).encode()))


def features_of_values(values: NDArray[Any], shift: Shift = NO_SHIFT) -> dict[str, Any]:
    """Return what the questions about all cases need from an image of real numbers or a field, as JSON values.

    Returns
    -------
    dict
        ``checksum`` of shape and values, whether all values are the same (``constant``), and ``shift`` of the grid in
        voxels and in mm.

    Examples
    --------
    >>> features_of_values(np.zeros((2, 3)))["constant"]
    True
    """
    values = np.asarray(values)
    is_constant = bool(values.size == 0 or values.min() == values.max())
    return {"checksum": checksum_of(values), "constant": is_constant, "shift": shift_values(shift)}


def are_features_of_values(features: Mapping[str, Any]) -> bool:
    """Return whether values have the form of `features_of_values`; they come from a process that read an untrusted file.

    Examples
    --------
    >>> are_features_of_values({"checksum": 1, "constant": False, "shift": [0.0, 0.0]}), are_features_of_values({})
    (True, False)
    """
    if set(features) != {"checksum", "constant", "shift"}:
        return False
    checksum = features["checksum"]
    is_number = type(checksum) is int and checksum >= 0
    return is_number and isinstance(features["constant"], bool) and is_shift(features["shift"])


def questions_about_values(features: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, Issue]) -> list[Finding]:
    """Return questions and notes about images of real numbers or fields of all cases.

    Constant predictions, such as a field without any displacement, are not questioned.

    Parameters
    ----------
    features
        From `features_of_values`, of every case whose file can be read.
    reasons
        Reason why a file cannot be read, by case.
    """
    several = [each["checksum"] for each in features.values() if not each["constant"]]
    return [
        *same_faults(features, reasons),
        *identical_predictions(several, len(features)),
        *note_of_shifts(features),
    ]


def shift_values(shift: Shift) -> list[float]:
    """Return a shift as the values of the key ``shift`` of features."""
    return [float(shift.voxels), float(shift.millimetres)]


def is_shift(value: Any) -> bool:
    """Return whether a value has the form of `shift_values`.

    Examples
    --------
    >>> is_shift([0.25, 0.5]), is_shift([-1.0, 0.5]), is_shift("x")
    (True, False, False)
    """
    return isinstance(value, list) and len(value) == 2 and all(type(x) is float and 0 <= x < 1e9 for x in value)


def same_faults(features: Mapping[str, Any], reasons: Mapping[str, Issue]) -> list[Finding]:
    """Return the question about a fault that every file has."""
    kinds = {issue.kind for case, issue in reasons.items() if case}
    if features or len(kinds) != 1 or len(reasons) < 2:
        return []
    finding_id = _SAME_FAULTS.get(*kinds)
    return [finding(finding_id, total=len(reasons))] if finding_id else []


def identical_predictions(checksums: list[int], total: int) -> list[Finding]:
    """Return the question whether all predictions may be the same.

    Parameters
    ----------
    checksums
        Of the predictions with more than one value.
    total
        Number of all valid predictions.
    """
    are_same = len(checksums) >= _FEWEST_CASES and len(checksums) == total and len(set(checksums)) == 1
    return [finding("identical_predictions", total=total)] if are_same else []


def note_of_shifts(features: Mapping[str, Mapping[str, Any]]) -> list[Finding]:
    """Return the note on grids that are displaced by less than the rule of the task refuses."""
    shifts = {case: Shift(*each["shift"]) for case, each in features.items() if each["shift"][0] > 0}
    if not shifts:
        return []
    worst = max(shifts, key=lambda case: shifts[case].voxels)
    return [
        finding(
            "shifted_grid",
            count=len(shifts),
            total=len(features),
            shift=shifts[worst].words,
            case=worst,
            value=worst,
        )
    ]
