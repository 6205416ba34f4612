"""How a submission was made."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from submissions.models.submissions import Submission


class MethodDescription(models.Model):
    """The algorithm parameters of a submission as its team describes them.

    `entries` is parameter → entry (value and state); what it says is checked against the catalogue when it is stored.
    """

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="method")
    entries = models.JSONField(default=dict)
    filled = models.PositiveSmallIntegerField(help_text="required parameters that say something")
    required = models.PositiveSmallIntegerField()
    is_complete = models.BooleanField()
    changed_at = models.DateTimeField(default=timezone.now)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(filled__lte=models.F("required"))
                & (
                    models.Q(is_complete=True, filled=models.F("required"))
                    | models.Q(is_complete=False) & ~models.Q(filled=models.F("required"))
                ),
                name="submissions_method_complete_exactly_when_filled",
            )
        ]

    def __str__(self) -> str:
        return f"method of {self.submission}"
