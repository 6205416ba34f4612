"""Designs as wholes: versions, copies, tasks, people, conversations."""

import re

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.conversations import services as conversations
from accounts.notifications.models import Email
from accounts.people.models import Invitation
from accounts.people.services import invitations
from designs import services
from designs.models import Collaborator, Design, DesignVersion
from designs.queries import document_of, document_of_version
from evaluation.canonical import sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import State, public_form, to_json
from tests.unit.designs.world import design, person, save

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return person("ada")


@pytest.fixture
def hippocampus(owner):
    created = design(owner)
    save(created, "challenge_name", "Hippocampus")
    return created


def test_two_designs_with_one_title_have_two_addresses(owner):
    assert [design(owner).slug, design(owner).slug] == ["hippocampus-2026", "hippocampus-2026-2"]


def test_a_version_is_canonical_digested_and_immutable(hippocampus, owner):
    version = services.freeze_version(actor=owner, design=hippocampus, name="Submitted")
    assert version.number == 1
    assert version.digest == sha256(version.document)
    assert version.document["challenge"]["challenge_name"] == "Hippocampus"
    with pytest.raises(DatabaseError), transaction.atomic():
        DesignVersion.objects.update(name="Other")
    with pytest.raises(DatabaseError), transaction.atomic():
        DesignVersion.objects.filter(pk=version.pk)._raw_delete("default")


def test_a_version_without_a_change_is_refused(hippocampus, owner):
    services.freeze_version(actor=owner, design=hippocampus, name="One")
    with pytest.raises(ValidationError, match="Nothing has changed"):
        services.freeze_version(actor=owner, design=hippocampus, name="Two")


def test_an_embargoed_value_is_not_in_the_document_of_a_version_but_can_be_restored(hippocampus, owner):
    save(hippocampus, "challenge_cohort", "secret surgery", state=State.EMBARGOED, event="submission_deadline")
    version = services.freeze_version(actor=owner, design=hippocampus, name="Sealed")
    assert "secret surgery" not in str(version.document)
    state = version.document["tasks"][0]["challenge_cohort__state"]
    assert state["event"] == "submission_deadline"
    assert len(state["digest"]) == 64
    assert document_of_version(version).values("task-1").get("challenge_cohort") == "secret surgery"
    assert document_of_version(version, sealed=False).values("task-1").get("challenge_cohort") is None


def test_personal_data_are_not_part_of_the_public_form(hippocampus):
    save(hippocampus, "organizing_team", [{"name": "Ada", "affiliation": "X", "email": "ada@example.org"}])
    save(hippocampus, "contact_person", {"name": "Ada", "affiliation": "X", "email": "ada@example.org"})
    data = to_json(document_of(hippocampus), catalogue=shipped())
    assert "ada@example.org" in str(data)
    shown = public_form(data, catalogue=shipped())
    assert "ada@example.org" not in str(shown)
    assert shown["challenge"]["organizing_team"] == [{"name": "Ada", "affiliation": "X"}]


def test_a_copy_has_all_values_and_none_of_the_people(hippocampus, owner):
    save(hippocampus, "number_test_cases", 60)
    copy = services.duplicate_design(actor=person("bo"), design=hippocampus, title="Hippocampus 2027")
    assert to_json(document_of(copy), catalogue=shipped()) == to_json(document_of(hippocampus), catalogue=shipped())
    assert [entry.user.username for entry in copy.collaborators.all()] == ["bo"]
    assert copy.copied_from == hippocampus


def test_export_and_import_give_the_same_document(hippocampus, owner):
    save(hippocampus, "number_test_cases", 60)
    save(hippocampus, "conflicts_of_interest", state=State.NONE_DECLARED)
    save(hippocampus, "acquisition_subjects", state=State.NOT_APPLICABLE, reason="MRI")
    save(hippocampus, "ethics_approval_details", state=State.FOLLOWS, until="2027-01-01")
    data = to_json(document_of(hippocampus), catalogue=shipped())
    again, problems = services.import_design(actor=owner, title="Again", data=data)
    assert problems == []
    assert to_json(document_of(again), catalogue=shipped()) == data


@pytest.mark.parametrize(
    "data",
    [{}, {"challenge": {"shoe_size": 4}}, {"challenge": {}, "tasks": {}}, {"challenge": {"challenge_year": "x"}}],
)
def test_a_document_that_does_not_fit_is_not_imported(owner, data):
    with pytest.raises(ValidationError):
        services.import_design(actor=owner, title="Broken", data=data)


def test_a_task_can_be_added_like_another_one_and_removed_but_not_the_last(hippocampus, owner):
    save(hippocampus, "number_test_cases", 60)
    first = hippocampus.tasks.get()
    second = services.add_task(actor=owner, design=hippocampus, name="Second", like=first)
    document = document_of(hippocampus)
    assert document.values("task-2").get("number_test_cases") == 60
    assert document.values("task-2").get("task_name") == "Second"
    services.remove_task(actor=owner, task=first)
    assert list(document_of(hippocampus).tasks) == ["task-2"]
    with pytest.raises(ValidationError, match="at least one"):
        services.remove_task(actor=owner, task=second)


def invite(owner, hippocampus, callbacks, email="bo@example.org", role="editor"):
    with callbacks(execute=True):
        invitations.invite(actor=owner, target=hippocampus, email=email, role=role)
    return re.search(r"invitations/(\S+)/", Email.objects.latest("created_at").text)[1]


def test_an_invitation_is_accepted_once_by_the_person_it_was_sent_to(
    hippocampus, owner, django_capture_on_commit_callbacks
):
    token = invite(owner, hippocampus, django_capture_on_commit_callbacks)
    assert token not in str(Invitation.objects.values())
    with pytest.raises(ValidationError, match="another e-mail"):
        invitations.accept(user=person("eve"), token=token, into=Design)
    bo = person("bo")
    assert invitations.accept(user=bo, token=token, into=Design).role == "editor"
    with pytest.raises(ValidationError, match="no longer valid"):
        invitations.accept(user=bo, token=token, into=Design)


def test_an_old_or_withdrawn_invitation_does_not_work(hippocampus, owner, django_capture_on_commit_callbacks):
    bo = person("bo")
    token = invite(owner, hippocampus, django_capture_on_commit_callbacks)
    Invitation.objects.update(expires_at=timezone.now())
    with pytest.raises(ValidationError, match="no longer valid"):
        invitations.accept(user=bo, token=token, into=Design)
    token = invite(owner, hippocampus, django_capture_on_commit_callbacks)
    invitations.withdraw(actor=owner, invitation=Invitation.objects.first())
    with pytest.raises(ValidationError, match="no longer valid"):
        invitations.accept(user=bo, token=token, into=Design)


def test_a_design_keeps_an_owner(hippocampus, owner):
    mine = hippocampus.collaborators.get()
    for act in (
        lambda: services.change_role(actor=owner, collaborator=mine, role="reader"),
        lambda: services.remove_collaborator(actor=owner, collaborator=mine),
    ):
        with pytest.raises(ValidationError, match="needs an owner"):
            act()
    Collaborator.objects.create(design=hippocampus, user=person("bo"), role="owner")
    services.change_role(actor=owner, collaborator=mine, role="reader")


@pytest.mark.parametrize(
    ("role", "view", "edit", "manage"),
    [("owner", True, True, True), ("editor", True, True, False), ("reader", True, False, False), (None, False, False, False)],
)  # fmt: skip
def test_roles(hippocampus, role, view, edit, manage):
    bo = person("bo")
    if role:
        Collaborator.objects.create(design=hippocampus, user=bo, role=role)
    assert bo.has_perm("designs.view_design", hippocampus) == view
    assert bo.has_perm("designs.edit_design", hippocampus) == edit
    assert bo.has_perm("designs.manage_design", hippocampus) == manage


def test_a_conversation_is_answered_resolved_and_taken_up_again(hippocampus, owner):
    thread = conversations.start_thread(actor=owner, target=hippocampus, topic="challenge_name", text="Too short?")
    conversations.close_thread(actor=owner, thread=thread)
    thread.refresh_from_db()
    assert thread.closed_by == owner
    conversations.reply(actor=owner, thread=thread, text="No.")
    thread.refresh_from_db()
    assert not thread.is_closed
    assert thread.posts.count() == 2


def test_a_conversation_is_about_a_parameter_and_task_of_the_design_alone(hippocampus, owner):
    for topic, part in (("no_such_parameter", ""), ("challenge_name", "no-such-task")):
        with pytest.raises(ValidationError, match="no such parameter"):
            conversations.start_thread(actor=owner, target=hippocampus, topic=topic, part=part, text="What?")


def test_an_empty_comment_and_an_answer_to_an_error_are_refused(hippocampus, owner):
    with pytest.raises(ValidationError, match="Write"):
        conversations.start_thread(actor=owner, target=hippocampus, topic="challenge_name", text="  ")
    with pytest.raises(ValidationError, match="Errors must be fixed"):
        services.answer_check(
            actor=owner, design=hippocampus, check_id="metrics.count", text="no", basis="", task=hippocampus.tasks.get()
        )
