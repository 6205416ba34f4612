"""What a row holds that a worker takes on, in the only place that names these fields."""

from django.db import models


class Work(models.Model):
    """A row that one worker at a time works on, found again after any interruption; what is left to do is said by its kind.

    A worker *claims* the row and gets a lease: a token that names the holder, and a moment until which nobody else may
    take it. While the worker lives it renews the lease; when it falls silent the row is free again, and whoever lost the
    lease can store nothing any more. States, results and constraints belong to the model that inherits this one.
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
