"""Differences between a submission's scores and the team's earlier scores, as far as the phase shows them."""

from dataclasses import dataclass
from typing import Any

from submissions.models import Run, Submission
from submissions.queries.releases import told_values


@dataclass(frozen=True)
class Change:
    """By how much a value differs from an earlier one.

    Attributes
    ----------
    better
        Whether it is better; None where it is the same.
    """

    text: str
    better: bool | None


@dataclass(frozen=True)
class Changes:
    """Against the submission before and against the best value of all before; None where there is nothing to compare."""

    last: Change | None
    best: Change | None


def earlier_runs(submission: Submission) -> list[Run]:
    """The results of the team's earlier submissions to the phase that count, the last one first; one query."""
    rows = Run.objects.filter(
        counts=True,
        submission__team=submission.team_id,
        submission__phase=submission.phase_id,
        submission__number__lt=submission.number,
        submission__state=Submission.State.SCORED,
    )
    runs = list(
        rows.select_related("submission__release")
        .defer("log", "submission__log", "submission__report")
        .order_by("-submission__number")
    )
    for run in runs:
        run.submission.phase = submission.phase
    return runs


def changes(values: list[dict[str, Any]], earlier: list[Run], *, higher: dict[str, bool], exact: bool) -> list[Changes]:
    """Compare values with earlier ones, line by line.

    Parameters
    ----------
    values
        Values of the submission, as the person may see them.
    earlier
        As `earlier_runs` returns them.
    higher
        Metric → True if higher values are better.
    exact
        True if the person sees values as they were computed, otherwise as the phase shows them.
    """
    earlier_rows = [run.summary["values"] if exact else told_values(run.submission, run) for run in earlier]
    before = [{(row["metric"], row["region"]): row["value"] for row in rows} for rows in earlier_rows]
    line_changes = []
    for value in values:
        key = value["metric"], value["region"]
        earlier_values = [rows[key] for rows in before if rows.get(key) is not None]
        up = higher[value["metric"]]
        last = before[0].get(key) if before else None
        best = (max if up else min)(earlier_values) if earlier_values else None
        line_changes.append(Changes(_change(value["value"], last, up=up), _change(value["value"], best, up=up)))
    return line_changes


def _change(value: float | None, earlier: float | None, *, up: bool) -> Change | None:
    if value is None or earlier is None:
        return None
    # What rounding makes of equal values is no change.
    if abs(value - earlier) <= 1e-9 * max(abs(value), abs(earlier)):
        return Change("±0", None)
    return Change(f"{value - earlier:+.4f}".replace("-", "−"), (value > earlier) == up)
