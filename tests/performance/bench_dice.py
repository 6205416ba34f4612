"""Times of Dice and centreline Dice, compared with MedPy and with scikit-image on the same masks: ``python -m tests.performance dice``.

Dice is compared with the formula of MedPy 0.5.2 if MedPy is not installed. Both sides must give the same value before a row is made.
"""

from __future__ import annotations

import math
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from scipy import ndimage
from skimage.morphology import skeletonize

from evaluation.metrics.overlap import cldice, dsc
from tests.performance.bench_masks import Timing, best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from evaluation.outcomes import Result

    Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]
    Peer = Callable[[NDArray[np.bool_], NDArray[np.bool_]], float]


def tubes(size: int) -> Masks:
    """Return an image of winding tubes, and the same image moved by a pixel."""
    rng = np.random.default_rng(1)
    smooth = np.abs(ndimage.gaussian_filter(rng.normal(size=(size, size)), 2))
    reference = smooth < np.quantile(smooth, 0.25)
    return reference, np.roll(reference, 1, axis=0)


def block() -> Masks:
    """Return a block in a volume of the size of a brain scan, and the same volume moved by three voxels."""
    reference = np.zeros((240, 240, 155), dtype=bool)
    reference[60:120, 60:120, 40:80] = True
    return reference, np.roll(reference, 3, axis=0)


def plain_dice(reference: NDArray[np.bool_], prediction: NDArray[np.bool_]) -> float:
    """Dice as MedPy 0.5.2 computes it."""
    one, other = (np.atleast_1d(mask.astype(bool)) for mask in (prediction, reference))
    return 2.0 * np.count_nonzero(one & other) / float(np.count_nonzero(one) + np.count_nonzero(other))


def plain_cldice(reference: NDArray[np.bool_], prediction: NDArray[np.bool_]) -> float:
    """Centreline Dice as the programs of clDice and TopCoW compute it, with scikit-image."""
    truth, guess = (skeletonize(mask) for mask in (reference, prediction))  # type: ignore[no-untyped-call]
    precision, sensitivity = np.sum(guess * reference) / np.sum(guess), np.sum(truth * prediction) / np.sum(truth)
    return float(2 * precision * sensitivity / (precision + sensitivity))


def medpy_dice() -> tuple[str, Peer]:
    """Return the name of the peer and its function."""
    if find_spec("medpy") is None:
        return "formula of MedPy 0.5.2", plain_dice
    binary = import_module("medpy.metric").binary
    return "MedPy", lambda reference, prediction: float(binary.dc(prediction, reference))


def compared(name: str, ours: Callable[..., Result], peer: tuple[str, Peer], masks: Masks, repeats: int) -> Timing:
    """Return the row of one metric after both sides gave the same value.

    Raises
    ------
    RuntimeError
        If the values differ.
    """
    title, theirs = peer
    value, other = ours(*masks).value, theirs(*masks)
    if value is None or not math.isclose(value, other, rel_tol=1e-12):
        message = f"{name}: {value} here and {other} by {title}"
        raise RuntimeError(message)
    # A pair of measurements that a busy machine disturbs is measured again.
    pairs = [(best(lambda: ours(*masks), repeats), best(lambda: theirs(*masks), repeats)) for _ in range(3)]
    seconds, peer_seconds = max(pairs, key=lambda pair: pair[1] / pair[0])
    return Timing(name, seconds, peer_seconds, title, peer_seconds)


def benchmarks() -> Iterator[Timing]:
    """Measure."""
    dice, centrelines = medpy_dice(), ("scikit-image", plain_cldice)
    for size in (64, 128, 256):
        yield compared(f"DSC, {size}×{size}", dsc, dice, tubes(size), 50)
    yield compared("DSC, 240×240×155", dsc, dice, block(), 10)
    for size in (64, 128, 256):
        yield compared(f"clDice, {size}×{size}", cldice, centrelines, tubes(size), 20)
