"""What stands for each team in a ranking, by the registered policy of announcing results.

Names that are not public are replaced by the teams' pseudonyms before a ranking is computed and digested, so that the
public bundle verifies against the published digest. Which pseudonym is whose, only the organizers can see.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from challenges.models import Phase
from evaluation import ranking
from evaluation.assessment import Assessment
from leaderboards.domain.metadata import read_metadata
from submissions.models import Run
from submissions.queries import LeftOut, evidence_of, results_frame
from submissions.queries.declaring import names_in_public


def names_of(phase: Phase, assessment: Assessment, runs: Sequence[Run], metadata: str | None) -> Mapping[int, str]:
    """What stands for the team of each run, by the team's primary key.

    Where only the first ranks are announced, everybody stands under a pseudonym as long as the phase is open: a name
    that gives way to a pseudonym from one ranking to the next would tell whose it is.
    """
    teams = [run.submission.team for run in runs]
    first: frozenset[int] = frozenset()
    if phase.announcement == Phase.Announcement.TOP and phase.announced_ranks and phase.ranks_finally:
        first = _on_first_ranks(phase.announced_ranks, assessment, runs, metadata)
    return names_in_public(phase, teams, first=first)


def left_out_in_public(phase: Phase, missing: Sequence[LeftOut]) -> list[dict[str, Any]]:
    """Teams that are left out of a ranking, as they stand in its public record."""
    teams = phase.challenge.teams.filter(pk__in=[entry.team for entry in missing])
    names = names_in_public(phase, teams)
    return [replace(entry, name=names[entry.team]).document() for entry in missing]


def _on_first_ranks(ranks: int, assessment: Assessment, runs: Sequence[Run], metadata: str | None) -> frozenset[int]:
    """Teams up to a rank in any of the registered rankings; ranks do not depend on what the teams are called."""
    # Here, so that pages start without the libraries of scoring.
    from evaluation.scoring.evidence import merge_evidence

    by_pseudonym = {run.submission.team.pseudonym: run.submission.team_id for run in runs}
    frames = [results_frame(run).assign(algorithm=run.submission.team.pseudonym) for run in runs]
    evidence = [(run.submission.team.pseudonym, evidence_of(run)) for run in runs if run.evidence_file]
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
        if row["rank"] is not None and row["rank"] <= ranks
    )
