"""A copy of what is stored about a person, and an account that is closed for good while the audit chain stays as it was."""

import json
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import AccessToken, User
from accounts.notifications.models import Email, Notification, Unsubscribed
from accounts.notifications.services import notify
from accounts.people.models import Invitation
from accounts.services import issue_token
from accounts.services.rights import close_account, copy_of, forget_what_is_old, obstacles
from challenges.models import Member, Organizer, Task
from challenges.services import create_challenge, join_with_team
from core.audit.models import Entry
from core.audit.services import broken_links, record

pytestmark = pytest.mark.django_db
PASSWORD = "a long password"


def person(name):
    user = User.objects.create_user(
        name, f"{name}@example.org", PASSWORD, first_name=name.title(), last_name="Byron", affiliation="Institute"
    )
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


@pytest.fixture
def ada():
    return person("ada")


@pytest.fixture
def bo():
    return person("bo")


@pytest.fixture
def challenge(bo):
    made = create_challenge(
        actor=bo, organizers=[bo], slug="blocks", title="Blocks", summary="Find blocks.", is_public=True
    )
    Task.objects.create(challenge=made, slug="blocks", name="Blocks")
    return made


@pytest.fixture
def busy(ada, challenge):
    """Ada with a team, a token, a message and an act."""
    join_with_team(challenge=challenge, user=ada, team_name="Reds")
    issue_token(user=ada, name="cluster", scopes=["read"], days=7)
    with transaction.atomic():
        notify(people=[ada], kind="announcement", subject="Good day", text="Good day", address="/", scope="", key="a")
        record(actor=ada, act="something_done", subject=challenge)
    return ada


def test_the_copy_has_account_tokens_acts_and_every_row_that_refers_to_the_person(busy):
    copy = json.loads(json.dumps(copy_of(busy)))

    assert copy["account"]["email"] == "ada@example.org"
    assert [row["name"] for row in copy["access_tokens"]] == ["cluster"]
    assert "something_done" in [act["act"] for act in copy["acts"]]
    assert {"member", "notification"} <= {row["what"] for row in copy["rows"]}


def test_the_copy_holds_no_secret_and_nothing_of_others(busy, bo):
    text = json.dumps(copy_of(busy))

    assert AccessToken.objects.get().digest not in text
    assert busy.password not in text
    assert bo.email not in text


def test_every_reference_to_a_person_in_any_app_is_in_the_copy(busy):
    from django.apps import apps
    from django.db import models

    referring = {
        (model, field.name)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey) and field.related_model is User
    }
    known = {
        (relation.related_model, relation.field.name)
        for relation in User._meta.get_fields(include_hidden=True)
        if isinstance(relation, models.ManyToOneRel)
    }
    assert {pair for pair in referring if not pair[0]._meta.auto_created} <= known


def test_closing_empties_the_account_and_keeps_the_chain(busy, client):
    client.force_login(busy)
    before = list(Entry.objects.values_list("sequence", "digest"))
    close_account(user=busy)

    closed = User.objects.get(pk=busy.pk)
    assert [closed.first_name, closed.last_name, closed.email, closed.affiliation, closed.orcid] == [""] * 5
    assert closed.display_name == "a closed account"
    assert not closed.has_usable_password()
    assert not AccessToken.objects.exists()
    assert not EmailAddress.objects.filter(user=busy).exists()
    assert not Notification.objects.filter(user=busy).exists()
    assert Member.everybody.get(user=busy).left_at is not None
    assert list(Entry.objects.values_list("sequence", "digest"))[: len(before)] == before
    assert broken_links() == []
    assert client.get(reverse("accounts:own_data")).status_code == 302


def test_no_column_of_any_table_still_has_an_address_of_the_person(busy, bo, challenge):
    from django.db import connection

    EmailAddress.objects.create(user=busy, email="second@example.org", verified=True)
    Unsubscribed.objects.create(address="second@example.org", kind="letter")
    states = Invitation.State
    ends = timezone.now() + timedelta(days=1)
    for number, (state, address) in enumerate(
        (state, address)
        for state in (states.OPEN, states.ACCEPTED, states.DECLINED, states.WITHDRAWN)
        for address in ("ada@example.org", "second@example.org")
    ):
        closed = None if state == states.OPEN else timezone.now()
        Invitation.objects.create(
            target=challenge, email=address, role="member", token_digest=f"{number:064d}", state=state, invited_by=bo,
            expires_at=ends, closed_at=closed,
        )  # fmt: skip
    stranger = Invitation.objects.create(
        target=challenge, email="zoe@example.org", role="member", token_digest="f" * 64, state=states.WITHDRAWN,
        invited_by=busy, closed_by=busy, expires_at=ends, closed_at=timezone.now(),
    )  # fmt: skip

    close_account(user=busy)
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            values = [str(value) for row in cursor.fetchall() for value in row]
            assert not [value for value in values if "ada@example.org" in value or "second@example.org" in value], table
    # An invitation to somebody else that the person took back is not about the person.
    stranger.refresh_from_db()
    assert stranger.email == "zoe@example.org"


def test_the_only_administrator_hands_over_first(bo):
    root = User.objects.create_superuser("root", "root@example.org", PASSWORD)
    assert "You are the only administrator" in obstacles(root)[0]
    User.objects.filter(pk=bo.pk).update(is_superuser=True)
    assert obstacles(root) == []


def test_the_only_owner_of_a_challenge_hands_over_first(bo, challenge, ada):
    assert "only owner of the challenge “Blocks”" in obstacles(bo)[0]
    with pytest.raises(ValidationError):
        close_account(user=bo)
    assert User.objects.get(pk=bo.pk).is_active
    Organizer.objects.create(challenge=challenge, user=ada, role=Organizer.Role.OWNER)
    assert obstacles(bo) == []


def test_the_page_asks_for_the_name_and_a_fresh_password(busy, client):
    client.force_login(busy)
    assert "Close your account" in client.get(reverse("accounts:own_data")).content.decode()
    asked = client.get(reverse("accounts:close"))
    assert asked["Location"].startswith("/accounts/reauthenticate/")
    client.post(asked["Location"], {"password": PASSWORD})
    wrong = client.post(reverse("accounts:close"), {"name": "bo"})
    assert wrong.status_code == 422
    assert User.objects.get(pk=busy.pk).is_active
    assert client.post(reverse("accounts:close"), {"name": "ada"}).status_code == 302
    assert not User.objects.get(pk=busy.pk).is_active


def test_the_file_is_for_its_owner_only(busy, bo, client):
    assert client.get(reverse("accounts:own_data_file")).status_code == 302
    client.force_login(bo)
    copy = client.get(reverse("accounts:own_data_file"))
    assert copy.json()["account"]["username"] == "bo"
    assert "attachment" in copy["Content-Disposition"]
    assert "no-store" in copy["Cache-Control"]


def test_nobody_signs_up_under_the_name_of_a_closed_account(client):
    fields = {"username": "closed-1234", "email": "eve@example.org", "password1": PASSWORD, "password2": PASSWORD}
    assert "closed accounts do" in client.post(reverse("account_signup"), fields).content.decode()


def test_what_is_old_is_forgotten_and_what_waits_is_not(ada, settings):
    settings.PODIUM_RETENTION_DAYS = 30
    old = timezone.now() - timedelta(days=31)
    rows = [
        Email.objects.create(to="x@example.org", kind="letter", subject="s", text="t", state=state, sent_at=sent)
        for state, sent in (("sent", old), ("waiting", None), ("sent", timezone.now()))
    ]
    Email.objects.filter(pk__in=[rows[0].pk, rows[1].pk]).update(created_at=old)

    assert forget_what_is_old() == 1
    assert set(Email.objects.values_list("pk", flat=True)) == {rows[1].pk, rows[2].pk}


def test_privacy_and_imprint_say_what_the_operator_said(client, settings):
    settings.PODIUM_IMPRINT = "The Society\\nMain Street 1"
    settings.PODIUM_PRIVACY_CONTACT, settings.PODIUM_RETENTION_DAYS = "privacy@example.org", 77
    privacy = client.get("/privacy/").content.decode()
    assert "77 days" in privacy
    assert "privacy@example.org" in privacy
    assert "The Society<br>Main Street 1" in client.get("/imprint/").content.decode()
    assert 'href="/privacy/"' in client.get("/").content.decode()


def test_the_chain_verifies_by_command_afterwards(busy):
    close_account(user=busy)
    call_command("verify_audit")
