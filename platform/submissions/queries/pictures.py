"""Of which cases there is something to draw."""

from collections.abc import Collection

from datastore.test_sets.models import TestCase
from evaluation.problems import kind_of
from evaluation.problems.base import Problem
from submissions.models import Run


def drawable(run: Run, cases: Collection[str]) -> list[str]:
    """Those of some cases of which there are pictures, in the same order; one query."""
    rows = TestCase.objects.filter(test_set=run.test_set_id, name__in=cases)
    problem = kind_of(run.submission.phase.assessment)
    drawable_cases = {case.name for case in rows.only("name", "geometry", "image_file") if can_be_drawn(problem, case)}
    return [case for case in cases if case in drawable_cases]


def can_be_drawn(problem: Problem, case: TestCase) -> bool:
    """Return whether a picture of a case can be rendered."""
    return problem.pictures.can_be_drawn(case.geometry, has_image=bool(case.image_file))


def has_something_to_show(problem: Problem, case: TestCase) -> bool:
    """Return whether a picture of a case, or the answer to it line by line, can be shown."""
    return problem.answer_view is not None or can_be_drawn(problem, case)
