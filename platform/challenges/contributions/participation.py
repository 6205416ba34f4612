"""Entries of this app: tabs of a challenge, pages of organizers, kinds of messages."""

from typing import Any

import rules

from accounts.notifications import kinds
from accounts.notifications.kinds import How
from challenges.hooks import phase_closed, register_organizer_page, register_tab
from challenges.models import Challenge
from challenges.services.phase_messages import KIND, tell_of_closed_phase

_KINDS: tuple[tuple[str, str, How], ...] = (
    ("announcement", "The organizers of a challenge announce something", "at_once"),
    ("team_changed", "Something about your team changes", "at_once"),
    ("team_invitation", "Somebody invites you into a team", "at_once"),
    ("join_request", "Somebody asks to take part in your challenge", "at_once"),
    ("join_decided", "Organizers decide about your request", "at_once"),
    ("discussion", "Somebody writes in a discussion that you follow", "daily"),
)


def register() -> None:
    """Enter everything; twice changes nothing."""
    register_tab("Team", "challenges:team", visible=_takes_part, order=30)
    register_tab("News", "challenges:news", order=60)
    register_tab("Discussion", "challenges:discussion", order=65)
    register_organizer_page("Dashboard", "challenges:organize", visible=_organizes, order=0)
    register_organizer_page("People and teams", "challenges:people", visible=_organizes, order=10)
    register_organizer_page("Announce", "challenges:announce", visible=_announces, order=30)
    phase_closed.register(tell_of_closed_phase)
    kinds.register(KIND, "A phase of your challenge opens, is about to close, or closes", order=19)
    for order, (name, title, default) in enumerate(_KINDS, start=20):
        kinds.register(name, title, default=default, order=order)


def _takes_part(user: Any, challenge: Challenge) -> bool:
    is_member: bool = rules.test_rule("challenges.belong_to_team", user, challenge)
    return is_member


def _organizes(user: Any, challenge: Challenge) -> bool:
    is_organizer: bool = user.has_perm("challenges.organize_challenge", challenge)
    return is_organizer


def _announces(user: Any, challenge: Challenge) -> bool:
    may_announce: bool = user.has_perm("challenges.announce_in_challenge", challenge)
    return may_announce
