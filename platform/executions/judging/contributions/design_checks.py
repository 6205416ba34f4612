"""Checks of a design that need to know whether the scoring image has passed, and whether this installation can run it."""

from challenges.contributions.design_checks import challenge_of
from challenges.models import Phase
from evaluation.designs.checks import Subject, register
from executions.judging.queries.scorers import lacking
from executions.queries.availability import no_judge


@register("scorer_has_passed", reads=("scoring_image", "metrics"))
def scorer_has_passed(subject: Subject) -> str | None:
    """A machine of this installation runs scoring images, and the registered one has passed its checks in every phase."""
    if problem := no_judge():
        return problem
    challenge = challenge_of(subject)
    if challenge is None:
        return None
    phases = Phase.objects.filter(task__challenge=challenge).select_related("task")
    if subject.values.task_key is not None:
        phases = phases.filter(task__design_key=subject.values.task_key)
    return next((words for phase in phases if (words := lacking(phase))), None)
