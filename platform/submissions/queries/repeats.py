"""Content that a person submitted before: the existing submission, in place of a second one."""

from typing import Final

from django.urls import reverse

from accounts.models import User
from challenges.models import Phase, Team
from datastore.uploads.models import Upload
from evaluation.checking import Finding
from evaluation.checking.sentences import finding
from submissions.models import Submission

RULE: Final = (
    "If you send the same file again for the same phase and team, Podium shows the submission that exists. "
    "It is not scored again and uses none of your limits. A withdrawn or failed submission does not count as existing."
)
"""The rule for pages and the interface."""


def key_of_sha256(sha256: str) -> str:
    """Return the key of a content with this SHA-256; empty if it is not known.

    Examples
    --------
    >>> key_of_sha256("ab"), key_of_sha256("")
    ('sha256:ab', '')
    """
    return f"sha256:{sha256}" if sha256 else ""


def same_content(*, user: User, phase: Phase, team: Team, key: str) -> Submission | None:
    """Return the submission of a person and team in a phase that has this content; None if there is none."""
    if not key:
        return None
    return Submission.objects.filter(user=user, phase=phase, team=team, content_key=key).first()


def same_predictions(submission: Submission, fingerprint: str) -> Submission | None:
    """Return the last submission of the team with the same predictions, packed or compressed in another way.

    None if there is none, for algorithms, and if the sender asked to submit the same content again.
    """
    if not fingerprint or submission.is_algorithm or (submission.upload is not None and submission.upload.again):
        return None
    others = Submission.objects.filter(
        phase=submission.phase_id, team=submission.team_id, report__fingerprint=fingerprint
    ).exclude(pk=submission.pk)
    counted = (Submission.State.ACCEPTED, Submission.State.SCORED)
    return others.filter(state__in=counted).order_by("-number").first()


def repeated_predictions(earlier: Submission, total: int) -> Finding:
    """Return the question about predictions that equal those of an earlier submission."""
    return finding("repeated_predictions", total=total, number=earlier.number)


def submission_of(upload: Upload) -> Submission | None:
    """Return the submission that an upload became, or the earlier one with the same content."""
    submission = Submission.objects.filter(upload=upload).first()
    if submission is not None or upload.repeats is None:
        return submission
    return Submission.objects.filter(pk=upload.repeats).first()


def page_of_repeated(slug: str, submission: Submission) -> str:
    """Return the address of the page of a submission, with the note that the same file was sent again."""
    return f"{reverse('submissions:detail', args=[slug, submission.pk])}?same-file=1"
