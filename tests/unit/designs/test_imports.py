"""Documents become proposals: each field with page and original words, options exact or asked, nothing invented."""

import contextlib
import io
import itertools
import json
import zipfile
from functools import cache

import docx
import pypdf
import pytest

from designs.services.examples import example_document
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import State, from_json, to_json
from evaluation.designs.exports import as_json, outline, record_of
from evaluation.designs.imports import DesignFileError, DocumentLimits, read_design_file
from evaluation.designs.imports.description import HEADINGS
from evaluation.designs.imports.lines import Line, letters
from evaluation.designs.imports.passages import layout_of, words_of
from evaluation.designs.imports.values import _RULES, find
from evaluation.documents.pdf import as_pdf
from evaluation.documents.word import as_docx
from tests.unit.designs.description_files import FILLER, TASK_ANSWERS, pdf_file, rows, word_file

WRITERS = {"docx": word_file, "pdf": pdf_file}


def proposals(path):
    read = read_design_file(path)
    return {(item.task, item.parameter): item for item in read.proposals}, read


@pytest.fixture(params=["docx", "pdf"])
def description(request, tmp_path):
    return WRITERS[request.param](tmp_path / f"design.{request.param}", rows(("Detect polyps", "Classify polyps")))


def test_a_structured_description_gives_each_field_its_value_and_its_words(description):
    found, read = proposals(description)
    values = {key: item.entry.value for key, item in found.items()}
    assert read.tasks == ("Detect polyps", "Classify polyps")
    expected = {
        (None, "challenge_name"): "Polyp Detection Challenge 2027",
        (None, "challenge_keywords"): ["Endoscopy", "detection", "polyps"],
        (None, "challenge_year"): 2027,
        (None, "event_duration"): "half_day",
        (None, "challenge_venue"): "miccai",
        (None, "challenge_website"): "https://polyps.example.org/",
        (None, "life_cycle_type"): "repeated_fixed_deadline",
        (None, "interaction_level_policy"): ["fully_automatic"],
        (None, "training_data_policy"): "challenge_data_only",
        (None, "award_policy"): "The winner receives a certificate.\nThere is no prize money.",
        (None, "submission_method"): ["docker_container"],
        (None, "data_license"): "cc_by_nc",
        (None, "organizing_team"): [
            {"name": "Ada Example", "affiliation": "University of A"},
            {"name": "Bob Example", "affiliation": "Hospital of B"},
        ],
        (None, "contact_person"): {"name": "Ada Example", "email": "ada@example.org"},
        (0, "task_name"): "Detect polyps",
        (1, "task_name"): "Classify polyps",
        (0, "field_of_application"): ["diagnosis", "screening"],
        (0, "task_category"): ["detection"],
        (0, "context_information_image"): "a) the time in the video\nb) the part of the colon",
        (0, "number_training_cases"): 1200,
        (0, "number_validation_cases"): 100,
        (0, "number_test_cases"): 300,
        (0, "annotation_aggregation_test"): "majority_vote",
        (0, "other_error_sources"): "Reflections of the semi-rigid instrument disturb frames.",
        (0, "missing_data_handling"): "worst_value",
        (0, "metrics"): [{"metric": "dsc"}],
        (1, "planned_further_analyses"): ["ranking_variability"],
    }
    assert {key: values.get(key) for key in expected} == expected
    assert found[0, "other_error_sources"].words == TASK_ANSWERS["Sources of error"]["b"]
    assert (0, "acquisition_subjects") not in found  # the document states N/A
    assert next(passage.heading for passage in read.unplaced) == "Novelty of the challenge"


def test_the_instructions_of_the_form_are_in_no_value(description):
    _, read = proposals(description)
    text = "".join(letters(item.words) for item in (*read.proposals, *read.unplaced))
    assert letters(FILLER)[:40] not in text
    assert "page1of" not in text


def test_a_pdf_states_the_page_of_each_field(tmp_path):
    path = pdf_file(tmp_path / "design.pdf", rows(("Detect polyps", "Classify polyps")))
    found, read = proposals(path)
    texts = [letters(page.extract_text()) for page in pypdf.PdfReader(path).pages]
    assert read.pages == len(texts)
    for key in ((None, "challenge_name"), (0, "target_cohort"), (1, "target_cohort"), (1, "ranking_justification")):
        item = found[key]
        assert letters(item.words) in texts[item.page - 1], key


@pytest.mark.parametrize("ending", ["docx", "pdf"])
def test_a_document_without_instructions_is_divided_by_its_headings_and_letters(tmp_path, ending):
    path = WRITERS[ending](tmp_path / f"design.{ending}", rows(has_prompts=False))
    found, _ = proposals(path)
    assert found[0, "target_cohort"].words == "Adults in screening programmes."
    assert found[0, "challenge_cohort"].words == "Adults at three hospitals."
    assert found[0, "case_number_justification"].words == "More test cases were not available."


def test_a_table_of_instructions_and_answers_is_read(tmp_path):
    word = docx.Document()
    word.add_heading("SUMMARY", 1)
    table = word.add_table(rows=0, cols=2)
    label = ""
    for kind, text in rows(challenge={"Title": "T"}, has_prompts=False):
        if kind == "heading":
            label = text
        elif kind == "answer":
            cells = table.add_row().cells
            cells[0].text, cells[1].text = label, text
    word.save(tmp_path / "table.docx")
    found, _ = proposals(tmp_path / "table.docx")
    assert found[0, "preprocessing_methods"].words == "Frames are cropped."
    assert found[0, "imaging_modality"].entry.value == ["endoscopy_video"]


def test_tracked_insertions_are_read_and_deletions_are_not(tmp_path):
    path = word_file(
        tmp_path / "design.docx", rows(answers={0: {"Data pre-processing method(s)": "Frames are NEW cropped OLD."}})
    )
    word = docx.Document(path)
    [paragraph] = [item for item in word.paragraphs if item.text.startswith("Frames are NEW")]
    run = paragraph.runs[0]._r
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    run.getparent().replace(
        run,
        docx.oxml.parse_xml(f'<w:ins {space} w:id="1" w:author="a"><w:r><w:t>Frames are cropped</w:t></w:r></w:ins>'),
    )
    paragraph._p.append(
        docx.oxml.parse_xml(f'<w:del {space} w:id="2" w:author="a"><w:r><w:delText> twice</w:delText></w:r></w:del>')
    )
    word.save(path)
    assert proposals(path)[0][0, "preprocessing_methods"].words == "Frames are cropped"


def test_a_field_of_the_challenge_on_which_tasks_differ_is_asked(tmp_path):
    other = TASK_ANSWERS["Participation policies"] | {"d": "No awards."}
    path = word_file(tmp_path / "design.docx", rows(("One", "Two"), answers={1: {"Participation policies": other}}))
    item = proposals(path)[0][None, "award_policy"]
    assert "differ" in item.question
    assert not item.is_exact
    assert item.others == ("a later task: No awards.",)


def test_an_option_that_is_not_stated_exactly_is_asked_with_the_options_that_the_words_mention(tmp_path):
    answers = {0: {"Data usage agreement": "We plan CC BY or perhaps CC BY-SA.", "Ethics approval": "It will come."}}
    found, _ = proposals(word_file(tmp_path / "design.docx", rows(answers=answers)))
    licence = found[None, "data_license"]
    assert licence.entry.state is State.BLANK
    assert licence.question
    assert {"cc_by", "cc_by_sa"} <= set(licence.suggestions)
    assert found[None, "ethics_status"].suggestions == ()
    assert found[None, "ethics_status"].entry.details == "It will come."


def test_dates_are_read_or_asked_and_never_guessed(tmp_path):
    item = proposals(word_file(tmp_path / "design.docx", rows()))[0][None, "challenge_schedule"]
    assert item.entry.value == [
        {"event": "training_data_release", "date": "2027-03-01"},
        {"event": "submission_deadline", "date": "2027-08-15"},
        {"event": "other", "note": "Results: 03/04/2027"},
    ]
    assert "1 line has no single clear date" in item.question


RULES = [
    ("number_test_cases", "count.test", "300 test cases", 300),
    ("number_test_cases", "count.test", "Test: 1,300; training: 20", 1300),
    ("number_test_cases", "count.test", "20 % test data", None),
    ("number_test_cases", "count.test", "300 test cases of A and 200 test cases of B", None),
    ("number_training_cases", "count.training", "80 % training, 20 % test", None),
    ("number_of_annotators_test", "count.annotators", "Three radiologists", 3),
    ("number_of_annotators_test", "count.annotators", "Three radiologists and two experts", None),
    ("challenge_year", "year", "2025 or 2026", None),
    ("expected_participants", "number", "about 20", None),
    ("challenge_website", "url", "See https://a.example.org and https://b.example.org", None),
    ("organizing_team", "people", "Ada, Bob and others", None),
    ("uncertainty_handling", "choice", "Bootstrapping approaches", ["bootstrapping"]),
    ("uncertainty_handling", "choice", "Bootstrapping with 1,000 samples", None),
    ("interaction_level_policy", "choice", "Fully automatic and semi-automatic", ["fully_automatic", "semi_automatic"]),
    ("metrics", "metrics", "A new score of our own.", None),
    ("challenge_acronym", "text", "A" * 600, None),
]


@pytest.mark.parametrize(("parameter", "rule", "words", "value"), RULES)
def test_a_value_is_exact_or_left_to_the_organizers(parameter, rule, words, value):
    found = find(shipped()[parameter], rule, words)
    assert (found.value if found else None) == value


def test_every_item_names_known_parameters_and_rules():
    for heading in HEADINGS:
        for item in heading.items:
            for role in item.roles:
                assert role.parameter in shipped().parameters
                assert role.rule.partition(".")[0] in _RULES


def test_every_numbered_item_of_the_structured_description_has_its_fields():
    described = {role.parameter for heading in HEADINGS for item in heading.items for role in item.roles}
    numbered = {item.id for item in shipped().parameters.values() if item.numbers.get("design_document")}
    # Answers that the form does not ask for one by one: they are questions of this platform about the same item.
    asked_here = {
        "website_status",
        "max_methods_per_team",
        "submission_format",
        "data_centers_undisclosed_reason",
        "case_table",
        "split_strategy",
    }
    assert numbered - described == asked_here


def test_a_hyphen_at_the_end_of_a_line_is_kept_where_the_word_has_one():
    full = "x" * 50
    lines = [
        Line(f"{full} semi-"),
        Line(f"automatic {full} segmen-"),
        Line(f"tation of {full}"),
        Line("Segmentation semi-automatic"),
    ]
    text = words_of(lines[:3], layout_of(lines))
    assert "semi-automatic" in text
    assert "segmentation" in text


# ---- Own exports ---------------------------------------------------------------------------------------------------


@cache
def exported(name, ending, public):
    document = from_json(example_document(name), catalogue=shipped())[0]
    blocks = list(outline(document, title=name, digest="0" * 64, public=public, open_points=[]))
    blocks.append(record_of(document, public=public))
    return as_docx(blocks) if ending == "docx" else as_pdf(blocks, title=name)


CASES = [("hippocampus", "docx", False), ("hippocampus", "pdf", False), ("msd", "pdf", True), ("nuclei", "pdf", False)]


@pytest.mark.parametrize(("name", "ending", "public"), CASES)
def test_an_exported_design_comes_back_completely(tmp_path, name, ending, public):
    path = tmp_path / f"design.{ending}"
    path.write_bytes(exported(name, ending, public))
    read = read_design_file(path)
    document = from_json(example_document(name), catalogue=shipped())[0]
    before, after = json.loads(as_json(document, public=public)[0]), to_json(read.document(), catalogue=shipped())
    assert after["challenge"] == before["challenge"]
    for one, other in itertools.zip_longest(after["tasks"], before["tasks"]):
        assert {**one, "key": ""} == {**other, "key": ""}
    assert all(item.is_exact for item in read.proposals)


def test_a_text_that_was_changed_after_the_export_is_read_from_the_file_and_asked(tmp_path):
    word = docx.Document(io.BytesIO(exported("hippocampus", "docx", False)))
    paragraphs = word.paragraphs
    at = next(index for index, item in enumerate(paragraphs) if item.text.startswith("Primary challenge objective"))
    paragraphs[at + 1].runs[0].text = "Segment something else."
    word.save(tmp_path / "changed.docx")
    _, read = proposals(tmp_path / "changed.docx")
    changed = [item for item in read.proposals if item.question]
    assert [item.parameter for item in changed] == ["primary_objective"]
    assert changed[0].entry.value == "Segment something else."


def test_an_export_without_its_record_is_read_from_its_words(tmp_path):
    document = from_json(example_document("hippocampus"), catalogue=shipped())[0]
    blocks = list(outline(document, title="Hippocampus", open_points=[]))
    (tmp_path / "plain.docx").write_bytes(as_docx(blocks))
    found, _ = proposals(tmp_path / "plain.docx")
    filled = {(None, key) for key, entry in document.challenge.items() if entry.value is not None}
    read = {key for key, item in found.items() if item.entry.value == document.challenge.get(key[1], item.entry).value}
    assert len(filled - read) <= 0.1 * len(filled)


# ---- Hostile files -------------------------------------------------------------------------------------------------


def word_archive(path, parts, *, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def changed_archive(path, changes):
    word_file(path, rows())
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return word_archive(path, parts | {name: change(parts.get(name, b"")) for name, change in changes.items()})


def refused(path, **limits):
    with pytest.raises(DesignFileError) as raised:
        read_design_file(path, limits=DocumentLimits(**limits))
    error = raised.value
    assert error.file == path.name
    assert error.remedy.endswith(".")
    return error.problem


def test_a_file_beyond_its_bounds_is_refused_before_it_is_parsed(tmp_path):
    path = word_file(tmp_path / "design.docx", rows())
    assert "bytes; at most 1,000" in refused(path, file_bytes=1000)
    assert "unpacks to" in refused(path, unpacked_bytes=1000)
    assert "unpacks to" in refused(path, xml_bytes=1000)
    assert "unpacks to" in refused(path, parts=3)
    assert "more than 1,000 characters" in refused(path, characters=1000)
    path = pdf_file(tmp_path / "design.pdf", rows())
    assert "pages; at most 2" in refused(path, pages=2)
    assert "more than 1,000 characters" in refused(path, characters=1000)


def test_a_word_file_that_unpacks_to_gigabytes_is_refused(tmp_path):
    path = word_archive(tmp_path / "bomb.docx", {"word/document.xml": b" " * 30_000_000})
    assert path.stat().st_size < 100_000
    assert "unpacks to" in refused(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_in_every_part_and_encoding(tmp_path, encoding):
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode(encoding)
    for part in ("word/document.xml", "customXml/item1.xml", "word/_rels/document.xml.rels"):
        path = changed_archive(tmp_path / "entities.docx", {part: lambda _old: bomb})
        assert "entities" in refused(path)


def test_macros_old_files_passwords_and_other_files_are_refused_with_a_remedy(tmp_path):
    path = changed_archive(tmp_path / "macros.docx", {"word/vbaProject.bin": lambda _old: b"code"})
    assert "macros" in refused(path)
    path = tmp_path / "old.doc"
    path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 100)
    assert "password" in refused(path)
    (tmp_path / "notes.docx").write_bytes(b"just text")
    assert "neither" in refused(tmp_path / "notes.docx")
    (tmp_path / "empty.pdf").write_bytes(b"")
    assert "empty" in refused(tmp_path / "empty.pdf")
    path = word_archive(tmp_path / "other.docx", {"a.txt": b"a"})
    assert "no Word document" in refused(path)


@pytest.mark.parametrize("keep", [0.3, 0.8, 0.99])
def test_damaged_files_are_refused(tmp_path, keep):
    for ending, writer in WRITERS.items():
        whole = writer(tmp_path / f"whole.{ending}", rows()).read_bytes()
        path = tmp_path / f"damaged.{ending}"
        path.write_bytes(whole[: int(keep * len(whole))])
        # A PDF whose end is missing may still be readable.
        with contextlib.suppress(DesignFileError):
            read_design_file(path)
            assert ending == "pdf"


def test_encrypted_and_scanned_pdfs_are_refused(tmp_path):
    writer = pypdf.PdfWriter(clone_from=pdf_file(tmp_path / "design.pdf", rows()))
    writer.encrypt("secret", algorithm="AES-256")
    writer.write(tmp_path / "locked.pdf")
    assert "password" in refused(tmp_path / "locked.pdf")
    writer = pypdf.PdfWriter()
    writer.add_blank_page(100, 100)
    writer.write(tmp_path / "scan.pdf")
    assert "no text" in refused(tmp_path / "scan.pdf")


def test_a_document_that_describes_no_design_is_refused(tmp_path):
    word = docx.Document()
    word.add_paragraph("Dear organizers, thank you for the invitation.")
    word.save(tmp_path / "letter.docx")
    assert "headings" in refused(tmp_path / "letter.docx")


def test_a_record_that_is_no_design_is_ignored(tmp_path):
    path = tmp_path / "design.docx"
    document = from_json(example_document("hippocampus"), catalogue=shipped())[0]
    blocks = [*outline(document, title="H", open_points=[])]
    for text in ("[1]", "{", '{"challenge": []}', "[" * 5000):
        record = record_of(document)
        path.write_bytes(as_docx([*blocks[:60], type(record)("record", text, name=record.name)]))
        assert not any(item.is_exact for item in read_design_file(path).proposals)
