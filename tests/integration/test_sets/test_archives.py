"""Archives of references: taken, refused with what is wrong, and put in the place of an earlier version."""

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from challenges.services import create_phase
from core.audit.models import Entry
from datastore.test_sets.models import TestSet
from datastore.test_sets.services.archives import take_archive
from datastore.test_sets.services.sealing import TestSetError, manifest_digest
from submissions.models import Run
from tests.integration.submissions.world import ASSESSMENT, CASES, World, labels, nifti, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)

GROUPED = {**ASSESSMENT, "aggregation": {"levels": ["case", "site"], "operator": "mean"}}
TABLE = b"case,patient,site,age\ncase_002,007,north,60\ncase_001,008,south,\n"


def packed(folder: Path, files: dict[str, bytes], name: str = "archive.zip") -> Path:
    path = folder / name
    path.write_bytes(zipped(files))
    return path


def references(shift: int = 0, cases=CASES) -> dict[str, bytes]:
    return {f"references/{name}": content for name, content in predictions(shift, cases).items()}


@pytest.fixture
def empty_phase(world: World):
    """A second phase, whose ranking groups cases by site, without a test set."""
    first = world.phase
    return create_phase(
        actor=None,
        task=first.task,
        assessment=GROUPED,
        slug="second",
        name="Second",
        opens_at=first.opens_at,
        closes_at=first.closes_at,
    )


def test_an_archive_becomes_the_first_version(world: World, empty_phase, tmp_path):
    inside = {**references(cases=CASES[:2]), "cases.csv": TABLE}
    path = packed(tmp_path, {f"all/{name}": content for name, content in inside.items()})
    test_set = take_archive(phase=empty_phase, path=path, actor=world.organizer)
    cases = list(test_set.cases.order_by("position"))
    assert [case.name for case in cases] == ["case_002", "case_001"]  # as the table has them
    assert cases[0].metadata == {"patient": "007", "site": "north", "age": 60.0}
    assert cases[1].metadata["age"] is None
    by_hand = world.test_set.cases.get(name="case_001")
    assert (cases[1].geometry, cases[1].reference_sha256) == (by_hand.geometry, by_hand.reference_sha256)
    assert manifest_digest(test_set) == test_set.manifest_digest
    with pytest.raises(TestSetError, match="has a test set already"):
        take_archive(phase=empty_phase, path=path, actor=world.organizer)


def test_everything_wrong_is_named_at_once(world: World, empty_phase, tmp_path):
    files = {
        **references(cases=("case_001", "case_099")),
        "references/sub/case_001.nii": b"again",
        "notes.txt": b"hello",
        "cases.csv": b"case,site\ncase_001,\ncase_002,north\ncase_002,north\n",
    }
    with pytest.raises(TestSetError) as refused:
        take_archive(phase=empty_phase, path=packed(tmp_path, files), actor=world.organizer)
    lines = str(refused.value).splitlines()
    for words in (
        "references/sub/case_001.nii: the case case_001 has the file case_001.nii.gz already",
        "notes.txt: belongs to nothing",
        "cases.csv: the case case_002 is listed twice",
        "cases.csv: the case case_002 has no reference. Add references/case_002.nii.gz",
        "references/case_099.nii.gz: cases.csv has no case case_099",
        "the ranking groups cases by site, which case_001 lack",
    ):
        assert any(line.startswith(words) or words in line for line in lines), (words, lines)
    assert not TestSet.objects.filter(phase=empty_phase).exists()


def test_unreadable_references_and_images_are_named_with_what_to_do(world: World, empty_phase, tmp_path):
    files = {
        "references/case_001.nii.gz": nifti(labels() * 5),
        "references/case_002.nii.gz": b"no image",
        "images/case_002.png": b"no picture",
        "cases.csv": TABLE,
    }
    with pytest.raises(TestSetError) as refused:
        take_archive(phase=empty_phase, path=packed(tmp_path, files), actor=None)
    lines = sorted(str(refused.value).splitlines())
    assert [line.partition(":")[0] for line in lines] == [
        "images/case_002.png, case case_002",
        "references/case_001.nii.gz, case case_001",
        "references/case_002.nii.gz, case case_002",
    ]
    assert "the labels 5, 10" in lines[1]


def test_no_path_of_an_archive_leads_out_of_it(world: World, empty_phase, tmp_path):
    with pytest.raises(TestSetError, match="points outside of the archive"):
        take_archive(phase=empty_phase, path=packed(tmp_path, {"references/../../x.nii": b"x"}), actor=None)


def test_a_replacement_scores_again_and_keeps_what_was(world: World, tmp_path, workers):
    submission = world.upload(zipped(predictions(1)))
    before = submission.runs.get()
    world.test_set.cases.filter(name="case_010").update(position=99)
    world.test_set.cases.filter(name="case_001").update(position=4, image_file="images/one.png")
    world.test_set.cases.filter(name="case_002").update(metadata={"site": "north", "age": 60})
    path = packed(tmp_path, references(1))
    with pytest.raises(TestSetError, match="needs a reason"):
        take_archive(phase=world.phase, path=path, actor=world.organizer, replaces=True, reason=" ")
    second = take_archive(
        phase=world.phase, path=path, actor=world.organizer, replaces=True, reason="Labels were swapped."
    )
    assert (second.version, second.is_active) == (2, True)
    entry = Entry.objects.filter(act="test_set_sealed").latest("sequence")
    assert (entry.actor, entry.facts["reason"]) == (world.organizer, "Labels were swapped.")
    after = submission.runs.get(counts=True)
    assert (after.trigger, after.test_set, after.triggered_by) == (Run.Trigger.TEST_SET, second, world.organizer)
    before.refresh_from_db()
    assert (before.test_set_id, before.state) == (world.test_set.pk, Run.State.SUPERSEDED)
    assert before.result_digest != after.result_digest
    assert world.test_set.cases.count() == len(CASES)
    # What the archive does not say stays as it was: order, characteristics, images.
    kept = {case.name: case for case in second.cases.order_by("position")}
    assert list(kept) == ["case_002", "case_003", "case_001", "case_010"]
    assert kept["case_002"].metadata == {"site": "north", "age": 60}
    assert (kept["case_001"].image_file, kept["case_002"].image_file) == ("images/one.png", "")


def test_a_replacement_waits_for_runs_and_keeps_cases_once_teams_have_submitted(world: World, tmp_path):
    submission = world.upload(zipped(predictions()))
    fewer = packed(tmp_path, references(1, CASES[:3]))
    with pytest.raises(TestSetError, match="case_010 is in the present version"):
        take_archive(phase=world.phase, path=fewer, actor=None, replaces=True, reason="Fewer.")
    Run.objects.create(
        submission=submission, number=1, test_set=world.test_set, assessment_digest="0" * 64, cases_total=4
    )
    whole = packed(tmp_path, references(1), "whole.zip")
    with pytest.raises(TestSetError, match="being scored at this moment"):
        take_archive(phase=world.phase, path=whole, actor=None, replaces=True, reason="Swapped.")
    assert TestSet.objects.get(phase=world.phase).version == 1


def test_the_command_seals_and_replaces(world: World, empty_phase, tmp_path, capsys):
    path = packed(tmp_path, {**references(cases=CASES[:2]), "cases.csv": TABLE})
    call_command("load_test_set", "blocks", "blocks/second", str(path), "--as", world.organizer.username)
    assert "2 cases, manifest" in capsys.readouterr().out
    with pytest.raises(CommandError, match="has a test set already"):
        call_command("load_test_set", "blocks", "second", str(path))
    call_command("load_test_set", "blocks", "second", str(path), "--replace", "Annotated anew.")
    assert TestSet.objects.get(phase=empty_phase, is_active=True).version == 2
    with pytest.raises(CommandError, match="0 phases fit"):
        call_command("load_test_set", "blocks", "third", str(path))
