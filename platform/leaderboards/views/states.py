"""States of a leaderboard on its pages, from facts of the phase, the version and the person.

The texts are those of `leaderboards.domain.states`.
"""

from typing import Any

from accounts.notifications.domain.acts import Letter
from challenges.models import Phase
from challenges.queries.timetable import timetable_of
from datastore.test_sets.queries.decoys import keeps_decoys
from datastore.test_sets.queries.dry_runs import are_public
from leaderboards.domain import states
from leaderboards.models import RankingVersion
from leaderboards.views.place import Place
from submissions.queries import Rescoring


def of_empty(leaderboard: Place, *, computing: bool, nothing_counts: bool, under_way: int) -> Letter:
    """Return the texts that explain why there is no ranking."""
    phase = leaderboard.phase
    return states.EMPTY.letter(
        states.Empty(
            opens="" if phase.has_opened else timetable_of(phase).opening_words,
            ends=phase.ends_at,
            is_closed=phase.is_closed,
            is_frozen=leaderboard.frozen_at is not None,
            is_computing=computing,
            nothing_counts=nothing_counts,
            under_way=under_way,
            runs=bool(phase.algorithms),
        )
    )


def of_sealed(phase: Phase, *, submitted: int = 0, as_organizer: bool = False) -> Letter:
    """Until when a ranking is sealed, and from whom."""
    results_with_scores = (Phase.Results.CASES, Phase.Results.AGGREGATE)
    facts = states.Sealed(
        phase.revealed_from,
        later=phase.reveals_at is not None,
        own_scores=phase.results in results_with_scores and not keeps_decoys(phase),
        submitted=submitted,
    )
    return (states.SEALED_FOR_OTHERS if as_organizer else states.SEALED).letter(facts)


def notices(
    leaderboard: Place, version: RankingVersion | None, *, organizes: bool, rescoring: Rescoring | None
) -> dict[str, Letter]:
    """Everything that holds above a leaderboard, by its name in the template."""
    phase, letters = leaderboard.phase, dict[str, Letter]()
    if phase.is_dry_run:
        letters["dry_run"] = states.DRY_RUN.letter(states.DryRun(are_public(phase)))
    if phase.announcement != Phase.Announcement.ALL:
        letters["named"] = states.NAMED.letter(
            states.Named(phase.get_announcement_display(), phase.announced_ranks, waits=not phase.ranks_finally)
        )
    if phase.is_sealed:
        letters["sealed"] = of_sealed(phase, as_organizer=True)
    if leaderboard.freeze is not None and (leaderboard.frozen_at is not None or leaderboard.freeze.holds):
        letters["frozen"] = states.FROZEN.letter(
            states.Frozen(
                leaderboard.frozen_at or leaderboard.freeze.moment,
                phase.ends_at,
                sees_all=leaderboard.frozen_at is None,
            )
        )
    if rescoring is not None:
        letters["repeated"] = states.REPEATED.letter(
            states.Repeated(
                rescoring.standing,
                rescoring.wanted,
                rescoring.done,
                rescoring.total,
                rescoring.failed,
                organizes=organizes,
            )
        )
    return letters | _of_version(version.inputs if version is not None else {})


def _of_version(inputs: dict[str, Any]) -> dict[str, Letter]:
    letters = {}
    if outside := inputs.get("measured_outside"):
        tables = [
            (entry["origin"]["by"], entry["origin"]["with"], entry["origin"]["when"], entry["version"])
            for entry in outside
        ]
        letters["outside"] = states.OUTSIDE.letter(states.Outside(tables))
    if missing := inputs.get("left_out"):
        letters["left_out"] = states.LEFT_OUT.letter(states.LeftOut(len(missing), missing[0]["version"]))
    return letters


def of_images(inputs: dict[str, Any]) -> list[tuple[Letter, dict[str, Any]]]:
    """Each scoring image of a version, with its entry."""
    return [
        (states.JUDGED.letter(states.Judged(entry["metrics"], entry["tried_at"][:10])), entry)
        for entry in inputs.get("scorers", ())
    ]
