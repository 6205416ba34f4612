"""Filling in a published ranking scheme for organizers to start from."""

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from designs.models import DesignTask
from designs.services.fields import save_field
from evaluation.designs.starting_points import starting_point


@transaction.atomic
def start_from_scheme(*, actor: User, task: DesignTask, scheme: str) -> None:
    """Save the values of a published scheme in a task, and in the challenge where it says something about tasks.

    What stood there stays in the history of the fields.

    Raises
    ------
    ValidationError
        When there is no such scheme.
    """
    try:
        point = starting_point(scheme)
    except LookupError as error:
        raise ValidationError("There is no such published scheme.") from error
    for parameter, value in point.task.items():
        save_field(actor=actor, design=task.design, parameter=parameter, task=task, value=value)
    for parameter, value in point.challenge.items():
        save_field(actor=actor, design=task.design, parameter=parameter, value=value)
