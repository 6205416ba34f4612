"""Work in the queue for a worker."""

from django.db.models import Q

from core.work.kinds import Kind
from datastore.datasets.models import DatasetFile, Publication

DIGESTING = Kind(
    name="data_files",
    doing="computing the checksum of a file",
    model=DatasetFile,
    is_open=Q(state__in=DatasetFile.OPEN),
    begins={"state": DatasetFile.State.DIGESTING},
    task="datasets.tasks.digest_file",
    attempts=3,
    errors=3,
    order=("created_at",),
    challenge="version__dataset__challenge",
)

PUBLISHING = Kind(
    name="publications",
    doing="putting published data together",
    model=Publication,
    is_open=Q(state__in=Publication.OPEN),
    begins={"state": Publication.State.WORKING},
    task="datasets.tasks.publish_data",
    attempts=3,
    order=("created_at",),
    challenge="challenge",
)
