"""Acts of the installation itself."""

from django.utils import timezone

from operations.models import Heartbeat


def beat(*, queue: str) -> None:
    """Note that a worker of `queue` is alive."""
    Heartbeat.objects.update_or_create(queue=queue, defaults={"seen_at": timezone.now()})
