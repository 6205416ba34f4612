"""Entries of this app: tabs of a challenge, pages of organizers, kinds of messages."""

from typing import Any

import rules

from accounts.notifications import kinds
from accounts.notifications.hooks import HeldRole, roles
from accounts.notifications.kinds import How, Role
from challenges.hooks import phase_closed, register_organizer_page, register_tab
from challenges.models import Challenge, Member, Organizer, Participation
from challenges.services.phase_messages import KIND, tell_of_closed_phase
from designs.models import Collaborator

_KINDS: tuple[tuple[str, str, How, Role], ...] = (
    ("announcement", "The organizers of a challenge announce something", "at_once", "everyone"),
    ("team_changed", "Something about your team changes", "at_once", "participant"),
    ("team_invitation", "You are invited into a team", "at_once", "everyone"),
    ("join_request", "A person asks to take part in your challenge", "at_once", "organizer"),
    ("join_decided", "Organizers decide about your request", "at_once", "participant"),
    ("discussion", "There are new posts in a discussion that you follow", "daily", "everyone"),
    ("contact", "A private message between you and the organizers of a challenge", "at_once", "everyone"),
)


def register() -> None:
    """Enter everything; twice changes nothing."""
    register_tab("Team", "challenges:team", visible=_takes_part, order=30)
    register_tab("Information", "challenges:information", visible=_has_pages, order=55)
    register_tab("News", "challenges:news", order=60)
    register_tab("Discussion", "challenges:discussion", order=65)
    register_organizer_page("Dashboard", "challenges:organize", visible=_organizes, order=0)
    register_organizer_page("People and teams", "challenges:people", visible=_organizes, order=10)
    register_organizer_page("Access", "challenges:access", visible=_organizes, order=12)
    register_organizer_page("Messages", "challenges:contacts", visible=_answers, order=15)
    register_organizer_page("Announce", "challenges:announce", visible=_announces, order=30)
    register_organizer_page("Pages", "challenges:pages", visible=_organizes, order=31)
    phase_closed.register(tell_of_closed_phase)
    kinds.register(KIND, "A phase of your challenge opens, is about to close, or closes", order=19)
    for order, (name, title, default, role) in enumerate(_KINDS, start=20):
        kinds.register(name, title, default=default, order=order, role=role)
    roles.register(HeldRole("participant", "As a participant", is_held=_is_participant), order=10)
    roles.register(HeldRole("organizer", "As an organizer", is_held=_is_organizer), order=20)


def _is_participant(user: Any) -> bool:
    return Member.objects.filter(user=user).exists() or Participation.objects.filter(user=user).exists()


def _is_organizer(user: Any) -> bool:
    return Organizer.objects.filter(user=user).exists() or Collaborator.objects.filter(user=user).exists()


def _takes_part(user: Any, challenge: Challenge) -> bool:
    is_member: bool = rules.test_rule("challenges.belong_to_team", user, challenge)
    return is_member


def _has_pages(user: Any, challenge: Challenge) -> bool:  # noqa: ARG001 (the signature of a predicate)
    return challenge.has_pages


def _organizes(user: Any, challenge: Challenge) -> bool:
    is_organizer: bool = user.has_perm("challenges.organize_challenge", challenge)
    return is_organizer


def _announces(user: Any, challenge: Challenge) -> bool:
    may_announce: bool = user.has_perm("challenges.announce_in_challenge", challenge)
    return may_announce


def _answers(user: Any, challenge: Challenge) -> bool:
    may_answer: bool = rules.test_rule("challenges.answer_contacts", user, challenge)
    return may_answer
