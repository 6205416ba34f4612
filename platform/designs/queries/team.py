"""Organizing team listed in a design, compared with the people who have access to the design."""

from dataclasses import dataclass

from accounts.people.models import Invitation
from designs.models import Design
from designs.queries.documents import document_of


@dataclass(frozen=True)
class Listed:
    """A member of the organizing team."""

    name: str
    email: str


def members_without_access(design: Design) -> list[Listed]:
    """Return the members of the listed organizing team, with an address, who neither write the design nor are invited.

    Writers are recognized by their address or by their name, since the design can state another address.
    """
    writers = [part.user for part in design.collaborators.select_related("user")]
    addresses, names = {user.email.lower() for user in writers}, {user.display_name.casefold() for user in writers}
    invited = design.invitations.filter(state=Invitation.State.OPEN)
    addresses |= {address.lower() for address in invited.values_list("email", flat=True)}
    members: dict[str, Listed] = {}
    for row in document_of(design).values().rows("organizing_team"):
        email = str(row.get("email") or "").strip().lower()
        name = str(row.get("name") or email).strip()
        if email and email not in addresses and name.casefold() not in names:
            members.setdefault(email, Listed(name, email))
    return list(members.values())
