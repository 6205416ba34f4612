"""Conversations on any subject: readers, writers, notified people and the effect of closing."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction

from accounts.conversations.hooks import policies, policy_of
from accounts.conversations.models import Post, Subscription, Thread
from accounts.conversations.queries import follows, newest_threads, posts_of, threads_about
from accounts.conversations.services import close_thread, follow, hide_post, mark_answer, reply, start_thread, unfollow
from accounts.notifications import kinds
from accounts.notifications.models import Notification
from core.audit.models import Entry
from designs.models import Collaborator
from tests.unit.challenges.world import build
from tests.unit.challenges.world import person as participant
from tests.unit.designs.world import design, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner():
    return person("owner")


@pytest.fixture
def hippocampus(owner):
    return design(owner)


@pytest.fixture
def thread(owner, hippocampus):
    return start_thread(actor=owner, target=hippocampus, topic="challenge_name", text="Too short?")


@pytest.fixture
def world():
    return build()


@pytest.fixture
def question(world):
    return start_thread(actor=world.stranger, target=world.challenge, title="Spacing?", text="Which?")


def test_every_policy_names_permissions_that_exist_and_messages_that_people_can_choose():
    import rules

    assert len({policy.model for policy in policies}) == len(policies)
    for policy in policies:
        for permission in filter(
            None, (policy.readers, policy.writers, policy.closers, policy.answerers, policy.moderators)
        ):
            assert rules.perm_exists(permission)
        assert not policy.mail_kind or policy.mail_kind in kinds.KINDS
        assert not policy.moderators or policy.acts.hidden
        assert not policy.has_answers or (policy.acts.answer_marked and policy.acts.answer_unmarked)


def test_nobody_talks_about_what_no_app_gave_a_policy(owner):
    with pytest.raises(LookupError, match="User"):
        start_thread(actor=owner, target=owner, text="x")


def test_whoever_has_no_part_in_it_neither_reads_nor_writes_nor_closes_nor_follows(hippocampus, thread):
    stranger = person("stranger")
    for reader in (stranger, AnonymousUser()):
        assert not threads_about(hippocampus, reader=reader).exists()
        assert not newest_threads(hippocampus, reader=reader).exists()
    for act in (
        lambda: start_thread(actor=stranger, target=hippocampus, topic="challenge_name", text="x"),
        lambda: reply(actor=stranger, thread=thread, text="x"),
        lambda: close_thread(actor=stranger, thread=thread),
        lambda: mark_answer(actor=stranger, post=thread.posts.get()),
        lambda: hide_post(actor=stranger, post=thread.posts.get()),
        lambda: follow(user=stranger, thread=thread),
        lambda: follow(user=stranger, target=hippocampus),
    ):
        with pytest.raises(PermissionDenied):
            act()
    assert (Thread.objects.count(), Post.objects.count(), Subscription.objects.count()) == (1, 1, 0)


def test_a_thread_of_one_design_is_none_of_another(owner, hippocampus, thread):
    other = design(owner, title="Another")
    assert list(threads_about(hippocampus, reader=owner)) == [thread]
    assert not threads_about(other, reader=owner).exists()


def test_where_there_are_no_answers_and_no_moderators_the_owner_is_neither(owner, thread):
    for act in (mark_answer, hide_post):
        with pytest.raises(PermissionDenied):
            act(actor=owner, post=thread.posts.get())


def test_words_in_a_resolved_thread_of_a_design_open_it_again(owner, thread):
    close_thread(actor=owner, thread=thread)
    close_thread(actor=owner, thread=thread)
    assert Entry.objects.filter(act="design_thread_resolved").count() == 1
    reply(actor=owner, thread=thread, text="Not yet.")
    thread.refresh_from_db()
    assert (thread.is_closed, thread.closed_by) == (False, None)


def test_a_closed_thread_of_a_challenge_takes_no_words(world, question):
    close_thread(actor=world.organizer, thread=question)
    with pytest.raises(ValidationError, match="is closed"):
        reply(actor=world.member, thread=question, text="More.")
    close_thread(actor=world.organizer, thread=question, closed=False)
    assert reply(actor=world.member, thread=question, text="More.")


def test_hiding_the_answer_takes_the_mark_away_and_a_hidden_post_cannot_be_marked(world, question):
    answer = reply(actor=world.member, thread=question, text="1 mm.")
    mark_answer(actor=world.stranger, post=answer)
    hide_post(actor=world.organizer, post=answer)
    answer.refresh_from_db()
    assert (answer.is_answer, answer.hidden_by) == (False, world.organizer)
    with pytest.raises(ValidationError, match="taken off"):
        mark_answer(actor=world.stranger, post=answer)
    assert newest_threads(world.challenge, reader=world.member).get().answers == 1


def test_the_database_holds_one_answer_a_thread(world, question):
    posts = [reply(actor=world.member, thread=question, text=text) for text in ("1 mm.", "2 mm.")]
    with pytest.raises(IntegrityError), transaction.atomic():
        Post.objects.filter(pk__in=[post.pk for post in posts]).update(is_answer=True)


@pytest.mark.parametrize("text", ["", " \n\t", "\x00", "x" * 5001])
def test_empty_and_endless_words_are_refused_and_leave_nothing_behind(owner, hippocampus, text):
    with pytest.raises(ValidationError):
        start_thread(actor=owner, target=hippocampus, topic="challenge_name", text=text)
    assert not Thread.objects.exists()


def test_the_log_says_that_somebody_wrote_and_never_what(owner, thread):
    reply(actor=owner, thread=thread, text="A very secret remark")
    acts = list(Entry.objects.filter(act__startswith="design_").values_list("act", flat=True))
    assert acts[-2:] == ["design_thread_opened", "design_comment_added"]
    assert "secret" not in str(list(Entry.objects.values()))


def test_who_may_no_longer_read_hears_nothing_more_though_they_follow(world, question):
    assert follows(world.stranger, thread=question)
    world.challenge.is_public = False
    world.challenge.save()
    Notification.objects.all().delete()
    reply(actor=world.organizer, thread=question, text="1 mm.")
    assert not Notification.objects.filter(user=world.stranger).exists()


def test_following_a_challenge_and_following_a_thread_are_two_things(world, question):
    member = world.member
    follow(user=member, target=world.challenge)
    follow(user=member, target=world.challenge)
    assert (follows(member, target=world.challenge), follows(member, thread=question)) == (True, False)
    unfollow(user=member, thread=question)
    assert follows(member, target=world.challenge)
    unfollow(user=member, target=world.challenge)
    assert not follows(member, target=world.challenge)
    assert not follows(AnonymousUser(), thread=question)


def test_what_is_written_about_designs_does_not_use_up_what_one_may_ask_in_challenges(world, monkeypatch):
    policy = type(policy_of(world.challenge))
    monkeypatch.setattr(policy, "rate", replace(policy.rate, posts=1))
    asker = participant("asker")
    own = design(asker)
    Collaborator.objects.get_or_create(design=own, user=asker, defaults={"role": "owner"})
    start_thread(actor=asker, target=own, topic="challenge_name", text="x")
    start_thread(actor=asker, target=world.challenge, title="A", text="x")
    with pytest.raises(ValidationError, match="written a lot"):
        start_thread(actor=asker, target=world.challenge, title="B", text="x")


@pytest.mark.parametrize("count", [1, 3])
def test_lists_cost_the_same_whatever_their_length(world, question, django_assert_num_queries, count):
    for number in range(count):
        reply(actor=world.member, thread=question, text=f"{number} mm.")
        start_thread(actor=world.member, target=world.challenge, title=f"{number}", text="x")
    with django_assert_num_queries(2):
        assert [row.author.username for row in newest_threads(world.challenge, reader=world.member)]
        assert [row.author.username for row in posts_of(question)]
