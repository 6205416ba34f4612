"""A submission on its way in."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from challenges.models import Phase, Team
from submissions.models.incoming import Incoming


class Upload(Incoming):
    """Bytes of an archive arriving in pieces; becomes exactly one submission when complete."""

    phase = models.ForeignKey(Phase, on_delete=models.CASCADE, related_name="uploads")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="uploads")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    accept_incomplete = models.BooleanField(default=False, help_text="score without asking when cases are missing")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("size")), name="submissions_upload_within_size"),
            models.CheckConstraint(
                condition=~Q(state="complete") | Q(offset=F("size")), name="submissions_complete_upload_is_whole"
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]
