"""A challenge with three phases and people in every part, made of real rows: runs with result files, rankings computed."""

from dataclasses import dataclass
from datetime import timedelta

import pandas as pd
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Member, Organizer, Phase, Task, Team
from datastore.test_sets.models import TestCase, TestSet
from datastore.uploads.models import Upload
from executions.scoring.domain import results
from leaderboards.services import analyses, following, rankings
from submissions.models import Run, Submission
from tests.integration.leaderboards import examples

CASES = [f"case-{index:02d}" for index in range(10)]


@dataclass(frozen=True)
class World:
    challenge: Challenge
    phases: dict[str, Phase]
    people: dict[str, User]
    teams: dict[str, Team]


def build(
    *,
    public: bool = True,
    teams: tuple[str, ...] = ("Ada", "Ben"),
    ranked: tuple[str, ...] = ("open", "sealed", "revealed"),
) -> World:
    """One challenge: phase `open` with a public ranking, `sealed` still open, `revealed` sealed and closed."""
    people = {
        "organizer": User.objects.create(username="olga", email="olga@example.org"),
        "member": User.objects.create(username="ada", email="ada@example.org"),
        "other": User.objects.create(username="ben", email="ben@example.org"),
        "stranger": User.objects.create(username="sam", email="sam@example.org"),
        "staff": User.objects.create(username="stan", email="stan@example.org", is_staff=True),
    }
    challenge = Challenge.objects.create(slug="liver", title="Liver", summary="Livers.", is_public=public)
    Organizer.objects.create(challenge=challenge, user=people["organizer"])
    task = Task.objects.create(challenge=challenge, slug="main", name="Main")
    now = timezone.now()
    ends = {"open": now + timedelta(days=1), "sealed": now + timedelta(days=1), "revealed": now - timedelta(hours=1)}
    phases = {}
    for position, (slug, closes) in enumerate(ends.items(), start=1):
        phases[slug] = Phase.objects.create(
            task=task,
            slug=slug,
            name=slug.capitalize(),
            position=position,
            opens_at=now - timedelta(days=2),
            closes_at=closes,
            leaderboard=Phase.Leaderboard.PUBLIC if slug == "open" else Phase.Leaderboard.SEALED,
            assessment_document=examples.ASSESSMENT,
            assessment_digest=examples.assessment().digest,
        )
        hidden_test_set(phases[slug])
    rows = {name: Team.objects.create(challenge=challenge, name=name, slug=name.lower()) for name in teams}
    for team, person in zip(rows.values(), (people["member"], people["other"]), strict=False):
        Member.objects.create(team=team, challenge=challenge, user=person)
    world = World(challenge, phases, people, rows)
    for slug in ranked:
        for index, team in enumerate(rows.values()):
            scored_run(phases[slug], team, people["member"], level=0.9 - 0.1 * index)
        rank(phases[slug])
    return world


def join(world: World, name: str, *, level: float) -> Team:
    """One more team with a score in every phase, all of them ranked again."""
    team = Team.objects.create(challenge=world.challenge, name=name, slug=name.lower())
    world.teams[name] = team
    for phase in world.phases.values():
        scored_run(phase, team, world.people["member"], level=level)
        rank(phase)
    return team


def hidden_test_set(phase: Phase) -> TestSet:
    now = timezone.now()
    made = TestSet.objects.create(
        phase=phase, name="hidden", version=1, sealed_at=now, manifest_digest="0" * 64, is_active=True
    )
    TestCase.objects.bulk_create(
        TestCase(
            test_set=made, name=name, position=index, reference_file="none", reference_sha256="0" * 64, geometry={}
        )
        for index, name in enumerate(CASES)
    )
    return made


def scored_run(phase: Phase, team: Team, user: User, *, level: float, missing: int = 0, cases: int = 10) -> Run:
    """A submission of `team` that scored around `level`; counted, with its result file in the private storage."""
    number = Submission.objects.filter(phase=phase, team=team).count() + 1
    upload = Upload.objects.create(
        phase=phase,
        team=team,
        user=user,
        file_name="predictions.zip",
        size=1,
        offset=1,
        state=Upload.State.COMPLETE,
        expires_at=timezone.now(),
    )
    submission = Submission.objects.create(
        upload=upload,
        phase=phase,
        team=team,
        user=user,
        number=number,
        archive_name="predictions.zip",
        archive_size=1,
        state=Submission.State.SCORED,
    )
    rows = case_rows(examples.case_results(team.name, level, cases=cases, missing=missing))
    name = f"results/{submission.pk}.parquet"
    results.store(rows, name)
    return Run.objects.create(
        submission=submission,
        number=1,
        test_set=TestSet.objects.get(phase=phase, is_active=True),
        assessment_digest=phase.assessment_digest,
        state=Run.State.SCORED,
        counts=True,
        cases_total=cases,
        finished_at=timezone.now(),
        result_file=name,
        result_digest=results.digest(rows),
    )


def case_rows(frame: pd.DataFrame) -> list[results.CaseRow]:
    plain = frame.astype(object).where(frame.notna(), None)
    return [
        results.CaseRow(row.case, row.region, row.metric, row.value, row.outcome, row.image_diagonal)
        for row in plain.itertuples(index=False)
    ]


def rank(phase: Phase) -> None:
    rankings.request_ranking(phase.pk)
    version = rankings.rank_phase(phase_id=phase.pk)
    following.follow_phase(phase_id=phase.pk)
    if version is not None:
        analyses.analyse_version(version_id=version.pk)
