"""Comparisons as a person and a worker make them together."""

from accounts.models import User
from registry.drift import services
from registry.drift.models import DriftCheck
from registry.models import Registration


def check_text(*, actor: User, registration: Registration, title: str, text: str) -> DriftCheck:
    """Request a comparison of a text, do the work of a worker, and return the result."""
    row = services.request_check(
        actor=actor, registration=registration, title=title, source=DriftCheck.Source.TEXT, content=text.encode()
    )
    services.run_check(request_id=row.pk)
    row.refresh_from_db()
    assert row.check_made is not None, row.problem
    return row.check_made
