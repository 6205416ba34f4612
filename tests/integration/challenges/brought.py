"""Results that were computed elsewhere, brought to a launched phase as tables: rows stored as a scored run stores them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
from django.utils import timezone

from challenges.models import Phase, Team
from leaderboards.services import rankings
from submissions.domain import results
from submissions.domain.summary import summarize
from submissions.models import Run, Submission
from test_sets.models import TestCase, TestSet
from uploads.models import Upload


def hidden_cases(phase: Phase, metadata: Mapping[str, Mapping[str, Any]]) -> TestSet:
    """A sealed test set of named cases with their metadata, whose references lie elsewhere."""
    made = TestSet.objects.create(
        phase=phase, name="elsewhere", version=1, sealed_at=timezone.now(), manifest_digest="0" * 64, is_active=True
    )
    TestCase.objects.bulk_create(
        TestCase(
            test_set=made, name=name, position=index, reference_file="none", reference_sha256="0" * 64, geometry={},
            metadata=dict(more),
        )
        for index, (name, more) in enumerate(metadata.items())
    )  # fmt: skip
    return made


def bring(phase: Phase, table: pd.DataFrame) -> dict[str, Run]:
    """Give each algorithm of a results table a team of the phase's challenge with a scored run; returns algorithm → run."""
    test_set = TestSet.objects.get(phase=phase, is_active=True)
    metadata = pd.DataFrame([{"case": case.name, **case.metadata} for case in test_set.cases.all()])
    return {name: _scored(phase, str(name), rows, test_set, metadata) for name, rows in table.groupby("algorithm")}


def _scored(phase: Phase, name: str, table: pd.DataFrame, test_set: TestSet, metadata: pd.DataFrame) -> Run:
    team, _ = Team.objects.get_or_create(challenge=phase.challenge, name=name, slug=name.lower().replace("_", "-"))
    user = phase.challenge.organizers.first()
    upload = Upload.objects.create(
        phase=phase, team=team, user=user, file_name="results.zip", size=1, offset=1, state=Upload.State.COMPLETE,
        expires_at=timezone.now(),
    )  # fmt: skip
    submission = Submission.objects.create(
        upload=upload, phase=phase, team=team, user=user, number=1, archive_name="results.zip", archive_size=1,
        state=Submission.State.SCORED,
    )  # fmt: skip
    plain = table.astype(object).where(table.notna(), None)
    rows = [
        results.CaseRow(row.case, row.region, row.metric, row.value, row.outcome, row.image_diagonal)
        for row in plain.itertuples(index=False)
    ]
    file = f"results/{submission.pk}.parquet"
    results.store(rows, file)
    return Run.objects.create(
        submission=submission, number=1, test_set=test_set, assessment_digest=phase.assessment_digest,
        state=Run.State.SCORED, counts=True, cases_total=test_set.cases.count(), finished_at=timezone.now(),
        result_file=file, result_digest=results.digest(rows),
        summary=summarize(phase.assessment, results.frame(rows, algorithm=name), metadata),
    )  # fmt: skip


def ranked(phase: Phase) -> dict[str, Any]:
    """The ranking document that stands once the phase is ranked."""
    from leaderboards.domain import files

    rankings.request_ranking(phase.pk)
    version = rankings.rank_phase(phase_id=phase.pk)
    assert version is not None
    document: dict[str, Any] = files.load(version.document_name)
    return document
