"""Contributions of this app to the apps above it."""

from typing import Any

from challenges import hooks as challenges_hooks
from challenges.contributions.design_checks import challenge_of
from challenges.models import Challenge, Phase
from core.work.queries import living_leases
from evaluation.designs.checks import Subject
from evaluation.designs.checks import register as register_check
from executions import hooks as executions_hooks
from executions.judging.models import Judgement, Trial
from executions.judging.queries import has_scorers, lacking
from executions.models import AlgorithmArchive
from executions.models.archives import Kind
from executions.queries.availability import no_judge


def register() -> None:
    """Connect the contributions of this app."""
    executions_hooks.leases.register(living)
    challenges_hooks.register_organizer_page("Scoring image", "judging:scorers", visible=brings_scorers, order=27)
    executions_hooks.settled.register(settled)


# --- Checks of a design that need to know whether the scoring image has passed, and whether this installation can run it ---
@register_check("scorer_has_passed", reads=("scoring_image", "metrics"))
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


# --- Leases of this app under which containers run on a machine -------------------------------------------------------
def living() -> set[str]:
    """Tokens of leases that are alive."""
    trials = living_leases(Trial.objects.filter(state=Trial.State.RUNNING))
    return trials | living_leases(Judgement.objects.filter(state=Judgement.State.RUNNING))


# --- Contributions of this app to the pages of organizers -------------------------------------------------------------
def brings_scorers(user: Any, challenge: Challenge) -> bool:
    """Return whether a person can provide scoring images and the challenge requires them.

    A challenge requires them if one of its phases is registered with a scoring image.
    """
    return bool(user.has_perm("judging.bring_scorers", challenge) and has_scorers(challenge))


# --- Actions at the end of the check of a scoring image ---------------------------------------------------------------
def settled(archive: AlgorithmArchive) -> None:
    """Begin the trials of a scoring image, in the transaction that ends its check."""
    if archive.kind == Kind.SCORER and archive.state == AlgorithmArchive.State.READY:
        # Here, since web processes load no libraries of images.
        from executions.judging.services import trying

        trying.begin_trials(archive)
