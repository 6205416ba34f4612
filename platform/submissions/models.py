"""Submissions with their runs, chunks, method descriptions and released scores."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone

from challenges.models import Challenge, Phase, Team
from core.work.models import Work
from datastore.test_sets.models.test_sets import TestSet
from datastore.uploads.models.incoming import Upload


class Submission(Work):
    """One archive of predictions of one team for one phase.

    received → validating → (refused | held | accepted); held → (accepted | withdrawn); accepted → (scored | failed).
    Of an algorithm the predictions are made here: running → (received | refused | withdrawn | failed) comes before.
    """

    class State(models.TextChoices):
        RUNNING = "running", "being run"
        RECEIVED = "received", "waiting for validation"
        VALIDATING = "validating", "validating"
        REFUSED = "refused", "refused"
        HELD = "held", "waiting for your decision"
        WITHDRAWN = "withdrawn", "withdrawn"
        ACCEPTED = "accepted", "accepted"
        SCORED = "scored", "scored"
        FAILED = "failed", "failed"

    # States that do not use up the quota, unless the submission is charged.
    UNSUCCESSFUL = (State.REFUSED, State.WITHDRAWN, State.FAILED)
    # The same, of which a team can submit a limited number per day.
    UNCOUNTED = (*UNSUCCESSFUL, State.HELD)
    UNDER_WAY = (State.RUNNING, State.RECEIVED, State.VALIDATING, State.ACCEPTED)
    SETTLED = (State.REFUSED, State.WITHDRAWN, State.SCORED, State.FAILED)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # The key that makes finishing an upload idempotent: however often it is finished, there is one submission.
    upload = models.OneToOneField(
        Upload,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="submission",
        help_text="empty: an algorithm, whose predictions are made here",
    )
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="submissions")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="submissions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="submissions")
    number = models.PositiveIntegerField(help_text="counts within team and phase")
    archive_file = models.CharField(max_length=300, blank=True)
    predictions_file = models.CharField(
        max_length=300, blank=True, help_text="the ZIP that scoring reads: the archive, or what it was repacked to"
    )
    archive_name = models.CharField(max_length=255, help_text="as the participant called it")
    archive_size = models.PositiveBigIntegerField()
    archive_sha256 = models.CharField(max_length=64, blank=True)
    content_key = models.CharField(
        max_length=120,
        blank=True,
        help_text="identifies the content; empty: withdrawn, failed, or submitted again on request",
    )
    accept_incomplete = models.BooleanField(default=False)
    is_late = models.BooleanField(default=False, help_text="arrived after the phase closed; never ranked")
    is_chosen = models.BooleanField(
        default=False, help_text="chosen by the team for the ranking, where the phase lets it choose"
    )
    method_number = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="as which of its team's methods it was chosen, from 1 on"
    )
    state = models.CharField(max_length=12, choices=State, default=State.RECEIVED)
    reason = models.CharField(max_length=500, blank=True, help_text="for the participant: why it was refused or failed")
    is_charged = models.BooleanField(
        default=False, help_text="refused, but counts towards the quota: it would have unpacked to what no archive does"
    )
    report = models.JSONField(default=dict, blank=True, help_text="what validation found")
    log = models.TextField(blank=True, help_text="for organizers")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    state_since = models.DateTimeField(default=timezone.now, editable=False)
    validated_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "team", "number"], name="submissions_number_unique"),
            models.UniqueConstraint(
                fields=["phase", "team", "user", "content_key"],
                condition=~Q(content_key=""),
                name="submissions_content_submitted_once",
            ),
            models.UniqueConstraint(
                fields=["phase", "team", "method_number"],
                condition=Q(is_chosen=True),
                name="submissions_one_chosen_a_method",
            ),
            models.CheckConstraint(
                condition=Q(is_chosen=True, method_number__gte=1) | Q(is_chosen=False, method_number__isnull=True),
                name="submissions_chosen_as_a_method",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["refused", "failed"]) | ~Q(reason=""), name="submissions_refusal_has_reason"
            ),
        ]
        indexes = [
            models.Index(fields=["phase", "team", "created_at"]),
            models.Index(fields=["phase", "user", "created_at"]),
            models.Index(fields=["state", "lease_until"]),
        ]

    def __str__(self) -> str:
        return f"{self.team.name} #{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("submissions:detail", args=[self.challenge.slug, self.pk])

    @property
    def challenge(self) -> Challenge:
        return self.phase.task.challenge

    @property
    def is_algorithm(self) -> bool:
        """True if an algorithm was submitted, whose predictions are made on the platform."""
        return self.upload_id is None

    @property
    def is_settled(self) -> bool:
        """True if the state of the submission no longer changes automatically."""
        return self.state in self.SETTLED


class Run(models.Model):
    """Scoring of one submission against one version of the test set by one assessment, with exactly one result.

    The result is a file that never changes (`executions.scoring.domain.results`). If metrics have one value for the
    whole data set, a second file contains the evidence. The digest covers the content of both files, not
    their format. The same predictions therefore give the same digest however often they are scored.
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
    spread = models.JSONField(
        default=list, blank=True, help_text="for organizers: spread of the values over the cases, without their names"
    )
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


class MethodDescription(models.Model):
    """The algorithm parameters of a submission as its team describes them.

    `entries` is parameter → entry (value and state). Each entry is checked against the catalogue when it is
    stored.
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


class Release(models.Model):
    """The scores of a submission with their standard errors, and what of them its phase lets the team see while it is open.

    `scores` is a list of metric, region, value, standard_error, step, gain, improved, shown and leader (`evaluation.aggregation.feedback`);
    `marks` holds one short digest a case over all its values: equal marks are equal values.
    """

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="release")
    result_digest = models.CharField(max_length=64)
    scores = models.JSONField(default=list)
    marks = models.JSONField(default=dict)
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"release of {self.submission}"


class Rescoring(Work):
    """Request to validate or score a submission again.

    The request is kept until the work begins, so it does not depend on the arrival of a message.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for a worker"
        DONE = "done", "begun, or no longer to be done"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="rescorings")
    runs = models.PositiveSmallIntegerField(help_text="how many runs it had when this was asked for")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission"], condition=Q(state="waiting"), name="submissions_one_waiting_rescoring"
            )
        ]
        indexes = [models.Index(fields=["state", "created_at"])]

    def __str__(self) -> str:
        return f"{self.submission}, once more"


class StarterKit(Work):
    """Starter kit of a phase as a ZIP archive, generated on request and again when its content changes."""

    phase = models.OneToOneField(Phase, on_delete=models.CASCADE, related_name="starter_kit")
    digest = models.CharField(max_length=64, help_text="SHA-256 of everything that the kit is generated from")
    content = models.BinaryField(default=bytes)
    problem = models.CharField(max_length=300, blank=True, help_text="for readers: why there is no kit")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    made_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"Starter kit of {self.phase}"
