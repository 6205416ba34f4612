"""Plausibility of label images over all cases: what single files cannot show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.checking.grids import (
    checksum_of,
    identical_predictions,
    is_shift,
    note_of_shifts,
    same_faults,
    shift_values,
)
from evaluation.checking.sentences import finding
from evaluation.readers.labels import labels_present

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.checking.findings import Finding
    from evaluation.readers import Issue, LabelImage

_LABELS_KEPT: Final = 64


def features_of(image: LabelImage, *, objects: bool = False) -> dict[str, Any]:
    """Return what the questions about all cases need from one label image, as JSON values.

    Parameters
    ----------
    image
        A prediction.
    objects
        True if each label is an object, so that the pieces of a single one are counted.

    Returns
    -------
    dict
        ``checksum`` of shape and labels, the first ``labels`` that occur, ``pieces`` of the only object (0 if there are
        none or several), and ``shift`` of the grid in voxels and in mm.
    """
    labels = [int(label) for label in labels_present(image.labels)[: _LABELS_KEPT + 1]]
    pieces = 0
    if objects and len(set(labels) - {0}) == 1:
        from scipy import ndimage

        structure = np.ones((3,) * image.labels.ndim)
        pieces = int(ndimage.label(image.labels != 0, structure=structure)[1])
    return {
        "checksum": checksum_of(image.labels),
        "labels": labels,
        "pieces": pieces,
        "shift": shift_values(image.shift),
    }


def are_features(features: Mapping[str, Any]) -> bool:
    """Return whether values have the form of `features_of`.

    Examples
    --------
    >>> are_features({"checksum": 1, "labels": [0, 1], "pieces": 0, "shift": [0.0, 0.0]}), are_features({"labels": "x"})
    (True, False)
    """
    if set(features) != {"checksum", "labels", "pieces", "shift"}:
        return False
    labels = features["labels"]
    if not isinstance(labels, list):
        return False
    whole = [features["checksum"], features["pieces"], *labels]
    has_whole_numbers = all(type(number) is int and number >= 0 for number in whole)
    return has_whole_numbers and is_shift(features["shift"]) and len(labels) <= _LABELS_KEPT + 1


def questions(
    features: Mapping[str, Mapping[str, Any]], reasons: Mapping[str, Issue], *, objects: bool = False
) -> list[Finding]:
    """Return questions and notes about the predictions of all cases.

    Neither empty predictions nor one label everywhere are questioned: both can be right.

    Parameters
    ----------
    features
        From `features_of`, of every case whose file can be read.
    reasons
        Reason why a file cannot be read, by case.
    objects
        True if each label is an object.
    """
    several = [each["checksum"] for each in features.values() if len(each["labels"]) > 1]
    return [
        *same_faults(features, reasons),
        *(_single_objects(features) if objects else _background(features)),
        *identical_predictions(several, len(features)),
        *note_of_shifts(features),
    ]


def _single_objects(features: Mapping[str, Mapping[str, Any]]) -> list[Finding]:
    """One object in several pieces in most label maps, and never two objects: perhaps a semantic mask."""
    filled = {case: each for case, each in features.items() if set(each["labels"]) - {0}}
    broken = {case: each for case, each in filled.items() if each["pieces"] > 1}
    if not broken or any(len(set(each["labels"]) - {0}) > 1 for each in filled.values()):
        return []
    if 2 * len(broken) <= len(filled):
        return []
    first = min(broken)
    return [
        finding(
            "one_object_in_pieces", count=len(broken), total=len(features), pieces=broken[first]["pieces"], case=first
        )
    ]


def _background(features: Mapping[str, Mapping[str, Any]]) -> list[Finding]:
    """No background in any file, and several labels in each: perhaps all labels are one too high."""
    label_sets = [set(each["labels"]) for each in features.values()]
    if not label_sets or any(0 in labels or len(labels) < 2 for labels in label_sets):
        return []
    labels = ", ".join(str(label) for label in sorted(set().union(*label_sets))[:8])
    return [finding("no_background", total=len(features), value=labels)]
