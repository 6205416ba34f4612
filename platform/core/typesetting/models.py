"""A document as a file of one format, made once."""

from django.db import models
from django.utils import timezone

from core.work.models import Work


class SetFile(Work):
    """A document as PDF or Word file, under the digest of everything that it shows.

    A person who may see the document requests it by its content. A row therefore needs no permissions: only a
    person who could write the same document can find it.
    """

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of blocks, title, format and typesetter")
    ending = models.CharField(max_length=4, choices={"pdf": "PDF", "docx": "Word"})
    title = models.TextField()
    blocks = models.JSONField(default=list, help_text="what is to be set; emptied when the file is there")
    name = models.CharField(max_length=200, blank=True, help_text="of the file in the private storage")
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    asked_for_on = models.DateField(default=timezone.localdate, help_text="when somebody last took it")
    made_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(made_at=None) | models.Q(failed_at=None), name="typesetting_made_or_failed"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ending} {self.digest[:12]}"
