"""Private messages to organizers: who reads them, who is notified, and the limits."""

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.urls import reverse

from accounts.conversations import services as conversations
from accounts.conversations.models import Post
from accounts.models import User
from accounts.notifications.models import Email, Notification
from challenges.models import Contact, Organizer
from challenges.queries import contacts
from challenges.services import roles
from challenges.services.talking import contact_organizers
from tests.unit.challenges.world import person

pytestmark = pytest.mark.django_db
SECRET = "My scanner has a broken coil."


def url(name, *more):
    return reverse(f"challenges:{name}", args=["organs", *more])


@pytest.fixture
def people(world):
    """Everyone around a challenge, by role."""
    moderator = person("mo")
    roles.set_role(actor=world.organizer, challenge=world.challenge, user=moderator, role="moderator")
    manager = person("ma")
    roles.set_role(actor=world.organizer, challenge=world.challenge, user=manager, role="manager")
    Notification.objects.all().delete()
    Email.objects.all().delete()
    return {
        "sender": world.stranger,
        "owner": world.organizer,
        "manager": manager,
        "moderator": moderator,
        "member": world.member,
        "administrator": User.objects.create_superuser("admin", "admin@example.org", "a-long-password"),
        "visitor": None,
    }


@pytest.fixture
def contact(world, people):
    return contact_organizers(actor=world.stranger, challenge=world.challenge, title="A private matter", text=SECRET)


ROLES = ("sender", "owner", "manager", "moderator", "member", "administrator", "visitor")
READERS = {"sender", "owner", "manager"}


@pytest.mark.parametrize("role", ROLES)
def test_only_the_sender_and_the_organizers_read_it(client, people, contact, role):
    if people[role]:
        client.force_login(people[role])
    page = client.get(url("contact_thread", contact.pk))
    assert page.status_code == (200 if role in READERS else 302 if role == "visitor" else 404)
    assert (SECRET in page.content.decode()) == (role in READERS)
    answer = client.post(url("contact_thread", contact.pk), {"text": "Added"})
    assert Post.objects.filter(text="Added").exists() == (role in READERS)
    assert answer.status_code in ((302,) if role in READERS or role == "visitor" else (404,))


@pytest.mark.parametrize("role", ROLES)
def test_only_organizers_list_and_close_messages(client, people, contact, role):
    if people[role]:
        client.force_login(people[role])
    organizes = role in {"owner", "manager"}
    listed = client.get(url("contacts"))
    assert listed.status_code == (200 if organizes else 302 if role == "visitor" else 404)
    assert ("A private matter" in listed.content.decode()) == organizes
    client.post(url("close_contact", contact.pk, "close"))
    assert contacts.thread_of(contact).is_closed == organizes


def test_messages_appear_on_no_other_page(client, people, contact):
    """Pages of the challenge that others read: overview, news, discussion with its search, and the form itself."""
    client.force_login(people["member"])
    for address in (url("detail"), url("news"), url("discussion"), f"{url('discussion')}?q=coil", url("contact")):
        page = client.get(address).content.decode()
        assert "A private matter" not in page
        assert SECRET not in page


def test_both_sides_are_notified_by_mail(people, contact):
    sent = Email.objects.filter(kind="contact")
    assert {mail.to for mail in sent} == {people["owner"].email, people["manager"].email}
    assert SECRET in sent.first().text
    sent.delete()
    conversations.reply(actor=people["manager"], thread=contacts.thread_of(contact), text="Thank you.")
    assert {mail.to for mail in Email.objects.all()} == {people["sender"].email, people["owner"].email}
    assert Notification.objects.filter(user=people["sender"], address=url("contact_thread", contact.pk)).count() == 1


def test_organizers_who_come_later_are_notified_and_former_ones_are_not(world, people, contact):
    late = person("late")
    roles.set_role(actor=world.organizer, challenge=world.challenge, user=late, role="manager")
    Organizer.objects.filter(user=people["manager"]).delete()
    Email.objects.all().delete()
    conversations.reply(actor=people["sender"], thread=contacts.thread_of(contact), text="One more fact.")
    told = {mail.to for mail in Email.objects.filter(kind="contact")}
    assert told == {people["owner"].email, late.email}


def test_the_state_shows_who_writes_next(people, contact):
    def state():
        return contacts.contacts_of(contact.challenge).get(pk=contact.pk).state

    thread = contacts.thread_of(contact)
    assert state() == "open"
    assert [row.pk for row in contacts.open_contacts(people["owner"])] == [contact.pk]
    assert not contacts.open_contacts(people["moderator"])
    conversations.reply(actor=people["owner"], thread=thread, text="Thank you.")
    assert state() == "answered"
    conversations.reply(actor=people["sender"], thread=thread, text="And?")
    assert state() == "open"
    conversations.close_thread(actor=people["owner"], thread=thread)
    assert state() == "closed"
    with pytest.raises(ValidationError, match="closed"):
        conversations.reply(actor=people["sender"], thread=thread, text="Hello?")


def test_a_person_sends_five_messages_per_day(world, people, contact, client):
    for number in range(4):
        contact_organizers(actor=world.stranger, challenge=world.challenge, title=f"{number}", text="x")
    client.force_login(world.stranger)
    page = client.post(url("contact"), {"title": "Sixth", "text": "x"})
    assert "You have sent too many private messages today." in page.content.decode()
    assert Contact.objects.count() == 5
    contact_organizers(actor=world.member, challenge=world.challenge, title="Another person", text="x")


def test_the_form_sends_a_message_and_shows_the_conversation(world, people, client):
    assert client.get(url("contact")).status_code == 302
    client.force_login(world.member)
    assert "Contact the organizers" in client.get(url("detail")).content.decode()
    page = client.post(url("contact"), {"title": "Data", "text": "<script>x</script> *Where*?"}, follow=True)
    assert "Message sent. You will be notified of the reply." in page.content.decode()
    assert "<em>Where</em>?" in page.content.decode()
    assert "<script>x" not in page.content.decode()
    assert client.post(url("contact"), {"title": "", "text": ""}).status_code == 200


def test_organizers_are_led_to_their_messages(people, client, contact):
    client.force_login(people["owner"])
    assert client.get(url("contact"))["Location"] == url("contacts")
    assert "Contact the organizers" not in client.get(url("detail")).content.decode()


def test_nobody_writes_about_a_hidden_challenge(world, people):
    world.challenge.is_public = False
    world.challenge.save()
    with pytest.raises(PermissionDenied):
        contact_organizers(actor=world.member, challenge=world.challenge, title="x", text="x")


def test_the_log_has_no_text_of_a_message(contact):
    from core.audit.models import Entry

    entries = Entry.objects.filter(act="contact_started")
    assert entries.count() == 1
    assert "private matter" not in str(entries.get().facts)
