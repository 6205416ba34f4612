"""Designs, their versions, the values of their fields and the comments on them."""

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.conversations.models import Thread
from accounts.people.models import Invitation
from core.work.models import Work
from evaluation.designs.catalogue import TEXTS
from evaluation.designs.document import Entry, State

STATES = [(str(state), state.label) for state in State]


class Design(models.Model):
    """The design of a challenge: one document with values of the challenge and of any number of tasks."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200, help_text="working title; the challenge's name is a value of the document")
    is_public = models.BooleanField(default=False, help_text="everybody may read it, for example an example design")
    legacy_import = models.BooleanField(
        default=False,
        help_text="taken from a document that was written without this platform; open points are expected",
    )
    origin = models.JSONField(default=dict, blank=True, help_text="sources, provenance and discrepancies of an import")
    copied_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="copies")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now, editable=False)
    invitations = GenericRelation(Invitation)
    threads = GenericRelation(Thread)

    class Meta:
        ordering = ["-changed_at"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("designs:detail", args=[self.slug])


class DesignTask(models.Model):
    """A task; its key stays when its name changes, and a removed task stays in the history."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="tasks")
    key = models.SlugField(max_length=60)
    position = models.PositiveSmallIntegerField(default=1)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [models.UniqueConstraint(fields=["design", "key"], name="designs_task_key_unique")]

    def __str__(self) -> str:
        return f"{self.design.slug}/{self.key}"


class Role(models.TextChoices):
    """Permissions of a collaborator; owners also manage people and versions."""

    OWNER = "owner", "owner"
    EDITOR = "editor", "editor"
    READER = "reader", "reader"


class Collaborator(models.Model):
    """A person's part in a design."""

    Role = Role

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="collaborators")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="design_roles")
    role = models.CharField(max_length=10, choices=Role, default=Role.EDITOR)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["joined_at"]
        constraints = [models.UniqueConstraint(fields=["design", "user"], name="designs_collaborator_once")]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.design}"


class TaskAnswers(models.Model):
    """Fingerprint of a task: answers and choices by the ids of the recommender.

    `null` means “I do not know”.
    `classes` contains answers that differ for a region or class, by its name.
    `reasons` contains the reasons for departures from the recommendation, by the text of the departure.
    Another departure needs another reason.
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


class FieldValue(models.Model):
    """Current value of a parameter, for the challenge or for one task.

    `revision` counts the saves of this field. Each save names the revision that the writer saw.
    Two people who edit the same field are therefore notified of each other.
    Two people who edit different fields are not.
    """

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="fields")
    task = models.ForeignKey(DesignTask, null=True, blank=True, on_delete=models.CASCADE, related_name="fields")
    parameter = models.CharField(max_length=80)
    state = models.CharField(max_length=20, choices=STATES, default=str(State.BLANK))
    value = models.JSONField(null=True, blank=True)
    details = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    until = models.DateField(null=True, blank=True)
    event = models.CharField(max_length=120, blank=True)
    nonce = models.CharField(max_length=32, blank=True, editable=False)
    digest = models.CharField(max_length=64, blank=True, editable=False)
    revision = models.PositiveIntegerField(default=0)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["design", "task", "parameter"],
                condition=Q(task__isnull=False),
                name="designs_one_value_a_task_and_parameter",
            ),
            models.UniqueConstraint(
                fields=["design", "parameter"],
                condition=Q(task__isnull=True),
                name="designs_one_value_a_challenge_parameter",
            ),
            models.CheckConstraint(
                condition=~Q(state=str(State.NOT_APPLICABLE)) | ~Q(reason=""),
                name="designs_not_applicable_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(state=str(State.FOLLOWS)) | Q(until__isnull=False), name="designs_follows_has_a_date"
            ),
            models.CheckConstraint(
                condition=~Q(state=str(State.EMBARGOED)) | ~Q(event="") & ~Q(digest=""),
                name="designs_embargo_has_event_and_digest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.parameter} of {self.task or self.design}"

    @property
    def entry(self) -> Entry:
        """The field as the document sees it."""
        return Entry(
            value=self.value,
            details=self.details,
            state=State(self.state),
            reason=self.reason,
            until=self.until.isoformat() if self.until else "",
            event=self.event,
            digest=self.digest,
        )


class FieldChange(models.Model):
    """One save of one field: who, when, from, to. Rows are only ever added; triggers refuse changes."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="changes")
    task = models.ForeignKey(DesignTask, null=True, on_delete=models.CASCADE, related_name="+")
    parameter = models.CharField(max_length=80)
    revision = models.PositiveIntegerField()
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    time = models.DateTimeField(default=timezone.now)
    before = models.JSONField()
    after = models.JSONField()

    class Meta:
        ordering = ["-time", "-pk"]
        indexes = [models.Index(fields=["design", "parameter", "revision"])]

    def __str__(self) -> str:
        return f"{self.parameter}, revision {self.revision}"


class DesignVersion(models.Model):
    """A named version: the document as canonical JSON with its SHA-256. Triggers refuse changes.

    `sealed` holds values and nonces of what is embargoed; the document names them by their digests, so that its own
    digest can be public from the first day.
    """

    design = models.ForeignKey(Design, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    note = models.TextField(blank=True)
    document = models.JSONField()
    sealed = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)
    catalogue = models.CharField(max_length=20, help_text="version of the parameter catalogue")
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["design", "number"], name="designs_version_number_unique")]

    def __str__(self) -> str:
        return f"{self.design.title}, version {self.number}: {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("designs:version", args=[self.design.slug, self.number])


class OpenedEmbargo(models.Model):
    """The proof that an embargoed value is the one that was promised: SHA-256 of nonce and value gives the digest.

    Triggers refuse changes.
    """

    design = models.ForeignKey(Design, on_delete=models.PROTECT, related_name="opened_embargoes")
    task = models.ForeignKey(DesignTask, null=True, on_delete=models.PROTECT, related_name="+")
    parameter = models.CharField(max_length=80)
    digest = models.CharField(max_length=64)
    nonce = models.CharField(max_length=32)
    value = models.JSONField()
    event = models.CharField(max_length=120)
    promised_at = models.DateTimeField(help_text="when the digest was stored")
    opened_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["opened_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["design", "digest"], name="designs_embargo_opened_once")]

    def __str__(self) -> str:
        return f"{self.parameter} of {self.design}"


class Scan(Work):
    """One look at references: counts and sizes are kept, the files that were uploaded for it are not.

    What it holds may come from a hidden test set, so only those who write the design see it.
    """

    class State(models.TextChoices):
        """State of the scan."""

        QUEUED = "queued", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    task = models.ForeignKey(DesignTask, on_delete=models.CASCADE, related_name="scans")
    source = models.CharField(max_length=200, help_text="uploaded files, or the test set that was read")
    files = models.JSONField(default=list, help_text="uploads until they are read: role, name, place in the storage")
    plan = models.JSONField(help_text="kind of problem and regions as they stood")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    problem = models.TextField(blank=True)
    result = models.JSONField(null=True, blank=True)
    requested_at = models.DateTimeField(default=timezone.now)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-requested_at", "-pk"]

    def __str__(self) -> str:
        return f"scan of {self.source} for {self.task}"

    @property
    def is_over(self) -> bool:
        """True if the scan no longer changes."""
        return self.state in (self.State.DONE, self.State.FAILED)


class DesignComputation(Work):
    """Computation about a design that a worker does and a page follows.

    Attributes
    ----------
    finished, pieces
        Progress: parts that are done, and all parts.
    problem
        Reason of a failure, for the people who write the design.
    """

    class State(models.TextChoices):
        """State of the computation."""

        QUEUED = "queued", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    finished = models.PositiveIntegerField(default=0)
    pieces = models.PositiveIntegerField(default=0)
    result = models.JSONField(null=True, blank=True)
    problem = models.TextField(blank=True)
    requested_at = models.DateTimeField(default=timezone.now)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        abstract = True
        ordering = ["-requested_at", "-pk"]

    @property
    def is_over(self) -> bool:
        """True if the computation no longer changes."""
        return self.state in (self.State.DONE, self.State.FAILED)


class Simulation(DesignComputation):
    """Simulation of a task with the assessment that was compiled when the simulation was requested."""

    task = models.ForeignKey(DesignTask, on_delete=models.CASCADE, related_name="simulations")
    assessment = models.JSONField()
    options = models.JSONField(help_text="cases, teams, spread or pilot")

    def __str__(self) -> str:
        return f"simulation of {self.task}"


class Rehearsal(DesignComputation):
    """Rehearsal of one state of a design: sample data are sealed, submitted, scored and ranked as after the launch.

    Only the people who write the design and its reviewers see it.

    Attributes
    ----------
    version
        The frozen version that was rehearsed; None for the working document.
    digest
        SHA-256 of the rehearsed document, equal to that of a version with the same content.
    result
        Document of `evaluation.rehearsal.Rehearsal`, with the phases of each task.
    """

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="rehearsals")
    version = models.ForeignKey(DesignVersion, null=True, on_delete=models.CASCADE, related_name="rehearsals")
    digest = models.CharField(max_length=64)
    step = models.CharField(max_length=80, blank=True)

    def __str__(self) -> str:
        return f"rehearsal of {self.design}"

    @property
    def is_passed(self) -> bool:
        """True if the rehearsal ended without a problem."""
        return self.state == self.State.DONE and bool((self.result or {}).get("is_passed"))

    @property
    def has_failed(self) -> bool:
        """True if the rehearsal found a problem of the design."""
        return self.state == self.State.DONE and not self.is_passed


class SampleRehearsal(DesignComputation):
    """Rehearsal of a task with references and submissions of an organizer.

    References may belong to a hidden test set, so only the people who write the design see the result. Uploaded files
    are deleted after they were read.

    Attributes
    ----------
    assessment
        Assessment that was compiled when the rehearsal was requested.
    digest
        SHA-256 of the design document at that time.
    files
        Uploads until they are read: role, name and name in the private storage.
    result
        Document of `evaluation.rehearsal.TaskRehearsal`.
    """

    task = models.ForeignKey(DesignTask, on_delete=models.CASCADE, related_name="sample_rehearsals")
    assessment = models.JSONField()
    digest = models.CharField(max_length=64)
    files = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"rehearsal of {self.task} with own files"


class DesignImport(DesignComputation):
    """Import of a Word or PDF document into a design. The file is deleted after it was read.

    Attributes
    ----------
    stored
        Name of the file in the private storage; empty after it was read.
    result
        Passages that belong to no field, and notes about what was not read.
    """

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="imports")
    name = models.CharField(max_length=200, help_text="name of the file")
    stored = models.CharField(max_length=200, blank=True)
    sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"import of {self.name} into {self.design}"


class ImportedField(models.Model):
    """A value that a document proposes for a field, with the words of the document and the decision of a person.

    Attributes
    ----------
    proposal
        Value, details and state of the field as JSON, with ``suggestions`` and ``others``.
    question
        What a person must decide; empty for a value that the document states exactly.
    """

    class Decision(models.TextChoices):
        """Decision about a proposal."""

        NONE = "", "not decided"
        ACCEPTED = "accepted", "accepted"
        EDITED = "edited", "edited"
        OPEN = "open", "left open"

    source = models.ForeignKey(DesignImport, on_delete=models.CASCADE, related_name="fields")
    position = models.PositiveIntegerField()
    task = models.ForeignKey(DesignTask, null=True, on_delete=models.CASCADE, related_name="+")
    parameter = models.CharField(max_length=80)
    page = models.PositiveIntegerField(null=True)
    words = models.TextField()
    proposal = models.JSONField()
    question = models.TextField(blank=True)
    decision = models.CharField(max_length=10, choices=Decision, blank=True, default=Decision.NONE)
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["source", "position"], name="designs_imported_field_once")]

    def __str__(self) -> str:
        return f"{self.parameter} of {self.source}"


class LinkAnswer(models.Model):
    """The last answer of an address; written by the task that asks, read by the checks."""

    url = models.CharField(max_length=2000, unique=True)
    works = models.BooleanField()
    status = models.PositiveSmallIntegerField(null=True)
    words = models.CharField(max_length=200, blank=True)
    asked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.url}: {'works' if self.works else self.words}"


class CheckAnswer(models.Model):
    """Reason for not following a warning, which reviewers see and the report includes.

    It refers to the values at the time of the answer: `basis` is their digest.
    Once they change, the answer is shown as outdated.
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
    """Text of the form that replaces the shipped text.

    Unclear texts can therefore be corrected without deployment.
    """

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
