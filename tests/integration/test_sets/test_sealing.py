"""Making and sealing the hidden references."""

import pandas as pd
import pytest
from django.db import IntegrityError, transaction

from core.audit.models import Entry
from datastore.test_sets.models import TestSet
from datastore.test_sets.services.received_archives import check
from datastore.test_sets.services.sealing import TestSetError, create_test_set, manifest_digest
from datastore.test_sets.services.undoing import undo_sealing
from registry.services.verifying import verify
from tests.integration.submissions.world import CASES, World, add_test_set, labels, nifti, predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_test_set_is_sealed_with_a_digest_over_everything_in_it(world: World):
    assert world.test_set.sealed_at is not None
    assert manifest_digest(world.test_set) == world.test_set.manifest_digest
    world.test_set.cases.filter(name="case_001").update(reference_sha256="0" * 64)
    assert manifest_digest(world.test_set) != world.test_set.manifest_digest
    assert Entry.objects.get(act="test_set_sealed").facts["manifest_digest"] == world.test_set.manifest_digest


def test_a_new_version_takes_the_place_of_the_old_one(world: World, tmp_path):
    second = add_test_set(world.phase, tmp_path / "second", {case: labels(1, case=case) for case in CASES})
    assert (second.version, second.is_active) == (2, True)
    assert not TestSet.objects.get(version=1).is_active
    with pytest.raises(IntegrityError), transaction.atomic():
        TestSet.objects.update(is_active=True)


def test_metadata_become_plain_values(world: World, tmp_path):
    table = pd.DataFrame({"case": list(CASES), "site": ["a", None, "b", "b"], "voxels": [1, 2, 3, 4]})
    test_set = create_test_set(phase=world.phase, references=tmp_path / "references", cases=list(CASES), metadata=table)
    assert test_set.cases.get(name="case_002").metadata == {"site": None, "voxels": 2}


def test_references_that_cannot_be_taken_are_named(world: World, tmp_path):
    folder = tmp_path / "references"
    with pytest.raises(TestSetError, match="no reference for the case case_099"):
        create_test_set(phase=world.phase, references=folder, cases=["case_099"])
    with pytest.raises(TestSetError, match="only once"):
        create_test_set(phase=world.phase, references=folder, cases=["case_001", "case_001"])
    (folder / "case_001.nii.gz").write_bytes(nifti(labels() * 5))
    with pytest.raises(TestSetError, match=r"case_001 cannot be taken: .*the labels 5, 10"):
        create_test_set(phase=world.phase, references=folder, cases=["case_001"])


def test_a_sealing_is_undone_until_somebody_submits_and_the_log_has_both(client, world: World):
    client.force_login(world.organizer)
    page = f"/challenges/blocks/organize/test-sets/?phase={world.phase.pk}"
    address = f"/challenges/blocks/organize/test-sets/{world.phase.pk}/1/undo/"
    assert "Undo the sealing of version 1" in client.get(page).content.decode()
    assert client.post(address).url.endswith(f"?phase={world.phase.pk}#sending")
    world.test_set.refresh_from_db()
    assert not world.test_set.is_active
    assert world.test_set.undone_at is not None
    entry = Entry.objects.get(act="test_set_unsealed")
    assert (entry.actor, entry.facts["version"]) == (world.organizer, 1)
    assert entry.facts["manifest_digest"] == world.test_set.manifest_digest
    html = client.get(page).content.decode()
    assert "undone" in html
    assert "Undo the sealing" not in html
    # It leads to a first sealing, which needs no reason.
    assert "Seal a test set" in html
    assert "Replace the test set" not in html
    assert 'name="reason"' not in html
    # Nothing was promised by it, so the next one is no replacement; what is gone from use is still verified.
    assert not check(world.phase, "")
    assert verify().problems == []


def test_undoing_a_replacement_brings_the_version_before_back(world: World, tmp_path):
    second = add_test_set(world.phase, tmp_path / "second", {case: labels(1, case=case) for case in CASES})
    undo_sealing(test_set=second, actor=world.organizer)
    assert list(TestSet.objects.filter(is_active=True).values_list("version", flat=True)) == [1]
    with pytest.raises(TestSetError, match="Version 2 is not in use"):
        undo_sealing(test_set=second, actor=world.organizer)


def test_after_a_submission_a_sealing_stays(client, world: World):
    world.upload(zipped(predictions()))
    with pytest.raises(TestSetError, match="Something was submitted to First, so its test set stays sealed"):
        undo_sealing(test_set=world.test_set, actor=world.organizer)
    client.force_login(world.organizer)
    page = f"/challenges/blocks/organize/test-sets/?phase={world.phase.pk}"
    assert "Undo the sealing" not in client.get(page).content.decode()
