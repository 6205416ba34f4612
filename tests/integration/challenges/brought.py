"""Results that were computed elsewhere, brought to a launched phase as tables by its organizers."""

import io
from collections.abc import Mapping
from typing import Any

import pandas as pd

from challenges.models import Phase, Team
from challenges.services.teams import make_team
from datastore.test_sets.models import TestSet
from leaderboards.services import following, rankings
from submissions.measurements.models import Measurement
from submissions.measurements.services import tables, working
from submissions.models import Run

ORIGIN = {"by": "the organizers", "with": "their scripts, version 1", "when": "after the event"}


def hidden_cases(phase: Phase, metadata: Mapping[str, Mapping[str, Any]]) -> TestSet:
    """Seal a list of named cases with their metadata, whose references are stored elsewhere."""
    table = pd.DataFrame([{"case": name, **more} for name, more in metadata.items()])
    if len(table.columns) == 1:
        table["number"] = range(len(table))
    sealed(phase, table, kind=Measurement.Kind.CASES)
    return TestSet.objects.get(phase=phase, is_active=True)


def bring(phase: Phase, table: pd.DataFrame) -> dict[str, Run]:
    """Bring a results table into a phase, with teams for its algorithms; returns algorithm → run."""
    for name in table["algorithm"].unique():
        if not Team.objects.filter(challenge=phase.challenge, name=name).exists():
            make_team(
                actor=phase.challenge.organizers.first(), challenge=phase.challenge, team_name=name, tasks=[phase.task]
            )
        # A team takes part in several tasks.
        Team.objects.get(challenge=phase.challenge, name=name).tasks.add(phase.task)
    measured = sealed(phase, table, origin=ORIGIN)
    runs = Run.objects.filter(measured__measurement=measured).select_related("submission__team")
    return {run.submission.team.name: run for run in runs}


def sealed(phase: Phase, table: pd.DataFrame, **more: Any) -> Measurement:
    """Upload a table, let the worker read it, seal what it found, and let the worker store that."""
    file = io.BytesIO()
    table.to_csv(file, index=False, float_format="%.17g")
    actor = phase.challenge.organizers.first()
    brought = tables.bring_table(actor=actor, phase=phase, file_name="results.csv", content=file.getvalue(), **more)
    working.work_on(measurement_id=brought.pk)
    brought.refresh_from_db()
    assert brought.problems == []
    tables.seal(actor=actor, table=brought)
    working.work_on(measurement_id=brought.pk)
    brought.refresh_from_db()
    assert brought.is_sealed, (brought.state, brought.problems)
    return brought


def ranked(phase: Phase) -> dict[str, Any]:
    """Rank the phase and return the current ranking document."""
    from datastore.uploads.storage import load_json

    rankings.request_ranking(phase.pk)
    version = rankings.rank_phase(phase_id=phase.pk)
    assert version is not None
    following.follow_phase(phase_id=phase.pk)
    document: dict[str, Any] = load_json(version.document_name)
    return document
