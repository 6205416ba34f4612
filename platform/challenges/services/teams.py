"""Acts on teams: forming one, joining, leaving, and in which tasks it takes part."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain import letters_of_people
from accounts.notifications.domain.acts import Act
from accounts.notifications.domain.letters_of_people import OfPerson
from accounts.notifications.services import notify
from challenges import hooks
from challenges.models import PSEUDONYM, Challenge, Member, Participation, Seat, Task, Team
from challenges.queries.people import terms_of
from core.audit.services import record
from web.names import clean_name, confusable_with, slug_of


@transaction.atomic
def join_with_team(*, user: User, challenge: Challenge, team_name: str, tasks: Iterable[Task] | None = None) -> Team:
    """Take part in a challenge with a new team of which `user` is the captain.

    Parameters
    ----------
    tasks
        Those in which the team takes part; all of the challenge if not given.

    Raises
    ------
    ValidationError
        When the name is taken or unusable, or when the person already belongs to a team of one of the tasks.
    """
    name, slug = check_team_name(challenge, team_name)
    wanted = list(challenge.tasks.all() if tasks is None else tasks)
    if any(task.challenge_id != challenge.pk for task in wanted):
        raise ValidationError("A team takes part in tasks of one challenge.")
    if not wanted:
        raise ValidationError("Choose at least one task to take part in.")
    _check_free(user, wanted, you=True)
    try:
        with transaction.atomic():
            team = Team.objects.create(challenge=challenge, name=name, slug=slug)
            team.tasks.set(wanted)
            _seat(Member.objects.create(team=team, challenge=challenge, user=user), wanted)
    except IntegrityError as error:
        raise ValidationError(
            "You already belong to a team of this task, or another person took this name at the same moment."
        ) from error
    record(
        actor=user,
        act="team_joined",
        subject=team,
        scope=challenge.slug,
        facts={"team": name, "tasks": [task.slug for task in wanted]},
    )
    return team


def check_team_name(challenge: Challenge, team_name: str) -> tuple[str, str]:
    """Return the name of a new team as it is stored, and its address; the challenge stays locked until the transaction ends.

    Raises
    ------
    ValidationError
        When the name is taken or unusable.
    """
    # Two people who ask for names that look alike do so one after the other.
    Challenge.objects.select_for_update(of=("self",), no_key=True).get(pk=challenge.pk)
    try:
        name = clean_name(team_name)
    except ValidationError as error:
        raise ValidationError({"team_name": error.messages}) from error
    slug = slug_of(name, otherwise="team", length=90)
    if not slug:
        raise ValidationError({"team_name": "A team name needs at least one letter or digit."})
    if not name[0].isalnum():  # "=1+1" would be a formula in everybody's spreadsheet of the results
        raise ValidationError({"team_name": "A team name begins with a letter or a digit."})
    if name.casefold().startswith(PSEUDONYM.casefold()):
        raise ValidationError(
            {"team_name": f"Names that begin with “{PSEUDONYM}” are reserved for teams without a public name."}
        )
    if Team.objects.filter(challenge=challenge, slug=slug).exists():
        raise ValidationError(
            {"team_name": f"There is already a team named “{name}” here; please choose another name."}
        )
    taken = Team.objects.filter(challenge=challenge).values_list("name", flat=True)
    if alike := confusable_with(name, taken):
        raise ValidationError(
            {"team_name": f"“{name}” looks like “{alike}”, which a team here is called; please choose another name."}
        )
    return name, slug


@transaction.atomic
def make_team(*, actor: User | None, challenge: Challenge, team_name: str, tasks: Iterable[Task]) -> Team:
    """Make a team without members, for results of people who do not take part here themselves.

    Raises
    ------
    ValidationError
        As `check_team_name`.
    """
    name, slug = check_team_name(challenge, team_name)
    wanted = list(tasks)
    team = Team.objects.create(challenge=challenge, name=name, slug=slug)
    team.tasks.set(wanted)
    record(
        actor=actor,
        act="team_made",
        subject=team,
        scope=challenge.slug,
        facts={"team": name, "tasks": [task.slug for task in wanted]},
    )
    return team


def form_team(*, user: User, challenge: Challenge, team_name: str, tasks: Iterable[Task] | None = None) -> Team:
    """Make a team whose captain is `user`, who takes part already.

    Raises
    ------
    ValidationError
        As `join_with_team`, and for a person who is not admitted.
    """
    check_admitted(user, challenge)
    return join_with_team(user=user, challenge=challenge, team_name=team_name, tasks=tasks)


@transaction.atomic
def enter_task(*, actor: User, team: Team, task: Task) -> None:
    """Take part in one more task with the whole team; doing so twice changes nothing.

    Raises
    ------
    ValidationError
        When a member takes part in the task with another team.
    """
    team = Team.objects.select_for_update(of=("self",), no_key=True).select_related("challenge").get(pk=team.pk)
    if task.challenge_id != team.challenge_id:
        raise ValidationError("A team takes part in tasks of one challenge.")
    if team.tasks.filter(pk=task.pk).exists():
        return
    members = list(team.members.select_related("user"))
    for member in members:
        _check_free(member.user, [task], you=member.user_id == actor.pk)
    try:
        with transaction.atomic():
            team.tasks.add(task)
            for member in members:
                _seat(member, [task])
    except IntegrityError as error:
        raise ValidationError("A member of the team has just joined another team for this task.") from error
    record(
        actor=actor,
        act="team_task_entered",
        subject=team,
        scope=team.challenge.slug,
        facts={"team": team.name, "task": task.slug},
    )


@transaction.atomic
def drop_task(*, actor: User, team: Team, task: Task) -> None:
    """Take part in a task no longer, so that its members are free to do so with other teams.

    Raises
    ------
    ValidationError
        When the team has submitted to the task, or takes part in no other.
    """
    team = Team.objects.select_for_update(of=("self",), no_key=True).select_related("challenge").get(pk=team.pk)
    if task.pk in hooks.handed_in(team).tasks:
        raise ValidationError(f"The team has submitted to {task.name}: it stays in it.")
    if not team.tasks.exclude(pk=task.pk).exists():
        raise ValidationError("A team takes part in at least one task. Leave the team instead.")
    if not team.tasks.filter(pk=task.pk).exists():
        return
    team.tasks.remove(task)
    Seat.objects.filter(member__team=team, task=task).delete()
    record(
        actor=actor,
        act="team_task_dropped",
        subject=team,
        scope=team.challenge.slug,
        facts={"team": team.name, "task": task.slug},
    )


@transaction.atomic
def leave(*, user: User, member: Member, actor: User | None = None) -> None:
    """Leave a team, or be removed from it by its captain.

    In tasks to which the team has not submitted, the person is free to join another team. In the other tasks
    the seat remains, so that no person submits to a task with two teams. Submissions count towards the quota of
    the person who sent them, in any later team. A captain must transfer the team first. A team that never sent
    anything is deleted with its last member.

    Raises
    ------
    ValidationError
        For a captain of a team with other members, and for the last member of a team that has submitted.
    """
    team = Team.objects.select_for_update(of=("self",), no_key=True).select_related("challenge").get(pk=member.team_id)
    member = Member.objects.select_for_update(no_key=True).get(pk=member.pk)
    others = team.members.exclude(pk=member.pk)
    handed = hooks.handed_in(team)
    if member.role == Member.Role.CAPTAIN and others.exists():
        raise ValidationError("Hand the team over to another member before you leave it.")
    if handed.tasks and not others.exists():
        raise ValidationError("You can't leave because you're the last member of a team with submissions.")
    record(
        actor=actor or user,
        act="team_left",
        subject=team,
        scope=team.challenge.slug,
        facts={"team": team.name, "user": user.pk, "submitted": bool(handed.tasks)},
    )
    if actor is not None and actor.pk != user.pk:
        _tell(user, team, letters_of_people.REMOVED, actor, to="detail")
    member.seats.exclude(task__in=handed.tasks).delete()
    if handed.anything:
        member.left_at = timezone.now()
        member.save(update_fields=["left_at"])
    else:
        member.delete()
        if not others.exists():
            team.delete()


@transaction.atomic
def hand_over(*, actor: User, team: Team, member: Member) -> None:
    """Make another member the captain."""
    rows = {row.pk: row for row in Member.objects.select_for_update(no_key=True).filter(team=team)}
    if member.pk not in rows:
        raise ValidationError("This person is no longer in the team.")
    for row in rows.values():
        role = Member.Role.CAPTAIN if row.pk == member.pk else Member.Role.MEMBER
        if row.role != role:
            row.role = role
            row.save(update_fields=["role"])
    if member.user_id != actor.pk:
        _tell(member.user, team, letters_of_people.CAPTAIN, actor)
    record(
        actor=actor,
        act="team_handed_over",
        subject=team,
        scope=team.challenge.slug,
        facts={"team": team.name, "captain": member.user_id},
    )


def _tell(user: User, team: Team, act: Act[OfPerson], actor: User, *, to: str = "team") -> None:
    """Notify a person of another person's act on their membership in a team, and of its effect."""
    letter = act.letter(OfPerson(team.challenge.title, actor.display_name, team.name))
    notify(
        people=[user],
        kind="team_changed",
        subject=letter.subject,
        text=letter.text,
        address=reverse(f"challenges:{to}", args=[team.challenge.slug]),
        scope=team.challenge.slug,
    )


def check_admitted(user: User, challenge: Challenge) -> None:
    """Refuse a person who has not accepted the terms, or whom organizers have not let in."""
    part: Any = Participation.objects.filter(challenge=challenge, user=user).first()
    if part is None or part.state != Participation.State.APPROVED:
        raise ValidationError("Accept the terms of this challenge first; where organizers admit people, wait for them.")


def check_size(team: Team, more: int) -> None:
    """Refuse `more` members if the terms do not allow that number."""
    terms = terms_of(team.challenge)
    if terms and terms.team_size and team.members.count() + more > terms.team_size:
        raise ValidationError(
            f"A team of this challenge has at most {terms.team_size} members, open invitations included."
        )


@transaction.atomic
def join(user: User, team: Team) -> Member:
    """Make a person a member, or a member again, with a seat in every task of the team.

    Raises
    ------
    ValidationError
        For a person who takes part in one of its tasks with another team.
    """
    tasks = list(team.tasks.all())
    _check_free(user, tasks, you=True, but=team)
    try:
        with transaction.atomic():
            member, is_new = Member.everybody.get_or_create(
                team=team, user=user, defaults={"challenge": team.challenge, "role": Member.Role.MEMBER}
            )
            if not is_new:
                member.role, member.left_at = Member.Role.MEMBER, None
                member.save(update_fields=["role", "left_at"])
            seated_tasks = set(member.seats.values_list("task", flat=True))
            _seat(member, [task for task in tasks if task.pk not in seated_tasks])
    except IntegrityError as error:
        raise ValidationError("You have just joined another team of the same task.") from error
    return member


def _seat(member: Member, tasks: Iterable[Task]) -> None:
    Seat.objects.bulk_create([Seat(member=member, task=task, user_id=member.user_id) for task in tasks])


def _check_free(user: User, tasks: Iterable[Task], *, you: bool, but: Team | None = None) -> None:
    """Refuse a person who takes part in one of the tasks with another team, and name that team."""
    rows = Seat.objects.filter(user=user, task__in=list(tasks)).select_related("task", "member__team")
    held = rows.exclude(member__team=but).first() if but else rows.first()
    if held is None:
        return
    if not you:
        raise ValidationError(f"{user.display_name} takes part in {held.task.name} with another team.")
    left = ", which had submitted when you left it" if held.member.left_at else ""
    raise ValidationError(
        f"You already belong to the team {held.member.team.name} in {held.task.name}{left}: "
        "each person submits to a task with one team only."
    )
