"""The hidden references of a phase."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Phase


class TestSet(models.Model):
    """One sealed version of the cases that a phase requires, with their references.

    The digest covers the manifest: case names, order, digests of references, geometry and metadata, which
    cases are decoys, who annotated them and how annotations were merged. For references in one table, each
    case has a digest of the whole table. The digest contains a salt. A published digest therefore reveals
    nothing to a person who tries all possible references. A sealed test set is never changed; a replaced
    reference makes a new version.
    """

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="test_sets")
    version = models.PositiveSmallIntegerField(default=1)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    sealed_at = models.DateTimeField(null=True, blank=True, editable=False)
    manifest_digest = models.CharField(max_length=64, blank=True, editable=False)
    is_active = models.BooleanField(default=False, help_text="the version that new runs are scored against")
    undone_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="when the sealing was undone, before anything was submitted"
    )
    shared = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="what all cases of a classification or detection have in common, such as the names of the classes",
    )
    salt = models.CharField(max_length=64, blank=True, editable=False, help_text="secret part of the manifest")
    merge_rule = models.CharField(
        max_length=30, blank=True, editable=False, help_text="how the references of several annotators became one"
    )
    change_request = models.ForeignKey(
        "changes.ChangeRequest",
        null=True,
        blank=True,
        editable=False,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="the approved change of the registration that allowed this replacement",
    )

    # Keeps pytest from taking the model for a class of tests.
    __test__ = False

    class Meta:
        ordering = ["phase", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["phase", "version"], name="test_sets_version_unique"),
            models.UniqueConstraint(
                fields=["phase"], condition=Q(is_active=True), name="test_sets_one_active_test_set"
            ),
            models.CheckConstraint(
                condition=Q(is_active=False) | (Q(sealed_at__isnull=False) & ~Q(manifest_digest="")),
                name="test_sets_active_test_set_is_sealed",
            ),
            models.CheckConstraint(
                condition=Q(undone_at__isnull=True) | Q(is_active=False, sealed_at__isnull=False),
                name="test_sets_undone_test_set_was_sealed_and_is_not_in_use",
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
    is_decoy = models.BooleanField(default=False, help_text="asked for like any other case, and not scored")

    __test__ = False

    class Meta:
        ordering = ["test_set", "position"]
        constraints = [
            models.UniqueConstraint(fields=["test_set", "name"], name="test_sets_case_name_unique"),
            models.UniqueConstraint(fields=["test_set", "position"], name="test_sets_case_position_unique"),
        ]

    def __str__(self) -> str:
        return self.name

    def manifest_entry(self) -> dict[str, Any]:
        """Return the part of the test set's digest that covers this case; load annotations with the case."""
        return {
            "case": self.name,
            "position": self.position,
            "reference": self.reference_sha256,
            "geometry": self.geometry,
            "metadata": self.metadata,
            "decoy": self.is_decoy,
            "annotators": {entry.annotator: entry.reference_sha256 for entry in self.annotations.all()},
        }


class Annotation(models.Model):
    """The reference of a case by one annotator, next to the merged reference.

    Behaves like a `TestCase` when a reference is prepared for scoring.
    """

    case = models.ForeignKey(TestCase, on_delete=models.CASCADE, related_name="annotations")
    annotator = models.CharField(max_length=60, help_text="an identifier, not the name of a person")
    reference_file = models.CharField(max_length=300)
    reference_sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["case", "annotator"]
        constraints = [
            models.UniqueConstraint(fields=["case", "annotator"], name="test_sets_annotator_once_a_case"),
        ]

    def __str__(self) -> str:
        return f"{self.case} by {self.annotator}"

    @property
    def name(self) -> str:
        return self.case.name

    @property
    def geometry(self) -> dict[str, Any]:
        return self.case.geometry

    @property
    def test_set(self) -> TestSet:
        return self.case.test_set
