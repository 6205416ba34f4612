"""`verify_storage` names every stored file that is missing, changed or sealed with another key."""

import gzip
from io import StringIO

import pyrage
import pytest
from django.core.management import CommandError, call_command

from datastore.uploads.services.proving import prove
from datastore.uploads.storage import private, store_bytes
from submissions.models import Run
from tests.integration.submissions.world import predictions, zipped

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def scored(world, workers):
    """One submission, scored."""
    world.upload(zipped(predictions()))
    return world


@pytest.fixture
def run(scored):
    return Run.objects.exclude(result_file="").get()


def test_everything_that_is_named_is_there(scored, run):
    proof = prove()

    assert proof.holds
    # Four references, the archive and the result.
    assert (proof.named, proof.read) == (6, 6)
    assert proof.orphans == []


def test_a_deleted_result_is_named(run):
    private().delete(run.result_file)

    assert prove().missing == [f"{run.result_file} (result of run {run.pk}) is missing."]


def test_a_changed_result_is_named_with_both_digests(run, scored):
    other = scored.upload(zipped(predictions(2)), team=scored.bos)
    theirs = Run.objects.get(submission=other)
    with private().open(theirs.result_file) as source:
        store_bytes(run.result_file, source.read())

    (said,) = prove().changed
    assert run.result_file in said
    assert theirs.result_digest in said
    assert run.result_digest in said


def test_bytes_that_no_reader_takes_are_named(run):
    store_bytes(run.result_file, b"not a table")

    (said,) = prove().changed
    assert "it cannot be read" in said


@pytest.mark.parametrize(
    "content", [b"nothing", gzip.compress(b"nothing", mtime=0)], ids=["of other content", "of another format"]
)
def test_a_changed_reference_is_named_without_its_case(scored, content):
    case = scored.test_set.cases.first()
    store_bytes(case.reference_file, content)

    (said,) = prove().changed
    assert "reference of case number" in said
    assert case.name not in said
    assert "does not open" in said


def test_another_key_is_told_from_a_missing_file(scored, settings):
    settings.PODIUM_REFERENCE_KEY = str(pyrage.x25519.Identity.generate())

    changed = prove().changed
    assert len(changed) == 4
    assert all("PODIUM_REFERENCE_KEY is not the key" in message for message in changed)


def test_a_sample_reads_fewer_and_still_misses_none(scored, run):
    private().delete(run.result_file)
    proof = prove(sample=1)

    assert proof.read == 1
    assert len(proof.missing) == 1


def test_files_that_no_row_names_are_counted_and_uploads_under_way_are_not(scored):
    store_bytes("results/left-over.parquet", b"x")
    store_bytes("incoming/part", b"x")

    assert prove().orphans == ["results/left-over.parquet"]


def test_the_command_fails_where_something_is_missing(run):
    private().delete(run.result_file)

    with pytest.raises(CommandError, match="1 missing and 0 changed"):
        call_command("verify_storage", stdout=StringIO(), stderr=StringIO())
