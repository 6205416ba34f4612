"""Sanity of a test set before it is sealed: outliers of grids, labels, volumes and intensities, and identical files."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.test_set_quality.facts import CaseFacts, measure_case
from evaluation.test_set_quality.findings import Finding, by_severity

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

OUTLIER: Final = 5.0
"""Distance from the median, in robust standard deviations, from which a value is an outlier."""
FEWEST: Final = 8
"""Fewest cases from which outliers are looked for."""
USUAL: Final = 0.9
"""Share of cases from which a label is expected."""
RARE: Final = 0.1
"""Share of cases up to which a label is rare."""
_SPACING: Final = 0.01
_LEAST_SPREAD: Final = 0.05
"""Smallest robust standard deviation of log volumes and of relative intensities."""


def check_folders(
    references: Path,
    images: Path | None = None,
    *,
    allowed_labels: Collection[int] | None = None,
    instances: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> list[Finding]:
    """Check the references, and the images if given, of a test set.

    Parameters
    ----------
    references, images
        Folders with one file per case.
    allowed_labels
        Labels of the task in addition to 0; all if ``None``.
    instances
        Whether labels are numbers of objects.
    progress
        Receives the number of cases that are done, and of all cases.

    Raises
    ------
    ReadError
        If a folder does not exist, or two files belong to one case.
    """
    from evaluation.problems.folders import find_cases
    from evaluation.test_set_quality.folders import image_files

    label_files = find_cases(references, takes_folders=True)
    pictures = image_files(images) if images is not None else {}
    names = sorted({*label_files, *pictures})
    facts = []
    for number, case in enumerate(names, start=1):
        facts.append(measure_case(case, label_files.get(case), pictures.get(case), instances=instances))
        if progress is not None:
            progress(number, len(names))
    missing = [
        Finding("image_missing", case, label_files[case].name)
        for case in names
        if images is not None and case in label_files and case not in pictures
    ]
    return by_severity([*missing, *check(facts, allowed_labels=None if instances else allowed_labels)])


def check(facts: Sequence[CaseFacts], *, allowed_labels: Collection[int] | None = None) -> list[Finding]:
    """Return the findings about a test set, in the order of the rules.

    Parameters
    ----------
    facts
        Facts of all cases.
    allowed_labels
        Labels of the task in addition to 0; all if ``None``.

    Notes
    -----
    A value is an outlier if it differs from the median by more than `OUTLIER` robust standard deviations (1.4826 times the
    median absolute deviation). Outliers are looked for from `FEWEST` cases on.
    """
    problems = [Finding(key, item.case, text) for item in facts for key, text in item.problems]
    parts = (_grids(facts), _labels(facts, allowed_labels), _volumes(facts), _intensities(facts), _same(facts))
    return by_severity([*problems, *(finding for part in parts for finding in part)])


def _grids(facts: Sequence[CaseFacts]) -> Iterator[Finding]:
    grids = {item.case: item.geometry for item in facts if item.geometry is not None}
    yield from _uncommon("orientation", {case: orientation(grid.affine) for case, grid in grids.items()})
    if len(grids) >= FEWEST:
        for axes in {len(grid.shape) for grid in grids.values()}:
            same = {case: grid for case, grid in grids.items() if len(grid.shape) == axes}
            spacings = {case: np.log(grid.spacing) for case, grid in same.items() if grid.spacing}
            for case, score in _outliers(spacings, least=_SPACING).items():
                text = " × ".join(f"{edge:.4g}" for edge in grids[case].spacing_or_unit)
                yield Finding("spacing", case, f"{text} mm, {score:.0f} robust standard deviations from the median")
            shapes = {case: np.log(grid.shape) for case, grid in same.items()}
            for case, score in _outliers(shapes, least=_LEAST_SPREAD).items():
                text = " × ".join(str(length) for length in grids[case].shape)
                yield Finding("shape", case, f"{text} voxels, {score:.0f} robust standard deviations from the median")


def orientation(affine: Sequence[Sequence[float]] | None) -> str:
    """Return the anatomical direction of each axis, for example ``RAS``; empty without an affine matrix.

    Examples
    --------
    >>> orientation(((-1, 0, 0, 0), (0, -1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)))
    'LPS'
    """
    if affine is None:
        return ""
    matrix = np.asarray(affine, dtype=float)[:3, :3]
    letters = ""
    for column in matrix.T:
        axis = int(np.argmax(np.abs(column)))
        letters += ("RAS" if column[axis] >= 0 else "LPI")[axis]
    return letters


def _uncommon(key: str, values: Mapping[str, str]) -> Iterator[Finding]:
    """Return the cases that differ from what at least `USUAL` of the cases have in common."""
    counts = Counter(values.values())
    if len(counts) < 2:
        return
    common, count = counts.most_common(1)[0]
    for case, value in values.items():
        if value != common and count >= USUAL * len(values):
            yield Finding(key, case, f"{value or 'no orientation'}; {count} of {len(values)} cases: {common or 'none'}")


def _labels(facts: Sequence[CaseFacts], allowed: Collection[int] | None) -> Iterator[Finding]:
    readable = [item for item in facts if item.geometry is not None]
    counts = Counter(label for item in readable for label in item.labels)
    # An empty reference lacks every label; it is one finding and does not make labels rare.
    labelled = sum(bool(item.labels) for item in readable)
    for item in readable:
        if not item.labels:
            yield Finding("empty_reference", item.case, "no voxel has a label")
        for label, count in counts.items():
            share = count / labelled
            text = f"in {count} of {labelled} cases with labels"
            if label not in item.labels:
                if item.labels and share >= USUAL:
                    yield Finding("label_missing", item.case, f"label {label} occurs {text}", str(label))
            elif allowed is not None and label not in allowed:
                yield Finding("label_unknown", item.case, f"{item.labels[label].voxels} voxels", str(label))
            elif allowed is None and share <= RARE and len(readable) >= FEWEST:
                yield Finding("label_rare", item.case, f"label {label} occurs {text}", str(label))
        for label, values in item.labels.items():
            if values.tiny_components:
                text = f"{values.tiny_components} of {values.components} components"
                yield Finding("tiny_components", item.case, text, str(label))
            if values.tiny_holes:
                yield Finding("holes", item.case, f"{values.tiny_holes} small holes", str(label))


def _volumes(facts: Sequence[CaseFacts]) -> Iterator[Finding]:
    volumes: dict[int, dict[str, NDArray[np.float64]]] = defaultdict(dict)
    for item in facts:
        for label, values in item.labels.items():
            volumes[label][item.case] = np.log([values.volume])
    for label, by_case in sorted(volumes.items()):
        middle = float(np.exp(np.median([value[0] for value in by_case.values()])))
        for case in _outliers(by_case, least=_LEAST_SPREAD):
            volume = float(np.exp(by_case[case][0]))
            yield Finding("volume", case, f"{volume:.4g} mm³, {volume / middle:.2g} times the median", str(label))


def _intensities(facts: Sequence[CaseFacts]) -> Iterator[Finding]:
    ranges = {item.case: item.percentiles for item in facts if item.percentiles is not None}
    for case, values in ranges.items():
        if values[0] == values[-1]:
            yield Finding("constant_image", case, f"all voxels are {values[0]:.4g}")
    varied = {case: values for case, values in ranges.items() if values[0] != values[-1]}
    if len(varied) < FEWEST:
        return
    # Low end, middle and high end without the most extreme voxels, relative to the usual range.
    inner = {case: np.asarray(values[1:4]) for case, values in varied.items()}
    width = float(np.median([values[2] - values[0] for values in inner.values()])) or 1.0
    for case in _outliers({case: values / width for case, values in inner.items()}, least=_LEAST_SPREAD):
        low, middle, high = inner[case]
        yield Finding("intensity", case, f"1 %, 50 % and 99 % of the voxels: {low:.4g}, {middle:.4g}, {high:.4g}")


def _same(facts: Sequence[CaseFacts]) -> Iterator[Finding]:
    for key, name in (("same_reference", "reference_digest"), ("same_image", "image_digest")):
        groups: dict[str, list[str]] = defaultdict(list)
        for item in facts:
            if getattr(item, name):
                groups[getattr(item, name)].append(item.case)
        for cases in groups.values():
            if len(cases) > 1:
                for case in cases:
                    others = tuple(other for other in cases if other != case)
                    yield Finding(key, case, f"the same in {', '.join(others)}", others=others)


def _outliers(values: Mapping[str, NDArray[np.float64]], *, least: float) -> dict[str, float]:
    """Return the cases with an outlying value, with the largest distance in robust standard deviations."""
    if len(values) < FEWEST:
        return {}
    table = np.array(list(values.values()))
    middle = np.median(table, axis=0)
    spread = np.maximum(1.4826 * np.median(np.abs(table - middle), axis=0), least)
    scores = (np.abs(table - middle) / spread).max(axis=1)
    return {case: float(score) for case, score in zip(values, scores, strict=True) if score > OUTLIER}
