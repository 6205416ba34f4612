"""A challenge comes to life from its registration with one act, and holds what is registered, nothing else."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError
from django.db import DatabaseError, transaction
from django.utils import timezone

from challenges import hooks
from challenges.models import Challenge, Deviation, Phase, PhaseAssessment, Team
from challenges.queries import deviations, phases_of, projection_differences
from challenges.queries.planning import PROJECTED_FIELDS
from challenges.queries.rules_of_participation import rules_of
from challenges.services import GateShutError, close_phase, follow, launch, open_submissions
from core.audit.models import Entry
from datastore.uploads.services import refusals
from designs.models import Collaborator
from designs.services import freeze_version, save_field
from evaluation.assessment import parse
from registry.models import Registration
from registry.services import add_version
from submissions.services import submitting
from tests.integration.challenges import world

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]
TIES = [{"parameter": "tie_handling", "task": world.TASK, "class": "critical"}]


@pytest.fixture
def registered():
    return world.registered()


@pytest.fixture
def launched(registered):
    return launch(actor=registered.owner, registration=registered.registration)


def changed(registered, *, level="critical", is_deviation=False, changes=TIES, **task):
    """The next version, with other entries of the task."""
    data = registered.registration.versions.first().document
    data["tasks"][0] |= task
    return add_version(
        registration=registered.registration,
        actor=registered.owner,
        level=level,
        note="The ties were wrong.",
        changes=changes,
        document=data,
        is_deviation=is_deviation,
    )


def test_one_act_makes_tasks_phases_rules_and_assessment(registered, launched):
    content = json.loads((ROOT / "examples/hippocampus/challenge.json").read_text())
    assert launched.is_public
    assert launched.title == "Hippocampus Segmentation in MRI 2026"
    assert "Fully automatic" in launched.rules_text
    assert "@" not in launched.contact
    assert {user.username for user in launched.organizers.all()} == {"olga-hippo", "edi-hippo"}
    phases = list(Phase.objects.filter(task__challenge=launched))
    compared = ("slug", "name", "submissions_per_day", "submissions_in_total", "counts", "results", "leaderboard")
    for phase, wanted in zip(phases, content["phases"], strict=True):
        assert {name: getattr(phase, name) for name in (*compared, "reveals_cases")} == {
            name: wanted[name] for name in (*compared, "reveals_cases")
        }
        assert phase.assessment_digest == parse(content["assessment"]).digest
        assert phase.is_open
    last = datetime.fromisoformat(world.schedule()[2]["date"]).replace(hour=23, minute=59, tzinfo=UTC)
    assert phases[0].closes_at == last
    acts = Entry.objects.filter(scope=launched.slug).values_list("act", flat=True)
    assert list(acts) == [
        "challenge_created",
        "phase_created",
        "phase_created",
        "terms_set",
        "challenge_launched",
        "submissions_opened",
    ]


def test_a_later_writer_of_the_design_is_added_without_an_invitation(registered, launched, client):
    late = world.person("late")
    Collaborator.objects.create(design=registered.design, user=late, role=Collaborator.Role.EDITOR)
    client.force_login(registered.owner)
    page = client.get(f"/challenges/{launched.slug}/organize/people/").content.decode()
    assert re.findall(r'name="username" value="([^"]+)"', page) == ["late"]
    client.post(f"/challenges/{launched.slug}/organize/people/organizer/", {"username": "late", "role": "manager"})
    assert launched.organizer_set.get(user=late).role == "manager"
    page = client.get(f"/challenges/{launched.slug}/organize/people/").content.decode()
    assert 'name="username" value="late"' not in page


def test_of_phases_with_one_deadline_the_last_is_the_test_phase():
    rows = [{**row, "date": "2030-05-01"} if row["event"] == "submission_deadline" else row for row in world.schedule()]
    registered = world.registered({"challenge_schedule": rows})
    launch(actor=registered.owner, registration=registered.registration)
    kinds = Phase.objects.order_by("position").values_list("slug", "submissions_in_total", "leaderboard")
    assert list(kinds) == [("preliminary", None, "public"), ("final", 1, "sealed")]


def test_settings_of_single_phases_are_run_as_registered():
    released = {"event": "results_release", "date": "2030-06-01", "time": "12:00 UTC"}
    settings = [
        {"phase": "Preliminary phase", "is_dry_run": True},
        {"phase": "Final phase", "results": "revealed", "requires_method": True, "publishes_methods": True},
    ]
    registered = world.registered(
        {
            "challenge_schedule": [*world.schedule(), released],
            "phase_settings": settings,
            "max_submissions": 3,
            "counted_submission_rule": "selected_by_team",
        }
    )
    challenge = launch(actor=registered.owner, registration=registered.registration)
    early, final = Phase.objects.filter(task__challenge=challenge).order_by("position")
    assert (early.is_dry_run, early.results, early.leaderboard, early.counts) == (True, "cases", "public", "chosen")
    assert (final.results, final.leaderboard, final.counts) == ("revealed", "sealed", "chosen")
    assert final.reveals_at == datetime(2030, 6, 1, 12, tzinfo=UTC)
    assert (final.requires_method, final.publishes_methods, early.publishes_methods) == (True, True, False)
    assert projection_differences(challenge) == []


def test_facts_of_the_method_description_are_run_as_registered():
    settings = [
        {"phase": "Preliminary phase", "method_facts": ["method_summary"], "requires_method": True},
        {"phase": "Final phase", "method_facts": ["Method summary", "Basic architecture"], "method_link": "either"},
    ]
    registered = world.registered({"phase_settings": settings})
    challenge = launch(actor=registered.owner, registration=registered.registration)
    early, final = Phase.objects.filter(task__challenge=challenge).order_by("position")
    assert (early.requires_method, early.method_facts, early.method_link) == (True, ["method_summary"], "")
    assert final.requires_method
    assert (final.method_facts, final.method_link) == (["method_summary", "architecture_base"], "either")
    assert projection_differences(challenge) == []


def test_questions_about_overlap_are_permitted_as_registered():
    settings = [{"phase": "Final phase", "overlap_questions_per_team": 2}]
    registered = world.registered({"phase_settings": settings})
    challenge = launch(actor=registered.owner, registration=registered.registration)
    early, final = Phase.objects.filter(task__challenge=challenge).order_by("position")
    assert (early.overlap_questions_per_team, final.overlap_questions_per_team) == (None, 2)
    assert projection_differences(challenge) == []
    Phase.objects.filter(pk=final.pk).update(overlap_questions_per_team=3)
    assert projection_differences(challenge)


def in_sequence():
    """A schedule whose phases follow each other."""
    return [
        {"event": "submission_open", "date": "2031-01-01", "phase": "Preliminary phase"},
        {"event": "submission_deadline", "date": "2031-02-01", "phase": "Preliminary phase"},
        {"event": "submission_open", "date": "2031-02-10", "phase": "Final phase"},
        {"event": "submission_deadline", "date": "2031-03-01", "phase": "Final phase"},
    ]


def test_a_phase_is_open_to_the_best_teams_of_an_earlier_one_as_registered():
    settings = [{"phase": "Final phase", "entrants_from": "Preliminary phase", "entrants_best": 5}]
    registered = world.registered({"phase_settings": settings, "challenge_schedule": in_sequence()})
    challenge = launch(actor=registered.owner, registration=registered.registration)
    early, final = Phase.objects.filter(task__challenge=challenge).order_by("position")
    assert (early.entrants_from, final.entrants_from, final.entrants_best) == ("", early.slug, 5)
    assert projection_differences(challenge) == []
    answer = next(rule.answer for rule in rules_of(challenge, phases_of(challenge)) if "Which teams" in rule.question)
    assert "the 5 best teams of Preliminary phase, and teams of equal rank" in answer


@pytest.mark.parametrize(
    ("phase", "row", "schedule", "message"),
    [
        ("Final phase", {"entrants_from": "Warm-up"}, None, "is not an earlier phase"),
        ("Preliminary phase", {"entrants_from": "Final phase"}, None, "is not an earlier phase"),
        ("Final phase", {"entrants_best": 5}, None, "name the earlier phase"),
        ("Final phase", {"entrants_rule": "rank_set"}, None, "name the earlier phase"),
        (
            "Final phase",
            {"entrants_from": "Preliminary phase"},
            world.schedule(),
            "opens before Preliminary phase closes",
        ),
    ],
)
def test_a_gate_that_no_team_could_pass_is_refused(phase, row, schedule, message):
    settings = [{"phase": phase, **row}]
    registered = world.registered({"phase_settings": settings, "challenge_schedule": schedule or in_sequence()})
    with pytest.raises(ValidationError, match=message):
        launch(actor=registered.owner, registration=registered.registration)


def test_what_runs_equals_the_registered_version_field_by_field(launched):
    assert projection_differences(launched) == []
    Phase.objects.filter(slug="final").update(submissions_in_total=3)
    Challenge.objects.update(title="Another")
    found = {
        (entry.place, entry.field): (entry.registered, entry.present) for entry in projection_differences(launched)
    }
    assert found == {
        (f"{launched.slug}/task-1/final", "submissions_in_total"): (1, 3),
        (launched.slug, "title"): ("Hippocampus Segmentation in MRI 2026", "Another"),
    }


def test_no_form_edits_what_is_registered(launched, client):
    client.force_login(world.person("root", is_superuser=True, is_staff=True))
    task, phase = launched.tasks.get(), Phase.objects.get(slug="final")
    for address in (f"challenge/{launched.pk}", f"task/{task.pk}", f"phase/{phase.pk}"):
        page = client.get(f"/admin/challenges/{address}/change/").content.decode()
        named = {name for fields in PROJECTED_FIELDS.values() for name in fields}
        assert [name for name in named if f'name="{name}"' in page] == []
        client.post(f"/admin/challenges/{address}/change/", {"title": "x", "name": "x", "slug": "x", "is_public": "on"})
    assert projection_differences(launched) == []


def test_a_registration_is_launched_once(registered, launched):
    with pytest.raises(ValidationError, match="launched already"):
        launch(actor=registered.owner, registration=registered.registration, slug="again")
    assert Challenge.objects.count() == 1


def test_an_ended_registration_and_a_taken_address_are_refused(registered):
    other = world.registered(slug="other")
    launch(actor=None, registration=registered.registration, slug="taken")
    with pytest.raises(ValidationError, match="already a challenge"):
        launch(actor=None, registration=other.registration, slug="taken")
    with pytest.raises(ValidationError, match="another page"):
        launch(actor=None, registration=other.registration, slug="launch")
    Registration.objects.filter(pk=other.registration.pk).update(state="withdrawn", reason="no data")
    with pytest.raises(ValidationError, match="withdrawn"):
        launch(actor=None, registration=other.registration)


@pytest.mark.parametrize("parameter", ["metrics", "ranking_method", "tie_handling", "missing_data_handling"])
def test_the_gate_stays_shut_while_a_parameter_of_the_assessment_is_withheld(parameter):
    registered = world.registered(**{f"{parameter}__state": {"state": "embargoed_until", "event": "results_release"}})
    challenge = launch(actor=registered.owner, registration=registered.registration)
    assert not challenge.is_public
    phase = Phase.objects.get(slug="final")
    assert phase.opens_at < timezone.now()
    assert not phase.has_opened
    assert phase.state == Phase.State.HELD
    with pytest.raises(GateShutError) as refusal:
        open_submissions(actor=registered.owner, challenge=challenge)
    assert [problem.parameter for problem in refusal.value.problems] == [parameter]
    assert refusal.value.problems[0].label in refusal.value.messages[0]
    team = Team.objects.create(challenge=challenge, name="Early", slug="early")
    with pytest.raises(refusals.PhaseNotOpenError, match="public in its registration"):
        submitting.create_upload(user=registered.owner, phase=phase, team=team, file_name="a.zip", size=10)


def test_the_gate_opens_when_a_later_version_publishes_the_parameter():
    registered = world.registered(tie_handling__state={"state": "embargoed_until", "event": "results_release"})
    challenge = launch(actor=registered.owner, registration=registered.registration)
    version = changed(registered, tie_handling="standard_competition", tie_handling__state=None)
    follow(version=version, actor=registered.owner)
    open_submissions(actor=registered.owner, challenge=challenge)
    assert Challenge.objects.get().is_public
    assert all(phase.is_open for phase in Phase.objects.all())


def test_submissions_wait_for_the_end_of_the_comment_period():
    registered = world.registered(comment_until=timezone.now() + timedelta(days=7))
    challenge = launch(actor=registered.owner, registration=registered.registration)
    assert not challenge.is_public
    with pytest.raises(GateShutError, match="open for comments until"):
        open_submissions(actor=registered.owner, challenge=challenge)
    Registration.objects.update(state="registered", comment_until=None)
    assert open_submissions(actor=registered.owner, challenge=challenge).is_public


@pytest.mark.parametrize(
    ("challenge", "task", "named"),
    [
        ({}, {"tie_handling": None}, "Tied positions"),
        ({}, {"ranking_method": None}, "Rank computation method"),
        ({"challenge_schedule": [{"event": "event_day", "date": "2026-10-01"}]}, {}, "submission period"),
        ({"challenge_schedule": [{"event": "submission_open", "date": "2026-03"}]}, {}, "no full date"),
        ({"challenge_schedule": [{"event": "submission_open", "date": "2026-03-01"}]}, {}, "no deadline"),
        ({"max_submissions": None}, {}, "how often"),
        ({"max_submissions": 3}, {}, "which of several"),
        ({"incomplete_submissions_allowed": "yes_ignored"}, {}, "ignored"),
        ({"phase_settings": [{"phase": "Final phase", "is_dry_run": True}]}, {}, "test phase cannot be a dry run"),
        ({"phase_settings": [{"phase": "Preliminary phase", "feedback": "ladder"}]}, {}, "rounded or held back only"),
        (
            {
                "phase_settings": [{"phase": "Final phase", "results": "revealed"}],
                "challenge_schedule": [row for row in world.schedule() if row["event"] != "results_release"],
            },
            {},
            "no date for the release",
        ),
        ({"phase_settings": [{"phase": "Warm-up", "submissions_per_day": 2}]}, {}, "no phase “Warm-up”"),
        ({"phase_settings": [{"phase": "Final phase", "method_facts": ["Colour"]}]}, {}, "no answer called “Colour”"),
        (
            {"phase_settings": [{"phase": "Final phase", "method_link": "either", "requires_method": False}]},
            {},
            "the final ranking needs no description",
        ),
    ],
)
def test_a_design_that_cannot_be_run_is_refused_with_the_parameter(challenge, task, named):
    registered = world.registered(challenge, **task)
    with pytest.raises(ValidationError) as refusal:
        launch(actor=registered.owner, registration=registered.registration)
    assert named in " ".join(refusal.value.messages)
    assert not Challenge.objects.exists()


def test_a_version_before_the_first_submission_replaces_the_assessment_without_a_mark(
    registered, launched, monkeypatch
):
    told = []
    monkeypatch.setattr(hooks, "assessment_changed", [lambda *facts: told.append(facts)])
    before = Phase.objects.first().assessment_digest
    follow(version=changed(registered, tie_handling="dense"), actor=registered.owner)
    phase = Phase.objects.select_related("task__challenge").first()
    assert phase.assessment.rankings[0].ties == "dense"
    assert phase.assessment_digest != before
    assert projection_differences(launched) == []
    assert deviations(phase) == []
    assert [entry.kind for entry in deviations(phase, executed=before)] == ["superseded"]
    assert told == [(entry.pk, False) for entry in Phase.objects.all()]


def test_another_metric_needs_scoring_another_scheme_does_not(registered, launched, monkeypatch):
    told = []
    monkeypatch.setattr(hooks, "assessment_changed", [lambda _, needs_scoring: told.append(needs_scoring)])
    task = registered.registration.versions.first().document["tasks"][0]
    metrics = [{**row, "options": {"tolerance": 2}} if row["metric"] == "nsd" else row for row in task["metrics"]]
    follow(version=changed(registered, metrics=metrics), actor=registered.owner)
    assert told == [True, True]


def test_a_deviation_is_marked_for_good(registered, launched):
    before = Phase.objects.first().assessment_digest
    follow(version=changed(registered, is_deviation=True, tie_handling="dense"), actor=registered.owner)
    follow(version=changed(registered, level="minor", changes=[], statistical_software="NumPy"), actor=registered.owner)
    phase = Phase.objects.select_related("task__challenge").get(slug="final")
    found = deviations(phase)
    assert [(entry.kind, entry.registered_digest, entry.compared) for entry in found] == [("approved", before, True)]
    assert found[0].executed_digest == phase.assessment_digest
    assert "The ties were wrong." in found[0].text
    assert "2.0" in found[0].address
    for act in (lambda: Deviation.objects.update(reason="none"), lambda: Deviation.objects.all().delete()):
        with pytest.raises(DatabaseError, match="marked for good"), transaction.atomic():
            act()


def test_an_assessment_that_nobody_registered_is_found_by_its_digest(launched):
    phase = Phase.objects.select_related("task__challenge").get(slug="final")
    phase.assessment_document["ranking"]["ties"] = "dense"
    phase.save()  # the stored digest still claims the registered document
    assert [entry.kind for entry in deviations(phase)] == ["unregistered"]
    assert {entry.field for entry in projection_differences(launched)} == {"assessment_document"}


def test_closing_before_the_registered_deadline_is_a_deviation(launched):
    phase = close_phase(actor=None, phase=Phase.objects.get(slug="final"))
    assert [entry.kind for entry in deviations(phase)] == ["schedule"]


def test_a_version_that_drops_a_running_phase_is_refused_whole(registered, launched):
    data = registered.registration.versions.first().document
    data["challenge"]["challenge_schedule"] = data["challenge"]["challenge_schedule"][1::2]
    data["challenge"]["phase_settings"] = []
    version = add_version(
        registration=registered.registration, actor=None, level="critical", note="One phase.", document=data
    )
    with pytest.raises(ValidationError, match="Preliminary phase"):
        follow(version=version)
    assert PhaseAssessment.objects.count() == 2
    assert projection_differences(launched) == []


def test_the_working_design_does_not_reach_the_running_challenge(registered, launched):
    task = registered.design.tasks.get()
    save_field(actor=registered.owner, design=registered.design, task=task, parameter="tie_handling", value="dense")
    freeze_version(actor=registered.owner, design=registered.design, name="Draft")
    assert projection_differences(launched) == []
    assert Phase.objects.first().assessment.rankings[0].ties == "min"
