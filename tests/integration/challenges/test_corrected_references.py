"""Corrected references, from the request to both rankings: a wrong reference is replaced or its case excluded."""

import io
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from challenges.models import Phase, Team
from challenges.services import close_phase, join_with_team
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError
from datastore.uploads.services.uploads import append
from evaluation import bundle
from leaderboards.models import RankingVersion
from leaderboards.services import both_assessments, rankings
from registry.changes.models import ChangeRequest
from registry.changes.services import Verdict, decide, request_change
from submissions.models import Run
from submissions.services.submitting import create_upload, finish
from tests.integration.challenges.world import person
from tests.integration.changes import world as registered
from tests.integration.submissions.conftest import broker_of_its_own, private_files, workers
from tests.integration.submissions.world import CASES, labels, nifti, zipped
from tests.integration.test_sets.test_archives import packed

__all__ = ["broker_of_its_own", "private_files", "workers"]
# In one transaction: decisions about changes cannot be deleted, so that the database could not be emptied afterwards.
pytestmark = pytest.mark.django_db
WRONG = CASES[0]
FEW = {"bootstrap": 20, "seed": 1, "interval": 0.95, "resample": ["case"]}
METRICS = [
    {"metric": "dsc", "abbreviation": "DSC", "used_for_ranking": True, "worst_value": 0, "orientation": "higher"}
]
SCHEME = {"name": "Mean", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}


def files(folder, shifts):
    return {
        f"{folder}{case}.nii.gz": nifti(labels(shift, case=case)) for case, shift in zip(CASES, shifts, strict=True)
    }


class Running:
    """A launched challenge with a wrong reference: by it Ben is better than Ada, by the right one worse."""

    def __init__(self, tmp_path, execute):
        self.tmp_path, self.execute = tmp_path, execute
        self.world = registered.build(
            joined=False,
            challenge={"phase_settings": [{"phase": "Final phase", "leaderboard": "public", "results": "cases"}]},
            metrics=METRICS,
            ranking_method=[SCHEME],
            uncertainty_settings=FEW,
        )
        self.phase = Phase.objects.select_related("task__challenge").get(
            task__challenge=self.world.challenge, slug="final"
        )
        self.seal((3, 0, 0, 0))
        self.teams = {
            name: self.submit(name, shifts) for name, shifts in {"Ada": (0, 1, 1, 1), "Ben": (3, 1, 1, 1)}.items()
        }
        self.rank()

    def seal(self, shifts, **replacing):
        path = packed(self.tmp_path, files("references/", shifts), f"references-{len(shifts)}-{shifts[0]}.zip")
        with self.execute(execute=True):
            return take_archive(phase=self.phase, path=path, actor=self.world.organizer, **replacing)

    def submit(self, name, shifts):
        user = person(name.lower())
        team = join_with_team(user=user, challenge=self.world.challenge, team_name=name)
        content = zipped(files("", shifts))
        upload = create_upload(user=user, phase=self.phase, team=team, file_name="a.zip", size=len(content), again=True)
        append(upload=upload, offset=0, read=io.BytesIO(content).read)
        with self.execute(execute=True):
            finish(upload=upload)
        return team

    def rank(self):
        rankings.request_ranking(self.phase.pk)
        rankings.rank_phase(phase_id=self.phase.pk)
        self.phase = Phase.objects.select_related("task__challenge").get(pk=self.phase.pk)

    def change(self, parameter, value):
        """Ask for a critical change and let the chair approve it as a deviation."""
        self.world.draft(parameter, value)
        request = request_change(
            actor=self.world.organizer, registration=self.world.registration, wanted=[registered.wanted(parameter)]
        )
        ChangeRequest.objects.filter(pk=request.pk).update(objections_until=timezone.now() - timedelta(minutes=1))
        request.refresh_from_db()
        agreed = Verdict(approve=True, reason="The reference showed another structure.")
        with self.execute(execute=True):
            decide(
                actor=self.world.chair,
                request=request,
                verdicts={change.pk: agreed for change in request.changes.all()},
                as_deviation=True,
            )
        self.phase = Phase.objects.select_related("task__challenge").get(pk=self.phase.pk)
        return request

    def page(self, name, *arguments):
        return Client().get(reverse(f"leaderboards:{name}", args=[self.world.challenge.slug, "final", *arguments]))

    def verified(self, comparison):
        """Return the notes of `verify` for the bundle of each ranking."""
        close_phase(actor=None, phase=self.phase)
        notes = {}
        for version in (column.version for column in comparison.columns):
            file = self.tmp_path / f"{version.number}.zip"
            file.write_bytes(b"".join(self.page("bundle", version.number).streaming_content))
            verdict = bundle.verify(file, digest=version.digest)
            assert verdict.same
            notes[version] = " ".join(verdict.notes)
        return notes


@pytest.fixture
def running(tmp_path, private_files, workers, django_capture_on_commit_callbacks):
    return Running(tmp_path, django_capture_on_commit_callbacks)


def test_a_corrected_reference_goes_from_the_request_to_both_rankings(running):
    before = RankingVersion.objects.filter(phase=running.phase).latest("number")
    with pytest.raises(TestSetError, match="Ask for a change"):
        running.seal((0, 0, 0, 0), replaces=True, reason="The first reference was wrong.")
    request = running.change("corrected_references", [{"case": WRONG, "reason": "reference_error", "note": "Swapped."}])
    running.seal((0, 0, 0, 0), replaces=True, reason="The first reference was wrong.")
    assert Run.objects.filter(counts=True, test_set__version=2).count() == len(running.teams)
    running.rank()
    found = both_assessments.comparison(running.phase)
    assert [column.words for column in found.columns] == [
        "by the former references (test set version 1)",
        "by the corrected references",
    ]
    assert [(line.team, line.ranks) for line in found.lines] == [("Ada", (2, 1)), ("Ben", (1, 2))]
    assert found.columns[0].version == before
    board = running.page("current").content.decode()
    assert "References that were corrected" in board
    assert "The scores of 2 teams were known to the organizers when this change was asked for." in board
    assert "by the former references" in running.page("both_ways").content.decode()
    identifier = running.world.registration.identifier
    record = Client().get(f"/registry/{identifier}/").content.decode()
    assert f"/registry/{identifier}/changes/{request.number}/" in record
    for test_set in running.phase.test_sets.all():
        assert test_set.manifest_digest in record
    (former, first), (corrected, second) = running.verified(found).items()
    assert f"by the corrected references as well: digest {corrected.digest}" in first
    assert f"by the former references (test set version 1) as well: digest {former.digest}" in second


def test_an_excluded_case_goes_from_the_request_to_both_rankings(running):
    request = running.change("excluded_cases", [{"case": WRONG, "reason": "reference_error", "note": "Swapped."}])
    running.rank()
    found = both_assessments.comparison(running.phase)
    assert [column.words for column in found.columns] == [
        "under the registered assessment, with all cases",
        "under the changed assessment, without 1 case",
    ]
    assert [(line.team, line.ranks) for line in found.lines] == [("Ada", (2, 1)), ("Ben", (1, 1))]
    identifier = running.world.registration.identifier
    record = Client().get(f"/registry/{identifier}/").content.decode()
    assert "Test cases that do not count" in record
    assert f"/registry/{identifier}/changes/{request.number}/" in record
    (with_all, first), (without, second) = running.verified(found).items()
    assert f"without 1 case as well: digest {without.digest}" in first
    assert f"with all cases as well: digest {with_all.digest}" in second
    assert Team.objects.filter(challenge=running.world.challenge).count() == 2
