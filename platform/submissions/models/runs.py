"""A scoring of one submission, cut into chunks of cases."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from submissions.models.submissions import Submission
from test_sets.models.test_sets import TestSet
from work.models import Work


class Run(models.Model):
    """Scoring one submission against one version of the test set by one assessment: ends in exactly one result.

    The result is a file that never changes (`scoring.domain.results`), with a second one of evidence where metrics have one
    value for the whole data set; its digest covers what both say, not the file format, so that the same predictions give
    the same digest however often they are scored.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        SCORING = "scoring", "scoring"
        SCORED = "scored", "scored"
        FAILED = "failed", "failed"
        SUPERSEDED = "superseded", "superseded"

    class Trigger(models.TextChoices):
        SUBMISSION = "submission", "submission"
        RERUN = "rerun", "re-run by an organizer"
        TEST_SET = "test_set", "new version of the test set"

    UNFINISHED = (State.QUEUED, State.SCORING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="runs")
    number = models.PositiveSmallIntegerField()
    trigger = models.CharField(max_length=12, choices=Trigger, default=Trigger.SUBMISSION)
    triggered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    test_set = models.ForeignKey(TestSet, on_delete=models.PROTECT, related_name="runs")
    assessment_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=12, choices=State, default=State.QUEUED)
    counts = models.BooleanField(default=False, help_text="the run whose result stands for the submission")
    cases_total = models.PositiveIntegerField()
    queued_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)
    message = models.CharField(max_length=500, blank=True, help_text="for the participant: what went wrong")
    log = models.TextField(blank=True, help_text="for organizers")
    case_notes = models.JSONField(
        default=dict, blank=True, help_text="case → why it has no value; safe for participants"
    )
    result_file = models.CharField(max_length=300, blank=True)
    evidence_file = models.CharField(
        max_length=300, blank=True, help_text="what values of the whole data set are made of, case by case"
    )
    annotators_file = models.CharField(
        max_length=300, blank=True, help_text="results under the references of each annotator, where there are several"
    )
    decoys = models.JSONField(
        default=dict, blank=True, help_text="for organizers: decoy case → what was handed in for it"
    )
    disentangled_file = models.CharField(
        max_length=300, blank=True, help_text="of instances: detection, classification and outlines apart, case by case"
    )
    disentangled = models.JSONField(
        default=dict, blank=True, help_text="what pages read of it, with nothing of a single case"
    )
    result_digest = models.CharField(max_length=64, blank=True)
    summary = models.JSONField(default=dict, blank=True)
    provenance = models.JSONField(
        default=dict, blank=True, help_text="versions, metrics with all their options, and working points"
    )

    class Meta:
        ordering = ["submission", "number"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "number"], name="submissions_run_number_unique"),
            models.UniqueConstraint(
                fields=["submission"], condition=Q(counts=True), name="submissions_one_counted_run"
            ),
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(state__in=["queued", "scoring"]),
                name="submissions_one_unfinished_run",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["scored", "superseded"], finished_at__isnull=False)
                & ~Q(result_file="")
                & ~Q(result_digest="")
                | Q(state__in=["queued", "scoring", "failed"], result_file="", result_digest="", evidence_file=""),
                name="submissions_result_exactly_when_scored",
            ),
            models.CheckConstraint(
                condition=Q(counts=False) | Q(state="scored"), name="submissions_counted_run_is_scored"
            ),
        ]
        indexes = [models.Index(fields=["state", "queued_at"])]

    def __str__(self) -> str:
        return f"{self.submission} run {self.number}"

    @property
    def is_finished(self) -> bool:
        return self.state not in self.UNFINISHED


class Chunk(Work):
    """Cases of a run that one worker scores in one go.

    The rows of a scored chunk, and what its cases add to the values of the whole data set, stay here until the run is
    assembled into its files, so that the state of the chunk and what it found are stored together or not at all.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        SCORING = "scoring", "scoring"
        DONE = "done", "done"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="chunks")
    index = models.PositiveIntegerField()
    cases = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    cases_total = models.PositiveIntegerField()
    cases_done = models.PositiveIntegerField(default=0)
    rows = models.JSONField(null=True, blank=True)
    pieces = models.JSONField(
        null=True, blank=True, help_text="case → what it adds to the values of the whole data set"
    )
    notes = models.JSONField(default=dict, blank=True, help_text="case → why it has no value; safe for participants")
    annotator_rows = models.JSONField(null=True, blank=True, help_text="annotator, case, rows of results, and pieces")
    decoys = models.JSONField(null=True, blank=True, help_text="decoy case → what was handed in for it")
    disentangled = models.JSONField(
        null=True, blank=True, help_text="case → what detection, classification and outlines are rated by"
    )
    log = models.TextField(blank=True, help_text="for organizers")

    class Meta:
        ordering = ["run", "index"]
        constraints = [
            models.UniqueConstraint(fields=["run", "index"], name="submissions_chunk_index_unique"),
            models.CheckConstraint(
                condition=Q(cases_done__lte=F("cases_total")), name="submissions_chunk_progress_within_total"
            ),
        ]
        indexes = [models.Index(fields=["state", "lease_until"])]

    def __str__(self) -> str:
        return f"{self.run} chunk {self.index}"
