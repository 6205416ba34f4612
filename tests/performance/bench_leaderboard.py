"""Server time of a leaderboard: 200 teams, 500 cases, 5 metrics, 3 regions, 1,000 submissions.

The result is the processor time of the process that answers, without that of the database. A separate database is used
(`DATABASE_URL`, else SQLite). Pages are answered by a process that never ranked, as on installations with separate web
and worker processes.

The peer of the page is a naive version: the same rows, with one query for each team's submission and run. The new
ranking has no peer. Its limit is the permitted time of a phase from a new score to the stored ranking. Its figures and
comparisons follow in the background.

`PODIUM_BENCH_TEAMS` and `PODIUM_BENCH_CASES` make it smaller.
"""

import importlib
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd

import tests.environment  # noqa: F401 (has to come before the settings)

TEAMS = int(os.environ.get("PODIUM_BENCH_TEAMS", "200"))
CASES = int(os.environ.get("PODIUM_BENCH_CASES", "500"))
SUBMISSIONS_EACH = 5
REQUESTS = 100
ADDRESS = "/challenges/large/leaderboard/final/"
REGIONS = ("core", "edema", "whole")
METRICS = ("assd", "dsc", "hausdorff_percentile", "iou", "nsd")
DISTANCES = ("assd", "hausdorff_percentile")


class Timing(NamedTuple):
    """One row of the table: our seconds, the bar, and those of a peer."""

    name: str
    seconds: float
    limit: float | None
    peer: str
    peer_seconds: float


def benchmarks() -> Iterator[Timing]:
    """Measure the new ranking, then the page cold and warm."""
    with surroundings():
        phase = build()
        from leaderboards.services import analyses, rankings

        rankings.request_ranking(phase.pk)
        started = time.process_time()
        version = rankings.rank_phase(phase_id=phase.pk)
        ranking = time.process_time() - started
        if version is None:
            raise RuntimeError("the ranking failed")
        what = f"{TEAMS} teams × {CASES} cases"
        yield Timing(f"new ranking stored, {what}", ranking, 10.0, "– (none)", ranking)
        started = time.process_time()
        if analyses.analyse_version(version_id=version.pk) is None:
            raise RuntimeError("the analysis did not end")
        behind = time.process_time() - started
        yield Timing(f"its figures, in the background, {what}", behind, None, "– (none)", behind)
        cold, warm, tab = in_web_process(page_times)
        naive = float(np.percentile([timed(naive_page) for _ in range(10)], 95))
        peer = "one query a team"
        yield Timing(f"leaderboard page, cold, {TEAMS} teams", cold, 0.200, peer, naive)
        yield Timing(f"leaderboard page, warm, 95 %, {TEAMS} teams", warm, 0.060, peer, naive)
        yield Timing(f"tab of figures, warm, 95 %, {TEAMS} teams", tab, 0.060, peer, naive)


@contextmanager
def surroundings() -> Iterator[None]:
    """A database and a storage that are gone afterwards."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.db import connection

    with TemporaryDirectory() as folder:
        name = connection.settings_dict["NAME"]
        with stored_in(folder):
            connection.creation.create_test_db(verbosity=0, autoclobber=True)
            try:
                yield
            finally:
                connection.creation.destroy_test_db(name, verbosity=0)


def stored_in(folder: str):
    """Settings by which files are kept in a folder."""
    from django.conf import settings
    from django.test import override_settings

    private = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder}}
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    return override_settings(
        STORAGES=settings.STORAGES | {"private": private, "staticfiles": plain},
        STATIC_ROOT=folder,
        ALLOWED_HOSTS=["testserver"],
    )


def build():
    """The phase with its teams and submissions; the last submission of a team counts and has a result file."""
    from django.utils import timezone

    from accounts.models import User
    from challenges.models import Challenge, Phase, Task, Team
    from datastore.test_sets.models import TestSet
    from datastore.uploads.models import Upload
    from datastore.uploads.storage import store_bytes
    from evaluation.assessment import parse
    from submissions.models import Run, Submission

    document = assessment()
    now = timezone.now()
    user = User.objects.create(username="bench", email="bench@example.org")
    challenge = Challenge.objects.create(slug="large", title="Large", summary="Large.", is_public=True)
    phase = Phase.objects.create(
        task=Task.objects.create(challenge=challenge, slug="main", name="Main"),
        slug="final",
        name="Final",
        opens_at=now - timedelta(days=3),
        closes_at=now + timedelta(days=3),
        leaderboard=Phase.Leaderboard.PUBLIC,
        assessment_document=document,
        assessment_digest=parse(document).digest,
    )
    test_set = TestSet.objects.create(
        phase=phase, name="hidden", sealed_at=now, manifest_digest="0" * 64, is_active=True
    )
    for team_number in range(TEAMS):
        team = Team.objects.create(challenge=challenge, name=f"team-{team_number:03d}", slug=f"team-{team_number:03d}")
        name = f"results/{team.pk}.parquet"
        store_bytes(name, results(team_number).to_parquet(index=False, engine="pyarrow", compression="zstd"))
        for number in range(1, SUBMISSIONS_EACH + 1):
            upload = Upload.objects.create(
                phase=phase, team=team, user=user, file_name="p.zip", size=1, offset=1, state="complete", expires_at=now
            )
            submission = Submission.objects.create(
                upload=upload,
                phase=phase,
                team=team,
                user=user,
                number=number,
                archive_name="p.zip",
                archive_size=1,
                state=Submission.State.SCORED,
            )
            Run.objects.create(
                submission=submission,
                number=1,
                test_set=test_set,
                assessment_digest=phase.assessment_digest,
                state=Run.State.SCORED,
                counts=True,
                cases_total=CASES,
                finished_at=now,
                result_file=name,
                result_digest=f"{team_number:064d}",
            )
    return phase


def assessment() -> dict:
    options = {"nsd": {"tolerance": 1.0}, "hausdorff_percentile": {"percentile": 95}}
    return {
        "schema": 1,
        "problem": "semantic_segmentation",
        "regions": [{"name": name, "labels": [label]} for label, name in enumerate(REGIONS, start=1)],
        "metrics": [{"id": name, "options": options.get(name, {})} for name in METRICS],
        "ranking": {
            "scheme": "aggregate_then_rank",
            "operator": "mean",
            "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True},
        },
        "uncertainty": {"bootstrap": 1000, "seed": 1},
    }


def results(team_number: int) -> pd.DataFrame:
    generator = np.random.default_rng(team_number)
    keys = [(f"case-{case:03d}", region, metric) for case in range(CASES) for region in REGIONS for metric in METRICS]
    table = pd.DataFrame(keys, columns=["case", "region", "metric"])
    quality = 1 / (1 + np.exp(-generator.normal(generator.normal(1.2, 0.5), 0.7, len(table))))
    table["value"] = np.where(table["metric"].isin(DISTANCES), 20 * (1 - quality), quality)
    return table.assign(algorithm="", outcome="ok", image_diagonal=300.0, flag="")


def timed(work) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def in_web_process(work):
    """Return the result of a function in a new process on the same database and files."""
    from django.conf import settings
    from django.db import connection

    where = (connection.settings_dict["NAME"], settings.STORAGES["private"]["OPTIONS"]["location"])
    with multiprocessing.get_context("spawn").Pool(1, _use, where) as pool:
        return pool.apply(work)


def _use(database: str, folder: str) -> None:
    """Load the platform in a separate process, as gunicorn loads it."""
    importlib.import_module("config.wsgi")
    from django.db import connection

    connection.settings_dict["NAME"] = database
    stored_in(folder).enable()


def page_times() -> tuple[float, float, float]:
    """Seconds of the first answer, the 95th percentile of many, and that of the tab of figures."""
    from django.test import Client

    client = Client()
    # A process is asked for its health before it gets visitors; that loads the addresses, and nothing of this page.
    client.get("/healthz")
    cold = timed(partial(asked, client, ADDRESS))
    warm, tab = (
        float(np.percentile([timed(partial(asked, client, address)) for _ in range(REQUESTS)], 95))
        for address in (ADDRESS, f"{ADDRESS}?view=stability")
    )
    return cold, warm, tab


def asked(client, address: str) -> None:
    """Ask for a page, which has to be there and small."""
    response = client.get(address)
    if response.status_code != 200 or len(response.content) > 150_000:
        raise RuntimeError(f"status {response.status_code}, {len(response.content)} bytes")


def naive_page() -> str:
    """The rows as they are often made: for each team its last submission, its run, and the result file for the scores."""
    from django.template import Context, Template

    from challenges.models import Team
    from submissions.models import Run
    from submissions.queries import results_frame

    rows = []
    for team in Team.objects.filter(challenge__slug="large"):
        run = Run.objects.filter(submission__team=team, counts=True).order_by("-submission__number").first()
        scores = results_frame(run).groupby(["metric", "region"])["value"].mean()
        rows.append({"team": team.name, "scores": list(scores)})
    source = "{% for row in rows %}<tr><th>{{ row.team }}</th>{% for score in row.scores %}<td>{{ score }}</td>{% endfor %}</tr>{% endfor %}"
    return Template(source).render(Context({"rows": rows}))
