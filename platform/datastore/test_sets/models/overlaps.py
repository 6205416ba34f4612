"""Images of a sealed test set that occur again: in the set, in another phase, or in data for participants."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from core.work.models import Work
from datastore.test_sets.models.test_sets import TestSet


class OverlapCheck(Work):
    """Comparison of the images of a sealed version with each other, with other phases, and with data for participants."""

    class State(models.TextChoices):
        """State of the comparison."""

        WAITING = "waiting", "waiting for a worker"
        RUNNING = "running", "comparing images"
        DONE = "done", "compared"
        FAILED = "failed", "failed"

    OPEN = (State.WAITING, State.RUNNING)

    test_set = models.OneToOneField(TestSet, on_delete=models.CASCADE, related_name="overlap_check")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    progress = models.JSONField(default=dict, blank=True, editable=False, help_text="images done, and all images")
    images = models.PositiveIntegerField(default=0, help_text="compared images of the test set")
    compared = models.JSONField(default=dict, help_text="number of images by source")
    unread = models.PositiveIntegerField(default=0, help_text="images that could not be read")
    left_out = models.PositiveIntegerField(default=0, help_text="images beyond the limit, which were not compared")
    pair_count = models.PositiveIntegerField(default=0, help_text="pairs; only the first of them are stored")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"Overlap of {self.test_set}"

    @property
    def is_open(self) -> bool:
        """True until the comparison has ended."""
        return self.state in self.OPEN


class OverlapPair(models.Model):
    """Two images that overlap, and the decision of an owner."""

    check_run = models.ForeignKey(OverlapCheck, on_delete=models.CASCADE, related_name="pairs")
    case = models.CharField(max_length=150)
    other = models.CharField(max_length=300, help_text="case or file")
    source = models.CharField(max_length=200, help_text="where the other image is")
    exact = models.BooleanField(help_text="equal voxels, up to reflections and the order of axes")
    agreeing = models.PositiveIntegerField(help_text="local features that agree")
    correlation = models.FloatField(help_text="of the fine structure after the transformation")
    reflected = models.BooleanField()
    pictures = models.JSONField(default=list, editable=False, help_text="encrypted pictures of the two images")
    answer = models.TextField(blank=True, max_length=1000)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["check_run", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(answered_at__isnull=False, answered_by__isnull=False)
                | Q(answered_at__isnull=True, answered_by__isnull=True, answer=""),
                name="test_sets_accepted_overlap_names_its_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case} and {self.other}"

    @property
    def is_open(self) -> bool:
        """True until a person has accepted the overlap."""
        return self.answered_at is None
