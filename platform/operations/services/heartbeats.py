"""Acts of the installation itself."""

import socket
from datetime import timedelta

from django.utils import timezone

from confinement import guarantees
from operations.models import Heartbeat

FORGOTTEN = timedelta(days=1)
"""Time after which a machine without heartbeats is no longer listed."""


def beat(*, queue: str) -> None:
    """Note that a worker of `queue` on this machine is alive, and how it confines what reads strangers' files."""
    now, host = timezone.now(), socket.gethostname()[:100]
    confinement = dict(guarantees.known())
    if Heartbeat.objects.filter(queue=queue, host=host).update(seen_at=now, confinement=confinement):
        return
    Heartbeat.objects.bulk_create(
        [Heartbeat(queue=queue, host=host, seen_at=now, confinement=confinement)], ignore_conflicts=True
    )
    Heartbeat.objects.filter(seen_at__lt=now - FORGOTTEN).delete()
