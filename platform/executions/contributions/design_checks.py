"""Checks of a design that need to know whether this installation runs algorithms, and what its test cases are."""

from challenges.contributions.design_checks import challenge_of
from datastore.test_sets.models import TestCase, TestSet
from evaluation.designs.checks import Subject, register
from evaluation.running.registered import Registered
from executions.domain.plans import NotRunnableError, ending_of, sockets
from executions.queries.availability import unavailable


@register("containers_run_here", reads=("algorithm_execution", "submission_method"))
def containers_run_here(subject: Subject) -> str | None:
    """A machine of this installation runs containers, and every test case of the task has an image for them."""
    if problem := unavailable():
        return problem
    challenge = challenge_of(subject)
    if challenge is None:
        return None
    sets = TestSet.objects.filter(phase__task__challenge=challenge, is_active=True).select_related("phase")
    if subject.values.task_key is not None:
        sets = sets.filter(phase__task__design_key=subject.values.task_key)
    for test_set in sets:
        files = TestCase.objects.filter(test_set=test_set).values_list("image_file", flat=True)
        try:
            sockets(
                Registered.of(test_set.phase.algorithms), test_set.phase.assessment, [ending_of(file) for file in files]
            )
        except NotRunnableError as error:
            return f"{test_set.phase.name}: {error}"
    return None
