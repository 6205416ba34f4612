"""Answers of this app to the hooks of the apps above it."""

from collections.abc import Iterator
from typing import Any

from challenges import hooks as challenges_hooks
from challenges.models import Challenge
from datastore.uploads import hooks as uploads_hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from registry import hooks as registry_hooks
from registry.hooks import Ledger, Row, Seal
from registry.models import Registration
from submissions.measurements.models import Measurement
from submissions.measurements.queries import any_takes_tables


def register() -> None:
    """Connect the contributions of this app."""
    registry_hooks.ledgers.register(
        Ledger(
            kind="sealed tables of values measured outside",
            model="measurements.measurement",
            act="measurements_sealed",
            fact="digest",
            rows=_rows,
        )
    )
    challenges_hooks.register_organizer_page(
        "Values from outside", "measurements:tables", visible=brings_values, order=26
    )
    registry_hooks.seals.register(seals)
    uploads_hooks.stored_files.register(stored)


# --- Sealed tables, as the verification of the log reads them ---------------------------------------------------------
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


# --- Contributions of this app to the pages of organizers, and to the seals of a registered challenge -----------------
def brings_values(user: Any, challenge: Challenge) -> bool:
    """Return whether a person can provide values and the challenge has a phase that accepts them."""
    if not user.has_perm("measurements.bring_values", challenge):
        return False
    return any_takes_tables(challenge)


def seals(registration: Registration) -> Iterator[Seal]:
    """Yield the sealed versions of values measured outside, once the challenge is public."""
    rows = Measurement.objects.filter(
        phase__task__challenge__projection__registration=registration,
        phase__task__challenge__is_public=True,
        kind=Measurement.Kind.VALUES,
        state=Measurement.State.SEALED,
    )
    rows = rows.select_related("phase__task").order_by("phase__task", "phase__position", "version")
    last = {row.phase_id: row.version for row in rows}
    for row in rows:
        assert row.version is not None  # constraints hold both of what is sealed
        assert row.sealed_at is not None
        yield Seal(
            label=f"{row.phase.task.name}: {row.phase.name}, values measured outside Podium by {row.measured_by} with {row.measured_with}",
            number=row.version,
            digest=row.digest,
            sealed_at=row.sealed_at,
            is_in_use=row.version == last[row.phase_id],
        )


# --- Tables as they came, as the verification of the storage reads them -----------------------------------------------
def stored() -> Iterator[StoredFile]:
    """Every table as it came, and the values that were read of it."""
    rows = Measurement.objects.values_list(
        "pk", "stored", "sha256", "values_file", "replicates_stored", "replicates_sha256"
    ).order_by("pk")
    for pk, name, digest, values, replicates, of_replicates in rows.iterator():
        yield StoredFile(name, f"table of values number {pk}", has_digest(name, digest))
        yield StoredFile(values, f"values read of table number {pk}")
        if replicates:
            yield StoredFile(replicates, f"replicates of table number {pk}", has_digest(replicates, of_replicates))
