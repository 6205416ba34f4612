"""News and discussion: public to read, writing after sign-in, moderation by organizers, notified followers."""

from dataclasses import replace

import pytest
from django.urls import reverse

from accounts.conversations import services as conversations
from accounts.conversations.models import Post, Thread
from accounts.notifications.models import Notification
from challenges.contributions.conversations import ChallengeDiscussion
from challenges.models import Announcement, Organizer
from challenges.services import participation, roles, talking, teams
from tests.unit.challenges.world import person

pytestmark = pytest.mark.django_db


def url(name, *more):
    return reverse(f"challenges:{name}", args=["organs", *more])


@pytest.fixture
def moderator(world):
    user = person("mo")
    roles.set_role(actor=world.organizer, challenge=world.challenge, user=user, role="moderator")
    Notification.objects.all().delete()
    return user


@pytest.fixture
def thread(world):
    return conversations.start_thread(
        actor=world.stranger, target=world.challenge, title="Spacing?", text="Which *one*?"
    )


def test_an_announcement_reaches_all_who_take_part_or_organize(world, client, moderator):
    client.force_login(moderator)
    client.post(url("announce"), {"title": "Longer", "text": "One **week** more."})
    assert Announcement.objects.get().told == 3
    assert {row.user for row in Notification.objects.all()} == {world.organizer, world.member, moderator}
    assert {row.text for row in Notification.objects.all()} == {
        "The organizers of Challenge organs announce:\n\nOne week more."
    }
    client.logout()
    assert "One <strong>week</strong> more." in client.get(url("news")).content.decode()


def test_who_is_told_of_what(world, client, thread):
    assert {row.user for row in Notification.objects.all()} == {world.organizer}
    client.force_login(world.member)
    client.post(url("follow_discussion"), {"follow": "yes"})
    Notification.objects.all().delete()
    client.post(url("thread", thread.pk), {"text": "1 mm."})
    assert {row.user for row in Notification.objects.all()} == {world.stranger}
    conversations.reply(actor=world.stranger, thread=thread, text="Thanks.")
    assert {row.user for row in Notification.objects.all()} == {world.stranger, world.member}
    client.post(url("act_on_thread", thread.pk, "unfollow"))
    Notification.objects.all().delete()
    conversations.reply(actor=world.stranger, thread=thread, text="And?")
    assert not Notification.objects.exists()
    conversations.start_thread(actor=world.stranger, target=world.challenge, title="Else?", text="x")
    assert {row.user for row in Notification.objects.all()} == {world.organizer, world.member}


def test_a_thread_has_one_answer_which_who_asked_or_organizers_mark(world, client, thread):
    first = conversations.reply(actor=world.member, thread=thread, text="1 mm.")
    second = conversations.reply(actor=world.member, thread=thread, text="2 mm.")
    client.force_login(world.member)
    assert client.post(url("act_on_thread", thread.pk, "answer"), {"post": first.pk}).status_code == 403
    for user, post in ((world.stranger, first), (world.organizer, second)):
        client.force_login(user)
        assert client.post(url("act_on_thread", thread.pk, "answer"), {"post": post.pk}).status_code == 302
        assert Post.objects.get(is_answer=True) == post
    assert "answered" in client.get(url("discussion")).content.decode()


def test_moderation(world, client, thread, moderator):
    post = conversations.reply(actor=world.member, thread=thread, text="Buy cheap watches")
    for user, status in ((world.member, 403), (moderator, 302)):
        client.force_login(user)
        assert client.post(url("act_on_thread", thread.pk, "hide"), {"post": post.pk}).status_code == status
        assert client.post(url("act_on_thread", thread.pk, "close")).status_code == status
    page = client.get(url("thread", thread.pk)).content.decode()
    assert "cheap watches" not in page
    assert "was removed by an organizer" in page
    assert "cheap" not in client.get(url("discussion"), {"q": "cheap"}).content.decode().replace('value="cheap"', "")
    client.force_login(world.member)
    assert "is closed" in client.post(url("thread", thread.pk), {"text": "more"}).content.decode()
    assert client.post(url("act_on_thread", thread.pk, "hide"), {"post": "x"}).status_code == 403


def test_nobody_floods_a_discussion(world, client, thread, monkeypatch):
    monkeypatch.setattr(ChallengeDiscussion, "rate", replace(ChallengeDiscussion.rate, posts=2))
    client.force_login(world.stranger)
    client.post(url("thread", thread.pk), {"text": "second"})
    assert "written a lot" in client.post(url("thread", thread.pk), {"text": "third"}).content.decode()
    assert Post.objects.count() == 2


def test_markup_of_writers_stays_text(world, client):
    conversations.start_thread(actor=world.member, target=world.challenge, title="<b>x", text="<script>x</script>")
    page = client.get(url("thread", Thread.objects.get().pk)).content.decode()
    assert "<script>x" not in page
    assert "&lt;b&gt;x" in page


# Addresses that accept only POST lead to the page above them.
POSTED = {
    *("change_team", "act_on_thread", "follow_discussion", "decide_people", "set_standing", "add_baseline"),
    *("set_terms", "set_organizer", "decide_concern"),
}
# Visitor, stranger, member, owner, administrator, manager, moderator.
ROLES = ("visitor", "stranger", "member", "organizer", "staff", "manager", "moderator")
GET = {
    "news": (200, 200, 200, 200, 200, 200, 200),
    "discussion": (200, 200, 200, 200, 200, 200, 200),
    "thread": (200, 200, 200, 200, 200, 200, 200),
    "announce": (302, 403, 403, 200, 200, 200, 200),
    "team": (302, 403, 200, 403, 403, 403, 403),
    "people": (302, 403, 403, 200, 200, 200, 403),
    "participants_csv": (302, 403, 403, 200, 200, 200, 403),
    "concerns_csv": (302, 403, 403, 200, 200, 200, 403),
    "change_team": (302, 302, 302, 302, 302, 302, 302),
    "act_on_thread": (302, 302, 302, 302, 302, 302, 302),
    "follow_discussion": (302, 302, 302, 302, 302, 302, 302),
    "decide_people": (302, 302, 302, 302, 302, 302, 302),
    "set_standing": (302, 302, 302, 302, 302, 302, 302),
    "add_baseline": (302, 302, 302, 302, 302, 302, 302),
    "set_terms": (302, 302, 302, 302, 302, 302, 302),
    "set_organizer": (302, 302, 302, 302, 302, 302, 302),
    "decide_concern": (302, 302, 302, 302, 302, 302, 302),
    "invitation": (302, 404, 302, 404, 404, 404, 404),  # who is in a team gets there
}
POST = {
    "announce": (302, 403, 403, 200, 200, 200, 200),
    "discussion": (403, 200, 200, 200, 200, 200, 200),
    "thread": (403, 200, 200, 200, 200, 200, 200),
    "change_team": (302, 403, 302, 403, 403, 403, 403),
    "decide_people": (302, 403, 403, 302, 302, 302, 403),
    "set_standing": (302, 403, 403, 302, 302, 403, 403),
    "add_baseline": (302, 403, 403, 302, 302, 403, 403),
    "set_terms": (302, 403, 403, 302, 302, 302, 403),
    "set_organizer": (302, 403, 403, 302, 302, 403, 403),
    "decide_concern": (302, 403, 403, 404, 404, 404, 403),
    "follow_discussion": (302, 302, 302, 302, 302, 302, 302),
    "act_on_thread": (302, 302, 302, 302, 302, 302, 302),
}
MORE = {
    "change_team": ["invite"],
    "act_on_thread": [1, "follow"],
    "thread": [1],
    "decide_concern": [1],
    "invitation": ["x"],
}


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("place", range(len(ROLES)))
def test_every_role_at_every_address(world, client, thread, public, place):
    role = ROLES[place]
    world.challenge.is_public = public
    world.challenge.save()
    if role in ("manager", "moderator"):
        helper = person(role)
        Organizer.objects.create(challenge=world.challenge, user=helper, role=role)
        client.force_login(helper)
    elif role != "visitor":
        client.force_login(getattr(world, role))
    hidden = not public and role in ("visitor", "stranger", "member")
    found, wanted = {}, {}
    for method, table in (("get", GET), ("post", POST)):
        for name, row in table.items():
            more = [thread.pk if value == 1 and name != "decide_concern" else value for value in MORE.get(name, [])]
            found[method, name] = getattr(client, method)(url(name, *more)).status_code
            wanted[method, name] = row[place]
            if hidden and not (method == "get" and name in POSTED) and not (role == "visitor" and row[place] == 302):
                wanted[method, name] = 404
    assert found == wanted


def test_every_address_is_in_the_tables_above():
    from challenges.urls.people import patterns

    elsewhere = {"join", "contact", "contact_thread", "close_contact", "contacts"}  # the last four: test_contact.py
    assert {pattern.name for pattern in patterns} - elsewhere == GET.keys() | POST.keys()


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize(("name", "queries"), [("discussion", 12), ("news", 11), ("people", 18)])
def test_lists_make_the_same_number_of_queries(world, client, django_assert_num_queries, number, name, queries):
    for index in range(number):
        asker = person(f"asker-{index}")
        participation.take_part(user=asker, challenge=world.challenge, terms=None, affiliation="")
        teams.form_team(user=asker, challenge=world.challenge, team_name=f"Team {index}")
        conversations.start_thread(actor=asker, target=world.challenge, title=f"Thread {index}", text="x")
        talking.announce(actor=world.organizer, challenge=world.challenge, title=f"News {index}", text="x")
    client.force_login(world.organizer)
    client.get(url(name))
    with django_assert_num_queries(queries):
        client.get(url(name))
