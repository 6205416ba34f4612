"""Registrations, their versions, and what hangs on them."""

import json
from typing import Any

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.conversations.models import Thread
from core.work.models import Work


class YearCount(models.Model):
    """Number of identifiers issued in a year.

    The row is locked while the next identifier is issued.
    """

    year = models.PositiveSmallIntegerField(primary_key=True)
    last = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.year}: {self.last}"


class Registration(models.Model):
    """The public record of an accepted design.

    The record is permanent, regardless of the outcome of the challenge (REG-12).
    """

    class State(models.TextChoices):
        """State of the record."""

        COMMENT_PERIOD = "comment_period", "open for comments"
        REGISTERED = "registered", "registered"
        WITHDRAWN = "withdrawn", "withdrawn"
        ABANDONED = "abandoned", "abandoned"

    identifier = models.CharField(max_length=40, unique=True, editable=False)
    slug = models.SlugField(max_length=80, unique=True, help_text="readable name that leads to the same page")
    year = models.PositiveSmallIntegerField(editable=False, help_text="year of the registration")
    number = models.PositiveIntegerField(editable=False, help_text="counted within the year")
    design = models.OneToOneField("designs.Design", on_delete=models.PROTECT, related_name="registration")
    filing = models.OneToOneField(
        "reviews.Filing",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="registration",
        help_text="the accepted filing that it comes from",
    )
    state = models.CharField(max_length=20, choices=State, default=State.REGISTERED)
    reason = models.TextField(blank=True, help_text="why it was withdrawn or abandoned; public")
    state_changed_at = models.DateTimeField(default=timezone.now, editable=False)
    comment_until = models.DateTimeField(null=True, blank=True, help_text="end of the comment period")
    previous_edition = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.PROTECT, related_name="next_editions"
    )
    is_embargoed = models.BooleanField(
        default=False, help_text="the public sees identifier, dates and digests only, until the organizers end it"
    )
    embargo_ended_at = models.DateTimeField(null=True, blank=True, editable=False)
    is_example = models.BooleanField(default=False, help_text="registered by an administrator, without a call")
    registered_at = models.DateTimeField(default=timezone.now, editable=False)
    registered_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    threads = GenericRelation(Thread)

    class Meta:
        ordering = ["-registered_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["year", "number"], name="registry_number_once_a_year"),
            models.CheckConstraint(
                condition=~Q(state__in=["withdrawn", "abandoned"]) | ~Q(reason=""),
                name="registry_end_has_a_reason",
            ),
            models.CheckConstraint(
                condition=~Q(state="comment_period") | Q(comment_until__isnull=False),
                name="registry_comment_period_has_an_end",
            ),
            models.CheckConstraint(
                condition=Q(previous_edition__isnull=True) | ~Q(previous_edition=models.F("id")),
                name="registry_no_edition_precedes_itself",
            ),
        ]

    def __str__(self) -> str:
        return self.identifier

    def get_absolute_url(self) -> str:
        return reverse("registry:detail", args=[self.identifier])

    @property
    def is_final(self) -> bool:
        """True if the record is registered and its comment period, if any, is over."""
        return self.state == self.State.REGISTERED

    @property
    def is_ended(self) -> bool:
        """True if the challenge was withdrawn or abandoned."""
        return self.state in (self.State.WITHDRAWN, self.State.ABANDONED)


class RegistrationVersion(models.Model):
    """One immutable state of a registered design; triggers refuse changes (migration 0002).

    `canonical` is the public document as canonical JSON, byte for byte what the digest covers: without personal data,
    and with embargoed values by their digests. `sealed` keeps those values and their nonces until their event comes.
    """

    class Level(models.TextChoices):
        """The gravest class of what changed."""

        FIRST = "first", "first version"
        MINOR = "minor", "minor change"
        MAJOR = "major", "major change"
        CRITICAL = "critical", "critical change"

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="versions")
    previous = models.OneToOneField("self", null=True, on_delete=models.PROTECT, related_name="next")
    major = models.PositiveSmallIntegerField(default=1)
    minor = models.PositiveSmallIntegerField(default=0)
    level = models.CharField(max_length=10, choices=Level, default=Level.FIRST)
    note = models.TextField(blank=True, help_text="what changed and why; public")
    changes = models.JSONField(default=list, help_text="the changed parameters with their class, public")
    is_late = models.BooleanField(default=False, help_text="registered or changed later than it should be")
    is_deviation = models.BooleanField(default=False, help_text="critical, made after the first test submission")
    canonical = models.TextField()
    digest = models.CharField(max_length=64)
    schema = models.PositiveSmallIntegerField(help_text="schema number of the document")
    catalogue = models.CharField(max_length=20, help_text="version of the parameter catalogue")
    sealed = models.JSONField(default=dict)
    design_version = models.ForeignKey(
        "designs.DesignVersion", null=True, on_delete=models.PROTECT, related_name="registered_as"
    )
    registered_at = models.DateTimeField(default=timezone.now)
    registered_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-major", "-minor"]
        constraints = [
            models.UniqueConstraint(fields=["registration", "major", "minor"], name="registry_version_number_once"),
            models.UniqueConstraint(
                fields=["registration"], condition=Q(previous__isnull=True), name="registry_one_first_version"
            ),
            models.CheckConstraint(
                condition=Q(level="first", previous__isnull=True, major=1, minor=0)
                | Q(previous__isnull=False) & ~Q(level="first"),
                name="registry_first_version_is_1_0",
            ),
            models.CheckConstraint(
                condition=Q(is_deviation=False) | Q(level="critical"), name="registry_deviations_are_critical"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.registration.identifier}, version {self.number}"

    def get_absolute_url(self) -> str:
        return reverse("registry:version", args=[self.registration.identifier, self.number])

    @property
    def number(self) -> str:
        """The number that people read: 1.0."""
        return f"{self.major}.{self.minor}"

    @property
    def document(self) -> dict[str, Any]:
        """The public document as JSON values."""
        data: dict[str, Any] = json.loads(self.canonical)
        return data


class Disclosure(models.Model):
    """An embargoed value that became public after its event.

    Value and nonce are public, so anyone can recompute the digest. Rows are only ever added; triggers refuse
    changes.
    """

    version = models.ForeignKey(RegistrationVersion, on_delete=models.PROTECT, related_name="disclosures")
    place = models.CharField(max_length=160, help_text="task key or “challenge”, a slash, the parameter")
    event = models.CharField(max_length=120)
    value = models.JSONField()
    nonce = models.CharField(max_length=32)
    opened_at = models.DateTimeField(default=timezone.now)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["opened_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["version", "place"], name="registry_disclosed_once")]

    def __str__(self) -> str:
        return f"{self.place} of {self.version}"

    @property
    def task(self) -> str | None:
        """Key of the task; ``None`` for the challenge."""
        where = self.place.split("/", 1)[0]
        return None if where == "challenge" else where

    @property
    def parameter(self) -> str:
        """The parameter that was withheld."""
        return self.place.split("/", 1)[1]


class VersionFile(models.Model):
    """A file created once from a version, in the private storage.

    The audit log contains its digest.
    """

    class Kind(models.TextChoices):
        """Content of the file."""

        PDF = "pdf", "the whole design"
        CHANGES = "changes", "the whole design with its changes highlighted"

    version = models.ForeignKey(RegistrationVersion, on_delete=models.PROTECT, related_name="files")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.PDF)
    name = models.CharField(max_length=200, help_text="in the private storage")
    size = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "kind"], name="registry_file_once")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.version}"


class Deposit(Work):
    """A version on its way into a repository that mints DOIs (REG-3). Each step is kept, so that none is done twice."""

    class State(models.TextChoices):
        """State of the deposit."""

        QUEUED = "queued", "waiting"
        PUBLISHED = "published", "published"
        FAILED = "failed", "given up"

    version = models.OneToOneField(RegistrationVersion, on_delete=models.PROTECT, related_name="deposit")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    external_id = models.CharField(
        max_length=60, blank=True, help_text="the repository's number of the draft or record"
    )
    doi = models.CharField("DOI", max_length=120, blank=True)
    concept_doi = models.CharField("DOI of all versions", max_length=120, blank=True)
    address = models.URLField(max_length=500, blank=True, help_text="page of the record")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["state", "due_at"])]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="published") | ~Q(doi="") & Q(published_at__isnull=False),
                name="registry_published_has_a_doi",
            )
        ]

    def __str__(self) -> str:
        return f"deposit of {self.version}, {self.state}"


class PublicRows(models.Manager[Any]):
    """Rows about registrations that are not under embargo: what lists, search and statistics show."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().exclude(registration__is_embargoed=True)


class Listing(models.Model):
    """A registration as lists, search, feed and exports show it. `objects` has none that is under embargo."""

    registration = models.OneToOneField(Registration, on_delete=models.CASCADE, related_name="listing")
    version = models.OneToOneField(RegistrationVersion, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=300)
    acronym = models.CharField(max_length=80, blank=True)
    edition = models.PositiveIntegerField(null=True, help_text="year of the challenge")
    venue = models.CharField(max_length=120, blank=True)
    venue_label = models.CharField(max_length=300, blank=True)
    abstract = models.TextField(blank=True)
    authors = models.JSONField(default=list, help_text="names and affiliations of the organizing team")
    tasks = models.JSONField(default=list, help_text="names of the tasks")
    figures = models.JSONField(default=list, help_text="what the statistics count, task by task")
    text = models.TextField(help_text="every public word, for the search")

    objects = PublicRows()
    everything = models.Manager["Listing"]()

    class Meta:
        indexes = [models.Index(fields=["edition"]), models.Index(fields=["venue"])]

    def __str__(self) -> str:
        return self.name


class Facet(models.Model):
    """One word by which a registration can be found: a modality, an anatomy, a category, a metric, a ranking scheme.

    `objects` has none of a registration under embargo.
    """

    class Kind(models.TextChoices):
        """Kind of property that the facet describes."""

        MODALITY = "modality", "imaging modality"
        ANATOMY = "anatomy", "anatomy"
        CATEGORY = "category", "task category"
        FIELD = "field", "field of application"
        METRIC = "metric", "metric"

    registration = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="facets")
    kind = models.CharField(max_length=10, choices=Kind)
    value = models.CharField(max_length=120)
    label = models.CharField(max_length=200)

    objects = PublicRows()
    everything = models.Manager["Facet"]()

    class Meta:
        ordering = ["kind", "label"]
        constraints = [models.UniqueConstraint(fields=["registration", "kind", "value"], name="registry_facet_once")]
        indexes = [models.Index(fields=["kind", "value"])]

    def __str__(self) -> str:
        return f"{self.kind}: {self.label}"


class Verification(models.Model):
    """One recomputation of the chain and of every stored digest, and what did not hold."""

    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(default=timezone.now)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    head_sequence = models.PositiveBigIntegerField(help_text="entries of the chain at that time")
    head_digest = models.CharField(max_length=64)
    counts = models.JSONField(default=dict, help_text="kind → how many digests were recomputed")
    problems = models.JSONField(default=list)

    class Meta:
        ordering = ["-finished_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.finished_at:%Y-%m-%d %H:%M}: {'holds' if self.holds else f'{len(self.problems)} problems'}"

    @property
    def holds(self) -> bool:
        """True if all recomputed values match the stored ones."""
        return not self.problems


class Statistics(models.Model):
    """The statistics over the registry as they were last counted; one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    counted_at = models.DateTimeField(default=timezone.now)
    content = models.JSONField(default=dict)

    class Meta:
        verbose_name_plural = "statistics"
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="registry_one_statistics")]

    def __str__(self) -> str:
        return f"statistics of {self.counted_at:%Y-%m-%d %H:%M}"


class Timestamp(models.Model):
    """Proof by a timestamp authority (RFC 3161) that the ends of both audit chains existed at a time.

    Rows are only ever added; triggers in the database refuse to change or delete them (migration 0005).
    """

    time = models.DateTimeField(help_text="as the authority states it")
    authority = models.CharField(max_length=300, help_text="address that was asked")
    entry_sequence = models.PositiveBigIntegerField()
    entry_digest = models.CharField(max_length=64)
    sealing_sequence = models.PositiveBigIntegerField()
    sealing_digest = models.CharField(max_length=64)
    response = models.BinaryField(help_text="the signed response, DER")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"entry {self.entry_sequence} at {self.time:%Y-%m-%d %H:%M:%S}"
