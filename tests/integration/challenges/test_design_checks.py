"""Checks of a registered design that the challenge decides: who takes part, what is executed, what was sealed."""

from datetime import timedelta

import numpy as np
import pytest
from PIL import Image

from challenges.models import Concern, Phase, Team
from challenges.services import close_phase, join_with_team, launch
from datastore.test_sets.models import TestCase, TestSet
from datastore.test_sets.services.sealing import create_test_set
from datastore.uploads.models import Upload
from designs.models import Scan
from designs.queries import document_of
from designs.services import save_field, scans
from evaluation.designs.checks import Subject, registered
from evaluation.designs.checks.running import check_description
from evaluation.designs.document import Entry, State, Values
from submissions.contributions import design_checks
from submissions.models import MethodDescription, Run, Submission
from tests.integration.challenges import world
from tests.integration.drift import world as drift

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.any_database(
        "A check of one design is computed in memory. `test_launch.py` launches designs on both databases."
    ),
]


@pytest.fixture
def base():
    return world.registered()


@pytest.fixture
def challenge(base):
    return launch(actor=base.owner, registration=base.registration)


@pytest.fixture
def team(challenge):
    return join_with_team(user=world.person("max"), challenge=challenge, team_name="Team Max")


def said(base, name, *, task=None, **entries):
    """Return the message of the check for the current design, or `None` if the check passes.

    `entries` are those of a description or report.
    """
    document = document_of(base.design)
    values = document.values(task)
    over = {key: Entry(value, state=State.PROVIDED) for key, value in entries.items()}
    values = Values(values.challenge, {**values.task, **over}, task)
    return registered(name).function(Subject(values=values, document=document, check=None, design=base.design))


@pytest.fixture
def sealed(challenge, tmp_path):
    """A test set of two cases in each of the two phases."""
    phases = list(Phase.objects.filter(task__challenge=challenge).order_by("position"))
    for phase, names in zip(phases, (("one", "two"), ("three", "four")), strict=True):
        folder = tmp_path / phase.slug
        folder.mkdir()
        for name in names:
            array = np.zeros((20, 20), dtype=np.uint8)
            array[2:5, 2:5], array[8:12, 8:12] = 1, 2
            Image.fromarray(array).save(folder / f"{name}.png")
        create_test_set(phase=phase, references=folder, cases=names)
    return phases


def submit(phase, team, number=1):
    user = team.members.first().user
    upload = Upload.objects.create(
        phase=phase, team=team, user=user, file_name="a.zip", size=1, expires_at=phase.closes_at
    )
    return Submission.objects.create(
        upload=upload, phase=phase, team=team, user=user, number=number, archive_name="a.zip", archive_size=1,
        state=Submission.State.SCORED,
    )  # fmt: skip


def test_before_the_launch_there_is_nothing_to_look_at(base):
    for name in ("organizer_entries_treated", "no_label_access_participants", "label_access_log", "ranking_config_hash",
                 "submission_quota", "test_set_hash_unchanged", "no_group_leakage"):  # fmt: skip
        assert said(base, name, task=world.TASK) is None, name


@pytest.mark.parametrize(
    ("check", "kind"), [("organizer_entries_treated", "organizer"), ("no_label_access_participants", "labels")]
)
def test_people_who_may_not_be_ranked_are_named_until_they_are_not(base, challenge, team, check, kind):
    assert said(base, check) is None
    concern = Concern.objects.create(
        challenge=challenge, kind=kind, user=team.members.first().user, key="max", evidence="the same institute"
    )
    assert "Team Max" in said(base, check)
    Team.objects.filter(pk=team.pk).update(standing=Team.Standing.DISQUALIFIED, standing_reason="organizer")
    assert said(base, check) is None
    Team.objects.filter(pk=team.pk).update(standing=Team.Standing.RANKED, standing_reason="")
    Concern.objects.filter(pk=concern.pk).update(state=Concern.State.DISMISSED, note="another institute")
    assert said(base, check) is None


def test_everybody_who_can_open_the_references_is_on_the_list(base, challenge):
    assert "olga-hippo" in said(base, "label_access_log")
    rows = [{"who": "olga-hippo"}, {"who": "Engineer edi-hippo"}]
    save_field(actor=base.owner, design=base.design, parameter="test_label_access", value=rows)
    assert said(base, "label_access_log") is None


def test_what_is_executed_is_what_is_registered(base, challenge):
    assert said(base, "ranking_config_hash", task=world.TASK) is None
    Phase.objects.filter(task__challenge=challenge, position=2).update(assessment_digest="0" * 64)
    assert "Final phase" in said(base, "ranking_config_hash", task=world.TASK)


def test_the_checks_of_a_report_stand_where_organizers_make_it(base, challenge, client):
    client.force_login(base.owner)
    desk = f"/challenges/{challenge.slug}/report/desk/"
    page = client.get(desk).content.decode()
    assert "Fewer than three teams" in page
    assert "not computed with the registered scheme" not in page
    Phase.objects.filter(task__challenge=challenge, position=2).update(assessment_digest="0" * 64)
    assert "Another scheme is executed in Final phase" in client.get(desk).content.decode()


def test_names_and_people_stand_for_one_team(base, challenge, team):
    other = join_with_team(user=world.person("zoe"), challenge=challenge, team_name="Team Zoe")

    def found(name, email):
        entries = {
            "team_identifier": Entry(name, state=State.PROVIDED),
            "team_members": Entry([{"name": "Max", "email": email, "is_contact": True}], state=State.PROVIDED),
        }
        checked = check_description(
            entries, document=document_of(base.design), task=world.TASK, kind="algorithm",
            phase="submission_description", design=base.design,
        )  # fmt: skip
        return {entry.check.id for entry in checked} & {"team_identifier.unique", "team_members.one_team"}

    assert found("Team Max", "MAX@example.org") == set()
    assert found("Team Max", "zoe@example.org") == {"team_members.one_team"}
    Team.objects.filter(pk=other.pk).update(name="team max")
    assert "team_identifier.unique" in found("Team Max", "nobody@example.org")


def test_the_registered_number_of_submissions_is_the_most(base, challenge, team, sealed):
    submit(sealed[0], team)
    submit(sealed[0], team, number=2)
    submit(sealed[1], team)
    assert said(base, "submission_quota") is None
    submit(sealed[1], team, number=2)
    assert said(base, "submission_quota") == "More than 1: Team Max (2)."


def test_a_test_set_stays_as_it_was_sealed(base, team, sealed):
    submission = submit(sealed[1], team)
    assert said(base, "test_set_hash_unchanged", task=world.TASK) is None
    Submission.objects.filter(pk=submission.pk).update(created_at=sealed[1].opens_at - timedelta(days=99))
    assert "replaced" in said(base, "test_set_hash_unchanged", task=world.TASK)
    TestCase.objects.filter(name="three").update(reference_sha256="0" * 64)
    assert "does not have its digest" in said(base, "test_set_hash_unchanged", task=world.TASK)


def test_no_case_and_no_patient_is_in_two_phases(base, sealed):
    assert said(base, "no_group_leakage", task=world.TASK) is None
    TestCase.objects.filter(name__in=["one", "three"]).update(metadata={"patient": "7"})
    assert said(base, "no_group_leakage", task=world.TASK) == "In the test sets of two phases: patient 7."


def test_organizers_let_their_sealed_references_be_read(base, sealed, monkeypatch):
    monkeypatch.setattr(scans, "ask", lambda *args: None)
    task = base.design.tasks.get()
    assert list(design_checks.reference_sources(base.reader, task)) == []
    sources = scans.reference_sources(base.owner, task)
    assert [source.label for source in sources] == [f"the test set of the {phase.name}" for phase in sealed]
    scan = scans.request_scan_of_test_set(actor=base.owner, task=task, key=sources[0].key)
    scans.run_scan(scan_id=scan.pk)
    scan.refresh_from_db()
    assert scan.problem == ""
    assert scan.state == Scan.State.DONE
    assert scan.result["references"]["cases"] == 2
    assert TestSet.objects.count() == 2


def test_results_that_count_come_from_one_version_of_the_evaluation(base, team, sealed):
    runs = []
    for number, version in ((1, "1.0"), (2, "1.1")):
        submission = submit(sealed[1], team, number=number)
        runs.append(Run.objects.create(
            submission=submission, number=1, test_set=sealed[1].test_sets.get(), assessment_digest="0" * 64, cases_total=2,
            state=Run.State.SCORED, counts=True, finished_at=sealed[1].opens_at, result_file="r", result_digest="d",
            provenance={"versions": {"podium-evaluation": version}},
        ))  # fmt: skip
    assert "Final phase by 1.0 and 1.1" in said(base, "evaluation_hash_unchanged")
    Run.objects.filter(pk=runs[0].pk).update(counts=False)
    assert said(base, "evaluation_hash_unchanged") is None


def test_a_sample_was_read_before_the_challenge_opens(base, challenge, team, sealed):
    task = base.design.tasks.get()
    sample = "sample_submission_valid"
    scan = Scan.objects.create(
        task=task, source="files", plan={}, state=Scan.State.DONE, result={"predictions": [{"missing": ["one"]}]}
    )
    assert "Neither" in said(base, sample, task=world.TASK)
    Scan.objects.filter(pk=scan.pk).update(result={"predictions": [{"missing": []}]})
    assert said(base, sample, task=world.TASK) is None
    scan.delete()
    submission = submit(sealed[0], team)
    assert said(base, sample, task=world.TASK) is None
    Submission.objects.filter(pk=submission.pk).update(state=Submission.State.RECEIVED)
    assert "Neither" in said(base, sample, task=world.TASK)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Training: case_01, case_02. Validation: case_03.", None),
        ("0001, 0002, 0003 for validation", None),
        ("folds in https://example.org/splits.json", None),
        ("the file splits_final.json of the code", None),
        ("", None),
        ("80 % of 160 training cases, T1-weighted and T2-weighted, 5 folds", "names no cases"),
        ("case_01, one_2 and three_4", "test cases, not training cases: one_2"),
    ],
)
def test_a_split_names_its_cases_and_no_test_case(base, sealed, text, found):
    TestCase.objects.filter(name="one").update(name="one_2")
    answer = said(base, "split_file", task=world.TASK, data_split=text)
    assert answer is None if found is None else found in answer


def test_teams_that_describe_too_little_are_named(base, team, sealed):
    submission = submit(sealed[1], team)
    assert said(base, "algorithm_completeness", task=world.TASK) == "Described less than 90%: Team Max (nothing)."
    method = MethodDescription.objects.create(submission=submission, filled=26, required=30, is_complete=False)
    assert "Team Max (26 of 30)" in said(base, "algorithm_completeness", task=world.TASK)
    MethodDescription.objects.filter(pk=method.pk).update(filled=27)
    assert said(base, "algorithm_completeness", task=world.TASK) is None


def test_before_a_challenge_the_report_itself_says_what_teams_describe(base):
    rows = [{"acronym": "A", "method_description": "nnU-Net"}, {"acronym": "B"}]
    assert said(base, "algorithm_completeness", participating_teams=rows) == "Without a method description: B."
    assert said(base, "algorithm_completeness", participating_teams=rows[:1]) is None


def test_every_deviation_that_was_found_needs_its_reason(base, challenge):
    name = "deviations_explained"
    assert said(base, name) is None
    phase = Phase.objects.get(task__challenge=challenge, position=2)
    close_phase(actor=base.owner, phase=phase, at=phase.opens_at)
    assert "(Final phase)" in said(base, name)
    row = {"parameter": "challenge_schedule", "reason": ""}
    assert "(Final phase)" in said(base, name, design_deviations=[row])
    assert said(base, name, design_deviations=[{**row, "reason": "The workshop moved."}]) is None


def test_the_page_of_the_challenge_leads_to_its_record(base):
    name = "registered_design_linked"
    identifier = base.registration.identifier
    address = {"challenge_website": "https://example.org", "website_status": "public"}
    assert "has not been compared" in said(base, name, **address)
    assert said(base, name, **{**address, "website_status": "registration_page"}) is None

    def compared(text):
        drift.check_text(actor=base.owner, registration=base.registration, title="Our page", text=text)
        return said(base, name, **address)

    page = "Welcome to our page."
    assert "does not name the record" in compared(page)
    assert compared(f'{page} <a href="/registry/{identifier}/">registered</a>') is None
    assert "says something else about" in compared(f"{page} {identifier}. We use 160 training cases and 5 test cases.")
