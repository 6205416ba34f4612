"""What search and lists read: a projection of the current version, written by one service and made anew at any time."""

from django.db import models

from registry.models.registrations import Registration, RegistrationVersion


class Listing(models.Model):
    """A registration as lists, search, feed and exports show it."""

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

    class Meta:
        indexes = [models.Index(fields=["edition"]), models.Index(fields=["venue"])]

    def __str__(self) -> str:
        return self.name


class Facet(models.Model):
    """One word by which a registration can be found: a modality, an anatomy, a category, a metric, a ranking scheme."""

    class Kind(models.TextChoices):
        """What the word says."""

        MODALITY = "modality", "imaging modality"
        ANATOMY = "anatomy", "anatomy"
        CATEGORY = "category", "task category"
        FIELD = "field", "field of application"
        METRIC = "metric", "metric"

    registration = models.ForeignKey(Registration, on_delete=models.CASCADE, related_name="facets")
    kind = models.CharField(max_length=10, choices=Kind)
    value = models.CharField(max_length=120)
    label = models.CharField(max_length=200)

    class Meta:
        ordering = ["kind", "label"]
        constraints = [models.UniqueConstraint(fields=["registration", "kind", "value"], name="registry_facet_once")]
        indexes = [models.Index(fields=["kind", "value"])]

    def __str__(self) -> str:
        return f"{self.kind}: {self.label}"
