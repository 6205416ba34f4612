"""States, guards, and what the database itself refuses."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from core.audit.models import Entry
from designs.services import save_field
from reviews.models import PAIRS, WAYS, Assignment, Call, Decision, ReviewThread, Side, State, Transition
from reviews.queries import accepted_filing
from reviews.services import assigning, deciding, talk
from reviews.services.filing import file_design, submit_revision, withdraw
from reviews.services.guards import GUARDS
from reviews.services.transitions import advance
from tests.unit.reviews.world import make_call, make_design, person, vary

pytestmark = pytest.mark.django_db


def move_dates(call, **days):
    now = timezone.now()
    Call.objects.filter(pk=call.pk).update(**{name: now + timedelta(days=number) for name, number in days.items()})
    call.refresh_from_db()


def test_every_way_has_its_guards_and_no_other():
    assert {(a, b) for a, ways in WAYS.items() for b in ways} == set(GUARDS)
    assert all(GUARDS.values())


def test_filing_freezes_the_design_and_is_recorded(world):
    filing = world.file()
    step = filing.transitions.get()
    assert (step.from_state, step.to_state, step.actor) == ("draft", "submitted", world.owner)
    version = filing.versions.get().version
    assert version.design == world.design
    assert len(version.digest) == 64
    entry = Entry.objects.get(act="filing_submitted")
    assert (entry.actor, entry.scope) == (world.owner, world.call.slug)


def test_only_owners_file_in_time_above_the_gate_and_once(world):
    with pytest.raises(ValidationError, match="owner"):
        file_design(actor=world.editor, call=world.call, design=world.design)
    save_field(actor=world.owner, design=world.design, parameter="contact_person", value=None)
    with pytest.raises(ValidationError, match="block submission"):
        file_design(actor=world.owner, call=world.call, design=world.design)
    assert world.design.versions.count() == 0
    save_field(
        actor=world.owner,
        design=world.design,
        parameter="contact_person",
        value={"name": "Orla Organizerson", "email": "orla@secret-imaging.org"},
    )
    move_dates(world.call, submission_at=-1)
    with pytest.raises(ValidationError, match="does not take designs"):
        world.file()
    move_dates(world.call, submission_at=1)
    world.file()
    with pytest.raises(ValidationError, match="already"):
        world.file()
    other = make_call(world.chair)
    with pytest.raises(ValidationError, match="another call"):
        file_design(actor=world.owner, call=other, design=world.design)


def test_the_gate_is_that_of_the_call(world):
    bare = make_design(world.owner, "Bare")
    for parameter in ("challenge_website", "contact_person"):
        save_field(actor=world.owner, design=bare, parameter=parameter, value=None)
    Call.objects.filter(pk=world.call.pk).update(gate=100)
    world.call.refresh_from_db()
    with pytest.raises(ValidationError, match="asks for 100 %"):
        file_design(actor=world.owner, call=world.call, design=bare)


def test_a_review_needs_its_reviewers_and_a_clinical_one(world):
    world.file()
    world.assign("r1", "r2")
    with pytest.raises(ValidationError, match="1 clinical reviewer"):
        world.start()
    assigning.unassign(actor=world.chair, assignment=world.assignment("r2"))
    world.assign("clara")
    with pytest.raises(ValidationError, match="2 reviewers are needed, 1"):
        world.start()
    world.assign("r2")
    world.start()
    assert world.filing.state == State.UNDER_REVIEW


def test_a_conflict_that_arises_after_the_assignment_stops_the_review(world):
    world.file()
    world.assign()
    user = world.panel["r2"].user
    user.affiliation = "Institute of Secret Imaging, Bonn"
    user.save()
    with pytest.raises(ValidationError, match="same institution"):
        world.start()


def test_acceptance_needs_the_reviews_settled_points_and_a_letter(world):
    world.under_review()
    world.send("r1")
    world.send("r2")
    with pytest.raises(ValidationError, match="clinical"):
        world.decide("accept")
    world.send("clara")
    thread = talk.open_thread(
        actor=world.panel["r1"].user,
        filing=world.filing,
        parameter="contact_person",
        assignment=world.assignment("r1"),
        is_blocking=True,
        text="Who answers?",
    )
    with pytest.raises(ValidationError, match="not resolved"):
        world.decide("accept")
    talk.settle(actor=world.chair, thread=thread, resolved=True)
    with pytest.raises(ValidationError, match="letter"):
        deciding.decide(actor=world.chair, filing=world.filing, outcome="accept", letter=" ")
    world.decide("accept")
    assert accepted_filing(world.design) == world.filing
    advance(filing=world.filing, to="registered", actor=None)
    assert accepted_filing(world.design).state == State.REGISTERED


def test_a_reviewer_who_was_taken_off_counts_no_longer(world):
    world.under_review()
    for name in ("r1", "r2", "clara"):
        world.send(name)
    assigning.unassign(actor=world.chair, assignment=world.assignment("r2"))
    with pytest.raises(ValidationError, match="2 reviewers are needed, 1"):
        world.decide("accept")


def test_a_revision_needs_answers_to_what_blocks_and_keeps_to_its_date(world):
    world.under_review()
    for name in ("r1", "r2", "clara"):
        world.send(name, "major", 2)
    thread = talk.open_thread(
        actor=world.panel["r1"].user,
        filing=world.filing,
        parameter="tie_handling",
        task_key=world.design.tasks.first().key,
        assignment=world.assignment("r1"),
        is_blocking=True,
        text="Decide ties.",
    )
    decision = world.decide("major")
    assert "1. Tied positions" in decision.letter
    assert "Decide ties." in decision.letter
    with pytest.raises(ValidationError, match="no answer"):
        submit_revision(actor=world.owner, filing=world.filing)
    world.filing.refresh_from_db()
    talk.add_comment(actor=world.editor, thread=thread, side=Side.ORGANIZER, text="Shared ranks.")
    thread.refresh_from_db()
    assert thread.state == ReviewThread.State.ANSWERED
    move_dates(world.call, submission_at=-9, review_at=-8, revision_at=-1)
    world.filing.refresh_from_db()
    with pytest.raises(ValidationError, match="due earlier"):
        submit_revision(actor=world.owner, filing=world.filing)
    move_dates(world.call, revision_at=1)
    world.filing.refresh_from_db()
    save_field(actor=world.owner, design=world.design, parameter="challenge_keywords", value=["changed"])
    filed = submit_revision(actor=world.owner, filing=world.filing, note="All done.")
    assert (filed.number, world.filing.state) == (2, State.REVISION_SUBMITTED)
    world.start()
    review = world.assignment("r1").reviews.get(filed=filed)
    assert review.answers.count() == 37  # everything but the clinical questions
    with pytest.raises(ValidationError, match="are needed"):
        world.decide("minor")


def test_a_revision_is_accepted_without_another_round_on_the_reviews_before_it(world):
    world.revision_required()
    submit_revision(actor=world.owner, filing=world.filing)
    world.decide("accept")
    assert world.filing.state == State.ACCEPTED
    withdraw(actor=world.owner, filing=world.filing, reason="no funding")
    assert world.filing.state == State.DECLINED
    assert accepted_filing(world.design) is None


def test_leaving_needs_a_reason_and_chairs_leave_it_to_the_organizers(world):
    world.file()
    with pytest.raises(ValidationError, match="reason"):
        withdraw(actor=world.owner, filing=world.filing, reason=" ")
    with pytest.raises(ValidationError, match="owner"):
        withdraw(actor=world.chair, filing=world.filing, reason="late")
    withdraw(actor=world.owner, filing=world.filing, reason="no data")
    assert world.filing.state == State.WITHDRAWN
    assert world.file().number == 2


def test_a_chair_closes_only_what_is_overdue(world):
    world.revision_required()
    with pytest.raises(ValidationError, match="in time"):
        withdraw(actor=world.chair, filing=world.filing, reason="silent")
    move_dates(world.call, submission_at=-9, review_at=-8, revision_at=-1)
    world.filing.refresh_from_db()
    withdraw(actor=world.chair, filing=world.filing, reason="silent")
    assert world.filing.state == State.WITHDRAWN


def test_a_chair_decides_neither_about_an_own_design_nor_does_a_reviewer(world):
    world.under_review()
    for name in ("r1", "r2", "clara"):
        world.send(name)
    world.design.collaborators.create(user=world.chair, role="reader")
    with pytest.raises(ValidationError, match="no part in the design"):
        world.decide("accept")
    with pytest.raises(ValidationError, match="no part in the design"):
        advance(filing=world.filing, to="accepted", actor=world.panel["r1"].user, reason="yes")


def test_there_is_no_way_around_the_ways(world):
    world.file()
    for state in set(State) - set(WAYS[State.SUBMITTED]):
        with pytest.raises(ValidationError, match="cannot become"):
            advance(filing=world.filing, to=state, actor=world.chair, reason="x")


# --- What the database refuses -----------------------------------------------------------------------------------
def refused(act):
    with pytest.raises((IntegrityError, DatabaseError)), transaction.atomic():
        act()


def test_the_database_knows_the_ways(world):
    world.file()
    first = world.filing.transitions.get()
    make = Transition.objects.create
    for before in State:
        for after in State:
            if (str(before), str(after)) not in PAIRS:
                refused(lambda a=before, b=after: make(
                    filing=world.filing, predecessor=first, from_state=a, to_state=b, reason="x"
                ))  # fmt: skip


def test_a_transition_has_one_successor_and_goes_on_where_the_last_one_ended(world):
    world.under_review()
    first, second = world.filing.transitions.order_by("pk")
    make = Transition.objects.create
    # Two people decide at once: the second finds the place taken.
    make(filing=world.filing, predecessor=second, from_state="under_review", to_state="accepted", reason="letter")
    refused(
        lambda: make(
            filing=world.filing, predecessor=second, from_state="under_review", to_state="rejected", reason="letter"
        )
    )
    # Neither a second beginning, nor a jump, nor a predecessor of another filing, nor a withdrawal without a reason.
    refused(lambda: make(filing=world.filing, from_state="draft", to_state="submitted"))
    last = Transition.objects.get(predecessor=second)
    refused(lambda: make(filing=world.filing, predecessor=last, from_state="submitted", to_state="under_review"))
    other = file_design(actor=world.owner, call=world.call, design=make_design(world.owner, "Other"))
    refused(lambda: make(filing=other, predecessor=last, from_state="accepted", to_state="registered"))
    refused(
        lambda: make(
            filing=other, predecessor=other.transitions.get(), from_state="submitted", to_state="withdrawn", reason=""
        )
    )
    assert first.successor == second


def test_two_chairs_cannot_both_decide(world):
    world.under_review()
    for name in ("r1", "r2", "clara"):
        world.send(name)
    second = person("second_chair")
    world.call.chairs.create(user=second)
    stale = type(world.filing).objects.select_related("call", "design").get(pk=world.filing.pk)
    world.decide("accept")
    with pytest.raises(ValidationError, match="Another person"):
        deciding.decide(actor=second, filing=stale, outcome="reject", letter="No.")
    assert [decision.outcome for decision in Decision.objects.all()] == ["accept"]


@pytest.mark.parametrize("table", ["transitions", "decisions", "versions", "sent"])
def test_what_was_filed_sent_and_decided_stays(world, table):
    from reviews.models import SentReview

    world.revision_required()
    rows = SentReview.objects.all() if table == "sent" else getattr(world.filing, table).all()
    name = {"transitions": "reason", "decisions": "letter", "versions": "note", "sent": "confidential"}[table]
    refused(lambda: rows.update(**{name: "other"}))
    refused(lambda: rows.first().delete())


def test_settings_that_contradict_each_other_are_refused_twice(world):
    from reviews.services.calls import change_call

    for wrong in (
        {"review_at": world.call.submission_at},
        {"reviewers_min": 4},
        {"gate": 101},
        {"score_max": 1},
    ):
        with pytest.raises(ValidationError):
            change_call(actor=world.chair, call=world.call, **wrong)
        refused(lambda wrong=wrong: Call.objects.filter(pk=world.call.pk).update(**wrong))
    world.file()
    with pytest.raises(ValidationError, match="present rule"):
        change_call(actor=world.chair, call=world.call, anonymity="double")


def test_a_reviewer_is_assigned_once_and_the_statistician_is_optional(world):
    vary(world, statistician=True)
    world.under_review()
    with pytest.raises(ValidationError, match="already"):
        world.assign("r1")
    with pytest.raises(ValidationError, match="no clinical"):
        assigning.assign(actor=world.chair, filing=world.filing, reviewer=world.panel["r3"], part="clinical")
    assigning.assign(actor=world.chair, filing=world.filing, reviewer=world.panel["stan"], part="statistics")
    assert Assignment.objects.filter(removed_at=None).count() == 4
    world.assign("r3")
    with pytest.raises(ValidationError, match="at most 3"):
        assigning.assign(actor=world.chair, filing=world.filing, reviewer=_fourth(world), part="general")


def _fourth(world):
    from reviews.services.reviewers import add_reviewer

    return add_reviewer(actor=world.chair, call=world.call, user=person("rev_r4"))
