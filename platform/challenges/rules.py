"""Permissions in a challenge: predicates, declared once, used by views, API and templates."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import rules
from django.db.models import Q

from accounts.queries import proven_domains, proven_institutions
from challenges.models import AccessRule, Admission, Challenge, Contact, Member, Organizer, Task, Team
from designs.rules import is_editor
from registry.models import Registration

FOR_READERS = Q(is_public=True) | Q(is_closed=True, projection__opened_at__isnull=False)
"""Condition of challenges that people other than organizers may see: `Challenge.is_for_readers` as a query."""


def admitting(user: Any) -> Q:
    """Condition of closed challenges that admit a person: as a member, by a link, a verified e-mail domain or an institution.

    This and `readable_by` are the only places that decide who sees a closed challenge.
    """
    if not user.is_authenticated:
        return Q(pk__in=())
    proofs = Q(kind=AccessRule.Kind.DOMAIN, value__in=proven_domains(user))
    proofs |= Q(kind=AccessRule.Kind.INSTITUTION, value__in=proven_institutions(user))
    admitted = (
        Q(pk__in=Member.objects.filter(user=user).values("challenge"))
        | Q(pk__in=Admission.objects.filter(user=user).values("challenge"))
        | Q(pk__in=AccessRule.objects.filter(proofs).values("challenge"))
    )
    return Q(is_closed=True, projection__opened_at__isnull=False) & admitted


def readable_by(user: Any) -> Q:
    """Condition of challenges that a person may read without a role: public ones, and closed ones that admit the person."""
    return Q(is_public=True) | admitting(user)


def remember_parts(user: Any, challenge: Challenge) -> None:
    """Look up once which part `user` has in `challenge`, for all predicates on this object of a user.

    Called at the beginning of a request, whose user object lives as long as the request; without it the predicates ask
    the database each time, as acts outside of a request have to.
    """
    if user.is_authenticated:
        user.parts_in_challenges = {
            challenge.pk: Parts(
                role=Organizer.objects.filter(challenge=challenge, user=user).values_list("role", flat=True).first(),
                takes_part=Member.objects.filter(challenge=challenge, user=user).exists(),
                is_admitted=_is_admitted(user, challenge),
            )
        }


def remember_parts_in(user: Any, challenges: Sequence[Challenge]) -> None:
    """The same for several challenges, in a constant number of queries: for pages that show all those of a person."""
    if user.is_authenticated:
        roles = dict(Organizer.objects.filter(challenge__in=challenges, user=user).values_list("challenge", "role"))
        taking = set(Member.objects.filter(challenge__in=challenges, user=user).values_list("challenge", flat=True))
        closed = [challenge.pk for challenge in challenges if challenge.is_closed]
        admitted = set(Challenge.objects.filter(admitting(user), pk__in=closed).values_list("pk", flat=True))
        user.parts_in_challenges = {
            challenge.pk: Parts(roles.get(challenge.pk), challenge.pk in taking, challenge.pk in admitted)
            for challenge in challenges
        }


class Parts(NamedTuple):
    """Role and participation of a person in a challenge, and whether a closed one admits the person."""

    role: str | None
    takes_part: bool
    is_admitted: bool = False


def _is_admitted(user: Any, challenge: Challenge) -> bool:
    return challenge.is_closed and Challenge.objects.filter(admitting(user), pk=challenge.pk).exists()


def _remembered(user: Any, challenge: Challenge) -> Parts | None:
    return getattr(user, "parts_in_challenges", {}).get(challenge.pk)


def _role(user: Any, challenge: Challenge | None) -> str | None:
    """Role of a person among those who run a challenge; administrators are owners of all."""
    if challenge is None or not user.is_authenticated:
        return None
    if user.is_superuser:
        return Organizer.Role.OWNER
    if parts := _remembered(user, challenge):
        return parts.role
    return Organizer.objects.filter(challenge=challenge, user=user).values_list("role", flat=True).first()


@rules.predicate
def is_owner(user: Any, challenge: Challenge | None) -> bool:
    """Decides about everything, also who else organizes."""
    return _role(user, challenge) == Organizer.Role.OWNER


@rules.predicate
def is_organizer(user: Any, challenge: Challenge | None) -> bool:
    """Runs the challenge and sees what participants must not see, or administers the platform."""
    return _role(user, challenge) in Organizer.TRUSTED


@rules.predicate
def is_named_organizer(user: Any, challenge: Challenge | None) -> bool:
    """Return whether a person is an organizer who runs the challenge and sees hidden content.

    Administrators of the platform without such a role do not count.
    """
    if challenge is None or not user.is_authenticated:
        return False
    if parts := _remembered(user, challenge):
        return parts.role in Organizer.TRUSTED
    return Organizer.objects.filter(challenge=challenge, user=user, role__in=Organizer.TRUSTED).exists()


@rules.predicate
def is_moderator(user: Any, challenge: Challenge | None) -> bool:
    """Has any role among those who run the challenge: may announce and moderate."""
    return _role(user, challenge) is not None


@rules.predicate
def is_participant(user: Any, challenge: Challenge | None) -> bool:
    """Belongs to a team of the challenge."""
    if challenge is None or not user.is_authenticated:
        return False
    if parts := _remembered(user, challenge):
        return parts.takes_part
    return Member.objects.filter(challenge=challenge, user=user).exists()


@rules.predicate
def has_a_free_task(user: Any, challenge: Challenge | None) -> bool:
    """May take part in a task in which no team has the person yet."""
    if challenge is None or not user.is_authenticated:
        return False
    if not is_participant(user, challenge):
        return True
    return Task.objects.filter(challenge=challenge).exclude(seats__user=user).exists()


@rules.predicate
def is_captain(user: Any, team: Team | None) -> bool:
    """Return whether a person is a captain of the team, and thus represents it."""
    if team is None or not user.is_authenticated:
        return False
    return Member.objects.filter(team=team, user=user, role=Member.Role.CAPTAIN).exists()


@rules.predicate
def is_public(user: Any, challenge: Challenge | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Return whether the challenge is public."""
    return challenge is not None and challenge.is_public


@rules.predicate
def is_reader(user: Any, challenge: Challenge | None) -> bool:
    """Return whether a person sees the challenge without a role: it is public, or it is closed and admits the person."""
    if challenge is None or challenge.is_public or not challenge.is_closed:
        return challenge is not None and challenge.is_public
    if not user.is_authenticated:
        return False
    if parts := _remembered(user, challenge):
        return parts.is_admitted
    return _is_admitted(user, challenge)


@rules.predicate
def is_correspondent(user: Any, contact: Contact | None) -> bool:
    """Return whether a person takes part in a private conversation: its sender, and the organizers of the challenge.

    Administrators of the platform do not.
    """
    if contact is None or not user.is_authenticated:
        return False
    return contact.sender_id == user.pk or bool(is_named_organizer(user, contact.challenge))


@rules.predicate
def may_contact(user: Any, challenge: Challenge | None) -> bool:
    """Return whether a person may write to the organizers: anyone signed in who sees the challenge, except organizers."""
    if challenge is None or not user.is_authenticated:
        return False
    return bool(is_reader(user, challenge)) and not is_named_organizer(user, challenge)


@rules.predicate
def may_launch(user: Any, registration: Registration | None) -> bool:
    """Return whether a person may launch a registration.

    The person must be able to change the registered design or administer the platform. A registration that has
    ended cannot be launched.
    """
    if registration is None or registration.is_ended or not user.is_authenticated:
        return False
    return user.is_superuser or is_editor(user, registration.design)


rules.add_perm("challenges.view_challenge", is_reader | is_moderator)
rules.add_perm("challenges.organize_challenge", is_organizer)
# A rule and not a permission: Django grants every permission to administrators, also for what has ended.
rules.add_rule("challenges.launch_registration", may_launch)
rules.add_perm("challenges.join_challenge", rules.is_authenticated & is_reader & ~is_moderator & has_a_free_task)
rules.add_perm("challenges.submit_to_challenge", (is_reader | is_organizer) & is_participant)
rules.add_perm("challenges.decide_people", is_organizer)
rules.add_perm("challenges.close_phase", is_owner)
rules.add_perm("challenges.disqualify_team", is_owner)
rules.add_perm("challenges.choose_organizers", is_owner)
rules.add_perm("challenges.announce_in_challenge", is_moderator)
rules.add_perm("challenges.moderate_challenge", is_moderator)
rules.add_perm("challenges.discuss_challenge", rules.is_authenticated & (is_reader | is_moderator))

# Rules and not permissions: Django grants every permission to administrators, who must not act for a team.
rules.add_rule("challenges.belong_to_team", is_participant)
rules.add_rule("challenges.lead_team", is_captain)
rules.add_rule("challenges.contact_organizers", may_contact)
rules.add_rule("challenges.read_contact", is_correspondent)
rules.add_rule("challenges.answer_contacts", is_named_organizer)
