"""Registration: distances of mapped points from their partners, and folding of displacement fields.

Fields are arrays ``(X, Y[, Z], d)`` of displacements in voxels, from the fixed to the moving image
(`evaluation.metrics.deformations`). Overlap and distances of labels that are pulled through a field are the metrics of
masks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.metrics.declaration import REGISTRATION, declare
from evaluation.metrics.deformations import jacobian_determinants
from evaluation.metrics.landmarks import OPERATORS, combined
from evaluation.metrics.options import Option
from evaluation.outcomes import Flag, Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

_CLIPPED: Final = 1e9
_MARGIN: Final = Option("margin", "integer", 2, "Voxels left out at every face.", minimum=0, maximum=16)
_EXCLUDED: Final = {"both_empty": "exclude", "degenerate": "exclude"}


@declare(
    "Target Registration Error",
    "TRE",
    categories=(*REGISTRATION, "RgnL"),
    direction="lower",
    range=(0, None),
    family="registration",
    needs="landmarks",
    unit="mm",
    options=(
        Option(
            "operator",
            "enum|object",
            "mean",
            'How the landmarks of one case become one number; an object {"percentile": p} is allowed.',
            choices=OPERATORS,
        ),
        Option(
            "interpolation",
            "enum",
            "linear",
            "Of the field between voxels.",
            choices=("linear", "cubic"),
            accepted={"RgnL": ("linear",)},
        ),
    ),
    policy=_EXCLUDED,
)
def tre(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    operator: str | Mapping[str, float] = "mean",
    interpolation: str = "linear",  # noqa: ARG001  (fields are sampled before; boards name it)
) -> Result:
    """Target registration error: distance of mapped fixed landmarks from their partners in the moving image.

    Parameters
    ----------
    reference
        Landmarks of the moving image, ``(n, d)`` in mm.
    prediction
        Landmarks of the fixed image where the transformation maps them, in the same order and space. A row that is not a
        number is a landmark that is not mapped.
    operator
        ``mean``, ``median``, ``max`` or ``{"percentile": p}``, linear between order statistics.
    interpolation
        ``linear`` or ``cubic`` (Learn2Reg). Named on boards; fields are sampled before.

    Returns
    -------
    Result
        Value in [0, ∞) mm, lower is better; ``degenerate`` with the flag ``reference`` without a landmark, ``pred_empty`` if
        a landmark is not mapped.

    Raises
    ------
    ValueError
        If the shapes differ.

    Examples
    --------
    >>> tre([[0, 0, 0], [0, 0, 10]], [[0, 3, 4], [0, 0, 12]]).value
    3.5
    """
    truth, guess = np.asarray(reference, dtype=float), np.asarray(prediction, dtype=float)
    if truth.shape != guess.shape:
        message = f"as many landmarks on both sides, not {truth.shape} and {guess.shape}"
        raise ValueError(message)
    if not truth.size:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    errors = np.sqrt(((guess - truth) ** 2).sum(axis=1))
    if np.isnan(errors).any():
        return undefined(Outcome.PRED_EMPTY)
    if not isinstance(operator, str):
        return ok(np.percentile(errors, operator["percentile"]))
    return ok(combined(errors, operator))


@declare(
    "Standard Deviation of the Logarithm of the Jacobian Determinant",
    "SDlogJ",
    categories=REGISTRATION,
    direction="lower",
    range=(0, 20.72326583694641),
    family="registration",
    needs="field",
    options=(
        Option(
            "offset",
            "number",
            3.0,
            "Added to the determinant before clipping; 3 as in Learn2Reg, 0 = plain.",
            minimum=0,
        ),
        _MARGIN,
    ),
    policy=_EXCLUDED,
)
def sdlogj(
    field: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    offset: float = 3.0,
    margin: int = 2,
    determinants: NDArray[np.float64] | None = None,
) -> Result:
    """Standard deviation (1/n) of the clipped logarithm of Jacobian determinants.

    The logarithm is ln(min(max(J + offset, 1e-9), 1e9)) over the evaluated voxels, J the Jacobian determinant. The
    offset 3 is that of Learn2Reg (Hering et al., IEEE Transactions on Medical Imaging 42, 2023). With it, folded
    voxels hardly change the value: use `folding_fraction` in addition. Values with another offset or margin cannot be
    compared.

    Parameters
    ----------
    field
        Displacements in voxels, ``(X, Y[, Z], d)``.
    mask
        Mask of the evaluated voxels; all voxels if omitted.
    offset
        Number added to the determinant.
    margin
        Number of voxels excluded at every face.
    determinants
        Determinants of the field, if they are known.

    Returns
    -------
    Result
        Value in [0, 9 ln 10], lower is better; ``degenerate`` with the flag ``reference`` without a voxel to evaluate.

    Examples
    --------
    >>> sdlogj(np.zeros((6, 6, 6, 3))).value
    0.0
    """
    evaluated = _evaluated(field, mask, margin, determinants)
    if not evaluated.size:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    return ok(float(np.std(np.log(np.clip(evaluated + offset, 1 / _CLIPPED, _CLIPPED)))))


@declare(
    "Share of Folded Voxels",
    "Fold",
    categories=REGISTRATION,
    direction="lower",
    range=(0, 1),
    family="registration",
    needs="field",
    options=(_MARGIN,),
    policy=_EXCLUDED,
)
def folding_fraction(
    field: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    margin: int = 2,
    determinants: NDArray[np.float64] | None = None,
) -> Result:
    """Share of the evaluated voxels whose Jacobian determinant is not above 0.

    Parameters and outcomes are those of `sdlogj`; value in [0, 1], lower is better.

    Examples
    --------
    >>> field = np.zeros((5, 5, 2))
    >>> field[..., 0] = -2 * np.arange(5)[:, None]
    >>> folding_fraction(field, margin=0).value
    1.0
    """
    evaluated = _evaluated(field, mask, margin, determinants)
    if not evaluated.size:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    return ok(np.count_nonzero(evaluated <= 0) / evaluated.size)


def _evaluated(
    field: ArrayLike, mask: ArrayLike | None, margin: int, determinants: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Determinants of the voxels at least `margin` from every face, and in the mask if there is one."""
    all_determinants = jacobian_determinants(field) if determinants is None else determinants
    inner = tuple(slice(margin, max(margin, length - margin)) for length in all_determinants.shape)
    if mask is None:
        return all_determinants[inner].ravel()
    within: NDArray[np.float64] = all_determinants[inner][np.asarray(mask)[inner] != 0]
    return within
