"""Durable work on documents that is queued for workers."""

from django.db.models import Q

from typesetting.models import SetFile
from work.kinds import Kind

FILES = Kind(
    name="documents",
    doing="setting a document",
    model=SetFile,
    is_open=Q(made_at=None, failed_at=None),
    task="typesetting.tasks.set_file",
)
