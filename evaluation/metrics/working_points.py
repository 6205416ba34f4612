"""One rate of a classifier where another meets its target, read off the curve of all thresholds.

All functions take the labels of the reference first and scores second, as those of `evaluation.metrics.thresholds` do. A
working point reports where a curve passes a target on these very cases; it is not a threshold that a deployed system would
have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.metrics.declaration import IMAGES, LABELS, OBJECTS, declare
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import (
    LEVEL,
    MATCHING,
    POSITIVE_CLASS,
    RULE,
    TARGET_SENSITIVITY,
)
from evaluation.metrics.thresholds import judge_scores

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.threshold_counts import Rule
    from evaluation.outcomes import Result


@declare(
    "Sensitivity at fixed Specificity",
    "Sens@Spec",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="working_point",
    needs="labels scores",
    options=(Option("target_specificity", "number", 0.9, "Minimum Specificity.", required=True), RULE, POSITIVE_CLASS),
    evidence="one_class",
)
def sensitivity_at_specificity(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_specificity: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Sensitivity at the threshold where Specificity meets its target.

    Parameters
    ----------
    reference, scores, positive_class, classes
        As for `auroc`.
    target_specificity
        Least Specificity, in [0, 1].
    rule
        ``tight``: the threshold that meets the target most narrowly, among equals the best reported value; ``best``: the
        best reported value of all that meet it; ``auto``: tight for Sensitivity and Specificity, which go one way along
        the thresholds, best for PPV and NPV, which zigzag. Nothing is interpolated.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` if no threshold meets the target, with the flag ``reference``
        if the metrics are undefined on these cases.

    Examples
    --------
    >>> sensitivity_at_specificity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_specificity=0.9).value
    0.5
    """
    return _at(
        reference,
        scores,
        reported="sensitivity",
        target="specificity",
        at_least=target_specificity,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


@declare(
    "Specificity at fixed Sensitivity",
    "Spec@Sens",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="working_point",
    needs="labels scores",
    options=(TARGET_SENSITIVITY, RULE, POSITIVE_CLASS),
    evidence="one_class",
)
def specificity_at_sensitivity(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_sensitivity: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Specificity at the threshold where Sensitivity meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> specificity_at_sensitivity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_sensitivity=0.9).value
    0.5
    """
    return _at(
        reference,
        scores,
        reported="specificity",
        target="sensitivity",
        at_least=target_sensitivity,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


@declare(
    "PPV at fixed Sensitivity",
    "PPV@Sens",
    categories=IMAGES + OBJECTS + LABELS,
    direction="higher",
    range=(0, 1),
    family="working_point",
    needs="labels scores",
    options=(TARGET_SENSITIVITY, RULE, POSITIVE_CLASS, LEVEL, *MATCHING),
    evidence="one_class",
    evidence_of_objects="curve",
)
def ppv_at_sensitivity(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_sensitivity: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """PPV at the threshold where Sensitivity meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> ppv_at_sensitivity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_sensitivity=0.5).value
    1.0
    """
    return _at(
        reference,
        scores,
        reported="ppv",
        target="sensitivity",
        at_least=target_sensitivity,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


@declare(
    "NPV at fixed Sensitivity",
    "NPV@Sens",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="working_point",
    needs="labels scores",
    options=(TARGET_SENSITIVITY, RULE, POSITIVE_CLASS),
    evidence="one_class",
)
def npv_at_sensitivity(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_sensitivity: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """NPV at the threshold where Sensitivity meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> npv_at_sensitivity([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_sensitivity=0.9).value
    1.0
    """
    return _at(
        reference,
        scores,
        reported="npv",
        target="sensitivity",
        at_least=target_sensitivity,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


@declare(
    "Sensitivity at fixed PPV",
    "Sens@PPV",
    categories=IMAGES + OBJECTS + LABELS,
    direction="higher",
    range=(0, 1),
    family="working_point",
    needs="labels scores",
    options=(
        Option("target_ppv", "number", 0.9, "Minimum PPV.", required=True),
        RULE,
        POSITIVE_CLASS,
        LEVEL,
        *MATCHING,
    ),
    evidence="one_class",
    evidence_of_objects="curve",
)
def sensitivity_at_ppv(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_ppv: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Sensitivity at the best threshold where PPV meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> sensitivity_at_ppv([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_ppv=0.6).value
    1.0
    """
    return _at(
        reference,
        scores,
        reported="sensitivity",
        target="ppv",
        at_least=target_ppv,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


@declare(
    "Sensitivity at fixed NPV",
    "Sens@NPV",
    categories=IMAGES + LABELS,
    direction="higher",
    range=(0, 1),
    family="working_point",
    needs="labels scores",
    options=(Option("target_npv", "number", 0.9, "Minimum NPV.", required=True), RULE, POSITIVE_CLASS),
    evidence="one_class",
)
def sensitivity_at_npv(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    target_npv: float,
    rule: Rule = "auto",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Sensitivity at the best threshold where NPV meets its target; see `sensitivity_at_specificity`.

    Examples
    --------
    >>> sensitivity_at_npv([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], target_npv=0.6).value
    1.0
    """
    return _at(
        reference,
        scores,
        reported="sensitivity",
        target="npv",
        at_least=target_npv,
        rule=rule,
        positive_class=positive_class,
        classes=classes,
    )


def _at(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    reported: str,
    target: str,
    at_least: float,
    rule: Rule,
    positive_class: Hashable | None,
    classes: Sequence[Hashable] | None,
) -> Result:
    if not 0 <= at_least <= 1:
        message = f"target_{target} is a number from 0 to 1, not {at_least}"
        raise ValueError(message)
    if rule not in ("auto", "tight", "best"):
        message = f"rule is auto, tight or best, not {rule!r}"
        raise ValueError(message)
    return judge_scores(
        f"{reported}_at_{target}",
        reference,
        scores,
        positive_class=positive_class,
        classes=classes,
        rule=rule,
        **{f"target_{target}": at_least},
    )
