"""Files that are read later are written by `evaluation.durable`; each other place that writes is listed with its reason."""

from typing import Final

import pytest
from django.conf import settings

from tests.unit.config.writers import places, writing_scopes

WORK: Final = "a folder of one piece of work, removed at its end: nothing reads it after a crash"
STORED: Final = "a storage, whose class on disk writes through the helper and whose bucket shows complete objects alone"
MEMORY: Final = "a stream in memory, or one that the caller opened"
PIECES: Final = (
    "an upload that arrives in pieces: each is flushed before its offset is stored, and the whole has a checksum"
)
EXAMPLE: Final = (
    "a folder that gets its name when it is complete (`operations.services.example_data`), or one of a test"
)
LOCK: Final = "a file that is locked and whose content nothing relies on"
HELPER: Final = "the helper itself"
COLUMN: Final = "no file: a row of the database, a text or standard output"

REASONS: Final = {
    "platform/web/client_wheel.py::_zipped": "an archive in memory",
    "platform/accounts/forms.py::SignupForm._save_stand_in": COLUMN,
    "platform/accounts/models.py::User.save": COLUMN,
    "platform/datastore/datasets/services/hosting.py::begin": PIECES,
    "platform/datastore/datasets/services/publishing.py::_readme": WORK,
    "platform/designs/services/imports.py::request_import": STORED,
    "platform/designs/services/imports.py::run_import": WORK,
    "platform/designs/services/scanning.py::_write": WORK,
    "platform/designs/services/sample_files.py::_lay_out": WORK,
    "platform/designs/services/sent_files.py::copied": WORK,
    "platform/designs/services/sent_files.py::store": STORED,
    "platform/designs/services/simulations.py::read_pilot": WORK,
    "platform/registry/drift/services.py::request_check": STORED,
    "platform/api/submissions/views.py::SubmissionViewSet.results": COLUMN,
    "platform/executions/services/arriving.py::begin": PIECES,
    "platform/executions/services/caching.py::_locked": LOCK,
    "platform/executions/services/hosts.py::alone_with": LOCK,
    "platform/executions/services/packing.py::store_outputs": WORK,
    "platform/executions/services/packing.py::joined": WORK,
    "platform/executions/services/packing.py::_add": WORK,
    "platform/federation/services/federations.py::keep_dry_run": STORED,
    "platform/federation/views/coordinators.py::package_file": MEMORY,
    "platform/executions/judging/services/trying.py::_tried": WORK,
    "platform/leaderboards/contributions/publishing.py::_copy": WORK,
    "platform/leaderboards/contributions/publishing.py::_table": WORK,
    "platform/leaderboards/services/pooled_bundles.py::bundle": MEMORY,
    "platform/leaderboards/services/rankings.py::StoredTables.__setitem__": STORED,
    "platform/submissions/measurements/domain/child.py::read_values": WORK,
    "platform/submissions/measurements/domain/child.py::read_cases": WORK,
    "platform/operations/management/commands/run.py::Command._lock": LOCK,
    "platform/operations/services/backup_targets.py::put": WORK,
    "platform/operations/services/backup_targets.py::_put_verified": STORED,
    "platform/operations/services/backup_targets.py::put_bytes": STORED,
    "platform/operations/services/backup_targets.py::fetched": WORK,
    "platform/operations/services/backup_targets.py::passing": WORK,
    "platform/operations/services/backup_targets.py::stored_copy": WORK,
    "platform/operations/services/databases.py::dump": WORK,
    "platform/operations/services/example_algorithms.py::weights": MEMORY,
    "platform/operations/services/example_images.py::_offer": WORK,
    "platform/operations/services/examples.py::packed": MEMORY,
    "platform/registry/services/files.py::store_file": STORED,
    "platform/reports/services/storing.py::keep": STORED,
    "platform/api/acts/reports.py::ReportItemView.put": COLUMN,
    "platform/reports/views/desk.py::item": COLUMN,
    "platform/submissions/results/services/exporting.py::_phase": MEMORY,
    "platform/submissions/results/services/exporting.py::archive": MEMORY,
    "platform/submissions/results/services/pictures.py::_Read.write": WORK,
    "platform/executions/scoring/domain/prediction_tables.py::extract": WORK,
    "platform/executions/scoring/domain/results.py::store": MEMORY,
    "platform/executions/scoring/domain/results.py::store_annotators": MEMORY,
    "platform/submissions/contributions/design_checks.py::_Putting.__call__": WORK,
    "platform/submissions/services/submitting.py::create_upload": PIECES,
    "platform/submissions/views/submissions.py::results_csv": COLUMN,
    "platform/datastore/test_sets/contributions/publishing.py::_write": WORK,
    "platform/datastore/test_sets/domain/backgrounds.py::picture": MEMORY,
    "platform/datastore/test_sets/services/annotated_tables.py::_joined": WORK,
    "platform/datastore/test_sets/services/archive_parts.py::join": WORK,
    "platform/datastore/test_sets/services/archive_parts.py::join.of_annotators": WORK,
    "platform/datastore/test_sets/services/arrivals.py::begin": PIECES,
    "platform/datastore/test_sets/services/overlap_questions.py::_test_sketches.work": WORK,
    "platform/datastore/test_sets/services/overlaps.py::_in_place": WORK,
    "platform/datastore/test_sets/services/overlaps.py::_picture.work": WORK,
    "platform/datastore/test_sets/services/reading.py::_pictures.work": WORK,
    "platform/leaderboards/services/suspects.py::_predictions.work": WORK,
    "evaluation/starter/kits.py::packed": MEMORY,
    "evaluation/test_set_quality/signatures.py::write_signature": WORK,
    "evaluation/problems/registered_examples.py::write_overlapping_masks": EXAMPLE,
    "platform/datastore/test_sets/services/templates.py::template_of": MEMORY,
    "platform/datastore/test_sets/vault.py::keep_file": WORK,
    "platform/datastore/test_sets/vault.py::keep_bytes": WORK,
    "platform/datastore/test_sets/vault.py::joined": WORK,
    "platform/datastore/test_sets/vault.py::_decrypt": WORK,
    "platform/core/typesetting/services/making.py::make": STORED,
    "platform/datastore/uploads/services/form_files.py::begin": PIECES,
    "platform/datastore/uploads/services/uploads.py::locked": PIECES,
    "platform/datastore/uploads/storage.py::store_bytes": WORK,
    "platform/datastore/uploads/storage.py::store_json": STORED,
    "platform/datastore/uploads/storage.py::store_file": STORED,
    "platform/leaderboards/workbench/domain/child.py::analyse": WORK,
    "platform/leaderboards/workbench/domain/child.py::_write_files": WORK,
    "evaluation/boards/picture.py::share_picture": MEMORY,
    "evaluation/bundle/writing.py::chunks": MEMORY,
    "evaluation/cli/__init__.py::main": COLUMN,
    "evaluation/documents/archive.py::as_archive": MEMORY,
    "evaluation/documents/latex.py::as_latex_archive": MEMORY,
    "evaluation/documents/pdf.py::as_pdf": WORK,
    "evaluation/documents/setting.py::in_own_process": WORK,
    "evaluation/documents/setting.py::main": WORK,
    "evaluation/documents/word.py::as_docx": MEMORY,
    "evaluation/durable.py::replacing": HELPER,
    "evaluation/durable.py::replacing_path": HELPER,
    "evaluation/durable.py::write_text": HELPER,
    "evaluation/durable.py::write_first": HELPER,
    "evaluation/durable.py::settle": HELPER,
    "evaluation/durable.py::settle_folder": HELPER,
    "evaluation/durable.py::append_line": HELPER,
    "evaluation/figures/case_pictures.py::picture": MEMORY,
    "evaluation/figures/case_pictures.py::picture_of_objects": MEMORY,
    "evaluation/figures/case_sheets.py::image_sheet": MEMORY,
    "evaluation/figures/case_sheets.py::_transparent": MEMORY,
    "evaluation/figures/case_sheets.py::CaseSheets.composed": MEMORY,
    "evaluation/figures/image_pairs.py::_sheet": MEMORY,
    "evaluation/figures/pair_sheets.py::_error_sheet": MEMORY,
    "evaluation/figures/pair_sheets.py::_grid_sheet": MEMORY,
    "evaluation/figures/publication.py::printed": MEMORY,
    "evaluation/problems/case_tables.py::join": WORK,
    **{
        f"evaluation/problems/registered_examples.py::{name}": EXAMPLE
        for name in ("_write_field", "_write_image", "write_fields", "write_labels", "write_rows")
    },
    "evaluation/rehearsal/sample_files.py::write_incomplete": EXAMPLE,
    "evaluation/problems/examples.py::write_label_images": EXAMPLE,
    "evaluation/problems/examples.py::write_outlines_with_confidence": EXAMPLE,
    "evaluation/problems/examples.py::write_images": EXAMPLE,
    "evaluation/problems/examples.py::write_fields": EXAMPLE,
    "evaluation/problems/examples.py::_write_moved_blocks": EXAMPLE,
    "evaluation/problems/joint_tables.py::split_table": WORK,
    "platform/executions/scoring/domain/joint_tables.py::repack": WORK,
    "platform/executions/scoring/services/inspecting.py::inspect.work": WORK,
    "evaluation/problems/examples.py::_write": EXAMPLE,
    "evaluation/problems/external.py::ExternalSamples.write_challenge": EXAMPLE,
    "evaluation/problems/image_classification.py::ClassificationReferenceRules.merge_tables": WORK,
    "evaluation/problems/label_merging.py::write": WORK,
    "evaluation/problems/reference_parts.py::PartsProblem.packed": WORK,
    "evaluation/problems/reference_parts.py::opened": WORK,
    "evaluation/problems/shown.py::Rows.written": WORK,
    "evaluation/problems/shown.py::write_intensities": WORK,
    "evaluation/problems/table.py::MeasuredSamples.write_challenge": EXAMPLE,
    "evaluation/scoring/evidence_file.py::save_evidence": MEMORY,
    "evaluation/running/grand_challenge.py::inputs_of_case": WORK,
    "evaluation/running/table.py::write_runs": WORK,
    "confinement/archive.py::OpenArchive.extract": WORK,
    "evaluation/readers/dicom/parts.py::pack": WORK,
    "evaluation/running/as_mha.py::_written": WORK,
    "platform/datastore/test_sets/services/archive_files.py::_use_plain": WORK,
    "platform/datastore/test_sets/services/archive_files.py::read_files": WORK,
    "platform/datastore/test_sets/services/archive_files.py::read_files.read_plain": WORK,
    "platform/datastore/test_sets/services/archive_groups.py::_keep": WORK,
    "platform/datastore/uploads/domain/several_files.py::join": WORK,
    "platform/executions/scoring/domain/several_files.py::_write": WORK,
    "confinement/archive.py::repack_tar": WORK,
    "confinement/containers/archives.py::ZstdFile.__init__": WORK,
    "confinement/containers/archives.py::_plain": WORK,
    "confinement/containers/collecting.py::_copy": WORK,
    "confinement/containers/docker.py::_write": WORK,
    "confinement/containers/images.py::_take": WORK,
    "confinement/containers/layout.py::write_layout": WORK,
    "confinement/containers/layout.py::_link": WORK,
    "confinement/containers/making.py::layer": MEMORY,
    "confinement/containers/making.py::archive": MEMORY,
    "confinement/containers/podman.py::Podman.load": WORK,
    "confinement/containers/probe.py::_run": WORK,
    "confinement/containers/roots.py::_take": WORK,
    "confinement/containers/roots.py::unpack": WORK,
    "confinement/containers/runner.py::_Run._prepare": WORK,
    "confinement/containers/slurm.py::Slurm.load": WORK,
    "confinement/containers/space.py::_FileSystem.__init__": WORK,
    "confinement/containers/weights.py::_write": WORK,
    "confinement/guarantees.py::found": WORK,
    "confinement/guarantees.py::_tries.append": WORK,
    "confinement/guarantees.py::_tries": WORK,
    "client/podium_client/cli.py::main": COLUMN,
    "client/podium_client/site/joined.py::_document": MEMORY,
    "client/podium_client/downloading.py::_receive": "a download that continues where it stopped; its digest is compared before it gets its name",
    "client/podium_client/runner/link.py::Link.download": "a download that continues where it stopped; its digest is compared before it is used",
    "client/podium_client/runner/storing.py::Store._blob": "settles such a download under its name, whole; downloaded again if it is lost",
    "client/podium_client/runner/storing.py::Store._in_use": "size of an entry of the cache; an unreadable one is removed with its entry",
    "client/podium_client/runner/working.py::Worker._keep": "outputs of a run that count only with the result file, which is written afterwards",
    "platform/executions/runners/services/concluding.py::_split": WORK,
    "platform/executions/runners/services/returning.py::append": PIECES,
    "client/podium_client/site/wire.py::download": "a download that continues where it stopped; its digest is compared before it gets its name",
    "client/podium_client/packing.py::pack": WORK,
    "client/podium_client/site/checking.py::_unpack": WORK,
    "client/podium_client/site/checking.py::pack_test": "an archive in the stream of the helper",
    "client/podium_client/site/joining.py::fetch_from": WORK,
    "client/podium_client/site/outbox.py::replace_key": "renames of files and folders that are complete",
    "client/podium_client/trying.py::_handed_in": WORK,
    "client/podium_client/validating.py::_written": WORK,
}


def test_each_place_that_writes_without_the_helper_is_listed_with_its_reason():
    found = set(places(settings.ROOT))

    unlisted = found - REASONS.keys()
    assert not unlisted, "write by evaluation.durable, or list the reason: " + ", ".join(sorted(unlisted))
    assert not (gone := REASONS.keys() - found), "listed, and writes no more: " + ", ".join(sorted(gone))


@pytest.mark.parametrize(
    "text",
    [
        'open(path, "w")',
        'path.open("wb")',
        'path.open(mode="ab")',
        'part.open("ab" if resumed else "wb")',
        "path.write_text(text)",
        "path.write_bytes(content)",
        "shutil.copyfile(a, b)",
        "shutil.move(a, b)",
        "part.replace(path)",
        "os.replace(part, path)",
        "os.open(path, os.O_WRONLY | os.O_CREAT)",
        'zipfile.ZipFile(path, "w")',
        'tarfile.open(path, mode="w|gz")',
        "storage.save(name, content)",
        "FileSystemStorage(location=folder)",
        "pyrage.encrypt_file(a, b, keys)",
        "frame.to_csv(path, index=False)",
        "frame.to_csv(path_or_buf=path)",
        "parquet.ParquetWriter(path, schema)",
        "figure.savefig(path)",
        "figure.write_image(path)",
        "image.save(fp=path)",
        "storage.save(name=name, content=content)",
        "part.replace(target=path)",
        "io.FileIO(path, mode)",
        "open(path, mode)",
        "path.open(self.mode)",
        "shutil.unpack_archive(path, folder)",
    ],
)
def test_a_new_writer_is_found(text):
    assert writing_scopes(f"class A:\n    def f(self):\n        {text}\n") == ["A.f"]


@pytest.mark.parametrize(
    "text",
    [
        'path.open("rb")',
        'text.replace("a", "b")',
        "durable.write_text(path, text)",
        "row.save()",
        "open(path)",
        "frame.to_csv()",
    ],
)
def test_what_reads_or_uses_the_helper_is_not(text):
    assert writing_scopes(f"def f():\n    {text}\n") == []


def test_the_storages_of_the_platform_write_through_the_helper(tmp_path):
    from django.core.files.storage import storages

    from operations.services.backup_targets import target
    from web.static_storage import JoiningStorage
    from web.storing import DurableStorage

    assert isinstance(storages["private"], DurableStorage)
    assert isinstance(target(str(tmp_path / "backups")), DurableStorage)
    assert issubclass(JoiningStorage, DurableStorage)
