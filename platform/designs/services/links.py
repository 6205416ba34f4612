"""Asking the addresses of designs; off unless `PODIUM_CHECK_LINKS` is set."""

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.audit.services import record
from core.work.services import enqueue
from designs.models import Design, FieldValue, LinkAnswer
from evaluation.designs.catalogue import shipped
from web.outbound import ask

TASK = "designs.tasks.check_links"


def enabled() -> bool:
    """Return whether the server requests the addresses that organizers entered."""
    return bool(settings.PODIUM_CHECK_LINKS)


def check_links(*, design: Design, allow_private: bool = False) -> list[LinkAnswer]:
    """Request every address of a design and store the answers, unless this is switched off.

    The requests run before the transaction, so a slow server does not block a lock.
    """
    if not enabled():
        return []
    parameters = [parameter.id for parameter in shipped().parameters.values() if parameter.type == "url"]
    urls = {
        url
        for url in FieldValue.objects.filter(design=design, parameter__in=parameters).values_list("value", flat=True)
        if isinstance(url, str)
    }
    answers = {url: ask(url, allow_private=allow_private) for url in sorted(urls)}
    with transaction.atomic():
        stored = [
            LinkAnswer.objects.update_or_create(
                url=url,
                defaults={
                    "works": answer.works,
                    "status": answer.status,
                    "words": answer.words[:200],
                    "asked_at": timezone.now(),
                },
            )[0]
            for url, answer in answers.items()
        ]
        record(
            actor=None,
            act="design_links_checked",
            subject=design,
            scope=design.slug,
            facts={"asked": len(stored), "failed": sum(not answer.works for answer in stored)},
        )
    return stored


def enqueue_link_check(design: Design) -> None:
    """Ask after the present transaction, in a worker."""
    if enabled():
        enqueue(TASK, design.pk)


def enqueue_all() -> int:
    """Ask again for every design with an address; the weekly round."""
    if not enabled():
        return 0
    parameters = [parameter.id for parameter in shipped().parameters.values() if parameter.type == "url"]
    designs = set(FieldValue.objects.filter(parameter__in=parameters).values_list("design_id", flat=True))
    for pk in sorted(designs):
        enqueue(TASK, pk)
    return len(designs)
