"""A design, its tasks, the people who write it, and what they answered about their problem."""

from django.conf import settings
from django.contrib.contenttypes.fields import GenericRelation
from django.db import models
from django.urls import reverse
from django.utils import timezone

from conversations.models import Thread
from people.models import Invitation


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
    invitations = GenericRelation(Invitation)
    threads = GenericRelation(Thread)

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


class TaskAnswers(models.Model):
    """The fingerprint of a task: answers and choices by the ids of the recommender; `null` is “I do not know”.

    `classes` holds answers that differ for a region or class, by its name. `reasons` says why the design departs from
    what is recommended, by the words of the departure: another departure needs another reason.
    """

    task = models.OneToOneField(DesignTask, on_delete=models.CASCADE, related_name="answers")
    answers = models.JSONField(default=dict, blank=True)
    choices = models.JSONField(default=dict, blank=True)
    classes = models.JSONField(default=dict, blank=True)
    reasons = models.JSONField(default=dict, blank=True)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "task answers"

    def __str__(self) -> str:
        return f"answers of {self.task}"
