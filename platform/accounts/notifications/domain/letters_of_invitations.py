"""E-mails with invitations into a team, to a design, and to a site of a federation."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, act, always


@dataclass(frozen=True)
class OfInvitation:
    """Invitation: its sender, its target and its terms.

    Attributes
    ----------
    into
        Name of the team or site, or title of the design.
    challenge, phase
        Challenge and phase in which the team or site takes part.
    institution
        Institution of the site, if it is known.
    role
        Role of the invited person, with the text of the choice of roles.
    days, until
        Validity of the link: in days, or until a moment.
    only_addressee
        Whether only the account with the invited address can accept.
    """

    actor: str
    into: str
    challenge: str = ""
    phase: str = ""
    institution: str = ""
    role: str = ""
    days: int = 0
    until: datetime | None = None
    only_addressee: bool = False


_HOLDER: Final = Paragraph(
    "holder",
    "Whoever has the link may accept.",
    lambda of: not of.only_addressee,
    lambda _: "Anyone with this link can use it. Don't share it.",
    "Anyone with this link can use it. Don't share it.",
)
_ADDRESSEE: Final = Paragraph(
    "addressee",
    "Nobody but the account with the invited address may accept.",
    lambda of: of.only_addressee,
    lambda _: "You need an account with this e-mail address. If you did not expect this invitation, ignore it.",
    "You need an account with this e-mail address. If you did not expect this invitation, ignore it.",
)
INTO_TEAM: Final[Act[OfInvitation]] = act(
    "invited_into_team",
    [
        always(
            "subject",
            lambda of: f"{of.actor} invites you to the team {of.into} in {of.challenge}",
            "Ada invites you to the team unet in Liver",
        )
    ],
    [
        always(
            "news",
            lambda of: f"{of.actor} invites you to the team {of.into}, which takes part in {of.challenge}.",
            "Ada invites you to the team unet, which takes part in Liver.",
        ),
        always(
            "next",
            lambda of: f"Open the link within {of.days} days to join or decline.",
            "Open the link within 14 days to join or decline.",
        ),
        _HOLDER,
    ],
)
INTO_DESIGN: Final[Act[OfInvitation]] = act(
    "invited_into_design",
    [
        always(
            "subject",
            lambda of: f"{of.actor} asks you to work on the design “{of.into}”",
            "Ada asks you to work on the design “Liver 2027”",
        )
    ],
    [
        always(
            "news",
            lambda of: f"{of.actor} invites you as {of.role} to the challenge design “{of.into}”.",
            "Ada invites you as editor to the challenge design “Liver 2027”.",
        ),
        always(
            "next",
            lambda of: f"Open the link within {of.days} days to accept or decline.",
            "Open the link within 14 days to accept or decline.",
        ),
        _ADDRESSEE,
    ],
)
OF_SITE: Final[Act[OfInvitation]] = act(
    "invited_as_site",
    [
        always(
            "subject",
            lambda of: f"Invitation of {of.institution or of.into} to {of.challenge}",
            "Invitation of Oslo University Hospital to Liver",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"{of.actor} invites {of.into} to take part in {of.challenge}, {of.phase}, as a site: algorithms run on its own "
                "cases. Cases stay at your site. Only sums over many cases are sent, after you have reviewed them."
            ),
            "Ada invites north to take part in Liver, Final, as a site: algorithms run on its own cases. Cases stay at your site. Only sums over many cases are sent, after you have reviewed them.",
        ),
        Paragraph(
            "next",
            "A key can be registered until a moment.",
            lambda of: of.until is not None,
            lambda of: f"The page below lists every step. You can register a key there until {of.until:%-d %B %Y}.",
            "The page below lists every step. You can register a key there until 4 March 2027.",
        ),
        _HOLDER,
    ],
)
