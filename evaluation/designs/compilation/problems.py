"""Kinds of problem: from the categories of a design to those of an assessment."""

from typing import Final

PROBLEMS: Final = {
    "segmentation": "semantic_segmentation",
    "semantic_segmentation": "semantic_segmentation",
    "instance_segmentation": "instance_segmentation",
    "classification": "image_classification",
    "detection": "object_detection",
    "localization": "object_detection",
}


def problem_of(category: object) -> str | None:
    """The kind of problem that the platform scores, ``None`` for categories it does not know.

    Examples
    --------
    >>> problem_of("segmentation"), problem_of("stitching")
    ('semantic_segmentation', None)
    """
    return PROBLEMS.get(category) if isinstance(category, str) else None
