"""Files of forms that were sent before the form: in pieces, so that a broken line costs none of them."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from datastore.uploads.models.incoming import Incoming


class FormFile(Incoming):
    """A file that a person uploaded and submits with a form; kept until then, or until it expires.

    Only its sender can access it, and it has no effect before a form references it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(condition=Q(offset__lte=F("size")), name="uploads_form_file_within_size"),
            models.CheckConstraint(
                condition=~Q(state="complete") | Q(offset=F("size")), name="uploads_complete_form_file_is_whole"
            ),
        ]
        indexes = [models.Index(fields=["state", "expires_at"])]
