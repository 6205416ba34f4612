"""The notification bell, inbox and preferences: each person sees only their own."""

import re

import pytest
from django.urls import reverse

from accounts.models import User
from accounts.notifications import kinds, services
from accounts.notifications.hooks import places
from accounts.notifications.models import Email, Notification, Preference
from challenges.models import Challenge
from core.audit.models import Entry
from designs.models import Collaborator, Design

pytestmark = pytest.mark.django_db


def tell(person, number=1, **more):
    for index in range(number):
        services.notify(people=[person], **{"kind": "news", "subject": f"News {index}", "text": "text", **more})


def test_who_may_open_what(client, people):
    ada, bo = people[:2]
    tell(ada)
    row = Notification.objects.get()
    own = [reverse(f"notifications:{name}") for name in ("inbox", "preferences")]
    for address in [*own, reverse("notifications:follow", args=[row.pk])]:
        assert client.get(address).status_code == 302
        assert "/accounts/login/" in client.get(address).url
    assert client.post(reverse("notifications:read_all")).status_code == 302
    client.force_login(bo)
    assert [client.get(address).status_code for address in own] == [200, 200]
    assert client.get(reverse("notifications:follow", args=[row.pk])).status_code == 404
    client.post(reverse("notifications:read_all"))
    assert "News 0" not in client.get(own[0]).content.decode()
    assert Notification.objects.get().read_at is None
    assert client.get(reverse("notifications:read_all")).url == own[0]


def test_the_bell_counts_what_is_unread_and_following_reads_it(client, people):
    tell(people[0], 2, address="/challenges/")
    client.force_login(people[0])
    assert "Notifications: 2 unread" in client.get("/").content.decode()
    answer = client.get(reverse("notifications:follow", args=[Notification.objects.first().pk]))
    assert answer.url == "/challenges/"
    assert "Notifications: 1 unread" in client.get("/").content.decode()
    assert client.get("/notifications/?show=unread").content.decode().count('class="notification__subject"') == 1
    client.post(reverse("notifications:read_all"))
    page = client.get("/").content.decode()
    assert "unread" not in page
    assert "Notifications" in page
    assert "No unread notifications" in client.get("/notifications/?show=unread").content.decode()


def test_a_visitor_sees_no_bell(client):
    assert "/notifications/" not in client.get("/").content.decode()


def test_text_is_shown_as_text(client, people):
    tell(people[0], subject="<img src=x>", text="<script>x</script>\nnext")
    client.force_login(people[0])
    page = client.get("/notifications/").content.decode()
    assert "&lt;img src=x&gt;" in page
    assert "&lt;script&gt;x&lt;/script&gt;<br>next" in page


@pytest.mark.parametrize("number", [1, 3])
def test_the_inbox_makes_the_same_number_of_queries(client, people, django_assert_num_queries, number):
    tell(people[0], number)
    client.force_login(people[0])
    with django_assert_num_queries(6):
        client.get("/notifications/")


def test_a_message_ends_with_the_name_of_its_challenge_and_not_with_its_slug(client, people):
    Challenge.objects.create(slug="liver-x1", title="Liver lesions 2027", summary="Lesions.", is_public=True)
    design = Design.objects.create(slug="liver-x2", title="A design of livers")
    part = Collaborator.objects.create(design=design, user=people[0], role=Collaborator.Role.EDITOR)
    tell(people[0], address="/challenges/liver-x1/submissions/", scope="liver-x1")
    tell(people[0], address="/designs/liver-x2/", scope="liver-x2")
    tell(people[0], address="/challenges/removed-x3/", scope="removed-x3")
    client.force_login(people[0])
    page = client.get("/notifications/").content.decode()
    shown = re.sub(r"<[^>]+>", "", page)
    assert "Something is new · Liver lesions 2027" in shown
    assert "Something is new · A design of livers" in shown
    assert not re.search(r"(liver|removed)-x\d", shown)
    # Someone who lost access does not learn a name that was given later.
    part.delete()
    Design.objects.update(title="A secret design")
    Challenge.objects.update(is_public=False, title="A secret challenge")
    page = client.get("/notifications/").content.decode()
    assert "secret" not in page


def test_every_scope_of_a_message_has_a_name():
    """Each address under which an app sends messages belongs to one kind of place."""
    paths = [place.path for place in places]
    assert sorted(paths) == ["/calls/", "/challenges/", "/designs/", "/registry/"]


def test_a_person_chooses_for_each_kind(client, people):
    ada = people[0]
    client.force_login(ada)
    page = client.get(reverse("notifications:preferences")).content.decode()
    for kind in kinds.KINDS.all():
        assert kind.title in page
    answer = client.post(reverse("notifications:preferences"), {"news": "never", "chatter": "at_once"})
    assert answer.status_code == 302
    assert dict(Preference.objects.values_list("kind", "how")) == {"news": "never", "chatter": "at_once"}
    assert Entry.objects.get(act="notification_preferences_chosen").facts == {"kinds": ["chatter", "news"]}
    tell(ada)
    assert not Email.objects.exists()
    tell(ada, kind="chatter")
    assert Email.objects.get().kind == "chatter"
    refused = client.post(reverse("notifications:preferences"), {"news": "hourly", "chatter": "at_once"})
    assert "Select a valid choice" in refused.content.decode()


def test_the_page_shows_the_messages_of_the_roles_that_a_person_has(client, people):
    ada = people[0]
    kinds.register("design_decided", "A decision about a design of yours", role="organizer")
    kinds.register("review_due", "A review of yours is due", role="reviewer")
    client.force_login(ada)
    page = client.get(reverse("notifications:preferences")).content.decode()
    assert "As an organizer" not in page
    assert "As a reviewer" not in page
    Collaborator.objects.create(user=ada, design=Design.objects.create(slug="d"), role=Collaborator.Role.OWNER)
    page = client.get(reverse("notifications:preferences")).content.decode()
    assert "As an organizer" in page
    assert "A decision about a design of yours" in page
    assert "A review of yours is due" not in page


def muted_by(person, name="Liver"):
    challenge = Challenge.objects.create(slug=name.lower(), title=name, summary="x", is_public=True)
    challenge.organizers.add(person)
    return challenge


def test_a_muted_challenge_sends_no_mail_and_others_do(client, people):
    ada = people[0]
    liver, brain = muted_by(ada), muted_by(ada, "Brain")
    tell(ada, address=liver.get_absolute_url(), scope="liver")
    assert Email.objects.count() == 1
    client.force_login(ada)
    page = client.get(reverse("notifications:preferences")).content.decode()
    assert "Mute Liver" in page
    data = {kind.name: "at_once" for kind in kinds.KINDS.all()} | {"mute:/challenges/liver": "on"}
    assert client.post(reverse("notifications:preferences"), data).status_code == 302
    assert not Email.objects.exists()  # what had not left yet
    tell(ada, address=liver.get_absolute_url(), scope="liver")
    assert not Email.objects.exists()
    tell(ada, address=brain.get_absolute_url(), scope="brain")
    assert Email.objects.count() == 1
    assert Notification.objects.filter(scope="liver").count() == 2
    # A call of the same short name is another thing.
    tell(ada, address="/calls/liver/", scope="liver")
    assert Email.objects.count() == 2


def test_a_pause_ends_all_mails_until_it_is_lifted(client, people):
    ada, bo = people[:2]
    client.force_login(ada)
    data = {kind.name: "at_once" for kind in kinds.KINDS.all()}
    client.post(reverse("notifications:preferences"), data | {"pause": "on"})
    tell(ada)
    tell(bo)
    assert [mail.to for mail in Email.objects.all()] == [bo.email]
    services.post_letter(ada.email, "Your password", "A link")  # letters about the account itself still leave
    assert Email.objects.filter(to=ada.email).count() == 1
    client.post(reverse("notifications:preferences"), data)
    tell(ada)
    assert Email.objects.filter(to=ada.email).count() == 2


def test_choosing_never_stops_what_still_waits(people):
    ada = people[0]
    tell(ada, kind="chatter")
    tell(ada, kind="news")
    services.choose(user=ada, choices={"news": "never", "chatter": "never"})
    assert not Email.objects.exists()
    assert set(Notification.objects.values_list("how", flat=True)) == {"at_once", "never"}
    assert Notification.objects.count() == 2


def test_ending_the_daily_mail_ends_every_kind_in_it(people):
    ada = people[0]
    services.unsubscribe(kind=services.DIGEST, user_id=ada.pk)
    assert dict(Preference.objects.filter(user=ada).values_list("kind", "how")) == {"chatter": "never"}


@pytest.fixture
def mails(settings):
    ada = User.objects.create_user("ada-mails", "ada-mails@example.org")
    real = User.objects.create_user("real-mails", "real@hospital.example")
    Email.objects.create(
        user=ada, to=ada.email, kind="news", subject="For all to read", text="Yes. /end/", unsubscribe="/end/"
    )
    Email.objects.create(to=ada.email, kind="account", subject="A new password", text="http://127.0.0.1/secret/")
    Email.objects.create(user=real, to=real.email, kind="news", subject="For one person", text="No.")
    Email.objects.create(to="guest@example.org", kind="news", subject="An invitation", text="/token/")
    settings.PODIUM_EXAMPLE_MODE = True
    settings.PODIUM_ADDRESS = "http://127.0.0.1:8000"
    settings.PODIUM_TRUSTED_PROXIES = 0


SECRETS = ("A new password", "/secret/", "For one person", "An invitation", "/token/")


def test_at_the_machine_of_an_example_installation_every_mail_can_be_read(client, mails):
    text = client.get("/notifications/mails/").content.decode()
    assert all(part in text for part in ("For all to read", *SECRETS))
    assert '<a href="http://127.0.0.1/secret/"' in text
    assert "/end/" not in text


@pytest.mark.parametrize(
    ("changed", "request_of"),
    [
        ({}, {"REMOTE_ADDR": "192.0.2.7"}),
        ({}, {"headers": {"X-Forwarded-For": "127.0.0.1"}}),
        ({}, {"headers": {"Forwarded": "for=127.0.0.1"}}),
        ({"PODIUM_ADDRESS": "https://podium.example.org"}, {}),
        ({"PODIUM_TRUSTED_PROXIES": 1}, {}),
        ({"EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend"}, {}),
    ],
)
def test_to_all_others_nothing_is_shown_that_opens_an_account(client, mails, settings, changed, request_of):
    for name, value in changed.items():
        setattr(settings, name, value)
    text = client.get("/notifications/mails/", **request_of).content.decode()
    assert "For all to read" in text
    assert not [part for part in SECRETS if part in text]
    page = client.get(reverse("account_reset_password_done"), **request_of).content.decode()
    assert "/notifications/mails/" not in page.split("<main")[1]


def test_without_the_example_mode_there_is_no_such_page(client, mails, settings):
    settings.PODIUM_EXAMPLE_MODE = False
    assert client.get("/notifications/mails/").status_code == 404
    page = client.get(reverse("account_reset_password_done")).content.decode()
    assert "/notifications/mails/" not in page


@pytest.mark.parametrize("name", ["account_reset_password_done", "account_email_verification_sent"])
def test_pages_that_send_a_link_lead_to_it(client, mails, name):
    page = client.get(reverse(name)).content.decode()
    assert 'href="/notifications/mails/">Read the message' in page
