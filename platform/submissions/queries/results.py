"""Results of runs, for pages and rankings."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pandas as pd
from django.db.models import Exists, OuterRef, Q

from challenges.models import Phase, Team
from executions.queries.costs import costs_in, costs_scored, kept_from
from scoring.domain import results
from submissions.models import Run, Submission
from submissions.queries.declaring import teams_of_other_levels
from submissions.queries.methods import described_teams, description_needed
from submissions.queries.versions import LeftOut, of_one_version
from test_sets.models import TestSet

if TYPE_CHECKING:
    from evaluation.scoring.evidence import Evidence


def counted_runs(phase: Phase) -> list[Run]:
    """Return the run that stands for each team, or those of its methods, by the phase's rule; late submissions never count, nor do teams that are
    disqualified or take part without a rank.

    The best submission of a team is the one with the best mean rank among the team's own, over all metrics and regions
    of the assessment; of equals the last. Where teams choose, the last one counts of a team that chose none with a result.
    All are against one version of the test set (`of_one_version`); a team whose submission could not be scored against it
    is left out, and named by `left_out`.
    """
    return _standing(phase)[0]


def measured_outside() -> Q:
    """Which submissions stand for values that were measured outside: they are brought again, and never scored again."""
    return Q(Exists(Run.objects.filter(submission=OuterRef("pk"), provenance__has_key="measured_outside")))


def left_out(phase: Phase) -> list[LeftOut]:
    """Return the teams that are not ranked since scoring their submission against a new version of the test set failed."""
    if not TestSet.objects.filter(phase=phase, is_active=False).exists():
        return []
    return _standing(phase)[1]


def _standing(phase: Phase) -> tuple[list[Run], list[LeftOut]]:
    runs = (
        Run.objects.filter(counts=True, submission__phase=phase, submission__is_late=False)
        .filter(submission__state=Submission.State.SCORED)
        .exclude(submission__team__standing__in=Team.OUTSIDE)
        .select_related("submission__team", "test_set")
        .defer("log", "submission__log", "submission__report")
        .order_by("submission__team__name", "submission__number")
    )
    if phase.ranks_finally:
        if description_needed(phase):
            runs = runs.filter(submission__team__in=described_teams(phase))
        if other_levels := teams_of_other_levels(phase):
            runs = runs.exclude(submission__team__in=other_levels)
    everything = [run for run in runs if not lacks_too_much(phase, run)]
    ranked, failed = of_one_version(everything)
    chosen = {run.submission_id: run for run in ranked}
    of_team: dict[int, list[Run]] = defaultdict(list)
    for run in everything:
        if run.submission_id in chosen or run.submission_id in failed:
            of_team[run.submission.team_id].append(chosen.get(run.submission_id, run))
    found, missing = [], []
    for own in of_team.values():
        lost = [run for run in own if run.submission_id in failed]
        # Whether the best one is among those that have no value now, nobody can tell.
        of_own = lost[-1:] if lost and phase.counts == Phase.Counts.BEST else standing_of(phase, own)
        for stands in of_own:
            if stands.submission_id in failed:
                missing.append(_left_out(stands, failed[stands.submission_id]))
            else:
                found.append(stands)
    return found, missing


def lacks_too_much(phase: Phase, run: Run) -> bool:
    """Whether a result has answers to fewer cases than the registered design ranks finally."""
    if phase.least_share is None or not phase.ranks_finally:
        return False
    cases = run.summary["cases"]
    return cases - run.summary["missing_cases"] < phase.least_share * cases


def _left_out(run: Run, version: int) -> LeftOut:
    submission = run.submission
    last = submission.runs.filter(test_set__version=version, state=Run.State.FAILED).order_by("number").last()
    return LeftOut(submission.team_id, submission.team.name, submission.number, version, last.message if last else "")


def standing_of(phase: Phase, own: Sequence[Run]) -> list[Run]:
    """The runs that stand for a team: one, or as many as it chose where several methods of a team are ranked."""
    if phase.methods_per_team > 1 and (chosen := [run for run in own if run.submission.is_chosen]):
        return sorted(chosen, key=lambda run: run.submission.method_number or 0)
    return [standing(phase, own)]


def method_words(phase: Phase, submission: Submission) -> str:
    """What is added to the name of a team for one of its methods; nothing where one method of a team is ranked."""
    return f" (method {submission.method_number})" if phase.methods_per_team > 1 and submission.method_number else ""


def method_slug(phase: Phase, submission: Submission) -> str:
    """The same for names of files."""
    return f"-method-{submission.method_number}" if method_words(phase, submission) else ""


def standing(phase: Phase, own: Sequence[Run]) -> Run:
    """Return which of a team's own scored runs, in the order of their submissions, stands for it by the phase's rule."""
    if phase.counts == Phase.Counts.BEST:
        return best(own, {metric.name: metric.higher_is_better for metric in phase.assessment.metrics})
    chosen = [run for run in own if run.submission.is_chosen] if phase.counts == Phase.Counts.CHOSEN else []
    return (chosen or own)[-1]


def best(runs: Sequence[Run], higher_is_better: dict[str, bool]) -> Run:
    """Return the run with the best mean rank among `runs`, of equals the last."""
    totals = [0.0] * len(runs)
    for row, value in enumerate(runs[0].summary["values"]):
        sign = -1 if higher_is_better[value["metric"]] else 1
        scores = [run.summary["values"][row]["value"] for run in runs]
        keys = [float("inf") if score is None else sign * score for score in scores]
        for index, key in enumerate(keys):
            totals[index] += 1 + sum(other < key for other in keys)
    least = min(totals)
    return next(run for run, total in reversed(list(zip(runs, totals, strict=True))) if total == least)


def results_frame(run: Run) -> pd.DataFrame:
    """Return a scored run's results as a table with the contract's columns; the algorithm is the team's name."""
    return results.read(run.result_file, algorithm=run.submission.team.name)


def told_frame(run: Run, user: Any) -> pd.DataFrame:
    """The same as far as a person may know single cases: without costs of running on hidden ones."""
    frame, kept = results_frame(run), kept_costs(run, user)
    return frame[~frame["metric"].isin(kept)].reset_index(drop=True) if kept else frame


def kept_costs(run: Run, user: Any) -> frozenset[str]:
    """Names of the metrics whose values of single cases `told_frame` leaves out."""
    phase = run.submission.phase
    return kept_from(user, phase, costs_in(phase.assessment) | costs_scored(run.provenance))


def evidence_of(run: Run) -> "Evidence | None":
    """Return what a scored run's values of the whole data set are made of, under the team's name; None if it has none."""
    if not run.evidence_file:
        return None
    return results.read_evidence(run.evidence_file, algorithm=run.submission.team.name)


def annotator_frames(run: Run) -> dict[str, pd.DataFrame]:
    """Return annotator → a scored run's results under that annotator's references, as `results_frame` has those under the
    merged ones; none where there is one reference a case.
    """
    if not run.annotators_file:
        return {}
    return results.read_annotators(run.annotators_file, algorithm=run.submission.team.name)


def annotator_evidence(run: Run) -> "dict[str, Evidence]":
    """Return annotator → what a scored run's values of the whole data set are made of under that annotator's references."""
    if not run.annotators_file:
        return {}
    return results.read_annotators_evidence(run.annotators_file, algorithm=run.submission.team.name)


def outside_tables(runs: Iterable[Run], names: Mapping[UUID, str]) -> list[dict[str, Any]]:
    """The sealed versions of tables that results are from, the latest first, each with what stands for its teams."""
    found: dict[int, dict[str, Any]] = {}
    for run in runs:
        if facts := run.provenance.get("measured_outside"):
            found.setdefault(facts["version"], {**facts, "teams": []})["teams"].append(names[run.pk])
    return [{**entry, "teams": sorted(entry["teams"])} for _, entry in sorted(found.items(), reverse=True)]


def scoring_images(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """The scoring images of the organizers that results are from, each with the digest of the trial that it passed."""
    names = ("image", "interface", "metrics", "self_test", "tried_at")
    found = [run.provenance["scorer"] for run in runs if run.provenance.get("scorer")]
    distinct = {(own["image"], own["self_test"]): {name: own.get(name) for name in names} for own in found}
    return [entry for _, entry in sorted(distinct.items())]
