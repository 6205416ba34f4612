"""Information on pages for a team: costs, limits, queue positions, choices, and the available actions."""

import copy
import io
import zipfile
from datetime import timedelta

import pytest
from django.utils import timezone

from challenges.models import Phase
from datastore.uploads.models import Upload
from submissions import hooks
from submissions.models import Run, Submission
from submissions.queries.counting import counting
from submissions.queries.progress import progress
from submissions.services.releasing import release_new
from submissions.services.submitting import create_upload
from tests.integration.submissions.world import ASSESSMENT, World, build, labels, nifti, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)
BASE = "/challenges/blocks/"
COST = "counts as 0 in DSC and NSD, and as the diagonal of its image in HD95 and ASSD"


def page_of(client, address: str) -> str:
    return client.get(address).content.decode()


def test_the_page_says_what_a_missing_case_costs_before_and_after_the_upload(client, world: World, workers):
    client.force_login(world.ada)
    assert f"A case that is missing or cannot be read {COST}." in page_of(client, f"{BASE}submit/")
    held = world.upload(zipped(predictions(cases=["case_001", "case_002", "case_003"])))
    page = page_of(client, held.get_absolute_url())
    assert "1 of 4 cases is missing or cannot be scored." in page
    assert f"If you submit it as it is, it {COST}." in page
    other = copy.deepcopy(ASSESSMENT)
    other["metrics"][0]["policy"] = {"missing": -1}
    Phase.objects.update(assessment_document=other)
    assert "counts as -1 in DSC, and as 0 in NSD" in page_of(client, f"{BASE}submit/")


def test_the_cap_on_what_fails_is_shown_before_it_is_reached(client, world: World, workers, settings):
    settings.PODIUM_UNSUCCESSFUL_PER_DAY = 2
    client.force_login(world.ada)
    for number in range(2):
        assert f"{number} of at most 2" in page_of(client, f"{BASE}submit/")
        world.upload(b"no archive")
    assert "2 submissions of your team are held, or were refused, withdrawn or failed today" in page_of(
        client, f"{BASE}submit/"
    )


def test_an_archive_inside_the_archive_is_named_with_its_remedy(world: World, workers):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("inner.zip", zipped(predictions()))
    reason = Submission.objects.get(pk=world.upload(inner.getvalue()).pk).reason
    assert reason.endswith("inner.zip: an archive inside the archive is not opened; pack its files directly.")


def test_what_has_arrived_of_a_lost_file_can_be_thrown_away(client, world: World):
    upload = create_upload(user=world.ada, phase=world.phase, team=world.adas, file_name="lost.zip", size=900)
    client.force_login(world.bo)
    client.post(f"{BASE}submit/", {"cancel": upload.pk})
    assert Upload.objects.get().state == "receiving"
    client.force_login(world.ada)
    assert "lost.zip" in page_of(client, f"{BASE}submit/")
    client.post(f"{BASE}submit/", {"cancel": upload.pk, "phase": world.phase.pk})
    assert (Upload.objects.get().state, upload.path.exists()) == ("cancelled", False)
    assert 'data-unfinished="' not in page_of(client, f"{BASE}submit/")


def test_who_waits_is_told_how_many_are_before_and_how_long_it_takes(world: World):
    for _ in range(3):
        last = world.upload(zipped(predictions()))
    assert "2 others are before it." in progress(last).text  # nothing has been done yet that a time could be told from
    now = timezone.now()
    Submission.objects.exclude(pk=last.pk).update(
        created_at=now - timedelta(seconds=300), validated_at=now - timedelta(seconds=240), state="accepted"
    )
    other = Submission.objects.exclude(pk=last.pk).first()
    Submission.objects.filter(pk=other.pk).update(state="received", validated_at=None)
    assert "One other is before it; its turn ends in about 2 minutes." in progress(last).text
    for number, entry in enumerate(Submission.objects.order_by("created_at", "pk")):
        Run.objects.create(
            submission=entry,
            number=1,
            test_set=world.test_set,
            cases_total=4,
            queued_at=now + timedelta(seconds=number),
        )
    text = progress(last).text
    assert text.startswith("It has been validated and waits for a worker. 2 others are before it.")


@pytest.mark.parametrize(("feedback", "words"), [("rounded", "rounded to the precision"), ("ladder", "only when it")])
def test_a_phase_that_withholds_says_so_before_the_upload_and_shows_no_digits_that_it_withholds(
    client, tmp_path, db, workers, monkeypatch, feedback, words
):
    names = [f"case_{n:03}" for n in range(6)]
    references = {name: labels(n % 3 - 1, case=name) for n, name in enumerate(names)}
    world = build(tmp_path / "r", references=references, results="aggregate", leaderboard="sealed", feedback=feedback)
    monkeypatch.setattr(hooks, "run_scored", [release_new])
    client.force_login(world.ada)
    assert f"own aggregate only, {words}" in page_of(client, f"{BASE}submit/")
    submission = world.upload(zipped({f"{name}.nii.gz": nifti(labels(0, case=name)) for name in names}))
    shown = [row["shown"] for row in Submission.objects.get().release.scores]
    page = page_of(client, submission.get_absolute_url())
    for value in shown:
        assert f'data-label="Value">{value:g}<' in page
    Phase.objects.update(closed_at=timezone.now())  # then everything is told, to four digits
    exact = Run.objects.get().summary["values"][0]["value"]
    assert f'data-label="Value">{exact:.4f}<' in page_of(client, submission.get_absolute_url())


def test_a_choice_is_told_also_while_a_description_is_lacking(world: World, workers):
    Phase.objects.update(counts="chosen", requires_method=True)
    world.phase.refresh_from_db()
    first, _ = (Submission.objects.get(pk=world.upload(zipped(predictions(n))).pk) for n in (1, 2))
    Submission.objects.filter(pk=first.pk).update(is_chosen=True, method_number=1)
    first.refresh_from_db()
    found = counting(first)
    assert found.counts
    assert found.words.startswith("This submission counts: your team chose it. The final ranking leaves")
    Phase.objects.update(closed_at=timezone.now())
    closed = counting(Submission.objects.select_related("phase").get(pk=first.pk))
    assert (closed.counts, closed.words[:34]) == (False, "The ranking leaves your team out u")


def test_a_case_that_became_missing_is_a_loss_and_the_table_is_there_for_spreadsheets(client, world: World, workers):
    first = world.upload(zipped(predictions(2)))
    second = world.upload(zipped(predictions(1, cases=["case_001", "case_002", "case_003"])), accept_incomplete=True)
    client.force_login(world.ada)
    query = {"before": first.pk, "after": second.pk}
    rows = client.get(f"{BASE}submissions/compare.csv", query).content.decode().splitlines()
    assert rows[1].endswith(",worse")  # the largest loss comes first
    assert rows[1].startswith("dsc,anterior,case_010,")
    assert len(rows) == 1 + 4 * 8
    listed = client.get(f"{BASE}submissions/own.csv").content.decode().splitlines()
    assert [row.split(",")[0] for row in listed] == ["submission", "2", "1"]
    page = page_of(client, second.get_absolute_url())
    # Pictures of the worst cases that have a prediction, each loaded when it comes into view.
    assert page.count("picture/?small=1") == 3
    assert "case_010/picture/" not in page
    small = page_of(client, f"{second.get_absolute_url()}cases/case_001/picture/?small=1")
    assert 'id="picture"' not in small
    client.force_login(world.organizer)  # whose pictures show references, and whose every look at them is logged
    assert "picture/?small=1" not in page_of(client, second.get_absolute_url())
    client.force_login(world.bo)
    assert client.get(f"{BASE}submissions/compare.csv", query).status_code == 404
    assert "predictions" not in client.get(f"{BASE}submissions/own.csv").content.decode()


def test_a_long_list_of_own_submissions_comes_in_pages(client, world: World, monkeypatch):
    monkeypatch.setattr("submissions.views.submissions.PER_PAGE", 2)
    for _ in range(3):
        world.upload(b"no archive")
    client.force_login(world.ada)
    first, second = (page_of(client, f"{BASE}submissions/?page={number}") for number in (1, 2))
    assert ("1–2 of 3 submissions" in first, "3–3 of 3 submissions" in second) == (True, True)
    assert ("#1&nbsp;" in first, "#1&nbsp;" in second) == (False, True)
