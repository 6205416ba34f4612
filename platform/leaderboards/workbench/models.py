"""Uploaded results tables and their analyses."""

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from core.work.models import Work


def new_key() -> str:
    """Return a part of an address that cannot be guessed (24 random bytes)."""
    return secrets.token_urlsafe(24)


def end_of_keeping() -> datetime:
    """Until when what is not kept on purpose stays."""
    return timezone.now() + timedelta(days=settings.PODIUM_ANALYSES_DAYS)


class BroughtTable(Work):
    """A results table with the questions that it leaves open, and in the end its board, figures and files."""

    class State(models.TextChoices):
        """State of the analysis."""

        READING = "reading", "being read"
        ASKING = "asking", "waiting for your answers"
        COMPUTING = "computing", "being computed"
        DONE = "done", "done"
        REFUSED = "refused", "cannot be read"
        FAILED = "failed", "failed"

    OPEN = (State.READING, State.COMPUTING)

    key = models.CharField(max_length=43, unique=True, default=new_key, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="brought_tables")
    title = models.CharField(max_length=120)
    file_name = models.CharField(max_length=120)
    stored = models.CharField(max_length=200, help_text="the file as it came, in the private storage")
    state = models.CharField(max_length=12, choices=State, default=State.READING)
    refusal = models.TextField(blank=True, help_text="for its owner: why the table cannot be analysed, and the remedy")
    roles = models.JSONField(default=dict, blank=True, help_text="what each column is, as confirmed")
    reading = models.JSONField(default=dict, blank=True, help_text="columns with samples and roles, facts, suggestions")
    choices = models.JSONField(default=list, blank=True, help_text="direction and missing rule of each metric")
    outcome = models.JSONField(default=dict, blank=True, help_text="board, sentences, gaming check, digest")
    files = models.JSONField(default=dict, blank=True, help_text="stored files by what they are")
    figures = models.JSONField(default=dict, blank=True, help_text="stored figures by name and order")
    is_shared = models.BooleanField(default=False, help_text="whoever has the address reads it")
    is_kept = models.BooleanField(default=False, help_text="not deleted when its time is over")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(default=end_of_keeping)
    finished_at = models.DateTimeField(null=True, blank=True)
    seconds = models.FloatField(null=True, blank=True, help_text="what computing took")

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=~Q(state="done") | Q(finished_at__isnull=False), name="workbench_done_has_a_moment"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("workbench:table", args=[self.key])

    @property
    def is_under_way(self) -> bool:
        """True if a worker is requested for the table or is processing it."""
        return self.state in self.OPEN

    @property
    def is_done(self) -> bool:
        """True if there is a result to show."""
        return self.state == self.State.DONE
