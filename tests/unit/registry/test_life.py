"""Embargoes open on their event with a proof; comment periods end; nothing goes away."""

from datetime import date, timedelta

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone
from rules import test_rule as holds

from accounts.conversations import services as conversations
from accounts.notifications.models import Notification
from core.audit.models import Entry
from evaluation.designs.document.sealing import commitment
from registry import queries, services
from registry.domain.public_documents import withheld
from registry.models import Disclosure, Registration
from registry.queries import comments_of
from tests.unit.registry.world import ADDRESS, frozen, person, registered, save

pytestmark = pytest.mark.django_db
PLACE = "task-1/case_definition"


@pytest.fixture
def ada():
    return person("ada")


@pytest.fixture
def first(ada):
    return registered(ada)


@pytest.fixture
def open_for_comments(ada):
    return registered(ada, comment_until=timezone.now() + timedelta(days=14)).registration


class TestEmbargo:
    def test_an_opened_value_proves_its_digest(self, first, ada):
        (digest,) = [digest for _, _, digest in queries.sealed_places(first)]
        opened = services.open_value(version=first, field_path=PLACE, actor=ada)
        assert opened.value == "one volume"
        assert commitment(opened.value, opened.nonce) == digest == withheld(first.document)[PLACE][1]
        assert queries.sealed_places(first) == []
        assert Entry.objects.get(act="embargoed_value_opened").facts["digest"] == digest
        shown = queries.shown_document(first)
        assert shown.tasks["task-1"]["case_definition"].value == "one volume"

    def test_it_is_opened_once_and_stays_opened(self, first, ada):
        services.open_value(version=first, field_path=PLACE, actor=ada)
        with pytest.raises(ValidationError, match="opened already"):
            services.open_value(version=first, field_path=PLACE, actor=ada)
        rows = Disclosure.objects.all()
        with pytest.raises(DatabaseError, match="stays as it was opened"), transaction.atomic():
            rows.update(value="another")

    @pytest.mark.parametrize(
        ("written", "last_day"), [("2026-05-04", date(2026, 5, 3)), ("2026-05", date(2026, 5, 30))]
    )
    def test_the_schedule_opens_it_on_its_day(self, ada, written, last_day):
        made = frozen(ada).design
        rows = [{"event": "training_data_release", "date": day} for day in ("2026-01-01", written)]
        save(made, "challenge_schedule", rows)  # of several dates the last counts
        version = services.register_design(design=made, actor=ada, by_system=True)
        assert services.open_due(today=last_day) == 0
        assert services.open_due(today=last_day + timedelta(days=1)) == 1
        assert services.open_due(today=last_day + timedelta(days=2)) == 0
        assert Disclosure.objects.get(version=version).opened_by is None

    def test_an_event_that_the_schedule_does_not_name_is_never_guessed(self, first):
        assert services.open_due(today=date(2200, 1, 1)) == 0

    def test_an_unknown_place_has_nothing_to_open(self, first, ada):
        with pytest.raises(ValidationError, match="Nothing is withheld"):
            services.open_value(version=first, field_path="challenge/challenge_name", actor=ada)

    def test_it_stays_opened_in_the_next_version(self, first, ada):
        services.open_value(version=first, field_path=PLACE, actor=ada)
        document = first.document
        document["tasks"][0]["number_test_cases"] = 61
        second = services.add_version(
            registration=first.registration, actor=ada, level="minor", note="One more.", document=document
        )
        assert queries.opened_values(second)[PLACE].value == "one volume"
        assert queries.shown_document(second).tasks["task-1"]["case_definition"].value == "one volume"


def comment(registration, author, text, *, topic="", part="1.0"):
    return conversations.start_thread(actor=author, target=registration, text=text, topic=topic, part=part)


class TestCommentPeriod:
    def test_it_ends_by_itself(self, open_for_comments):
        registration = open_for_comments
        assert not registration.is_final
        assert services.finish_due() == 0
        Registration.objects.update(comment_until=timezone.now() - timedelta(minutes=1))
        assert services.finish_due() == 1
        registration.refresh_from_db()
        assert registration.is_final
        assert Entry.objects.filter(act="registration_final").count() == 1
        assert services.finish_due() == 0

    def test_comments_are_taken_while_it_runs_and_answered(self, open_for_comments, ada):
        eve = person("eve")
        assert holds("registry.comment", eve, open_for_comments)
        thread = comment(open_for_comments, eve, "Which scanner?", topic="acquisition_devices")
        conversations.answer(actor=ada, thread=thread, text="One.")
        Notification.objects.filter(user=eve).delete()
        conversations.answer(actor=ada, thread=thread, text="Two of them.")
        (row,) = comments_of(open_for_comments, reader=eve)
        assert (row.comment.text, row.answer.text, row.answer.author) == ("Which scanner?", "Two of them.", ada)
        assert row.thread.part == "1.0"
        told = {(row.user, row.kind, row.text.rpartition("\n\n")[2]) for row in Notification.objects.all()}
        assert told == {
            (ada, "registration_commented", "Which scanner?"),
            (eve, "registration_comment_answered", "Two of them."),
        }
        assert all("“Hippocampus 2026” (podium-2026-0001)" in row.text for row in Notification.objects.all())
        Registration.objects.update(comment_until=timezone.now() - timedelta(minutes=1))
        open_for_comments.refresh_from_db()
        assert not holds("registry.comment", eve, open_for_comments)
        with pytest.raises(ValidationError, match="over"):
            comment(open_for_comments, eve, "Late")

    @pytest.mark.parametrize("facts", [{"text": "  "}, {"text": "x", "topic": "event_duration"}, {"text": "x" * 5001}])
    def test_an_unfit_comment_is_refused(self, open_for_comments, facts):
        with pytest.raises(ValidationError):
            comment(open_for_comments, person("eve"), **facts)

    def test_nobody_floods_it(self, open_for_comments):
        eve = person("eve")
        for number in range(20):
            comment(open_for_comments, eve, str(number))
        with pytest.raises(ValidationError, match="At most 20"):
            comment(open_for_comments, eve, "20")

    def test_a_hidden_comment_needs_a_reason(self, open_for_comments, ada):
        ada.is_superuser = True
        ada.save()
        post = comment(open_for_comments, person("eve"), "Spam").posts.get()
        with pytest.raises(ValidationError):
            conversations.hide_post(actor=ada, post=post, reason=" ")
        conversations.hide_post(actor=ada, post=post, reason="spam")
        post.refresh_from_db()
        assert (post.hidden_by, post.hidden_reason) == (ada, "spam")

    def test_nobody_debates_and_only_organizers_answer(self, open_for_comments, ada):
        eve = person("eve")
        thread = comment(open_for_comments, eve, "Hm")
        for act in (conversations.reply, conversations.answer):
            with pytest.raises(PermissionDenied):
                act(actor=eve, thread=thread, text="Me too")
        with pytest.raises(PermissionDenied):
            conversations.reply(actor=ada, thread=thread, text="Me too")

    def test_a_comment_is_on_the_version_that_was_read(self, open_for_comments):
        with pytest.raises(ValidationError, match="newer version"):
            comment(open_for_comments, person("eve"), "Hm", part="0.9")


class TestEnd:
    @pytest.mark.parametrize("state", ["withdrawn", "abandoned"])
    def test_it_stays_with_its_reason(self, first, ada, state):
        ended = services.end_registration(
            registration=first.registration, state=state, actor=ada, reason="The data were not released."
        )
        assert ended.is_ended
        assert Entry.objects.get(act=f"registration_{state}").facts["reason"] == "The data were not released."
        with pytest.raises(ValidationError, match="already"):
            services.end_registration(registration=ended, state="withdrawn", actor=ada, reason="Again")
        with pytest.raises(ValidationError, match="does not change any more"):
            services.add_version(
                registration=ended, actor=ada, level="minor", note="n", document={**first.document, "schema": 1}
            )

    def test_without_a_reason_neither_the_service_nor_the_database_takes_it(self, first, ada):
        with pytest.raises(ValidationError):
            services.end_registration(registration=first.registration, state="withdrawn", actor=ada, reason=" ")
        with pytest.raises(IntegrityError), transaction.atomic():
            Registration.objects.filter(pk=first.registration_id).update(state="withdrawn")


def test_the_next_edition_is_known_from_the_copied_design(first, ada):
    from designs.services import duplicate_design

    copy = duplicate_design(actor=ada, design=first.registration.design, title="Next")
    second = services.register_design(design=copy, actor=ada, by_system=True)
    assert second.registration.previous_edition == first.registration
    assert ADDRESS not in second.canonical
