"""Work that follows the registration of a version, run in a worker."""

from django.db.models import Q

from registry.models import RegistrationVersion, VersionFile
from registry.services.deposits import queue_deposit
from registry.services.files import store_changes_pdf, store_pdf
from registry.services.statistics import count_registry


def publish_version(*, version_id: int) -> None:
    """Create the files, update the statistics of the registry and queue the deposit.

    Each step can already be done.
    """
    version = RegistrationVersion.objects.select_related("registration__design", "previous").get(pk=version_id)
    store_pdf(version=version)
    store_changes_pdf(version=version)
    count_registry()
    queue_deposit(version=version)


def unpublished_versions() -> list[int]:
    """Versions whose files are not made yet, because a job was lost."""
    whole = Q(pk__in=VersionFile.objects.filter(kind=VersionFile.Kind.PDF).values("version"))
    marked = Q(pk__in=VersionFile.objects.filter(kind=VersionFile.Kind.CHANGES).values("version"))
    done = whole & (marked | Q(previous=None))
    return list(RegistrationVersion.objects.exclude(done).values_list("pk", flat=True))
