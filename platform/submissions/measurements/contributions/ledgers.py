"""Sealed tables, as the verification of the log reads them."""

from collections.abc import Iterator

from registry import hooks
from registry.hooks import Ledger, Row
from submissions.measurements.models import Measurement


def register() -> None:
    """Have the digest of every sealed table verified."""
    hooks.ledgers.register(
        Ledger(
            kind="sealed tables of values measured outside",
            model="measurements.measurement",
            act="measurements_sealed",
            fact="digest",
            rows=_rows,
        )
    )


def _rows() -> Iterator[Row]:
    # What computes a digest reads results too, and no page needs it.
    from submissions.measurements.services.sealing import digest_of

    rows = Measurement.objects.filter(state=Measurement.State.SEALED).select_related("test_set").order_by("pk")
    for table in rows.iterator():
        assert table.test_set is not None  # a constraint holds it of what is sealed
        if table.kind == Measurement.Kind.CASES:
            recomputed = table.test_set.manifest_digest
        else:
            recomputed = digest_of(
                table,
                table.test_set,
                dict(table.runs.values_list("run__submission__team", "run__result_digest")).values(),
            )
        # The report is public, the names of challenges and phases may not be.
        yield Row(str(table.pk), f"Table number {table.pk}", table.digest, recomputed)
