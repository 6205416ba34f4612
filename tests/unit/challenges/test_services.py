"""Permitted and forbidden actions of people on a challenge."""

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from challenges import hooks
from challenges.models import Member, Phase, Seat, Task, Team
from challenges.services import close_phase, create_phase, end_phases, join_with_team
from challenges.services.teams import drop_task, enter_task
from core.audit.models import Entry
from tests.unit.challenges.world import ASSESSMENT, build, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    return build()


def test_a_person_joins_with_a_team_of_which_they_are_captain(world):
    team = join_with_team(user=world.stranger, challenge=world.challenge, team_name="  Zoe's   team ")
    assert team.name == "Zoe's team"
    assert team.members.get().role == Member.Role.CAPTAIN
    assert Entry.objects.filter(act="team_joined", subject_id=str(team.pk)).count() == 1


def test_one_team_a_person_and_task(world):
    task = world.open_phase.task
    with pytest.raises(ValidationError, match="already belong to the team Team Max in Task"):
        join_with_team(user=world.member, challenge=world.challenge, team_name="Another")
    assert not Team.objects.filter(name="Another").exists()
    second = Task.objects.create(challenge=world.challenge, slug="other", name="Other task", position=2)
    with pytest.raises(ValidationError, match="already belong"):
        join_with_team(user=world.member, challenge=world.challenge, team_name="Another")  # all tasks
    join_with_team(user=world.member, challenge=world.challenge, team_name="Another", tasks=[second])
    seats = Seat.objects.filter(user=world.member, member__left_at=None)
    assert [seats.get(task=of).member.team.name for of in (task, second)] == ["Team Max", "Another"]
    with pytest.raises(ValidationError, match="already belong to the team Another in Other task"):
        enter_task(actor=world.member, team=world.team, task=second)
    drop_task(actor=world.member, team=world.team, task=second)
    with pytest.raises(ValidationError, match="at least one task"):
        drop_task(actor=world.member, team=world.team, task=task)


def test_the_database_itself_holds_one_team_a_person_and_task(world):
    other = Team.objects.create(challenge=world.challenge, name="Other", slug="other")
    member = Member.objects.create(team=other, challenge=world.challenge, user=world.member)
    with pytest.raises(IntegrityError), transaction.atomic():
        Seat.objects.create(member=member, task=world.open_phase.task, user=world.member)


@pytest.mark.parametrize("name", ["Team Max", "team  max", "TEAM-MAX"])
def test_team_names_that_look_alike_are_taken(world, name):
    with pytest.raises(ValidationError) as refusal:
        join_with_team(user=world.stranger, challenge=world.challenge, team_name=name)
    assert "already a team" in refusal.value.message_dict["team_name"][0]


def test_a_name_without_letters_is_refused(world):
    with pytest.raises(ValidationError):
        join_with_team(user=world.stranger, challenge=world.challenge, team_name="!!!")


def test_a_phase_keeps_the_digest_of_its_assessment(world):
    assert world.open_phase.assessment_digest == world.open_phase.assessment.digest


def test_an_assessment_that_does_not_parse_is_refused_with_its_place(world):
    now = timezone.now()
    with pytest.raises(ValidationError, match="metrics"):
        create_phase(
            actor=world.organizer,
            task=world.open_phase.task,
            assessment={**ASSESSMENT, "metrics": [{"id": "best_metric"}]},
            slug="x",
            name="X",
            opens_at=now,
            closes_at=now + timedelta(days=1),
        )


def test_costs_of_running_are_refused_where_predictions_are_handed_in(world):
    now = timezone.now()
    with pytest.raises(ValidationError, match="to this phase predictions are handed in"):
        create_phase(
            actor=world.organizer,
            task=world.open_phase.task,
            assessment={
                **ASSESSMENT,
                "metrics": [*ASSESSMENT["metrics"], {"id": "run_wall_time", "by": "run", "worst": 60}],
            },
            slug="x",
            name="X",
            opens_at=now,
            closes_at=now + timedelta(days=1),
        )


def test_a_phase_cannot_close_before_it_opens(world):
    now = timezone.now()
    with pytest.raises(IntegrityError), transaction.atomic():
        Phase.objects.filter(pk=world.open_phase.pk).update(opens_at=now, closes_at=now - timedelta(days=1))


def test_closing_early_closes_once_and_tells_those_who_listen(world, monkeypatch):
    told = []
    monkeypatch.setattr(hooks, "phase_closed", [told.append])
    closed = close_phase(actor=world.organizer, phase=world.open_phase)
    again = close_phase(actor=world.organizer, phase=world.open_phase)
    assert closed.is_closed
    assert again.closed_at == closed.closed_at
    assert told == [world.open_phase.pk]
    assert Entry.objects.filter(act="phase_closed").count() == 1


def test_a_sealed_phase_is_open_to_all_once_closed(world):
    assert world.open_phase.is_sealed
    assert not close_phase(actor=None, phase=world.open_phase).is_sealed


def test_the_command_closes_the_last_open_phase(world, capsys):
    call_command("close_phase")
    world.open_phase.refresh_from_db()
    assert world.open_phase.is_closed
    assert "Second phase is closed" in capsys.readouterr().out
    with pytest.raises(CommandError, match="No open phase"):
        call_command("close_phase")


def test_the_command_wants_a_name_when_several_challenges_have_open_phases(world):
    build("other")
    with pytest.raises(CommandError, match=r"organs second.*other second|other second.*organs second"):
        call_command("close_phase")
    call_command("close_phase", "organs", "second")


def test_an_organizer_is_not_asked_to_take_part(world):
    assert not world.organizer.has_perm("challenges.join_challenge", world.challenge)
    assert person("new").has_perm("challenges.join_challenge", world.challenge)


def test_what_follows_the_end_of_a_phase_follows_once_also_when_its_time_just_came(world, monkeypatch):
    told = []
    monkeypatch.setattr(hooks, "phase_closed", [told.append])
    assert end_phases() == 1
    assert told == [world.closed_phase.pk]
    close_phase(actor=None, phase=world.open_phase)
    assert end_phases() == 0
    assert told == [world.closed_phase.pk, world.open_phase.pk]
