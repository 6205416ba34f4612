"""Fields of a row that a worker processes; the only module that names these fields."""

from django.db import models


class Work(models.Model):
    """A row that one worker at a time processes, and that is found again after any interruption.

    The kind of the work defines which rows are open. A worker *claims* the row and gets a lease: a token that
    names the holder, and a moment until which no other worker may claim it. While the worker lives, it renews
    the lease. When it falls silent, the row is free again, and the worker that lost the lease can no longer
    store anything. States, results and constraints belong to the model that inherits this one.
    """

    lease_token = models.UUIDField(null=True, blank=True, editable=False, help_text="names the worker that holds it")
    lease_until = models.DateTimeField(null=True, blank=True, editable=False, help_text="held until then at most")
    attempts = models.PositiveSmallIntegerField(default=0, editable=False, help_text="how often a worker began it")
    asked_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="when a worker was last asked for it, or will have been"
    )
    due_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="not begun before; without it, at once"
    )
    failure = models.TextField(
        blank=True, editable=False, help_text="for organizers and operators: why the last attempt failed"
    )

    class Meta:
        abstract = True
