"""An uploaded document is read by a worker in a confined child, and a person decides about each field."""

from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from designs import tasks
from designs.models import Collaborator, Design, DesignImport, ImportedField
from designs.queries import document_of
from designs.services import imports
from designs.services.document_reading import read_confined
from evaluation.designs.imports import DesignFileError, read_design_file
from reviews.services.filing import file_design
from tests.unit.designs.description_files import pdf_file, rows, word_file
from tests.unit.designs.world import person, save
from tests.unit.reviews.world import make_call

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database("Files are read by another process. `test_saving.py` saves fields on both databases."),
]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    jobs = []
    monkeypatch.setattr("core.work.services.enqueue", lambda *args, countdown=None: jobs.append(args))
    return jobs


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch):
    """Read in this process; the confined child has its own tests below."""
    monkeypatch.setattr(
        "designs.services.imports.read_confined", lambda path, name: read_design_file(path, name=name).as_json()
    )


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "polyps.docx"
    return word_file(path, rows(("Detect polyps", "Classify polyps"))).read_bytes()


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def upload(client, content, name="polyps.docx"):
    answer = client.post(reverse("designs:import"), {"title": "", "document": SimpleUploadedFile(name, content)})
    assert answer.status_code == 302, answer.content.decode()
    return answer.url, DesignImport.objects.get()


@pytest.fixture
def source(signed_in, document):
    _, source = upload(signed_in, document)
    tasks.read_document(source.pk)
    source.refresh_from_db()
    return source


def proposal(source, parameter, task=None):
    return source.fields.get(parameter=parameter, task__key=task)


def decide(client, field, **data):
    return client.post(reverse("designs:decide_import", args=[field.source.design.slug, field.pk]), data)


def test_an_uploaded_document_becomes_a_draft_whose_fields_wait_for_a_person(signed_in, document, sent, owner):
    url, source = upload(signed_in, document)
    assert source.design.title == "polyps"
    assert sent[-1] == ("designs.tasks.read_document", source.pk)
    assert "Reading the document" in signed_in.get(url).content.decode()
    status = reverse("designs:import_status", args=[source.design.slug, source.pk])
    assert "HX-Refresh" not in signed_in.get(status)
    stored = source.stored
    tasks.read_document(source.pk)
    assert signed_in.get(status)["HX-Refresh"] == "true"
    source.refresh_from_db()
    assert source.stored == ""
    assert not storages["private"].exists(stored)
    assert source.design.tasks.count() == 2
    page = signed_in.get(url).content.decode()
    assert "fields decided" in page
    assert "The first data of three continents." in page  # a passage without a field
    values = document_of(source.design)
    assert not values.challenge
    assert not any(values.tasks.values())
    assert source.design.collaborators.get().user == owner


def test_each_decision_is_kept_and_only_accepted_values_enter_the_design(signed_in, source):
    accepted, opened = proposal(source, "challenge_name"), proposal(source, "award_policy")
    assert decide(signed_in, accepted, decision="accepted").status_code == 302
    assert decide(signed_in, opened, decision="open").status_code == 302
    document = document_of(source.design)
    assert document.challenge["challenge_name"].value == "Polyp Detection Challenge 2027"
    assert "award_policy" not in document.challenge
    assert source.fields.exclude(decision="").count() == 2
    page = signed_in.get(reverse("designs:imported", args=[source.design.slug])).content.decode()
    assert 'value="2" aria-label="Decided fields"' in page


def test_the_exact_values_of_a_section_are_accepted_together_and_questions_stay(signed_in, source):
    slug = source.design.slug
    signed_in.post(reverse("designs:accept_task_import", args=[slug, "mission", "task-1"]))
    signed_in.post(reverse("designs:accept_import", args=[slug, "summary"]))
    document = document_of(source.design)
    assert document.challenge["challenge_year"].value == 2027
    assert document.tasks["task-1"]["task_category"].value == ["detection"]
    assert "task_category" not in document.tasks["task-2"]
    asked = proposal(source, "assessment_aims", "task-1")
    assert asked.question
    assert asked.decision == ""


def test_an_option_that_the_words_mention_is_chosen_with_one_button(signed_in, source):
    field = proposal(source, "pre_evaluation_method")
    assert field.proposal["suggestions"] == []
    field.proposal["suggestions"] = ["validation_dataset"]
    field.save()
    decide(signed_in, field, option="public_leaderboard_pretest")
    assert "pre_evaluation_method" not in document_of(source.design).challenge
    decide(signed_in, field, option="validation_dataset")
    entry = document_of(source.design).challenge["pre_evaluation_method"]
    assert entry.value == "validation_dataset"
    assert entry.details == "Teams test on a validation dataset."


def test_a_field_that_was_answered_in_the_form_is_not_overwritten(signed_in, source):
    save(source.design, "challenge_name", "Entered by hand")
    field = proposal(source, "challenge_name")
    answer = signed_in.post(
        reverse("designs:decide_import", args=[source.design.slug, field.pk]),
        {"decision": "accepted"},
        headers={"HX-Request": "true"},
    )
    assert "already has a value" in answer.content.decode()
    signed_in.post(reverse("designs:accept_import", args=[source.design.slug, "summary"]))
    assert document_of(source.design).challenge["challenge_name"].value == "Entered by hand"
    assert (
        "Answered in the form" in signed_in.get(reverse("designs:imported", args=[source.design.slug])).content.decode()
    )


def test_editing_shows_the_field_with_the_proposed_value(signed_in, source):
    field = proposal(source, "award_policy")
    address = reverse("designs:decide_import", args=[source.design.slug, field.pk])
    part = signed_in.post(address, {"decision": "edited"}, headers={"HX-Request": "true"}).content.decode()
    assert reverse("designs:show", args=[source.design.slug, "award_policy"]) in part
    assert document_of(source.design).challenge["award_policy"].value.startswith("The winner")
    answer = decide(signed_in, field, decision="edited")
    assert answer.url.endswith("#f-award_policy")


def test_an_imported_design_passes_the_usual_checks_before_it_is_filed(signed_in, source, owner):
    for section in ("summary", "challenge_organization", "participation_conditions", "event_planning"):
        signed_in.post(reverse("designs:accept_import", args=[source.design.slug, section]))
    call = make_call(person("chair"))
    with pytest.raises(ValidationError):
        file_design(actor=owner, design=source.design, call=call)


def test_only_people_who_write_the_design_see_the_import(client, source):
    slug, field = source.design.slug, source.fields.first()
    reader = person("rita")
    Collaborator.objects.create(design=source.design, user=reader, role=Collaborator.Role.READER)
    for user, status in ((person("stranger"), 404), (reader, 403)):
        client.force_login(user)
        assert client.get(reverse("designs:imported", args=[slug])).status_code == status
        assert client.get(reverse("designs:import_status", args=[slug, source.pk])).status_code == status
        assert decide(client, field, decision="accepted").status_code == status
        assert client.post(reverse("designs:accept_import", args=[slug, "summary"])).status_code == status
    client.logout()
    assert client.get(reverse("designs:imported", args=[slug])).status_code == 302
    assert not document_of(source.design).challenge


def test_a_field_of_another_design_is_not_found(signed_in, source, owner):
    other = Design.objects.create(slug="other", title="Other")
    Collaborator.objects.create(design=other, user=owner, role=Collaborator.Role.OWNER)
    address = reverse("designs:decide_import", args=["other", source.fields.first().pk])
    assert signed_in.post(address, {"decision": "accepted"}).status_code == 404


def test_a_document_that_cannot_be_read_shows_the_reason_and_the_remedy(signed_in):
    url, source = upload(signed_in, b"just text")
    tasks.read_document(source.pk)
    page = signed_in.get(url).content.decode()
    assert "neither a Word document" in page
    assert "Save the document as .docx or PDF." in page
    assert not ImportedField.objects.exists()


def test_phases_of_grand_challenge_are_confirmed_like_a_document(signed_in):
    content = (ROOT / "tests/data/grand_challenge/phase.json").read_bytes()
    url, source = upload(signed_in, content, name="phase.json")
    tasks.read_document(source.pk)
    signed_in.post(reverse("designs:accept_import", args=[source.design.slug, "summary"]))
    assert document_of(source.design).challenge["challenge_acronym"].value == "PolypSeg27"
    page = signed_in.get(url).content.decode()
    assert "Which metric of the catalogue is each column?" in page
    assert "display_all_metrics: true" in page
    answer = decide(signed_in, proposal(source, "challenge_platform"), option="this_platform")
    assert answer.status_code == 302
    assert document_of(source.design).challenge["challenge_platform"].value == "this_platform"


def test_when_all_fields_are_decided_the_page_states_what_the_design_still_needs(signed_in):
    content = (ROOT / "tests/data/grand_challenge/pack.json").read_bytes()
    url, source = upload(signed_in, content, name="pack.json")
    tasks.read_document(source.pk)
    *first, last = source.fields.all()
    for field in first:
        decide(signed_in, field, decision="open")
    address = reverse("designs:decide_import", args=[source.design.slug, last.pk])
    part = signed_in.post(address, {"decision": "open"}, headers={"HX-Request": "true"}).content.decode()
    for page in (part, signed_in.get(url).content.decode()):
        assert "All fields are decided" in page
        assert "required fields" in page
    assert f"{len(first) + 1} of {len(first) + 1}" in part


def test_a_file_that_is_too_large_is_refused_at_the_form(signed_in, monkeypatch):
    monkeypatch.setattr("designs.forms.plain.MAX_DOCUMENT_BYTES", 10)
    answer = signed_in.post(reverse("designs:import"), {"document": SimpleUploadedFile("a.docx", b"x" * 11)})
    assert "Compress its pictures." in answer.content.decode()
    assert not Design.objects.exists()


def test_a_lost_worker_ends_the_import_and_deletes_the_file(signed_in, document):
    from core.work.services import claim
    from designs.queries.work import IMPORTS

    _, source = upload(signed_in, document)
    stored = source.stored
    lease = claim(IMPORTS, source.pk, give_up=lambda _lease: None)
    DesignImport.objects.filter(pk=lease.pk).update(lease_until="2020-01-01T00:00:00Z")
    tasks.read_document(source.pk)
    source.refresh_from_db()
    assert source.state == DesignImport.State.FAILED
    assert "Import it again" in source.problem
    assert not storages["private"].exists(stored)


@pytest.mark.parametrize("ending", ["docx", "pdf"])
def test_the_child_reads_a_document_and_nothing_else(tmp_path, ending):
    writer = {"docx": word_file, "pdf": pdf_file}[ending]
    path = writer(tmp_path / f"a.{ending}", rows())
    document = read_confined(path, "a")
    assert document["tasks"] == ["Detect polyps"]
    assert len(document["proposals"]) > 40


def test_a_child_that_exceeds_its_limits_gives_a_message_with_a_remedy(tmp_path, monkeypatch):
    path = word_file(tmp_path / "a.docx", rows())
    monkeypatch.setattr("designs.services.document_reading.SECONDS", 0.0)
    with pytest.raises(DesignFileError, match=r"took too long\. Remove its pictures"):
        read_confined(path, "a.docx")


def test_pages_of_an_import_take_no_query_per_field(signed_in, source, django_assert_max_num_queries):
    with django_assert_max_num_queries(25):
        signed_in.get(reverse("designs:imported", args=[source.design.slug]))
    assert imports.MAX_BYTES == 20 * 1024**2
