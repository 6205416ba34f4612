"""Kinds of problem: from the categories of a design to those of an assessment."""

from evaluation.problems import of_task_category


def problem_of(category: object) -> str | None:
    """The id of the kind of problem that a category of tasks is scored as, ``None`` for categories without one.

    Examples
    --------
    >>> problem_of("segmentation"), problem_of("stitching")
    ('semantic_segmentation', None)
    """
    problem = of_task_category(category)
    return None if problem is None else problem.id
