"""Findings about the test set in an archive, and the answers of the owners before it is sealed."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from datastore.test_sets.models.archives import TestSetArchive
from evaluation.test_set_quality.findings import RULES, Rule


class SanityFinding(models.Model):
    """A finding of the check before sealing. An archive is sealed after all of its findings are accepted.

    Findings are kept after the decision about the archive, and their pictures are deleted with it.
    """

    archive = models.ForeignKey(TestSetArchive, on_delete=models.CASCADE, related_name="findings")
    position = models.PositiveIntegerField()
    check_id = models.CharField(max_length=30, help_text="id of the check in evaluation.test_set_quality.findings")
    case = models.CharField(max_length=150)
    region = models.CharField(max_length=60, blank=True)
    value = models.TextField(help_text="what was measured, with units")
    others = models.JSONField(default=list, help_text="other cases that the finding is about")
    picture = models.CharField(max_length=200, blank=True, editable=False, help_text="encrypted picture of the case")
    answer = models.TextField(blank=True, max_length=1000)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["archive", "position"]
        constraints = [
            models.UniqueConstraint(fields=["archive", "position"], name="test_sets_finding_position_once"),
            models.CheckConstraint(
                condition=Q(answered_at__isnull=False, answered_by__isnull=False)
                | Q(answered_at__isnull=True, answered_by__isnull=True, answer=""),
                name="test_sets_accepted_finding_names_its_person",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.check_id}: {self.case}"

    @property
    def rule(self) -> Rule:
        """Title, reason and remedy."""
        return RULES[self.check_id]

    @property
    def is_open(self) -> bool:
        """True until a person has accepted the finding."""
        return self.answered_at is None
