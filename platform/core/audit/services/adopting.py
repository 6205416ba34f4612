"""Accept differences that an operator explains."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.db import transaction

from core.audit import hooks
from core.audit.domain.values import LENGTH
from core.audit.models import SealingHead
from core.audit.services import VALUES, record
from core.audit.services.proving import ADOPTION, Difference
from core.audit.services.sealing import Part, all_rows, append, digests_of, part


@transaction.atomic
def adopt(differences: Iterable[Difference], *, reason: str) -> int:
    """Seal rows as they are now, and record who they are and why; returns how many.

    The differences remain listed in the audit log, so that the adoption itself can be judged later.
    """
    keys: dict[str, set[str]] = defaultdict(set)
    accepted = list(differences)
    for difference in accepted:
        if not difference.is_derived:
            keys[difference.model].add(difference.key)
    parts: list[dict[str, Any]] = []
    for label, wanted in keys.items():
        model, columns = apps.get_model(label), hooks.sealed_fields(label)
        rows: dict[str, str | None] = dict.fromkeys(sorted(wanted))
        rows.update(digests_of(model, columns, all_rows(model).filter(pk__in=wanted)))
        parts.append(part(model, columns, rows))
    if not parts:
        return 0
    head, _ = SealingHead.objects.get_or_create(pk=1)
    entry = record(
        actor=None,
        act=ADOPTION,
        subject=head,
        facts={
            "reason": reason,
            "differences": [str(difference) for difference in accepted],
            VALUES: _present_values(parts),
        },
    )
    append(f"adopted: {reason}", parts, entry=entry)
    return sum(map(len, keys.values()))


def _present_values(parts: Iterable[Part]) -> dict[str, dict[str, str]]:
    """Return the digests of the adopted rows as `core.audit.services.values_of` does."""
    return {
        f"{adopted['model']} {key}": {
            column: digests[index * LENGTH : (index + 1) * LENGTH] for index, column in enumerate(adopted["columns"])
        }
        for adopted in parts
        for key, digests in adopted["rows"].items()
        if digests is not None
    }
