"""Results of runs, for pages and rankings: which ones count, and of which version of a test set; nothing ever mixes two versions."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pandas as pd
from django.db.models import Count, Exists, OuterRef, Q

from challenges.models import Phase, Team
from challenges.queries import assessment_by_digest, scoring_key
from datastore.test_sets.domain.case_access import HIDDEN_NOTE
from datastore.test_sets.models import TestSet
from evaluation.assessment import Assessment
from executions.queries.costs import costs_in, costs_scored, kept_from
from executions.scoring.domain import results
from submissions.models import Run, Submission
from submissions.queries.validity import Obstacle, Validity
from submissions.rules import access_to_submission

if TYPE_CHECKING:
    from evaluation.scoring.evidence import Evidence


@dataclass(frozen=True)
class Rescoring:
    """Progress of a phase in scoring its submissions again after its test set was replaced.

    Attributes
    ----------
    standing, wanted
        The version that rankings use until all is done, and the version that is in use.
    done, total
        Submissions that are scored against the version in use, of those that count in rankings.
    failed
        Other submissions that could not be scored against the version in use. They require an action of an
        organizer.
    """

    standing: int
    wanted: int
    done: int
    total: int
    failed: int = 0


@dataclass(frozen=True)
class LeftOut:
    """A submission that is not in the ranking since scoring it against a new version of the test set failed.

    Its team is named with the reason, and stays out until an organizer has had it scored; the others do not wait for it.
    """

    team: int
    name: str
    number: int
    version: int
    reason: str

    def document(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return asdict(self)


def of_one_version(runs: Sequence[Run]) -> tuple[list[Run], dict[UUID, int]]:
    """Return runs against one version of the test set, and which submissions are missing since scoring them failed.

    The newest version is taken against which nothing is left to be scored: each submission has a result, or its run
    failed after all that a worker tries. As long as one has neither, all others are represented by their last
    results against an earlier version; one that has none, since it came later, waits.

    Parameters
    ----------
    runs
        The run that counts of each submission, with its test set loaded.

    Returns
    -------
    tuple
        The runs, and submission → version against which scoring it failed.
    """
    if len({run.test_set_id for run in runs}) < 2:
        return list(runs), {}
    rows = Run.objects.filter(submission__in=[run.submission_id for run in runs]).exclude(state__in=Run.UNFINISHED)
    failed: dict[int, set[UUID]] = defaultdict(set)
    scored: dict[int, set[UUID]] = defaultdict(set)
    for submission, version, state in rows.values_list("submission", "test_set__version", "state"):
        (failed if state == Run.State.FAILED else scored)[version].add(submission)
    for version in sorted(scored, reverse=True):
        behind = {run.submission_id for run in runs if run.test_set.version < version}
        if behind <= failed[version]:
            break
    ahead = [run.submission_id for run in runs if run.test_set.version > version]
    earlier_runs = Run.objects.filter(submission__in=ahead, test_set__version=version).exclude(result_digest="")
    earlier = {
        run.submission_id: run for run in earlier_runs.select_related("submission__team", "test_set").order_by("number")
    }
    chosen = (run if run.test_set.version == version else earlier.get(run.submission_id) for run in runs)
    return [run for run in chosen if run is not None], dict.fromkeys(behind, version)


def rescoring_of(phase: Phase) -> Rescoring | None:
    """Return the progress of re-scoring; None, after one query, if nothing remains that runs automatically.

    Submissions that failed permanently do not delay the others. If all of them failed, the earlier ranking
    remains.
    """
    counting = Run.objects.filter(counts=True, submission__phase=phase, submission__is_late=False)
    counting = counting.filter(submission__state=Submission.State.SCORED)
    counting = counting.exclude(submission__team__standing__in=Team.OUTSIDE)
    # Counted by the database: a page asks this each time, and nearly always nothing is behind.
    counts = counting.aggregate(total=Count("pk"), behind=Count("pk", filter=Q(test_set__is_active=False)))
    if not counts["behind"]:
        return None
    total, done = counts["total"], counts["total"] - counts["behind"]
    behind = counting.filter(test_set__is_active=False).values("submission")
    wanted = TestSet.objects.filter(phase=phase, is_active=True).values_list("version", flat=True).first()
    given_up = Run.objects.filter(submission__in=behind, test_set__is_active=True, state=Run.State.FAILED)
    failed = given_up.values("submission").distinct().count()
    if done and failed == counts["behind"]:
        return None
    runs, _ = of_one_version(list(counting.select_related("test_set")))
    standing = runs[0].test_set.version if runs else 1
    return Rescoring(standing, wanted or standing, done, total, failed)


def counted_runs(phase: Phase) -> list[Run]:
    """Return the run that counts for each team, or the runs of its methods, by the phase's rule.

    Late submissions never count. Teams that are disqualified or take part without a rank never count either.

    The best submission of a team is the one with the best mean rank among the team's own, over all metrics
    and regions of the assessment. Among equals, the last submission is the best. If teams choose, the last
    submission counts of a team that chose none with a result.

    All runs are against one version of the test set (`of_one_version`). A team whose submission could not be
    scored against it is excluded, and `left_out` lists it.
    """
    return decided(phase).ranked


def baseline_runs(phase: Phase, version: int) -> list[Run]:
    """Return the run that counts for each baseline of the organizers, by the phase's rule.

    Parameters
    ----------
    version
        Version of the test set. Baselines that are not scored against it are left out.
    """
    runs = Run.objects.filter(
        submission__phase=phase,
        submission__state=Submission.State.SCORED,
        submission__team__standing=Team.Standing.BASELINE,
        test_set__version=version,
        counts=True,
    )
    of_team: dict[int, list[Run]] = defaultdict(list)
    for run in runs.select_related("submission__team", "test_set").order_by("submission__number"):
        of_team[run.submission.team_id].append(run)
    return sorted(
        (standing(phase, team_runs) for team_runs in of_team.values()), key=lambda run: run.submission.team.name
    )


def measured_outside() -> Q:
    """Return a filter for submissions whose values were measured outside.

    Such values are imported again, never scored again.
    """
    return Q(Exists(Run.objects.filter(submission=OuterRef("pk"), provenance__has_key="measured_outside")))


def left_out(phase: Phase) -> list[LeftOut]:
    """Return the teams that are not ranked since scoring their submission against a new version of the test set failed."""
    if not TestSet.objects.filter(phase=phase, is_active=False).exists():
        return []
    return decided(phase).failed


@dataclass(frozen=True)
class Decided:
    """The ranked teams of a phase.

    Attributes
    ----------
    ranked
        The runs that count for their teams.
    failed
        Teams whose submission could not be scored against the version of the test set that is ranked.
    invalid
        Runs with a result that are not valid for the ranking, with the reason.
    """

    ranked: list[Run]
    failed: list[LeftOut]
    invalid: list[tuple[Run, Obstacle]]


def decided(phase: Phase, *, is_final: bool | None = None) -> Decided:
    """Return the ranked runs of a phase, and the results that are not valid for the ranking.

    Parameters
    ----------
    is_final
        True if the conditions of the final ranking apply. By default, they apply if the ranking is final now.
    """
    validity = Validity.of(phase, is_final=is_final)
    runs = (
        Run.objects.filter(counts=True, submission__phase=phase)
        .select_related("submission__team", "test_set")
        .defer("log", "submission__log", "submission__report")
        .order_by("submission__team__name", "submission__number")
    )
    judged = [(run, validity.obstacle(run)) for run in runs]
    everything = [run for run, obstacle in judged if obstacle is None]
    ranked, failed = of_one_version(everything)
    chosen = {run.submission_id: run for run in ranked}
    of_team: dict[int, list[Run]] = defaultdict(list)
    for run in everything:
        if run.submission_id in chosen or run.submission_id in failed:
            of_team[run.submission.team_id].append(chosen.get(run.submission_id, run))
    standing_runs, missing = [], []
    for team_runs in of_team.values():
        lost = [run for run in team_runs if run.submission_id in failed]
        # Whether the best one is among those that have no value now, nobody can tell.
        of_own = lost[-1:] if lost and phase.counts == Phase.Counts.BEST else standing_of(phase, team_runs)
        for stands in of_own:
            if stands.submission_id in failed:
                missing.append(_left_out(stands, failed[stands.submission_id]))
            else:
                standing_runs.append(stands)
    return Decided(standing_runs, missing, [(run, obstacle) for run, obstacle in judged if obstacle is not None])


def suits(phase: Phase, run: Run, assessment: Assessment) -> bool:
    """Return whether the values of a run are those that an assessment requires."""
    if run.assessment_digest == assessment.digest:
        return True
    scored_by = assessment_by_digest(phase, run.assessment_digest)
    return scored_by is None or scoring_key(scored_by.document) == scoring_key(assessment.document)


def waits_for_scoring(phase: Phase) -> bool:
    """Return whether results that count still have the values of an assessment that was changed."""
    if not phase.deviations.exists() and phase.assessments.count() < 2:
        return False
    assessment = phase.assessment
    return not all(suits(phase, run, assessment) for run in counted_runs(phase))


def is_scoring(phase_id: int) -> bool:
    """Return whether a submission to a phase will reach a result without a decision of its team."""
    rows = Submission.objects.filter(phase=phase_id)
    return rows.filter(Q(state__in=Submission.UNDER_WAY) | Q(runs__state__in=Run.UNFINISHED)).exists()


def _left_out(run: Run, version: int) -> LeftOut:
    submission = run.submission
    last = submission.runs.filter(test_set__version=version, state=Run.State.FAILED).order_by("number").last()
    return LeftOut(submission.team_id, submission.team.name, submission.number, version, last.message if last else "")


def standing_of(phase: Phase, team_runs: Sequence[Run]) -> list[Run]:
    """Return the runs that count for a team: one, or all that it chose if several methods per team are ranked."""
    if phase.methods_per_team > 1 and (chosen := [run for run in team_runs if run.submission.is_chosen]):
        return sorted(chosen, key=lambda run: run.submission.method_number or 0)
    return [standing(phase, team_runs)]


def method_words(phase: Phase, submission: Submission) -> str:
    """Return the suffix of a team's name for one of its methods; empty if one method per team is ranked."""
    return f" (method {submission.method_number})" if phase.methods_per_team > 1 and submission.method_number else ""


def method_slug(phase: Phase, submission: Submission) -> str:
    """The same for names of files."""
    return f"-method-{submission.method_number}" if method_words(phase, submission) else ""


def standing(phase: Phase, team_runs: Sequence[Run]) -> Run:
    """Return the run that counts for a team by the phase's rule, from its scored runs in order of submission."""
    if phase.counts == Phase.Counts.BEST:
        return best(team_runs, {metric.name: metric.higher_is_better for metric in phase.assessment.metrics})
    chosen = [run for run in team_runs if run.submission.is_chosen] if phase.counts == Phase.Counts.CHOSEN else []
    return (chosen or team_runs)[-1]


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
    frame, hidden_costs = results_frame(run), kept_costs(run, user)
    return frame[~frame["metric"].isin(hidden_costs)].reset_index(drop=True) if hidden_costs else frame


def kept_costs(run: Run, user: Any) -> frozenset[str]:
    """Names of the metrics whose values of single cases `told_frame` leaves out."""
    phase = run.submission.phase
    return kept_from(user, phase, costs_in(phase.assessment) | costs_scored(run.provenance))


def told_notes(run: Run, user: Any) -> dict[str, str]:
    """Return case → reason for its missing value, in the wording that the person may read."""
    if not run.case_notes or access_to_submission(user, run.submission).notes:
        return dict(run.case_notes)
    return dict.fromkeys(run.case_notes, HIDDEN_NOTE)


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
    """Return the sealed versions of tables that results are from, the latest first, each with its teams."""
    by_version: dict[int, dict[str, Any]] = {}
    for run in runs:
        if facts := run.provenance.get("measured_outside"):
            by_version.setdefault(facts["version"], {**facts, "teams": []})["teams"].append(names[run.pk])
    return [{**entry, "teams": sorted(entry["teams"])} for _, entry in sorted(by_version.items(), reverse=True)]


def scoring_images(runs: Iterable[Run]) -> list[dict[str, Any]]:
    """The scoring images of the organizers that results are from, each with the digest of the trial that it passed."""
    names = ("image", "interface", "metrics", "self_test", "tried_at")
    scorers = [run.provenance["scorer"] for run in runs if run.provenance.get("scorer")]
    distinct = {
        (scorer["image"], scorer["self_test"]): {name: scorer.get(name) for name in names} for scorer in scorers
    }
    return [entry for _, entry in sorted(distinct.items())]
