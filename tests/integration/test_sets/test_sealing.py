"""Making and sealing the hidden references."""

import pandas as pd
import pytest
from django.db import IntegrityError, transaction

from audit.models import Entry
from test_sets.models import TestSet
from test_sets.services.sealing import TestSetError, create_test_set, manifest_digest
from tests.integration.submissions.world import CASES, World, add_test_set, labels, nifti

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_test_set_is_sealed_with_a_digest_over_everything_in_it(world: World):
    assert world.test_set.sealed_at is not None
    assert manifest_digest(world.test_set) == world.test_set.manifest_digest
    world.test_set.cases.filter(name="case_001").update(reference_sha256="0" * 64)
    assert manifest_digest(world.test_set) != world.test_set.manifest_digest
    assert Entry.objects.get(act="test_set_sealed").facts["manifest_digest"] == world.test_set.manifest_digest


def test_a_new_version_takes_the_place_of_the_old_one(world: World, tmp_path):
    second = add_test_set(world.phase, tmp_path / "second", {case: labels(1) for case in CASES})
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
