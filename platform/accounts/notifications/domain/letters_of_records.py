"""Texts of messages about registered designs, reviews, sites and reported cases."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from accounts.notifications.domain.acts import Act, Paragraph, act, always

# Registered designs


@dataclass(frozen=True)
class OfRecord:
    """A registered design, or one that is to be registered, and what happened to it or is due."""

    title: str
    identifier: str = ""
    call: str = ""
    state: str = ""
    words: str = ""
    due: date | None = None
    is_over: bool = False

    @property
    def name(self) -> str:
        """Title in quotation marks with the identifier, as used in texts."""
        return f"“{self.title}” ({self.identifier})"

    @property
    def day(self) -> str:
        """Of what is due."""
        assert self.due is not None
        return f"{self.due:%-d %B %Y}"


def _plain(name: str, subject: Any, subject_like: str, text: Any, text_like: str) -> Act[Any]:
    """Return a message whose subject and text do not depend on conditions."""
    return act(name, [always("subject", subject, subject_like)], [always("news", text, text_like)])


_WORDS: Final = Paragraph(
    "words", "Somebody wrote something.", lambda of: bool(of.words), lambda of: of.words, "Which scanner was it?"
)
REGISTERED: Final[Act[OfRecord]] = _plain(
    "design_registered",
    lambda of: f"{of.title}: registered as {of.identifier}",
    "Liver: registered as podium-2026-0001",
    lambda of: (
        f"The design “{of.title}” is registered as {of.identifier} and public now, as version 1.0. Later changes need change requests. The record page shows possible next steps."
    ),
    "The design “Liver” is registered as podium-2026-0001 and public now, as version 1.0. Later changes need change requests. The record page shows possible next steps.",
)
COMMENTED: Final[Act[OfRecord]] = act(
    "registration_commented",
    [
        always(
            "subject",
            lambda of: f"{of.title}: a comment on {of.identifier}",
            "Liver: a comment on podium-2026-0001",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"There is a new comment on your registered design {of.name}. Reply on the comments page. Replies are public."
            ),
            "There is a new comment on your registered design “Liver” (podium-2026-0001). Reply on the comments page. Replies are public.",
        ),
        _WORDS,
    ],
)
COMMENT_ANSWERED: Final[Act[OfRecord]] = act(
    "registration_comment_answered",
    [
        always(
            "subject",
            lambda of: f"{of.title}: your comment on {of.identifier} is answered",
            "Liver: your comment on podium-2026-0001 is answered",
        )
    ],
    [
        always(
            "news",
            lambda of: f"Your comment on the registered design {of.name} has a public reply on the comments page.",
            "Your comment on the registered design “Liver” (podium-2026-0001) has a public reply on the comments page.",
        ),
        _WORDS,
    ],
)
ENDED: Final[Act[OfRecord]] = act(
    "registration_ended",
    [
        always(
            "subject", lambda of: f"{of.title}: {of.identifier} is {of.state}", "Liver: podium-2026-0001 is withdrawn"
        )
    ],
    [
        always(
            "news",
            lambda of: f"The registered challenge {of.name} is {of.state}. Its record remains public with this status.",
            "The registered challenge “Liver” (podium-2026-0001) is withdrawn. Its record remains public with this status.",
        ),
        Paragraph(
            "reason",
            "A reason was given.",
            lambda of: bool(of.words),
            lambda of: f"The reason: {of.words}",
            "The reason: no data.",
        ),
    ],
)
TO_REGISTER: Final[Act[OfRecord]] = act(
    "registration_due",
    [
        Paragraph(
            "missed",
            "The last day is over.",
            lambda of: of.is_over,
            lambda of: f"“{of.title}” is not registered",
            "“Liver” is not registered",
        ),
        always("due", lambda of: f"Register “{of.title}” by {of.day}", "Register “Liver” by 3 May 2026"),
    ],
    [
        Paragraph(
            "was_due",
            "The last day is over.",
            lambda of: of.is_over,
            lambda of: (
                f"The design “{of.title}”, accepted for {of.call}, was to be registered by {of.day}: {of.words}. It can still be registered and will be marked as late."
            ),
            "The design “Liver”, accepted for Call 2026, was to be registered by 3 May 2026: submission opens. It can still be registered and will be marked as late.",
        ),
        Paragraph(
            "is_due",
            "The last day is to come, or today.",
            lambda of: not of.is_over,
            lambda of: (
                f"The design “{of.title}” was accepted for {of.call} and is not registered yet. On {of.day} {of.words}; a design that is registered later is marked as late."
            ),
            "The design “Liver” was accepted for Call 2026 and is not registered yet. On 3 May 2026 submission opens; a design that is registered later is marked as late.",
        ),
    ],
)
CHANGES_END: Final[Act[OfRecord]] = _plain(
    "critical_changes_end",
    lambda of: f"{of.title}: critical changes until {of.day}",
    "Liver: critical changes until 3 May 2026",
    lambda of: (
        f"The last day for critical changes of {of.name} is {of.day}. Later ones are permanently marked as late. Request necessary changes before that day."
    ),
    "The last day for critical changes of “Liver” (podium-2026-0001) is 3 May 2026. Later ones are permanently marked as late. Request necessary changes before that day.",
)
REPORT_DUE: Final[Act[OfRecord]] = _plain(
    "registration_report_due",
    lambda of: f"{of.title}: {of.identifier} has no report",
    "Liver: podium-2026-0001 has no report",
    lambda of: (
        f"The results of {of.name} were due on {of.day}, and the record links to no report. Publish the report, request a change of the schedule, or mark the challenge as withdrawn or abandoned."
    ),
    "The results of “Liver” (podium-2026-0001) were due on 3 May 2026, and the record links to no report. Publish the report, request a change of the schedule, or mark the challenge as withdrawn or abandoned.",
)

# Reviews


@dataclass(frozen=True)
class OfFiling:
    """A design that was filed in a call; `number` counts its versions."""

    title: str
    call: str
    number: int = 1
    due: str = ""
    words: str = ""


FILED: Final[Act[OfFiling]] = act(
    "filing_for_chairs",
    [
        always(
            "subject",
            lambda of: f"{of.call}: version {of.number} of “{of.title}” was filed",
            "Call 2026: version 1 of “Liver” was filed",
        )
    ],
    [
        Paragraph(
            "first",
            "It is the first version.",
            lambda of: of.number == 1,
            lambda of: (
                f"The design “{of.title}” was filed in {of.call}. Next, assign reviewers. Reviews are due on {of.due}."
            ),
            "The design “Liver” was filed in Call 2026. Next, assign reviewers. Reviews are due on 1 June 2026, 12:00 UTC.",
        ),
        Paragraph(
            "revision",
            "It is a later one.",
            lambda of: of.number > 1,
            lambda of: (
                f"Version {of.number} of “{of.title}” was filed in {of.call}, in answer to the points of the reviewers. Next, check the changes and decide, or request another review."
            ),
            "Version 2 of “Liver” was filed in Call 2026, in answer to the points of the reviewers. Next, check the changes and decide, or request another review.",
        ),
    ],
)
DISCUSSED: Final[Act[OfFiling]] = _plain(
    "review_words",
    lambda of: f"{of.call}: new comment on “{of.title}”",
    "Call 2026: new comment on “Liver”",
    lambda of: (
        f"There is a new comment in the reviewer discussion of “{of.title}” in {of.call}. Read and reply on the discussion page. Organizers cannot see it."
    ),
    "There is a new comment in the reviewer discussion of “Liver” in Call 2026. Read and reply on the discussion page. Organizers cannot see it.",
)

# Sites


@dataclass(frozen=True)
class OfSite:
    """A site that evaluates on its own data, in which phase of which challenge."""

    challenge: str
    phase: str
    name: str = ""


SITE_REGISTERED: Final[Act[OfSite]] = _plain(
    "site_registered",
    lambda of: f"{of.challenge}: site {of.name} registered its key",
    "Liver: site north registered its key",
    lambda of: (
        f"Site {of.name} of {of.phase} of {of.challenge} registered its key, and its messages are not accepted before you confirm the key. Compare the fingerprint with the site by telephone, then confirm it."
    ),
    "Site north of Final of Liver registered its key, and its messages are not accepted before you confirm the key. Compare the fingerprint with the site by telephone, then confirm it.",
)
SITE_REFUSED: Final[Act[OfSite]] = _plain(
    "site_message_refused",
    lambda of: f"{of.challenge}: messages of a site were refused",
    "Liver: messages of a site were refused",
    lambda of: (
        f"Messages of a site of {of.phase} of {of.challenge} were rejected and do not count. The page of the sites shows the reasons. Contact the site."
    ),
    "Messages of a site of Final of Liver were rejected and do not count. The page of the sites shows the reasons. Contact the site.",
)

# Reported cases


@dataclass(frozen=True)
class OfCase:
    """Facts of a message about a reported case of a phase.

    `words` is the text of the author. `what` is the suspected problem or the decision.
    """

    challenge: str
    phase: str
    case: str
    what: str
    words: str


CASE_REPORTED: Final[Act[OfCase]] = act(
    "case_reported",
    [
        always(
            "subject",
            lambda of: f"{of.challenge}: {of.case}: {of.what}",
            "Liver: case-7: the reference looks wrong",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"A problem was reported for {of.case} of {of.phase} of {of.challenge}: {of.what}. Check it, then confirm or dismiss the report with an answer."
            ),
            "A problem was reported for case-7 of Final of Liver: the reference looks wrong. Check it, then confirm or dismiss the report with an answer.",
        ),
        always("words", lambda of: f"They write: {of.words}", "They write: The left lobe is missing."),
    ],
)
CASE_ANSWERED: Final[Act[OfCase]] = act(
    "case_report_answered",
    [
        always(
            "subject",
            lambda of: f"{of.challenge}: {of.case}: your report is {of.what}",
            "Liver: case-7: your report is confirmed",
        )
    ],
    [
        always(
            "news",
            lambda of: f"The organizers of {of.challenge} {of.what} your report of {of.case} of {of.phase}.",
            "The organizers of Liver confirmed your report of case-7 of Final.",
        ),
        always("words", lambda of: f"They write: {of.words}", "They write: You are right; the case will not count."),
    ],
)
