"""Proper scores: calibration and discrimination together, best for the true probabilities.

Reference, scores, classes and errors are those of `evaluation.metrics.calibration`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluation.metrics.calibration_scores import CALIBRATION
from evaluation.metrics.declaration import IMAGES, LABELS, OBJECTS, declare
from evaluation.metrics.options import Option
from evaluation.metrics.samples import make_samples
from evaluation.metrics.shared_options import TASK_FORM

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

    from evaluation.metrics.calibration_scores import TaskForm
    from evaluation.outcomes import Result


def _judge(
    metric: str, reference: ArrayLike, scores: ArrayLike, classes: Sequence[Hashable] | None, **options: Any
) -> Result:
    samples = make_samples(reference, np.asarray(scores, dtype=np.float64), classes=classes, decided=False)
    return CALIBRATION[metric](samples, None, **options).result()


@declare(
    "Brier Score",
    "BS",
    categories=IMAGES + OBJECTS + LABELS,
    direction="lower",
    range=(0, 2),
    family="calibration",
    needs="labels scores",
    options=(
        TASK_FORM,
        Option(
            "scaling",
            "enum",
            "as_defined",
            "as_defined: binary range [0,1], multi-class vector form range [0,2]; halved: vector form divided by two.",
            choices=("as_defined", "halved"),
        ),
    ),
    evidence="calibration",
)
def brier_score(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    task_form: TaskForm = "auto",
    scaling: Literal["as_defined", "halved"] = "as_defined",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Brier score, the mean squared difference of score and truth: calibration and discrimination together.

    Parameters
    ----------
    reference, scores, classes
        As described in the module.
    task_form
        ``binary``: score of the positive class alone; ``multiclass``: summed over the vector, twice the binary form
        for two classes; ``auto``: by the number of classes.
    scaling
        ``halved`` divides the vector form by two.

    Returns
    -------
    Result
        Value in [0, 1] (binary) or [0, 2], lower is better.

    Examples
    --------
    >>> brier_score([1, 0], [0.75, 0.25])
    Result(value=0.0625, outcome=<Outcome.OK: 'ok'>)
    """
    return _judge("brier_score", reference, scores, classes, task_form=task_form, scaling=scaling)


@declare(
    "Brier Skill Score",
    "BSS",
    categories=IMAGES + OBJECTS,
    direction="higher",
    range=(None, 1),
    family="calibration",
    needs="labels scores",
    options=(
        TASK_FORM,
        Option(
            "baseline_priors",
            "enum|array",
            "dataset",
            "Constant forecast used as baseline.",
            choices=("dataset", "custom"),
        ),
    ),
    evidence="calibration",
)
def brier_skill_score(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    task_form: TaskForm = "auto",
    baseline_priors: ArrayLike | Literal["dataset"] = "dataset",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Brier skill score, 1 minus the Brier score over that of a constant forecast.

    Parameters
    ----------
    reference, scores, classes, task_form
        As for `brier_score`.
    baseline_priors
        The constant forecast: the frequencies of the data set, or one number a class.

    Returns
    -------
    Result
        Value in (-inf, 1], higher is better, 0 for the forecast itself; ``degenerate`` with the flag ``reference`` if
        that forecast is perfect.

    Examples
    --------
    >>> brier_skill_score([1, 0], [0.75, 0.25]).value
    0.75
    """
    return _judge("brier_skill_score", reference, scores, classes, task_form=task_form, baseline_priors=baseline_priors)


@declare(
    "Root Brier Score",
    "RBS",
    categories=IMAGES + OBJECTS,
    direction="lower",
    range=(0, 2**0.5),
    family="calibration",
    needs="labels scores",
    options=(TASK_FORM,),
    evidence="calibration",
)
def root_brier_score(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    task_form: TaskForm = "auto",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Root of the Brier score: an upper bound of the canonical calibration error.

    Parameters are those of `brier_score`; value in [0, 1] (binary) or [0, √2], lower is better.

    Examples
    --------
    >>> root_brier_score([1, 0], [0.75, 0.25]).value
    0.25
    """
    return _judge("root_brier_score", reference, scores, classes, task_form=task_form)


@declare(
    "Negative Log Likelihood",
    "NLL",
    categories=IMAGES + LABELS,
    direction="lower",
    range=(0, None),
    family="calibration",
    needs="labels scores",
    options=(
        Option("epsilon", "number", 1e-15, "Scores are clipped to [epsilon, 1 - epsilon].", exclusive_minimum=0),
        Option("log_base", "enum", "e", "Logarithm base.", choices=("e", "2")),
    ),
    evidence="calibration",
)
def nll(
    reference: ArrayLike,
    scores: ArrayLike,
    *,
    epsilon: float = 1e-15,
    log_base: Literal["e", "2"] = "e",
    classes: Sequence[Hashable] | None = None,
) -> Result:
    """Negative log likelihood (log loss): the mean of minus the logarithm of the true class's score.

    Parameters
    ----------
    reference, scores, classes
        As described in the module.
    epsilon
        Scores are clipped to [epsilon, 1 - epsilon]. This prevents an infinite value for one certain error.
    log_base
        ``e`` or ``2``.

    Returns
    -------
    Result
        Value in [0, inf), lower is better.

    Examples
    --------
    >>> nll([1, 0], [0.5, 0.5], log_base="2").value
    1.0
    """
    if not 0 < epsilon < 0.5:
        message = f"epsilon lies between 0 and 0.5, not at {epsilon}"
        raise ValueError(message)
    return _judge("nll", reference, scores, classes, epsilon=epsilon, log_base=log_base)
