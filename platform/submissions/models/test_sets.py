"""The hidden references of a phase."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Phase


class TestSet(models.Model):
    """One sealed version of the cases that a phase asks for, with their references.

    The digest covers the manifest: case names, order, digests of references, geometry and metadata. Of references in one
    table, each case has a digest of the whole table. A sealed test set is
    never changed; a replaced reference makes a new version.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="test_sets")
    version = models.PositiveSmallIntegerField(default=1)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    sealed_at = models.DateTimeField(null=True, blank=True, editable=False)
    manifest_digest = models.CharField(max_length=64, blank=True, editable=False)
    is_active = models.BooleanField(default=False, help_text="the version that new runs are scored against")
    shared = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="what all cases of a classification or detection have in common, such as the names of the classes",
    )

    # Keeps pytest from taking the model for a class of tests.
    __test__ = False

    class Meta:
        ordering = ["phase", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "version"], name="submissions_test_set_version_unique"),
            models.UniqueConstraint(
                fields=["phase"], condition=Q(is_active=True), name="submissions_one_active_test_set"
            ),
            models.CheckConstraint(
                condition=Q(is_active=False) | (Q(sealed_at__isnull=False) & ~Q(manifest_digest="")),
                name="submissions_active_test_set_is_sealed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"


class TestCase(models.Model):
    """A case with its reference; where both are kept is never shown to anyone."""

    test_set = models.ForeignKey(TestSet, on_delete=models.CASCADE, related_name="cases")
    name = models.CharField(max_length=150)
    position = models.PositiveIntegerField()
    reference_file = models.CharField(max_length=300)
    reference_sha256 = models.CharField(max_length=64)
    image_file = models.CharField(max_length=300, blank=True, help_text="for pictures")
    geometry = models.JSONField(
        blank=True,
        help_text="shape, spacing (mm, in array-axis order) and affine of the reference; the kind of objects of a detection",
    )
    metadata = models.JSONField(default=dict)

    __test__ = False

    class Meta:
        ordering = ["test_set", "position"]
        constraints = [
            models.UniqueConstraint(fields=["test_set", "name"], name="submissions_case_name_unique"),
            models.UniqueConstraint(fields=["test_set", "position"], name="submissions_case_position_unique"),
        ]

    def __str__(self) -> str:
        return self.name

    def manifest_entry(self) -> dict[str, Any]:
        """What the digest of the test set covers of this case."""
        return {
            "case": self.name,
            "position": self.position,
            "reference": self.reference_sha256,
            "geometry": self.geometry,
            "metadata": self.metadata,
        }
