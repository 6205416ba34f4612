"""Invitations by e-mail: a limit that withdrawing does not get around; teams and calls are held to it in their own tests."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.notifications.models import Email
from accounts.people.models import Invitation
from accounts.people.services import invitations
from tests.unit.designs.world import design, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return person("owner")


@pytest.fixture
def hippocampus(owner):
    return design(owner)


def invite(owner, of_design, email):
    return invitations.invite(actor=owner, target=of_design, email=email, role="editor")


def test_withdrawing_and_inviting_again_does_not_write_to_somebody_without_end(owner, hippocampus):
    for _ in range(5):
        invitation = invite(owner, hippocampus, "nina@example.net")
        invitations.withdraw(actor=owner, invitation=invitation)
    with pytest.raises(ValidationError, match=r"nina@example\.net has got 5 invitations in 24 hours"):
        invite(owner, hippocampus, "Nina@Example.net")
    assert Invitation.objects.count() == Email.objects.count() == 5
    assert invite(owner, hippocampus, "otto@example.net")


def test_one_person_sends_so_many_a_day_whoever_gets_them(owner, hippocampus, settings):
    settings.PODIUM_INVITATIONS_PER_DAY = 3
    for number in range(3):
        invitations.withdraw(actor=owner, invitation=invite(owner, hippocampus, f"somebody{number}@example.net"))
    with pytest.raises(ValidationError, match="You can send 3 invitations in 24 hours"):
        invite(owner, hippocampus, "otto@example.net")
    Email.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert invite(owner, hippocampus, "otto@example.net")


def test_the_limit_of_an_address_counts_what_all_people_send(owner, hippocampus, settings):
    settings.PODIUM_INVITATIONS_TO_ADDRESS_PER_DAY = 1
    invite(owner, hippocampus, "nina@example.net")
    other = person("other")
    with pytest.raises(ValidationError, match="has got 1 invitations"):
        invite(other, design(other), "nina@example.net")
