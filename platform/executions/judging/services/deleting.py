"""Giving up a scoring image that nothing needs."""

from django.core.exceptions import ValidationError

from accounts.models import User
from executions.judging.models import Judgement, Trial
from executions.models import AlgorithmArchive
from executions.services.deleting import delete_archive


def delete_scorer(*, archive: AlgorithmArchive, actor: User) -> None:
    """Delete a scoring image; its digest stays in the log.

    Raises
    ------
    ValidationError
        While it is being checked or tried, and once values came of it.
    """
    if Trial.objects.filter(archive=archive, state__in=Trial.OPEN).exists():
        raise ValidationError("It is being tried at this moment. Delete it when that is done.")
    if Judgement.objects.filter(trial__archive=archive).exists():
        raise ValidationError("It was used for results of teams, so it must be kept.")
    delete_archive(archive=archive, actor=actor)
