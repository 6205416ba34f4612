"""Keeping a record of who looked at hidden references: each look is an act in the log."""

from django.db import transaction

from accounts.models import User
from core.audit.services import record
from datastore.test_sets.domain.case_access import Reader
from datastore.test_sets.models import TestCase
from datastore.test_sets.queries.access_log import DOWNLOADED, SEEN
from datastore.test_sets.rules import access_of


def note_seen(*, actor: User, case: TestCase) -> None:
    """Record that a person receives a picture with the reference, unless participants may see references."""
    phase = case.test_set.phase
    if not access_of(Reader.PARTICIPANT, phase).references:
        _note(actor, SEEN, case)


def note_downloaded(*, actor: User, case: TestCase) -> None:
    """Record that a person receives a reference itself."""
    _note(actor, DOWNLOADED, case)


@transaction.atomic
def _note(actor: User, act: str, case: TestCase) -> None:
    test_set = case.test_set
    record(
        actor=actor,
        act=act,
        subject=test_set,
        scope=test_set.phase.challenge.slug,
        facts={"phase": test_set.phase.name, "version": test_set.version, "case": case.name},
    )
