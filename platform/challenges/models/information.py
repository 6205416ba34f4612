"""Pages and pictures of organizers, such as questions and answers, prizes, sponsors, a logo and a banner."""

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


class ChallengePicture(models.Model):
    """A logo or banner of a challenge, as uploaded but without metadata. Its digest is also in the challenge, so that pages need no query."""

    class Kind(models.TextChoices):
        LOGO = "logo", "logo"
        BANNER = "banner", "banner"

    challenge = models.ForeignKey(Challenge, on_delete=models.CASCADE, related_name="pictures")
    kind = models.CharField(max_length=6, choices=Kind)
    content = models.BinaryField(max_length=512 * 1024)
    media_type = models.CharField(max_length=10)
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["challenge", "kind"], name="challenges_one_picture_of_a_kind")]

    def __str__(self) -> str:
        return f"{self.kind} of {self.challenge}"
