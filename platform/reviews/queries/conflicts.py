"""Conflicts of interest between reviewers and filings: declared ones, and those that follow from facts (REV-6)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from designs.models import Collaborator, DesignVersion
from reviews import hooks
from reviews.models import Call, Conflict, FiledVersion, Filing, Reviewer


@dataclass(frozen=True)
class ConflictReason:
    """Reason why a reviewer cannot review a filing."""

    kind: str
    words: str


@dataclass(frozen=True)
class Team:
    """People and institutions behind a filing, as far as matching requires."""

    users: frozenset[int]
    emails: frozenset[str]
    names: frozenset[str]
    institutions: frozenset[str]


Pair = tuple[int, int]


def conflicts_of(
    call: Call, *, filings: Iterable[Filing] | None = None, reviewers: Iterable[Reviewer] | None = None
) -> dict[Pair, list[ConflictReason]]:
    """All conflicts of a call by reviewer and filing id, in a constant number of queries."""
    chosen = list(Filing.objects.filter(call=call) if filings is None else filings)
    people = list(
        Reviewer.objects.filter(call=call, left_at=None).select_related("user") if reviewers is None else reviewers
    )
    teams = teams_of(chosen)
    declared: dict[Pair, list[ConflictReason]] = defaultdict(list)
    for conflict in Conflict.objects.filter(filing__in=chosen, reviewer__in=people):
        declared[conflict.reviewer_id, conflict.filing_id].append(
            ConflictReason("declared", f"declared: {conflict.reason}")
        )
    members = {user for team in teams.values() for user in team.users}
    together = hooks.pairs_together({person.user_id for person in people}, members)
    conflicts: dict[Pair, list[ConflictReason]] = {}
    for person in people:
        for filing in chosen:
            reasons = [
                *declared[person.pk, filing.pk],
                *_matches(person, teams[filing.pk], call.quiet_domains, together),
            ]
            if reasons:
                conflicts[person.pk, filing.pk] = reasons
    return conflicts


def teams_of(filings: Iterable[Filing]) -> dict[int, Team]:
    """The people of each filing: who writes the design here, and whom the filed document names."""
    chosen = list(filings)
    users: dict[int, list[Any]] = defaultdict(list)
    for part in Collaborator.objects.filter(design__in=[f.design_id for f in chosen]).select_related("user"):
        users[part.design_id].append(part.user)
    rows: dict[int, list[Mapping[str, Any]]] = {}
    # The newest version comes last and stays.
    for filed in FiledVersion.objects.filter(filing__in=chosen).select_related("version").order_by("number"):
        rows[filed.filing_id] = named_people(filed.version)
    teams = {}
    for filing in chosen:
        accounts, named = users[filing.design_id], rows.get(filing.pk, [])
        teams[filing.pk] = Team(
            users=frozenset(user.pk for user in accounts),
            emails=frozenset(
                email.lower()
                for email in (*(user.email for user in accounts), *(str(row.get("email") or "") for row in named))
                if email
            ),
            names=frozenset(
                normal(name)
                for name in (*(user.display_name for user in accounts), *(str(row.get("name") or "") for row in named))
                if name
            ),
            institutions=frozenset(
                name
                for text in (
                    *(user.affiliation for user in accounts),
                    *(str(row.get("affiliation") or "") for row in named),
                )
                for name in institutions(text)
            ),
        )
    return teams


def named_people(version: DesignVersion) -> list[Mapping[str, Any]]:
    """Rows of the organizing team and the contact person of a frozen version, embargoed or not."""
    named: list[Mapping[str, Any]] = []
    for parameter in ("organizing_team", "contact_person"):
        value = version.document["challenge"].get(parameter)
        if value is None:
            value = version.sealed.get(f"challenge/{parameter}", {}).get("value")
        named += [row for row in (value if isinstance(value, list) else [value]) if isinstance(row, Mapping)]
    return named


def institutions(affiliation: str) -> frozenset[str]:
    """Return the institutions of an affiliation, without city and department.

    >>> sorted(institutions("German Cancer Research Center (DKFZ), Heidelberg; Example University, Bonn"))
    ['dkfz', 'example university', 'german cancer research center']
    """
    names = set()
    for one in affiliation.split(";"):
        names.add(normal(re.sub(r"\([^)]*\)", "", one).split(",")[0]))
        names |= {normal(short) for short in re.findall(r"\(([^)]{2,20})\)", one)}
    return frozenset(name for name in names if name)


def normal(text: str) -> str:
    """Letters and digits in lower case with single spaces."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def domain(email: str) -> str:
    """The part behind the @, in lower case."""
    return email.rpartition("@")[2].lower()


def related(one: str, other: str) -> bool:
    """Return whether two mail domains are equal, or one is a subdomain of the other.

    >>> related("radiology.example.edu", "example.edu"), related("ample.edu", "example.edu")
    (True, False)
    """
    return bool(one) and (one == other or one.endswith(f".{other}") or other.endswith(f".{one}"))


def _matches(person: Reviewer, team: Team, quiet: frozenset[str], together: set[Pair]) -> list[ConflictReason]:
    user, conflicts = person.user, []
    if user.pk in team.users or user.email.lower() in team.emails or normal(user.display_name) in team.names:
        conflicts.append(ConflictReason("team", "belongs to the organizing team"))
    if shared := institutions(user.affiliation) & team.institutions:
        conflicts.append(ConflictReason("institution", f"same institution: {', '.join(sorted(shared))}"))
    mail_domain = domain(user.email)
    if mail_domain not in quiet and any(
        related(mail_domain, other) for email in team.emails if (other := domain(email)) and other not in quiet
    ):
        conflicts.append(ConflictReason("domain", f"same mail domain: {mail_domain}"))
    if any((user.pk, member) in together for member in team.users):
        conflicts.append(ConflictReason("together", "took part in a challenge together"))
    return conflicts
