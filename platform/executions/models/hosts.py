"""Machines that run algorithms."""

from datetime import timedelta

from django.db import models
from django.utils import timezone

from challenges.models import Challenge

SILENT = timedelta(seconds=60)


def on_runs() -> list[str]:
    """Queues of a machine that only runs algorithms."""
    return ["run"]


class RunHost(models.Model):
    """A machine with an engine, as its worker found it: what holds, what it offers, and when it was last heard of."""

    name = models.CharField(max_length=100, unique=True)
    title = models.CharField(max_length=100, blank=True, help_text="name for people; by default the name")
    challenge = models.ForeignKey(
        Challenge,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="the only challenge that it serves; empty: all challenges",
    )
    engine = models.CharField(max_length=20, blank=True)
    versions = models.JSONField(default=dict, help_text="of the engine, the runtime and the kernel")
    queues = models.JSONField(default=on_runs, help_text="run: it runs algorithms; judge: it runs scoring images")
    is_ready = models.BooleanField(default=False, help_text="whether everything that has to hold does")
    findings = models.JSONField(default=dict, help_text="requirement → what is wrong with it; empty: it holds")
    problem = models.CharField(max_length=500, blank=True, help_text="why it runs nothing")
    slots = models.JSONField(default=dict, help_text="cores, memory and devices that it offers")
    seen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.title or self.name

    @property
    def is_silent(self) -> bool:
        """True if the machine has not reported for so long that it is considered unavailable."""
        return self.seen_at < timezone.now() - SILENT
