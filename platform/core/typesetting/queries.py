"""Durable work on documents that is queued for workers."""

from django.db.models import Q

from core.typesetting.models import SetFile
from core.work.kinds import Kind

FILES = Kind(
    name="documents",
    doing="setting a document",
    model=SetFile,
    is_open=Q(made_at=None, failed_at=None),
    task="typesetting.tasks.set_file",
)
