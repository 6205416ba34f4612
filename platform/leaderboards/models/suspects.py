"""Suspect references: the search after a ranking, its cases, the readers, and their blinded answers."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Phase
from core.work.models import Work
from datastore.test_sets.models import TestSet
from leaderboards.models.rankings import RankingVersion


class SuspectSearch(Work):
    """Search for suspect references of a phase, due while more was requested than computed. The last result is kept."""

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="suspect_search")
    requested = models.PositiveIntegerField(default=0)
    computed = models.PositiveIntegerField(default=0)
    requested_at = models.DateTimeField(default=timezone.now)
    progress = models.JSONField(default=dict, blank=True, editable=False, help_text="step, cases done, and all cases")
    version = models.ForeignKey(RankingVersion, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    test_set = models.ForeignKey(TestSet, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    note = models.TextField(blank=True, help_text="why there is no result")
    cases = models.PositiveIntegerField(default=0)
    algorithms = models.PositiveIntegerField(default=0)
    independent = models.PositiveIntegerField(default=0, help_text="algorithms, near-identical ones counted once")
    expected_false = models.FloatField(default=0, help_text="expected number of listed cases with a correct reference")
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(computed__lte=F("requested")), name="leaderboards_searched_was_requested"
            ),
        ]

    def __str__(self) -> str:
        return f"Suspect references of {self.phase}"

    @property
    def is_due(self) -> bool:
        """True if a search is requested that has not ended."""
        return self.requested > self.computed


class SuspectCase(models.Model):
    """A case of the last search, with the place of the largest disagreement."""

    search = models.ForeignKey(SuspectSearch, on_delete=models.CASCADE, related_name="suspects")
    position = models.PositiveIntegerField(help_text="1 for the most suspect case")
    case = models.CharField(max_length=150)
    region = models.CharField(max_length=150)
    score = models.FloatField()
    expected_false = models.FloatField(help_text="expected number of correct references with at least this score")
    reasons = models.JSONField(default=list)
    place = models.JSONField(
        default=list, help_text="voxel of the largest disagreement, counted from 0 along x, y[, z]"
    )
    excess = models.FloatField(help_text="positive if labels are additional there, negative if they are missing")
    listed = models.BooleanField(help_text="whether the case belongs to the suspects")
    folder = models.CharField(max_length=200, blank=True, editable=False, help_text="prefix of its encrypted views")

    class Meta:
        ordering = ["search", "position"]
        constraints = [
            models.UniqueConstraint(fields=["search", "position"], name="leaderboards_suspect_position_once"),
            models.UniqueConstraint(fields=["search", "case"], name="leaderboards_suspect_case_once"),
        ]

    def __str__(self) -> str:
        return self.case


class SuspectReader(models.Model):
    """A person who is not an organizer and was invited to read suspect references of a phase."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="suspect_readers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    invited_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["phase", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "user"], name="leaderboards_suspect_reader_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user} for {self.phase}"


class SuspectReading(models.Model):
    """The answer of a blinded reader about one reference, for the version of the test set that it belongs to."""

    class Answer(models.TextChoices):
        """Answers of a reader."""

        REFERENCE = "reference", "reference wrong"
        ALGORITHMS = "algorithms", "algorithms wrong"
        BOTH = "both", "both defensible"
        IMAGE = "image", "image unusable"

    test_set = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="suspect_readings")
    case = models.CharField(max_length=150)
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    answer = models.CharField(max_length=12, choices=Answer)
    note = models.TextField(blank=True, max_length=1000)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["test_set", "case", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["test_set", "case", "reader"], name="leaderboards_one_reading_a_reader"),
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.get_answer_display()}"
