"""Decoys, which are required but not scored (MAN-22), and hidden from participants as long as it matters."""

from collections.abc import Iterable

from challenges.models import Phase
from datastore.test_sets.models import TestCase


def tells_decoys(phase: Phase) -> bool:
    """Return whether the information that a phase shows before it closes would reveal decoys.

    Scores and rankings reveal them, because they ignore decoys. A dry run reveals them, because participants
    receive its references.
    """
    silent = (Phase.Results.VALIDATION, Phase.Results.REVEALED)
    return phase.is_dry_run or phase.results not in silent or phase.leaderboard != Phase.Leaderboard.SEALED


def keeps_decoys(phase: Phase) -> bool:
    """Return whether an unfinished phase has decoys.

    If so, data that depends on the scored cases must stay hidden.
    """
    if phase.is_revealed:
        return False
    has_decoys: bool | None = getattr(phase, "known_decoys", None)
    return TestCase.objects.filter(test_set__phase=phase, is_decoy=True).exists() if has_decoys is None else has_decoys


def remember_decoys(phases: Iterable[Phase]) -> None:
    """Look up once which of these phases have decoys, for `keeps_decoys` on these objects; in the course of a request."""
    phases = list(phases)
    having = TestCase.objects.filter(test_set__phase__in=phases, is_decoy=True).values_list(
        "test_set__phase", flat=True
    )
    phase_ids = set(having.distinct())
    for phase in phases:
        phase.known_decoys = phase.pk in phase_ids  # type: ignore[attr-defined]
