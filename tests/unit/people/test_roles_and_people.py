"""Rules of every role: its last holder stays, and a person is named without hiding another one."""

import pytest
from django.core.exceptions import ValidationError

from accounts.people.forms import PersonField
from accounts.people.services.roles import keep_a_holder
from designs.models import Collaborator
from tests.unit.designs.world import design, person

pytestmark = pytest.mark.django_db


def test_the_only_holder_of_a_role_keeps_it_and_one_of_two_may_leave():
    owner, other = person("owner"), person("other")
    hippocampus = design(owner)
    holders = Collaborator.objects.filter(design=hippocampus, role="owner")
    with pytest.raises(ValidationError, match="Somebody else first"):
        keep_a_holder(hippocampus, holders, leaving=owner.pk, message="Somebody else first.")
    Collaborator.objects.create(design=hippocampus, user=other, role="owner")
    keep_a_holder(hippocampus, holders, leaving=owner.pk, message="Somebody else first.")


def test_a_person_is_found_by_user_name_or_address():
    ada = person("ada")
    assert PersonField().clean("ada") == PersonField().clean("ADA@example.org") == ada
    assert PersonField(required=False).clean("") is None


def test_a_closed_account_is_as_unknown_as_one_that_never_was():
    ada = person("ada")
    ada.is_active = False
    ada.save()
    for name in ("ada", "nobody"):
        with pytest.raises(ValidationError, match="No account has this user name or e-mail address"):
            PersonField().clean(name)


def test_an_address_names_its_owner_and_nobody_who_took_it_for_a_user_name():
    mallory, ada = person("mallory"), person("ada")
    mallory.username = ada.email
    mallory.save()
    assert PersonField().clean(ada.email) == ada
