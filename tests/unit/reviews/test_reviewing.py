"""Drafts, sending, revising, threads, the matrix, questions, mails."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from reviews import queries
from reviews.models import Assignment, Call, Question, Review, Side
from reviews.services import assigning, calls, mails, reviewing, talk
from reviews.services.deciding import decide_many, draft_letter
from reviews.services.defaults import GENERAL
from reviews.services.filing import file_design
from tests.unit.reviews.world import make_design, vary

pytestmark = pytest.mark.django_db


def test_a_review_is_sent_complete_and_every_version_of_it_is_kept(world):
    world.under_review()
    assignment = world.assignment("r1")
    review = reviewing.begin_review(assignment=assignment)
    with pytest.raises(ValidationError) as refused:
        reviewing.send_review(review=review)
    assert "14 questions have no answer yet" in refused.value.messages[0]
    first = world.send("r1", "minor", 4)
    assert first.score == 4
    assert {row["section"] for row in first.content["answers"]} >= {"mission", "general", "assessment"}
    with pytest.raises(ValidationError, match="Nothing has changed"):
        reviewing.send_review(review=review)
    question = Question.objects.get(call=world.call, text="Relevance of the goal")
    reviewing.save_answer(review=review, question=question, score=1)
    assert [row.score for row in queries.newest_sent(world.filing, review.filed)] == [4]  # a draft until it is sent
    again = reviewing.send_review(review=review)
    assert (again.number, round(again.score, 3)) == (2, round((8 * 4 + 1) / 9, 3))
    first.refresh_from_db()
    assert first.score == 4
    # A draft whose saving began before the review was sent does not take it back.
    assert review.sent_at is None
    reviewing.save_verdict(review=review, recommendation="minor", confidence=2, summary="Later.")
    review.refresh_from_db()
    assert (review.sent_at, review.confidence) == (first.sent_at, 2)


@pytest.mark.parametrize(
    ("answer", "words"),
    [({"score": 6}, "from 1 to 5"), ({"judgement": "yes"}, "Yes, partly"), ({"score": 0}, "from 1 to 5")],
)
def test_answers_keep_to_the_scale_and_kind(world, answer, words):
    world.under_review()
    review = reviewing.begin_review(assignment=world.assignment("r1"))
    question = Question.objects.get(call=world.call, text="Relevance of the goal")
    with pytest.raises(ValidationError, match=words):
        reviewing.save_answer(review=review, question=question, **answer)


def test_each_part_is_asked_what_it_can_judge(world):
    general, clinical, statistics = (
        {question.section for question in reviewing.questions_for(world.call, part)}
        for part in ("general", "clinical", "statistics")
    )
    assert "clinical" not in general
    assert "organization" in general
    assert clinical == {"clinical", "general"}
    assert statistics == {"assessment", "general"}


def test_double_blind_reviewers_are_not_asked_about_what_they_do_not_see(world):
    vary(world, anonymity="double")
    assert "organization" not in {q.section for q in reviewing.questions_for(world.call, "general")}


def test_nothing_is_written_before_after_or_without_the_review(world):
    world.file()
    world.assign()
    review = reviewing.begin_review(assignment=world.assignment("r1"))
    question = reviewing.questions_for(world.call, "general")[0]
    with pytest.raises(ValidationError, match="not under review"):
        reviewing.save_answer(review=review, question=question, judgement="yes")
    world.start()
    reviewing.save_answer(review=review, question=question, judgement="yes")
    assigning.unassign(actor=world.chair, assignment=world.assignment("r1"))
    with pytest.raises(ValidationError, match="any more"):
        reviewing.save_answer(review=review, question=question, judgement="no")


@pytest.mark.parametrize(
    ("showing", "before", "after"), [("after_own", False, True), ("never", False, False), ("always", True, True)]
)
def test_reviewers_see_the_others_as_the_call_says(world, showing, before, after):
    vary(world, showing=showing)
    world.under_review()
    talk.open_thread(
        actor=world.panel["r2"].user, filing=world.filing, parameter="contact_person",
        assignment=world.assignment("r2"), text="Who?",
    )  # fmt: skip
    assignment = world.assignment("r1")
    assert queries.sees_others(assignment) is before
    assert queries.threads_for_reviewer(assignment).exists() is before
    world.send("r1")
    assert queries.sees_others(assignment) is after
    assert queries.threads_for_reviewer(assignment).exists() is after


def test_organizers_see_points_with_the_decision_and_not_before(world):
    world.under_review()
    talk.open_thread(actor=world.chair, filing=world.filing, parameter="contact_person", text="Who?", is_blocking=True)
    assert not queries.threads_for_organizers(world.filing).exists()
    for name in ("r1", "r2", "clara"):
        world.send(name)
    world.decide("minor")
    assert queries.threads_for_organizers(world.filing).count() == 1


def test_a_point_stands_at_a_parameter_that_exists_and_reviewers_answer_for_themselves(world):
    world.under_review()
    task = world.design.tasks.first().key
    for parameter, task_key in (("shoe_size", ""), ("tie_handling", ""), ("tie_handling", "no-task")):
        with pytest.raises(ValidationError, match="no such parameter"):
            talk.open_thread(actor=world.chair, filing=world.filing, parameter=parameter, task_key=task_key, text="x")
    thread = talk.open_thread(actor=world.chair, filing=world.filing, parameter="tie_handling", task_key=task, text="x")
    with pytest.raises(ValidationError, match="while the revision is awaited"):
        talk.add_comment(actor=world.owner, thread=thread, side=Side.ORGANIZER, text="y")


def test_the_matrix_shows_spread_and_disagreement(world):
    world.under_review()
    world.send("r1", "accept", 5, confidence=4)
    world.send("r2", "major", 2, confidence=1)
    (row,) = queries.matrix_of(world.call).rows
    assert (row.assigned, len(row.sent)) == (3, 2)
    assert row.mean == pytest.approx((5 * 4 + 2 * 1) / 5)
    assert row.spread == pytest.approx(1.5)
    assert row.disagrees
    world.send("clara", "accept", 4)
    assert not queries.matrix_of(world.call, without=[world.design.pk]).rows


def test_one_review_has_no_spread_and_none_no_mean(world):
    world.under_review()
    (row,) = queries.matrix_of(world.call).rows
    assert (row.mean, row.spread, row.disagrees) == (None, None, False)
    world.send("r1")
    (row,) = queries.matrix_of(world.call).rows
    assert (row.mean, row.spread) == (4, None)


def test_many_are_decided_at_once_and_one_does_not_hold_up_the_others(world):
    world.under_review()
    for name in ("r1", "r2", "clara"):
        world.send(name)
    second = file_design(actor=world.owner, call=world.call, design=make_design(world.owner, "Second"))
    done, refused = decide_many(actor=world.chair, call=world.call, filings=[second, world.filing], outcome="accept")
    assert [decision.filing for decision in done] == [world.filing]
    assert [filing for filing, _ in refused] == [second]
    second.refresh_from_db()
    assert second.state == "submitted"


def test_an_answered_question_is_replaced_and_an_unanswered_one_changed(world):
    question = world.call.questions.get(text="Relevance of the goal")
    calls.change_question(actor=world.chair, question=question, text="Relevance of the aim")
    assert world.call.questions.filter(text="Relevance of the aim", retired_at=None).get().pk == question.pk
    world.under_review()
    world.send("r1")
    calls.change_question(actor=world.chair, question=Question.objects.get(pk=question.pk), text="Is it relevant?")
    old = Question.objects.get(pk=question.pk)
    assert (old.text, old.retired_at is None) == ("Relevance of the aim", False)
    new = world.call.questions.get(text="Is it relevant?")
    assert new in reviewing.questions_for(world.call, "general")
    assert old not in reviewing.questions_for(world.call, "general")


def test_mail_texts_are_the_chairs_and_know_their_words(world):
    with pytest.raises(ValidationError, match="Unknown"):
        calls.save_mail_text(actor=world.chair, call=world.call, kind="reject", subject="No", body="{reviewers}")
    calls.save_mail_text(
        actor=world.chair, call=world.call, kind="reject", subject="No: {design}", body="Dear all, no. {chair}"
    )
    world.file()
    assert draft_letter(filing=world.filing, outcome="reject", chair=world.chair) == (
        "No: Hippocampus, spring",
        "Dear all, no. Charlie Chair",
    )
    calls.restore_mail_text(actor=world.chair, call=world.call, kind="reject")
    assert "sorry" in draft_letter(filing=world.filing, outcome="reject", chair=world.chair)[1]


def test_everybody_late_is_reminded_once_before_and_once_after_the_date(world):
    world.under_review()
    world.send("r1")
    assert assigning.remind_due() == 0
    now = timezone.now()
    Call.objects.filter(pk=world.call.pk).update(
        submission_at=now - timedelta(days=1), review_at=now + timedelta(days=3)
    )
    assert (assigning.remind_due(), assigning.remind_due()) == (2, 0)
    Call.objects.filter(pk=world.call.pk).update(
        submission_at=now - timedelta(days=2), review_at=now - timedelta(hours=1)
    )
    Assignment.objects.filter(reminded_at__isnull=False).update(reminded_at=now - timedelta(days=2))
    assert (assigning.remind_due(), assigning.remind_due()) == (2, 0)


def test_letters_are_real_mails_to_one_person_each_and_name_no_reviewer(
    world, django_capture_on_commit_callbacks, smtp_server
):
    from accounts.notifications.services.delivery import deliver

    with django_capture_on_commit_callbacks(execute=True):
        world.under_review()
        for name in ("r1", "r2", "clara"):
            world.send(name)
        world.decide("minor")
        mails.discussed(filing=world.filing, people=[], address="/")
    deliver()
    letters = smtp_server.to("orla@secret-imaging.org")
    assert any("minor revision" in letter["Subject"] for letter in letters)
    for message, receivers in zip(smtp_server.messages, smtp_server.envelopes, strict=True):
        assert len(receivers) == 1
        assert message["To"] == receivers[0] or receivers[0] in message["To"]
        assert message.get_body(("plain",)) is not None
        assert message.get_body(("html",)) is not None
        assert "unsubscribe" in message["List-Unsubscribe"]
        content = message.as_string()
        if receivers[0] in ("orla@secret-imaging.org", world.editor.email):
            assert "Reviewername" not in content
        others = {row.user.email for row in world.panel.values()} | {world.owner.email, world.editor.email}
        assert not any(address in content for address in others - set(receivers))
    assert smtp_server.to(world.panel["r1"].user.email)


def test_reviews_start_from_the_catalogue_of_default_questions(world):
    texts = set(world.call.questions.values_list("text", flat=True))
    assert {
        "Would better results change patient care?",
        "Is the question clinically relevant?",
        "Fairness and security",
    } <= texts
    assert len(texts) == 41
    general = [question for question in world.call.questions.all() if question.section != "clinical"]
    assert sum(question.is_required for question in general) == 14
    assert all(text.endswith("?") for text in texts if text not in dict(GENERAL))
    assert Review.objects.count() == 0


def test_every_parameter_stands_on_a_page_of_the_review():
    from evaluation.designs.catalogue import shipped
    from reviews.domain.sections import BY_KEY, section_of

    assert {section_of(parameter) for parameter in shipped().parameters.values()} == set(BY_KEY) - {
        "clinical",
        "general",
    }
