"""Contributions of this app to the apps above it."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from rules import test_rule

from accounts.notifications import kinds
from challenges import hooks as challenges_hooks
from challenges.models import Challenge
from datastore.uploads import hooks as uploads_hooks
from datastore.uploads.hooks import StoredFile
from executions.runners.models import Runner, RunnerRun
from executions.runners.services.stuck import KIND
from web import navigation


def register() -> None:
    """Connect the contributions of this app."""
    kinds.register(KIND, "No machine can run the queued algorithms of your challenge", order=12, role="organizer")
    uploads_hooks.stored_files.register(stored)
    challenges_hooks.register_organizer_page("Runners", "runners:challenge", visible=has_algorithms, order=26)
    navigation.register("Runners", "runners:installation", menu="account", order=60, visible=_operates)


def _operates(request: HttpRequest) -> bool:
    return bool(test_rule("runners.operate", request.user))


def has_algorithms(user: Any, challenge: Challenge) -> bool:
    """Return whether a person adds runners to a challenge, one of whose phases takes algorithms."""
    if not test_rule("runners.add_to_challenge", user, challenge):
        return False
    phases = challenge.tasks.values_list("phases__algorithms", flat=True)
    return any(phases) or Runner.objects.filter(challenge=challenge).exists()


def stored() -> Iterator[StoredFile]:
    """Return the stored files of this app."""
    rows = RunnerRun.objects.filter(state=RunnerRun.State.RETURNED).exclude(outputs_file="")
    for pk, name in rows.values_list("pk", "outputs_file").iterator():
        yield StoredFile(name, f"outputs of run {pk} that wait to be read")
