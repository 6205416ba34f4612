"""In which groups of cases are errors large? Of the characteristic in which the groups differ most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.figures.boxes import beside
from evaluation.figures.layout import Figure, number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.metrics.values import FloatArray

_MOST_GROUPS: Final = 12
"""Maximum number of groups with boxes; the largest groups are shown."""


def error_groups(
    document: Mapping[str, object],
    errors: Mapping[str, Mapping[str, float]],
    groups: Mapping[str, Mapping[str, str]],
    *,
    signed: bool,
    unit: str,
    most: int,
) -> Figure | None:
    """Draw errors of the first algorithms in each group of cases.

    Parameters
    ----------
    errors
        Errors by algorithm, the best first, and case.
    groups
        Group of each case, by characteristic.
    signed
        Whether errors have a direction.

    Returns
    -------
    dict or None
        ``None`` if no characteristic forms two groups of cases with errors.
    """
    apart = {title: _mean_sizes(errors, of_case) for title, of_case in groups.items()}
    apart = {title: means for title, means in apart.items() if len(means) > 1}
    if not apart:
        return None
    title = max(apart, key=lambda name: max(apart[name].values()) - min(apart[name].values()))
    of_case = groups[title]
    sizes = {label: sum(group == label for group in of_case.values()) for label in dict.fromkeys(of_case.values())}
    largest_groups = sorted(sorted(sizes, key=lambda label: -sizes[label])[:_MOST_GROUPS])
    named = {label: f"{label} ({sizes[label]})" for label in largest_groups}
    values: dict[str, dict[str, FloatArray]] = {
        name: {
            named[label]: np.array(
                [error for case, error in case_errors.items() if of_case.get(case) == label], dtype=float
            )
            for label in largest_groups
        }
        for name, case_errors in errors.items()
    }
    what = "Prediction − reference" if signed else "Absolute error"
    plot = beside(
        document,
        values,
        f"In which groups of cases are the errors large? {title}",
        x=f"{title} (cases)",
        y={"title": f"{what} ({unit})" if unit else what} | ({} if signed else {"rangemode": "tozero"}),
        most=most,
        zero=signed,
    )
    if plot is None:
        return None
    return {**plot, "remarks": [*plot["remarks"], *_remarks(values, len(groups), len(sizes), unit, most)]}


def _mean_sizes(errors: Mapping[str, Mapping[str, float]], of_case: Mapping[str, str]) -> dict[str, float]:
    """Mean size of the errors of all algorithms in each group."""
    sizes_by_group: dict[str, list[float]] = {}
    for case_errors in errors.values():
        for case, error in case_errors.items():
            if case in of_case:
                sizes_by_group.setdefault(of_case[case], []).append(abs(error))
    return {label: float(np.mean(sizes)) for label, sizes in sizes_by_group.items()}


def _remarks(
    values: Mapping[str, Mapping[str, FloatArray]], looked_at: int, number_of_groups: int, unit: str, most: int
) -> list[str]:
    remarks = []
    if looked_at > 1:
        remarks.append(
            f"{looked_at} characteristics were looked at; this is the one whose groups differ most in their mean error."
        )
    if number_of_groups > _MOST_GROUPS:
        remarks.append(f"Shown are the {_MOST_GROUPS} largest of {number_of_groups} groups.")
    behind = f" {unit}" if unit else ""
    for name, group_errors in list(values.items())[:most]:
        means = {label: float(np.mean(np.abs(errors))) for label, errors in group_errors.items() if len(errors)}
        if len(means) < 2:
            continue
        largest, smallest = max(means, key=lambda label: means[label]), min(means, key=lambda label: means[label])
        remarks.append(
            f"{name}: mean size of the error {number(means[largest])}{behind} in {largest}, the largest, and "
            f"{number(means[smallest])}{behind} in {smallest}, the smallest."
        )
    return remarks
