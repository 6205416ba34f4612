"""Requirements of metrics on the dimensions of an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation import catalogue
from evaluation.readers import ReadError

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment
    from evaluation.readers import Geometry


def refuse_flat(assessment: Assessment, grid: Geometry, file: str) -> None:
    """Refuse a reference of two dimensions where a metric measures volumes.

    Raises
    ------
    ReadError
        Naming the metric.
    """
    volumes = [use.name for use in assessment.computed if "volume" in catalogue.get(use.id).needs]
    if volumes and len(grid.shape) != 3:
        raise ReadError("dimensions", file, f"{len(grid.shape)} dimensions", f"3, since {volumes[0]} measures volumes")
