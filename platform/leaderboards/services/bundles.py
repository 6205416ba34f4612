"""A published ranking with all that it was computed from, for anyone to check."""

from collections.abc import Iterator
from typing import Any

from django.urls import reverse

from challenges.queries import deviations
from core.audit.models import Entry
from core.audit.services import content
from datastore.uploads.storage import load_json
from evaluation import bundle
from executions.scoring.domain import results
from leaderboards.models import RankingVersion
from leaderboards.queries.names import is_pseudonym, shown_names, substitute, uses_pseudonyms
from leaderboards.services import both_assessments, computing
from submissions.models import Run


def chunks(version: RankingVersion, *, key: str) -> Iterator[bytes]:
    """Yield the bytes of the bundle of a version; `key` names its phase in addresses."""
    phase = version.phase
    assessment = computing.assessment_of(version)
    published = bundle.Published(
        digest=version.digest,
        document=load_json(version.document_name),
        facts={
            "challenge": phase.challenge.slug,
            "task": phase.task.slug,
            "phase": phase.slug,
            "version": version.number,
            "created_at": version.created_at.date().isoformat(),
            "address": reverse("leaderboards:version", args=[phase.challenge.slug, key, version.number]),
            "inputs_digest": version.inputs_digest,
            **_names(version),
            **_deviations(version),
            **_rankings_of_changes(version),
            **_executions(version),
            **_measured_outside(version),
            **_scorers(version),
        },
    )
    return bundle.chunks(
        published,
        assessment,
        team_results(version),
        cases=load_json(version.metadata_name) if version.metadata_name else None,
        audit=audit_entries(version),
    )


def _names(version: RankingVersion) -> dict[str, Any]:
    """Names of the teams that may be named when the bundle is made; rankings and results contain pseudonyms."""
    names = shown_names(version.phase)
    return {"names": dict(sorted(names.items()))} if uses_pseudonyms(version.phase) else {}


def _deviations(version: RankingVersion) -> dict[str, Any]:
    """Return the deviations of the ranking from its registration, empty without a registration."""
    entries = deviations(version.phase, executed=version.assessment_digest)
    return {"deviations": [entry.facts for entry in entries]} if entries else {}


def _rankings_of_changes(version: RankingVersion) -> dict[str, Any]:
    """Return the other rankings of the same phase after a deviation.

    They were made under the other assessments or with the former references.
    """
    comparison = both_assessments.comparison(version.phase)
    others = [
        {"what": column.words, "digest": column.version.digest, "number": column.version.number}
        for column in (comparison.columns if comparison else ())
        if column.version is not None and column.version.pk != version.pk
    ]
    return {bundle.OTHER_RANKINGS: others} if others else {}


def _executions(version: RankingVersion) -> dict[str, Any]:
    """Return how the predictions of each team were made, if algorithms were run here.

    Images and models of unnamed teams are absent, because the same image in two phases would link them.
    """
    shown_teams = substitute(version.inputs["teams"], shown_names(version.phase))
    teams = {
        team["run"]: team["name"]
        for team, as_shown in zip(version.inputs["teams"], shown_teams, strict=True)
        if not is_pseudonym(as_shown["name"])
    }
    rows = Run.objects.filter(pk__in=list(teams)).values_list("pk", "provenance")
    executions = {teams[str(pk)]: provenance["execution"] for pk, provenance in rows if provenance.get("execution")}
    names = ("identity", "image", "model", "predictions", "runs", "host_classes", "versions")
    facts_by_team = {
        team: {name: execution.get(name) for name in names} for team, execution in sorted(executions.items())
    }
    return {"executions": facts_by_team} if facts_by_team else {}


def _measured_outside(version: RankingVersion) -> dict[str, Any]:
    """Return the origin of values that the platform did not compute."""
    origins = version.inputs.get(bundle.MEASURED_OUTSIDE)
    return {bundle.MEASURED_OUTSIDE: origins} if origins else {}


def _scorers(version: RankingVersion) -> dict[str, Any]:
    """The scoring images of the organizers that values are from."""
    scorers = version.inputs.get(bundle.SCORERS)
    return {bundle.SCORERS: scorers} if scorers else {}


def team_results(version: RankingVersion) -> Iterator[bundle.TeamResult]:
    """Read the results that counted, one team after another."""
    teams, assessment = version.inputs["teams"], computing.assessment_of(version)
    runs = Run.objects.select_related("submission__team").in_bulk([team["run"] for team in teams])
    by_id = {str(key): run for key, run in runs.items()}
    for team in teams:
        run = by_id[team["run"]]
        yield bundle.TeamResult(
            team["name"],
            team["result"],
            computing.team_frame(run, team["name"], assessment, level=team.get("level", "")),
            evidence=results.evidence_bytes(run.evidence_file) if run.evidence_file else None,
        )


def audit_entries(version: RankingVersion) -> list[dict[str, Any]]:
    """The log's entries of a version: made by the system, so that they name no person.

    None where teams have pseudonyms: an entry contains the time to the second, right after a team submitted.
    """
    if uses_pseudonyms(version.phase):
        return []
    entries = Entry.objects.filter(subject_type=version._meta.label_lower, subject_id=str(version.pk), actor=None)  # noqa: SLF001 (Django's public way to name a model)
    return [content(entry) | {"digest": entry.digest} for entry in entries]
