"""Deleting the sums of sites that withdrew with them; digests, times and the log stay."""

from django.db import transaction
from django.utils import timezone

from core.audit.services import record
from datastore.uploads.storage import private
from federation.models import SignedMessage, Site


def remove_sums() -> int:
    """Delete what is due; returns of how many sites."""
    due = Site.objects.filter(removes_at__lte=timezone.now(), removed_at=None)
    return sum(_remove(pk) for pk in due.values_list("pk", flat=True))


@transaction.atomic
def _remove(pk: int) -> bool:
    site = (
        Site.objects.select_for_update(no_key=True, of=("self",))
        .select_related("federation__phase__task__challenge")
        .get(pk=pk)
    )
    if site.removed_at is not None:
        return False
    rows = SignedMessage.objects.filter(enrolment__site=site, kind="result")
    names = list(rows.values_list("envelope_name", flat=True))
    site.removed_at = timezone.now()
    site.save(update_fields=["removed_at"])
    facts = {
        "federation": site.federation.identifier,
        "site": site.name,
        "payloads": list(rows.values_list("digest", flat=True)),
    }
    scope = site.federation.phase.challenge.slug
    record(actor=None, act="site_payload_deleted", subject=site, scope=scope, facts=facts)

    def delete() -> None:
        for name in names:
            private().delete(name)

    transaction.on_commit(delete)
    return True
