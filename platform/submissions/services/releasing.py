"""Storage of the scores that a team may see, and detection of predictions that resemble another team's."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from functools import partial

import pandas as pd
import structlog
from django.db import transaction
from django.db.models import F

from challenges.models import Phase
from datastore.test_sets.queries.test_sets import metadata_frame_of
from evaluation.aggregation.feedback import FeedbackDecision, Score, scores_of, tell
from evaluation.outcomes import Outcome
from executions.queries.costs import costs_scored
from submissions.models import Release, Run, Submission
from submissions.queries.results import results_frame
from submissions.services.duplicates import show_duplicates

log = structlog.get_logger(__name__)

# Results of other teams that a new one is compared with, the newest first.
LOOKED_AT = 300
# Predictions of two teams look alike when so many cases, and such a share of them, have equal values throughout.
ALIKE_CASES, ALIKE_SHARE = 5, 0.9


def release_new(phase_id: int) -> None:
    """Decide for every new result of a phase what its team may see of it.

    Call this function in the transaction that stores a result. If the phase withholds something, the decision
    is made in this transaction, because nothing may be shown before. Otherwise, the statistics for organizers
    are computed after the commit. If a worker dies before that, they are computed with the next result.
    """
    phase = Phase.objects.select_related("task__challenge").get(pk=phase_id)
    if phase.feedback == Phase.Feedback.EXACT:
        transaction.on_commit(partial(_release_all, phase), robust=True)
    else:
        _release_all(phase)


def _release_all(phase: Phase) -> None:
    runs = (
        Run.objects.filter(counts=True, submission__phase=phase, submission__state=Submission.State.SCORED)
        .exclude(submission__release__result_digest=F("result_digest"))
        .select_related("submission__team", "test_set")
        .order_by("submission__number")
    )
    for run in runs:
        try:
            with transaction.atomic():
                release(run=run, phase=phase)
        except Exception:
            # Without a release nothing is shown where the phase withholds scores; the result itself stands.
            log.exception("release_error", run=str(run.pk))


def release(*, run: Run, phase: Phase) -> Release:
    """Store what the team may see of one result, compared with its best results before."""
    submission = run.submission
    frame = results_frame(run)
    earlier = (
        Release.objects.filter(submission__phase=phase, submission__team=submission.team_id)
        .exclude(submission=submission)
        .filter(submission__number__lt=submission.number)
        .order_by("-submission__number")
        .first()
    )
    before = {(row["metric"], row["region"]): FeedbackDecision(**row) for row in earlier.scores} if earlier else {}
    scores = _scores(run, phase, frame)
    best = _best_so_far(
        run, phase, {earlier_score.leader for earlier_score in before.values() if earlier_score.leader is not None}
    )
    release_scores = []
    for score in scores:
        key = score.metric, score.region
        last = before.get(key)
        release_scores.append(
            tell(
                score,
                number=submission.number,
                feedback=phase.feedback,
                best=best.get(last.leader, {}).get(key) if last and last.leader is not None else None,
                before=last,
            )
        )
    stored_release, _ = Release.objects.update_or_create(
        submission=submission,
        defaults={
            "result_digest": run.result_digest,
            "scores": [entry.document() for entry in release_scores],
            # Two runs of the same program take different times.
            "marks": marks_of(frame[~frame["metric"].isin(costs_scored(run.provenance))]),
        },
    )
    _find_alike(stored_release, run, phase)
    return stored_release


def _scores(run: Run, phase: Phase, frame: pd.DataFrame) -> list[Score]:
    return scores_of(phase.assessment, frame, metadata_frame_of(run.test_set), run.summary["values"])


def _best_so_far(run: Run, phase: Phase, numbers: set[int]) -> Mapping[int, dict[tuple[str, str | None], Score]]:
    """Scores of the submissions that lead in one metric and region or another, by their number."""
    rows = Run.objects.filter(
        counts=True, submission__phase=phase, submission__team=run.submission.team_id, submission__number__in=numbers
    ).select_related("submission__team", "test_set")
    return {
        row.submission.number: {
            (score.metric, score.region): score for score in _scores(row, phase, results_frame(row))
        }
        for row in rows
    }


def marks_of(frame: pd.DataFrame) -> dict[str, str]:
    """Return one short digest a case over its values in all metrics and regions; cases without any proper value have none.

    Examples
    --------
    >>> rows = pd.DataFrame(
    ...     {"case": ["a", "b", "c"], "metric": "dsc", "region": "all", "value": [0.5, 0.5, None], "outcome": ["ok", "ok", "missing"]}
    ... )
    >>> marks = marks_of(rows)
    >>> sorted(marks), marks["a"] == marks["b"]
    (['a', 'b'], True)
    """
    rows = frame[frame["case"] != ""]
    lines_by_case: dict[str, list[str]] = defaultdict(list)
    proper = set(rows.loc[rows["outcome"] == Outcome.OK.value, "case"])
    # Lists, not rows of a table: this is done for every case of every result.
    columns = (rows[name].tolist() for name in ("case", "metric", "region", "outcome", "value"))
    for case, metric, region, outcome, value in zip(*columns, strict=True):
        number = "" if value is None or value != value else format(value, ".10g")  # noqa: PLR0124 (not a number)
        lines_by_case[case].append(f"{metric} {region} {outcome} {number}")
    return {
        str(case): hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:12]
        for case, lines in lines_by_case.items()
        if case in proper
    }


def alike(first: Mapping[str, str], second: Mapping[str, str]) -> float | None:
    """Return the share of cases with equal values among those that both have; None for too few."""
    common = first.keys() & second.keys()
    if len(common) < ALIKE_CASES:
        return None
    return sum(first[case] == second[case] for case in common) / len(common)


def _find_alike(stored_release: Release, run: Run, phase: Phase) -> None:
    """Enter a concern for each other team whose predictions have equal values in nearly every case (MAN-8, MAN-10)."""
    submission = run.submission
    others = (
        Release.objects.filter(submission__phase=phase)
        .exclude(submission__team=submission.team_id)
        .order_by("-pk")
        # Nothing else of so many submissions: their reports alone are megabytes, with each result anew.
        .values_list("marks", "submission__number", "submission__team", "submission__team__name")[:LOOKED_AT]
    )
    shares = ((alike(stored_release.marks, marks), number, team, name) for marks, number, team, name in others)
    show_duplicates(
        submission,
        (
            (team, f"has the same values as submission {number} of {name} in {share:.0%} of the cases")
            for share, number, team, name in shares
            if share is not None and share >= ALIKE_SHARE
        ),
    )
