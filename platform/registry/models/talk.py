"""What people say to a registration in its comment period (REG-15)."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from registry.models.registrations import Registration, RegistrationVersion


class Comment(models.Model):
    """A remark on a registered version and the organizers' answer; a hidden one keeps its place and the reason."""

    registration = models.ForeignKey(Registration, on_delete=models.PROTECT, related_name="comments")
    version = models.ForeignKey(RegistrationVersion, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    parameter = models.CharField(max_length=80, blank=True)
    text = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)
    hidden_reason = models.CharField(max_length=300, blank=True)
    hidden_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(answer="", answered_by__isnull=True) | ~Q(answer="") & Q(answered_by__isnull=False),
                name="registry_answer_has_an_author",
            ),
            models.CheckConstraint(
                condition=Q(hidden_by__isnull=True) | ~Q(hidden_reason=""), name="registry_hidden_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return f"comment of {self.author} on {self.version}"
