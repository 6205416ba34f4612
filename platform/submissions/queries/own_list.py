"""Details in the list of a team's own submissions: rank, main scores, and change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, cast

from challenges.models import Team
from datastore.test_sets.queries.decoys import remember_decoys
from evaluation.boards import case_lines
from submissions import hooks
from submissions.models import Run, Submission
from submissions.queries.progressing import Change, changes
from submissions.queries.releases import told_values
from submissions.rules import shows_scores

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

MAIN = 2
"""Number of scores that the list shows; the page of the submission shows all of them."""


class Loaded(TypedDict):
    """Attributes that `queries.submissions.with_runs` loads with each submission: its runs, the earliest first."""

    all_runs: list[Run]


@dataclass(frozen=True)
class Listed:
    """A line of the list.

    Attributes
    ----------
    scores
        Metric with region, and value, of the first few scores; empty if the phase shows no scores.
    change
        Change of the first score since the previous submission in the same list; None if there is none.
    rank
        Rank of the team, for the submission that counts and if the ranking is visible.
    """

    scores: tuple[tuple[str, str], ...] = ()
    change: Change | None = None
    rank: str = ""


def listed(
    user: Any, submissions: Sequence[Submission], teams: Sequence[Team], standing: Iterable[Any]
) -> list[tuple[Submission, Listed]]:
    """Return each submission of a page with its line; a constant number of queries.

    Parameters
    ----------
    submissions
        With their runs, the newest first.
    standing
        Ids of the submissions that count for their teams.
    """
    by_phase = {row.phase_id: row for row in reversed(submissions)}
    phases = [row.phase for row in by_phase.values()]
    remember_decoys(phases)
    shows_by_phase = {phase: shows_scores(user, row) for phase, row in by_phase.items()}
    ranks = hooks.ranks_of(user, phases, [team.name for team in teams])
    standing_ids = set(standing)
    entries = []
    for index, row in enumerate(submissions):
        run = _counted(row)
        rank = ranks.get((row.phase_id, row.team.name), "") if row.pk in standing_ids else ""
        if run is None or not shows_by_phase[row.phase_id]:
            entries.append((row, Listed(rank=rank)))
            continue
        values = told_values(row, run)
        earlier = [
            other_run
            for other in submissions[index + 1 :]
            if (other.phase_id, other.team_id) == (row.phase_id, row.team_id)
            and (other_run := _counted(other)) is not None
        ]
        assessment = row.phase.assessment
        higher = {metric.name: metric.higher_is_better for metric in assessment.metrics}
        first = changes(values[:1], earlier[:1], higher=higher, exact=False) if values else []
        lines = case_lines.summary_lines(assessment, {"values": values[:MAIN]})
        scores = tuple(
            (" ".join(part for part in (line["title"], line["region"]) if part), _text(line["value"])) for line in lines
        )
        entries.append((row, Listed(scores, first[0].last if first else None, rank)))
    return entries


def _counted(submission: Submission) -> Run | None:
    if submission.state != Submission.State.SCORED:
        return None
    loaded = cast("WithAnnotations[Submission, Loaded]", submission)
    run = next((run for run in loaded.all_runs if run.counts), None)
    if run is not None:
        run.submission = submission
    return run


def _text(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"
