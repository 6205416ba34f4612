"""What waits for a worker."""

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
