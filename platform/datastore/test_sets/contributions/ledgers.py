"""Sealed test sets, as the registry shows them with a record and its verification reads them."""

from collections.abc import Iterator

from datastore.test_sets.models import TestSet
from registry import hooks
from registry.hooks import Ledger, Row, Seal
from registry.models import Registration


def register() -> None:
    """Have the manifest of every sealed test set verified, and shown with the registration of its challenge."""
    hooks.seals.register(seals)
    hooks.ledgers.register(
        Ledger(
            kind="sealed test sets",
            model="test_sets.testset",
            act="test_set_sealed",
            fact="manifest_digest",
            rows=_rows,
        )
    )


def _rows() -> Iterator[Row]:
    # What computes a manifest reads images too, and no page needs it.
    from datastore.test_sets.services.sealing import manifest_digest

    for test_set in TestSet.objects.exclude(manifest_digest="").order_by("pk").iterator():
        # The report is public, the names of challenges and phases may not be.
        yield Row(
            str(test_set.pk), f"Test set number {test_set.pk}", test_set.manifest_digest, manifest_digest(test_set)
        )


def seals(registration: Registration) -> Iterator[Seal]:
    """Yield the test sets that were sealed for the challenge of a registration, once the challenge is public."""
    rows = (
        TestSet.objects.filter(
            phase__task__challenge__projection__registration=registration, phase__task__challenge__is_public=True
        )
        .exclude(manifest_digest="")
        .filter(undone_at=None)
    )
    rows = rows.select_related("phase__task", "change_request").order_by("phase__task", "phase__position", "version")
    for row in rows:
        assert row.sealed_at is not None  # what has a manifest is sealed
        yield Seal(
            label=f"{row.phase.task.name}: {row.phase.name}",
            number=row.version,
            digest=row.manifest_digest,
            sealed_at=row.sealed_at,
            change=row.change_request.number if row.change_request else None,
            is_in_use=row.is_active,
        )
