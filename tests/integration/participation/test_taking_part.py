"""Terms, consent, teams: who may, what is kept, and that a person submits with one team."""

import re
import threading

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.urls import reverse

from accounts.models import User
from accounts.notifications.models import Email, Notification
from accounts.people.models import Invitation
from accounts.people.services import invitations
from challenges import hooks
from challenges.models import Concern, Member, Organizer, Participation, Team
from challenges.services import participation, roles, teams
from challenges.services.concerns import same_institution
from core.audit.models import Entry
from tests.unit.challenges.world import person

pytestmark = pytest.mark.django_db


def url(name, *more):
    return reverse(f"challenges:{name}", args=["organs", *more])


def set_terms(world, **more):
    wanted = {"agreement": "Cite us.", "requires_approval": False, "team_size": None, **more}
    return participation.set_terms(actor=world.organizer, challenge=world.challenge, **wanted)


def admit(world, user):
    from challenges.queries.people import terms_of

    return participation.take_part(
        user=user, challenge=world.challenge, terms=terms_of(world.challenge), affiliation=""
    )


def secret_of(email):
    return re.search(r"/invitation/([\w-]+)/", Email.objects.get(to=email).text).group(1)


def invite(world, email):
    invitations.invite(actor=world.member, target=world.team, email=email, role="member")
    return secret_of(email)


@pytest.fixture
def submitted(monkeypatch):
    """Every team has submitted to each of its tasks."""
    handed = lambda team: hooks.SubmittedTasks(frozenset(team.tasks.values_list("pk", flat=True)), anything=True)  # noqa: E731
    monkeypatch.setattr(hooks, "submitted", [handed])


def test_consent_is_kept_with_the_text_as_it_stood(world, client):
    first = set_terms(world)
    client.force_login(world.stranger)
    page = client.get(url("join")).content.decode()
    assert "Cite us." in page
    answers = {"team_name": "Zoe", "accept_rules": "on", "version": first.version, "orcid": "0000-0002-1825-0097"}
    assert "Accept the data-usage agreement" in client.post(url("join"), answers).content.decode()
    assert not Participation.objects.exists()
    client.post(url("join"), {**answers, "accept_agreement": "on", "affiliation": "Some Institute"})
    set_terms(world, agreement="Cite us twice.")
    part = Participation.objects.get()
    assert (part.user, part.agreement, part.terms, part.affiliation) == (
        world.stranger,
        "Cite us.",
        first,
        "Some Institute",
    )
    assert Member.objects.get(user=world.stranger).team.name == "Zoe"
    assert "have changed" in client.get(url("team")).content.decode()
    client.post(url("join"), {"accept_rules": "on", "accept_agreement": "on", "version": 2})
    part.refresh_from_db()
    assert part.agreement == "Cite us twice."
    assert [entry.facts["version"] for entry in Entry.objects.filter(act="terms_accepted")] == [1, 2]


def test_terms_that_changed_while_somebody_read_them_are_read_again(world, client):
    set_terms(world)
    set_terms(world, agreement="Something else.")
    client.force_login(world.stranger)
    answers = {"team_name": "Zoe", "accept_rules": "on", "accept_agreement": "on", "version": 1}
    assert "changed while you were reading" in client.post(url("join"), answers).content.decode()
    assert not Participation.objects.exists()


def test_a_refused_team_name_leaves_no_half_consent(world, client):
    client.force_login(world.stranger)
    page = client.post(url("join"), {"team_name": world.team.name, "accept_rules": "on"}).content.decode()
    assert "already a team named" in page
    assert not Participation.objects.exists()


def test_organizers_let_people_in(world, client):
    terms = set_terms(world, requires_approval=True)
    other = person("otto")
    for user in (world.stranger, other):
        client.force_login(user)
        answers = {"accept_rules": "on", "accept_agreement": "on", "version": terms.version, "message": "Please."}
        client.post(url("join"), answers)
        assert "Approval pending" in client.get(url("join")).content.decode()
    with pytest.raises(ValidationError, match="wait"):
        teams.form_team(user=other, challenge=world.challenge, team_name="Otto")
    assert Notification.objects.filter(user=world.organizer, kind="join_request").count() == 2
    client.force_login(world.organizer)
    chosen = {part.user: part.pk for part in Participation.objects.all()}
    client.post(url("decide_people"), {"participation": chosen[world.stranger], "decision": "approve"})
    client.post(url("decide_people"), {"participation": chosen[other], "decision": "decline"})
    assert Participation.objects.get(user=other).state == "pending"  # a reason is missing
    client.post(url("decide_people"), {"participation": chosen[other], "decision": "decline", "reason": "Closed."})
    client.force_login(other)
    assert "Closed." in client.get(url("join")).content.decode()
    client.force_login(world.stranger)
    client.post(url("join"), {"team_name": "Zoe"})
    assert Member.objects.get(user=world.stranger).role == "captain"


def test_an_invitation_is_for_whoever_has_its_link_and_once(world, client):
    secret = invite(world, "zoe@elsewhere.org")
    assert not Invitation.objects.filter(token_digest=secret).exists()
    assert client.get(url("invitation", secret)).status_code == 302
    client.force_login(world.stranger)
    assert client.get(url("invitation", "x" * 32)).status_code == 404
    assert "Join the team" in client.get(url("invitation", secret)).content.decode()
    client.post(url("invitation", secret), {"answer": "accept"})
    assert not Member.objects.filter(user=world.stranger).exists()  # without consent
    client.post(url("invitation", secret), {"answer": "accept", "accept_rules": "on"})
    member = Member.objects.get(user=world.stranger)
    assert (member.team, member.role) == (world.team, "member")
    assert client.get(url("invitation", secret)).url == url("team")  # who is in gets there
    client.force_login(person("otto"))
    closed = client.get(url("invitation", secret))
    assert (closed.status_code, "Ask the captain for a new one" in closed.content.decode()) == (404, True)


@pytest.mark.django_db(transaction=True)
def test_two_people_at_one_link_at_the_same_moment_are_one_member(world):
    others = [person("otto"), person("oda")]
    for other in others:
        admit(world, other)
    secret = invite(world, "somebody@elsewhere.org")
    barrier, refused = threading.Barrier(2), []

    def work(user):
        try:
            barrier.wait(10)
            invitations.accept(user=user, token=secret, into=Team)
        except ValidationError as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=[other]) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(refused) == 1
    assert world.team.members.count() == 2


def test_a_team_is_not_larger_than_the_terms_allow(world):
    set_terms(world, team_size=2)
    secret = invite(world, "zoe@elsewhere.org")
    with pytest.raises(ValidationError, match="at most 2"):
        invitations.invite(actor=world.member, target=world.team, email="otto@elsewhere.org", role="member")
    with pytest.raises(ValidationError, match="at most 2"):
        invitations.invite(actor=world.member, target=world.team, email="ZOE@elsewhere.org", role="member")
    admit(world, world.stranger)
    invitations.accept(user=world.stranger, token=secret, into=Team)
    with pytest.raises(ValidationError, match="no longer open"):
        invitations.accept(user=person("otto"), token=secret, into=Team)


def join(world, user):
    admit(world, user)
    secret = invite(world, f"{user.username}@elsewhere.org")
    invitations.accept(user=user, token=secret, into=Team)
    return Member.objects.get(user=user)


def test_before_the_first_submission_one_may_change_the_team(world):
    teams.leave(user=world.stranger, member=join(world, world.stranger))
    assert teams.form_team(user=world.stranger, challenge=world.challenge, team_name="Zoe alone")


def test_afterwards_one_may_leave_and_not_submit_with_another_team(world, client, submitted):
    teams.leave(user=world.stranger, member=join(world, world.stranger))
    assert not world.team.members.filter(user=world.stranger).exists()
    with pytest.raises(ValidationError, match="already belong"):
        teams.form_team(user=world.stranger, challenge=world.challenge, team_name="Zoe alone")
    assert not world.stranger.has_perm("challenges.submit_to_challenge", world.challenge)
    client.force_login(world.stranger)
    assert client.get(url("team")).status_code == 403
    page = client.get(url("join")).content.decode()
    assert ("You left a team that had submitted" in page, 'name="team_name"' in page) == (True, False)
    client.force_login(world.member)
    assert "You can't leave because you're the last member" in client.get(url("team")).content.decode()
    with pytest.raises(ValidationError, match="last member"):
        teams.leave(user=world.member, member=Member.objects.get(user=world.member))


def test_a_captain_hands_over_before_leaving(world):
    member = join(world, world.stranger)
    captain = Member.objects.get(user=world.member)
    with pytest.raises(ValidationError, match="Hand the team over"):
        teams.leave(user=world.member, member=captain)
    teams.hand_over(actor=world.member, team=world.team, member=member)
    assert Notification.objects.filter(user=world.stranger, subject__contains="you are the captain").exists()
    teams.leave(user=world.member, member=captain)
    assert [row.user for row in world.team.members.all()] == [world.stranger]
    assert world.team.members.get().role == "captain"


def test_the_last_one_takes_a_team_that_never_submitted_along(world):
    invite(world, "otto@elsewhere.org")
    teams.leave(user=world.member, member=Member.objects.get(user=world.member))
    assert not Team.objects.filter(pk=world.team.pk).exists()
    assert not Invitation.objects.exists()


def test_only_the_captain_changes_the_team(world, client):
    member = join(world, world.stranger)
    captain = Member.objects.get(user=world.member)
    client.force_login(world.stranger)
    for act, data in {
        "invite": {"email": "x@elsewhere.org"},
        "remove": {"member": captain.pk},
        "captain": {"member": member.pk},
        "withdraw": {"invitation": "x"},
    }.items():
        assert client.post(url("change_team", act), data).status_code == 403
    assert "Make captain" not in client.get(url("team")).content.decode()
    client.force_login(world.member)
    assert client.post(url("change_team", "remove"), {"member": member.pk}).status_code == 302
    assert not Member.objects.filter(user=world.stranger).exists()
    assert client.post(url("change_team", "explode")).status_code == 404
    for wrong in ("", "x", "9" * 30, "-1"):
        assert client.post(url("change_team", "remove"), {"member": wrong}).status_code == 404


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("DKFZ Heidelberg", "Division of Imaging, DKFZ, Heidelberg", True),
        ("University of Bern", "University of Basel", False),
        ("Hospital", "University Hospital", False),
        ("", "", False),
    ],
)
def test_affiliations_are_compared_by_their_telling_words(first, second, same):
    assert same_institution(first, second) == same_institution(second, first) == same


def test_conflicts_with_organizers_and_similar_accounts_are_found_once(world, client):
    User.objects.filter(pk=world.organizer.pk).update(affiliation="DKFZ Heidelberg", email="olga@dkfz.de")
    zoe, twin = person("zoe1"), person("zoe2")
    User.objects.filter(pk=zoe.pk).update(email="z.oe@gmail.com")
    User.objects.filter(pk=twin.pk).update(email="zoe+second@googlemail.com")
    for user, name in ((zoe, "One"), (twin, "Two")):
        user.refresh_from_db()
        participation.take_part(
            user=user, challenge=world.challenge, terms=None, affiliation="Imaging, DKFZ Heidelberg"
        )
        teams.form_team(user=user, challenge=world.challenge, team_name=name)
    participation.take_part(user=twin, challenge=world.challenge, terms=None, affiliation="Imaging, DKFZ Heidelberg")
    found = {(row.kind, row.user) for row in Concern.objects.all()}
    assert found == {("organizer", zoe), ("organizer", twin), ("accounts", twin)}
    assert Concern.objects.count() == 3
    client.force_login(world.organizer)
    page = client.get(url("people")).content.decode()
    assert "e-mail addresses of one mailbox" in page
    concern = Concern.objects.get(kind="accounts")
    client.post(url("decide_concern", concern.pk), {"decision": "uphold", "note": ""})
    concern.refresh_from_db()
    assert concern.state == "open"
    client.post(url("decide_concern", concern.pk), {"decision": "uphold", "note": "Same person."})
    concern.refresh_from_db()
    assert (concern.state, concern.decided_by) == ("upheld", world.organizer)


def test_a_disqualified_team_reads_why_and_rankings_are_asked_for(world, client, monkeypatch):
    asked = []
    monkeypatch.setattr(hooks, "standing_changed", [asked.append])
    client.force_login(world.organizer)
    client.post(url("set_standing"), {"team": world.team.pk, "standing": "disqualified", "reason": ""})
    assert not asked
    for _ in range(2):
        client.post(url("set_standing"), {"team": world.team.pk, "standing": "disqualified", "reason": "Test data."})
    assert asked == [world.team.pk]
    client.force_login(world.member)
    page = client.get(url("team")).content.decode()
    assert "Disqualified" in page
    assert "Test data." in page
    assert Notification.objects.get(kind="team_changed").user == world.member


def test_roles_of_organizers(world, client):
    manager, moderator = person("mia"), person("mo")
    for user, role in ((manager, "manager"), (moderator, "moderator")):
        roles.set_role(actor=world.organizer, challenge=world.challenge, user=user, role=role)
    may = {
        "view_challenge": (1, 1, 1),
        "organize_challenge": (1, 1, 0),
        "decide_people": (1, 1, 0),
        "disqualify_team": (1, 0, 0),
        "close_phase": (1, 0, 0),
        "choose_organizers": (1, 0, 0),
        "announce_in_challenge": (1, 1, 1),
        "join_challenge": (0, 0, 0),
    }
    world.challenge.is_public = False
    world.challenge.save()
    people = (world.organizer, manager, moderator)
    for perm, row in may.items():
        assert tuple(user.has_perm(f"challenges.{perm}", world.challenge) for user in people) == row, perm
    with pytest.raises(ValidationError, match="needs an owner"):
        roles.set_role(actor=world.organizer, challenge=world.challenge, user=world.organizer, role="manager")
    with pytest.raises(ValidationError, match="does not organize"):
        roles.set_role(actor=world.organizer, challenge=world.challenge, user=world.member, role="manager")
    roles.set_role(actor=world.organizer, challenge=world.challenge, user=manager, role=None)
    assert not manager.has_perm("challenges.organize_challenge", world.challenge)
    assert Organizer.objects.count() == 2


def test_the_list_for_spreadsheets_holds_no_formula(world, client):
    User.objects.filter(pk=world.member.pk).update(affiliation="=1+1", first_name="+Max")
    client.force_login(world.organizer)
    text = client.get(url("participants_csv")).content.decode()
    assert "'=1+1" in text
    assert len(text.splitlines()) == 2


def test_withdrawing_an_invitation_and_sending_it_again_ends_with_the_day(world):
    for _ in range(5):
        invitations.invite(actor=world.member, target=world.team, email="otto@elsewhere.org", role="member")
        invitations.withdraw(actor=world.member, invitation=world.team.invitations.get(state="open"))
    with pytest.raises(ValidationError, match="has got 5 invitations in 24 hours, and withdrawn ones count"):
        invitations.invite(actor=world.member, target=world.team, email="otto@elsewhere.org", role="member")
    assert Email.objects.filter(to="otto@elsewhere.org").count() == 5
    assert world.team.invitations.count() == 5
