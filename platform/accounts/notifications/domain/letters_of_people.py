"""Texts of messages about people: participants, teams, organizers and posts."""

from dataclasses import dataclass
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, act, always


@dataclass(frozen=True)
class OfPerson:
    """Facts of a message about a change to a person or team in a challenge.

    Attributes
    ----------
    actor
        The person who made the change. For a request or an answer, the person who sent it.
    standing, reason
        How the team takes part in rankings from now on, and the reason.
    role
        The organizer role, as labelled in the choice of roles.
    words
        Text that the person wrote.
    agreed
        True if the people were admitted or accepted.
    """

    challenge: str
    actor: str = ""
    team: str = ""
    standing: str = ""
    reason: str = ""
    role: str = ""
    words: str = ""
    agreed: bool = False

    @property
    def place(self) -> str:
        """The team, with its challenge."""
        return f"the team {self.team} in {self.challenge}"


REMOVED: Final[Act[OfPerson]] = act(
    "team_removed",
    [
        always(
            "subject",
            lambda of: f"{of.challenge}: you are no longer in the team {of.team}",
            "Liver: you are no longer in the team unet",
        )
    ],
    [
        always(
            "news",
            lambda of: f"{of.actor} has removed you from {of.place}. The team keeps its submissions.",
            "Ada has removed you from the team unet in Liver. The team keeps its submissions.",
        )
    ],
)
CAPTAIN: Final[Act[OfPerson]] = act(
    "team_captain",
    [
        always(
            "subject",
            lambda of: f"{of.challenge}: you are the captain of the team {of.team} now",
            "Liver: you are the captain of the team unet now",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"{of.actor} made you the captain of {of.place}. You can now invite and remove members, and hand over the role on the team page."
            ),
            "Ada made you the captain of the team unet in Liver. You can now invite and remove members, and hand over the role on the team page.",
        )
    ],
)
ANSWERED: Final[Act[OfPerson]] = act(
    "team_invitation_answered",
    [
        Paragraph(
            "joined",
            "The person has accepted.",
            lambda of: of.agreed,
            lambda of: f"{of.challenge}: {of.actor} is now in the team {of.team}",
            "Liver: Ada is now in the team unet",
        ),
        always(
            "stays_out",
            lambda of: f"{of.challenge}: {of.actor} does not join the team {of.team}",
            "Liver: Ada does not join the team unet",
        ),
    ],
    [
        Paragraph(
            "accepted",
            "The person has accepted.",
            lambda of: of.agreed,
            lambda of: (
                f"{of.actor} has accepted the invitation into {of.place}, and can now see and make submissions of the team."
            ),
            "Ada has accepted the invitation into the team unet in Liver, and can now see and make submissions of the team.",
        ),
        Paragraph(
            "declined",
            "The person has declined.",
            lambda of: not of.agreed,
            lambda of: (
                f"{of.actor} has declined the invitation into {of.place}. The captain can invite another person on the team page."
            ),
            "Ada has declined the invitation into the team unet in Liver. The captain can invite another person on the team page.",
        ),
    ],
)
STANDING: Final[Act[OfPerson]] = act(
    "team_standing",
    [
        always(
            "subject",
            lambda of: f"{of.challenge}: the team {of.team} is now “{of.standing}”",
            "Liver: the team unet is now “ranked”",
        )
    ],
    [
        always(
            "news",
            lambda of: f"The organizers of {of.challenge} set the team {of.team} to “{of.standing}”.",
            "The organizers of Liver set the team unet to “disqualified”.",
        ),
        Paragraph(
            "reason",
            "They gave a reason.",
            lambda of: bool(of.reason),
            lambda of: f"Their reason: {of.reason}",
            "Their reason: two accounts of one person.",
        ),
        always(
            "next",
            lambda _: "Affected rankings are being recomputed. Contact the organizers if you think this is a mistake.",
            "Affected rankings are being recomputed. Contact the organizers if you think this is a mistake.",
        ),
    ],
)
ASKS: Final[Act[OfPerson]] = act(
    "join_request",
    [always("subject", lambda of: f"{of.challenge}: {of.actor} asks to take part", "Liver: Ada asks to take part")],
    [
        always(
            "news",
            lambda of: f"{of.actor} asks to take part in {of.challenge} and needs your decision.",
            "Ada asks to take part in Liver and needs your decision.",
        ),
        Paragraph(
            "words",
            "The person wrote something.",
            lambda of: bool(of.words),
            lambda of: f"They write: {of.words}",
            "They write: I study livers.",
        ),
    ],
)
JOINED: Final[Act[OfPerson]] = act(
    "join_decided",
    [
        Paragraph(
            "may",
            "The organizers let the person in.",
            lambda of: of.agreed,
            lambda of: f"{of.challenge}: you may take part",
            "Liver: you may take part",
        ),
        always("may_not", lambda of: f"{of.challenge}: your request was declined", "Liver: your request was declined"),
    ],
    [
        Paragraph(
            "let_in",
            "The organizers let the person in.",
            lambda of: of.agreed,
            lambda of: (
                f"The organizers let you take part in {of.challenge}. Next, create a team or join one by invitation. Then get the data and submit during the phases."
            ),
            "The organizers let you take part in Liver. Next, create a team or join one by invitation. Then get the data and submit during the phases.",
        ),
        Paragraph(
            "declined",
            "They did not.",
            lambda of: not of.agreed,
            lambda of: (
                f"The organizers of {of.challenge} declined your request to take part. Their reason: {of.reason}"
            ),
            "The organizers of Liver declined your request to take part. Their reason: the challenge is full.",
        ),
    ],
)
ORGANIZES: Final[Act[OfPerson]] = act(
    "organizer_role",
    [
        always(
            "subject",
            lambda of: f"{of.challenge}: you organize it as {of.role}",
            "Liver: you organize it as owner",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"{of.actor} made you an organizer of {of.challenge}, as {of.role}. The page “Organize” shows your permissions and pending actions."
            ),
            "Ada made you an organizer of Liver, as owner. The page “Organize” shows your permissions and pending actions.",
        )
    ],
)


# What people write


@dataclass(frozen=True)
class OfPost:
    """Facts of a message about a post in a discussion or an announcement.

    `thread` is its title.
    """

    about: str
    thread: str
    words: str
    actor: str = ""
    is_first: bool = True


_POSTED_WORDS: Final = always("words", lambda of: of.words, "Which axis is first?")
POSTED: Final[Act[OfPost]] = act(
    "discussion",
    [
        Paragraph(
            "started",
            "It begins a thread.",
            lambda of: of.is_first,
            lambda of: f"{of.about}: {of.thread}",
            "Liver: Orientation of the images",
        ),
        always("replied", lambda of: f"Re: {of.about}: {of.thread}", "Re: Liver: Orientation of the images"),
    ],
    [
        Paragraph(
            "asks",
            "It begins a thread.",
            lambda of: of.is_first,
            lambda of: f"{of.actor} begins “{of.thread}” in the discussion of {of.about}. Read and reply on its page.",
            "Ada begins “Orientation of the images” in the discussion of Liver. Read and reply on its page.",
        ),
        Paragraph(
            "writes",
            "It is a reply.",
            lambda of: not of.is_first,
            lambda of: (
                f"{of.actor} writes in “{of.thread}” in the discussion of {of.about}, which you follow. Read and reply on its page."
            ),
            "Ada writes in “Orientation of the images” in the discussion of Liver, which you follow. Read and reply on its page.",
        ),
        _POSTED_WORDS,
    ],
)
CONTACTED: Final[Act[OfPost]] = act(
    "contact",
    [
        Paragraph(
            "started",
            "It begins a conversation.",
            lambda of: of.is_first,
            lambda of: f"{of.about}: private message “{of.thread}”",
            "Liver: private message “Access to the data”",
        ),
        always("replied", lambda of: f"Re: {of.about}: {of.thread}", "Re: Liver: Access to the data"),
    ],
    [
        Paragraph(
            "asks",
            "It begins a conversation.",
            lambda of: of.is_first,
            lambda of: (
                f"{of.actor} sent a private message to the organizers of {of.about}. Only they and the organizers can read it. "
                "Reply on its page."
            ),
            "Ada sent a private message to the organizers of Liver. Only they and the organizers can read it. Reply on its page.",
        ),
        Paragraph(
            "writes",
            "It is a reply.",
            lambda of: not of.is_first,
            lambda of: (
                f"{of.actor} replied in the private conversation “{of.thread}” about {of.about}. Reply on its page."
            ),
            "Ada replied in the private conversation “Access to the data” about Liver. Reply on its page.",
        ),
        _POSTED_WORDS,
    ],
)
ANNOUNCED: Final[Act[OfPost]] = act(
    "announcement",
    [always("subject", lambda of: f"{of.about}: {of.thread}", "Liver: Orientation of the images")],
    [
        always("news", lambda of: f"The organizers of {of.about} announce:", "The organizers of Liver announce:"),
        _POSTED_WORDS,
    ],
)
