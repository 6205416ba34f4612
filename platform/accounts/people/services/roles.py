"""Rule for every kind of role: the last person with a role cannot leave it."""

from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet


def keep_a_holder(target: Model, holders: QuerySet, *, leaving: int, message: str) -> None:
    """Refuse to remove a role from the only person who has it.

    Call it within the transaction of the act. It locks `target`, so two people who leave at the same moment are
    processed one after the other.

    Parameters
    ----------
    holders
        Rows of those who have the role, with a field `user`.
    leaving
        Id of the person who would no longer have it.
    message
        Error message for the user, with the remedy.

    Raises
    ------
    ValidationError
        If no other person has the role.
    """
    type(target)._default_manager.select_for_update(no_key=True).get(pk=target.pk)  # noqa: SLF001 (Django's name for it)
    if not holders.exclude(user=leaving).exists():
        raise ValidationError(message)
