"""Generated challenges in the database: their results as counted runs, ranked by the platform, read through its pages."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pandas as pd
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Member, Organizer, Phase, Task, Team
from datastore.test_sets.models import TestCase, TestSet
from datastore.uploads.models import Upload
from evaluation.aggregation.summary import summarize
from executions.scoring.domain import results
from leaderboards.models import RankingVersion
from submissions.models import Run, Submission
from submissions.queries import results_frame
from tests.claims.challenges import Challenge as Generated
from tests.claims.challenges import challenge as generate
from tests.claims.raw import Raw
from tests.integration.leaderboards import world

SLUG = "generated"


@dataclass(frozen=True)
class Staged:
    """A generated challenge in the database.

    Attributes
    ----------
    phase
        Closed, with a public ranking, or open with one, as it was generated.
    version
        Its ranking.
    """

    raw: Raw
    phase: Phase
    version: RankingVersion


def may_be_staged(made: Generated) -> bool:
    """One task with results that the platform scores, and with evidence where they are made of it."""
    problem = made.assessment.problem
    whole = bool(made.unanswered)
    return problem not in ("table", "external") and "task" not in made.results and not (whole and made.evidence is None)


def seeds(number: int, *, first: int = 0) -> list[int]:
    """Numbers of the first challenges that can be staged."""
    found, seed = [], first
    while len(found) < number:
        if may_be_staged(generate(seed)):
            found.append(seed)
        seed += 1
    return found


def stage(seed: int) -> Staged | None:
    """Create the challenge for a seed, rank it and return it, or return None if no team can be ranked."""
    made = generate(seed)
    organizer = User.objects.create(username="olga", email="olga@example.org")
    challenge = Challenge.objects.create(slug=SLUG, title="Generated", summary="At random.", is_public=True)
    Organizer.objects.create(challenge=challenge, user=organizer)
    task = Task.objects.create(challenge=challenge, slug="main", name="Main")
    now = timezone.now()
    phase = Phase.objects.create(
        task=task,
        slug="final",
        name="Final",
        position=1,
        opens_at=now - timedelta(days=2),
        closes_at=now - timedelta(hours=1) if made.closed else now + timedelta(days=1),
        leaderboard=Phase.Leaderboard.PUBLIC,
        assessment_document=made.assessment.document,
        assessment_digest=made.assessment.digest,
    )
    test_set = _test_set(phase, made)
    for name in sorted(set(made.results["algorithm"])):
        team = Team.objects.create(challenge=challenge, name=name, slug=name.replace(" ", "-").lower())
        user = User.objects.create(username=team.slug, email=f"{team.slug}@example.org")
        Member.objects.create(team=team, challenge=challenge, user=user)
        _run(made, phase, test_set, team, user)
    world.rank(phase)
    version = RankingVersion.objects.filter(phase=phase).first()
    return None if version is None else Staged(Raw(made), phase, version)


def _test_set(phase: Phase, made: Generated) -> TestSet:
    test_set = TestSet.objects.create(
        phase=phase, name="hidden", version=1, sealed_at=timezone.now(), manifest_digest="0" * 64, is_active=True
    )
    known: dict[str, dict[str, Any]] = {}
    if made.cases is not None:
        known = {row.pop("case"): row for row in made.cases.to_dict("records")}
    if made.evidence is not None:
        names = list(next(iter(made.evidence.blocks.values())).cases)
    else:
        names = sorted(set(made.results["case"]))
    TestCase.objects.bulk_create(
        TestCase(
            test_set=test_set,
            name=name,
            position=place,
            reference_file="none",
            reference_sha256="0" * 64,
            geometry={},
            metadata=known.get(name, {}),
        )
        for place, name in enumerate(names, 1)
    )
    return test_set


def _run(made: Generated, phase: Phase, test_set: TestSet, team: Team, user: User) -> None:
    own = made.results[made.results["algorithm"] == team.name]
    rows = [_row(row) for row in own.astype(object).where(own.notna(), None).to_dict("records")]
    evidence, name = None, f"results/{team.pk}.parquet"
    if made.evidence is not None:
        blocks = {key: block for key, block in made.evidence.blocks.items() if key[1] == team.name}
        evidence = replace(made.evidence, blocks=blocks).renamed("")
        results.store_evidence(evidence, f"evidence/{team.pk}.parquet.age")
    results.store(rows, name)
    upload = Upload.objects.create(
        phase=phase,
        team=team,
        user=user,
        file_name="a.zip",
        size=1,
        offset=1,
        state="complete",
        expires_at=timezone.now(),
    )
    submission = Submission.objects.create(
        upload=upload, phase=phase, team=team, user=user, number=1, archive_name="a.zip", archive_size=1, state="scored"
    )
    run = Run.objects.create(
        submission=submission,
        number=1,
        test_set=test_set,
        assessment_digest=phase.assessment_digest,
        state=Run.State.SCORED,
        counts=True,
        cases_total=test_set.cases.count(),
        finished_at=timezone.now(),
        result_file=name,
        evidence_file=f"evidence/{team.pk}.parquet.age" if evidence is not None else "",
        result_digest=results.digest(rows, evidence),
    )
    run.summary = summarize(made.assessment, results_frame(run), made.cases)
    run.save(update_fields=["summary"])


def _row(row: dict[str, Any]) -> results.CaseRow:
    worst = row.get("worst")
    return results.CaseRow(
        row["case"],
        row["region"],
        row["metric"],
        row["value"],
        row["outcome"],
        row.get("image_diagonal"),
        row.get("flag") or "",
        None if worst is None or pd.isna(worst) else worst,
    )
