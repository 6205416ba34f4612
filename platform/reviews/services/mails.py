"""Mails of a call with the chair's custom texts, each message addressed to one person."""

from typing import Any, Final

from django.urls import reverse
from django.utils import timezone

from accounts.notifications.domain import letters_of_records
from accounts.notifications.domain.acts import Letter
from accounts.notifications.kinds import Role
from accounts.notifications.services import notify
from reviews.models import Assignment, Call, FiledVersion, Filing, MailText, Part
from reviews.queries import anonymity, latest, review_due
from reviews.services.defaults import MAILS, fill

KINDS = {
    "review_invitation": "You are invited to review",
    "review_assigned": "A design was assigned to you for review, or its revision came in",
    "review_reminder": "A review of yours is due",
    "filing_received": "A design of yours was filed",
    "filing_decided": "A decision about a design of yours",
    "filing_for_chairs": "A design or revision was filed in a call that you chair",
    "review_words": "A review that you take part in has a new comment",
    "call_message": "The chairs of a call write to you",
}
ROLES: Final[dict[str, Role]] = {
    "review_assigned": "reviewer",
    "review_reminder": "reviewer",
    "filing_received": "organizer",
    "filing_decided": "organizer",
    "filing_for_chairs": "chair",
}
"""Role of the people who get a kind of mail; kinds that are absent reach people of several roles."""


def text_of(call: Call, kind: str) -> tuple[str, str]:
    """Return subject and body of a mail of this call, with unfilled placeholders."""
    mail_text = MailText.objects.filter(call=call, kind=kind).first()
    return (mail_text.subject, mail_text.body) if mail_text else (MAILS[kind].subject, MAILS[kind].body)


def filled(call: Call, kind: str, **values: Any) -> tuple[str, str]:
    """Subject and body of a mail, filled."""
    word_values = {
        "call": call.title,
        "review_date": day(call.review_at),
        "revision_date": day(call.revision_at),
        "registration_date": day(call.registration_at),
        **values,
    }
    subject, body = text_of(call, kind)
    return fill(subject, word_values), fill(body, word_values)


def example_letter(call: Call, kind: str, *, chair: str) -> Letter:
    """A mail of this call as it would read about an invented design."""
    subject, text = filled(
        call,
        kind,
        design="A design",
        chair=chair,
        part=Part.GENERAL.label,
        number=1,
        points="1. Number of cases: Why so many?",
        days=21,
        link="[the link of the letter]",
    )
    return Letter(subject=subject, text=text)


def day(moment: Any) -> str:
    """A date as letters write it."""
    return f"{timezone.localtime(moment):%d %B %Y, %H:%M %Z}".lstrip("0")


def title_for_reviewers(filing: Filing) -> str:
    """The title of a filing as its reviewers may read it."""
    return anonymity.mask_of(filing).text(filing.title) if filing.call.hides_organizers else filing.title


def letter_of_assignment(assignment: Assignment) -> Letter:
    """Return the letter that notifies a reviewer of a new design."""
    return _for_reviewer(assignment, "assigned", part=Part(assignment.part).label)


def letter_of_revision(assignment: Assignment) -> Letter:
    """Return the letter that requests the review of a revision."""
    return _for_reviewer(assignment, "again")


def letter_of_reminder(assignment: Assignment) -> Letter:
    """Return the letter that reminds a reviewer of a review that was not sent."""
    return _for_reviewer(assignment, "reminder")


def send_to_reviewer(assignment: Assignment, kind: str, letter: Letter) -> None:
    """Send a letter to the reviewer of an assignment; it leads to the page of the review."""
    filing = assignment.filing
    notify(
        people=[assignment.reviewer.user],
        kind=kind,
        subject=letter.subject,
        text=letter.text,
        address=reverse("reviews:review", args=[filing.call.slug, filing.number]),
        scope=filing.call.slug,
    )


def filed(version: FiledVersion) -> None:
    """Notify organizers and chairs that a version was filed."""
    filing = version.filing
    subject, body = filled(filing.call, "filed", design=filing.title, number=version.number)
    _to_organizers(filing, "filing_received", subject, body)
    letter = letters_of_records.FILED.letter(
        letters_of_records.OfFiling(filing.title, filing.call.title, version.number, due=day(filing.call.review_at))
    )
    notify(
        people=[chair.user for chair in filing.call.chairs.select_related("user")],
        kind="filing_for_chairs",
        subject=letter.subject,
        text=letter.text,
        address=filing.get_absolute_url(),
        scope=filing.call.slug,
    )


def decided(filing: Filing, subject: str, letter: str) -> None:
    """Send the letter to the organizers."""
    _to_organizers(filing, "filing_decided", subject, letter)


def discussed(*, filing: Filing, people: list[Any], address: str) -> None:
    """Notify reviewers of a new entry in their discussion, without its author or text."""
    letter = letters_of_records.DISCUSSED.letter(
        letters_of_records.OfFiling(title_for_reviewers(filing), filing.call.title)
    )
    notify(
        people=people,
        kind="review_words",
        subject=letter.subject,
        text=letter.text,
        address=address,
        scope=filing.call.slug,
    )


def _for_reviewer(assignment: Assignment, text: str, **values: Any) -> Letter:
    filing = assignment.filing
    due = day(review_due(filing, latest(filing)))
    subject, body = filled(filing.call, text, design=title_for_reviewers(filing), review_date=due, **values)
    return Letter(subject=subject, text=body)


def _to_organizers(filing: Filing, kind: str, subject: str, body: str) -> None:
    people = [part.user for part in filing.design.collaborators.select_related("user")]
    notify(
        people=people,
        kind=kind,
        subject=subject,
        text=body,
        address=filing.get_absolute_url(),
        scope=filing.call.slug,
    )
