"""What organizers answered when they were asked what their problem is like."""

from django.db import models
from django.utils import timezone

from designs.models.designs import DesignTask


class TaskAnswers(models.Model):
    """The fingerprint of a task: answers and choices by the ids of the recommender; `null` is “I do not know”.

    `classes` holds answers that differ for a region or class, by its name. `reasons` says why the design departs from
    what is recommended, by the words of the departure: another departure needs another reason.
    """

    task = models.OneToOneField(DesignTask, on_delete=models.CASCADE, related_name="answers")
    answers = models.JSONField(default=dict, blank=True)
    choices = models.JSONField(default=dict, blank=True)
    classes = models.JSONField(default=dict, blank=True)
    reasons = models.JSONField(default=dict, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "task answers"

    def __str__(self) -> str:
        return f"answers of {self.task}"
