"""Permissions on submissions: predicates, declared once and used by views, API and templates."""

from typing import Any

import rules

from challenges.models import Challenge, Member, Phase, Team
from challenges.rules import is_named_organizer, is_organizer, is_participant
from datastore.test_sets.domain.case_access import CaseAccess
from datastore.test_sets.queries.decoys import keeps_decoys
from datastore.test_sets.rules import access_to_results
from datastore.uploads.models import Upload
from submissions.models import Submission


@rules.predicate
def is_own(user: Any, thing: Submission | Upload | None) -> bool:
    """Belongs to the team that submitted it."""
    if thing is None or not user.is_authenticated:
        return False
    return Member.objects.filter(team=thing.team_id, user=user).exists()


@rules.predicate
def organizes(user: Any, submission: Submission | None) -> bool:
    """Runs the challenge that it was submitted to."""
    return submission is not None and is_organizer(user, submission.challenge)


@rules.predicate
def is_sender(user: Any, upload: Upload | None) -> bool:
    """Began the upload."""
    return upload is not None and upload.user_id == user.pk


@rules.predicate
def shows_scores(user: Any, submission: Submission | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Return whether the phase shows teams their own aggregate scores.

    `evaluation.aggregation.feedback` determines how exact these scores are.
    """
    results_with_scores = (Phase.Results.CASES, Phase.Results.AGGREGATE)
    return submission is not None and (
        submission.phase.is_revealed
        # Scores would tell the decoys; a phase that had them before it was changed to show scores keeps them to itself.
        or (submission.phase.results in results_with_scores and not keeps_decoys(submission.phase))
    )


def access_to_submission(user: Any, submission: Submission, *, case: str | None = None) -> CaseAccess:
    """Return what a person may see of the cases of a submission, or of one of them."""
    team, is_algorithm = submission.team_id, submission.is_algorithm
    return access_to_results(user, submission.phase, team=team, is_algorithm=is_algorithm, case=case)


@rules.predicate
def sees_values(user: Any, submission: Submission | None) -> bool:
    """Sees results of single cases."""
    return submission is not None and access_to_submission(user, submission).values


@rules.predicate
def sees_notes(user: Any, submission: Submission | None) -> bool:
    """Sees what validation or a run reported about single cases."""
    return submission is not None and access_to_submission(user, submission).notes


@rules.predicate
def sees_pictures(user: Any, submission: Submission | None) -> bool:
    """Sees images and predictions of single cases."""
    return submission is not None and access_to_submission(user, submission).pictures


@rules.predicate
def sees_files(user: Any, submission: Submission | None) -> bool:
    """Gets the predictions themselves."""
    return submission is not None and access_to_submission(user, submission).files


@rules.predicate
def watches(user: Any, challenge: Challenge | None) -> bool:
    """Is a named organizer of the challenge and in none of its ranked teams.

    The monitor compares hidden results of all teams. A baseline is not ranked.
    """
    if not is_named_organizer(user, challenge):
        return False
    teams = Member.objects.filter(challenge=challenge, user=user).exclude(team__standing=Team.Standing.BASELINE)
    return not is_participant(user, challenge) or not teams.exists()


rules.add_perm("submissions.view_submission", is_own | organizes)
rules.add_perm("submissions.view_scores", organizes | (is_own & shows_scores))
rules.add_perm("submissions.view_case_scores", sees_values)
rules.add_perm("submissions.organize_submission", organizes)

# Rules and not permissions: Django grants every permission to administrators, who must not act for a team.
rules.add_rule("submissions.continue_upload", is_sender & is_own)
rules.add_rule("submissions.decide_submission", is_own)
rules.add_rule("submissions.view_monitor", watches)
rules.add_rule("submissions.view_findings", sees_notes)
rules.add_rule("submissions.view_pictures", sees_pictures)
rules.add_rule("submissions.have_predictions", sees_files)
