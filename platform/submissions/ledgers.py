"""Sealed test sets, as the verification of the registry reads them."""

from collections.abc import Iterator

from registry.hooks import Ledger, Row, register_ledger
from submissions.models import TestSet


def register() -> None:
    """Have the manifest of every sealed test set verified."""
    register_ledger(
        Ledger(
            kind="sealed test sets",
            model="submissions.testset",
            act="test_set_sealed",
            fact="manifest_digest",
            rows=_rows,
        )
    )


def _rows() -> Iterator[Row]:
    # What computes a manifest reads images too, and no page needs it.
    from submissions.services.test_sets import manifest_digest

    for test_set in TestSet.objects.exclude(manifest_digest="").order_by("pk").iterator():
        # The report is public, the names of challenges and phases may not be.
        yield Row(
            str(test_set.pk), f"Test set number {test_set.pk}", test_set.manifest_digest, manifest_digest(test_set)
        )
