"""Scores as a team may see them, and what organizers see of how a test set is probed."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from challenges.models import Phase
from submissions.models import Release, Run, Submission


def told_values(submission: Submission, run: Run) -> list[dict[str, Any]]:
    """Return the summary's values as the phase shows them to the team at this moment.

    Values are exact after the release of results, and if the phase shows exact values. Otherwise they are as
    `evaluation.aggregation.feedback` decided, without counts of outcomes that a participant's file causes.
    ``value`` is None if nothing is shown.
    """
    phase = submission.phase
    if phase.is_revealed or phase.feedback == Phase.Feedback.EXACT:
        values: list[dict[str, Any]] = run.summary["values"]
        return values
    release = getattr(submission, "release", None)
    released_scores = {}
    if release is not None and release.result_digest == run.result_digest:
        released_scores = {(row["metric"], row["region"]): row for row in release.scores}
    return [
        {
            **value,
            "value": released_scores.get((value["metric"], value["region"]), {}).get("shown"),
            "improved": released_scores.get((value["metric"], value["region"]), {}).get("improved", False),
            "outcomes": {name: count for name, count in value["outcomes"].items() if name in ("ok", "missing")},
        }
        for value in run.summary["values"]
    ]


@dataclass(frozen=True)
class Probing:
    """Pattern of a team's submissions to a phase as a series.

    Attributes
    ----------
    scored
        Number of scored submissions.
    creeping
        Largest number of improvements, in one metric and region, that are no larger than their noise.
    leaps
        Largest number of improvements that are larger than their noise.
    """

    phase: str
    team: str
    scored: int
    creeping: int
    leaps: int

    @property
    def stands_out(self) -> bool:
        """True if scores creep: at least three improvements within the noise, and more of them than real ones."""
        return self.creeping >= 3 and self.creeping > self.leaps


def probing_of(phases: Sequence[Phase]) -> list[Probing]:
    """Return the series of all teams with several scored submissions in a phase; one query.

    Conspicuous series come first.
    """
    labels = {phase.pk: phase.label for phase in phases}
    rows = (
        Release.objects.filter(submission__phase__in=phases)
        .order_by("submission__phase__task__position", "submission__phase__position", "submission__number")
        .values_list("submission__phase_id", "submission__team__name", "scores")
    )
    series_by_team: dict[tuple[int, str], list[list[dict[str, Any]]]] = defaultdict(list)
    for phase, team, values in rows:
        series_by_team[phase, team].append(values)
    lines = [
        Probing(labels[phase], team, len(series), *_steps(series))
        for (phase, team), series in series_by_team.items()
        if len(series) > 1
    ]
    return sorted(lines, key=lambda row: (not row.stands_out, -row.creeping, row.phase, row.team))


PROBING_COLUMNS = ("phase", "team", "scored", "steps_within_noise", "steps_beyond_noise", "stands_out")


def probing_rows(probings: Iterable[Probing]) -> Iterator[tuple[Any, ...]]:
    """Lines of the list of series."""
    return ((row.phase, row.team, row.scored, row.creeping, row.leaps, row.stands_out) for row in probings)


def _steps(series: Iterable[list[dict[str, Any]]]) -> tuple[int, int]:
    """Steps up within and beyond the noise: of each metric and region, the largest number."""
    within: dict[tuple[str, str], int] = defaultdict(int)
    beyond: dict[tuple[str, str], int] = defaultdict(int)
    for values in series:
        for row in values:
            if row["step"] is None:
                continue
            key = row["metric"], row["region"]
            if row["improved"]:
                beyond[key] += 1
            elif row.get("gain") is not None and 0 < row["gain"] <= row["step"]:
                within[key] += 1
    return max(within.values(), default=0), max(beyond.values(), default=0)
