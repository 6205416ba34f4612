"""Calibration: whether scores can be read as probabilities.

All functions take the labels of the reference first and scores second: ``(N,)`` for the positive of two classes (for
objects: whether each was matched, and its score) or ``(N, C)`` with rows that sum to 1. ``classes`` names all classes in
order; by default those that occur, ascending, and 0 and 1 if no others occur. They return value and outcome;
``degenerate`` with the flag ``reference`` if the cases are too few for a value, and raise `ValueError` for arrays that do
not fit and scores that are no probabilities.

Three notions differ in strictness: of the winning score alone (top-label), of the score of each class (class-wise), and of
the whole vector (canonical). Reference: M. Widmann et al., "Calibration tests in multi-class classification", NeurIPS
(2019); T. Popordanoska et al., "A consistent and differentiable Lp canonical calibration error estimator", NeurIPS (2022).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluation.metrics.calibration_scores import CALIBRATION, class_calibration_error
from evaluation.metrics.declaration import IMAGES, LABELS, OBJECTS, declare
from evaluation.metrics.options import Option
from evaluation.metrics.samples import make_samples
from evaluation.metrics.shared_options import BINS, CALIBRATION_TARGET, NOT_FOR_OBJECTS

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.calibration_bins import BinEdge, Binning
    from evaluation.outcomes import Result


def _judge(
    metric: str, reference: ArrayLike, scores: ArrayLike, classes: Sequence[Hashable] | None, **options: Any
) -> Result:
    samples = make_samples(reference, np.asarray(scores, dtype=np.float64), classes=classes, decided=False)
    return CALIBRATION[metric](samples, None, **options).result()


def _check_bins(n_bins: int, binning: Binning, bin_edge: BinEdge) -> dict[str, Any]:
    if n_bins < 1:
        message = f"n_bins is a whole number from 1 on, not {n_bins}"
        raise ValueError(message)
    if binning not in ("equal_width", "equal_mass"):
        message = f"binning is equal_width or equal_mass, not {binning!r}"
        raise ValueError(message)
    if bin_edge not in ("right_closed", "left_closed"):
        message = f"bin_edge is right_closed or left_closed, not {bin_edge!r}"
        raise ValueError(message)
    return {"n_bins": n_bins, "binning": binning, "bin_edge": bin_edge}


@declare(
    "Expected Calibration Error",
    "ECE",
    categories=IMAGES + OBJECTS + LABELS,
    direction="lower",
    range=(0, 1),
    family="calibration",
    needs="labels scores",
    options=(
        *BINS,
        Option(
            "target",
            "enum",
            "top_label",
            "top_label uses the winning score; positive_class uses the score of the positive class (binary only).",
            choices=("top_label", "positive_class"),
        ),
    ),
    evidence="calibration",
)
def ece(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    target: Literal["top_label", "positive_class"] = "top_label",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Expected calibration error: mean gap between winning score and share of correct decisions over bins.

    Parameters
    ----------
    reference, scores, classes
        As described in the module.
    n_bins
        Number of bins over [0, 1].
    binning
        ``equal_width``, or ``equal_mass`` with numbers of cases per bin as equal as ties allow.
    bin_edge
        The end of a bin that belongs to it; the lowest bin always contains 0, and the highest 1.
    target
        ``top_label``: the winning score and whether its class is correct; ``positive_class``: of two classes, the score
        of the positive class and whether the case is positive.

    Returns
    -------
    Result
        Value in [0, 1], lower is better.

    Examples
    --------
    >>> ece([1, 1, 0, 0], [0.75, 0.75, 0.75, 0.25], n_bins=2).value
    0.0
    """
    return _judge("ece", reference, scores, classes, **_check_bins(n_bins, binning, bin_edge), target=target)


@declare(
    "Maximum Calibration Error",
    "MCE",
    categories=IMAGES + OBJECTS,
    direction="lower",
    range=(0, 1),
    family="calibration",
    needs="labels scores",
    options=(*BINS, CALIBRATION_TARGET),
    evidence="calibration",
)
def mce(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    target: Literal["top_label", "positive_class"] = "top_label",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Maximum calibration error: the greatest gap of the bins that hold a case; see `ece`.

    Examples
    --------
    >>> mce([1, 0], [0.75, 0.75], n_bins=2).value
    0.25
    """
    return _judge("mce", reference, scores, classes, **_check_bins(n_bins, binning, bin_edge), target=target)


@declare(
    "Top-label Calibration Error",
    "TCE",
    categories=IMAGES + OBJECTS,
    direction="lower",
    range=(0, 1),
    family="calibration",
    needs="labels scores",
    options=(*BINS, CALIBRATION_TARGET),
    evidence="calibration",
)
def tce(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    target: Literal["top_label", "positive_class"] = "top_label",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Top-label calibration error: the root of the mean squared gap over bins; see `ece`, which it is never below.

    Examples
    --------
    >>> tce([1, 1, 1, 0], [1.0, 1.0, 1.0, 0.0], n_bins=2).value
    0.0
    """
    return _judge("tce", reference, scores, classes, **_check_bins(n_bins, binning, bin_edge), target=target)


@declare(
    "Class-wise Calibration Error",
    "CWCE",
    categories=IMAGES + OBJECTS,
    direction="lower",
    range=(0, 1),
    family="calibration",
    needs="labels scores",
    options=(
        *BINS,
        Option(
            "norm",
            "enum",
            "l2",
            "l2 follows the seed; l1 is the static-calibration-error variant.",
            choices=("l2", "l1"),
        ),
        Option(
            "class_weights",
            "array",
            "uniform",
            "Weights w_k, summing to 1; uniform is 1/K.",
            accepted=NOT_FOR_OBJECTS,
        ),
        Option(
            "report",
            "enum",
            "per_class_and_overall",
            "What is stored.",
            choices=("overall", "per_class", "per_class_and_overall"),
            accepted=NOT_FOR_OBJECTS,
        ),
    ),
    evidence="calibration",
)
def cwce(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    n_bins: int = 15,
    binning: Binning = "equal_width",
    bin_edge: BinEdge = "right_closed",
    norm: Literal["l2", "l1"] = "l2",
    class_weights: ArrayLike | Literal["uniform"] = "uniform",
    positive_class: Hashable | None = None,
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Class-wise calibration error: the gaps of every class's own scores, over bins and classes.

    Parameters
    ----------
    reference, scores, classes, n_bins, binning, bin_edge
        As for `ece`.
    norm
        ``l2``: root of the weighted mean of squared gaps; ``l1``: weighted mean of gaps.
    class_weights
        ``uniform``, or one number a class, summing to 1.
    positive_class
        If given, the error of this class alone.

    Returns
    -------
    Result
        Value in [0, 1], lower is better.

    Examples
    --------
    >>> cwce([0, 1], [0.0, 1.0]).value
    0.0
    """
    bins = _check_bins(n_bins, binning, bin_edge)
    if norm not in ("l2", "l1"):
        message = f"norm is l2 or l1, not {norm!r}"
        raise ValueError(message)
    if positive_class is None:
        return _judge("cwce", reference, scores, classes, **bins, norm=norm, class_weights=class_weights)
    samples = make_samples(reference, np.asarray(scores, dtype=np.float64), classes=classes, decided=False)
    return class_calibration_error(samples, samples.codes([positive_class]), None, **bins, norm=norm).result()


@declare(
    "Kernel Calibration Error",
    "KCE",
    categories=IMAGES + OBJECTS,
    direction="lower",
    range=(None, None),
    family="calibration",
    needs="labels scores",
    options=(
        Option(
            "estimator",
            "enum",
            "skce_unbiased",
            "skce_unbiased estimates the squared error and may be negative; skce_biased is non-negative; kce_biased is its square root.",
            choices=("skce_unbiased", "skce_biased", "kce_biased"),
        ),
        Option(
            "kernel",
            "enum",
            "laplacian",
            "Scalar kernel, multiplied by the identity matrix.",
            choices=("laplacian", "gaussian"),
        ),
        Option(
            "bandwidth",
            "number|string",
            "median",
            "Kernel width; median is the median pairwise distance of the score vectors.",
        ),
    ),
    evidence="calibration",
)
def kce(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    estimator: Literal["skce_unbiased", "skce_biased", "kce_biased"] = "skce_unbiased",
    kernel: Literal["laplacian", "gaussian"] = "laplacian",
    bandwidth: float | Literal["median"] = "median",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Kernel calibration error: the agreement in direction of errors of similar score vectors.

    It is canonical and uses no bins.

    Parameters
    ----------
    reference, scores, classes
        As described in the module; at most 50,000 cases.
    estimator
        ``skce_unbiased`` estimates the squared error without bias and may be negative; ``skce_biased`` is not;
        ``kce_biased`` is its root.
    kernel
        ``laplacian``, exp(-d/ν), or ``gaussian``, exp(-d²/2ν²), of the distance d, times the identity matrix.
    bandwidth
        ν, or ``median`` for the median distance of all pairs (1 if that is 0). A leaderboard is fairer with one fixed
        number.

    Returns
    -------
    Result
        Lower is better; good for comparisons only.

    Examples
    --------
    >>> kce([0, 1, 1], [0.0, 1.0, 1.0]).value
    0.0
    """
    if estimator not in ("skce_unbiased", "skce_biased", "kce_biased") or kernel not in ("laplacian", "gaussian"):
        message = f"no estimator {estimator!r} with a kernel {kernel!r}"
        raise ValueError(message)
    _check_bandwidth(bandwidth, "median")
    return _judge("kce", reference, scores, classes, estimator=estimator, kernel=kernel, bandwidth=bandwidth)


@declare(
    "Expected Calibration Error Kernel Density Estimate",
    "ECE_KDE",
    categories=IMAGES + OBJECTS,
    direction="lower",
    range=(0, 2),
    family="calibration",
    needs="labels scores",
    options=(
        Option(
            "bandwidth",
            "number|string",
            "auto",
            "Dirichlet/beta kernel width h; auto maximises the leave-one-out likelihood over a logarithmic grid and is stored with the result.",
        ),
        Option("norm", "enum", "l1", "Norm of the difference vector in the multi-class form.", choices=("l1", "l2")),
    ),
    evidence="calibration",
)
def ece_kde(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    bandwidth: float | Literal["auto"] = "auto",
    norm: Literal["l1", "l2"] = "l1",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Calibration error against a kernel density estimate of the truth around every score vector; canonical.

    Parameters
    ----------
    reference, scores, classes
        As described in the module; at most 50,000 cases.
    bandwidth
        Width of the Dirichlet kernel (beta for two classes), or ``auto`` for the most likely width of a grid.
    norm
        Norm of the difference vector; for two classes, of the positive class alone.

    Returns
    -------
    Result
        Value in [0, 1] for two classes, else in [0, 2] (``l1``) or [0, √2]; lower is better, 0 is perfect. Every case
        is excluded from its own estimate.

    Examples
    --------
    >>> round(ece_kde([1, 1, 0, 0], [1.0, 1.0, 0.0, 0.0], bandwidth=0.1).value, 3)
    0.0
    """
    if norm not in ("l1", "l2"):
        message = f"norm is l1 or l2, not {norm!r}"
        raise ValueError(message)
    _check_bandwidth(bandwidth, "auto")
    return _judge("ece_kde", reference, scores, classes, bandwidth=bandwidth, norm=norm)


def _check_bandwidth(bandwidth: float | str, word: str) -> None:
    if bandwidth != word and not (isinstance(bandwidth, (int, float)) and 0 < bandwidth < np.inf):
        message = f"bandwidth is {word} or a number above 0, not {bandwidth!r}"
        raise ValueError(message)
