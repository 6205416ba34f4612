"""Questions of teams: how many of their training images match test images of a phase."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Phase, Team
from core.work.models import Work
from datastore.test_sets.models.test_sets import TestSet


class OverlapQuestion(Work):
    """A question of a team, and the answer: one number with noise. The sketches are deleted after the answer."""

    class State(models.TextChoices):
        """State of the question."""

        WAITING = "waiting", "waiting for a worker"
        RUNNING = "running", "comparing images"
        ANSWERED = "answered", "answered"
        FAILED = "failed", "failed"

    OPEN = (State.WAITING, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="overlap_questions")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="overlap_questions")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    test_set = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="overlap_questions")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    images = models.PositiveIntegerField(help_text="distinct images of the team")
    stored = models.CharField(max_length=200, blank=True, editable=False, help_text="encrypted file of the sketches")
    answer = models.PositiveIntegerField(null=True, blank=True, help_text="matching images, with noise")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="answered", answer__isnull=False) | ~Q(state="answered") & Q(answer__isnull=True),
                name="test_sets_answered_question_has_its_number",
            ),
        ]

    def __str__(self) -> str:
        return f"Overlap of {self.images} training images of {self.team}"
