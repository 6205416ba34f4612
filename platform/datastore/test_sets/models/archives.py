"""Archives that organizers send to be sealed."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from challenges.models import Phase
from core.work.models import Work
from datastore.test_sets.models.test_sets import TestSet
from datastore.uploads.models.incoming import Incoming


class TestSetArchive(Work):
    """An archive of references that becomes one version of a test set, or is refused with a list of problems.

    The archive is first read, and its content is shown. An owner then confirms that it is sealed, or discards
    it. The archive is kept encrypted until that decision, and then deleted. Sealed content is kept case by
    case.
    """

    class State(models.TextChoices):
        WAITING = "waiting", "waiting for a worker"
        CHECKING = "checking", "being checked"
        READ = "read", "read, not sealed yet"
        SEALED = "sealed", "sealed"
        REFUSED = "refused", "refused"
        DISCARDED = "discarded", "discarded"

    OPEN = (State.WAITING, State.CHECKING)
    """Those that a worker has something to do for."""
    UNDECIDED = (*OPEN, State.READ)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="test_set_archives")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    file_name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    replaces = models.BooleanField(help_text="takes the place of a version that is there")
    reason = models.TextField(blank=True)
    merge_rule = models.CharField(
        max_length=30, blank=True, help_text="how references of several annotators become one, where no design says it"
    )
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    problems = models.TextField(blank=True, help_text="for organizers: one problem a line")
    pieces = models.JSONField(editable=False, help_text="the files that the archive is kept in, in their order")
    reading = models.JSONField(null=True, blank=True, editable=False, help_text="what was read, for who decides")
    progress = models.JSONField(
        default=dict, blank=True, editable=False, help_text="of the check: step, cases done, and all cases"
    )
    confirmed_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="when an owner said that what was read is to be sealed"
    )
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, editable=False, on_delete=models.PROTECT, related_name="+"
    )
    test_set = models.OneToOneField(TestSet, null=True, blank=True, on_delete=models.CASCADE, related_name="archive")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    # Keeps pytest from taking the model for a class of tests.
    __test__ = False

    found: int
    """Number of findings, where `queries.findings.mark_open` has set it."""
    unanswered: int
    """Number of open findings, where `queries.findings.mark_open` has set it."""

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            # Two at once could each be right about the version that they replace and wrong together.
            models.UniqueConstraint(
                fields=["phase"],
                condition=Q(state__in=["waiting", "checking", "read"]),
                name="test_sets_one_open_archive",
            ),
            models.CheckConstraint(
                condition=Q(replaces=False) | ~Q(reason=""), name="test_sets_replacement_has_a_reason"
            ),
            models.CheckConstraint(
                condition=Q(state="sealed", test_set__isnull=False) | ~Q(state="sealed") & Q(test_set__isnull=True),
                name="test_sets_archive_with_test_set_exactly_when_sealed",
            ),
            models.CheckConstraint(
                condition=~Q(state="sealed") | Q(confirmed_at__isnull=False, reading__isnull=False),
                name="test_sets_archive_is_sealed_after_its_reading_was_confirmed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.file_name} for {self.phase}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def is_read(self) -> bool:
        return self.state == self.State.READ

    @property
    def files(self) -> list[str]:
        """Everything that is stored of it until it is decided."""
        previews = (preview["file"] for preview in (self.reading or {}).get("previews", ()))
        return [
            *self.pieces,
            *previews,
            *dict.fromkeys(self.findings.exclude(picture="").values_list("picture", flat=True)),
        ]

    @property
    def problem_lines(self) -> list[str]:
        return self.problems.splitlines()


class TestSetUpload(Incoming):
    """An incomplete upload of an archive of references; becomes exactly one `TestSetArchive` when complete.

    Received data is encrypted piece by piece. No reference is unencrypted on a disk for longer than its piece
    takes.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="test_set_uploads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    merge_rule = models.CharField(max_length=30, blank=True)
    pieces = models.JSONField(default=list, editable=False, help_text="the encrypted files, in their order")
    archive = models.OneToOneField(
        TestSetArchive, null=True, blank=True, on_delete=models.SET_NULL, related_name="upload"
    )

    # Keeps pytest from taking the model for a class of tests.
    __test__ = False

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("size")), name="test_sets_upload_within_size"),
            models.CheckConstraint(
                condition=~Q(state="complete") | Q(offset=F("size")),
                name="test_sets_complete_test_set_upload_is_whole",
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]
