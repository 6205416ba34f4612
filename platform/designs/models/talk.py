"""Words about the design: answers to warnings, texts of the form that administrators changed."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from designs.models.designs import Design, DesignTask
from evaluation.designs.catalogue import TEXTS


class CheckAnswer(models.Model):
    """Why a warning is not obeyed; it travels to the reviewers and into the report.

    It answers the values that stood there: `basis` is their digest, and once they change the answer is shown as old.
    """

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="answers")
    task = models.ForeignKey(DesignTask, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    check_id = models.CharField(max_length=120)
    text = models.TextField()
    basis = models.CharField(max_length=64)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["design", "task", "check_id"],
                condition=Q(task__isnull=False),
                name="designs_answer_once_a_task",
            ),
            models.UniqueConstraint(
                fields=["design", "check_id"], condition=Q(task__isnull=True), name="designs_answer_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.check_id}: {self.text[:60]}"


class TextOverride(models.Model):
    """A text of the form that replaces the delivered one, so that misunderstood words are mended without deployment."""

    parameter = models.CharField(max_length=80)
    text_name = models.CharField(
        "which text", max_length=20, choices=[(name, name.replace("_", " ")) for name in TEXTS]
    )
    text = models.TextField()
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["parameter", "text_name"]
        constraints = [models.UniqueConstraint(fields=["parameter", "text_name"], name="designs_text_override_once")]

    def __str__(self) -> str:
        return f"{self.text_name} of {self.parameter}"
