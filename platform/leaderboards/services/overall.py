"""Rankings over several tasks, from the current rankings in the tasks and by the registered combination only."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from django.db import IntegrityError, transaction

from challenges.models import Phase, Team
from core.audit.services import record
from datastore.uploads.storage import load_json
from evaluation import canonical
from evaluation.aggregation import ResultsError
from evaluation.ranking.overall import TaskResults, overall_digest, rank_over_tasks
from leaderboards.models import OverallRanking, RankingVersion
from leaderboards.queries.current import current_standing
from leaderboards.queries.names import PER_PHASE, PSEUDONYMOUS, uses_pseudonyms
from leaderboards.services import computing
from leaderboards.services.pseudonyms import pseudonyms_of
from submissions.models import Run


def rank_overall(phase: Phase) -> list[OverallRanking]:
    """Combine the current rankings for every registered ranking over tasks that the phase belongs to.

    Returns the new rankings. Phases of the same short name are combined, one in each task.
    While one of the tasks has no ranking, there is no ranking over the tasks.
    """
    new_rankings = []
    for registered in phase.challenge.overall_rankings:
        if phase.task.design_key not in registered["tasks"]:
            continue
        versions = _standing(phase, registered["tasks"])
        if versions is not None and (row := _combined(phase, registered, versions)) is not None:
            new_rankings.append(row)
    return new_rankings


def _standing(phase: Phase, tasks: Sequence[str]) -> list[RankingVersion] | None:
    """Return the current rankings in the phases of the same short name, in the order of the tasks."""
    phase_by_key = {
        candidate.task.design_key: candidate
        for candidate in Phase.objects.filter(task__challenge=phase.challenge, slug=phase.slug, task__removed_at=None)
        .select_related("task__challenge")
        .order_by("pk")
    }
    versions = []
    for key in tasks:
        standing = current_standing(phase_by_key[key]) if key in phase_by_key else None
        if standing is None:
            return None
        standing.version.phase = phase_by_key[key]
        versions.append(standing.version)
    return versions


def _combined(phase: Phase, registered: Mapping[str, Any], versions: Sequence[RankingVersion]) -> OverallRanking | None:
    inputs = {
        "registered": registered,
        "tasks": [
            {
                "task": version.phase.task.design_key,
                "phase": version.phase_id,
                "version": version.number,
                "digest": version.digest,
            }
            for version in versions
        ],
        **({PSEUDONYMOUS: PER_PHASE} if any(uses_pseudonyms(version.phase) for version in versions) else {}),
    }
    digest = canonical.sha256(inputs)
    existing = OverallRanking.objects.filter(
        challenge=phase.challenge, phase_slug=phase.slug, name=registered["name"], inputs_digest=digest
    )
    if existing.exists():
        return None
    document: dict[str, Any] = {}
    problem = _at_sites(versions)
    try:
        if not problem:
            names = _names(versions)
            document = rank_over_tasks(
                [_results(version, registered["ranking"], names) for version in versions],
                registered["steps"],
                name=registered["name"],
                absent=registered["absent"],
            )
    except ResultsError as error:
        problem = str(error)[:1000]
    row = OverallRanking(
        challenge=phase.challenge,
        phase_slug=phase.slug,
        name=registered["name"],
        inputs=inputs,
        inputs_digest=digest,
        document=document,
        digest=overall_digest(document) if document else "",
        problem=problem,
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            facts = {"name": row.name, "phase": phase.slug, "digest": row.digest, "inputs_digest": digest}
            record(actor=None, act="overall_ranking_computed", subject=row, scope=phase.challenge.slug, facts=facts)
    except IntegrityError:  # another worker was faster
        return None
    return row


def _at_sites(versions: Sequence[RankingVersion]) -> str:
    """Explain why tasks with cases at sites cannot be combined.

    The text is empty if all cases are here.
    """
    named = [version.phase.task.name for version in versions if version.is_over_sites]
    if not named:
        return ""
    return f"{', '.join(named)}: ranked over sites, whose cases are not here; a ranking over tasks draws cases of every task."


def _names(versions: Sequence[RankingVersion]) -> dict[int, str]:
    """Return the label of each team over all tasks.

    The label is the name if every task names every team, otherwise a pseudonym.
    The pseudonym differs from those in the tasks. The ranking over tasks therefore does not link the tasks.
    """
    teams = {team["team"] for version in versions for team in version.inputs["teams"]}
    if any(uses_pseudonyms(version.phase) for version in versions):
        return pseudonyms_of(versions[0].phase, teams, over_tasks=True)
    return dict(Team.objects.filter(pk__in=teams).values_list("pk", "name"))


def _results(version: RankingVersion, ranking: str, names: Mapping[int, str]) -> TaskResults:
    """Return the inputs of a version, under the labels used over all tasks."""
    teams = version.inputs["teams"]
    runs = Run.objects.select_related("submission__team", "test_set").in_bulk([team["run"] for team in teams])
    by_id = {str(key): run for key, run in runs.items()}
    assessment = computing.assessment_of(version)
    frames = [
        computing.team_frame(by_id[team["run"]], names[team["team"]], assessment, level=team.get("level", ""))
        for team in teams
    ]
    return TaskResults(
        task=version.phase.task.name,
        assessment=assessment,
        results=pd.concat(frames, ignore_index=True),
        ranking=ranking,
        cases=computing.read_metadata(load_json(version.metadata_name)) if version.metadata_name else None,
        evidence=computing.merged_evidence((names[team["team"]], by_id[team["run"]]) for team in teams),
    )
