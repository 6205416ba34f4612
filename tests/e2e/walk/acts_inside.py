"""Actions of a walk without a browser: designs, test sets, teams, submissions and reports of its challenges.

Functions here run inside the installation under test (`Installation.shell`) and print JSON.
"""

import io
import json
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from django.urls import reverse
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges.models import Challenge, Phase, Team
from challenges.services import close_phase, join_with_team
from datastore.test_sets.services.archives import take_archive
from datastore.uploads.services.uploads import append
from designs.models import Design
from designs.services import freeze_version
from leaderboards.models import RankingVersion
from registry.services import register
from reports.exposure.queries.facts import Audience
from reports.models import Report
from reports.services.reports import request_report
from submissions.measurements.models import Measurement
from submissions.measurements.services import tables, working
from submissions.models import Submission
from submissions.services.states import score_as_it_is
from submissions.services.submitting import create_upload, finish
from tests.e2e.walk import kinds_of_problems
from tests.e2e.walk.everything import person
from tests.e2e.walk.kinds_of_problems import handed
from tests.integration.measurements import outside
from tests.integration.submissions.world import zipped

OWNER, TEAMS = "walking-owner", ("ada", "bo", "cy")


def design(kind: str) -> dict[str, Any]:
    """The design document of a kind, with one phase that is open now."""
    today = timezone.now().date()
    days = {"submission_open": -2, "submission_deadline": 30, "results_release": 40}
    schedule = [{"event": event, "date": (today + timedelta(days=day)).isoformat()} for event, day in days.items()]
    for row in schedule[:2]:
        row["phase"] = "Final phase"
    challenge = {
        "challenge_name": f"A walk over a {kind}",
        "challenge_schedule": schedule,
        "phase_settings": [
            {"phase": "Final phase", "submissions_per_day": 5, "leaderboard": "public", "results": "cases"}
        ],
    }
    return kinds_of_problems.design_of(kind, challenge)


def phases(kind: str) -> list[Phase]:
    """The phases of the challenge of a kind."""
    return list(Phase.objects.filter(task__challenge__slug=f"walk-{kind}").order_by("task__position"))


def registered(slug: str) -> str:
    """Freeze and register a design; the review is walked in `tests/e2e/reviews`."""
    owner, made = person(OWNER), Design.objects.get(slug=slug)
    return register(
        design_version=freeze_version(actor=owner, design=made, name="Accepted"), actor=owner
    ).registration.identifier


def seal(kind: str) -> None:
    """Seal the test set of each task."""
    for number, phase in enumerate(phases(kind)):
        if kind == "external":
            _bring(phase, Measurement.Kind.CASES, outside.CASES)
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "references.zip"
            path.write_bytes(zipped(handed(kind, number).references))
            take_archive(phase=phase, path=path, actor=person(OWNER))


def join(kind: str) -> None:
    """Three teams of one person each."""
    challenge = Challenge.objects.get(slug=f"walk-{kind}")
    for name in TEAMS:
        join_with_team(user=person(f"walking-{name}"), challenge=challenge, team_name=f"team-{name}")


def _bring(phase: Phase, kind: str, text: str, *, makes_teams: bool = False) -> None:
    """Upload a table of what was measured outside, have it read, and seal it; the form is walked in `tests/e2e/measurements`."""
    table = tables.bring_table(
        actor=person(OWNER),
        phase=phase,
        file_name="values.csv",
        content=text.encode(),
        kind=kind,
        origin=outside.ORIGIN,
        makes_teams=makes_teams,
    )
    for step in ("read", "seal"):
        if step == "seal":
            table.refresh_from_db()
            tables.seal(actor=person(OWNER), table=table)
        working.work_on(measurement_id=table.pk)


def hand_in(kind: str) -> None:
    """Each team hands in to each task."""
    for number, phase in enumerate(phases(kind)):
        if kind == "external":
            _bring(phase, Measurement.Kind.VALUES, outside.values([f"team-{name}" for name in TEAMS]))
            continue
        for name, files in zip(TEAMS, handed(kind, number).of_teams, strict=True):
            user, content = person(f"walking-{name}"), zipped(files)
            team = Team.objects.get(challenge=phase.task.challenge, name=f"team-{name}")
            upload = create_upload(user=user, phase=phase, team=team, file_name="p.zip", size=len(content), again=True)
            append(upload=upload, offset=0, read=io.BytesIO(content).read)
            finish(upload=upload)


def bring_teams(kind: str, number: int) -> None:
    """Add `number` teams with one table; most of them have similar values."""
    random = np.random.default_rng(1)
    lines = ["algorithm,case,metric,value"]
    for place in range(number):
        for case in range(1, 13):
            name = f"team-{place:04d},s{case:02d}"
            lines.append(f"{name},SV,{random.uniform(20, 60) + 150 * place / number:.4f}")
            lines.append(f"{name},time,{random.uniform(20, 60) + 300 * place / number:.3f}")
    _bring(phases(kind)[0], Measurement.Kind.VALUES, "\n".join(lines) + "\n", makes_teams=True)


def teams_ranked(kind: str) -> int:
    """Return the number of teams in the last ranking."""
    last = RankingVersion.objects.filter(phase=phases(kind)[0]).order_by("-number").first()
    return len(last.table["teams"]) if last else 0


def submissions(kind: str, state: str) -> list[str]:
    """Addresses of the submissions in a state."""
    return [
        row.get_absolute_url() for row in Submission.objects.filter(phase__in=phases(kind), state=state).order_by("pk")
    ]


def go_on(kind: str) -> None:
    """Score all submissions that wait for a decision in their present state."""
    for row in Submission.objects.filter(phase__in=phases(kind), state="held"):
        score_as_it_is(submission=row, actor=row.user)


def is_ranked(kind: str) -> bool:
    """Return whether the last ranking of each phase contains all teams."""
    last = [RankingVersion.objects.filter(phase=phase).order_by("-number").first() for phase in phases(kind)]
    return all(version is not None and len(version.table["teams"]) == len(TEAMS) for version in last)


def close(kind: str) -> None:
    """Close every phase before its time."""
    for phase in phases(kind):
        close_phase(actor=person(OWNER), phase=phase)


def ask_for_report(kind: str) -> int:
    """Have the public report made; returns its number."""
    challenge = Challenge.objects.get(slug=f"walk-{kind}")
    return request_report(actor=person(OWNER), challenge=challenge, audience=Audience.PUBLIC).number


def is_made(kind: str) -> bool:
    """Return whether no report of the challenge is queued or in progress."""
    return not Report.objects.filter(
        challenge__slug=f"walk-{kind}", state__in=(Report.State.QUEUED, Report.State.WORKING)
    ).exists()


def bundles(kind: str) -> list[tuple[str, str]]:
    """Return the address of the bundle of each final ranking and the digest that its page shows."""
    found = []
    for phase in phases(kind):
        version = RankingVersion.objects.filter(phase=phase).order_by("-number").first()
        key = f"{phase.task.slug}.{phase.slug}" if len(phases(kind)) > 1 else phase.slug
        address = reverse("leaderboards:bundle", args=[f"walk-{kind}", key, version.number])
        found.append((address, version.digest))
    return found


def mails() -> list[str]:
    """Return the subjects and texts of all notifications to the people of the walk."""
    rows = Notification.objects.filter(user__username__startswith="walking-").order_by("pk")
    return [f"{row.subject}\n{row.text}" for row in rows]


def answer(name: str, *arguments: Any) -> None:
    """Call one of these functions and print what it returns."""
    print(json.dumps(globals()[name](*arguments)))
