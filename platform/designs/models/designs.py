"""A design, its tasks, and the people who write it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone


class Design(models.Model):
    """The design of a challenge: one document with values of the challenge and of any number of tasks."""

    slug = models.SlugField(max_length=80, unique=True)
    title = models.CharField(max_length=200, help_text="working title; the challenge's name is a value of the document")
    is_public = models.BooleanField(default=False, help_text="everybody may read it, for example an example design")
    legacy_import = models.BooleanField(
        default=False,
        help_text="taken from a document that was written without this platform; open points are expected",
    )
    origin = models.JSONField(default=dict, blank=True, help_text="sources, provenance and discrepancies of an import")
    copied_from = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="copies")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    changed_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-changed_at"]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("designs:detail", args=[self.slug])


class DesignTask(models.Model):
    """A task; its key stays when its name changes, and a removed task stays in the history."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="tasks")
    key = models.SlugField(max_length=60)
    position = models.PositiveSmallIntegerField(default=1)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [models.UniqueConstraint(fields=["design", "key"], name="designs_task_key_unique")]

    def __str__(self) -> str:
        return f"{self.design.slug}/{self.key}"


class Role(models.TextChoices):
    """What a collaborator may do: owners also decide about people and versions."""

    OWNER = "owner", "owner"
    EDITOR = "editor", "editor"
    READER = "reader", "reader"


class Collaborator(models.Model):
    """A person's part in a design."""

    Role = Role

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="collaborators")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="design_roles")
    role = models.CharField(max_length=10, choices=Role, default=Role.EDITOR)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["joined_at"]
        constraints = [models.UniqueConstraint(fields=["design", "user"], name="designs_collaborator_once")]

    def __str__(self) -> str:
        return f"{self.user}, {self.role} of {self.design}"


class Invitation(models.Model):
    """An invitation by e-mail; the token is stored as a hash and stands in the letter alone."""

    design = models.ForeignKey(Design, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role, default=Role.EDITOR)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(accepted_at__isnull=True) | Q(withdrawn_at__isnull=True),
                name="designs_invitation_accepted_or_withdrawn",
            ),
            models.UniqueConstraint(
                fields=["design", "email"],
                condition=Q(accepted_at__isnull=True, withdrawn_at__isnull=True),
                name="designs_one_open_invitation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} to {self.design}"

    @property
    def is_open(self) -> bool:
        """Whether it can still be accepted."""
        return self.accepted_at is None and self.withdrawn_at is None and timezone.now() < self.expires_at
