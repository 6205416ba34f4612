"""From an act to the mail server: each message once, to one person, with nothing in it that its writer smuggled in."""

import threading
from datetime import timedelta
from unittest import mock

import pytest
from django.core.exceptions import ValidationError
from django.core.mail.backends.smtp import EmailBackend
from django.db import connection
from django.utils import timezone

from accounts.notifications import services
from accounts.notifications.models import Email, How, Notification, Unsubscribed
from accounts.notifications.queries import MAIL, digest_cutoff
from accounts.notifications.services import delivery, sweeping
from core.work.services import sweep_kind

pytestmark = pytest.mark.django_db(transaction=True)


def notify(people, **more):
    return services.notify(people=people, **{"kind": "news", "subject": "Scored", "text": "Read on.", **more})


def text_of(message):
    return message.get_body(("plain",)).get_content().replace("\r\n", "\n")


def test_each_person_is_told_in_the_page_and_mailed_alone(people, smtp_server, workers, settings):
    settings.PODIUM_ADDRESS = "https://podium.example.org"
    notify([*people, people[0]], address="/challenges/blocks/", scope="blocks")
    assert Notification.objects.count() == 3
    assert sorted(smtp_server.envelopes) == [["ada@example.org"], ["bo@example.org"], ["cy@example.org"]]
    for message, (receiver,) in zip(smtp_server.messages, smtp_server.envelopes, strict=True):
        assert message["To"] == receiver
        assert sum(name in message.as_string() for name in ("ada@", "bo@", "cy@")) == 1
        assert message["Subject"] == "Scored"
        assert message["Auto-Submitted"] == "auto-generated"
        plain = text_of(message)
        assert "Read on.\n\nhttps://podium.example.org/challenges/blocks/" in plain
        assert '<a href="https://podium.example.org/challenges/blocks/">' in message.get_body(("html",)).get_content()
        assert message["List-Unsubscribe"].strip(" <>") in plain.replace("\n", "")
    assert set(Email.objects.values_list("state", flat=True)) == {"sent"}


def test_nothing_that_somebody_typed_becomes_a_header_or_markup(people, smtp_server, workers):
    notify(
        people[:1], subject="Hi\r\nBcc: spy@example.org\r\n\r\n<b>", text="<script>alert(1)</script>\n.\nRCPT TO:<x>"
    )
    (message,) = smtp_server.messages
    assert smtp_server.envelopes == [["ada@example.org"]]
    assert message["Bcc"] is None
    assert message["Subject"] == "Hi Bcc: spy@example.org <b>"
    assert "&lt;script&gt;" in message.get_body(("html",)).get_content()
    assert "<script>alert(1)</script>\n.\nRCPT" in text_of(message)


@pytest.mark.parametrize("to", ["a@example.org\nBcc: b@example.org", "a@example.org, b@example.org", "nobody", ""])
def test_what_is_no_address_is_refused(db, to):
    with pytest.raises(ValidationError):
        services.mail(to=to, kind="news", subject="x", template="notifications/mail/message", context={"text": "x"})


@pytest.mark.parametrize("address", ["https://elsewhere.org/", "//elsewhere.org/", "javascript:x", "/a\nb", "/\\x"])
def test_a_message_leads_nowhere_else(people, address):
    with pytest.raises(ValueError, match="path of this site"):
        notify(people, address=address)
    assert not Notification.objects.exists()


def test_a_kind_that_nobody_registered_is_an_error(people):
    with pytest.raises(ValueError, match="unheard"):
        notify(people, kind="unheard")


def test_the_same_key_tells_a_person_once_however_often_the_act_runs(people, smtp_server, workers):
    assert len(notify(people[:2], key="run 7")) == 2
    assert [row.user for row in notify(people, key="run 7")] == [people[2]]
    assert len(notify(people, key="run 8")) == 3
    assert len(smtp_server.messages) == 6


def test_an_act_that_is_undone_tells_nobody(people, smtp_server, workers):
    from django.db import transaction

    with transaction.atomic():
        notify(people)
        transaction.set_rollback(True)
    assert not smtp_server.messages
    assert not Email.objects.exists()


def test_mail_to_addresses_without_an_account(db, smtp_server, workers):
    def write(key=""):
        return services.mail(
            to=["rita@example.org", "Rita@example.org", "sam@example.org"],
            kind="news",
            subject="An invitation",
            template="notifications/mail/message",
            context={"text": "Tom & Jerry's", "address": "https://podium.example.org/x"},
            key=key,
        )

    write("call 1")
    write("call 1")
    assert sorted(smtp_server.envelopes) == [["rita@example.org"], ["sam@example.org"]]
    message = smtp_server.to("rita@example.org")[0]
    assert "Tom & Jerry's" in text_of(message)
    assert "Tom &amp; Jerry" in message.get_body(("html",)).get_content()
    assert "sam@" not in message.as_string()


def test_one_click_ends_it_for_an_address_and_for_a_person(client, people, smtp_server, workers):
    from urllib.parse import urlsplit

    services.mail(
        to="rita@example.org", kind="news", subject="x", template="notifications/mail/message", context={"text": "x"}
    )
    notify(people[:1])
    for message in smtp_server.messages:
        assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        path = urlsplit(message["List-Unsubscribe"].replace("\n", "").replace(" ", "").strip("<>")).path
        page = client.get(path).content.decode()  # a scanner that follows links ends nothing
        assert "Unsubscribe from these e-mails?" in page
        assert "Something is new" in page
        assert not Unsubscribed.objects.filter(address=message["To"]).exists()
        # No cookie, no token of a form: that is how mail programs ask.
        assert client.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
        assert client.get(path[:-3] + "x/").status_code == 404
    services.mail(
        to="RITA@example.org", kind="news", subject="x", template="notifications/mail/message", context={"text": "x"}
    )
    notify(people[:1])
    assert len(smtp_server.messages) == 2
    assert Notification.objects.filter(user=people[0]).count() == 2


def test_a_server_that_is_down_delays_and_loses_nothing(people, smtp_server, workers):
    smtp_server.stop()
    notify(people)
    assert not smtp_server.messages
    assert (
        Email.objects.filter(attempts=1, state="waiting").exclude(failure="").count() == 1
    )  # the others would fare the same
    smtp_server.start()
    Email.objects.update(asked_at=None)
    assert sweep_kind(MAIL) == 2
    assert len(smtp_server.messages) == 2
    Email.objects.filter(state="waiting").update(due_at=timezone.now())
    assert sweep_kind(MAIL) == 1
    assert sorted(smtp_server.envelopes) == [["ada@example.org"], ["bo@example.org"], ["cy@example.org"]]
    assert sweep_kind(MAIL) == 0


def test_a_refused_receiver_is_not_asked_again_and_holds_up_nobody(people, smtp_server, workers):
    smtp_server.refused["ada@example.org"] = "550 5.1.1 No such person"
    smtp_server.refused["bo@example.org"] = "451 4.3.0 Try again later"
    notify(people)
    assert smtp_server.envelopes == [["cy@example.org"]]
    states = dict(Email.objects.values_list("to", "state"))
    assert states == {"ada@example.org": "failed", "bo@example.org": "waiting", "cy@example.org": "sent"}
    waiting = Email.objects.get(to="bo@example.org")
    assert timedelta(seconds=20) < waiting.due_at - timezone.now() <= MAIL.pause(1)
    assert "451" in waiting.failure
    del smtp_server.refused["bo@example.org"]
    Email.objects.filter(pk=waiting.pk).update(due_at=timezone.now())
    assert delivery.deliver() == 1
    assert Email.objects.get(pk=waiting.pk).state == "sent"


def test_a_message_that_is_never_taken_is_given_up(people, smtp_server, workers):
    smtp_server.answers = ["451 later"]
    notify(people[:1])
    Email.objects.update(attempts=MAIL.attempts - 1, due_at=timezone.now())
    smtp_server.answers = ["451 later"]
    delivery.deliver()
    assert Email.objects.get().state == "failed"
    assert delivery.deliver() == 0


def test_a_sender_that_died_is_replaced_and_the_message_keeps_its_identity(people, smtp_server):
    notify(people[:1])
    with (
        mock.patch.object(EmailBackend, "send_messages", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        delivery.deliver()
    email = Email.objects.get()
    assert email.state == "sending"
    assert delivery.deliver() == 0  # somebody may still be sending it
    Email.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert delivery.deliver() == 1
    assert smtp_server.messages[0]["Message-ID"] == f"<{email.pk}@localhost>"


def test_senders_at_the_same_time_send_each_message_once(people, smtp_server):
    for number in range(8):
        notify(people, subject=f"Message {number}")

    def work():
        try:
            delivery.deliver()
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(smtp_server.messages) == 24
    assert len({message["Message-ID"] for message in smtp_server.messages}) == 24


def test_a_day_comes_as_one_mail(people, smtp_server, workers):
    for number in range(3):
        notify(people[:2], kind="chatter", subject=f"Reply {number}", address="/challenges/")
    notify(people[1:2], kind="news", subject="At once")
    assert smtp_server.envelopes == [["bo@example.org"]]
    sweeping.sweep()
    assert len(smtp_server.messages) == 1  # not due before the morning
    Notification.objects.filter(how=How.DAILY).update(created_at=digest_cutoff() - timedelta(minutes=1))
    for _ in range(2):
        sweeping.sweep()
    (digest,) = smtp_server.to("ada@example.org")
    assert digest["Subject"] == "Podium: 3 messages of the day"
    text = text_of(digest)
    assert [text.count(f"Reply {number}") for number in range(3)] == [1, 1, 1]
    assert "At once" not in smtp_server.to("bo@example.org")[1].as_string()
    assert len(smtp_server.messages) == 3


def test_content_of_old_mails_is_forgotten(people, smtp_server, workers):
    notify(people[:1])
    Email.objects.update(sent_at=timezone.now() - delivery.KEPT)
    sweeping.sweep()
    assert Email.objects.get().text == Email.objects.get().html == ""
