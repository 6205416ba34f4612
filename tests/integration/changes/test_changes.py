"""Changes to a registration by request: the change's class and the challenge's progress determine who decides."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.notifications.models import Notification
from challenges import hooks
from challenges.models import Deviation, Phase
from challenges.queries import deviations, projection_differences
from core.audit.models import Entry
from designs.services import add_task, remove_task
from evaluation.canonical import canonical_json
from registry.changes.models import ChangeDecision, ChangeRequest
from registry.changes.queries.documents import WHOLE_TASK, applied, is_current
from registry.changes.queries.policy import Stage, policy, stage_of
from registry.changes.queries.requests import changes_of
from registry.changes.services import Verdict, decide, object_to, request_change, withdraw_request
from registry.hooks import operation_of
from registry.queries import current_version
from tests.integration.changes.world import World, build, wanted

pytestmark = pytest.mark.django_db
YES = Verdict(approve=True, reason="Agreed.")
NO = Verdict(approve=False, reason="Too late.")


@pytest.fixture
def world() -> World:
    return build()


def submitted(world: World, monkeypatch) -> None:
    """The first submission has been accepted."""
    world.accept_submission(monkeypatch)


def ask(world: World, *parameters: str, **more) -> ChangeRequest:
    return request_change(
        actor=world.organizer,
        registration=world.registration,
        wanted=[wanted(parameter) for parameter in parameters],
        **more,
    )


def ask_whole(world: World, task: str) -> ChangeRequest:
    """A task to be added or removed."""
    return request_change(
        actor=world.organizer, registration=world.registration, wanted=[wanted(WHOLE_TASK, task=task)]
    )


def later(request: ChangeRequest) -> ChangeRequest:
    """The time for objections is over."""
    ChangeRequest.objects.filter(pk=request.pk).update(objections_until=timezone.now() - timedelta(minutes=1))
    request.refresh_from_db()
    return request


def all_of(request: ChangeRequest, verdict: Verdict = YES) -> dict[int, Verdict]:
    return {change.pk: verdict for change in request.changes.all()}


@pytest.mark.parametrize(
    ("change_class", "stage", "chair", "told", "waits", "deviation"),
    [
        ("minor", Stage.REGISTERED, False, False, False, False),
        ("minor", Stage.SUBMITTED, False, False, False, False),
        ("extension", Stage.REGISTERED, False, False, False, False),
        ("extension", Stage.SUBMITTED, False, True, False, False),
        ("repair", Stage.JOINED, True, True, False, False),
        ("major", Stage.REGISTERED, True, False, False, False),
        ("major", Stage.SUBMITTED, True, True, False, False),
        ("critical", Stage.REGISTERED, True, False, False, False),
        ("critical", Stage.JOINED, True, True, True, False),
        ("critical", Stage.SUBMITTED, True, True, True, True),
    ],
)
def test_who_decides_follows_from_class_and_stage(change_class, stage, chair, told, waits, deviation):
    needed = policy(change_class, stage)
    assert (needed.needs_chair, needed.tells_participants) == (chair, told)
    assert (needed.waits_for_objections, needed.only_as_deviation) == (waits, deviation)


def test_the_stage_follows_the_challenge(world, monkeypatch):
    assert stage_of(None) is Stage.REGISTERED
    assert stage_of(operation_of(world.registration)) is Stage.JOINED
    submitted(world, monkeypatch)
    assert stage_of(operation_of(world.registration)) is Stage.SUBMITTED
    other = build(joined=False, slug="other")
    monkeypatch.setattr(hooks, "arrivals", [])
    assert stage_of(operation_of(other.registration)) is Stage.REGISTERED


def test_a_minor_change_holds_at_once_as_the_next_minor_version_and_the_chairs_are_told(world):
    world.draft("statistical_software", "NumPy")
    request = ask(world, "statistical_software")
    version = current_version(world.registration)
    assert (request.state, request.result, version.number, version.level) == ("decided", version, "1.1", "minor")
    assert version.document["tasks"][0]["statistical_software"] == "NumPy"
    told = set(Notification.objects.filter(kind="change_decided").values_list("user__username", flat=True))
    assert told == {world.chair.username, world.second_chair.username, world.organizer.username}
    acts = Entry.objects.filter(scope=world.registration.identifier).values_list("act", flat=True)
    assert {"change_requested", "change_decided", "registration_version_added"} <= set(acts)
    assert projection_differences(world.challenge) == []


def test_a_critical_change_waits_for_objections_then_becomes_2_0_and_is_run(world):
    world.draft("tie_handling", "dense")
    world.draft("statistical_software", "NumPy")  # was not asked for, so it stays a draft
    request = ask(world, "tie_handling", note="We were wrong.")
    assert request.change_class == "critical"
    assert Notification.objects.filter(user=world.member, kind="change_requested").count() == 1
    with pytest.raises(ValidationError, match="can object until"):
        decide(actor=world.chair, request=request, verdicts=all_of(request))
    object_to(actor=world.member, request=request, text="Not fair.")
    with pytest.raises(ValidationError, match="objected to this request already"):
        object_to(actor=world.member, request=request, text="Again.")
    decide(actor=world.chair, request=later(request), verdicts=all_of(request))
    version = current_version(world.registration)
    assert (version.number, version.is_deviation, version.is_late) == ("2.0", False, False)
    assert version.changes[0]["parameter"] == "tie_handling"
    before, after = (entry.document for entry in (request.base, version))
    before["tasks"][0]["tie_handling"] = "dense"
    assert before == after
    phases = Phase.objects.select_related("task__challenge")
    assert {phase.assessment.rankings[0].ties for phase in phases} == {"dense"}
    assert [deviations(phase) for phase in phases] == [[], []]
    assert Notification.objects.filter(user=world.member, kind="change_decided").count() == 1


def test_a_task_is_added_and_removed_as_a_whole_and_the_challenge_follows(world, monkeypatch):
    first = world.design.tasks.get()
    added = add_task(actor=world.organizer, design=world.design, name="Second task", like=first)
    request = ask_whole(world, added.key)
    shown = changes_of(request)[0]
    assert (shown.task, shown.parameter.label, shown.difference.kind) == ("Second task", "Whole task", "added")
    cells = {cell.label: cell.after for cell in shown.difference.rows[0].cells}
    assert cells["Task name"] == "Second task"
    assert len(cells) > 30
    decide(actor=world.chair, request=later(request), verdicts=all_of(request))
    version = current_version(world.registration)
    assert (version.number, [task["key"] for task in version.document["tasks"]]) == ("2.0", [first.key, added.key])
    assert world.challenge.tasks.count() == 2
    assert projection_differences(world.challenge) == []
    submitted(world, monkeypatch)
    remove_task(actor=world.organizer, task=first)
    request = ask_whole(world, first.key)
    decide(actor=world.chair, request=later(request), verdicts=all_of(request), as_deviation=True)
    version = current_version(world.registration)
    assert (version.number, [task["key"] for task in version.document["tasks"]]) == ("3.0", [added.key])
    gone = Phase.objects.select_related("task__challenge").filter(task__design_key=first.key)
    assert {(phase.is_closed, phase.task.removed_at is None) for phase in gone} == {(True, False)}
    assert {entry.kind for entry in deviations(gone[0])} == {"approved", "schedule"}
    kept = Phase.objects.select_related("task__challenge").filter(task__design_key=added.key)
    assert [deviations(phase) for phase in kept] == [[], []]
    assert projection_differences(world.challenge) == []


def test_what_was_asked_for_a_task_does_not_hold_once_the_task_stands_otherwise(world):
    added = add_task(actor=world.organizer, design=world.design, name="Second task", like=world.design.tasks.get())
    request = ask_whole(world, added.key)
    change, version = request.changes.get(), current_version(world.registration)
    assert is_current(version, change)
    version.canonical = canonical_json(applied(version, [change])[0])
    assert not is_current(version, change)


def test_after_the_first_submission_a_critical_change_is_only_possible_as_a_deviation(world, monkeypatch):
    submitted(world, monkeypatch)
    world.draft("tie_handling", "dense")
    request = later(ask(world, "tie_handling"))
    with pytest.raises(ValidationError, match="only as a deviation"):
        decide(actor=world.chair, request=request, verdicts=all_of(request))
    with pytest.raises(ValidationError, match="needs a reason"):
        decide(actor=world.chair, request=request, verdicts=all_of(request, Verdict(approve=True)), as_deviation=True)
    assert not ChangeDecision.objects.exists()
    decide(actor=world.chair, request=request, verdicts=all_of(request), as_deviation=True)
    assert request.changes.get().decision.outcome == "deviation"
    version = current_version(world.registration)
    assert (version.number, version.is_deviation) == ("2.0", True)
    assert Deviation.objects.count() == 2
    phase = Phase.objects.select_related("task__challenge").get(slug="final")
    assert [(entry.kind, entry.parameters) for entry in deviations(phase)] == [("approved", ("Tied positions",))]
    text = Notification.objects.get(user=world.member, kind="change_decided").text
    assert "deviation" in text


def test_a_major_change_needs_a_chair_but_no_mark(world, monkeypatch):
    submitted(world, monkeypatch)
    world.draft("award_policy", "A cake.", task=False)
    request = request_change(
        actor=world.organizer,
        registration=world.registration,
        wanted=[wanted("award_policy", task="challenge")],
    )
    assert request.is_open
    assert request.objections_until is None
    decide(actor=world.chair, request=request, verdicts=all_of(request))
    version = current_version(world.registration)
    assert (version.number, version.level, version.is_deviation) == ("1.1", "major", False)
    assert not Deviation.objects.exists()
    world.challenge.refresh_from_db()
    assert "A cake." in world.challenge.rules_text


def test_one_decision_a_parameter_in_a_request_of_many(world):
    world.draft("metric_justification", "Because.")
    world.draft("ranking_justification", "Because too.")
    request = ask(world, "metric_justification", "ranking_justification")
    first, second = request.changes.all()
    with pytest.raises(ValidationError, match="every parameter"):
        decide(actor=world.chair, request=request, verdicts={first.pk: YES})
    with pytest.raises(ValidationError, match="say why it is refused"):
        decide(actor=world.chair, request=request, verdicts={first.pk: YES, second.pk: Verdict(approve=False)})
    decide(actor=world.chair, request=request, verdicts={first.pk: YES, second.pk: NO})
    task = current_version(world.registration).document["tasks"][0]
    assert task["metric_justification"] == "Because."
    assert task["ranking_justification"] == request.base.document["tasks"][0]["ranking_justification"]
    assert [change.decision.outcome for change in request.changes.all()] == ["approved", "refused"]


def test_refusing_everything_makes_no_version(world):
    world.draft("tie_handling", "dense")
    request = ask(world, "tie_handling")
    decide(actor=world.chair, request=request, verdicts=all_of(request, NO))
    assert (request.state, current_version(world.registration).number) == ("open", "1.0")
    request.refresh_from_db()
    assert (request.state, request.result) == ("decided", None)
    with pytest.raises(ValidationError, match="decided already"):
        decide(actor=world.second_chair, request=request, verdicts=all_of(request))


def test_a_change_that_cannot_be_run_is_refused_whole(world):
    world.draft("tie_handling", "ordinal")
    request = later(ask(world, "tie_handling"))
    with pytest.raises(ValidationError, match="Tied positions"):
        decide(actor=world.chair, request=request, verdicts=all_of(request))
    request.refresh_from_db()
    assert request.is_open
    assert current_version(world.registration).number == "1.0"


def test_one_open_request_at_a_time_and_none_for_what_is_registered(world):
    with pytest.raises(ValidationError, match="at least one"):
        request_change(actor=world.organizer, registration=world.registration, wanted=[])
    with pytest.raises(ValidationError, match="holds the registered value"):
        ask(world, "tie_handling")
    world.draft("tie_handling", "dense")
    request = ask(world, "tie_handling")
    with pytest.raises(ValidationError, match="Another change request"):
        ask(world, "tie_handling")
    withdraw_request(actor=world.organizer, request=request)
    assert ask(world, "tie_handling").number == 2


def test_a_value_put_under_embargo_is_public_by_its_digest_alone(world):
    world.draft("award_policy", "A secret prize.", task=False, state="embargoed_until", event="results_release")
    request = request_change(
        actor=world.organizer, registration=world.registration, wanted=[wanted("award_policy", task="challenge")]
    )
    change = request.changes.get()
    assert "secret prize" not in str(change.after)
    decide(actor=world.chair, request=request, verdicts=all_of(request))
    version = current_version(world.registration)
    assert "secret prize" not in version.canonical
    assert version.sealed["challenge/award_policy"]["value"] == "A secret prize."


def test_what_the_gate_asks_for_stays_public_once_submissions_are_open(world):
    world.draft("tie_handling", "dense", state="embargoed_until", event="results_release")
    request = later(ask(world, "tie_handling"))
    with pytest.raises(ValidationError, match="stay public: Tied positions"):
        decide(actor=world.chair, request=request, verdicts=all_of(request))
    assert current_version(world.registration).number == "1.0"
    assert projection_differences(world.challenge) == []


def test_a_late_critical_change_stays_marked_as_late(world):
    call = world.registration.filing.call
    call.critical_change_at = call.registration_at
    call.save()
    world.draft("tie_handling", "dense")
    request = later(ask(world, "tie_handling"))
    decide(actor=world.chair, request=request, verdicts=all_of(request))
    assert current_version(world.registration).is_late


def test_a_decision_stands(world):
    world.draft("tie_handling", "dense")
    request = ask(world, "tie_handling")
    decide(actor=world.chair, request=request, verdicts=all_of(request, NO))
    for act in (lambda: ChangeDecision.objects.update(outcome="approved"), ChangeDecision.objects.all().delete):
        with pytest.raises(DatabaseError, match="stands"), transaction.atomic():
            act()
