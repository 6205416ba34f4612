"""A simulated challenge: what the design of a task could tell apart."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from designs.models.designs import DesignTask
from work.models import Work


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
