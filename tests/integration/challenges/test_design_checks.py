"""Checks of a registered design that the challenge decides: who takes part, what is executed, what was sealed."""

from datetime import timedelta

import numpy as np
import pytest
from PIL import Image

from challenges.models import Concern, Phase, Team
from challenges.services import join_with_team, launch
from designs.checks import Subject, registered
from designs.checks.running import check_description
from designs.document import Entry, State
from designs.models import Scan
from designs.queries import document_of
from designs.services import save_field, scans
from submissions import design_checks
from submissions.models import Submission, TestCase, TestSet, Upload
from submissions.services.test_sets import create_test_set
from tests.integration.challenges import world

pytestmark = pytest.mark.django_db


@pytest.fixture
def base():
    return world.registered()


@pytest.fixture
def challenge(base):
    return launch(actor=base.owner, registration=base.registration)


@pytest.fixture
def team(challenge):
    return join_with_team(user=world.person("max"), challenge=challenge, team_name="Team Max")


def said(base, name, *, task=None):
    """What the check says of the design as it stands now; `None` is good."""
    document = document_of(base.design)
    return registered(name).function(
        Subject(values=document.values(task), document=document, check=None, design=base.design)
    )


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
    monkeypatch.setattr(scans, "enqueue", lambda *args: None)
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
