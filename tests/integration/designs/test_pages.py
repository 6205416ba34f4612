"""The pages of a design: who sees them, what they hold, and that they stay fast when designs grow."""

import json
import re
from itertools import pairwise

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.notifications.models import Email
from designs import hooks, services
from designs.models import Collaborator, Design, DesignVersion
from designs.queries import document_of
from designs.queries.findings import all_findings
from designs.services.examples import EXAMPLES, example_document, load_example_design
from designs.services.published import OWN
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation import compile_values
from tests.integration.designs.pages import pages_of, post
from tests.sizes import size
from tests.unit.designs.world import person, save

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "Pages of one design are read. `test_standings.py` and `test_design_api.py` read designs on both databases."
    ),
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_page_of_every_example_design_opens(signed_in, owner, name):
    stored, _ = load_example_design(name=name, owner=owner)
    services.freeze_version(actor=owner, design=stored, name="First")
    # The short form opens every third page, from another one on for each design.
    pages = list(pages_of(stored))
    for url in size(pages[list(EXAMPLES).index(name) % 3 :: 3], pages):
        assert signed_in.get(url).status_code == 200, url


def test_no_page_has_inline_script_or_style(signed_in, hippocampus):
    for url in pages_of(hippocampus):
        answer = signed_in.get(url)
        if answer["Content-Type"].startswith("text/html"):
            text = answer.content.decode()
            assert not re.search(r"<[^>]+\sstyle=|<style|\son[a-z]+=\"|hx-on", text), url
            assert not re.search(r"<script(?![^>]*\ssrc=)", text), url


def test_all_parameters_have_their_field_on_some_page(signed_in, hippocampus):
    text = "".join(signed_in.get(url).content.decode() for url in pages_of(hippocampus) if "/form/" in url)
    for parameter in shipped().parameters.values():
        key = f"{parameter.id}-task-1" if parameter.is_task else parameter.id
        assert f'id="f-{key}"' in text, parameter.id


def test_what_is_said_of_training_and_of_test_data_stands_side_by_side(signed_in, hippocampus):
    page = signed_in.get(reverse("designs:task_section", args=[hippocampus.slug, "data_sets", "task-1"]))
    fields = page.context["fields"]
    pairs = [
        (first.parameter.id, second.parameter.id)
        for first, second in pairwise(fields)
        if first.opens_pair and second.closes_pair
    ]
    assert ("annotators_training", "annotators_test") in pairs
    assert ("training_case_characteristics", "test_case_characteristics") in pairs
    assert sum(field.opens_pair for field in fields) == sum(field.closes_pair for field in fields) == len(pairs) == 6


def test_a_design_is_hidden_from_strangers_and_public_ones_are_read_without_an_account(client, hippocampus, owner):
    address = reverse("designs:detail", args=[hippocampus.slug])
    assert client.get(address).status_code == 404
    client.force_login(person("eve"))
    assert client.get(address).status_code == 404
    client.logout()
    public, _ = load_example_design(name="msd", owner=owner)
    assert client.get(reverse("designs:detail", args=[public.slug])).status_code == 200
    assert client.get(reverse("designs:people", args=[public.slug])).status_code == 302


def test_versions_and_people_come_as_csv_for_whom_their_pages_are(client, hippocampus, owner):
    services.freeze_version(actor=owner, design=hippocampus, name="=1+1")
    Collaborator.objects.create(design=hippocampus, user=person("bo"), role="reader")
    for who, status in ((None, {404, 302}), (person("eve"), {404}), (owner, {200})):
        client.logout()
        if who:
            client.force_login(who)
        for name in ("versions", "people"):
            answer = client.get(reverse(f"designs:{name}", args=[hippocampus.slug]), {"format": "csv"})
            assert answer.status_code in status, (who, name)
            if who == owner:
                rows = answer.content.decode().splitlines()
                assert ",'=1+1," in rows[1] if name == "versions" else rows[-1].startswith("bo,")


def test_a_reader_sees_words_and_no_form(client, hippocampus):
    bo = person("bo")
    Collaborator.objects.create(design=hippocampus, user=bo, role="reader")
    client.force_login(bo)
    page = client.get(reverse("designs:section", args=[hippocampus.slug, "summary"]))
    assert b'<form class="design-form"' not in page.content
    assert post(client, hippocampus, "challenge_name", value="x").status_code == 403


def test_strangers_outside_see_no_personal_data(client, owner):
    public, _ = load_example_design(name="hippocampus", owner=owner)
    for name in ("export_json", "export_markdown"):
        assert b"organizer@example.org" not in client.get(reverse(f"designs:{name}", args=[public.slug])).content
    page = client.get(reverse("designs:section", args=[public.slug, "challenge_organization"]))
    assert b"organizer@example.org" not in page.content


def test_checks_after_the_draft_are_read_by_those_who_run_the_challenge(client, hippocampus, owner):
    address = reverse("designs:checks", args=[hippocampus.slug])
    stages = ("registration", "launch", "data_release", "evaluation", "results", "monitoring")
    for role, status in (("reader", 403), ("editor", 200)):
        bo = person(role)
        Collaborator.objects.create(design=hippocampus, user=bo, role=role)
        client.force_login(bo)
        assert client.get(address).status_code == 200
        assert {client.get(f"{address}?at={stage}").status_code for stage in stages} == {status}
    assert client.get(f"{address}?at=never").status_code == 404
    assert "Provide a sample submission" in client.get(f"{address}?at=launch").content.decode()
    rows = client.get(f"{address}?at=launch&format=csv").content.decode().splitlines()
    assert rows[0] == "severity,check,parameter,task,message,detail,answer"
    assert any("submission_format.sample" in row for row in rows)


def test_an_embargoed_value_is_shown_to_its_writers_only(client, owner):
    public, _ = load_example_design(name="hippocampus", owner=owner)
    task = public.tasks.get()
    services.save_field(
        actor=owner,
        design=public,
        task=task,
        parameter="challenge_cohort",
        value="secret surgery",
        state="embargoed_until",
        event="submission_deadline",
    )
    services.freeze_version(actor=owner, design=public, name="Sealed")
    for url in (*pages_of(public), reverse("designs:version", args=[public.slug, 1])):
        assert b"secret surgery" not in client.get(url).content, url
    client.force_login(owner)
    mission = reverse("designs:task_section", args=[public.slug, "mission", task.key])
    assert b"secret surgery" in client.get(mission).content


def test_a_new_organizer_starts_a_design(signed_in, owner):
    answer = signed_in.post(reverse("designs:start"), {"title": "Liver 2026", "tasks": "Liver\nTumour\n"})
    stored = Design.objects.get()
    assert answer.url == stored.get_absolute_url()
    assert [values.name for values in document_of(stored).each_task()] == ["Liver", "Tumour"]
    assert stored.collaborators.get().user == owner


def test_text_of_people_is_escaped_everywhere(signed_in, hippocampus):
    attack = "<script>alert(1)</script>"
    save(hippocampus, "primary_objective", attack)
    save(hippocampus, "organizing_team", [{"name": attack, "affiliation": "X"}])
    signed_in.post(reverse("designs:comments", args=[hippocampus.slug, "primary_objective"]), {"text": attack})
    urls = [*pages_of(hippocampus), reverse("designs:history", args=[hippocampus.slug, "primary_objective"]),
            reverse("designs:comments", args=[hippocampus.slug, "primary_objective"])]  # fmt: skip
    for url in urls:
        answer = signed_in.get(url)
        if answer["Content-Type"].startswith("text/html"):
            assert attack.encode() not in answer.content, url


def test_a_warning_is_answered_on_the_checks_page(signed_in, hippocampus):
    save(hippocampus, "number_test_cases", 10)
    page = signed_in.get(reverse("designs:checks", args=[hippocampus.slug]))
    rows = [row["finding"] for _, _, rows in page.context["groups"] for row in rows]
    finding = next(row for row in rows if row.check.id == "number_test_cases.small")
    signed_in.post(
        reverse("designs:answer", args=[hippocampus.slug]),
        {"check_id": finding.check.id, "task": finding.task, "basis": finding.basis, "text": "A rare disease."},
    )
    assert b"A rare disease." in signed_in.get(reverse("designs:checks", args=[hippocampus.slug])).content


def test_a_version_is_frozen_compared_and_downloaded(signed_in, hippocampus):
    save(hippocampus, "number_test_cases", 60)
    signed_in.post(reverse("designs:freeze", args=[hippocampus.slug]), {"name": "Submitted"})
    version = DesignVersion.objects.get()
    save(hippocampus, "number_test_cases", 45)
    text = signed_in.get(reverse("designs:compare", args=[hippocampus.slug])).content.decode()
    assert "<del>60</del>" in text
    assert "-25 %" in text
    download = signed_in.get(version.get_absolute_url())
    assert download["X-Content-SHA256"] == version.digest
    assert json.loads(download.content) == version.document


def test_the_assessment_page_shows_words_code_and_example_or_the_missing_parameter(signed_in, hippocampus, owner):
    page = signed_in.get(reverse("designs:assessment", args=[hippocampus.slug])).content.decode()
    assert "The task category is missing." in page
    complete, _ = load_example_design(name="hippocampus", owner=owner)
    page = signed_in.get(reverse("designs:assessment", args=[complete.slug])).content.decode()
    assert "for every algorithm" in page
    assert "Dogwood" in page
    task = complete.tasks.get().key
    document = signed_in.get(reverse("designs:assessment_json", args=[complete.slug, task]))
    assert json.loads(document.content)["problem"] == "semantic_segmentation"


def test_an_exported_design_is_imported_by_another_organizer(signed_in, client, owner):
    upload = SimpleUploadedFile("design.json", json.dumps(example_document("robustmis")).encode())
    signed_in.post(reverse("designs:import"), {"title": "RobustMIS again", "document": upload})
    assert len(document_of(Design.objects.get()).tasks) == 3
    bad = SimpleUploadedFile("design.json", b"[" * 100_000)
    answer = signed_in.post(reverse("designs:import"), {"title": "Bad", "document": bad})
    assert b"not a Word, PDF or JSON document" in answer.content


def test_a_design_starts_from_a_published_challenge(signed_in):
    address = reverse("designs:start")
    assert "MIDOG 2025: mitosis domain generalization" in signed_in.get(address).content.decode()
    both = signed_in.post(address, {"title": "Cells 2027", "tasks": "Cells", "published": "midog_2025"})
    assert "Leave this field empty." in both.content.decode()
    signed_in.post(address, {"title": "Cells 2027", "published": "midog_2025"})
    design = Design.objects.get(title="Cells 2027")
    document = document_of(design)
    assert [values.name for values in document.each_task()] == [
        "Track 1: mitosis detection",
        "Track 2: atypical mitosis classification",
    ]
    values = next(document.each_task())
    assert compile_values(values).assessment is not None
    assert all(values.get(parameter) in (None, [], "") for parameter in OWN)


def test_the_next_edition_starts_from_an_earlier_registration(signed_in, monkeypatch):
    known = hooks.RegisteredDocument("podium-2026-1", "Nuclei (next edition)", example_document("nuclei"))
    monkeypatch.setattr(hooks, "registered_documents", [lambda name: known if name == known.identifier else None])
    address = f"{reverse('designs:import')}?from=podium-2026-1"
    assert b'value="podium-2026-1"' in signed_in.get(address).content
    signed_in.post(address, {"registration": "podium-2026-1"})
    started = Design.objects.get()
    assert (started.title, started.origin) == ("Nuclei (next edition)", {"registration": "podium-2026-1"})
    assert document_of(started).values().get("challenge_acronym") == "NUCLEI-SEG"
    assert b"no registration podium-2026-2" in signed_in.post(address, {"registration": "podium-2026-2"}).content
    assert b"not both" in signed_in.post(address, {"title": "Nothing"}).content


def test_duplicating_a_public_design_makes_it_ones_own(client, owner):
    public, _ = load_example_design(name="msd", owner=owner)
    client.force_login(person("bo"))
    answer = client.post(reverse("designs:duplicate", args=[public.slug]))
    copy = Design.objects.get(copied_from=public)
    assert answer.url == copy.get_absolute_url()
    assert not copy.is_public
    assert client.get(answer.url).status_code == 200


def test_an_invited_person_accepts_and_may_write(signed_in, client, hippocampus, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        signed_in.post(
            reverse("designs:invite", args=[hippocampus.slug]), {"email": "bo@example.org", "role": "editor"}
        )
    link = re.search(rf"{settings.PODIUM_ADDRESS}(/designs/\S+)", Email.objects.get().text)[1]
    client.force_login(person("bo"))
    assert client.get(link).status_code == 200
    assert not hippocampus.collaborators.filter(user__username="bo").exists()
    client.post(link)
    assert post(client, hippocampus, "challenge_name", value="By Bo", revision="0").status_code == 200
    assert client.post(reverse("designs:freeze", args=[hippocampus.slug]), {"name": "x"}).status_code == 403


def test_the_listed_organizing_team_is_invited_without_typing_addresses(signed_in, hippocampus):
    person("bo")
    Collaborator.objects.create(design=hippocampus, user=person("cy"), role="reader")
    team = [
        {"name": "Bo Berg", "affiliation": "A", "email": "Bo@example.org"},
        {"name": "Cy Cole", "affiliation": "A", "email": "cy@example.org"},
        {"name": "Di Dorn", "affiliation": "A"},
    ]
    owner = hippocampus.collaborators.get(role="owner").user
    team.append({"name": owner.display_name, "affiliation": "A", "email": "at-work@example.org"})
    services.save_field(actor=owner, design=hippocampus, parameter="organizing_team", value=team)
    address = reverse("designs:people", args=[hippocampus.slug])
    listed = signed_in.get(address).content.decode().split('id="listed"')[1].split("</ul>")[0]
    assert re.findall(r'name="email" value="([^"]+)"', listed) == ["bo@example.org"]
    signed_in.post(reverse("designs:invite", args=[hippocampus.slug]), {"email": "bo@example.org", "role": "editor"})
    assert 'id="listed"' not in signed_in.get(address).content.decode()


def test_an_owner_changes_roles_and_anybody_leaves(signed_in, client, hippocampus):
    part = Collaborator.objects.create(design=hippocampus, user=person("bo"), role="editor")
    address = reverse("designs:change_person", args=[hippocampus.slug, part.pk])
    signed_in.post(address, {"role": "reader"})
    part.refresh_from_db()
    assert part.role == "reader"
    client.force_login(part.user)
    assert client.post(address, {"role": "owner"}).status_code == 403
    client.post(address, {"role": "remove"})
    assert not Collaborator.objects.filter(pk=part.pk).exists()


def test_what_is_personal_or_withheld_does_not_leave_by_a_copy_or_a_comparison(client, owner):
    public, _ = load_example_design(name="hippocampus", owner=owner)
    task = public.tasks.get()
    services.freeze_version(actor=owner, design=public, name="Before")
    team = [{"name": "Zoe", "affiliation": "X", "email": "zoe@example.org"}]
    services.save_field(actor=owner, design=public, parameter="organizing_team", value=team)
    embargo = {"value": "secret surgery", "state": "embargoed_until", "event": "submission_deadline"}
    services.save_field(actor=owner, design=public, task=task, parameter="challenge_cohort", **embargo)
    client.force_login(person("bo"))
    compared = client.get(reverse("designs:compare", args=[public.slug])).content
    assert b"Zoe" in compared
    client.post(reverse("designs:duplicate", args=[public.slug]))
    copy = Design.objects.get(copied_from=public)
    copied = client.get(reverse("designs:export_json", args=[copy.slug])).content
    for secret in (b"zoe@example.org", b"secret surgery"):
        assert secret not in compared
        assert secret not in copied


def test_a_wrong_cell_is_named_and_the_rest_of_the_table_is_saved(signed_in, hippocampus):
    answer = post(
        signed_in,
        hippocampus,
        "metrics",
        task="task-1",
        **{"row.0.metric": "dsc", "row.0.weight": "2", "row.1.metric": "nsd", "row.1.weight": "heavy"},
    ).content.decode()
    assert "Saved" in answer
    assert "Not saved: row 2, " in answer
    rows = document_of(hippocampus).values("task-1").rows("metrics")
    assert [(row["metric"], row.get("weight")) for row in rows] == [("dsc", 2), ("nsd", None)]


def test_a_metric_of_the_whole_data_set_is_not_prefilled_as_one_of_cases(signed_in, hippocampus):
    post(signed_in, hippocampus, "metrics", task="task-1", **{"row.0.metric": "auroc", "row.1.metric": "dsc"})
    rows = document_of(hippocampus).values("task-1").rows("metrics")
    assert [row["level"] for row in rows] == ["data_set", "case"]


def test_imported_details_stay_when_a_field_without_an_editor_for_them_is_saved(signed_in, owner):
    data = {"challenge": {}, "tasks": [{"number_training_cases": 700, "number_training_cases__details": "About 700."}]}
    imported, _ = services.import_design(actor=owner, title="Imported", data=data)
    page = signed_in.get(reverse("designs:task_section", args=[imported.slug, "data_sets", "task-1"]))
    [field] = [each for each in page.context["fields"] if each.parameter.id == "number_training_cases"]
    assert field.has_details
    shown = re.search(r'id="detail-number_training_cases-task-1"(.*?)</textarea>', page.content.decode(), re.DOTALL)
    assert "About 700." in shown[1]
    assert "hidden" not in shown[1].partition(">")[0]
    assert 'id="detail-number_test_cases-task-1"' not in page.content.decode()


def test_an_empty_design_is_neither_full_of_errors_nor_complete_anywhere(signed_in, owner):
    fresh = services.create_design(owner=owner, title="New")
    page = signed_in.get(reverse("designs:detail", args=[fresh.slug]))
    assert page.context["counts"]["errors"] == 0
    assert page.context["counts"]["to_fill"] > 0
    assert "Required, still empty" in page.content.decode()
    section = signed_in.get(reverse("designs:section", args=[fresh.slug, shipped().sections[0].key])).content.decode()
    assert "100 %" not in section
    save(fresh, "metrics", [{"metric": "dsc", "used_for_ranking": True}, {"metric": "nsd", "used_for_ranking": True}])
    counts = signed_in.get(reverse("designs:detail", args=[fresh.slug])).context["counts"]
    errors = [found for found in all_findings(document_of(fresh), design=fresh) if found.severity == "error"]
    assert counts["errors"] > 0
    assert counts["errors"] + counts["to_fill"] == len(errors)
