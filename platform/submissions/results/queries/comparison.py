"""Comparison of two submissions of a team, and the scores of all over time."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import pandas as pd
from rules import has_perm

from challenges.models import Phase, Team
from challenges.queries import label_of
from datastore.test_sets.queries.grids import length_unit
from evaluation.assessment import Assessment
from evaluation.boards import case_lines
from evaluation.outcomes import Outcome
from submissions.models import Run, Submission
from submissions.queries.releases import told_values
from submissions.queries.results import told_frame

# Differences below this share of the larger value are what rounding makes of equal predictions.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Pair:
    """One case in one metric and region; `change` is in the direction of the metric: positive is better."""

    case: str
    before: case_lines.Cell
    after: case_lines.Cell
    change: float | None
    verdict: str


@dataclass(frozen=True)
class Compared:
    """One metric in one region over all cases."""

    column: case_lines.Column
    pairs: list[Pair]

    def count(self, verdict: str) -> int:
        """Number of cases with a verdict."""
        return sum(pair.verdict == verdict for pair in self.pairs)

    @property
    def better(self) -> int:
        return self.count("better")

    @property
    def worse(self) -> int:
        return self.count("worse")

    @property
    def equal(self) -> int:
        return self.count("equal")

    @property
    def unknown(self) -> int:
        """Cases of which one side has no value for a reason that neither makes better nor worse."""
        return self.count("")

    @property
    def median_change(self) -> float | None:
        """Median over the cases with a value on both sides."""
        changes = [pair.change for pair in self.pairs if pair.change is not None]
        return float(pd.Series(changes).median()) if changes else None


def compare(before: Run, after: Run, assessment: Assessment, user: Any) -> list[Compared]:
    """Compare two results case by case as far as a person may know them, the largest losses first; both belong to one phase and one test set."""
    first, second = told_frame(before, user), told_frame(after, user)
    comparisons = []
    unit = length_unit(before.submission.phase)
    for column in case_lines.columns(assessment, pd.concat([first, second]), length_unit=unit):
        older, newer = (_cells(frame, column) for frame in (first, second))
        pairs = [_pair(case, older[case], newer[case], column) for case in sorted(older.keys() & newer.keys())]
        order = {"worse": 0, "better": 2}
        pairs.sort(
            key=lambda pair: (order.get(pair.verdict, 1), pair.change is not None, pair.change or 0.0, pair.case)
        )
        comparisons.append(Compared(column, pairs))
    return comparisons


def comparable(scored_submissions: Collection[tuple[Submission, Run]], user: Any) -> list[list[Submission]]:
    """Submissions that may be compared with each other, those of one phase and one version of its cases together."""
    allowed: dict[int, bool] = {}
    groups: dict[tuple[int, int], list[Submission]] = {}
    for submission, run in scored_submissions:
        if submission.phase_id not in allowed:
            allowed[submission.phase_id] = has_perm("submissions.view_case_scores", user, submission)
        if allowed[submission.phase_id]:
            groups.setdefault((submission.phase_id, run.test_set_id), []).append(submission)
    return [group for group in groups.values() if len(group) > 1]


def scores_over_time(user: Any, teams: Collection[Team]) -> list[tuple[Submission, Run]]:
    """Scored submissions of a person's teams whose scores `user` may see, the oldest first; two queries and one a phase at most."""
    runs = (
        Run.objects.filter(submission__team__in=teams, counts=True)
        .select_related("submission__phase__task__challenge", "submission__team", "submission__release")
        .order_by("submission__created_at")
    )
    allowed: dict[int, bool] = {}
    for run in runs:
        phase = run.submission.phase_id
        if phase not in allowed:
            allowed[phase] = has_perm("submissions.view_scores", user, run.submission)
    return [(run.submission, run) for run in runs if allowed[run.submission.phase_id]]


def history_figures(user: Any, teams: Collection[Team]) -> list[tuple[str, dict[str, Any]]]:
    """One Plotly figure a phase and metric: value by submission, one line a region; name and figure."""
    phases: dict[int, Phase] = {}
    units: dict[int, str] = {}
    series: dict[tuple[int, str], dict[str, list[tuple[Submission, float | None]]]] = {}
    for submission, run in scores_over_time(user, teams):
        uses = {use.name: use for use in submission.phase.assessment.metrics}
        if submission.phase_id not in units:
            units[submission.phase_id] = length_unit(submission.phase)
        for value in told_values(submission, run):
            use = uses[value["metric"]]
            unit = use.unit_in(units[submission.phase_id])
            name = use.title + (f" ({unit})" if unit else "")
            phases.setdefault(submission.phase_id, submission.phase)
            series.setdefault((submission.phase_id, name), {}).setdefault(value["region"] or "all", []).append(
                (submission, value["value"])
            )
    figures = []
    for (key, metric), lines in series.items():
        figure = {
            "data": [
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": region,
                    "x": [submission.created_at.isoformat() for submission, _ in points],
                    "y": [value for _, value in points],
                    "text": [f"#{submission.number}" for submission, _ in points],
                }
                for region, points in lines.items()
            ],
            "layout": {"xaxis": {"title": {"text": "submitted (UTC)"}}, "yaxis": {"title": {"text": metric}}},
        }
        figures.append((f"{label_of(phases[key])}: {metric}", figure))
    return figures


def _cells(frame: pd.DataFrame, column: case_lines.Column) -> dict[str, Any]:
    rows = frame[(frame["metric"] == column.metric) & (frame["region"] == column.region)]
    return {str(row.case): row for row in rows.itertuples(index=False)}


def _lost_or_found(older: Any, newer: Any) -> str:
    """Return the verdict on a case with a lost or an added prediction.

    The verdict is "worse" for a lost prediction, "better" for an added one, and empty otherwise. A missing
    prediction is worse than any existing one, regardless of the value it counts as.
    """
    lost, was_missing = (row.outcome == Outcome.MISSING for row in (newer, older))
    return "worse" if lost and not was_missing else "better" if was_missing and not lost else ""


def _pair(case: str, older: Any, newer: Any, column: case_lines.Column) -> Pair:
    before, after = (case_lines.cell(row, column.decimals) for row in (older, newer))
    if before.value is None or after.value is None:
        same = before.value is after.value is None and before.words == after.words
        return Pair(case, before, after, None, "equal" if same else _lost_or_found(older, newer))
    change = (after.value - before.value) * (1 if column.higher_is_better else -1)
    if abs(change) <= TOLERANCE * max(abs(before.value), abs(after.value)):
        return Pair(case, before, after, 0.0, "equal")
    return Pair(case, before, after, change, "better" if change > 0 else "worse")
