"""Finding what organizers have to look at: conflicts of interest (MAN-11, MAN-12) and several accounts (MAN-10)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Concern, Member, Participation
from challenges.queries.conflicts import Registered, registered_people
from challenges.queries.people import organizers_of
from core.audit.services import record

# Providers of mail to everybody: a common address there says nothing about an institution.
PUBLIC_MAIL = frozenset(
    [
        "gmail.com",
        "googlemail.com",
        "outlook.com",
        "hotmail.com",
        "live.com",
        "yahoo.com",
        "icloud.com",
        "me.com",
        "proton.me",
        "protonmail.com",
        "gmx.de",
        "gmx.net",
        "web.de",
        "qq.com",
        "163.com",
        "126.com",
        "mail.ru",
        "yandex.ru",
        "aol.com",
        "example.org",
        "example.com",
    ]
)
_GENERAL = frozenset(
    [
        "the",
        "of",
        "and",
        "for",
        "university",
        "universität",
        "institute",
        "department",
        "dept",
        "center",
        "centre",
        "hospital",
    ]
)


def find_concerns(*, challenge: Challenge, users: Sequence[User]) -> list[Concern]:
    """Look for conflicts of the given people, and for accounts like theirs in other teams; the same is found once.

    Call it in the transaction of the act that made the people take part.
    """
    concerns = []
    registered = registered_people(challenge)
    organizers = organizers_of(challenge)
    teams = dict(Member.objects.filter(challenge=challenge).values_list("user_id", "team_id"))
    parts = {part.user_id: part for part in Participation.objects.filter(challenge=challenge).select_related("user")}
    for user in users:
        affiliation = parts[user.pk].affiliation if user.pk in parts else user.affiliation
        for kind, evidence in _conflicts(user, affiliation, organizers, registered):
            concerns.append(
                Concern(
                    challenge=challenge,
                    kind=kind,
                    user=user,
                    team_id=teams.get(user.pk),
                    key=f"user {user.pk}",
                    evidence=evidence[:500],
                )
            )
    concerns += _similar(challenge, {user.pk for user in users}, parts, teams)
    Concern.objects.bulk_create(concerns, ignore_conflicts=True)
    stored = set(
        Concern.objects.filter(challenge=challenge, key__in=[row.key for row in concerns]).values_list("kind", "key")
    )
    # Who joined a team later: the concern is about that team now.
    for user_id, team_id in teams.items():
        if any(user.pk == user_id for user in users):
            Concern.objects.filter(challenge=challenge, user_id=user_id, team=None).update(team_id=team_id)
    return [row for row in concerns if (row.kind, row.key) in stored]


@transaction.atomic
def decide_concern(*, actor: User, concern: Concern, uphold: bool, note: str) -> Concern:
    """Decide about a concern, with a note for the record.

    Raises
    ------
    ValidationError
        Without a note.
    """
    if not note.strip():
        raise ValidationError("Say what you found: the record keeps it.")
    concern = (
        Concern.objects.select_for_update(of=("self",), no_key=True).select_related("challenge").get(pk=concern.pk)
    )
    concern.state = Concern.State.UPHELD if uphold else Concern.State.DISMISSED
    concern.note, concern.decided_by, concern.decided_at = note.strip()[:500], actor, timezone.now()
    concern.save()
    record(
        actor=actor,
        act=f"concern_{concern.state}",
        subject=concern,
        scope=concern.challenge.slug,
        facts={"kind": concern.kind, "user": concern.user_id, "team": concern.team_id},
    )
    return concern


def _conflicts(
    user: User, affiliation: str, organizers: Iterable[User], registered: Registered
) -> Iterable[tuple[str, str]]:
    domain = _domain(user.email)
    affiliations = [text for text in (affiliation, user.affiliation) if text]
    for organizer in organizers:
        if domain and domain == _domain(organizer.email):
            yield Concern.Kind.ORGANIZER, f"same e-mail domain {domain} as the organizer {organizer.display_name}"
            break
        if any(same_institution(text, organizer.affiliation) for text in affiliations):
            yield Concern.Kind.ORGANIZER, f"same affiliation as the organizer {organizer.display_name}"
            break
    else:
        for person in registered.organizers:
            if any(same_institution(text, named) for text in affiliations for named in person.institutions):
                yield Concern.Kind.ORGANIZER, f"same affiliation as {person.name} of the registered organizing team"
                break
    name = user.get_full_name()
    for person in registered.label_access:
        if name and _words(name) == _words(person.name):
            yield Concern.Kind.LABELS, f"named in the registered list of access to test labels: {person.name}"
            return
        if any(same_institution(text, named) for text in affiliations for named in (person.name, *person.institutions)):
            yield Concern.Kind.LABELS, f"same affiliation as {person.name}, who had access to test labels"
            return


def _similar(
    challenge: Challenge, wanted: set[int], parts: dict[int, Participation], teams: dict[int, int]
) -> list[Concern]:
    """People in different teams, or not in one yet, who share what two people do not share."""
    groups: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for part in parts.values():
        user = part.user
        for orcid in {part.orcid, user.orcid} - {""}:
            groups["the same ORCID iD", orcid].append(user)
        if mailbox := _mailbox(user.email):
            groups["e-mail addresses of one mailbox", mailbox].append(user)
        name, affiliation_words = _words(user.get_full_name()), _words(part.affiliation or user.affiliation)
        if len(name) > 1 and affiliation_words:
            groups[
                "the same name and affiliation", " ".join(sorted(name)) + "/" + " ".join(sorted(affiliation_words))
            ].append(user)
    concern_by_key: dict[str, Concern] = {}
    for (what, _), users in groups.items():
        unique = sorted({user.pk: user for user in users}.values(), key=lambda user: user.pk)
        for index, first in enumerate(unique):
            for second in unique[index + 1 :]:
                ours, theirs = teams.get(first.pk), teams.get(second.pk)
                if not {first.pk, second.pk} & wanted or (ours is not None and ours == theirs):
                    continue
                key = f"users {first.pk} {second.pk}"
                newer = second
                concern_by_key.setdefault(
                    key,
                    Concern(
                        challenge=challenge,
                        kind=Concern.Kind.ACCOUNTS,
                        user=newer,
                        team_id=teams.get(newer.pk),
                        key=key,
                        evidence=f"{first.username} and {second.username} have {what}"[:500],
                    ),
                )
    return list(concern_by_key.values())


def same_institution(first: str, second: str) -> bool:
    """Return whether two affiliations appear to name one institution.

    The comparison uses only the text, and a person decides.

    >>> same_institution("DKFZ, Heidelberg", "Intelligent Medical Systems, DKFZ Heidelberg")
    True
    >>> same_institution("University of Bern", "University of Basel"), same_institution("", "")
    (False, False)
    """
    one, other = _words(first) - _GENERAL, _words(second) - _GENERAL
    if not one or not other:
        return False
    shorter, longer = sorted((one, other), key=len)
    return shorter <= longer


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))


def _domain(email: str) -> str:
    domain = email.rpartition("@")[2].casefold()
    return "" if domain in PUBLIC_MAIL else domain


def _mailbox(email: str) -> str:
    """Return an address without the parts that providers ignore.

    >>> _mailbox("Ada.Lovelace+two@gmail.com") == _mailbox("adalovelace@googlemail.com")
    True
    """
    local, _, domain = email.casefold().rpartition("@")
    local = local.partition("+")[0]
    if domain in ("gmail.com", "googlemail.com"):
        local, domain = local.replace(".", ""), "gmail.com"
    return f"{local}@{domain}" if local else ""
