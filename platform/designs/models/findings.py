"""What workers find out for a design: what references hold, what a simulation could tell apart, which web addresses answer."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from designs.models.designs import DesignTask
from work.models import Work


class Scan(Work):
    """One look at references: counts and sizes are kept, the files that were uploaded for it are not.

    What it holds may come from a hidden test set, so only those who write the design see it.
    """

    class State(models.TextChoices):
        """Where it stands."""

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
        """Whether nothing changes any more."""
        return self.state in (self.State.DONE, self.State.FAILED)


class Simulation(Work):
    """One simulation of a task with the assessment that was compiled when it was asked for."""

    class State(models.TextChoices):
        """Where it stands."""

        QUEUED = "queued", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"

    task = models.ForeignKey(DesignTask, on_delete=models.CASCADE, related_name="simulations")
    assessment = models.JSONField()
    options = models.JSONField(help_text="cases, teams, spread or pilot")
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    finished = models.PositiveIntegerField(default=0)
    pieces = models.PositiveIntegerField(default=0)
    result = models.JSONField(null=True, blank=True)
    problem = models.TextField(blank=True)
    requested_at = models.DateTimeField(default=timezone.now)
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-requested_at", "-pk"]

    def __str__(self) -> str:
        return f"simulation of {self.task}"

    @property
    def is_over(self) -> bool:
        """Whether nothing changes any more."""
        return self.state in (self.State.DONE, self.State.FAILED)


class LinkAnswer(models.Model):
    """The last answer of an address; written by the task that asks, read by the checks."""

    url = models.CharField(max_length=2000, unique=True)
    works = models.BooleanField()
    status = models.PositiveSmallIntegerField(null=True)
    words = models.CharField(max_length=200, blank=True)
    asked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.url}: {'works' if self.works else self.words}"
