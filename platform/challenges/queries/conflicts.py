"""Registered terms of participation, and people whose participation is restricted."""

from dataclasses import dataclass
from typing import Any

from challenges.models import Challenge, Team
from challenges.queries.projections import projection_of, registered_document

# What the registered policy makes of a team with a member of an organizing institute.
CONSEQUENCES = {
    "not_allowed": Team.Standing.DISQUALIFIED,
    "allowed_unranked": Team.Standing.UNRANKED,
    "allowed_separate_listing": Team.Standing.UNRANKED,
    "allowed_ranked_no_award": Team.Standing.NO_AWARD,
    "allowed_fully": Team.Standing.RANKED,
}


@dataclass(frozen=True)
class Named:
    """A person or group of the registered design."""

    name: str
    institutions: tuple[str, ...]


@dataclass(frozen=True)
class Registered:
    """Registered organizers, people with label access, and the rules for their participation."""

    organizers: tuple[Named, ...] = ()
    label_access: tuple[Named, ...] = ()
    policy: str = ""
    agreement: str = ""
    asks_for_methods: bool = False

    @property
    def consequence(self) -> str | None:
        """The standing that the policy gives to teams of organizers' institutes; none without a policy."""
        return CONSEQUENCES.get(self.policy)


def registered_people(challenge: Challenge) -> Registered:
    """Return the content of the registered version; empty for a challenge that was created without one."""
    projection = projection_of(challenge)
    if projection is None:
        return Registered()
    values = registered_document(projection.version).challenge
    policy = _value(values, "organizer_participation_policy")
    return Registered(
        organizers=tuple(
            Named(str(row.get("name") or ""), _texts(row, "affiliation", "institute_group"))
            for row in _rows(values, "organizing_team")
        ),
        label_access=tuple(
            Named(str(row.get("who") or ""), _texts(row, "affiliation")) for row in _rows(values, "test_label_access")
        ),
        policy=policy if isinstance(policy, str) else "",
        agreement=str(_value(values, "data_usage_agreement") or ""),
        asks_for_methods=bool(_value(values, "method_description_requirement")),
    )


def _value(values: Any, parameter: str) -> Any:
    entry = values.get(parameter)
    return getattr(entry, "value", None)


def _rows(values: Any, parameter: str) -> list[dict[str, Any]]:
    rows = _value(values, parameter)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list | tuple) else []


def _texts(row: dict[str, Any], *keys: str) -> tuple[str, ...]:
    return tuple(str(row[key]) for key in keys if row.get(key))
