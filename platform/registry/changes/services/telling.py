"""Common functions of all acts on change requests: row lock, log, and notifications."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError

from accounts.models import User
from accounts.notifications.domain import letters_of_changes
from accounts.notifications.domain.acts import Letter
from accounts.notifications.services import notify
from core.audit.services import record
from evaluation.designs.document.words import entry_words
from registry.changes.models import ChangeRequest, ProposedChange
from registry.changes.queries.documents import WHOLE_TASK, entry_of, parameter_of, task_of
from registry.hooks import operation_of
from registry.models import Registration
from registry.queries import current_version

ASKED, DECIDED, OBJECTED = "change_requested", "change_decided", "change_objection"
MAX_TEXT = 4000


def participants(request: ChangeRequest) -> list[User]:
    """People who take part in the challenge of a request."""
    operation = operation_of(request.registration)
    return list(User.objects.filter(pk__in=operation.participants)) if operation else []


def tell(request: ChangeRequest, kind: str, letter: Letter, *, people: list[Any], key: str = "") -> None:
    """Notify people of a request, once per kind and request unless `key` is specified."""
    notify(
        people=people,
        kind=kind,
        subject=letter.subject,
        text=letter.text,
        address=request.get_absolute_url(),
        scope=request.registration.identifier,
        key=key or f"{kind}-{request.pk}",
    )


def named(registration: Registration) -> str:
    """Return the name of the challenge of a registration for messages."""
    name = current_version(registration).document["challenge"].get("challenge_name")
    return str(name or registration.identifier)


def changed(changes: Iterable[ProposedChange]) -> list[letters_of_changes.Changed]:
    """Return parameters with their values before and after, as public text."""
    return [
        letters_of_changes.Changed(
            parameter_of(change.parameter).label + (f" ({task_of(change)})" if change.task else ""),
            _words(change, change.before),
            _words(change, change.after),
        )
        for change in changes
    ]


def _words(change: ProposedChange, held: dict[str, Any]) -> str:
    if change.parameter == WHOLE_TASK:
        return "the task with all that it says" if held else ""
    return entry_words(parameter_of(change.parameter), entry_of(change.parameter, held))


def locked(request: ChangeRequest) -> ChangeRequest:
    """The row of an open request, locked until the end of the transaction.

    Raises
    ------
    ValidationError
        When it is not open any more.
    """
    request = (
        ChangeRequest.objects.select_for_update(of=("self",), no_key=True)
        .select_related("registration")
        .get(pk=request.pk)
    )
    if not request.is_open:
        raise ValidationError(f"This request is {request.get_state_display()} already.")
    return request


def note_act(actor: User, act: str, request: ChangeRequest, **facts: Any) -> None:
    """Write the act into the audit log."""
    record(
        actor=actor,
        act=act,
        subject=request,
        scope=request.registration.identifier,
        facts={"registration": request.registration.identifier, "number": request.number, **facts},
    )


def labels(parameters: Iterable[str]) -> str:
    """Labels of parameters for a sentence, each once."""
    return ", ".join(dict.fromkeys(f"“{parameter_of(parameter).label}”" for parameter in parameters))
