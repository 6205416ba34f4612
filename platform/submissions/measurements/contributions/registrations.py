"""Contributions of this app to the pages of organizers, and to the seals of a registered challenge."""

from collections.abc import Iterator
from typing import Any

from challenges import hooks
from challenges.models import Challenge
from registry import hooks as registry_hooks
from registry.hooks import Seal
from registry.models import Registration
from submissions.measurements.models import Measurement
from submissions.measurements.queries.tables import any_takes_tables


def register() -> None:
    """Add the page of organizers and the seals of a record."""
    hooks.register_organizer_page("Values from outside", "measurements:tables", visible=brings_values, order=26)
    registry_hooks.seals.register(seals)


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
