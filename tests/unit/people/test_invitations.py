"""Invitations to designs, calls and teams, which differ only by their policies."""

import re
import threading
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.notifications.models import Email
from accounts.notifications.services import unsubscribe
from accounts.people.hooks import InvitationPolicy, policies, policy_of
from accounts.people.models import Invitation
from accounts.people.queries import open_invitation
from accounts.people.services import invitations
from accounts.people.tables import invitation_rows, letter_message
from core.audit.models import Entry
from designs.models import Design
from reviews.models import Call
from tests.unit.designs.world import design, person

pytestmark = pytest.mark.django_db

State = Invitation.State


@pytest.fixture
def owner():
    return person("owner")


@pytest.fixture
def hippocampus(owner):
    return design(owner)


def invite(owner, target, email="bo@example.org", role="editor"):
    invitation = invitations.invite(actor=owner, target=target, email=email, role=role)
    letter = Email.objects.get(key=str(invitation.pk))
    return invitation, re.search(r"/invitations?/([\w-]+)/", letter.text)[1]


def test_every_policy_names_its_roles_and_acts_and_none_is_registered_twice():
    assert {policy.model.__name__ for policy in policies} == {"Design", "Call", "Team"}
    assert len({policy.model for policy in policies}) == len(policies)
    for policy in policies:
        assert policy.roles
        assert len({policy.acts.sent, policy.acts.accepted, policy.acts.declined, policy.acts.withdrawn}) == 4


def test_what_no_app_gave_a_policy_cannot_be_invited_into(owner):
    with pytest.raises(LookupError, match="User"):
        invitations.invite(actor=owner, target=owner, email="bo@example.org", role="editor")


def test_a_link_works_on_the_page_of_its_own_kind_alone(owner, hippocampus):
    _, token = invite(owner, hippocampus)
    assert open_invitation(token, into=Design)
    assert open_invitation(token, into=Call) is None
    with pytest.raises(ValidationError, match="Ask the chairs"):
        invitations.accept(user=person("bo"), token=token, into=Call)
    with pytest.raises(ValidationError, match="Ask the chairs"):
        invitations.decline(user=None, token=token, into=Call)
    assert open_invitation(token, into=Design)


def test_an_answer_is_given_once_and_the_log_says_who_gave_it(owner, hippocampus):
    invitation, token = invite(owner, hippocampus)
    bo = person("bo")
    invitations.decline(user=bo, token=token, into=Design)
    invitation.refresh_from_db()
    assert (invitation.state, invitation.closed_by) == (State.DECLINED, bo)
    with pytest.raises(ValidationError, match="no longer valid"):
        invitations.accept(user=bo, token=token, into=Design)
    with pytest.raises(ValidationError, match="no longer valid"):
        invitations.decline(user=bo, token=token, into=Design)
    assert list(Entry.objects.filter(act="design_invitation_declined").values_list("actor_id", flat=True)) == [bo.pk]
    assert not hippocampus.collaborators.filter(user=bo).exists()


def test_withdrawing_twice_or_after_the_answer_changes_nothing(owner, hippocampus):
    invitation, token = invite(owner, hippocampus)
    invitations.withdraw(actor=owner, invitation=invitation)
    invitations.withdraw(actor=owner, invitation=invitation)
    assert Entry.objects.filter(act="design_invitation_withdrawn").count() == 1
    answered, token = invite(owner, hippocampus)
    invitations.accept(user=person("bo"), token=token, into=Design)
    invitations.withdraw(actor=owner, invitation=answered)  # as the page had it before
    answered.refresh_from_db()
    assert answered.state == State.ACCEPTED


def test_a_second_invitation_of_an_address_replaces_the_first(owner, hippocampus):
    first, old_token = invite(owner, hippocampus)
    second, _ = invite(owner, hippocampus, email="BO@example.org", role="reader")
    first.refresh_from_db()
    assert (first.state, second.state) == (State.WITHDRAWN, State.OPEN)
    assert open_invitation(old_token, into=Design) is None


def test_the_database_holds_one_open_invitation_an_address(owner, hippocampus):
    invitation, _ = invite(owner, hippocampus)
    copy = Invitation(
        target=hippocampus,
        email="BO@Example.org",
        role="reader",
        token_digest="x",
        invited_by=owner,
        expires_at=invitation.expires_at,
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()
    invitation.state = State.ACCEPTED
    with pytest.raises(IntegrityError), transaction.atomic():
        invitation.save()  # answered without a date


def test_neither_token_nor_address_stands_where_others_read(owner, hippocampus):
    _, token = invite(owner, hippocampus)
    assert token not in str(list(Invitation.objects.values()))
    assert "bo@example.org" not in str(list(Entry.objects.values()))


def test_an_address_that_wants_no_invitations_gets_none_and_the_page_says_so(owner, hippocampus):
    unsubscribe(kind="design_invitation", address="bo@example.org")
    invitation = invitations.invite(actor=owner, target=hippocampus, email="bo@example.org", role="editor")
    assert not Email.objects.exists()
    assert "nothing was sent" in letter_message(invitation)[1]
    (row,) = invitation_rows(policy_of(hippocampus), hippocampus.invitations.all())
    assert row.state.startswith("not sent")


@pytest.mark.parametrize(("email", "role"), [("no address", "editor"), ("bo@example.org", "chair"), ("owner@example.org", "editor")])  # fmt: skip
def test_what_cannot_be_invited_leaves_nothing_behind(owner, hippocampus, email, role):
    with pytest.raises(ValidationError):
        invitations.invite(actor=owner, target=hippocampus, email=email, role=role)
    assert not Invitation.objects.exists()
    assert not Email.objects.exists()


def test_the_list_says_what_became_of_each_and_offers_to_withdraw_open_ones(owner, hippocampus):
    for email in ("a@example.org", "b@example.org", "c@example.org"):
        invite(owner, hippocampus, email=email)
    Invitation.objects.filter(email="b@example.org").update(expires_at=timezone.now() - timedelta(days=1))
    invitations.withdraw(actor=owner, invitation=Invitation.objects.get(email="c@example.org"))
    rows = {
        row.email[0]: row
        for row in invitation_rows(
            policy_of(hippocampus),
            hippocampus.invitations.all(),
            withdraw_path=lambda entry: f"/{entry.pk}/",
            fields={"team": "x"},
        )
    }
    assert {name: row.state for name, row in rows.items()} == {"a": "open", "b": "expired", "c": "withdrawn"}
    assert [bool(rows[name].withdraw_path) for name in "abc"] == [True, True, False]
    assert rows["a"].fields == {"team": "x", "invitation": Invitation.objects.get(email="a@example.org").pk}


@pytest.mark.parametrize("count", [1, 3])
def test_the_list_costs_one_query_whatever_its_length(owner, hippocampus, django_assert_num_queries, count):
    for number in range(count):
        invite(owner, hippocampus, email=f"somebody{number}@example.org")
    policy = policy_of(hippocampus)
    with django_assert_num_queries(1):
        assert len(invitation_rows(policy, hippocampus.invitations.all())) == count


@pytest.mark.django_db(transaction=True)
def test_one_address_invited_twice_at_the_same_moment_has_one_open_invitation(owner, hippocampus):
    barrier, errors = threading.Barrier(2), []

    def work():
        try:
            barrier.wait(10)
            invitations.invite(actor=owner, target=hippocampus, email="bo@example.org", role="editor")
        except Exception as error:  # noqa: BLE001 (whatever it is, the test names it)
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert errors == []
    assert sorted(Invitation.objects.values_list("state", flat=True)) == [State.OPEN, State.WITHDRAWN]


def test_a_policy_says_everything_that_the_mechanism_asks():
    with pytest.raises(TypeError, match="abstract"):
        InvitationPolicy()
