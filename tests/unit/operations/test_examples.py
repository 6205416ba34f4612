"""The example challenges match their READMEs."""

import io
import zipfile

import pandas as pd
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.models import User
from challenges.models import Challenge, Phase
from challenges.queries import deviations, projection_differences
from designs.queries import document_of
from designs.queries.findings import all_findings
from evaluation.assessment import parse
from operations.services.example_accounts import ACCOUNTS, create_accounts
from operations.services.examples import example, load, predictions, try_me_files
from registry.models import Registration

SOURCE = example("hippocampus")
NUCLEI = example("nuclei")
ARCHIVES = [(source, name) for source in (SOURCE, NUCLEI) for name in sorted(try_me_files(source))]


def test_the_two_phases_share_no_case_and_use_all_sixty():
    preliminary, final = (set(SOURCE.phase(slug)["cases"]) for slug in ("preliminary", "final"))
    assert (len(preliminary), len(final), len(preliminary | final)) == (15, 45, 60)
    assert {path.name.split(".")[0] for path in (SOURCE.folder / "references").iterdir()} == preliminary | final


def test_the_assessment_is_that_of_the_design():
    assessment = parse(SOURCE.content["assessment"])
    assert [metric.id for metric in assessment.metrics] == ["dsc", "nsd", "hausdorff_percentile", "assd"]
    assert len(assessment.regions) == 2
    assert assessment.uncertainty.bootstrap == 1000


def test_thirteen_algorithms_with_the_gaps_that_the_readme_names():
    present = {name: len(list((SOURCE.folder / "predictions" / name).iterdir())) for name in SOURCE.algorithms}
    assert len(present) == 13
    assert {name: 60 - count for name, count in present.items() if count < 60} == {"random-forest": 3, "unet-b": 1}


def test_two_algorithms_hand_in_the_same_files():
    cases = SOURCE.phase("final")["cases"]
    assert predictions(SOURCE, "unet-a", cases) == predictions(SOURCE, "unet-a-largest", cases)


@pytest.mark.parametrize(("source", "name"), ARCHIVES, ids=lambda value: value if isinstance(value, str) else "")
def test_the_archives_to_try_are_those_that_the_command_writes(source, name):
    def content(data):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {info.filename: archive.read(info) for info in archive.infolist()}

    stored = content((source.folder / "try-me" / name).read_bytes())
    made = content(try_me_files(source)[name])
    assert stored.keys() == made.keys()
    # A compressor of another version may pack the changed images differently; all others are copied.
    assert sum(stored[file] != made[file] for file in stored) <= 2


def test_the_licence_stands_beside_the_data_and_on_the_page():
    for source, licence in ((SOURCE, "CC BY-SA 4.0"), (NUCLEI, "CC0")):
        assert licence in (source.folder / "README.md").read_text()
        assert licence in source.content["attribution"]


def test_every_modality_of_the_nuclei_is_in_both_phases_and_every_case_in_one():
    table = pd.read_csv(NUCLEI.folder / "cases.csv").set_index("case")["modality"]
    preliminary, final = (NUCLEI.phase(slug)["cases"] for slug in ("preliminary", "final"))
    assert sorted(preliminary + final) == sorted(table.index)
    assert set(table[preliminary]) == set(table[final]) == set(table)


def test_the_nuclei_are_ranked_by_illumination_over_metrics_that_take_the_task_apart():
    assessment = parse(NUCLEI.content["assessment"])
    assert [metric.name for metric in assessment.metrics] == [
        "panoptic_quality",
        "detection_f1",
        "outline_iou",
        "outline_distance",
    ]
    assert {metric.level for metric in assessment.metrics} == {"case"}
    assert assessment.aggregation.levels == ("case", "illumination")
    assert assessment.aggregation.fixed == ("illumination",)


def test_eight_algorithms_segment_all_nuclei():
    present = {name: len(list((NUCLEI.folder / "predictions" / name).iterdir())) for name in NUCLEI.algorithms}
    assert present == dict.fromkeys(NUCLEI.algorithms, 61)
    assert len(present) == 8


@pytest.fixture
def storage(settings, tmp_path):
    private = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": tmp_path / "storage", "allow_overwrite": True},
    }
    settings.STORAGES = settings.STORAGES | {"default": private, "private": private}
    settings.PODIUM_SCRATCH = tmp_path / "scratch"
    settings.PODIUM_DATA = tmp_path


@pytest.mark.django_db
def test_loading_twice_makes_everything_once(storage):
    for _ in range(2):
        load("hippocampus")
        load("nuclei")
    assert Challenge.objects.count() == 2
    for challenge in Challenge.objects.all():
        phases = Phase.objects.filter(task__challenge=challenge).order_by("position")
        assert [phase.slug for phase in phases] == ["preliminary", "final"]
    assert User.objects.filter(username="paula").count() == 1


@pytest.mark.django_db
def test_no_registered_design_of_the_demonstration_has_an_error(storage):
    for name in ("hippocampus", "nuclei"):
        load(name)
    call_command("load_example_world", stdout=io.StringIO())
    registrations = Registration.objects.select_related("design")
    assert {row.design.slug for row in registrations} == {"example-hippocampus", "example-nuclei"}
    for row in registrations:
        document = document_of(row.design)
        for phase in ("draft", "submission", "change_request", "results", "report"):
            found = all_findings(document, design=row.design, phase=phase)
            assert [finding.check.id for finding in found if finding.blocks] == []


@pytest.mark.django_db
def test_outside_of_example_mode_nobody_can_sign_in_with_an_example_account(storage):
    people = create_accounts()
    assert len(people) == len(ACCOUNTS)
    assert not any(user.has_usable_password() for user in people.values())


@pytest.mark.django_db
def test_in_example_mode_passwords_belong_to_this_installation(storage, settings, client):
    from operations.services.example_accounts import _passwords

    settings.PODIUM_EXAMPLE_MODE = True
    people = create_accounts()
    passwords = _passwords()
    assert people["paula"].check_password(passwords["paula"])
    assert len(set(passwords.values())) == len(ACCOUNTS)
    assert create_accounts()["paula"].check_password(passwords["paula"])


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["../secrets", "unknown", ""])
def test_an_unknown_example_is_refused_with_what_there_is(name):
    with pytest.raises(CommandError, match="hippocampus"):
        call_command("load_example", name)


@pytest.mark.django_db
def test_try_me_files_are_served_in_example_mode_only(client, settings):
    url = "/examples/hippocampus/try-me/broken-final.zip"
    assert client.get(url).status_code == 404
    settings.PODIUM_EXAMPLE_MODE = True
    response = client.get(url)
    assert response.status_code == 200
    assert b"".join(response.streaming_content)[:2] == b"PK"
    assert client.get("/examples/hippocampus/try-me/challenge.json").status_code == 404
    assert client.get("/examples/hippocampus/try-me/..%2fchallenge.json").status_code == 404


@pytest.mark.django_db
def test_images_to_try_are_made_when_they_are_asked_for_in_example_mode_only(client, settings, monkeypatch):
    monkeypatch.setattr("operations.services.example_algorithms.can_run", lambda: True)
    monkeypatch.setattr("operations.services.example_algorithms.offered", lambda *_: b"an image")
    address = "/examples/hippocampus-algorithms/try-me/{}.tar.gz"
    settings.PODIUM_EXAMPLE_MODE = True
    for name, begins in (("threshold", b"an image"), ("mean-atlas-weights", b"\x1f\x8b")):
        response = client.get(address.format(name))
        assert b"".join(response.streaming_content).startswith(begins)
        response.close()
    assert client.get(address.format("threshold-weights")).status_code == 404
    settings.PODIUM_EXAMPLE_MODE = False
    assert client.get(address.format("threshold")).status_code == 404


def test_the_data_folder_is_outside_of_git():
    assert "/data/" in (settings.ROOT / ".gitignore").read_text()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["hippocampus", "nuclei"])
def test_an_example_runs_from_its_registration_as_it_is_described(storage, name):
    challenge = load(name)
    content = example(name).content
    assert challenge.is_public
    assert projection_differences(challenge) == []
    copied = ("slug", "name", "submissions_per_day", "submissions_in_total", "counts", "results", "leaderboard")
    for phase, wanted in zip(Phase.objects.order_by("position"), content["phases"], strict=True):
        assert {field: getattr(phase, field) for field in copied} == {field: wanted[field] for field in copied}
        assert phase.reveals_cases == wanted["reveals_cases"]
        assert phase.assessment_digest == parse(content["assessment"]).digest
        assert phase.is_open
        assert deviations(phase) == []
