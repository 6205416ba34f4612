"""Conflicts of interest: detected, blocked, and never disclosed to organizers."""

import pytest
from django.core.exceptions import ValidationError

from accounts.people.models import Invitation
from accounts.people.services import invitations
from designs.queries import document_of
from designs.queries.findings import findings
from reviews import hooks
from reviews.models import Call
from reviews.queries import conflicts_of
from reviews.services import assigning, reviewers
from tests.unit.reviews.world import person

pytestmark = pytest.mark.django_db


def kinds(world, name):
    reviewer = world.panel[name]
    reviewer.refresh_from_db()
    found = conflicts_of(world.call).get((reviewer.pk, world.filing.pk), [])
    return {reason.kind for reason in found}


def change(world, name, **facts):
    user = world.panel[name].user
    for field, value in facts.items():
        setattr(user, field, value)
    user.save()


def test_a_stranger_has_none(world):
    world.file()
    assert conflicts_of(world.call) == {}


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"first_name": "Theo", "last_name": "Teammate"}, "team"),
        ({"email": "ORLA@secret-imaging.org", "username": "again"}, "team"),
        ({"affiliation": "Department of Rays, Institute of Secret Imaging"}, None),
        ({"affiliation": "Institute of secret imaging, Berlin"}, "institution"),
        ({"affiliation": "University of Somewhere; ISIX"}, "institution"),
        ({"affiliation": "University of Bonn, Bonn"}, None),
        ({"email": "x@mail.secret-imaging.org"}, "domain"),
        ({"email": "x@secret-imaging.organic.net"}, None),
    ],
)
def test_facts_make_conflicts(world, facts, kind):
    world.file()
    if facts.get("email", "").startswith("ORLA"):
        world.owner.email = "elsewhere@other.example.net"
        world.owner.save()
    change(world, "r1", **facts)
    assert kinds(world, "r1") == ({kind} if kind else set()) | ({"domain"} if "ORLA" in str(facts) else set())


def test_common_mail_providers_say_nothing(world):
    world.file()
    world.call.open_domains = "Gmail.com, secret-imaging.org"
    world.call.save()
    change(world, "r1", email="x@secret-imaging.org")
    assert kinds(world, "r1") == set()


def test_collaborators_people_who_took_part_together_and_declared_conflicts_are_blocked(world, monkeypatch):
    world.file()
    one, two = world.panel["r1"], world.panel["r2"]
    monkeypatch.setattr(hooks, "together", [lambda first, second: {(one.user_id, world.editor.pk)}])
    assert kinds(world, "r1") == {"together"}
    reviewers.declare_conflict(actor=two.user, reviewer=two, filing=world.filing, reason="former student")
    assert kinds(world, "r2") == {"declared"}
    editor = reviewers.add_reviewer(actor=world.chair, call=world.call, user=world.editor)
    world.panel["editor"] = editor
    assert "team" in kinds(world, "editor")
    for reviewer in (one, two, editor):
        with pytest.raises(ValidationError, match="Conflict of interest"):
            assigning.assign(actor=world.chair, filing=world.filing, reviewer=reviewer, part="general")


def test_declaring_a_conflict_gives_the_review_back(world):
    world.under_review()
    reviewer = world.panel["r1"]
    reviewers.declare_conflict(actor=reviewer.user, reviewer=reviewer, filing=world.filing, reason="former student")
    assert not world.filing.assignments.filter(reviewer=reviewer, removed_at=None).exists()


def test_the_check_of_the_catalogue_finds_it_at_assignment_alone(world):
    world.file()
    world.assign()
    change(world, "clara", affiliation="ISIX")
    check = "organizing_team.reviewer_conflict"
    document = document_of(world.design)
    found = {entry.check.id: entry for entry in findings(document, design=world.design, phase="review_assignment")}
    assert "same institution" in found[check].detail
    for phase in ("draft", "submission", "registration"):
        assert check not in {entry.check.id for entry in findings(document, design=world.design, phase=phase)}


def test_an_invitation_works_once_for_its_address_alone(world, django_capture_on_commit_callbacks, smtp_server):
    with django_capture_on_commit_callbacks(execute=True):
        invitation = invitations.invite(actor=world.chair, target=world.call, email="Nina@Example.net", role="clinical")
    assert invitation.is_mailed
    token = _letter(smtp_server, "nina@example.net").split("/calls/invitations/")[1].split("/")[0]
    assert token not in str(Invitation.objects.values())
    other, nina = person("other"), person("nina", email="nina@example.net")
    with pytest.raises(ValidationError, match="another e-mail address"):
        invitations.accept(user=other, token=token, into=Call)
    reviewer = invitations.accept(user=nina, token=token, into=Call)
    assert reviewer.parts == ["clinical"]
    with pytest.raises(ValidationError, match="no longer valid"):
        invitations.accept(user=nina, token=token, into=Call)


def test_closing_an_invitation_and_sending_it_again_ends_with_the_day(world):
    def invite():
        return invitations.invite(actor=world.chair, target=world.call, email="nina@example.net", role="clinical")

    for _ in range(5):
        invitations.withdraw(actor=world.chair, invitation=invite())
    with pytest.raises(ValidationError, match="has got 5 invitations in 24 hours"):
        invite()
    assert world.call.invitations.count() == 5


def _letter(server, address):
    from accounts.notifications.services.delivery import deliver

    deliver()
    (message,) = server.to(address)
    return message.get_body(("plain",)).get_content()
