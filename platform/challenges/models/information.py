"""Pages that organizers write themselves, such as questions and answers, prizes and sponsors."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from challenges.models.challenges import Challenge


class InformationPage(models.Model):
    """A page of the organizers. It states nothing that is executed: rules come from the registered design."""

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="information_pages")
    slug = models.SlugField(max_length=60)
    title = models.CharField(max_length=60)
    text = models.TextField(max_length=20_000, help_text="Markdown")
    position = models.PositiveSmallIntegerField(default=1)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["position", "pk"]
        constraints = [models.UniqueConstraint(fields=["challenge", "slug"], name="challenges_page_address_once")]

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("challenges:information_page", args=[self.challenge.slug, self.slug])
