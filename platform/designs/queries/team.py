"""The organizing team as a design lists it, beside the people who have access to the design."""

from dataclasses import dataclass

from designs.models import Design
from designs.queries.documents import document_of
from people.models import Invitation


@dataclass(frozen=True)
class Listed:
    """A member of the organizing team."""

    name: str
    email: str


def members_without_access(design: Design) -> list[Listed]:
    """Return the members of the listed organizing team, with an address, who neither write the design nor are invited."""
    known = {address.lower() for address in design.collaborators.values_list("user__email", flat=True)}
    invited = design.invitations.filter(state=Invitation.State.OPEN)
    known |= {address.lower() for address in invited.values_list("email", flat=True)}
    members: dict[str, Listed] = {}
    for row in document_of(design).values().rows("organizing_team"):
        email = str(row.get("email") or "").strip().lower()
        if email and email not in known:
            members.setdefault(email, Listed(str(row.get("name") or email), email))
    return list(members.values())
