"""Cases that are asked for and not scored (MAN-22): kept from participants as long as it matters."""

from collections.abc import Iterable

from challenges.models import Phase
from test_sets.models import TestCase


def tells_decoys(phase: Phase) -> bool:
    """Whether what a phase shows before it closes would tell decoys.

    Scores and rankings do, since they ignore them; so does a dry run, which hands its references out.
    """
    silent = (Phase.Results.VALIDATION, Phase.Results.REVEALED)
    return phase.is_dry_run or phase.results not in silent or phase.leaderboard != Phase.Leaderboard.SEALED


def keeps_decoys(phase: Phase) -> bool:
    """Whether a phase that is not over has decoys, so that nothing may be shown that depends on the scored cases."""
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
