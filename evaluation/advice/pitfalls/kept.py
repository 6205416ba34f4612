"""Scans as JSON for storage without the scanned files, and their description as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from evaluation.advice.pitfalls.scan import PredictionScan, ReferenceScan, RegionScan

POINTS: Final = 501
"""Maximum length of a stored list of numbers.

Longer lists are thinned to evenly spaced order statistics. Thinning preserves the quantiles and avoids storing a
million sizes.
"""
_FEW: Final = 5


def to_document(scan: ReferenceScan | PredictionScan) -> dict[str, Any]:
    """A scan as JSON values; long lists of numbers are thinned to `POINTS` order statistics.

    Examples
    --------
    >>> to_document(ReferenceScan(3, classes={"a": 1, "b": 2}))["classes"]
    {'a': 1, 'b': 2}
    """
    thinned: dict[str, Any] = _thinned(asdict(scan))
    return thinned


def references_from(document: Mapping[str, Any]) -> ReferenceScan:
    """A scan of references from what `to_document` made."""
    regions = {
        name: RegionScan(**{key: _frozen(value) for key, value in region.items()})
        for name, region in document["regions"].items()
    }
    return ReferenceScan(
        cases=document["cases"],
        regions=regions,
        classes=document["classes"],
        spacings=tuple(tuple(spacing) for spacing in document["spacings"]),
        dimensions=document["dimensions"],
        foreground=tuple(document["foreground"]),
        groups=document["groups"],
    )


def predictions_from(document: Mapping[str, Any]) -> PredictionScan:
    """A scan of predictions from what `to_document` made."""
    return PredictionScan(
        name=document["name"],
        missing=tuple(document["missing"]),
        **{
            part: {name: tuple(values) for name, values in document[part].items()}
            for part in ("empty", "size_ratios", "holes")
        },
    )


def described(scan: ReferenceScan) -> list[str]:
    """Return the findings in references as sentences.

    Examples
    --------
    >>> described(ReferenceScan(3, classes={"a": 1, "b": 2}))
    ['3 cases.', 'Classes: a 1, b 2; the most frequent is 2 times as frequent as the rarest.']
    """
    lines = [f"{scan.cases:,} cases{_volumes(scan)}."]
    if scan.classes:
        counts = ", ".join(f"{name} {number:,}" for name, number in scan.classes.items())
        ratio = max(scan.classes.values()) / min(scan.classes.values())
        lines.append(f"Classes: {counts}; the most frequent is {ratio:.3g} times as frequent as the rarest.")
    lines += [_region(region, scan.cases) for region in scan.regions.values()]
    if scan.foreground:
        lines.append(f"Half of the cases have at most {np.median(scan.foreground):.2%} foreground.")
    for name, groups in scan.groups.items():
        if 1 < len(groups) < scan.cases:
            largest = max(groups, key=lambda key: groups[key])
            lines.append(
                f"Column {name}: {len(groups)} groups, the largest ({largest}) with {groups[largest]:,} cases."
            )
    return lines


def _volumes(scan: ReferenceScan) -> str:
    if not scan.spacings:
        return ""
    if len(scan.spacings) > 1:
        return f" with {scan.dimensions} axes and {len(scan.spacings)} different voxel sizes"
    sizes = scan.spacings[0]
    uneven = max(sizes) / min(sizes)
    words = f" with {scan.dimensions} axes, voxels of {' × '.join(f'{size:g}' for size in sizes)}"
    unit = " mm" if set(sizes) != {1.0} else ""
    return f"{words}{unit} ({uneven:.3g} times longer than wide)" if uneven > 1 else f"{words}{unit}"


def _region(region: RegionScan, cases: int) -> str:
    words = [f"in {cases - len(region.empty):,} of {cases:,} cases"]
    if region.components:
        middle, most = np.median(region.components), max(region.components)
        words.append("one piece each" if most == 1 else f"mostly {middle:g} pieces or fewer, at most {most:,}")
    if region.piece_sizes:
        small, usual, large = (region.quantile("piece_sizes", share) for share in (0.05, 0.5, 0.95))
        words.append(f"pieces of {small:,.0f} to {large:,.0f} (half at most {usual:,.0f}) voxels")
    if region.strays:
        words.append(f"stray specks in {_some(region.strays)}")
    if region.touching:
        words.append(f"touching objects in {len(region.touching):,} cases")
    return f"{region.name}: {'; '.join(words)}."


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _FEW} more" if len(names) > _FEW else ""
    return ", ".join(names[:_FEW]) + more


def _thinned(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _thinned(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        if len(value) > POINTS and all(isinstance(entry, (int, float)) for entry in value):
            ordered = np.sort(np.asarray(value))
            quantiles = ordered[np.linspace(0, len(ordered) - 1, POINTS).round().astype(int)]
            return [entry.item() for entry in quantiles]
        return [_thinned(entry) for entry in value]
    return value


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
