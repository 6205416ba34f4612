"""Reports of problems with a case, and the answers of the organizers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from challenges.models import Phase


class CaseReport(models.Model):
    """A report that something is wrong with a case of a phase: read by organizers and its author, counted in public.

    The case is named and not linked: a report outlives the version of the test set that it was made about.
    """

    class Category(models.TextChoices):
        """Kind of the reported problem."""

        REFERENCE = "reference", "the reference looks wrong"
        IMAGE = "image", "the image is damaged"
        DUPLICATE = "duplicate", "it is a duplicate of another case"
        DEFINITION = "definition", "it does not meet the definition of a case"
        OTHER = "other", "something else"

    class State(models.TextChoices):
        """State of the report."""

        OPEN = "open", "open"
        CONFIRMED = "confirmed", "confirmed"
        DISMISSED = "dismissed", "dismissed"

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="case_reports")
    case = models.CharField(max_length=150)
    category = models.CharField(max_length=12, choices=Category)
    text = models.TextField(max_length=2000, help_text="what was seen, and where")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now, editable=False)
    state = models.CharField(max_length=10, choices=State, default=State.OPEN)
    answer = models.TextField(blank=True, max_length=2000)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["-made_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["phase", "case", "category", "user"],
                condition=Q(state="open"),
                name="test_sets_one_open_report_a_person_and_case",
            ),
            models.CheckConstraint(
                condition=Q(state="open") | ~Q(answer=""), name="test_sets_answered_report_has_an_answer"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case}: {self.get_category_display()}"
