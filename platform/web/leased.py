"""Work that one worker at a time holds for a short while."""

from django.db import models


class Leased(models.Model):
    """A row that a worker claims, renews by heart-beat and completes; a lease that ran out is free again.

    The token names the holder: whoever lost the lease can no longer complete the work (`web.leases`).
    """

    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    attempt = models.PositiveSmallIntegerField(default=0, editable=False)
    sent_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="when a worker was last asked for it"
    )

    class Meta:
        abstract = True
