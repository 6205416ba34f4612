"""What stands for each team in a ranking, by the registered policy of announcing results.

Names that are not public are replaced by the teams' pseudonyms before a ranking is computed and digested, so that the
public bundle verifies against the published digest. Which pseudonym is whose, only the organizers can see.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pandas as pd

from challenges.models import Phase
from evaluation import ranking
from evaluation.assessment import Assessment
from leaderboards.domain.files import read_metadata
from leaderboards.queries.rankings import names_in_public
from submissions.models import Run
from submissions.queries import LeftOut, evidence_of, results_frame
from submissions.queries.methods import levels_of
from submissions.queries.results import method_words


def names_of(phase: Phase, assessment: Assessment, runs: Sequence[Run], metadata: str | None) -> Mapping[UUID, str]:
    """What stands for each run in a ranking, by its primary key: its team, and which of the team's methods it is.

    Where only the first ranks are announced, everybody stands under a pseudonym as long as the phase is open: a name
    that gives way to a pseudonym from one ranking to the next would tell whose it is.
    """
    teams = [run.submission.team for run in runs]
    first: frozenset[int] = frozenset()
    if phase.announcement == Phase.Announcement.TOP and phase.announced_ranks and phase.ranks_finally:
        first = _on_first_ranks(phase, assessment, runs, metadata)
    names = names_in_public(phase, teams, first=first)
    return {run.pk: names[run.submission.team_id] + method_words(phase, run.submission) for run in runs}


def left_out_in_public(phase: Phase, missing: Sequence[LeftOut]) -> list[dict[str, Any]]:
    """Teams that are left out of a ranking, as they stand in its public record."""
    teams = phase.challenge.teams.filter(pk__in=[entry.team for entry in missing])
    names = names_in_public(phase, teams)
    return [replace(entry, name=names[entry.team]).document() for entry in missing]


def _on_first_ranks(phase: Phase, assessment: Assessment, runs: Sequence[Run], metadata: str | None) -> frozenset[int]:
    """Teams up to a rank in any of the registered rankings; ranks do not depend on what the teams are called."""
    # Here, so that pages start without the libraries of scoring.
    from evaluation.scoring.evidence import merge_evidence

    stand_ins = {run.pk: run.submission.team.pseudonym + method_words(phase, run.submission) for run in runs}
    by_pseudonym = {stand_ins[run.pk]: run.submission.team_id for run in runs}
    levels = levels_of(phase) if assessment.interaction_weights else {}
    frames = [
        results_frame(run).assign(algorithm=stand_ins[run.pk], level=levels.get(run.submission.team_id, ""))
        for run in runs
    ]
    there = [(stand_ins[run.pk], evidence_of(run)) for run in runs]
    evidence = [(name, own) for name, own in there if own is not None]
    if not frames:
        return frozenset()
    document = ranking.rank(
        assessment,
        pd.concat(frames, ignore_index=True),
        cases=read_metadata(metadata),
        evidence=merge_evidence(evidence) if evidence else None,
        bootstrap=0,
    )
    overall = document["overall"]
    decisive = overall if isinstance(overall, list) else [overall] if overall else document["rankings"]
    return frozenset(
        by_pseudonym[row["name"]]
        for entry in decisive
        for row in entry["algorithms"]
        if row["rank"] is not None and row["rank"] <= (phase.announced_ranks or 0)
    )
